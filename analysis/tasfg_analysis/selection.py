"""Which cases a figure shows, and how it calls them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from . import style
from .errors import NothingToDraw, UserError
from .reader import Results

MOST = 6  # cases of one graph in a figure
MOST_VERTICES = 40  # on an axis
CURVE = 5  # that many values of p, the rest equal, are a curve and not single cases


def number(value: float) -> str:
    """0.25 → "1/4", 5 → "5", 0.003125 → "1/320"."""
    if np.isnan(value):
        return "–"
    fraction = Fraction(float(value)).limit_denominator(999)
    if abs(float(fraction) - value) < 1e-12 and fraction.denominator > 1 and fraction.numerator <= 9:
        return f"{fraction.numerator}/{fraction.denominator}"
    return f"{value:g}"


def without_p(cases: pd.DataFrame) -> pd.Series:
    """What is the same along a curve over p: the label without p (and without an r that equals p)."""
    labels = cases.label.astype(str).str.replace(r" p=\S+", "", regex=True)
    follows = cases.groupby("graph").apply(lambda part: (part.r == part.p).all())
    return labels.where(~cases.graph.map(follows).astype(bool), labels.str.replace(r" r=\S+", " r=p", regex=True))


def single_cases(results: Results, graph: str | None = None) -> pd.DataFrame:
    """Solved cases that are no points of a curve over p, by graph and K. `group`: what a figure calls each."""
    cases = results.cases_frame()
    cases = cases[cases.T_star.notna()]
    if len(cases):
        cases = cases[cases.groupby(without_p(cases)).p.transform("nunique").fillna(0) < CURVE]
    if graph is not None:
        cases = cases[cases.graph == graph]
    order = {name: i for i, name in enumerate(style.graphs_in_order(cases.graph.unique()))}
    cases = cases.assign(order=cases.graph.map(order)).sort_values(["order", "K", "p", "q", "r"], kind="stable")
    names = []
    for _, row in cases.iterrows():
        alike = (cases.graph == row.graph) & (cases.K == row.K)
        names.append(
            f"$K={row.K:.0f}$"
            if alike.sum() == 1
            else row.label.removeprefix(f"{row.graph} ").replace(" parity=", " ").replace(" ", "\n")
        )
    return cases.assign(group=names).drop(columns="order")


def few_vertices(cases: pd.DataFrame) -> pd.DataFrame:
    """Cases whose vertices can be told apart on an axis."""
    return cases[cases.K <= MOST_VERTICES]


def shown(cases: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """At most MOST cases of each graph, and what to say about the others."""
    first = cases.groupby("graph", sort=False).head(MOST)
    if len(first) == len(cases):
        return first, ""
    return first, f"The first {MOST} cases of each graph; {len(cases)} in all (choose with --cases)."


def runs_of(results: Results, what: str, graph: str | None = None) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Single cases, their runs' rows, and a note; refuses files that have none."""
    results.require_runs(what)
    cases, note = shown(single_cases(results, graph))
    runs = results.runs_frame()
    runs = runs[runs.label.isin(cases.label)]
    cases = cases[cases.label.isin(runs.label[runs.tau.notna()].unique())]
    if not len(cases):
        of = f" of the graph {graph}" if graph else ""
        raise NothingToDraw(
            f"{results.names}: no runs{of} that stopped ({what} needs them; `tasfg_analysis list` names a job)"
        )
    return cases, runs, note


def confidence(runs: pd.DataFrame, wanted: float | None = None) -> float:
    """The ln(1/δ) that a figure of one δ shows: the one asked for; else 7, the paper's; else the largest."""
    there = np.sort(runs.log_inv_delta.unique())
    target = 7.0 if wanted is None else wanted
    near = there[np.isclose(there, target, rtol=1e-9)]
    if len(near):
        return float(near[0])
    if wanted is not None:
        raise UserError(f"--log-inv-delta {wanted:g} (the file has {', '.join(f'{x:g}' for x in there)})")
    return float(there[-1])


def delta_text(log_inv_delta: float) -> str:
    return rf"$\delta=e^{{-{log_inv_delta:g}}}$"


def incomplete(runs: pd.DataFrame) -> str:
    """What to say about runs that are missing in these rows: nothing, where none are."""
    missing = runs[runs.tau.isna()]
    if not len(missing):
        return ""
    parts = []
    for status, text in (
        ("capped", "capped at max_steps before stopping (left out)"),
        ("pending", "pending"),
        ("failed", "failed"),
    ):
        count = int((missing.status == status).sum())
        if count:
            parts.append(f"{count} {text}")
    return f"Of {len(runs)} runs: " + ", ".join(parts) + "."
