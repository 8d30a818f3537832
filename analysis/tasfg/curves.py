"""Characteristic times over p: T*, ‖m*‖, the distance of ω* from the heuristic allocation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import layout, style
from .errors import NothingToDraw
from .names import describe, parameters, telling_apart
from .results import Results
from .selection import CURVE, without_p

MOST_LABELS = 12  # curves that a legend names

FACE = (
    "Bands, rings: ω* is not unique there. Drawn is the centre of the optimal set; another solver may return "
    "another point (T* is the same)."
)


@dataclass
class Curve:
    """Cases that differ in p alone, sorted by p."""

    fixed: dict[str, str]  # all parameters but p
    data: pd.DataFrame

    @property
    def on_face(self) -> np.ndarray:
        """Where ω* is not unique."""
        return self.data.face_dimension.to_numpy() > 0

    @property
    def single_faces(self) -> np.ndarray:
        """Points on a face whose neighbours are not: ω* jumps there, so the curve does not pass through them."""
        on = np.concatenate([[False], self.on_face, [False]])
        return on[1:-1] & ~on[:-2] & ~on[2:]


def curves_of(results: Results, family: str, r: float | None = None) -> list[Curve]:
    """The curves over p of a graph family with at least five solved points. `r`: only those, where there are any."""
    cases = results.cases_frame()
    cases = cases[(cases.graph == family) & cases.T_star.notna() & cases.p.notna()]
    curves = []
    if cases.p.nunique() >= CURVE:
        for _, group in cases.groupby(without_p(cases), sort=False):
            if group.p.nunique() >= CURVE:
                fixed = parameters(group.iloc[0])
                del fixed["p"]
                if (group.r == group.p).all():
                    del fixed["r"]  # it runs with p
                curves.append(Curve(fixed, group.sort_values("p")))
    with_r = [c for c in curves if r is not None and np.isclose(c.data.r, r).all()]
    return with_r or curves


def require(results: Results, family: str, r: float | None, job: str) -> list[Curve]:
    """The curves of a family; refuses files that have none."""
    curves = curves_of(results, family, r)
    if not curves:
        raise NothingToDraw(
            f"{results.names}: no curve over p of the graph {family} (five values of p or more; jobs/{job}.toml has them)"
        )
    return curves


def has_curves(family: str, r: float | None = None) -> Callable[[Results], bool]:
    """Whether files have curves of a family."""

    def applies(results: Results) -> bool:
        found = curves_of(results, family, r)
        return bool(found) and (r is None or np.isclose(found[0].data.r, r).all())

    return applies


def _labels(curves: list[Curve]) -> list[str]:
    """What tells the curves apart."""
    keys = telling_apart([curve.fixed for curve in curves]) or ["K"]
    return [describe(curve.fixed, keys) for curve in curves]


def _common(curves: list[Curve]) -> str:
    """What they share, for the title."""
    told = telling_apart([curve.fixed for curve in curves]) or ["K"]
    shared: list[str] = [
        key
        for key in ("K", "q", "r")
        if key not in told and len({c.fixed.get(key) for c in curves}) == 1 and key in curves[0].fixed
    ]
    return f", {describe(curves[0].fixed, shared)}" if shared else ""


def mark_faces(axes: Axes, curve: Curve, values: np.ndarray, colour: str) -> bool:
    """Where ω* is not unique: a pale band under the curve, a ring where it is a single point."""
    on, p = curve.on_face, curve.data.p.to_numpy()
    if not on.any():
        return False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]])))
    for begin, end in edges.reshape(-1, 2):
        if end - begin == 1:
            axes.plot(p[begin], values[begin], "o", mfc="white", mec=colour, ms=5, mew=1.0, zorder=4, clip_on=False)
        else:
            axes.plot(p[begin:end], values[begin:end], color=colour, alpha=0.28, lw=5, solid_capstyle="round", zorder=1)
    return True


def is_log_grid(values) -> bool:
    """Whether values lie evenly on a log axis rather than on a linear one: their middle is nearer to the geometric mean."""
    values = np.unique(np.asarray(values, dtype=float))
    if len(values) < 3 or values[0] <= 0 or values[-1] / values[0] < 10:
        return False
    middle = np.median(values)
    return abs(np.log(middle / np.sqrt(values[0] * values[-1]))) < abs(np.log(middle / values.mean()))


def _p_axis(axes: Axes, curves: list[Curve]) -> None:
    p = np.concatenate([curve.data.p for curve in curves])
    axes.set_xlabel("p")
    if is_log_grid(p):
        axes.set(xscale="log", xlim=(p.min(), p.max()))
        layout.log_axis(axes.xaxis)
    else:
        low, high = p.min(), p.max()
        axes.set_xlim(0 if low < 0.1 * high else low, 1 if 0.9 <= high <= 1 else high)


def _handles(curves: list[Curve]) -> tuple[list[Line2D], str]:
    """Legend entries, and what to say where they do not name all curves."""
    lines, labels = style.many(len(curves)), _labels(curves)
    step = -(-len(curves) // MOST_LABELS)
    entries = [
        Line2D([], [], color=colour, linestyle=dash, lw=width, label=label)
        for (colour, dash, width), label in list(zip(lines, labels))[::step]
    ]
    return entries, f"{len(curves)} curves; the legend names every {ordinal(step)}." if step > 1 else ""


def ordinal(n: int) -> str:
    """2 → "second"."""
    return {2: "second", 3: "third"}.get(n, f"{n}th")


def _draw(axes: Axes, curves: list[Curve], column: str, faces: bool) -> bool:
    """Draws a column of all curves. T* of several curves may coincide: the first are wider, so that none is hidden."""
    marked = False
    for curve, label, (colour, dash, width) in zip(curves, _labels(curves), style.many(len(curves))):
        values = curve.data[column].to_numpy()
        line = np.where(curve.single_faces, np.nan, values) if faces else values
        keep = ~np.isnan(line)
        width = width if column == "T_star" else min(width, 1.2)
        axes.plot(curve.data.p[keep], line[keep], color=colour, linestyle=dash, lw=width, label=label)
        if faces:
            marked |= mark_faces(axes, curve, values, colour)
    _p_axis(axes, curves)
    return marked


def _finish(figure: Figure, family: str, curves: list[Curve], marked: bool) -> Figure:
    entries, remark = _handles(curves)
    layout.legend(figure, entries, style.graph_name(family) + _common(curves))
    layout.note(figure, FACE if marked else "", remark)
    return figure


def _log_y(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.set_ylim(*axes.get_ylim())
    layout.log_axis(axes.yaxis)


def twin(results: Results, family: str, r: float | None, job: str) -> Figure:
    """T* on a log axis (solid) and ‖m*‖ on a twin axis (dashed)."""
    curves = require(results, family, r, job)
    if len(curves) > len(style.CURVES):  # two axes in one panel would be past reading
        return panels(results, family, r, job)
    figure, left = plt.subplots(figsize=(style.COLUMN, 2.55))
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    marked = False
    for curve, (colour, _, width) in zip(curves, style.many(len(curves))):
        left.plot(curve.data.p, curve.data.T_star, color=colour, lw=width)
        right.plot(curve.data.p, curve.data.m_norm, color=colour, linestyle=(0, (4, 1.5)))
        marked |= mark_faces(right, curve, curve.data.m_norm.to_numpy(), colour)
    left.set_ylabel(f"characteristic time {style.T_STAR} (solid)")
    _log_y(left)
    _p_axis(left, curves)
    right.set_ylabel(f"{style.RATE} (dashed)")
    entries = [
        Line2D([], [], color=colour, label=label)
        for (colour, _, _), label in zip(style.many(len(curves)), _labels(curves))
    ]
    layout.legend(figure, entries, style.graph_name(family) + _common(curves))
    layout.note(figure, FACE if marked else "")
    return figure


def panels(results: Results, family: str, r: float | None, job: str) -> Figure:
    """T* on the left (log axis), ‖m*‖ on the right."""
    curves = require(results, family, r, job)
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.PAGE, 2.5))
    _draw(left, curves, "T_star", faces=False)
    marked = _draw(right, curves, "m_norm", faces=True)
    left.set_ylabel(f"characteristic time {style.T_STAR}")
    _log_y(left)
    right.set(ylabel=style.RATE, ylim=(0, None))
    return _finish(figure, family, curves, marked)


def total_variation(results: Results, family: str, r: float | None, job: str) -> Figure:
    """Total variation between ω* and the heuristic allocation, over p."""
    curves = require(results, family, r, job)
    figure, axes = plt.subplots(figsize=(style.COLUMN, 2.5))
    marked = _draw(axes, curves, "tv_heuristic", faces=True)
    axes.set(ylabel=style.DISTANCE, ylim=(0, None))
    axes.set_ylim(0, max(0.05, axes.get_ylim()[1]))
    return _finish(figure, family, curves, marked)


def other_families(results: Results, named: Iterable[str]) -> list[str]:
    """The graph families with curves that have no figure of their own."""
    families = style.graphs_in_order(set(results.cases.graph.values) - set(named))
    return [family for family in families if curves_of(results, family)]


def others(results: Results, named: Iterable[str] = ()) -> Figure:
    """T* over p, a panel per graph family."""
    families = other_families(results, named)
    if not families:
        raise NothingToDraw(f"{results.names}: no curve over p of another graph (five values of p or more)")
    figure, places = layout.panels(len(families), 2, 2.4)
    for axes, family in zip(places, families):
        curves = curves_of(results, family)
        _draw(axes, curves, "T_star", faces=False)
        _log_y(axes)
        layout.title(axes, style.graph_name(family) + _common(curves))
        entries, remark = _handles(curves)
        if len(curves) > 1:
            axes.legend(handles=entries, fontsize=6, title=remark or None, title_fontsize=5.5)
    layout.label_outside(places, "p", f"characteristic time {style.T_STAR}")
    return figure
