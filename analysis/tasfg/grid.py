"""Where the panels of a grid stand: closed form, from one look at the texts around each panel.

Matplotlib's constrained layout does so for any arrangement. It looks at everything in a panel twice, at names of ticks six
times, which is a quarter of the time of a drawing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.layout_engine import LayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import BboxBase, ScaledTranslation

PAD = 0.042  # around a panel and its texts, inches
LEFT, RIGHT, BOTTOM, TOP = range(4)  # the sides of a panel
SIDES = {"left": LEFT, "right": RIGHT, "bottom": BOTTOM, "top": TOP}


class Grid(LayoutEngine):
    """Panels of one grid, inner widths and heights as its ratios say. A column (row) leaves as much room at each side as the
    widest labels there need; `above` and `below` are texts over the whole width that all panels stay clear of."""

    _adjust_compatible = False
    _colorbar_gridspec = False

    def __init__(self) -> None:
        super().__init__()
        self.above: Text | None = None
        self.below: Text | None = None

    def set(self) -> None:
        """There is nothing to set."""

    def execute(self, fig: Figure) -> None:
        """Matplotlib calls it before it draws the figure."""
        panels = [axes for axes in fig.axes if axes.get_visible() and _spec(axes)]
        if not panels:
            return
        grid = _spec(panels[0]).get_gridspec()
        panels = [axes for axes in panels if _spec(axes).get_gridspec() is grid]  # others, a user placed
        renderer = fig._get_renderer()
        # How far a text inside a panel reaches beyond it depends on where the panel stands: looked at again.
        for _ in range(2 if any(axes.texts for axes in panels) else 1):
            self._place(fig, panels, renderer)

    def _place(self, fig: Figure, panels: list[Axes], renderer: RendererBase) -> None:
        grid = _spec(panels[0]).get_gridspec()
        width, height = fig.get_size_inches()
        room_x, room_y = np.zeros((2, grid.ncols)), np.zeros((2, grid.nrows))
        for axes in panels:
            spec, sides = _spec(axes), _around(axes, renderer) + PAD
            for room, span, (first, last) in (
                (room_x, spec.colspan, sides[[LEFT, RIGHT]]),
                (room_y, spec.rowspan, sides[[TOP, BOTTOM]]),
            ):
                room[0, span.start] = max(room[0, span.start], first)
                room[1, span.stop - 1] = max(room[1, span.stop - 1], last)
        top, bottom = (_strip(text, renderer) for text in (self.above, self.below))
        if self.above:
            self.above.set_y(1.0 - PAD / height)
        if self.below:
            self.below.set_y(PAD / height)
        x = _edges(room_x, grid.get_width_ratios(), 0.0, width)
        y = _edges(room_y, grid.get_height_ratios(), top, height - bottom)
        for axes in panels:
            spec = _spec(axes)
            left, right = x[0, spec.colspan.start], x[1, spec.colspan.stop - 1]
            above, below = y[0, spec.rowspan.start], y[1, spec.rowspan.stop - 1]
            axes.set_position([left / width, 1.0 - below / height, (right - left) / width, (below - above) / height])
            axes.set_in_layout(True)  # which set_position takes back


def _spec(axes: Axes) -> Any:
    """The cells of a grid that a panel takes; None if it is in none."""
    return getattr(axes, "get_subplotspec", lambda: None)()


def _edges(room: np.ndarray, ratios: Iterable[float] | None, begin: float, end: float) -> np.ndarray:
    """First and last edge of each column (or row), in inches, where these rooms are left free before and after each."""
    shares = np.ones(room.shape[1]) if ratios is None else np.asarray(list(ratios), dtype=float)
    inner = max(end - begin - room.sum(), 0.1 * (end - begin)) * shares / shares.sum()
    after = begin + np.cumsum(room[0] + inner + room[1])
    last = after - room[1]
    return np.array([last - inner, last])


def _strip(text: Text | None, renderer: RendererBase) -> float:
    """Inches that a text over the whole width takes."""
    return text.get_window_extent(renderer).height / text.figure.dpi + 2 * PAD if text else 0.0


def _around(axes: Axes, renderer: RendererBase) -> np.ndarray:
    """Inches that the texts of a panel take at its sides. Puts the labels of its axes beside the names of the ticks, as
    Matplotlib would do with measuring all of these twice more."""
    axes.apply_aspect()
    sides, panel, dpi = np.zeros(4), axes.bbox, axes.figure.dpi
    for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
        axis.set_label_coords(0.5, 0.5)  # else Matplotlib measures the ticks to find a place for it
        axis.label.set_visible(False)
        box = axis.get_tightbbox(renderer)
        axis.label.set_visible(True)
        beyond = np.zeros(4)
        if box:
            beyond = np.maximum(0.0, _beyond(box, panel) / dpi)
        if axis.get_label_text():
            side = SIDES[axis.get_label_position()]
            beyond[side] += axis.labelpad / 72.0
            _place_label(axis, side, beyond[side])
            box = axis.label.get_window_extent(renderer)
            beyond[side] += (box.height if side >= BOTTOM else box.width) / dpi
        sides = np.maximum(sides, beyond)
    for text in axes.texts:
        sides = np.maximum(sides, _beyond(text.get_window_extent(renderer), panel) / dpi)
    if axes.get_title():
        box = axes.title.get_window_extent(renderer)
        raised = (axes.title.get_position()[1] - 1.0) * panel.height
        title = (box.y1 - raised - panel.y1) / dpi
        factor = axes.axison and axes.yaxis.get_offset_text().get_text()  # 1e6, and the title above it
        sides[TOP] = sides[TOP] + title if factor else max(sides[TOP], title)
    return sides


def _beyond(box: BboxBase, panel: BboxBase) -> np.ndarray:
    """How far a box reaches beyond the sides of a panel; negative where it does not."""
    return np.array([panel.x0 - box.x0, box.x1 - panel.x1, panel.y0 - box.y0, box.y1 - panel.y1])


def _place_label(axis: Axis, side: int, away: float) -> None:
    """The label of an axis that many inches away from a side of its panel, in the middle of it."""
    axes = axis.axes
    shift = (-away if side in (LEFT, BOTTOM) else away) * np.array([side < BOTTOM, side >= BOTTOM])
    place = axes.transAxes + ScaledTranslation(*shift, axes.figure.dpi_scale_trans)
    at = 1.0 if side in (RIGHT, TOP) else 0.0
    axis.set_label_coords(*((at, 0.5) if side < BOTTOM else (0.5, at)), transform=place)
