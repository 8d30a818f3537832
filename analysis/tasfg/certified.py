"""Curves and maps of `tasfg curve`: T* with bounds that hold at every point."""

from __future__ import annotations

import os
from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.tri import Triangulation

from . import layout, style
from .errors import NothingToDraw
from .reader import CurveFile

CONTOURS = 9  # lines of equal T*, about


class Curves:
    """Files of `tasfg curve`."""

    def __init__(self, paths: Iterable[os.PathLike | str]) -> None:
        self.files = [CurveFile(path) for path in paths]

    @classmethod
    def of(cls, files: Iterable[CurveFile]) -> Curves:
        """Files that are open already."""
        curves = cls([])
        curves.files = list(files)
        return curves

    @property
    def names(self) -> str:
        """For messages and titles."""
        return ", ".join(file.name for file in self.files)


def _words(file: CurveFile) -> list[str]:
    """ "loopy-star, K=5, q=1; gaussian rewards" → its words."""
    return str(file.attributes["description"]).replace(";", ",").split(", ")


def _labels(files: list[CurveFile]) -> tuple[str, list[str]]:
    """What the files share, and what tells each from the others."""
    words = [_words(file) for file in files]
    shared = [word for word in words[0] if all(word in other for other in words)]
    own = [", ".join(word for word in each if word not in shared) for each in words]
    graph = words[0][0]
    title = ", ".join([style.graph_name(graph), *shared[1:]] if graph in shared else shared)
    return title, own


def curve(results: Curves) -> Figure:
    """T* over one parameter: bounds as a band (thinner than the line where the tolerance is small), regimes as rings."""
    files = results.files
    if any(len(file.axes) != 1 for file in files) or len({file.axes[0] for file in files}) > 1:
        raise NothingToDraw(f"{results.names}: not curves over one and the same parameter (`map` draws two parameters)")
    axis = files[0].axes[0]
    title, own = _labels(files)
    figure, axes = plt.subplots(figsize=(style.COLUMN, 2.55))
    entries, remarks = [], []
    for file, label, (colour, dash, width) in zip(files, own, style.many(len(files))):
        points = file.points[np.isfinite(file.points.T_star)]
        if file.sampled:
            axes.plot(points[axis], points.T_star, ".", color=colour, ms=3)
        else:
            cells = file.cells[np.isfinite(file.cells.T_high)]
            corners = [cells[f"{axis}_low"], cells.T_low, cells[f"{axis}_high"], cells.T_high]
            boxes = [[(a, low), (b, low), (b, high), (a, high)] for a, low, b, high in zip(*corners)]
            axes.add_collection(PolyCollection(boxes, facecolor=colour, edgecolor="none", alpha=0.35))
            axes.plot(points[axis], points.T_star, color=colour, linestyle=dash, lw=min(width, 1.2))
        for low, high in zip(file.regimes.get(f"{axis}_low", ()), file.regimes.get(f"{axis}_high", ())):
            middle = 0.5 * (low + high)
            value = np.interp(middle, points[axis], points.T_star)
            axes.plot([middle], [value], "o", mfc="white", mec=colour, ms=4.5, mew=1.0, zorder=4)
        for begin, end in _infinite(file, axis):
            axes.axvspan(begin, end, color=colour, alpha=0.12, lw=0)
        entries.append(Line2D([], [], color=colour, linestyle=dash, label=label))
    axes.set(xlabel=axis, ylabel=f"characteristic time {style.T_STAR}")
    axes.set_xlim(min(file.points[axis].min() for file in files), max(file.points[axis].max() for file in files))
    axes.set_yscale("log")
    axes.autoscale(axis="y")
    axes.set_ylim(*axes.get_ylim())
    layout.log_axis(axes.yaxis)
    layout.legend(figure, entries if len(files) > 1 else [], title)
    if any(len(file.regimes) for file in files):
        remarks.append("Rings: the support of ω* changes.")
    certified = [file for file in files if not file.sampled]
    if certified:
        tolerance = max(float(file.attributes["tolerance"]) for file in certified)
        remarks.append(f"Enclosed at every point within a factor of {1 + tolerance:g}.")
    remarks += sorted({f"{name} is sampled: {why}." for file in files for name, why in file.sampled.items()})
    layout.note(figure, *remarks)
    return figure


def _infinite(file: CurveFile, axis: str) -> list[tuple[float, float]]:
    """Where T* is infinite, or no bound is known."""
    cells = file.cells[~np.isfinite(file.cells.T_high)]
    return list(zip(cells.get(f"{axis}_low", ()), cells.get(f"{axis}_high", ())))


def chart(results: Curves) -> Figure:
    """T* over two parameters: every cell in the colour of its bounds' middle, lines of equal T*, boundaries of regimes."""
    if len(results.files) != 1 or len(results.files[0].axes) != 2:
        raise NothingToDraw(f"{results.names}: not one map over two parameters (`curve` draws one parameter)")
    (file,) = results.files
    x, y = file.axes
    cells, points = file.cells, file.points
    edges = {name: _edges(file, name) for name in (x, y)}
    figure, axes = plt.subplots(figsize=(style.COLUMN, 3.0))
    finite = np.isfinite(cells.T_high)
    middle = np.sqrt(cells.T_low * cells.T_high)[finite]
    norm = LogNorm(middle.min(), middle.max()) if middle.max() > 1.02 * middle.min() else None
    boxes = [
        [(a, c), (b, c), (b, d), (a, d)]
        for a, b, c, d in zip(edges[x][0][finite], edges[x][1][finite], edges[y][0][finite], edges[y][1][finite])
    ]
    shades = PolyCollection(boxes, array=middle.to_numpy(), norm=norm, cmap="viridis", edgecolor="face", lw=0.2)
    shades.set_rasterized(True)
    axes.add_collection(shades)
    axes.set_facecolor("0.85")  # where T* is infinite
    if not file.sampled:
        _lines(axes, file, points, x, y)
    elif len(file.sampled) == 1 and len(file.regimes):
        _marks(axes, file, edges, x, y)
    axes.set(
        xlim=(edges[x][0].min(), edges[x][1].max()),
        ylim=(edges[y][0].min(), edges[y][1].max()),
        xlabel=x,
        ylabel=y,
    )
    axes.grid(False)
    bar = figure.colorbar(shades, ax=axes, pad=0.02)
    bar.set_label(f"characteristic time {style.T_STAR}")
    if norm is not None:
        layout.log_axis(bar.ax.yaxis)
    title, _ = _labels([file])
    layout.legend(figure, [], title)
    remarks = [f"Each cell within a factor of {1 + float(file.attributes['tolerance']):g}."]
    if not file.sampled:
        remarks.append("Thin lines: equal T*. Thick: the support of ω* changes.")
    elif len(file.regimes):
        remarks.append("Black: the support of ω* changes.")
    if not finite.all():
        remarks.append("Grey: infinite, or no bound.")
    remarks += [f"{name} is sampled: {why}." for name, why in file.sampled.items()]
    layout.note(figure, *remarks)
    return figure


def _edges(file: CurveFile, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the cells; those of a sampled parameter reach half-way to its neighbours."""
    low, high = (file.cells[f"{name}_{end}"].to_numpy() for end in ("low", "high"))
    if name not in file.sampled:
        return low, high
    values = np.unique(low)
    if len(values) == 1:
        return low - 0.5, high + 0.5
    borders = 0.5 * (values[1:] + values[:-1])
    borders = np.concatenate([[2 * values[0] - borders[0]], borders, [2 * values[-1] - borders[-1]]])
    place = np.searchsorted(values, low)
    return borders[place], borders[place + 1]


def _marks(axes, file: CurveFile, edges: dict, x: str, y: str) -> None:
    """Changes of regimes along the certified parameter, at each value of the sampled one."""
    sampled = next(iter(file.sampled))
    certified = y if sampled == x else x
    place = {value: i for i, value in enumerate(file.cells[f"{sampled}_low"])}
    for _, change in file.regimes.iterrows():
        middle = 0.5 * (change[f"{certified}_low"] + change[f"{certified}_high"])
        ends = [edges[sampled][side][place[change[sampled]]] for side in (0, 1)]
        axes.plot(*((middle, middle), ends) if certified == x else (ends, (middle, middle)), color="black", lw=1.1)


def _lines(axes, file: CurveFile, points, x: str, y: str) -> None:
    """Contours of T* and boundaries of regimes, from the corners of all cells."""
    finite = np.isfinite(points.T_star).to_numpy()
    if finite.sum() < 4:
        return
    mesh = Triangulation(points[x][finite], points[y][finite])
    # No lines across what is infinite: triangles much larger than the cells' corners call for.
    values = np.log(points.T_star[finite].to_numpy())
    if np.ptp(values) > 0.02:
        axes.tricontour(mesh, values, levels=CONTOURS, colors="white", linewidths=0.5, alpha=0.8)
    supports = file.support[finite]
    for vertices in np.unique(supports.T, axis=0):  # vertices that come and go together give one line
        if 0 < vertices.mean() < 1:
            axes.tricontour(mesh, vertices.astype(float), levels=[0.5], colors="black", linewidths=1.1)
