"""Graphs as pictures: vertices, edges, and the probability of each edge."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from . import graphs, style
from .errors import NothingToDraw
from .reader import Results
from .selection import number, single_cases

LABELLED = 14  # edges that can carry their probability in the drawing; above, the matrix alone shows them
RADIUS = 0.17


def _probability(value: float) -> str:
    return f"{value:.2g}"


def _places(family: str, K: int) -> np.ndarray:
    """Where vertices are: a star has its first in the middle, all others go clockwise from the top."""
    if family == "symmetric":
        return np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    star = family in ("loopy-star", "loopy-star-alt", "revealing-action")
    n = K - 1 if star else K
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n + (np.pi / n if star else 0.0)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.vstack([[[0.0, 0.0]], ring]) if star else ring


def _draw(axes: Axes, G: np.ndarray, places: np.ndarray, best: int) -> None:
    labelled = int((G > 0).sum()) <= LABELLED
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    centre = places.mean(axis=0)
    for v, u in np.argwhere(G > 0):
        width = 0.4 + 1.4 * G[v, u]
        if v == u:
            out = places[v] - centre
            out = out / np.linalg.norm(out) if np.linalg.norm(out) > 1e-9 else np.array([0.0, 1.0])
            if len(places) == 3 or np.linalg.norm(places[v]) < 1e-9:
                out = np.array([0.0, 1.0])
            middle = places[v] + out * (RADIUS + 0.13)
            axes.add_patch(Circle(middle, 0.15, fill=False, edgecolor="#555555", linewidth=width, zorder=1))
            if labelled:
                axes.text(
                    *(middle + out * 0.27), _probability(G[v, u]), fontsize=6.3, ha="center", va="center", bbox=box
                )
            continue
        two_way = G[u, v] > 0 or len(places) == 3
        bend = 0.22 if two_way else 0.0
        if len(places) == 3 and abs(v - u) == 2:
            bend = 0.45
        axes.add_patch(
            FancyArrowPatch(
                places[v],
                places[u],
                connectionstyle=f"arc3,rad={bend}",
                arrowstyle="-|>",
                mutation_scale=6,
                shrinkA=9,
                shrinkB=9,
                linewidth=width,
                color="#555555",
                alpha=0.9 if labelled else 0.35 + 0.55 * G[v, u],
                zorder=1,
            )
        )
        if labelled:
            along = places[u] - places[v]
            side = np.array([along[1], -along[0]])  # the side to which arc3 bends
            far = 0.5 if two_way else 0.58
            axes.text(
                *(places[v] + far * along + side * bend * 0.72),
                _probability(G[v, u]),
                fontsize=6.3,
                ha="center",
                va="center",
                bbox=box,
                zorder=3,
            )
    for v, place in enumerate(places):
        axes.add_patch(
            Circle(
                place,
                RADIUS,
                facecolor="#FFFFFF" if v != best else style.SKY,
                edgecolor="#222222",
                linewidth=0.8,
                zorder=2,
            )
        )
        axes.text(*place, str(v), fontsize=7, ha="center", va="center", zorder=4)
    axes.set(xlim=(-1.55, 1.55), ylim=(-1.5, 1.5), aspect="equal")
    axes.axis("off")


def _matrix(axes: Axes, G: np.ndarray) -> None:
    axes.imshow(G, cmap="Greys", vmin=0.0, vmax=1.6, interpolation="nearest")
    axes.grid(False)
    K = len(G)
    axes.set_xticks(range(K))
    axes.set_yticks(range(K))
    axes.tick_params(length=0, labelsize=6)
    if K <= 10:
        for v, u in np.argwhere(G > 0):
            axes.text(u, v, _probability(G[v, u]), ha="center", va="center", fontsize=5.8 if K <= 6 else 4.5)
    axes.set_xlabel("shown vertex", fontsize=7)


def drawings(results: Results) -> Figure:
    """The smallest case of each graph: a drawing, and below it the matrix of edge probabilities."""
    cases = results.cases_frame()
    cases = cases[cases.T_star.notna() & cases.graph.map(graphs.known)]
    single = single_cases(results)
    chosen = []
    for family in style.graphs_in_order(cases.graph.unique()):
        # A single case of the study rather than a point of a curve; the smallest.
        here = single[single.graph == family] if (single.graph == family).any() else cases[cases.graph == family]
        chosen.append(here.sort_values("K", kind="stable").iloc[(len(here) - 1) // 2 if here.K.nunique() == 1 else 0])
    chosen = [case for case in chosen if case.K <= 20]
    if not chosen:
        raise NothingToDraw(
            f"{results.names}: no graph to draw (result files do not hold the edges of random graphs and of files; others are "
            "drawn up to K = 20)"
        )
    all_cases = results.cases
    columns = len(chosen)
    figure, panels = plt.subplots(
        2, columns, squeeze=False, height_ratios=[1.15, 1.0], figsize=(max(style.COLUMN, 1.8 * columns), 4.0)
    )
    for (top, bottom), case in zip(panels.T, chosen):
        data = all_cases.isel(case=int(np.flatnonzero(all_cases.label.values == case.label)[0]))
        G = graphs.edges(data)
        _draw(top, G, _places(case.graph, len(G)), int(case.best))
        top.set_title(style.graph_name(case.graph), y=0.97)
        _matrix(bottom, G)
        parameters = ", ".join(f"${n}={number(case[n])}$" for n in ("p", "q", "r") if not np.isnan(case[n]))
        bottom.set_title(f"$K={case.K:.0f}$, {parameters}", fontsize=6.8)
    panels[1, 0].set_ylabel("chosen vertex", fontsize=7)
    style.note(
        figure,
        "Numbers: probability that choosing a vertex shows another. Blue: the best vertex. Vertices count from 0.",
    )
    return figure
