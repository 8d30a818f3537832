"""Sample complexity: box plots of τ, normalised at one δ, and over δ; survival functions."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import layout, style
from .estimates import Box, kaplan_meier
from .names import case_title, delta_axis, delta_text, equation, graph_title
from .results import Results
from .selection import MOST_GROUPS, confidence, incomplete, runs_of, seeds
from .strokes import Strokes, joined, level

READ = "Boxes: quartiles; whiskers: 1.5 IQR; outliers not drawn."
OPEN = "Open boxes and arrows: beyond the cap, where nothing is known; no mean where a run was capped."
MEAN = Line2D([], [], color="#000000", marker="+", linestyle="none", ms=5, mew=0.7, label="mean")
BOUND = Line2D([], [], color="#000000", linestyle=style.BOUND_DASH, lw=0.9, label="lower bound")
PRACTICAL = Line2D([], [], color="#000000", linestyle=style.PRACTICAL_DASH, lw=0.9, label="practical bound")
CAP = Line2D([], [], color=style.GREY, linestyle="-", lw=0.5, label="cap")
BEYOND = Line2D([], [], color=style.BLACK, marker="^", linestyle="none", ms=3.5, mfc="white", label="beyond the cap")


def draw_boxes(
    axes: Axes, boxes: list[tuple[float, Box, str]], width: float, marks: float = 4.0, pale: bool = False
) -> None:
    """Box plots: position, box, colour. A box whose upper quartile is beyond the cap is open; what goes on beyond the cap ends
    in an arrow. `pale`: coloured edges only.

    What looks alike is drawn together, whichever algorithm's it is."""
    faces, edges, thin, medians, means, beyond = (defaultdict(list) for _ in range(6))  # by colour
    for x, box, colour in boxes:
        left, right, cap = x - width / 2, x + width / 2, box.sample.cap
        edge, ink = (colour, "#000000") if pale else (style.BLACK, style.ink_on(colour))
        if np.isfinite(box.q1):
            top = min(box.q3, cap)
            outline = [(left, top), (left, box.q1), (right, box.q1), (right, top)]
            faces["white" if pale else colour].append(outline)
            edges[edge].append(outline if np.isinf(box.q3) else [*outline, (left, top)])
            thin[edge].append([(x, box.low), (x, box.q1)])
            if np.isfinite(box.q3):
                thin[edge].append([(x, box.q3), (x, min(box.high, cap))])
        elif np.isfinite(box.low):
            thin[edge].append([(x, box.low), (x, cap)])
        if np.isfinite(box.median):
            medians[ink].append([(left, box.median), (right, box.median)])
        if not np.isnan(box.mean):
            means[ink].append((x, box.mean))
        if np.isinf(box.high):
            beyond[colour].append((x, cap))
    shades = PathCollection(
        [joined(parts) for parts in faces.values()], facecolors=list(faces), edgecolors="none", zorder=2
    )
    lines = [
        Strokes(parts, colors=colour, linewidths=wide, zorder=order)
        for kind, wide, order in ((edges, 0.9 if pale else 0.5, 2.1), (thin, 0.6, 1.9), (medians, 1.0, 2.2))
        for colour, parts in kind.items()
    ]
    for collection in (shades, *lines):
        axes.add_collection(collection, autolim=False)  # the ends below say it
    for ink, points in means.items():
        axes.plot(*zip(*points), "+", color=ink, ms=marks, mew=0.7, zorder=2.3)
    for colour, points in beyond.items():
        axes.plot(*zip(*points), "^", mfc=colour, mec=style.BLACK, mew=0.4, ms=3.2, zorder=2.4, clip_on=False)
    if boxes:
        ends = [y for _, box, _ in boxes for y in box.ends]
        at = [x for x, _, _ in boxes]
        axes.update_datalim([(min(at) - width / 2, min(ends)), (max(at) + width / 2, max(ends))])


def draw_means(axes: Axes, x, mean, half, name: str) -> ErrorbarContainer:
    """Means of an algorithm joined by lines, with intervals of this half-width (or of these, below and above)."""
    return axes.errorbar(
        x,
        mean,
        half,
        color=style.algorithm_colour(name),
        marker=style.algorithm_marker(name),
        ms=3,
        lw=1.0,
        elinewidth=0.8,
        capsize=1.5,
        capthick=0.6,
    )


def dodge(count: int, span: float = 0.84) -> np.ndarray:
    """Positions of `count` boxes side by side around 0."""
    return (np.arange(count) - (count - 1) / 2) * span / max(count, 1)


def boxes_of(algorithms: list[str]) -> list[Patch]:
    """Legend entries."""
    return [
        Patch(facecolor=style.algorithm_colour(a), edgecolor=style.BLACK, linewidth=0.5, label=style.algorithm_name(a))
        for a in algorithms
    ]


def _range(boxes: list[Box]) -> tuple[float, float]:
    """Lowest and highest of what is drawn."""
    return min(box.ends[0] for box in boxes), max(box.ends[1] for box in boxes)


def _set_scale(axes: Axes, low: float, high: float, log: bool) -> None:
    if log:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.25, high * 1.25)
        layout.log_axis(axes.yaxis)
    else:
        axes.set_ylim(0, 1.06 * high)


def boxes(results: Results, log_inv_delta: float | None = None, slow: bool = False) -> Figure:
    """Normalised sample complexity at one δ: a panel per graph, a group per case, a box per algorithm.

    On a log axis where the range asks for it. `slow`: with UCB-FG-V, which is left out otherwise if there are others."""
    runs = runs_of(results, "boxes-all" if slow else "boxes", most=MOST_GROUPS)
    at = confidence(runs.rows, log_inv_delta)
    runs.rows = runs.rows[runs.rows.log_inv_delta == at]
    without = "" if slow else runs.without_slow()
    algorithms = runs.algorithms
    bound = dict(zip(runs.rows.label, runs.rows.lower_bound))
    drawn = {
        (label, name): Box.of(sample.scaled(bound[label]))
        for (label, name), sample in runs.samples("label", "algorithm").items()
    }
    parts, widths = _rows_of_groups(runs.cases, len(algorithms))
    figure, panels = layout.spread(widths, 2.2)
    capped = any(np.isinf(box.high) for box in drawn.values())
    offsets = dodge(len(algorithms))
    ranges: dict = {}  # of each graph: its parts have one axis
    for here in parts:
        shown = [drawn[label, a] for label in here.label for a in algorithms if (label, a) in drawn]
        low, high = ranges.get(here.graph.iloc[0], (1.0, 1.0))
        ranges[here.graph.iloc[0]] = tuple(f(*ends) for f, ends in zip((min, max), zip((low, high), _range(shown))))
    log = any(high > 12 * low for low, high in ranges.values())
    for panel, here in zip(panels, parts):
        low, high = ranges[here.graph.iloc[0]]
        panel.set_xlim(-0.5, len(here) - 0.5)
        _set_scale(panel, low, high * (1.22 if capped and not log else 1.5 if capped else 1.0), log)
        there = [
            (g + offset, drawn[label, name], style.algorithm_colour(name))
            for offset, name in zip(offsets, algorithms)
            for g, label in enumerate(here.label)
            if (label, name) in drawn
        ]
        draw_boxes(panel, there, 0.72 / len(algorithms))
        _say_stopped(panel, there, log)
        panel.axhline(1.0, color="#000000", linestyle=style.BOUND_DASH, linewidth=0.9, zorder=1)
        for g, label in enumerate(here.label):
            if any(np.isinf(drawn[label, a].high) for a in algorithms if (label, a) in drawn):
                cap = runs.cap / bound[label]
                level(panel, cap, g - 0.47, g + 0.47, colors=style.GREY, linewidths=0.5, zorder=1)
        layout.title(panel, graph_title(here))
        layout.tick_names(panel, range(len(here)), ["\n".join(words) for words in here["name"]])
        layout.part(panel, np.arange(len(here) - 1) + 0.5)
    layout.label_outside(panels, y=style.NORMALISED)
    layout.legend(figure, [*boxes_of(algorithms), MEAN, BOUND, *[BEYOND] * capped])
    layout.note(
        figure,
        f"{delta_text(at)}, {seeds(runs.samples('label', 'algorithm'))}. {READ}{without}",
        incomplete(runs.rows),
        f"{OPEN} Numbers: runs that stopped, of all." if capped else "",
        runs.note,
    )
    return figure


def _say_stopped(panel: Axes, boxes: list[tuple[float, Box, str]], log: bool) -> None:
    """Above the cap, where something is open: how many runs of how many stopped."""
    for x, box, _ in boxes:
        if np.isinf(box.high):
            low, high = panel.get_ylim()
            y = box.sample.cap * (high / low) ** 0.035 if log else box.sample.cap + 0.035 * high
            text = f"{len(box.sample.values)}/{len(box.sample)}"
            panel.text(x, y, text, fontsize=4.8, rotation=90, ha="center", va="bottom", color="#333333")


def _rows_of_groups(cases, algorithms: int) -> tuple[list, list[float]]:
    """The cases of each graph, cut where they would not fit into a row of the page; and the inches each part needs."""
    parts, widths = [], []
    for _, here in cases.groupby("graph", sort=False):
        label = max(layout.text_width("\n".join(words), layout.SMALLEST) for words in here["name"])
        slot = max(label + 0.08, 0.085 * algorithms + 0.06)
        most = max(1, int((style.PAGE - 0.6) / slot))
        rows = -(-len(here) // most)
        most = -(-len(here) // rows)
        for first in range(0, len(here), most):
            part = here.iloc[first : first + most]
            parts.append(part)
            widths.append(0.6 + slot * len(part))
    return parts, widths


def over_delta(results: Results, graph: str | None = None) -> Figure:
    """τ over δ on a log axis: a panel per case, box plots, the lower bound T*·kl(δ, 1−δ) and the practical one."""
    runs = runs_of(results, "tau" if graph is None else f"tau-{graph}", graph)
    algorithms = runs.algorithms
    logs = np.sort(runs.rows.log_inv_delta.unique())
    label, words = delta_axis(logs)
    drawn = {key: Box.of(sample) for key, sample in runs.samples("label", "algorithm", "log_inv_delta").items()}
    capped = any(np.isinf(box.high) for box in drawn.values())
    bounds = runs.rows.groupby(["label", "log_inv_delta"], observed=True)[["lower_bound", "practical_bound"]].first()
    columns = 3 if len(logs) * len(algorithms) <= 32 else 2
    if len(logs) * len(algorithms) <= 12 and len(runs.cases) > 6:
        columns = 4
    if len(runs.cases) in (2, 4) and columns == 3:
        columns = 2
    figure, panels = layout.panels(len(runs.cases), columns, 1.95, share_x=True, lines="y")
    offsets = dodge(len(algorithms))
    below = False
    for panel, (_, case) in zip(panels, runs.cases.iterrows()):
        here = {key[1:]: box for key, box in drawn.items() if key[0] == case.label}
        low, high = _range(list(here.values()))
        lower = bounds.loc[case.label].reindex(logs)
        # Near δ = 1/2 the lower bound is next to nothing: no decades of empty axis for it.
        near = lower.lower_bound >= low / 4
        below |= not near.all()
        low = min([low, *lower.lower_bound[near]])
        panel.set_xlim(-0.5, len(logs) - 0.5)
        _set_scale(panel, low, max([high, *lower.practical_bound.dropna()]), log=True)
        there = [
            (i + offset, here[name, x], style.algorithm_colour(name))
            for offset, name in zip(offsets, algorithms)
            for i, x in enumerate(logs)
            if (name, x) in here
        ]
        draw_boxes(panel, there, 0.72 / len(algorithms), 2.6)
        for column, dash in (("lower_bound", style.BOUND_DASH), ("practical_bound", style.PRACTICAL_DASH)):
            at = np.arange(len(logs))
            look = {"colors": "#000000", "linestyles": [dash], "linewidths": 0.9, "zorder": 1}
            level(panel, lower[column], at - 0.46, at + 0.46, **look)
        if any(np.isinf(box.high) for box in here.values()):
            panel.axhline(runs.cap, color=style.GREY, linewidth=0.5, zorder=1)
        layout.tick_names(panel, range(len(logs)), words)
        layout.title(panel, case_title(case))
    layout.label_outside(panels, label, style.TAU)
    layout.legend(figure, [*boxes_of(algorithms), MEAN, BOUND, PRACTICAL, *[CAP, BEYOND] * capped])
    layout.note(
        figure,
        f"{seeds(runs.samples('label', 'algorithm', 'log_inv_delta'))}. {READ}"
        + f" Practical bound: the t with {equation('t', 'T*β(t,δ)')}."
        + " Where the lower bound is not drawn, it lies below the axis." * below,
        incomplete(runs.rows),
        OPEN if capped else "",
        runs.note,
    )
    return figure


def survival(results: Results, log_inv_delta: float | None = None) -> Figure:
    """P(τ > t) at one δ, Kaplan and Meier's estimate with 95 % intervals: a panel per case, a line per algorithm."""
    runs = runs_of(results, "survival")
    at = confidence(runs.rows, log_inv_delta)
    runs.rows = runs.rows[runs.rows.log_inv_delta == at]
    algorithms, samples = runs.algorithms, runs.samples("label", "algorithm")
    count = len(runs.cases)
    figure, panels = layout.panels(count, 2 if count in (2, 4) else 3, 1.75, share_y=True)
    for panel, (_, case) in zip(panels, runs.cases.iterrows()):
        here = {name: samples[case.label, name] for name in algorithms if (case.label, name) in samples}
        ends = [s.values for s in here.values() if len(s.values)] or [np.array([runs.cap])]
        low, high = min(v[0] for v in ends), max(v[-1] for v in ends)
        capped = any(s.capped for s in here.values())
        high = runs.cap if capped else high
        low, high = low / 1.15, high * 1.15
        for name, sample in here.items():
            times, alive, lower, upper = kaplan_meier(sample)
            colour = style.algorithm_colour(name)
            end = sample.cap if sample.capped else high
            t = np.concatenate([[low], times, [end]])
            line = np.concatenate([[1.0], alive, alive[-1:] if len(alive) else [1.0]])
            panel.step(t, line, where="post", color=colour, lw=1.1)
            panel.fill_between(
                t,
                np.concatenate([[1.0], lower, lower[-1:] if len(lower) else [1.0]]),
                np.concatenate([[1.0], upper, upper[-1:] if len(upper) else [1.0]]),
                step="post",
                color=colour,
                alpha=0.13,
                linewidth=0,
            )
            if sample.capped:
                panel.plot(end, line[-1], style.algorithm_marker(name), mfc="white", mec=colour, ms=4, clip_on=False)
        practical = runs.rows.practical_bound[runs.rows.label == case.label].iloc[0]
        if low < practical < high:
            panel.axvline(practical, color="#000000", linestyle=style.PRACTICAL_DASH, lw=0.9, zorder=1)
        panel.set(xscale="log", xlim=(low, high), ylim=(0, 1.02))
        layout.log_axis(panel.xaxis)
        layout.title(panel, case_title(case))
    layout.label_outside(panels, style.DRAWS, f"P(τ{style.NARROW}>{style.NARROW}t)")
    layout.legend(
        figure,
        [
            *(Line2D([], [], color=style.algorithm_colour(a), label=style.algorithm_name(a)) for a in algorithms),
            PRACTICAL,
        ],
    )
    layout.note(
        figure,
        f"{delta_text(at)}, {seeds(samples)}. Kaplan–Meier estimates; bands: 95 % intervals (Greenwood, log–log).",
        "Open marks: runs that were capped there." if any(s.capped for s in samples.values()) else "",
        incomplete(runs.rows),
        runs.note,
    )
    return figure
