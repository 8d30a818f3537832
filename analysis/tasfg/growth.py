"""How stopping times grow with the number of vertices."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import layout, style, theory
from .errors import NothingToDraw
from .names import delta_text, equation
from .results import Results
from .samples import BOUND, draw_means
from .selection import MOST_PANELS, confidence, incomplete, runs_of, seeds

FEWEST = 3  # values of K that make a slope
HEURISTIC_DASH = (0, (1, 1.5))


def _without_K(cases: pd.DataFrame) -> pd.Series:
    """What is the same while K grows: the label without K, and without what follows from it."""
    return cases.label.astype(str).str.replace(r" (K|rows|means)=\S+", "", regex=True)


def families(cases: pd.DataFrame) -> list[pd.DataFrame]:
    """Cases that differ in K alone, by K; those with fewer than three values of it are left out."""
    groups = [part.sort_values("K") for _, part in cases.groupby(_without_K(cases), sort=False)]
    return [part for part in groups if part.K.nunique() >= FEWEST and part.K.is_unique]


def slope(K, values) -> float:
    """Of ln(values) over ln K, by least squares."""
    return float(np.polyfit(np.log(K), np.log(values), 1)[0])


def scaling(results: Results, log_inv_delta: float | None = None) -> Figure:
    """Mean τ at one δ over K, both on log axes: a panel per graph, with T*·kl(δ, 1−δ) and the exponents of K."""
    runs = runs_of(results, "scaling", most=10**6)
    groups = families(runs.cases)
    if not groups:
        raise NothingToDraw(
            f"{results.names}: no graph has three values of K (scaling needs them, as jobs/scaling.toml)"
        )
    without = runs.without_slow()
    at = confidence(runs.rows, log_inv_delta)
    rows = runs.rows[runs.rows.log_inv_delta == at]
    samples = {
        key[:2]: sample for key, sample in runs.samples("label", "algorithm", "log_inv_delta").items() if key[2] == at
    }
    shown = groups[:MOST_PANELS]
    figure, panels = layout.panels(len(shown), 3 if len(shown) != 4 else 2, 2.6, share_x=True, share_y=True)
    for panel, cases in zip(panels, shown):
        entries = []
        for column, dash in (("T_star", style.BOUND_DASH), ("T_heuristic", HEURISTIC_DASH)):
            bound = cases[column].to_numpy(float) * theory.kl(at)
            known = np.isfinite(bound)
            if known.sum() < FEWEST:
                continue
            (line,) = panel.plot(cases.K[known], bound[known], color=style.BLACK, linestyle=dash, lw=0.9)
            entries.append((line, slope(cases.K[known], bound[known])))
        for name in runs.algorithms:
            found = [(K, samples.get((label, name))) for K, label in zip(cases.K, cases.label)]
            points = [(K, s.mean, np.nan_to_num(s.half_width)) for K, s in found if s is not None and not s.capped]
            if not points:
                continue
            K, mean, half = np.array(points).T
            bar = draw_means(panel, K, mean, [np.where(half < mean, half, 0.0), half], name)
            if len(points) >= FEWEST:
                entries.append((bar, slope(K, mean)))
        panel.set(xscale="log", yscale="log")
        layout.title(panel, style.graph_name(cases.graph.iloc[0]) + _shared(cases))
        panel.legend(
            [handle for handle, _ in entries],
            [f"{exponent:.2f}" for _, exponent in entries],
            title="slope",
            loc="upper left",
            handlelength=1.6,
            labelspacing=0.25,
        )
    for panel in panels:  # they share their limits
        layout.log_axis(panel.xaxis)
        layout.log_axis(panel.yaxis)
    layout.label_outside(panels, "K", "mean τ")
    heuristic = Line2D([], [], color=style.BLACK, linestyle=HEURISTIC_DASH, lw=0.9, label=f"{style.T_HEUR} kl")
    layout.legend(figure, [*style.handles(runs.algorithms), BOUND, heuristic])
    layout.note(
        figure,
        f"{delta_text(at)}, {seeds(samples)}; means with 95 % intervals, none where a run was capped.{without} Slopes: of "
        "ln τ over ln K, by least squares over all K.",
        f"{len(shown)} of {len(groups)} graphs (choose with --cases)." if len(shown) < len(groups) else "",
        incomplete(rows),
    )
    return figure


def _shared(cases: pd.DataFrame) -> str:
    """Parameters p that two graphs of one family may differ in."""
    p = cases.p.dropna().unique()
    return f", {equation('p', format(p[0], 'g'))}" if len(p) == 1 else ""
