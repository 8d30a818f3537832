"""Figures that the paper does not have: error rates, paired differences, the limit δ → 0."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats

from . import style, theory
from .errors import NothingToDraw, UserError
from .reader import Results
from .samples import SLOW, dodge
from .selection import confidence, delta_text, incomplete, runs_of

LEVEL = 0.95


def _range(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


def error_table(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Errors, stopped runs, rate and its Clopper–Pearson interval, per group. Runs that did not stop do not count."""
    there = runs[runs.correct.notna()]
    groups = there.groupby(by, observed=True).correct
    table = pd.DataFrame({"runs": groups.count(), "errors": groups.count() - groups.sum().astype(int)}).reset_index()
    table["rate"] = table.errors / table.runs
    table["low"], table["high"] = theory.clopper_pearson(table.errors, table.runs, LEVEL)
    return table


def error_rate(results: Results) -> Figure:
    """Share of wrong recommendations over δ with 95 % Clopper–Pearson intervals; the line is δ itself."""
    cases, runs, note = runs_of(results, "error-rate")
    table = error_table(runs, ["graph", "algorithm", "log_inv_delta"])
    graphs = list(dict.fromkeys(cases.graph))
    algorithms = style.in_order(table.algorithm.unique())
    columns = 1 if len(graphs) == 1 else 2
    rows = -(-len(graphs) // columns)
    figure, panels = plt.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=True,
        sharey=True,
        figsize=(style.COLUMN if columns == 1 else style.PAGE, 0.6 + 2.1 * rows),
    )
    for panel in panels.flat[len(graphs) :]:
        panel.set_visible(False)
    logs = np.sort(table.log_inv_delta.unique())
    gap = np.diff(logs).min() if len(logs) > 1 else 1.0
    floor = 0.4 * min(np.exp(-logs.max()), table.high.min())
    x = np.linspace(logs.min() - 0.6 * gap, logs.max() + 0.6 * gap, 200)
    for panel, graph in zip(panels.flat, graphs):
        panel.plot(x, np.exp(-x), color="#000000", linestyle=(0, (4, 2)), linewidth=0.9)
        for offset, name in zip(dodge(len(algorithms), 0.8 * gap), algorithms):
            part = table[(table.graph == graph) & (table.algorithm == name)]
            colour, at = style.algorithm_colour(name), part.log_inv_delta + offset
            panel.vlines(at, np.maximum(part.low, floor), part.high, color=colour, linewidth=1.0)
            some = part.errors > 0
            panel.plot(at[some], part.rate[some], style.algorithm_marker(name), color=colour, ms=3)
            panel.plot(at[~some], part.high[~some], "_", color=colour, ms=4, mew=1.0)
        panel.set(yscale="log", ylim=(floor, 1.0), xlim=(x[0], x[-1]), title=style.graph_name(graph))
        panel.set_xticks(logs, [f"{v:g}" for v in logs])
        panel.grid(False, axis="x")
        if panel in panels[:, 0]:
            panel.set_ylabel("error rate")
    for panel in panels[-1]:
        panel.set_xlabel(style.LOG_INV_DELTA)
    style.legend(
        figure,
        [*style.handles(algorithms), Line2D([], [], color="#000000", linestyle=(0, (4, 2)), lw=0.9, label=r"$\delta$")],
    )
    pooled = " over all cases of the graph" if len(cases) > len(graphs) else ""
    style.note(
        figure,
        f"Errors{pooled}, {_range(table.runs)} runs a bar; bars: 95 % Clopper–Pearson; without a mark: no error.",
        incomplete(runs),
        note,
    )
    return figure


def paired_table(runs: pd.DataFrame, baseline: str, at: float) -> pd.DataFrame:
    """exp(mean ln(τ_A/τ_baseline)) over seeds that both stopped on, with the paired and the unpaired 95 % interval."""
    rows = []
    here = runs[(runs.log_inv_delta == at) & runs.tau.notna()]
    for label, part in here.groupby("label", observed=True, sort=False):
        wide = part.pivot_table(index="seed", columns="algorithm", values="tau", observed=True)
        if baseline not in wide:
            continue
        for name in wide.columns:
            both = np.log(wide[[baseline, name]].dropna()) if name != baseline else None
            if both is None or len(both) < 3:
                continue
            difference = both[name] - both[baseline]
            n = len(both)
            t = stats.t.ppf(0.5 + LEVEL / 2, n - 1)
            paired = t * difference.std(ddof=1) / np.sqrt(n)
            unpaired = stats.t.ppf(0.5 + LEVEL / 2, 2 * n - 2) * np.sqrt(both.var(ddof=1).sum() / n)
            middle = difference.mean()
            rows.append(
                (
                    label,
                    name,
                    n,
                    np.exp(middle),
                    np.exp(middle - paired),
                    np.exp(middle + paired),
                    np.exp(middle - unpaired),
                    np.exp(middle + unpaired),
                    (difference < 0).mean(),
                    both.corr().iloc[0, 1],
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            "label",
            "algorithm",
            "seeds",
            "ratio",
            "low",
            "high",
            "unpaired_low",
            "unpaired_high",
            "share_faster",
            "correlation",
        ],
    )


def paired(results: Results, log_inv_delta: float | None = None, baseline: str | None = None) -> Figure:
    """τ of each algorithm over that of a baseline on the same seeds (the same rewards): geometric mean ratio."""
    cases, runs, note = runs_of(results, "paired")
    at = confidence(runs, log_inv_delta)
    there = style.in_order(runs.algorithm[runs.tau.notna()].unique())
    slow = SLOW in there and len(there) > 2 and baseline != SLOW  # it would press all others against the axis
    there = [a for a in there if a != SLOW] if slow else there
    baseline = baseline or there[0]
    if baseline not in there:
        raise UserError(f"--baseline {baseline} (must be of {', '.join(there)})")
    runs = runs[runs.algorithm.isin(there)]
    table = paired_table(runs, baseline, at)
    if not len(table):
        raise NothingToDraw(
            f"{results.names}: fewer than two algorithms with three seeds in common " "(paired compares algorithms)"
        )
    graphs = list(dict.fromkeys(cases.graph))
    algorithms = [a for a in there if a != baseline and a in set(table.algorithm)]
    columns = 1 if len(graphs) == 1 else 2
    rows = -(-len(graphs) // columns)
    most = int(cases.groupby("graph").size().max())
    figure, panels = plt.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=True,
        figsize=(
            style.COLUMN if columns == 1 else style.PAGE,
            0.7 + rows * (0.65 + 0.13 * most * (len(algorithms) + 1)),
        ),
    )
    for panel in panels.flat[len(graphs) :]:
        panel.set_visible(False)
    for panel, graph in zip(panels.flat, graphs):
        here = cases[cases.graph == graph]
        panel.axvline(1.0, color="#000000", linewidth=0.8, linestyle=(0, (4, 2)))
        for g, label in enumerate(here.label):
            for offset, name in zip(dodge(len(algorithms), 0.8), algorithms):
                row = table[(table.label == label) & (table.algorithm == name)]
                if not len(row):
                    continue
                row, y, colour = row.iloc[0], g + offset, style.algorithm_colour(name)
                panel.plot(
                    [row.unpaired_low, row.unpaired_high],
                    [y, y],
                    color="#AAAAAA",
                    linewidth=3.0,
                    alpha=0.7,
                    solid_capstyle="butt",
                )
                panel.plot([row.low, row.high], [y, y], color=colour, linewidth=1.2)
                panel.plot(row.ratio, y, style.algorithm_marker(name), color=colour, ms=3.2)
        panel.set_yticks(range(len(here)), here.group)
        panel.set(ylim=(len(here) - 0.5, -0.5), xscale="log", title=style.graph_name(graph))
        panel.grid(False, axis="y")
        for edge in np.arange(len(here) - 1) + 0.5:
            panel.axhline(edge, color="#DDDDDD", linewidth=0.5)
    for panel in panels.flat:
        style.plain_log(panel.xaxis)
    for panel in panels[-1]:
        panel.set_xlabel(rf"$\tau\,/\,\tau$ of {style.algorithm_name(baseline)}, geometric mean")
    grey = Line2D([], [], color="#AAAAAA", lw=3, alpha=0.7, label="interval without pairing")
    style.legend(figure, [*style.handles(algorithms), grey])
    style.note(
        figure,
        f"{delta_text(at)}, {_range(table.seeds)} seeds; 95 % intervals. All algorithms meet the same rewards on a "
        "seed." + " Without UCB-FG-V." * slow,
        incomplete(runs[runs.log_inv_delta == at]),
        note,
    )
    return figure


def small_delta(results: Results) -> Figure:
    """Mean τ/(T* ln(1/δ)) as δ → 0, with the limits that the theory gives."""
    cases, runs, note = runs_of(results, "small-delta")
    cases = cases.groupby("graph", sort=False).head(1)
    runs = runs[runs.label.isin(cases.label)]
    algorithms = style.in_order(runs.algorithm[runs.tau.notna()].unique())
    columns = 1 if len(cases) == 1 else 2
    rows = -(-len(cases) // columns)
    figure, panels = plt.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=True,
        figsize=(style.COLUMN if columns == 1 else style.PAGE, 0.7 + 2.1 * rows),
    )
    for panel in panels.flat[len(cases) :]:
        panel.set_visible(False)
    logs = np.sort(runs.log_inv_delta.unique())
    for panel, (_, case) in zip(panels.flat, cases.iterrows()):
        limits = {
            "tas-fg": 1.0,
            "oracle": 1.0,
            "tas-fg-heur": case.T_heuristic / case.T_star,
            "uniform": case.T_uniform / case.T_star,
        }
        panel.plot(logs, theory.kl(logs) / logs, color="#000000", linestyle=(0, (4, 2)), lw=0.9)
        for name in algorithms:
            part = runs[(runs.label == case.label) & (runs.algorithm == name) & runs.tau.notna()]
            if not len(part):
                continue
            scaled = (part.tau / (case.T_star * part.log_inv_delta)).groupby(part.log_inv_delta)
            mean, error = scaled.mean(), scaled.std(ddof=1) / np.sqrt(scaled.count())
            colour = style.algorithm_colour(name)
            panel.errorbar(
                mean.index,
                mean,
                1.96 * error.fillna(0.0),
                color=colour,
                marker=style.algorithm_marker(name),
                ms=3,
                lw=1.0,
                elinewidth=0.8,
                capsize=1.5,
                capthick=0.6,
            )
            if name in limits and np.isfinite(limits[name]):
                panel.axhline(limits[name], color=colour, linestyle=(0, (1, 1.5)), linewidth=0.9)
        panel.set(xscale="log", yscale="log", title=f"{style.graph_name(case.graph)}, $K={case.K:.0f}$")
        panel.set_xticks(logs, [f"{v:g}" for v in logs])
        panel.minorticks_off()
        style.plain_log(panel.yaxis)
        if panel in panels[:, 0]:
            panel.set_ylabel(r"mean $\tau\,/\,(T^{\star}\,\ln(1/\delta))$")
    for panel in panels[-1]:
        panel.set_xlabel(style.LOG_INV_DELTA)
    extra = [
        Line2D([], [], color="#000000", linestyle=(0, (4, 2)), lw=0.9, label="lower bound"),
        Line2D([], [], color=style.GREY, linestyle=(0, (1, 1.5)), lw=0.9, label="limit as δ → 0"),
    ]
    style.legend(figure, [*style.handles(algorithms), *extra])
    style.note(
        figure,
        r"Means over seeds, 95 % intervals. Limits: 1 for TaS-FG, "
        r"$T(\omega_{\mathrm{heur}})/T^{\star}$ (at most) for the heuristic,"
        "\n"
        r"$T(\mathrm{uniform})/T^{\star}$ for uniform sampling.",
        incomplete(runs),
        note,
    )
    return figure
