"""The probability of a wrong answer, however small: `tasfg error` in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from .core import core
from .errors import UserError
from .models import Instance, _short, checked_flag, checked_threads
from .simulation import _by_name, algorithms_of, confidences, settings_of, whole

MOST_RUNS = 100_000_000  # as `tasfg error` has it
COLUMNS = ("error", "std_error", "lower", "upper", "runs", "ess")


def error(
    instance: Instance,
    algorithms: Any = ("tas-fg",),
    runs: int = 100_000,
    *,
    delta: float | Iterable[float] | None = None,
    log_inv_delta: float | Iterable[float] | None = None,
    plain: bool = False,
    setting: str = "informed",
    conventions: str = "paper",
    points: Mapping[str, str] | None = None,
    threshold: str = "practical",
    stream: str = "philox",
    master_seed: int = 0,
    max_steps: int = 1_000_000_000,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    rules: Iterable[str | os.PathLike] = (),
    threads: int = 0,
) -> pd.DataFrame:
    """The probability of a wrong answer at every δ, by importance sampling; `plain`: by plain runs.

    Arguments as of `simulate`; rules of your own must be compiled, or in a library. One row for each algorithm and δ, with the
    columns of `tasfg error --csv`: algorithm, log_inv_delta, error, std_error, lower and upper (95 % interval; NaN where
    there is none to be trusted), runs, ess (the effective number of runs). Results are the program's, bit by bit."""
    library = core()
    if not isinstance(instance, Instance):
        raise UserError(f"error takes a tasfg.Instance (not {_short(instance)})")
    chosen = algorithms_of(library, algorithms, options, rules, {instance.K})
    logs, _ = confidences(library, delta, log_inv_delta)
    settings = settings_of(
        library, setting, conventions, _by_name(points, "points"), threshold, stream, master_seed, max_steps
    )
    count, cores = whole(runs, "runs", 1, MOST_RUNS), checked_threads(threads)
    rows = []
    for algorithm in chosen:
        found = library.error(instance._model, algorithm, logs, count, checked_flag(plain, "plain"), settings, cores)
        rows += [(algorithm.name, x, *row) for x, row in zip(logs, found)]
    return pd.DataFrame(rows, columns=["algorithm", "log_inv_delta", *COLUMNS])
