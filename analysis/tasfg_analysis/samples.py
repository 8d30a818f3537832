"""Sample complexity: box plots of τ, normalised at one δ, and over δ."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import style, theory
from .reader import Results
from .selection import confidence, delta_text, incomplete, runs_of

SLOW = "ucb-fg-v"  # orders of magnitude above the others: the main figure leaves it out, as the paper does


def box(values: np.ndarray) -> dict:
    """What Matplotlib's bxp wants: quartiles, whiskers at the last run within 1.5 IQR, mean; no fliers."""
    values = np.asarray(values, dtype=float)
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    return {
        "q1": q1,
        "med": median,
        "q3": q3,
        "whislo": min(inside.min(), q1),
        "whishi": max(inside.max(), q3),
        "mean": values.mean(),
        "fliers": [],
    }


def draw_boxes(axes: Axes, statistics: list[dict], positions, colour: str, width: float, marks: float = 4.0) -> None:
    line = {"linewidth": 0.6, "color": "#222222"}
    axes.bxp(
        statistics,
        positions=positions,
        widths=width,
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        boxprops={"facecolor": colour, "edgecolor": "#222222", "linewidth": 0.5},
        whiskerprops=line,
        capprops={"linewidth": 0},
        medianprops={"linewidth": 1.0, "color": "#000000"},
        manage_ticks=False,
        meanprops={"marker": "+", "markeredgecolor": "#000000", "markersize": marks, "markeredgewidth": 0.7},
    )


def dodge(count: int, span: float = 0.84) -> np.ndarray:
    """Positions of `count` boxes side by side around 0."""
    return (np.arange(count) - (count - 1) / 2) * span / max(count, 1)


def boxes_of(algorithms: list[str]) -> list[Patch]:
    """Legend entries."""
    return [
        Patch(facecolor=style.algorithm_colour(a), edgecolor="#222222", linewidth=0.5, label=style.algorithm_name(a))
        for a in algorithms
    ]


BOUND = Line2D([], [], color="#000000", linestyle=(0, (4, 2)), linewidth=0.9, label="lower bound")
MEAN = Line2D([], [], color="#000000", marker="+", linestyle="none", markersize=5, markeredgewidth=0.7, label="mean")


def boxes(results: Results, log_inv_delta: float | None = None, slow: bool = False) -> Figure:
    """Normalised sample complexity at one δ: a panel per graph, a group per K, a box per algorithm.

    `slow`: with UCB-FG-V, and on a log axis. Else on a linear axis, with an inset near the lower bound."""
    cases, runs, note = runs_of(results, "boxes-all" if slow else "boxes")
    at = confidence(runs, log_inv_delta)
    runs = runs[runs.log_inv_delta == at]
    algorithms = style.in_order(runs.algorithm[runs.tau.notna()].unique())
    if not slow and len(algorithms) > 1:
        algorithms = [a for a in algorithms if a != SLOW]
    runs = runs[runs.algorithm.isin(algorithms)]
    graphs = list(dict.fromkeys(cases.graph))
    columns = 1 if len(graphs) == 1 else 2
    rows = -(-len(graphs) // columns)
    figure, panels = plt.subplots(
        rows, columns, squeeze=False, figsize=(style.COLUMN if columns == 1 else style.PAGE, 0.4 + 2.3 * rows)
    )
    for panel in panels.flat[len(graphs) :]:
        panel.set_visible(False)
    for panel, graph in zip(panels.flat, graphs):
        here = cases[cases.graph == graph]
        groups = _statistics(here, runs, algorithms)
        _draw_groups(panel, groups, algorithms, 4.5)
        panel.axhline(1.0, color="#000000", linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
        panel.set_title(style.graph_name(graph))
        panel.set_xticks(range(len(here)), here.group)
        panel.set_xlim(-0.5, len(here) - 0.5)
        panel.grid(False, axis="x")
        for edge in np.arange(len(here) - 1) + 0.5:
            panel.axvline(edge, color="#DDDDDD", linewidth=0.5)
        if panel in panels[:, 0]:
            panel.set_ylabel(style.NORMALISED)
        if slow:
            panel.set_yscale("log")
            style.plain_log(panel.yaxis)
        else:
            _inset(panel, groups, algorithms)
    style.legend(figure, [*boxes_of(algorithms), MEAN, BOUND])
    text = f"{delta_text(at)}, {_seeds(runs)}. Boxes: quartiles; whiskers: 1.5 IQR; outliers not drawn."
    style.note(
        figure,
        text,
        incomplete(runs),
        note,
    )
    return figure


def _seeds(runs: pd.DataFrame) -> str:
    counts = runs[runs.tau.notna()].groupby(["label", "algorithm", "log_inv_delta"], observed=True).tau.count()
    low, high = int(counts.min()), int(counts.max())
    return f"{high} seeds" if low == high else f"{low} to {high} seeds"


def _statistics(cases: pd.DataFrame, runs: pd.DataFrame, algorithms: list[str]) -> dict[tuple[int, int], dict]:
    """(group, algorithm) → box of the normalised τ."""
    values = {
        key: part.to_numpy()
        for key, part in runs[runs.tau.notna()].groupby(["label", "algorithm"], observed=True).normalised
    }
    return {
        (g, a): box(values[label, name])
        for g, label in enumerate(cases.label)
        for a, name in enumerate(algorithms)
        if (label, name) in values
    }


def _draw_groups(axes: Axes, groups: dict, algorithms: list[str], marks: float) -> None:
    offsets = dodge(len(algorithms))
    for a, name in enumerate(algorithms):
        there = [(g, s) for (g, b), s in groups.items() if b == a]
        if there:
            draw_boxes(
                axes,
                [s for _, s in there],
                [g + offsets[a] for g, _ in there],
                style.algorithm_colour(name),
                0.72 / len(algorithms),
                marks,
            )


def _inset(panel: Axes, groups: dict, algorithms: list[str]) -> None:
    """The part near the lower bound, enlarged, in a strip above the boxes; only where they leave it small."""
    top = max(s["whishi"] for s in groups.values())
    best = min(
        range(len(algorithms)),
        key=lambda a: np.median([s["med"] for (_, b), s in groups.items() if b == a] or [np.inf]),
    )
    near = 1.15 * max(s["whishi"] for (_, a), s in groups.items() if a == best)
    if near > 0.5 * top:
        panel.set_ylim(0, 1.05 * top)
        return
    panel.set_ylim(0, 2.05 * top)
    step = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e9) if top / s <= 6)
    panel.set_yticks(np.arange(0, 1.05 * top, step))
    inset = panel.inset_axes([0.075, 0.56, 0.925, 0.44])
    _draw_groups(inset, groups, algorithms, 3.5)
    inset.axhline(1.0, color="#000000", linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
    inset.set(xlim=panel.get_xlim(), ylim=(0, near), xticks=[])
    inset.grid(False, axis="x")
    inset.tick_params(labelsize=6, length=2, pad=1.5)
    for edge in ("top", "right"):
        inset.spines[edge].set_visible(True)
    for spine in inset.spines.values():
        spine.set(color="#999999", linewidth=0.5)
    panel.text(
        1.0,
        0.55,
        "above: enlarged near the lower bound",
        transform=panel.transAxes,
        ha="right",
        va="top",
        fontsize=5.8,
        color="#333333",
    )


def over_delta(results: Results, graph: str | None = None) -> Figure:
    """τ over ln(1/δ) on a log axis: a row per graph, a panel per K, box plots, and the lower bound T*·kl(δ, 1−δ)."""
    cases, runs, note = runs_of(results, "tau" if graph is None else f"tau-{graph}", graph)
    algorithms = style.in_order(runs.algorithm[runs.tau.notna()].unique())
    graphs = list(dict.fromkeys(cases.graph))
    columns = int(cases.groupby("graph").size().max())
    alone = columns == 1 and len(graphs) > 1  # one case of each graph: two panels a row
    rows, columns = (-(-len(graphs) // 2), 2) if alone else (len(graphs), columns)
    figure, panels = plt.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=True,
        sharey=False if alone else "row",
        figsize=(style.COLUMN if columns == 1 else style.PAGE, 0.5 + 2.0 * rows),
    )
    places = [panels.reshape(-1)[i : i + 1] for i in range(len(graphs))] if alone else list(panels)
    for panel in panels.reshape(-1)[len(graphs) :] if alone else ():
        panel.set_visible(False)
    logs = np.sort(runs.log_inv_delta.unique())
    values = {
        key: part.to_numpy()
        for key, part in runs[runs.tau.notna()].groupby(["label", "algorithm", "log_inv_delta"], observed=True).tau
    }
    offsets = dodge(len(algorithms))
    for row, family in zip(places, graphs):
        here = cases[cases.graph == family]
        for panel in row[len(here) :]:
            panel.set_visible(False)
        for panel, (_, case) in zip(row, here.iterrows()):
            for a, name in enumerate(algorithms):
                there = [i for i, x in enumerate(logs) if (case.label, name, x) in values]
                if there:
                    draw_boxes(
                        panel,
                        [box(values[case.label, name, logs[i]]) for i in there],
                        [i + offsets[a] for i in there],
                        style.algorithm_colour(name),
                        0.72 / len(algorithms),
                        2.2,
                    )
            bound = theory.lower_bound(case.T_star, logs)
            for i, value in enumerate(bound):
                panel.plot([i - 0.46, i + 0.46], [value, value], color="#000000", linestyle=(0, (2, 1)), linewidth=0.9)
            panel.set_yscale("log")
            panel.set_xticks(range(len(logs)), [f"{x:g}" for x in logs])
            panel.set_xlim(-0.5, len(logs) - 0.5)
            panel.grid(False, axis="x")
            panel.set_title(f"{style.graph_name(family)}, " + case.group.replace("\n", " "))
        row[0].set_ylabel(r"$\tau$ (draws)")
        style.plain_log(row[0].yaxis)
    for panel in panels[-1]:
        panel.set_xlabel(style.LOG_INV_DELTA)
    style.legend(figure, [*boxes_of(algorithms), MEAN, BOUND])
    text = f"{_seeds(runs)}. Boxes: quartiles; whiskers: 1.5 IQR; outliers not drawn."
    style.note(
        figure,
        text,
        incomplete(runs),
        note,
    )
    return figure
