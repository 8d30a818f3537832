"""Figures of what an algorithm promises and how it compares: error rates, answers at any time, paired differences, δ → 0."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import special

from . import layout, style, theory
from .errors import NothingToDraw, UserError
from .estimates import LEVEL, clopper_pearson, half_width, stopped_half_width, stopped_ratio, weighted_error
from .names import case_title, delta_axis, delta_text, graph_title
from .results import Results
from .samples import BOUND, dodge, draw_means
from .selection import MOST_GROUPS, MOST_PANELS, confidence, first_of, in_order, incomplete, runs_of
from .strokes import level, upright


def _range(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


def error_table(runs: pd.DataFrame, by: list[str], correct: str = "correct", stopped: bool = False) -> pd.DataFrame:
    """Errors, settled runs, rate and its Clopper–Pearson interval, per group.

    A run that was capped before it stopped has made no error: the rate is that of stopping within max_steps and being wrong,
    which a δ-correct algorithm keeps below δ. Of weighted runs the rate is the mean of what they count, with its own interval;
    `stopped`: one that allows for runs that were made until it was narrow enough."""
    there = runs[runs.status.isin(["done", "capped"])]
    wrong = (there[correct] == False).fillna(False).to_numpy(bool)  # noqa: E712 (three-valued)
    groups = there.assign(wrong=wrong).groupby(by, observed=True, sort=False).wrong
    table = pd.DataFrame({"runs": groups.count(), "errors": groups.sum().astype(int)}).reset_index()
    table["rate"] = table.errors / table.runs
    table["low"], table["high"] = clopper_pearson(table.errors, table.runs, LEVEL)
    if correct == "correct" and "log_weight" in there:
        for i, (_, logs) in enumerate(there.groupby(by, observed=True, sort=False).log_weight):
            if logs.notna().any():  # what did not stop counts nothing
                counts = logs.fillna(-np.inf).to_numpy()
                table.loc[i, "errors"] = int(np.isfinite(counts).sum())
                table.loc[i, ["rate", "low", "high"]] = weighted_error(counts, stopped)
    return table


def _error_bars(axes, x, table: pd.DataFrame, name: str, floor: float) -> None:
    """Intervals with a mark at the rate; a short line at the upper end where there was no error."""
    colour = style.algorithm_colour(name)
    x, some = np.asarray(x, dtype=float), (table.errors > 0).to_numpy()
    upright(axes, x, np.maximum(table.low, floor), table.high, colors=colour, linewidths=1.0)
    axes.plot(x[some], table.rate[some], style.algorithm_marker(name), color=colour, ms=3)
    axes.plot(x[~some], table.high[~some], "_", color=colour, ms=4, mew=1.0)


def error_rate(results: Results) -> Figure:
    """Share of wrong recommendations per δ with 95 % Clopper–Pearson intervals; the dashed lines are δ itself. Of weighted
    runs: the figure `error`."""
    if results.weighted:
        return error(results)
    runs = runs_of(results, "error-rate", most=10**6)
    table = error_table(runs.rows, ["graph", "algorithm", "log_inv_delta"], stopped=results.stopped)
    graphs = list(dict.fromkeys(runs.cases.graph))
    algorithms = runs.algorithms
    logs = np.sort(table.log_inv_delta.unique())
    label, words = delta_axis(logs)
    wide = len(logs) * len(algorithms) > 36
    figure, panels = layout.panels(len(graphs), 1 if wide else 2, 2.0, True, True, style.PAGE if wide else None, "y")
    # Below 1/runs nothing can be told apart: δ that are far below stand as arrows at the floor.
    floor = 10 ** np.floor(np.log10(0.5 * min(table.high.min(), 1.0 / table.runs.max())))
    below = np.exp(-logs) < floor * 1.2
    for panel, graph in zip(panels, graphs):
        panel.set(yscale="log", ylim=(floor, 1.3), xlim=(-0.5, len(logs) - 0.5))
        layout.log_axis(panel.yaxis)
        at = np.arange(len(logs))
        look = {"colors": "#000000", "linestyles": [style.BOUND_DASH], "linewidths": 0.9}
        level(panel, np.exp(-logs[~below]), at[~below] - 0.45, at[~below] + 0.45, **look)
        if below.any():
            panel.plot(at[below], np.full(below.sum(), floor * 1.12), "v", color="#000000", ms=3.5, clip_on=False)
        for offset, name in zip(dodge(len(algorithms), 0.8), algorithms):
            part = table[(table.graph == graph) & (table.algorithm == name)]
            _error_bars(panel, np.searchsorted(logs, part.log_inv_delta) + offset, part, name, floor)
        layout.tick_names(panel, at, words)
        layout.part(panel, at[1:] - 0.5)
        layout.title(panel, style.graph_name(graph))
    layout.label_outside(panels, label, "error rate")
    delta = Line2D([], [], color="#000000", linestyle=style.BOUND_DASH, lw=0.9, label=style.DELTA)
    layout.legend(figure, [*style.handles(algorithms), delta])
    pooled = " over all cases of the graph" if len(runs.cases) > len(graphs) else ""
    layout.note(
        figure,
        f"Errors{pooled}, {_range(table.runs)} runs a bar; bars: 95 % Clopper–Pearson; without a mark: no error.",
        "Black triangles: δ is below the axis." if below.any() else "",
        incomplete(runs.rows)
        + " Capped runs count as runs without an error."
        * bool((runs.rows.tau.isna() & (runs.rows.status == "capped")).any()),
    )
    return figure


def error(results: Results) -> Figure:
    """The probability of a wrong answer over δ by weighted runs, with 95 % bands and the line error = δ: a panel per case."""
    runs = runs_of(results, "error")
    if not results.weighted:
        raise NothingToDraw(f'{results.names}: no weighted runs (error needs measure = "error", as jobs/error.toml)')
    table = error_table(runs.rows, ["label", "algorithm", "log_inv_delta"], stopped=results.stopped)
    table = table[table.rate > 0].sort_values("log_inv_delta")
    if not len(table):
        raise NothingToDraw(f"{results.names}: no run with a wrong answer yet")
    logs = np.sort(runs.rows.log_inv_delta.unique())
    label, words = delta_axis(logs)
    count = len(runs.cases)
    figure, panels = layout.panels(count, 2 if count in (2, 4) else 3, 2.0, share_x=True, share_y=True)
    margin = 0.04 * (logs[-1] - logs[0]) or 1.0
    lowest = min(table.rate.min(), table.low.min(), np.exp(-logs[-1]))
    panels[0].set(yscale="log", xlim=(logs[0] - margin, logs[-1] + margin), ylim=(lowest / 5, 2.0))
    for panel, (_, case) in zip(panels, runs.cases.iterrows()):
        ends = np.array(panel.get_xlim())
        panel.plot(ends, np.exp(-ends), color="#000000", linestyle=style.BOUND_DASH, lw=0.9)
        for name in runs.algorithms:
            part = table[(table.label == case.label) & (table.algorithm == name)]
            colour, marker = style.algorithm_colour(name), style.algorithm_marker(name)
            uneven = part[part.high.isna()]
            panel.plot(part.log_inv_delta, part.rate, marker, color=colour, ls="-", lw=1.0, ms=2.5)
            panel.plot(uneven.log_inv_delta, uneven.rate, marker, mfc="white", mec=colour, ms=2.8)
            panel.fill_between(part.log_inv_delta, part.low, part.high, color=colour, alpha=0.25, linewidth=0)
        layout.tick_names(panel, logs, words)
        layout.title(panel, case_title(case))
    layout.log_axis(panels[0].yaxis)
    layout.label_outside(panels, label, "probability of an error")
    line = Line2D([], [], color="#000000", linestyle=style.BOUND_DASH, lw=0.9, label="error = δ")
    layout.legend(figure, [*style.handles(runs.algorithms), line])
    layout.note(
        figure,
        f"{_range(table.runs)} weighted runs; bands: 95 % intervals."
        + " Open marks: weights are too uneven for one." * bool(table.high.isna().any()),
        runs.note,
    )
    return figure


def anytime(results: Results) -> Figure:
    """What learners would answer after t draws: share of wrong answers, and T at their allocation over T*."""
    results.require_runs("anytime")
    rows = results.checkpoints_frame()
    rows = rows[rows.status.isin(["done", "capped"])]
    if not len(rows) or "checkpoint_correct" not in rows:
        raise NothingToDraw(
            f"{results.names}: no checkpoints (anytime needs a job with `checkpoints`, as jobs/anytime.toml)"
        )
    cases = results.cases_frame()
    cases, note = first_of(in_order(cases[cases.label.isin(rows.label.unique())]), MOST_PANELS // 2)
    rows = rows[rows.label.isin(cases.label) & rows.checkpoint_correct.notna()]
    algorithms = style.in_order(rows.algorithm.unique())
    table = error_table(rows, ["label", "algorithm", "checkpoint"], "checkpoint_correct")
    ratio = rows.groupby(["label", "algorithm", "checkpoint"], observed=True).checkpoint_T_ratio
    ratio = ratio.quantile([0.25, 0.5, 0.75], interpolation="nearest").unstack()
    count = len(cases)
    figure, places = layout.panels(2 * count, 2 if count < 4 else 4, 1.9, share_x=True)
    steps = np.sort(rows.checkpoint.unique())
    floor = 10 ** np.floor(np.log10(0.5 * table.high.min()))
    gap = np.log(steps[-1] / steps[0]) / (len(steps) - 1) if len(steps) > 1 else 1.0
    high = ratio[0.75].replace(np.inf, np.nan).max()
    for error, time, (_, case) in zip(places[::2], places[1::2], cases.iterrows()):
        for offset, name in zip(dodge(len(algorithms), 0.45 * gap), algorithms):
            part = table[(table.label == case.label) & (table.algorithm == name)].sort_values("checkpoint")
            if not len(part):
                continue
            x, colour = part.checkpoint * np.exp(offset), style.algorithm_colour(name)
            error.plot(x, part.rate.where(part.errors > 0), color=colour, lw=0.9)
            _error_bars(error, x, part, name, floor)
            quartiles = ratio.loc[case.label, name]
            x = quartiles.index * np.exp(offset)
            time.plot(
                x,
                quartiles[0.5].replace(np.inf, np.nan),
                style.algorithm_marker(name),
                color=colour,
                ls="-",
                lw=0.9,
                ms=3,
            )
            upright(time, x, quartiles[0.25], np.minimum(quartiles[0.75], 1e6 * high), colors=colour, linewidths=1.0)
        error.set(xscale="log", yscale="log", ylim=(floor, 1.3))
        time.axhline(1.0, color="#000000", linestyle=style.BOUND_DASH, lw=0.9)
        time.set(xscale="log", yscale="log", ylim=(0.93, max(1.5, 1.1 * high)))
        for axes, what in ((error, "error"), (time, style.T_RATIO)):
            axes.set_xlim(steps[0] * np.exp(-0.4 * gap), steps[-1] * np.exp(0.4 * gap))
            layout.log_axis(axes.xaxis)
            layout.log_axis(axes.yaxis)
            axes.set_ylabel("share of wrong answers" if what == "error" else what)
        layout.title(error, case_title(case))
        layout.title(time, case_title(case))
    layout.label_outside(places, style.DRAWS)
    one = Line2D([], [], color="#000000", linestyle=style.BOUND_DASH, lw=0.9, label="optimal allocation")
    layout.legend(figure, [*style.handles(algorithms), one])
    layout.note(
        figure,
        f"What would be recommended after t draws, {_range(table.runs)} runs. Errors with 95 % Clopper–Pearson intervals; "
        "without a mark: no error.",
        "Right: T at the shares of the draws under the true model over T*; median and quartiles.",
        note,
    )
    return figure


def paired_table(
    runs: pd.DataFrame, baseline: str, at: float, cap: float = np.inf, stopped: bool = False, means: bool = False
) -> pd.DataFrame:
    """exp(mean ln(τ_A/τ_baseline)) over common seeds, with the paired and the unpaired 95 % interval. `stopped`: intervals that
    allow for runs that were made until they were narrow enough. `means`: the ratio of means instead, which such jobs ask for.

    Where runs were capped no mean exists. The ratio is then what is known of the median over seeds, without an interval: its
    value (open = 0), that it is at least so much (open = 1: runs of A are beyond the cap), or at most (open = −1)."""
    rows = []
    here = runs[(runs.log_inv_delta == at) & runs.status.isin(["done", "capped"])]
    for label, part in here.groupby("label", observed=True, sort=False):
        seeds, tau = part.seed.to_numpy(), part.tau.to_numpy()
        index = part.groupby("algorithm", observed=True).indices
        if baseline not in index:
            continue
        for name in (name for name in index if name != baseline):
            _, *at_seeds = np.intersect1d(seeds[index[baseline]], seeds[index[name]], return_indices=True)
            base, other = (np.log(tau[index[who]][chosen]) for who, chosen in zip((baseline, name), at_seeds))
            n = len(base)
            if n < 3:
                continue
            row = {"label": label, "algorithm": name, "seeds": n, "open": 0}
            if np.isnan(base).any() or np.isnan(other).any():
                end = np.log(cap)  # all that may be, from `low` to `high`
                low = _filled(other, end) - _filled(base, np.inf)
                high = _filled(other, np.inf) - _filled(base, end)
                least, most = np.median(low), np.median(_filled(high, np.inf))
                if np.isfinite(least):
                    row |= {"ratio": np.exp(least), "open": int(least != most)}
                elif np.isfinite(most):
                    row |= {"ratio": np.exp(most), "open": -1}
                else:
                    continue
            else:
                difference = other - base
                if means:
                    times = np.exp(base), np.exp(other)
                    ratio, low, high = stopped_ratio(times[1], times[0])
                    apart = np.hypot(*(stopped_half_width(values) / values.mean() for values in times))
                    ends = (ratio, low, high, ratio * (1 - apart), ratio * (1 + apart))
                else:
                    paired = (stopped_half_width if stopped else half_width)(difference)
                    unpaired = (
                        np.hypot(stopped_half_width(base), stopped_half_width(other))
                        if stopped
                        else special.stdtrit(2 * n - 2, 0.5 + LEVEL / 2)
                        * np.sqrt((base.var(ddof=1) + other.var(ddof=1)) / n)
                    )
                    ends = tuple(np.exp(difference.mean() + x) for x in (0.0, -paired, paired, -unpaired, unpaired))
                row |= {
                    **dict(zip(("ratio", "low", "high", "unpaired_low", "unpaired_high"), ends)),
                    "share_faster": (difference < 0).mean(),
                    "correlation": _correlation(base, other),
                }
            rows.append(row)
    columns = ("label algorithm seeds ratio low high unpaired_low unpaired_high share_faster correlation open").split()
    return pd.DataFrame(rows, columns=columns)


def _filled(values: np.ndarray, value: float) -> np.ndarray:
    return np.where(np.isnan(values), value, values)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Missing where one of them is constant."""
    return float(np.corrcoef(x, y)[0, 1]) if x.std() > 0 and y.std() > 0 else np.nan


def first_algorithm(runs: pd.DataFrame) -> str:
    """The job's first one, which it compares the others with where it asks for a precise ratio."""
    return str(runs.algorithm.cat.categories[0])


def paired(results: Results, log_inv_delta: float | None = None, baseline: str | None = None) -> Figure:
    """τ of each algorithm over that of a baseline on the same seeds (the same rewards): geometric mean ratio, or the ratio of
    means where the job asked for a precise one."""
    runs = runs_of(results, "paired", most=MOST_GROUPS)
    at = confidence(runs.rows, log_inv_delta)
    without = runs.without_slow() if baseline != "ucb-fg-v" else ""
    there = runs.algorithms
    first = first_algorithm(runs.rows)
    asked = results.asked("ratio") and first in there
    baseline = baseline or (first if asked else there[0])
    if baseline not in there:
        raise UserError(f"--baseline {baseline} (must be of {', '.join(there)})")
    means = asked and baseline == first  # then that ratio is the one that is precise
    table = paired_table(runs.rows, baseline, at, runs.cap, results.stopped, means)
    if not len(table):
        raise NothingToDraw(
            f"{results.names}: no two algorithms with three seeds in common on which one stopped (paired compares algorithms)"
        )
    cases = runs.cases[runs.cases.label.isin(table.label)]
    graphs = list(dict.fromkeys(cases.graph))
    algorithms = [a for a in there if a != baseline and a in set(table.algorithm)]
    columns = 1 if len(graphs) == 1 else 2
    most = [cases.graph.value_counts()[graphs[i : i + columns]].max() for i in range(0, len(graphs), columns)]
    slot = max(0.11 * len(algorithms) + 0.05, 0.16)
    heights = [0.55 + slot * n for n in most]
    figure, panels = layout.panels(len(graphs), columns, 1.0, share_x=True, lines="x")
    figure.set_size_inches(figure.get_figwidth(), 0.75 + sum(heights))
    panels[0].get_gridspec().set_height_ratios(heights)
    for panel, graph in zip(panels, graphs):
        here = cases[cases.graph == graph]
        panel.axvline(1.0, color="#000000", linewidth=0.8, linestyle=style.BOUND_DASH)
        part = table[table.label.isin(here.label)]
        y = part.label.astype(object).map({label: g for g, label in enumerate(here.label)}).to_numpy(float)
        for offset, name in zip(dodge(len(algorithms), 0.8), algorithms):
            mine = (part.algorithm == name).to_numpy()
            row, at_y, colour = part[mine], y[mine] + offset, style.algorithm_colour(name)
            closed = row.low.notna().to_numpy()
            for low, high, line in (
                (row.unpaired_low, row.unpaired_high, {"colors": "#AAAAAA", "linewidths": 3.0, "alpha": 0.7}),
                (row.low, row.high, {"colors": colour, "linewidths": 1.2}),
            ):
                level(panel, at_y[closed], low[closed], high[closed], **line)
            panel.plot(row.ratio[closed], at_y[closed], style.algorithm_marker(name), color=colour, ms=3.2)
            for way, mark in ((1, ">"), (-1, "<"), (0, style.algorithm_marker(name))):
                chosen = (row.open == way).to_numpy() & ~closed
                panel.plot(row.ratio[chosen], at_y[chosen], mark, mfc="white", mec=colour, ms=4.5)
        joined = [", ".join(words) for words in here["name"]]
        size = min(layout.TICK, max(5.2, layout.TICK * slot / 0.16))
        panel.set_yticks(range(len(here)), [layout.wrapped(text, 1.5, size) for text in joined], fontsize=size)
        panel.set(ylim=(len(here) - 0.5, -0.5), xscale="log")
        layout.title(panel, graph_title(here))
        layout.part(panel, np.arange(len(here) - 1) + 0.5, "y")
    ends = table[["ratio", "unpaired_low", "unpaired_high"]].to_numpy()
    panels[0].set_xlim(min(0.95, np.nanmin(ends) / 1.1), max(1.05, np.nanmax(ends) * 1.1))
    for panel in panels:
        layout.log_axis(panel.xaxis)
    layout.label_outside(
        panels,
        f"τ{style.NARROW}/{style.NARROW}τ of {style.algorithm_name(baseline)}, {'means' if means else 'geometric mean'}",
    )
    grey = Line2D([], [], color="#AAAAAA", lw=3, alpha=0.7, label="interval without pairing")
    layout.legend(figure, [*style.handles(algorithms), grey])
    missing = len(runs.cases) * len([a for a in there if a != baseline]) - len(table)
    layout.note(
        figure,
        f"{delta_text(at)}, {_range(table.seeds)} seeds; 95 % intervals. All algorithms meet the same rewards on a "
        "seed." + without,
        "White marks: runs were capped; the median ratio, or an arrow where it is at least (or at most) that."
        if table.low.isna().any()
        else "",
        f"{missing} pairs are not shown: nothing is known of their median ratio, or fewer than three seeds are in common."
        if missing
        else "",
        incomplete(runs.rows[runs.rows.log_inv_delta == at]),
        runs.note,
    )
    return figure


EXPONENTIAL = "ucb-fg-v"  # the algorithm whose stopping time grows like 1/δ


def small_delta(results: Results) -> Figure:
    """Mean τ/(T* ln(1/δ)) as δ → 0, with the limits that the theory gives: a panel per case."""
    runs = runs_of(results, "small-delta")
    samples = runs.samples("label", "algorithm", "log_inv_delta")
    # UCB-FG-V grows like 1/δ, which is tau_delta's to show.
    algorithms = [name for name in runs.algorithms if name != EXPONENTIAL] or runs.algorithms
    logs = np.sort(runs.rows.log_inv_delta.unique())
    count = len(runs.cases)
    figure, panels = layout.panels(count, 2 if count <= 4 else 3, 2.0, share_x=True)
    for panel, (_, case) in zip(panels, runs.cases.iterrows()):
        limits = {
            "tas-fg": 1.0,
            "oracle": 1.0,
            "tas-fg-heur": case.T_heuristic / case.T_star,
            "uniform": case.T_uniform / case.T_star,
        }
        panel.plot(logs, theory.kl(logs) / logs, color="#000000", linestyle=style.BOUND_DASH, lw=0.9)
        ends = [1.0]
        for name in algorithms:
            scaled = [
                (x, samples[case.label, name, x].scaled(case.T_star * x))
                for x in logs
                if (case.label, name, x) in samples
            ]
            means = [(x, s.mean, s.half_width) for x, s in scaled if not s.capped]  # else there is no mean
            if not means:
                continue
            x, mean, half = np.array(means).T
            colour = style.algorithm_colour(name)
            ends += [*(mean + np.nan_to_num(half)), *(mean - np.nan_to_num(half))]
            draw_means(panel, x, mean, np.nan_to_num(half), name)
            if name in limits and np.isfinite(limits[name]):
                panel.axhline(limits[name], color=colour, linestyle=(0, (1, 1.5)), linewidth=0.9)
                ends.append(limits[name])
        panel.set(xscale="log", yscale="log", xlim=(logs[0] / 1.15, logs[-1] * 1.15))
        panel.set_ylim(min(e for e in ends if e > 0) / 1.25, max(ends) * 1.25)
        layout.log_axis(panel.xaxis)
        layout.log_axis(panel.yaxis)
        layout.title(panel, case_title(case))
    layout.label_outside(panels, style.LOG_INV_DELTA, f"mean τ{style.NARROW}/{style.NARROW}(T*{style.NARROW}ln(1/δ))")
    limit = Line2D([], [], color=style.GREY, linestyle=(0, (1, 1.5)), lw=0.9, label="limit as δ → 0")
    layout.legend(figure, [*style.handles(algorithms), BOUND, limit])
    layout.note(
        figure,
        "Means over seeds, 95 % intervals; none where a run was capped. Limits: 1 for TaS-FG, "
        f"T({style.OMEGA_HEUR})/T* (at most) for the heuristic, T(uniform)/T* for uniform sampling.",
        incomplete(runs.rows),
        runs.note,
    )
    return figure


def tau_delta(results: Results) -> Figure:
    """Mean τ·δ of UCB-FG-V as δ → 0: a panel per case. It keeps to what looks best, so that the evidence against
    the others grows like ln t and τ like 1/δ, times the power of ln t by which the threshold grows."""
    runs = runs_of(results, "small-delta")
    samples = runs.samples("label", "algorithm", "log_inv_delta")
    logs = np.sort(runs.rows.log_inv_delta.unique())
    count = len(runs.cases)
    figure, panels = layout.panels(count, 2 if count <= 4 else 3, 2.0, share_x=True)
    for panel, (_, case) in zip(panels, runs.cases.iterrows()):
        scaled = [
            (x, samples[case.label, EXPONENTIAL, x].scaled(np.exp(x)))
            for x in logs
            if (case.label, EXPONENTIAL, x) in samples
        ]
        points = np.array([(x, s.mean, np.nan_to_num(s.half_width)) for x, s in scaled if not s.capped]).reshape(-1, 3)
        x, mean, half = points.T
        draw_means(panel, x, mean, half, EXPONENTIAL)
        panel.set(xlim=(0, max([*x, 1.0]) * 1.05), yscale="log")
        low = np.where(mean > half, mean - half, mean)
        panel.set_ylim(min(low, default=1.0) / 2, max(mean + half, default=1.0) * 2)
        layout.log_axis(panel.yaxis)
        layout.title(panel, case_title(case))
    layout.label_outside(panels, style.LOG_INV_DELTA, "mean τ·δ")
    layout.legend(figure, style.handles([EXPONENTIAL]))
    layout.note(
        figure,
        "Means over seeds, 95 % intervals; none where a run was capped.",
        incomplete(runs.rows[runs.rows.algorithm == EXPONENTIAL]),
        runs.note,
    )
    return figure
