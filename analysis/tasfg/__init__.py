"""Pure exploration with feedback graphs: characteristic times, simulations, sweeps, result files, figures.

    import tasfg
    instance = tasfg.Instance(graph, means, reward="bernoulli")   # of networkx, a matrix, edges, tasfg.graph("ring", K=5)
    instance.solve().T_star
    runs = tasfg.simulate(instance, ["tas-fg", "ucb-fg-e", MyRule()], seeds=200, delta=[0.1, 0.01])
    tasfg.table(runs); tasfg.plot.boxes(runs)

    results = tasfg.open("out.h5")                     # of `tasfg sweep`; or several files
    results.runs, results.runs_frame()                 # xarray: tau(case, algorithm, delta, seed), ...; a pandas table
    results.cases, results.cases_frame()               # T*, allocations, graph quantities
    results.plot("p", "T_star", hue="q")               # any quantity over any parameter

`python -m tasfg --help` is the command line for result files, also installed as `tasfg-analysis`. Files can be read and figures
drawn where nothing was compiled; solving and simulating need the compiled part (`pip install .`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import plot
from .error_probability import error
from .errors import FailedRuns, NothingToDraw, UserError
from .models import Graph, Instance, Solution, graph, solve
from .parameter_curves import curve
from .program import submit, sweep
from .reader import FORMAT_VERSION
from .results import Results, open  # noqa: A004 (like h5py.File, xarray.open_dataset)
from .rules import compiled, include
from .simulation import failures, simulate
from .version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from .numba_rules import divergence, edge, uniform

__all__ = [
    "FORMAT_VERSION",
    "FailedRuns",
    "Graph",
    "Instance",
    "NothingToDraw",
    "Results",
    "Solution",
    "UserError",
    "__version__",
    "calibrate",
    "compiled",
    "curve",
    "divergence",
    "edge",
    "error",
    "failures",
    "graph",
    "include",
    "open",
    "plot",
    "simulate",
    "solve",
    "submit",
    "sweep",
    "table",
    "uniform",
]


def table(source: Any, by: list[str] | None = None, *, words: bool = True) -> pd.DataFrame:
    """Statistics of runs, with 95 % intervals, per case, algorithm and δ, or `by` other columns of `runs_frame`.

    `source`: a Dataset of `simulate`, Results of `open`, or a result file's name. `words`: cells for reading ("1235 ± 68");
    without, every number in a column of its own."""
    from . import tables
    from .simulation import results_of

    results = results_of(source)
    results.require_runs("a table")
    columns = by if by is not None else ["label", "algorithm", "log_inv_delta"]
    found = tables.statistics(results, columns)
    return tables.readable(found, columns) if words else found


def calibrate(source: Any, delta: float | Iterable[float] | None = None) -> pd.DataFrame:
    """Which δ′ to ask for so that the measured probability of an error is the wished δ, and the share of draws that this saves,
    with 95 % intervals. Empirical: measured on these instances, without a guarantee for any other.

    `source`: weighted runs (measure = "error") and, for what is saved, plain ones of the same settings: a list of names of
    result files, or Results of `open`. `delta`: the wished ones; without, those of the weighted runs."""
    from .calibration import calibration
    from .simulation import results_of

    wished = None if delta is None else -np.log(np.atleast_1d(np.asarray(delta, dtype=float)))
    return calibration(results_of(source), wished)


def __getattr__(name: str) -> Any:
    if name in ("uniform", "edge", "divergence"):  # for rules that Numba compiles, which need it
        from . import numba_rules

        return getattr(numba_rules, name)
    raise AttributeError(f"module 'tasfg' has no attribute {name!r}")
