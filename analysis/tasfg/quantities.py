"""Any quantity over any parameter: lines with intervals, and heat maps over two parameters."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from . import layout, style
from .curves import MOST_LABELS, is_log_grid, ordinal
from .errors import NothingToDraw, UserError
from .estimates import clopper_pearson, half_width, stopped_half_width
from .names import case_title, delta_text, equation, name_cases, number, parameters
from .results import Results
from .samples import dodge
from .selection import MOST_PANELS, confidence, incomplete, samples_of

STATISTICS = {  # and what a note says of each
    "mean": "Means with 95 % intervals; none where a run was capped.",
    "median": "Medians and quartiles; triangles: beyond the cap.",
    "none": "",
}
LABELS = {
    "T_star": f"characteristic time {style.T_STAR}",
    "T_heuristic": f"T({style.OMEGA_HEUR})",
    "T_uniform": "T(uniform)",
    "m_norm": f"rate of observation {style.M_NORM}",
    "tv_heuristic": style.DISTANCE,
    "tau": style.TAU,
    "normalised": style.NORMALISED,
    "error": "error rate",
    "log_inv_delta": style.LOG_INV_DELTA,
    "delta": style.DELTA,
    "checkpoint": style.DRAWS,
    "checkpoint_error": "share of wrong answers",
    "checkpoint_T_ratio": style.T_RATIO,
    **{name: name for name in ("K", "p", "q", "r")},
}
# What makes a case, an algorithm or a confidence another one.
IDENTITY = ("graph", "K", "p", "q", "r", "reward", "variance")


def _wrong(correct: pd.Series) -> pd.Series:
    """1 where an answer is wrong, missing where there is none."""
    return (~correct).astype("Float64").astype(float)


def _tables(results: Results) -> Iterator[tuple[str, pd.DataFrame]]:
    """Cases, runs and checkpoints as tables, with a column graph.NAME for every parameter that has none of its own; each made
    when it is asked for."""
    cases = results.cases_frame()
    extra = pd.DataFrame([parameters(row) for _, row in cases.iterrows()], index=cases.label)
    extra = extra.drop(columns=[name for name in extra if name in cases])
    extra = extra.apply(lambda column: pd.to_numeric(column, errors="ignore")).add_prefix("graph.")

    def complete(table: pd.DataFrame) -> pd.DataFrame:
        # Through the codes of the labels: millions of rows have few cases.
        labels = table.label.astype("category").cat
        at_label = extra.reindex(labels.categories)
        return table.assign(**{name: at_label[name].to_numpy()[labels.codes] for name in extra})

    yield "cases", complete(cases)
    if len(results.frame):
        yield "runs", complete(results.frame.assign(error=_wrong(results.frame.correct)))
    checkpoints = results.checkpoints_frame()
    if len(checkpoints):
        yield "checkpoints", complete(checkpoints.assign(checkpoint_error=_wrong(checkpoints.checkpoint_correct)))


def _source(results: Results, names: list[str]) -> tuple[str, pd.DataFrame]:
    """The table that has all these columns: cases rather than runs, runs rather than checkpoints."""
    known = set()
    for kind, table in _tables(results):
        if all(name in table for name in names):
            return kind, table
        known |= set(table)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"must be of {', '.join(sorted(known))}"
            raise UserError(f"no column {name} ({hint})")
    raise UserError(f"no table has all of {', '.join(names)} (cases, runs or checkpoints; docs/analysis.md lists them)")


def _label(results: Results, name: str) -> str:
    """What stands beside an axis: a formula, or what the file says about a dataset."""
    if name in LABELS:
        return LABELS[name]
    for file in results.files:
        for group in ("cases", "runs"):
            about = file.variables[group].get(name)
            if about is not None and len(str(about.attributes.get("long_name", ""))) in range(1, 50):
                return str(about.attributes["long_name"])
    return name.removeprefix("graph.")


def _value(name: str, value) -> str:
    """A value of a column, in words."""
    if name == "algorithm":
        return style.algorithm_name(str(value))
    if name == "graph":
        return style.graph_name(str(value))
    if name == "log_inv_delta":
        return delta_text(value)
    if isinstance(value, str | bool):
        return str(value) if name in ("reward", "label", "graph.parity", "graph.path") else f"{name} {value}"
    if name in LABELS:
        return equation(LABELS[name], number(float(value)))
    return f"{name.removeprefix('graph.')} {number(float(value))}"


def _varying(table: pd.DataFrame, used: list[str]) -> list[str]:
    """Columns that make cases differ although all used columns are equal."""
    candidates = [
        *(name for name in IDENTITY if name in table),
        *sorted(name for name in table if name.startswith("graph.")),
        *(name for name in ("algorithm", "log_inv_delta", "checkpoint") if name in table),
    ]
    found: list[str] = []
    for name in candidates:
        keys = [*used, *found]
        if name in keys or (name == "log_inv_delta" and "delta" in keys):
            continue
        kinds = (
            table.groupby(keys, observed=True, dropna=False)[name].nunique(dropna=False).max()
            if keys
            else table[name].nunique(dropna=False)
        )
        if kinds > 1:
            found.append(name)
    return found


def _points(results: Results, part: pd.DataFrame, x: str, y: str, kind: str, statistic: str) -> pd.DataFrame:
    """Per value of x: middle, low and high end. Of censored times what is unknown is missing, and an end beyond the cap is the
    cap itself, marked as `open`."""
    rows = []
    if kind == "cases":
        for value, group in part.groupby(x, observed=True):
            rows += [(value, v, np.nan, np.nan, False) for v in group[y].unique()]
    elif y in ("tau", "normalised"):
        unit = part.lower_bound.to_numpy() if y == "normalised" else 1.0
        for (value,), sample in samples_of(
            part.assign(tau=part.tau / unit), [x], results.caps(part) / unit, results.stopped
        ).items():
            if statistic == "mean":
                middle, half = sample.mean, sample.half_width
                rows.append((value, middle, middle - half, middle + half, False))
            else:
                middle, low, high = (sample.quantile(q) for q in (0.5, 0.25, 0.75))
                rows.append((value, middle, low, min(high, sample.cap), np.isinf(high)))
    else:
        settled = part[part.status.isin(["done", "capped"])]
        for value, group in settled.groupby(x, observed=True)[y]:
            values = group.dropna().to_numpy(float)
            if not len(values):
                continue
            if y.endswith("error"):
                n = len(group)  # a run that did not stop made no error
                ends = clopper_pearson(values.sum(), n)
                rows.append((value, values.sum() / n, float(ends[0]), float(ends[1]), False))
            elif statistic == "mean":
                half = (stopped_half_width if results.stopped else half_width)(values)
                rows.append((value, values.mean(), values.mean() - half, values.mean() + half, False))
            else:
                rows.append((value, *np.quantile(values, [0.5, 0.25, 0.75], method="nearest"), False))
    return pd.DataFrame(rows, columns=["x", "middle", "low", "high", "open"]).sort_values("x")


def _facets(
    results: Results, table: pd.DataFrame, used: list[str], panel: str | None, what: str
) -> list[tuple[str, pd.DataFrame]]:
    """A part of the table per panel: one per value of `panel`, and of everything else that would be drawn on top of it."""
    keys = ([panel] if panel else []) + _varying(table, used + ([panel] if panel else []))
    if not keys:
        return [("", table)]
    groups = list(table.groupby(keys if len(keys) > 1 else keys[0], observed=True, sort=False, dropna=False))
    if len(groups) > MOST_PANELS:
        raise UserError(
            f"{len(groups)} panels (one for each of {', '.join(keys)}, which differ at the same {what}; give one as --hue, or "
            f"choose cases with --cases; at most {MOST_PANELS} are drawn)"
        )
    cases = results.cases_frame()
    cases = name_cases(cases[cases.label.isin(table.label.unique())])
    titles = {case.label: case_title(case) for _, case in cases.iterrows()}
    titled = []
    for values, part in groups:
        named = dict(zip(keys, values if isinstance(values, tuple) else (values,)))
        words = []
        if panel is None and part.label.nunique() == 1:
            words = [titles[part.label.iloc[0]]]
            named = {key: value for key, value in named.items() if key in ("algorithm", "log_inv_delta", "checkpoint")}
        words += [_value(key, v) for key, v in named.items() if not (isinstance(v, float) and np.isnan(v))]
        titled.append((", ".join(words), part))
    return titled


def plot(
    results: Results,
    x: str,
    y: str,
    hue: str | None = None,
    panel: str | None = None,
    statistic: str = "mean",
    log: str | None = None,
    heat: str | None = None,
    log_inv_delta: float | None = None,
) -> Figure:
    """`y` over `x`, a line per value of `hue`, a panel per value of `panel`: columns of cases, runs or checkpoints.

    What else differs between cases gets panels of its own, so that nothing is pooled. Of runs, `statistic`: "mean" with its
    95 % interval, "median" with the quartiles, both censored where runs were capped. `log`: "x", "y", "x,y", "" or None
    (where the grid and the range ask for it). `heat`: a quantity in colours over x and y. The caller closes the figure."""
    if statistic not in STATISTICS:
        raise UserError(f"--statistic {statistic} (must be of {', '.join(STATISTICS)})")
    if log is not None and set(log.replace(",", "").lower()) - set("xyc"):
        raise UserError(f"--log {log} (must be of x, y, x,y)")
    style.meet(results.algorithms)
    with style.applied():
        before = set(plt.get_fignums())
        try:
            if heat is not None:
                return _heat(results, x, y, heat, panel, statistic, log, log_inv_delta)
            return _lines(results, x, y, hue, panel, statistic, log, log_inv_delta)
        except BaseException:
            for figure in set(plt.get_fignums()) - before:
                plt.close(figure)
            raise


def _chosen(
    results: Results, names: list[str], value: str, log_inv_delta: float | None
) -> tuple[str, pd.DataFrame, str]:
    """The table, without missing values of what is not a run's; of one δ where none of the columns is δ."""
    kind, table = _source(results, [*names, value])
    if kind == "cases":
        table = table[table[value].notna()]
    note = ""
    if "log_inv_delta" in table and not {"delta", "log_inv_delta"} & {*names, value}:
        at = confidence(table, log_inv_delta)
        if table.log_inv_delta.nunique() > 1:
            note = f"{delta_text(at)}. "
        table = table[table.log_inv_delta == at]
    for name in names:
        table = table[table[name].notna()]
    if not len(table):
        raise NothingToDraw(f"{results.names}: no {value} with {', '.join(names)} (is the sweep at its beginning?)")
    if kind != "cases":
        results.require_runs("plot")
    return kind, table, note


def _lines(
    results: Results,
    x: str,
    y: str,
    hue: str | None,
    panel: str | None,
    statistic: str,
    log: str | None,
    log_inv_delta: float | None,
) -> Figure:
    """A line per value of `hue`, with intervals where there are runs."""
    kind, table, note = _chosen(results, [name for name in (x, hue, panel) if name], y, log_inv_delta)
    if hue is None and kind != "cases" and "algorithm" not in (x, panel):
        hue = "algorithm"
    parts = _facets(results, table, [x, *([hue] if hue else [])], panel, x)
    values: list = [None]
    if hue:
        values = style.in_order(table[hue].unique()) if hue == "algorithm" else sorted(table[hue].unique())
    lines = [
        Line2D(
            [],
            [],
            color=colour,
            linestyle=dash,
            lw=1.1,
            marker="o",
            ms=2.8,
            label="" if hue is None else _value(hue, v),
        )
        for v, (colour, dash, _) in zip(values, style.many(len(values)))
    ]
    if hue == "algorithm":
        lines = style.handles(values)
    count = len(parts)
    figure, panels = layout.panels(count, 2 if count in (2, 4) else 3, 2.1 if count > 1 else 2.4, share_x=count > 1)
    numeric = pd.api.types.is_numeric_dtype(table[x])
    order = [] if numeric else list(dict.fromkeys(table[x].astype(str)))
    ends: list[float] = []
    for axes, (title, part) in zip(panels, parts):
        for offset, value, line in zip(dodge(len(values), 0.7), values, lines):
            points = _points(results, part if value is None else part[part[hue] == value], x, y, kind, statistic)
            points = points.replace([np.inf, -np.inf], np.nan)
            points = points[points.middle.notna() | points.open]
            if not len(points):
                continue
            at = points.x if numeric else points.x.astype(str).map(order.index) + offset
            ends += _draw_points(axes, at, points, line, numeric, statistic != "none")
        if title:
            layout.title(axes, title)
    _set_x(panels, table[x], order, x, log)
    if "y" in log if log is not None else ends and min(ends) > 0 and max(ends) > 12 * min(ends):
        for axes in panels:
            axes.set_yscale("log")
            axes.set_ylim(*axes.get_ylim())
            layout.log_axis(axes.yaxis)
    layout.label_outside(panels, _label(results, x), _label(results, y))
    if hue:
        step = -(-len(values) // MOST_LABELS)
        layout.legend(figure, lines[::step])
        note += f"{len(values)} lines; the legend names every {ordinal(step)}. " if step > 1 else ""
    if kind != "cases" and statistic != "none":
        error = y.endswith("error")
        note += "Error rates with 95 % Clopper–Pearson intervals. " if error else f"{STATISTICS[statistic]} "
    layout.note(figure, note.strip(), incomplete(table) if "tau" in table else "")
    return figure


def _draw_points(
    axes: Axes, at: pd.Series, points: pd.DataFrame, line: Line2D, numeric: bool, intervals: bool
) -> list[float]:
    """Marks, joined where x is a number, with their intervals; returns the ends of what is drawn."""
    colour = line.get_color()
    axes.plot(
        at,
        points.middle,
        color=colour,
        lw=line.get_linewidth() if numeric else 0,
        linestyle=line.get_linestyle() if numeric else "none",
        marker=line.get_marker() if len(points) <= 30 or not numeric else None,
        ms=2.8,
    )
    some = points.low.notna().to_numpy()
    if intervals and some.any():
        axes.vlines(at[some], points.low[some], points.high[some], color=colour, lw=0.9)
    if points.open.any():
        axes.plot(at[points.open], points.high[points.open], "^", mfc="white", mec=colour, ms=3.5)
    ends = np.concatenate([points.middle, points.low, points.high])
    return ends[np.isfinite(ends)].tolist()


def _set_x(panels: list[Axes], values: pd.Series, order: list[str], name: str, log: str | None) -> None:
    """Scale and ticks of x: categories, whole numbers, or a log axis where the grid is one."""
    numeric = not order
    for axes in panels:
        if not numeric:
            axes.set_xlim(-0.5, len(order) - 0.5)
            layout.tick_names(axes, range(len(order)), [_category(name, text) for text in order])
        elif "x" in log if log is not None else name == "delta" or is_log_grid(values):
            axes.set_xscale("log")
            axes.set_xlim(values.min() / 1.1, values.max() * 1.1)
            layout.log_axis(axes.xaxis)
        elif pd.api.types.is_integer_dtype(values):
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def _category(name: str, text: str) -> str:
    if name == "algorithm":
        return style.algorithm_name(text).replace(" (", "\n(")
    return style.graph_name(text).replace(" ", "\n") if name == "graph" else text.replace(" ", "\n")


def _heat(
    results: Results,
    x: str,
    y: str,
    value: str,
    panel: str | None,
    statistic: str,
    log: str | None,
    log_inv_delta: float | None,
) -> Figure:
    """A quantity in colours over two columns; numbers in the cells where they fit."""
    kind, table, note = _chosen(results, [name for name in (x, y, panel) if name], value, log_inv_delta)
    parts = _facets(results, table, [x, y], panel, f"{x} and {y}")
    grids = []
    for title, part in parts:
        rows = {}
        for key, group in part.groupby(y, observed=True):
            points = _points(results, group, x, value, kind, "mean" if statistic == "none" else statistic)
            rows[key] = points.groupby("x").middle.mean()
        grid = pd.DataFrame(rows).T.sort_index()
        grids.append((title, grid.reindex(columns=sorted(grid.columns))))
    values = np.concatenate([grid.to_numpy(float).ravel() for _, grid in grids])
    values = values[np.isfinite(values)]
    if not len(values):
        raise NothingToDraw(f"{results.names}: no {value} over {x} and {y}")
    low, high = values.min(), values.max()
    wide = low > 0 and high > 12 * low if log is None else "c" in log
    norm = LogNorm(low, high) if wide else Normalize(low, high)
    count = len(grids)
    figure, panels = layout.panels(
        count, 2 if count in (2, 4) else 3, 2.3 if count > 1 else 2.7, width=4.2 if count == 1 else None
    )
    figure.set_layout_engine("constrained")  # which has a place for the colour bar
    for axes, (title, grid) in zip(panels, grids):
        mesh = _mesh(axes, grid, norm, log)
        if title:
            layout.title(axes, title)
    layout.label_outside(panels, _label(results, x), _label(results, y))
    bar = figure.colorbar(mesh, ax=panels, label=_label(results, value), aspect=30, pad=0.02)
    bar.outline.set_linewidth(0.5)
    if wide:
        layout.log_axis(bar.ax.yaxis)
    if kind != "cases":
        note += (
            "Error rates. "
            if value.endswith("error")
            else f"{statistic.capitalize()}s over seeds; empty where it lies beyond the cap. "
        )
    layout.note(figure, note.strip(), incomplete(table) if "tau" in table else "")
    return figure


def _mesh(axes: Axes, grid: pd.DataFrame, norm: Normalize, log: str | None) -> QuadMesh:
    """Few values stand side by side, whatever their distances; many on an axis of numbers."""
    axes.grid(False)
    ends, few = [], []
    for names, which in ((grid.columns, "x"), (grid.index, "y")):
        numeric = pd.api.types.is_numeric_dtype(names)
        few.append(len(names) <= 12 or not numeric)
        if few[-1]:
            ends.append(np.arange(len(names) + 1) - 0.5)
            continue
        v = names.to_numpy(float)
        logarithmic = which in log if log is not None else is_log_grid(v)
        v = np.log(v) if logarithmic else v
        middle = (v[1:] + v[:-1]) / 2
        edges = np.concatenate([[2 * v[0] - middle[0]], middle, [2 * v[-1] - middle[-1]]])
        ends.append(np.exp(edges) if logarithmic else edges)
        if logarithmic:
            axes.set(**{f"{which}scale": "log"})
    mesh = axes.pcolormesh(*ends, grid.to_numpy(float), norm=norm, cmap="viridis", rasterized=grid.size > 2000)
    words = [[number(float(v)) if not isinstance(v, str) else v for v in names] for names in (grid.columns, grid.index)]
    if few[0]:
        layout.tick_names(axes, range(len(words[0])), words[0])
    if few[1]:
        axes.set_yticks(range(len(words[1])), words[1])
    for axis, is_few in zip((axes.xaxis, axes.yaxis), few):
        if not is_few and axis.get_scale() == "log":
            layout.log_axis(axis)
    room = (axes.figure.get_figwidth() - 1.2) / max(1, axes.get_subplotspec().get_gridspec().ncols) / grid.shape[1]
    if all(few) and room > 0.28:
        for (row, column), value in np.ndenumerate(grid.to_numpy(float)):
            if np.isfinite(value):
                axes.text(
                    column,
                    row,
                    f"{value:.3g}" if value < 1000 else layout.plain(value),
                    ha="center",
                    va="center",
                    fontsize=5.8,
                    color=style.ink_on(mesh.cmap(norm(value))[:3], 0.46),
                )
    return mesh


def grid_parameters(results: Results) -> tuple[str, str] | None:
    """Two parameters over which the cases of a graph form a grid of at least 4 × 4, as a heat map wants it."""
    cases = results.cases_frame()
    cases = cases[cases.T_star.notna()]
    for _, part in cases.groupby("graph", sort=False):
        names = [name for name in ("p", "q", "r", "K", "variance") if part[name].nunique() >= 4]
        for i, x in enumerate(names):
            for y in names[i + 1 :]:
                pairs = part[[x, y]].drop_duplicates()
                if len(pairs) == part[x].nunique() * part[y].nunique():
                    return x, y
    return None


def heatmap(results: Results) -> Figure:
    """T* in colours over the two parameters of a grid of cases."""
    found = grid_parameters(results)
    if found is None:
        raise NothingToDraw(
            f"{results.names}: no grid of 4 × 4 values of two parameters (tasfg-analysis plot --heat takes any)"
        )
    return plot(results, *found, heat="T_star")
