"""Where things stand in a figure: panels, titles, legends and notes that do not overlap, whatever the study's names are.

Widths of texts are measured, so that lines are broken and legends get their columns before anything is drawn."""

from __future__ import annotations

import functools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from . import style
from .grid import Grid
from .names import power
from .strokes import Strokes

TITLE, NOTE, TICK, LEGEND = 8.5, 6.3, 7.0, 7.0  # sizes of texts, points
SMALLEST = 5.8


@functools.lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Width of the longest line of a text, inches."""
    font = FontProperties(family=style.RC["font.family"], size=size)
    widths = []
    for line in text.split("\n"):
        widths.append(text_to_path.get_text_width_height_descent(line, font, False)[0] if line.strip() else 0.0)
    return max(widths) / 72.0


def wrapped(text: str, width: float, size: float) -> str:
    """The text in lines of at most that width (inches), broken between words; a word that is too long is cut."""
    lines = []
    gap = text_width("i i", size) - text_width("ii", size)
    for paragraph in text.split("\n"):
        now, long = "", 0.0
        for word in paragraph.split(" "):
            own = text_width(word, size)
            if own > width:
                while len(word) > 4 and text_width(word + "…", size) > width:
                    word = word[:-1]
                word += "…"
                own = text_width(word, size)
            if now and long + gap + own > width:
                lines.append(now)
                now, long = word, own
            else:
                now, long = (f"{now} {word}", long + gap + own) if now else (word, own)
        lines.append(now)
    return "\n".join(lines)


def panels(
    count: int,
    columns: int,
    height: float,
    share_x: bool = False,
    share_y: bool | str = False,
    width: float | None = None,
    lines: str = "both",
) -> tuple[Figure, list[Axes]]:
    """A figure with that many panels, row by row, each `height` inches high (titles and labels included).

    One panel takes a column of a page, more take its width. Places that are left over are removed, and the lowest panel of each
    column keeps its tick labels. `lines`: of a grid, along "x", "y" or both."""
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    width = width or (style.COLUMN if columns == 1 else style.PAGE)
    with plt.rc_context({"axes.grid.axis": lines}):  # to take them away again takes ten times as long
        figure, grid = plt.subplots(
            rows,
            columns,
            squeeze=False,
            sharex=share_x,
            sharey=share_y,
            figsize=(width, 0.55 + height * rows),
            layout=Grid(),
        )
    places = list(grid.flat)
    for axis in (axis for place in places[:count] for axis in (place.xaxis, place.yaxis)):
        axis.remove_overlapping_locs = False  # there are no minor ticks that could stand on others
    for place in places[count:]:
        place.remove()
    if share_x:
        for place in places[:count][-columns:]:
            place.xaxis.set_tick_params(labelbottom=True)
    return figure, places[:count]


def spread(widths: list[float], height: float) -> tuple[Figure, list[Axes]]:
    """Panels of unlike width: each takes half a row, or a whole one where it needs more than `widths` (inches) allow. Their
    grids have lines at the values of y alone."""
    half = style.PAGE / 2
    if len(widths) == 1:
        size = style.COLUMN if widths[0] <= style.COLUMN else style.PAGE
        with plt.rc_context({"axes.grid.axis": "y"}):
            figure, axes = plt.subplots(figsize=(size, 0.55 + height), layout=Grid())
        return figure, [axes]
    places, row, column = [], 0, 0
    for width in widths:
        if column == 1 and width > half:
            row, column = row + 1, 0
        places.append((row, column, width > half))
        row, column = (row, 1) if column == 0 and width <= half else (row + 1, 0)
    rows = places[-1][0] + 1
    figure = plt.figure(figsize=(style.PAGE, 0.55 + height * rows), layout=Grid())
    grid = figure.add_gridspec(rows, 2)
    with plt.rc_context({"axes.grid.axis": "y"}):
        return figure, [figure.add_subplot(grid[r, :] if whole else grid[r, c]) for r, c, whole in places]


def part(axes: Axes, places, axis: str = "x") -> None:
    """Pale lines across the panel that part groups, at these places of an axis."""
    across = [[(at, 0), (at, 1)] if axis == "x" else [(0, at), (1, at)] for at in places]
    beside = axes.get_xaxis_transform() if axis == "x" else axes.get_yaxis_transform()
    lines = Strokes(across, colors=style.PALE, linewidths=0.5, zorder=0, transform=beside)
    axes.add_collection(lines, autolim=False)


def _extent(axes: Axes) -> float:
    """Inches that a panel and its labels have in the figure."""
    spec = axes.get_subplotspec()
    ratios = spec.get_gridspec().get_width_ratios()
    share = sum(ratios[spec.colspan.start : spec.colspan.stop]) / sum(ratios)
    return axes.figure.get_figwidth() * share


def title(axes: Axes, text: str) -> None:
    """Sets a title, in as many lines and as small as the panel asks for."""
    room = max(0.6, _extent(axes) - 0.52)
    size = TITLE
    while size > 6.5 and text_width(text, size) > room:
        size -= 0.5
    # Matplotlib measures all tick labels again for each title that it may move. It need not where nothing stands above.
    fixed = None if _may_have_factor(axes) else 1.0
    axes.set_title(wrapped(text, room, size), fontsize=size, linespacing=1.15, y=fixed)


def _may_have_factor(axes: Axes) -> bool:
    """Whether a factor (1e6) may stand above the y axis: of a linear one, whose numbers are large, small or nearly equal."""
    if not (axes.axison and isinstance(axes.yaxis.get_major_formatter(), ScalarFormatter)):
        return False
    low, high = sorted(axes.get_ylim())
    return not (0.0 <= low < 0.9 * high and 1e-2 <= high < 1e5)


def label_outside(places: list[Axes], x: str = "", y: str = "") -> None:
    """x below the lowest panel of each column, y beside the first of each row."""
    lowest: dict[int, Axes] = {}
    for axes in places:
        spec = axes.get_subplotspec()
        if y and spec.colspan.start == 0:
            axes.set_ylabel(y)
        for column in spec.colspan:
            lowest[column] = axes
    for axes in lowest.values() if x else ():
        axes.set_xlabel(x)


def tick_names(axes: Axes, positions, names: list[str]) -> None:
    """Names below an axis of groups. Where they do not fit side by side, smaller; then words aslant, and of numbers every
    second, and so on."""
    positions = list(positions)
    low, high = axes.get_xlim()
    slot = (_extent(axes) - 0.6) * (positions[1] - positions[0]) / (high - low) if len(positions) > 1 else 1e9
    widest = max(text_width(name, TICK) for name in names) + 0.06
    size = min(TICK, max(SMALLEST, TICK * slot / widest))
    if widest * size / TICK > slot and any(character.isalpha() for name in names for character in name):
        words = [name.replace("\n", " ") for name in names]
        axes.set_xticks(positions, words, fontsize=size, rotation=40, ha="right", rotation_mode="anchor")
        return
    step = 1
    while widest * size / TICK > slot * step and step < len(positions):
        step += 1
    axes.set_xticks(positions[::step], names[::step], fontsize=size)


def plain(value: float) -> str:
    """1500 → "1 500", 0.25 → "0.25"."""
    return f"{value:,.0f}".replace(",", "\u2009") if value >= 1000 else f"{value:g}"


def _power(value: float) -> str:
    return power("10", round(np.log10(value)))


def log_axis(axis: Axis) -> None:
    """Ticks of a log axis as plain numbers (10, 20, 50, 100); powers of ten where the axis spans many decades. As many as there
    is room for. Call it when the limits are final. Without minor ticks, which take half of the time of drawing."""
    low, high = sorted(axis.get_view_interval())
    low, high = max(low, 1e-300), max(high, 1e-290)
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    inside = (powers >= low) & (powers <= high)
    many = high / low > 3e4 or low < 1e-4 or (high >= 1e7 and inside.sum() > 1)  # 10 000 000 is hard to read
    names = _power if many else plain
    choices = [np.outer(powers, steps).ravel() for steps in _STEPS[many]]
    choices += [powers[::step] for step in range(2, len(powers))]
    if high / low < 3:
        choices = [MaxNLocator(bins).tick_values(low, high) for bins in (4, 3, 2)] + choices
    chosen = powers
    for ticks in choices:
        ticks = ticks[(ticks >= low * 0.999) & (ticks <= high * 1.001)]
        if len(ticks) and _fit(axis, (np.log(ticks / low) / np.log(high / low)).tolist(), [names(t) for t in ticks]):
            chosen = ticks
            break
    axis.set_minor_locator(NullLocator())
    axis.set_major_locator(FixedLocator(chosen))
    axis.set_major_formatter(FixedFormatter([names(t) for t in chosen]))


_STEPS = {
    False: (
        (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8),
        (1, 1.5, 2, 3, 5, 7),
        (1, 2, 5),
        (1, 3),
        (1,),
        (2,),
        (5,),
        (3,),
        (7,),
    ),
    True: ((1,),),
}


def _fit(axis: Axis, places: list[float], names: list[str]) -> bool:
    """Whether names at these places (0 to 1) of an axis stand clear of each other, and are not more than a reader wants."""
    if len(places) > 7:
        return False
    if axis.axis_name == "x":
        length, sizes = _extent(axis.axes) - 0.65, [text_width(name, TICK) for name in names]
    else:
        spec = getattr(axis.axes, "get_subplotspec", lambda: None)()  # a colour bar has none
        rows = spec.get_gridspec().nrows if spec else 1
        length, sizes = (axis.axes.figure.get_figheight() - 0.55) / rows - 0.6, [0.12] * len(names)
    gaps = np.diff(places) * length
    return all(gap > (a + b) / 2 + 0.05 for gap, a, b in zip(gaps, sizes, sizes[1:]))


def legend(figure: Figure, handles: list, title: str = "") -> None:
    """A legend above all panels, in as many rows as its width asks for, under a title if there is one.

    The layout knows titles, not legends of a figure: blank title lines keep the place."""
    labels = [handle.get_label() for handle in handles]
    columns = len(handles)
    while columns > 1:
        # As Matplotlib fills columns: the first ones have one entry more.
        widest = [max(text_width(x, LEGEND) for x in part) + 0.37 for part in np.array_split(labels, columns)]
        if sum(widest) <= figure.get_figwidth() - 0.1:
            break
        columns -= 1
    rows = -(-len(handles) // max(columns, 1))
    heading = wrapped(title, figure.get_figwidth() - 0.2, TITLE) if title else ""
    lines = heading.count("\n") + 1 if title else 0
    figure.set_figheight(figure.get_figheight() + 0.15 * (rows - 1 + lines))  # the panels keep their heights
    text = figure.suptitle(heading + "\n" * bool(title) + " " + "\n " * (rows - 1), fontsize=TITLE, linespacing=1.3)
    if isinstance(figure.get_layout_engine(), Grid):
        figure.get_layout_engine().above = text
    figure.legend(
        handles=handles,
        loc="upper center",
        ncols=columns,
        bbox_to_anchor=(0.5, 1.0),
        bbox_transform=figure.transFigure + ScaledTranslation(0, -0.02 - 0.17 * lines, figure.dpi_scale_trans),
        columnspacing=1.2,
        handlelength=1.6,
        borderaxespad=0.0,
    )


def note(figure: Figure, *texts: str) -> None:
    """Lines below the panels, for what a reader must know to read the figure right; empty ones are left out."""
    lines = wrapped("\n".join(filter(None, texts)), figure.get_figwidth() - 0.15, NOTE)
    if lines:
        figure.set_figheight(figure.get_figheight() + 0.11 * lines.count("\n"))
        # supxlabel is laid out with the panels, so nothing can overlap it
        text = figure.supxlabel(lines, fontsize=NOTE, color="#333333", x=0.01, ha="left", linespacing=1.25)
        if isinstance(figure.get_layout_engine(), Grid):
            figure.get_layout_engine().below = text
