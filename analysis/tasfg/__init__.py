"""Result files of tasfg: labelled arrays, tidy tables, figures of any study, reports.

    import tasfg
    results = tasfg.open("out.h5")            # or several files
    results.runs                                       # xarray Dataset: tau(case, algorithm, delta, seed), ...
    results.runs_frame()                               # pandas: one row per (case, algorithm, seed, delta)
    results.cases, results.cases_frame()               # T*, allocations, graph quantities
    results.plot("p", "T_star", hue="q")               # any quantity over any parameter

`python -m tasfg --help` is the command line, also installed as `tasfg-analysis`.
"""

from .errors import UserError
from .reader import FORMAT_VERSION
from .results import Results, open  # noqa: A004 (like h5py.File, xarray.open_dataset)
from .version import __version__

__all__ = ["FORMAT_VERSION", "Results", "UserError", "__version__", "open"]
