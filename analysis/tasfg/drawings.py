"""Graphs as pictures: vertices, edges, and the probability of each edge."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from . import layout, style
from .allocations import position
from .errors import NothingToDraw
from .grid import Grid
from .names import case_title
from .results import Results
from .selection import first_of, single_cases

LABELLED = 14  # edges that can carry their probability in the drawing; above, the matrix alone shows them
RADIUS = 0.17
MOST, MOST_VERTICES = 8, 20


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
    """Vertices, edges with their probabilities where there are few; an edge is as wide as it is probable."""
    labelled = int((G > 0).sum()) <= LABELLED
    line = len(places) == 3
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    centre = places.mean(axis=0)
    arcs, heads, widths, shades = [], [], [], []
    loops, loop_widths = [], []
    for v, u in np.argwhere(G > 0):
        width = 0.4 + 1.4 * G[v, u]
        if v == u:
            out = places[v] - centre
            out = out / np.linalg.norm(out) if np.linalg.norm(out) > 1e-9 and not line else np.array([0.0, 1.0])
            if np.linalg.norm(places[v]) < 1e-9:
                out = np.array([0.0, 1.0])
            middle = places[v] + out * (RADIUS + 0.13)
            loops.append(Path.circle(middle, 0.15))
            loop_widths.append(width)
            label = middle + out * 0.27
        else:
            bend = 0.45 if line and abs(v - u) == 2 else 0.22 if G[u, v] > 0 or line else 0.0
            along = places[u] - places[v]
            side = np.array([along[1], -along[0]])
            arc, head = _arrow(places[v], places[u], places[v] + along / 2 + side * bend)
            arcs.append(arc)
            heads.append(head)
            widths.append(width)
            shades.append((0.33, 0.33, 0.33, 0.9 if labelled else 0.35 + 0.55 * G[v, u]))
            label = places[v] + (0.5 if bend else 0.58) * along + side * bend * 0.5
        if labelled:
            axes.text(*label, _probability(G[v, u]), fontsize=6.3, ha="center", va="center", bbox=box, zorder=3)
    axes.add_collection(PathCollection(arcs, facecolors="none", edgecolors=shades, linewidths=widths, zorder=1))
    axes.add_collection(PolyCollection(heads, facecolors=shades, edgecolors="none", zorder=1.1))
    axes.add_collection(
        PathCollection(loops, facecolors="none", edgecolors="#555555", linewidths=loop_widths, zorder=1)
    )
    axes.add_collection(
        PathCollection(
            [Path.circle(place, RADIUS) for place in places],
            facecolors=["#FFFFFF" if v != best else style.SKY for v in range(len(places))],
            edgecolors=style.BLACK,
            linewidths=0.8,
            zorder=2,
        )
    )
    for v, place in enumerate(places):
        axes.text(*place, str(v), fontsize=7 if len(places) <= 12 else 5.5, ha="center", va="center", zorder=4)
    axes.set(xlim=(-1.55, 1.55), ylim=(-1.5, 1.5), aspect="equal")
    axes.axis("off")


def _arrow(start: np.ndarray, end: np.ndarray, control: np.ndarray) -> tuple[Path, np.ndarray]:
    """A bent line between the rims of two vertices, and its head."""
    first = control - start
    last = control - end
    start = start + first / np.linalg.norm(first) * (RADIUS + 0.02)
    tip = end + last / np.linalg.norm(last) * (RADIUS + 0.02)
    back = last / np.linalg.norm(last) * 0.13
    across = np.array([back[1], -back[0]]) * 0.42
    foot = tip + back * 0.8
    return Path([start, control, foot], [Path.MOVETO, Path.CURVE3, Path.CURVE3]), np.array(
        [tip, tip + back + across, tip + back - across]
    )


def _matrix(axes: Axes, G: np.ndarray, numbers: bool) -> None:
    """The matrix in shades of grey, with its numbers where they fit."""
    axes.imshow(G, cmap="Greys", vmin=0.0, vmax=1.6, interpolation="nearest")
    axes.grid(False)
    K = len(G)
    ticks = range(0, K, 1 if K <= 12 else 5)
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.tick_params(length=0, labelsize=6)
    if numbers and K <= 10:
        for v, u in np.argwhere(G > 0):
            axes.text(u, v, _probability(G[v, u]), ha="center", va="center", fontsize=5.8 if K <= 6 else 4.5)
    axes.set_xlabel("shown vertex", fontsize=7)


def drawings(results: Results) -> Figure:
    """The smallest case of each family, and every graph of a file or of chance: a drawing, and below it the matrix of edge
    probabilities."""
    cases = single_cases(results)
    cases = cases[cases.K <= MOST_VERTICES]
    each = cases.graph.isin(("file", "random"))
    cases = cases[each | ~cases.graph.duplicated()]
    cases, note = first_of(cases, MOST, "graphs")
    if not len(cases):
        raise NothingToDraw(f"{results.names}: no graph to draw (single cases are drawn up to K = {MOST_VERTICES})")
    columns = min(len(cases), 4)
    rows = -(-len(cases) // columns)
    figure, grid = plt.subplots(
        2 * rows,
        columns,
        squeeze=False,
        height_ratios=[1.15, 1.0] * rows,
        figsize=(max(style.COLUMN, style.PAGE * columns / 4), 0.3 + 3.9 * rows),
        layout=Grid(),
    )
    for place in (*grid[-2].flat, *grid[-1].flat):
        place.set_visible(place.get_subplotspec().colspan.start < len(cases) - columns * (rows - 1))
    places = [
        (grid[2 * (i // columns), i % columns], grid[2 * (i // columns) + 1, i % columns]) for i in range(len(cases))
    ]
    for (top, bottom), (_, case) in zip(places, cases.iterrows()):
        G = results.graph(position(results, case.label))
        _draw(top, G, _places(case.graph, len(G)), int(case.best))
        layout.title(top, case_title(case))
        _matrix(bottom, G, numbers=(cases.K**2).sum() <= 320)
        if bottom.get_subplotspec().colspan.start == 0:
            bottom.set_ylabel("chosen vertex", fontsize=7)
    layout.note(
        figure,
        "Probability that choosing a vertex (row) shows another (column): numbers, widths, shades. Blue: the best vertex. "
        "Vertices count from 0.",
        note,
    )
    return figure
