"""Allocations: bar charts of ω*, ω_heur and m*; T along the optimal face of the symmetric graph; pulls against ω*."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import layout, style, theory
from .errors import NothingToDraw
from .names import case_title, equation, number
from .results import Results
from .samples import dodge
from .selection import MOST_PANELS, MOST_VERTICES, few_vertices, first_of, in_order, single_cases
from .strokes import Strokes, upright

NOT_UNIQUE = "†: ω* is not unique; drawn is the centre of the optimal set (another solver may return another" " point)."


def position(results: Results, label: str) -> int:
    """Of a case in `results.cases`."""
    return int(np.flatnonzero(results.cases.label.values == label)[0])


def _title(case: pd.Series) -> str:
    return case_title(case) + " †" * bool(case.face_dimension > 0)


def _vertex_axis(axes: Axes, K: int, best: int) -> None:
    """One tick a vertex where there is room, the best in bold."""
    step = 1 if K <= 16 else 5
    ticks = [v for v in range(K) if v % step == 0 and (v == best or abs(v - best) >= step or step == 1)]
    ticks = sorted({*ticks, best})
    axes.set_xlim(-0.6, K - 0.4)
    axes.set_xticks(ticks)[ticks.index(best)].label1.set_fontweight("bold")


def _panels(cases: pd.DataFrame, height: float, share_y: bool = False) -> tuple[Figure, list[Axes]]:
    """A panel per case, as many in a row as their vertices leave room for."""
    widest = 0.65 + 0.13 * min(cases.K.max(), 16 if cases.K.max() <= 16 else 24)
    columns = max(1, min(4, int(style.PAGE / widest)))
    if len(cases) == 4 and columns == 3:
        columns = 2
    width = style.COLUMN if len(cases) == 1 and cases.K.max() <= 12 else style.PAGE
    return layout.panels(len(cases), columns, height, share_y=share_y, width=width, lines="y")


def bars(results: Results, graph: str | None = None) -> Figure:
    """Bars of ω*, ω_heur and m* per vertex, a panel per case."""
    cases, note = first_of(few_vertices(single_cases(results, graph)), MOST_PANELS)
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no single solved case{f' of the graph {graph}' if graph else ''} with at most {MOST_VERTICES} "
            "vertices (jobs/paper-main.toml and jobs/default.toml have some)"
        )
    figure, panels = _panels(cases, 1.9, share_y=graph is not None)
    series = (
        ("omega", style.OMEGA_STAR, style.BLUE, ""),
        ("omega_heuristic", style.OMEGA_HEUR, style.SKY, "////"),
        ("m", style.M_STAR, style.ORANGE, ""),
    )
    for panel, (_, case) in zip(panels, cases.iterrows()):
        at, K = position(results, case.label), int(case.K)
        for offset, (name, _, colour, hatch) in zip(dodge(3, 0.9), series):
            panel.bar(
                np.arange(K) + offset,
                results.cases[name].values[at, :K],
                width=0.28,
                color=colour,
                hatch=hatch,
                edgecolor=style.BLACK,
                linewidth=0.3,
            )
        _vertex_axis(panel, K, int(case.best))
        layout.title(panel, _title(case))
    layout.label_outside(panels, "vertex", "share, rate")
    layout.legend(
        figure,
        [
            Patch(facecolor=c, hatch=h, edgecolor=style.BLACK, linewidth=0.3, label=f"{text} {what}")
            for (_, text, c, h), what in zip(series, ("optimal", "heuristic", "rates"))
        ],
    )
    layout.note(
        figure,
        "Vertices count from 0; bold: the best.",
        NOT_UNIQUE if (cases.face_dimension > 0).any() else "",
        note,
    )
    return figure


def symmetric(results: Results) -> Figure:
    """T(ω(x)) on the symmetric graph, ω(x) = (x, 0, 1−x): flat where p′ = p, so every x is optimal; not elsewhere."""
    cases = results.cases_frame()
    cases = cases[
        (cases.graph == "symmetric") & cases.T_star.notna() & np.isclose(cases.p, 0.5) & np.isclose(cases.q, 1.0)
    ]
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no solved symmetric graph with p = 1/2, q = 1 (jobs/fig-symmetric-faces.toml has several)"
        )
    figure, axes = plt.subplots(figsize=(style.COLUMN, 2.6))
    x = np.linspace(0.0, 1.0, 201)
    lines = style.many(len(cases))
    for (_, case), (colour, dash, _) in zip(cases.sort_values("r").iterrows(), lines):
        at = position(results, case.label)
        data, G = results.cases.isel(case=at), results.graph(at)
        times = [
            theory.characteristic_time([s, 0.0, 1.0 - s], G, data.means.values[:3], float(case.variance)) for s in x
        ]
        face = " †" if case.face_dimension > 0 else ""
        axes.plot(x, times, color=colour, linestyle=dash, label=f"{equation('p′', number(case.r))}{face}")
        axes.plot(float(data.omega.values[0]), case.T_star, "o", mfc="white", mec=colour, ms=4)
    axes.set(xlabel="x, with ω(x) = (x, 0, 1 − x)", ylabel="T(ω(x))", xlim=(0, 1), yscale="log")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    layout.log_axis(axes.yaxis)
    layout.legend(
        figure, axes.get_legend_handles_labels()[0], f"Symmetric graph, {equation('p', '1/2')}, {equation('q', '1')}"
    )
    layout.note(
        figure,
        "Rings: T* at the ω* of the file.",
        "†: every x is optimal, a solver may return any of them.",
    )
    return figure


def pulls(results: Results) -> Figure:
    """Share of draws per vertex when the smallest δ stops (mean over seeds, quartiles), against ω*."""
    results.require_times("pulls")
    shares: dict[str, dict[str, list[np.ndarray]]] = {}  # by case and algorithm: of a file, (seed, vertex)
    for file in results.files:
        if np.prod(file.shape):
            found = file.pull_shares().values
            for c in np.flatnonzero(~np.isnan(found).all(axis=(1, 2, 3))):
                of_case = shares.setdefault(str(file.labels[c]), {})
                for name, part in zip(file.algorithms, found[c]):
                    of_case.setdefault(str(name), []).append(part)
    cases = results.cases_frame()
    cases = few_vertices(cases[cases.label.isin(shares) & cases.T_star.notna()])
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no settled runs of a case with at most {MOST_VERTICES} vertices (pulls needs them)"
        )
    cases, note = first_of(in_order(cases), MOST_PANELS)
    algorithms = style.in_order({name for of_case in shares.values() for name in of_case})
    figure, panels = _panels(cases, 1.75)
    offsets = dodge(len(algorithms), 0.75)
    for panel, (_, case) in zip(panels, cases.iterrows()):
        K = int(case.K)
        omega = results.cases.omega.values[position(results, case.label), :K]
        outlines = [[(v - 0.46, 0), (v - 0.46, y), (v + 0.46, y), (v + 0.46, 0)] for v, y in enumerate(omega)]
        panel.add_collection(Strokes(outlines, facecolors="#E3E3E3", colors="#888888", linewidths=0.4, zorder=1))
        for offset, name in zip(offsets, algorithms):
            values = np.concatenate([part[:, :K] for part in shares[case.label].get(name, [np.empty((0, K))])])
            values = values[~np.isnan(values).any(axis=1)]
            if len(values):
                low, high = np.percentile(values, [25, 75], axis=0)
                colour = style.algorithm_colour(name)
                upright(panel, np.arange(K) + offset, low, high, colors=colour, linewidths=1.0)
                panel.plot(
                    np.arange(K) + offset,
                    values.mean(axis=0),
                    style.algorithm_marker(name),
                    color=colour,
                    ms=2.6,
                    mew=0.4 if style.algorithm_marker(name) in "1234" else 0,
                    clip_on=False,
                )
        _vertex_axis(panel, K, int(case.best))
        panel.set_ylim(0, None)
        layout.title(panel, _title(case))
    layout.label_outside(panels, "vertex", "share of draws")
    layout.legend(
        figure,
        [
            Patch(facecolor="#E3E3E3", edgecolor="#888888", linewidth=0.4, label=style.OMEGA_STAR),
            *style.handles(algorithms),
        ],
    )
    layout.note(
        figure,
        "Draws of a trajectory up to its smallest δ (or its cap): mean over seeds, quartiles. Vertices count from 0; "
        "bold: the best.",
        NOT_UNIQUE if (cases.face_dimension > 0).any() else "",
        note,
    )
    return figure
