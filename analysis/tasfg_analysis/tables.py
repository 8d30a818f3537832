"""Statistics of runs per group, for the command line and the report."""

from __future__ import annotations

import pandas as pd

from . import theory


def statistics(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Per group: runs settled and not, mean and quartiles of τ, mean normalised τ, errors with their 95 % interval.

    `capped` counts runs that were capped before stopping at that δ; they are in no mean."""
    groups = runs.groupby(by, observed=True, sort=False)
    table = groups.agg(
        stopped=("tau", "count"),
        mean=("tau", "mean"),
        q1=("tau", lambda x: x.quantile(0.25)),
        median=("tau", "median"),
        q3=("tau", lambda x: x.quantile(0.75)),
        largest=("tau", "max"),
        lower_bound=("lower_bound", "mean"),
        normalised=("normalised", "mean"),
    )
    wrong = (runs.correct == False).fillna(False).astype(int)  # noqa: E712 (three-valued)
    table["errors"] = wrong.groupby([runs[name] for name in by], observed=True, sort=False).sum()
    _, table["error_upper"] = theory.clopper_pearson(table.errors, table.stopped)
    missing = runs.tau.isna()
    for status in ("capped", "pending", "failed"):
        count = (missing & (runs.status == status)).astype(int)
        table[status] = count.groupby([runs[name] for name in by], observed=True, sort=False).sum()
    return table.reset_index()
