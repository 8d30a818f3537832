"""Which cases and runs a figure shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from . import style
from .errors import NothingToDraw, UserError
from .estimates import Sample
from .names import name_cases
from .reader import SETTLED, STATUS
from .results import Results

MOST_PANELS = 24  # panels of one case each
MOST_GROUPS = 72  # cases side by side in panels of several
MOST_VERTICES = 40  # on an axis
CURVE = 5  # that many values of p, the rest equal, are a curve and not single cases
SLOW = "ucb-fg-v"  # orders of magnitude above the others: some figures leave it out, as the paper does


def without_p(cases: pd.DataFrame) -> pd.Series:
    """What is the same along a curve over p: the label without p (and without an r that equals p)."""
    labels = cases.label.astype(str).str.replace(r" p=\S+", "", regex=True)
    follows = cases.groupby("graph").apply(lambda part: (part.r == part.p).all())
    return labels.where(~cases.graph.map(follows).astype(bool), labels.str.replace(r" r=\S+", " r=p", regex=True))


def in_order(cases: pd.DataFrame) -> pd.DataFrame:
    """By graph, K, p, q, r, with their names."""
    order = {name: i for i, name in enumerate(style.graphs_in_order(cases.graph.unique()))}
    cases = cases.assign(order=cases.graph.map(order)).sort_values(["order", "K", "p", "q", "r"], kind="stable")
    return name_cases(cases.drop(columns="order"))


def single_cases(results: Results, graph: str | None = None) -> pd.DataFrame:
    """Solved cases that are no points of a curve over p, by graph and K, with their names."""
    cases = results.cases_frame()
    cases = cases[cases.T_star.notna()]
    if graph is not None:
        cases = cases[cases.graph == graph]
    if cases.p.nunique() >= CURVE:
        cases = cases[cases.groupby(without_p(cases)).p.transform("nunique").fillna(0) < CURVE]
    return in_order(cases)


def few_vertices(cases: pd.DataFrame) -> pd.DataFrame:
    """Cases whose vertices can be told apart on an axis."""
    return cases[cases.K <= MOST_VERTICES]


def first_of(cases: pd.DataFrame, most: int, what: str = "cases") -> tuple[pd.DataFrame, str]:
    """At most that many cases, as evenly over the graphs as can be, and what to say about the others."""
    if len(cases) <= most:
        return cases, ""
    rank = cases.groupby("graph", sort=False).cumcount()
    kept = cases.loc[rank.sort_values(kind="stable").index[:most]]
    shown = cases[cases.index.isin(kept.index)]
    return shown, f"{most} of {len(cases)} {what} (choose with --cases)."


@dataclass
class Runs:
    """The cases of a figure, their rows of `runs_frame`, and a note on what is not shown."""

    cases: pd.DataFrame
    rows: pd.DataFrame
    note: str
    cap: float

    @property
    def algorithms(self) -> list[str]:
        """Those with settled runs, in the order of the table of algorithms."""
        return style.in_order(self.rows.algorithm[self.rows.status.isin(_SETTLED)].unique())

    def without_slow(self) -> str:
        """Leaves out UCB-FG-V, which would press all others against the axis; returns what to say about it."""
        if SLOW not in self.algorithms or len(self.algorithms) < 3:
            return ""
        self.rows = self.rows[self.rows.algorithm != SLOW]
        return f" Without {style.algorithm_name(SLOW)}."

    def samples(self, *by: str) -> dict[tuple, Sample]:
        """Stopping times per group of columns, capped runs censored."""
        return samples_of(self.rows, list(by), self.cap)


_SETTLED = [STATUS[code] for code in SETTLED]


def samples_of(
    rows: pd.DataFrame, by: list[str], cap: float | np.ndarray, stopped: bool = False
) -> dict[tuple, Sample]:
    """Stopping times per group of columns, runs censored at the cap (one for all, or one a row); groups without a settled run
    are left out. `stopped`: runs were made until they were precise enough."""
    there = rows.status.isin(_SETTLED).to_numpy()
    tau, caps = rows.tau.to_numpy(), np.broadcast_to(np.asarray(cap, dtype=float), len(rows))
    found = {}
    for key, index in rows.groupby(by, observed=True, sort=False).indices.items():
        index = index[there[index]]
        if len(index):
            values = tau[index]
            found[key if isinstance(key, tuple) else (key,)] = Sample.of(
                values, int(np.isnan(values).sum()), caps[index].min(), stopped
            )
    return found


def runs_of(results: Results, what: str, graph: str | None = None, most: int = MOST_PANELS) -> Runs:
    """The cases that have settled runs, and their rows; refuses files that have none, and weighted runs for times."""
    if what == "error":
        results.require_runs(what)
    else:
        results.require_times(what)
    rows = results.frame
    if graph is not None:
        rows = rows[rows.graph == graph]
    settled = rows.label[rows.status.isin(_SETTLED)].unique()
    cases = results.cases_frame()
    cases = cases[cases.label.isin(settled) & cases.T_star.notna()]
    if not len(cases):
        of = f" of the graph {graph}" if graph else ""
        raise NothingToDraw(
            f"{results.names}: no settled runs{of} ({what} needs them; `tasfg-analysis list` names a job)"
        )
    cases, note = first_of(in_order(cases), most)
    return Runs(cases, rows[rows.label.isin(cases.label)], note, results.max_steps)


def confidence(runs: pd.DataFrame, wanted: float | None = None) -> float:
    """The ln(1/δ) that a figure of one δ shows: the one asked for; else 7, the paper's; else the largest at which some run
    has stopped, since there is nothing to see where all were capped."""
    there = np.sort(runs.log_inv_delta.unique())
    target = 7.0 if wanted is None else wanted
    near = there[np.isclose(there, target, rtol=1e-5)]
    if len(near):
        return float(near[0])
    if wanted is not None:
        raise UserError(
            f"--log-inv-delta {wanted:g} (the file has {', '.join(f'{x:.6g}' for x in there)}, which are δ = "
            f"{', '.join(f'{np.exp(-x):.3g}' for x in there)})"
        )
    stopped = runs.log_inv_delta[runs.tau.notna()]
    return float(stopped.max() if len(stopped) else there[-1])


def incomplete(rows: pd.DataFrame) -> str:
    """What to say about runs without a τ in these rows: nothing, where there are none."""
    missing = rows[rows.tau.isna()]
    parts = []
    for status, text in (
        ("capped", "capped at max_steps before stopping"),
        ("pending", "pending"),
        ("failed", "failed"),
    ):
        count = int((missing.status == status).sum())
        if count:
            parts.append(f"{count} {text}")
    needed = int((rows.status != "not needed").sum())
    return f"Of {needed} runs: " + ", ".join(parts) + "." if parts else ""


def seeds(samples: dict[tuple, Sample]) -> str:
    """How many runs the groups have, in words."""
    counts = [len(sample) for sample in samples.values()]
    low, high = min(counts), max(counts)
    return f"{high} seeds" if low == high else f"{low} to {high} seeds"
