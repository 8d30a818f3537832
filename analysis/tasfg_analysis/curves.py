"""Characteristic times over p: T*, ‖m*‖, the distance of ω* from the heuristic allocation."""

from __future__ import annotations

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import style
from .errors import NothingToDraw
from .reader import Results
from .selection import CURVE, number, without_p

FACE = (
    r"Bands, rings: $\omega^{\star}$ is not unique there. Drawn is the centre of the optimal set; another solver may return "
    r"another point ($T^{\star}$ is the same)."
)


@dataclass
class Curve:
    """Cases that differ in p alone, sorted by p."""

    fixed: dict[str, float]  # K, q, r
    data: pd.DataFrame

    @property
    def on_face(self) -> np.ndarray:
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
    if len(cases):
        for _, group in cases.groupby(without_p(cases), sort=False):
            if group.p.nunique() >= CURVE:
                row = group.iloc[0]
                fixed = {name: row[name] for name in ("K", "q", "r")}
                if (group.r == group.p).all():
                    fixed["r"] = np.nan  # it runs with p
                curves.append(Curve(fixed, group.sort_values("p")))
    if r is not None and any(np.isclose(c.fixed["r"], r) for c in curves):
        curves = [c for c in curves if np.isclose(c.fixed["r"], r)]
    return curves


def require(results: Results, family: str, r: float | None, job: str) -> list[Curve]:
    curves = curves_of(results, family, r)
    if not curves:
        raise NothingToDraw(
            f"{results.names}: no curve over p of the graph {family} (five values of p or more; jobs/{job}.toml has them)"
        )
    return curves


def has_curves(family: str, r: float | None = None):
    def applies(results: Results) -> bool:
        found = curves_of(results, family)
        return bool(found) and (r is None or any(np.isclose(c.fixed["r"], r) for c in found))

    return applies


def _labels(curves: list[Curve]) -> list[str]:
    """What tells the curves apart."""
    varying = [name for name in ("K", "q", "r") if len({number(c.fixed[name]) for c in curves}) > 1]
    varying = varying or ["K"]
    return [", ".join(f"${name}={number(c.fixed[name])}$" for name in varying) for c in curves]


def _common(curves: list[Curve]) -> str:
    """What they share, for the title."""
    fixed = [
        name
        for name in ("K", "q", "r")
        if len({number(c.fixed[name]) for c in curves}) == 1 and not np.isnan(curves[0].fixed[name])
    ]
    return "".join(f", ${name}={number(curves[0].fixed[name])}$" for name in fixed)


def mark_faces(axes: Axes, curve: Curve, values: np.ndarray, colour: str) -> bool:
    """Where ω* is not unique: a pale band under the curve, a ring where it is a single point."""
    on, p = curve.on_face, curve.data.p.to_numpy()
    if not on.any():
        return False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]])))
    for begin, end in edges.reshape(-1, 2):
        if end - begin == 1:
            axes.plot(p[begin], values[begin], "o", mfc="white", mec=colour, ms=5, mew=1.0, zorder=4)
        else:
            axes.plot(p[begin:end], values[begin:end], color=colour, alpha=0.28, lw=5, solid_capstyle="round", zorder=1)
    return True


def _draw(axes: Axes, curves: list[Curve], column: str, faces: bool) -> bool:
    """Draws a column of all curves. T* of several curves may coincide: the first are wider, so that none is hidden."""
    marked = False
    widths = style.WIDTHS if column == "T_star" else [1.2] * len(style.CURVES)
    for curve, label, colour, dash, width in zip(curves, _labels(curves), style.CURVES, style.DASHES, widths):
        values = curve.data[column].to_numpy()
        line = np.where(curve.single_faces, np.nan, values) if faces else values
        keep = ~np.isnan(line)
        axes.plot(curve.data.p[keep], line[keep], color=colour, linestyle=dash, lw=width, label=label)
        if faces:
            marked |= mark_faces(axes, curve, values, colour)
    axes.set_xlabel("$p$")
    axes.set_xlim(0, 1)
    return marked


def twin(results: Results, family: str, r: float | None, job: str) -> Figure:
    """T* on a log axis (solid) and ‖m*‖ on a twin axis (dashed): the figure of the main text."""
    curves = require(results, family, r, job)
    figure, left = plt.subplots(figsize=(style.COLUMN, 2.55))
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    marked = False
    for curve, colour, width in zip(curves, style.CURVES, style.WIDTHS):
        left.plot(curve.data.p, curve.data.T_star, color=colour, lw=width)
        right.plot(curve.data.p, curve.data.m_norm, color=colour, linestyle=(0, (4, 1.5)))
        marked |= mark_faces(right, curve, curve.data.m_norm.to_numpy(), colour)
    left.set(xlabel="$p$", ylabel=f"characteristic time {style.T_STAR} (solid)", yscale="log", xlim=(0, 1))
    right.set_ylabel(r"rate of observation $\Vert G^{\top}\omega^{\star}\Vert_2$ (dashed)")
    style.plain_log(left.yaxis)
    style.legend(
        figure,
        [Line2D([], [], color=colour, label=label) for colour, label in zip(style.CURVES, _labels(curves))],
        style.graph_name(family) + _common(curves),
    )
    if marked:
        style.note(figure, FACE)
    return figure


def panels(results: Results, family: str, r: float | None, job: str) -> Figure:
    """T* on the left (log axis), ‖m*‖ on the right: the figures of the appendix."""
    curves = require(results, family, r, job)
    figure, (left, right) = plt.subplots(1, 2, figsize=(style.PAGE, 2.5))
    _draw(left, curves, "T_star", faces=False)
    marked = _draw(right, curves, "m_norm", faces=True)
    left.set(ylabel=f"characteristic time {style.T_STAR}", yscale="log")
    style.plain_log(left.yaxis)
    right.set(ylabel=r"rate of observation $\Vert G^{\top}\omega^{\star}\Vert_2$", ylim=(0, None))
    style.legend(figure, left.get_legend_handles_labels()[0], style.graph_name(family) + _common(curves))
    if marked:
        style.note(figure, FACE)
    return figure


def total_variation(results: Results, family: str, r: float | None, job: str) -> Figure:
    """Total variation between ω* and the heuristic allocation, over p."""
    curves = require(results, family, r, job)
    figure, axes = plt.subplots(figsize=(style.COLUMN, 2.5))
    marked = _draw(axes, curves, "tv_heuristic", faces=True)
    axes.set(ylabel=r"$\frac{1}{2}\,\Vert\omega^{\star}-\omega_{\mathrm{heur}}\Vert_1$", ylim=(0, None))
    axes.set_ylim(0, max(0.05, axes.get_ylim()[1]))
    style.legend(figure, axes.get_legend_handles_labels()[0], style.graph_name(family) + _common(curves))
    if marked:
        style.note(figure, FACE)
    return figure
