"""Our runs beside the published ones (a CSV file graph,K,algorithm,log_inv_delta,seed,tau,correct): tests and pictures."""

from __future__ import annotations

import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import layout, style
from .errors import UserError
from .estimates import Box, Sample, holm, median_interval
from .files import replacing, without_formulas
from .names import delta_axis, delta_text, equation
from .results import Results
from .samples import READ, dodge, draw_boxes
from .selection import confidence

COLUMNS = ("graph", "K", "algorithm", "log_inv_delta", "seed", "tau", "correct")
CELL = ["graph", "K", "algorithm", "log_inv_delta"]


def read_published(path: os.PathLike | str) -> pd.DataFrame:
    """The table of published runs; refuses what is none."""
    try:
        table = pd.read_csv(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror} (name the CSV file of published runs)") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: no CSV file: {error} (must have the columns {', '.join(COLUMNS)})") from None
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise UserError(f"{path}: no column {missing[0]} (must have {', '.join(COLUMNS)})")
    if not len(table):
        raise UserError(f"{path}: no rows")
    for name in ("K", "log_inv_delta", "seed", "tau", "correct"):
        if not pd.api.types.is_numeric_dtype(table[name]) or table[name].isna().any():
            raise UserError(f"{path}: column {name} is not all numbers")
    return table


# The published instances (the files name graph and K alone).
PUBLISHED = {
    "ring": {"p": lambda K: 0.3},
    "loopless-clique": {"p": lambda K: 0.5},
    "loopy-star": {"p": lambda K: 0.2, "q": lambda K: 0.25, "r": lambda K: 0.25},
    "loopy-star-alt": {"p": lambda K: 0.0, "q": lambda K: 0.25, "r": lambda K: 0.125 / (K - 1)},
}


def matching_runs(results: Results, published: pd.DataFrame) -> pd.DataFrame:
    """Rows of our runs in the published cells; of cases with the published parameters."""
    results.require_times("compare")
    runs = results.runs_frame()
    runs = runs[runs.tau.notna() & runs.graph.isin(published.graph.unique())]
    for graph, wanted in PUBLISHED.items():
        for name, value in wanted.items():
            runs = runs[
                (runs.graph != graph) | np.isclose(runs[name], value(runs.K.astype(float)), rtol=1e-9, atol=1e-12)
            ]
    # The published clique has the reference's parity; where both are there, take that one.
    clique = runs.graph == "loopless-clique"
    swapped = clique & runs.label.astype(str).str.contains("parity=reference")
    if swapped.any():
        runs = runs[~clique | swapped]
    runs = runs[runs.K.isin(published.K.unique())]
    if not len(runs):
        raise UserError(
            f"{results.names}: no case that was published (graph, K and parameters of " "jobs/paper-main.toml)"
        )
    twice = runs.groupby(["graph", "K"], observed=True).label.nunique()
    if (twice > 1).any():
        graph, K = twice.index[(twice > 1).argmax()]
        raise UserError(f"several cases of {graph} K={K} match the published one (choose with --cases)")
    # Confidences are written in decimal in both; match them by value, not by bits.
    targets = np.sort(published.log_inv_delta.unique())
    at = np.searchsorted(targets, runs.log_inv_delta.to_numpy() - 1e-9)
    near = (at < len(targets)) & np.isclose(targets[np.minimum(at, len(targets) - 1)], runs.log_inv_delta, atol=1e-9)
    return runs[near].assign(log_inv_delta=targets[np.minimum(at, len(targets) - 1)][near])


def test_table(ours: pd.DataFrame, published: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """One row per published cell that we have runs of: medians, the bootstrap interval of the published median, whether ours
    lies in it, a rank test and a Kolmogorov–Smirnov test with Holm-adjusted p-values, error counts."""
    from scipy import stats  # takes a second to import, and nothing else here needs it

    groups = dict(iter(ours.groupby(CELL, observed=True)))
    rows = []
    for key, theirs in published.groupby(CELL):
        if key not in groups:
            continue
        mine = groups[key]
        a, b = mine.tau.to_numpy(), theirs.tau.to_numpy(dtype=float)
        low, high = median_interval(b, level)
        rows.append(
            (
                *key,
                len(a),
                len(b),
                np.median(a),
                np.median(b),
                low,
                high,
                low <= np.median(a) <= high,
                stats.mannwhitneyu(a, b, alternative="two-sided").pvalue,
                stats.ks_2samp(a, b).pvalue,
                int((~mine.correct.astype(bool)).sum()),
                int((theirs.correct == 0).sum()),
            )
        )
    table = pd.DataFrame(
        rows,
        columns=[
            *CELL,
            "runs",
            "published_runs",
            "median",
            "published_median",
            "interval_low",
            "interval_high",
            "inside",
            "rank_p",
            "ks_p",
            "errors",
            "published_errors",
        ],
    )
    table["rank_p_holm"] = holm(table.rank_p)
    table["ks_p_holm"] = holm(table.ks_p)
    return table


def summary(table: pd.DataFrame) -> list[str]:
    """A few lines on a table of tests."""
    lines = []
    for name, part in (
        ("all cells", table),
        *((f"ln(1/delta) = {x:g}", table[table.log_inv_delta == x]) for x in sorted(table.log_inv_delta.unique())),
    ):
        lines.append(
            f"{name}: median inside the published 95 % bootstrap interval in {int(part.inside.sum())} of {len(part)} "
            f"({100 * part.inside.mean():.1f} %)"
        )
    lines.append(
        f"rank test: {int((table.rank_p_holm < 0.05).sum())} of {len(table)} cells differ at 5 % after Holm's "
        f"correction (smallest p {table.rank_p.min():.2g})"
    )
    lines.append(
        f"Kolmogorov-Smirnov: {int((table.ks_p_holm < 0.05).sum())} of {len(table)} (smallest p "
        f"{table.ks_p.min():.2g})"
    )
    return lines


def distributions(ours: pd.DataFrame, published: pd.DataFrame, log_inv_delta: float | None = None) -> Figure:
    """Box plots of τ at one δ: ours in colour, the published one white beside it; a panel per graph and K."""
    at = confidence(ours, log_inv_delta)
    ours, published = ours[ours.log_inv_delta == at], published[published.log_inv_delta == at]
    algorithms = [a for a in style.in_order(ours.algorithm.unique()) if a in set(published.algorithm)]
    graphs = style.graphs_in_order(ours.graph.unique())
    sizes = sorted(ours.K.unique())
    figure, panels = plt.subplots(
        len(graphs), len(sizes), squeeze=False, sharex=True, figsize=(style.PAGE, 0.7 + 1.75 * len(graphs))
    )
    for row, graph in zip(panels, graphs):
        for panel, K in zip(row, sizes):
            for x, name in enumerate(algorithms):
                for offset, runs, pale in zip(dodge(2, 0.8), (ours, published), (False, True)):
                    values = runs[(runs.graph == graph) & (runs.K == K) & (runs.algorithm == name)].tau
                    if len(values):
                        box = Box.of(Sample.of(values))
                        draw_boxes(panel, [(x + offset, box, style.algorithm_colour(name))], 0.34, 3.5, pale)
            panel.set_yscale("log")
            panel.autoscale_view()
            panel.set_ylim(*panel.get_ylim())
            layout.log_axis(panel.yaxis)
            panel.set_xlim(-0.6, len(algorithms) - 0.4)
            layout.tick_names(
                panel, range(len(algorithms)), [style.algorithm_name(a).replace(" (", "\n(") for a in algorithms]
            )
            panel.grid(False, axis="x")
            layout.title(panel, f"{style.graph_name(graph)}, {equation('K', K)}")
        row[0].set_ylabel(style.TAU)
    counts = ours.groupby(CELL, observed=True).tau.count(), published.groupby(CELL).tau.count()
    layout.legend(
        figure,
        [
            Patch(facecolor="#888888", edgecolor="#222222", linewidth=0.9, label=f"ours ({counts[0].max()} seeds)"),
            Patch(facecolor="white", edgecolor="#222222", linewidth=0.9, label=f"published ({counts[1].max()} seeds)"),
            Line2D([], [], color="#000000", marker="+", linestyle="none", markersize=5, label="mean"),
        ],
    )
    layout.note(figure, f"{delta_text(at)}. {READ}")
    return figure


def medians(table: pd.DataFrame) -> Figure:
    """Our median over the published one in every cell, with the published bootstrap interval; those outside are filled."""
    graphs, sizes = style.graphs_in_order(table.graph.unique()), sorted(table.K.unique())
    algorithms = style.in_order(table.algorithm.unique())
    figure, panels = plt.subplots(
        len(graphs), len(sizes), squeeze=False, sharex=True, sharey="row", figsize=(style.PAGE, 0.8 + 1.6 * len(graphs))
    )
    logs = sorted(table.log_inv_delta.unique())
    label, words = delta_axis(logs)
    for row, graph in zip(panels, graphs):
        for panel, K in zip(row, sizes):
            panel.axhline(1.0, color="#000000", linewidth=0.6)
            for offset, name in zip(dodge(len(algorithms), 0.8), algorithms):
                part = table[(table.graph == graph) & (table.K == K) & (table.algorithm == name)]
                x = np.array([logs.index(v) for v in part.log_inv_delta]) + offset
                colour, scale = style.algorithm_colour(name), part.published_median
                panel.vlines(
                    x, part.interval_low / scale, part.interval_high / scale, color=colour, linewidth=1.0, alpha=0.6
                )
                for inside, face in ((True, "white"), (False, colour)):
                    here = (part.inside == inside).to_numpy()
                    panel.plot(
                        x[here],
                        (part["median"] / scale)[here],
                        style.algorithm_marker(name),
                        mfc=face,
                        mec=colour,
                        ms=3.2 if inside else 5.0,
                        mew=0.8,
                    )
            panel.set_yscale("log")
            panel.set_ylim(*panel.get_ylim())
            layout.log_axis(panel.yaxis)
            panel.set_xlim(-0.5, len(logs) - 0.5)
            layout.tick_names(panel, range(len(logs)), words)
            layout.title(panel, f"{style.graph_name(graph)}, {equation('K', K)}")
            panel.grid(False, axis="x")
        row[0].set_ylabel("median / published")
    for panel in panels[-1]:
        panel.set_xlabel(label)
    layout.legend(figure, style.handles(algorithms))
    layout.note(
        figure,
        "Bars: 95 % bootstrap interval of the published median (over that median). Large filled marks: our median lies "
        f"outside ({int((~table.inside).sum())} of {len(table)}).",
    )
    return figure


def compare(
    results: Results,
    path: os.PathLike | str,
    folder: pathlib.Path,
    formats=("png", "pdf"),
    dpi: float = 300,
    log_inv_delta: float | None = None,
) -> tuple[pd.DataFrame, list[pathlib.Path], list[str]]:
    """Writes published-boxes, published-medians and published-tests.csv; returns the table, the paths, and remarks."""
    published = read_published(path)
    ours = matching_runs(results, published)
    table = test_table(ours, published)
    if not len(table):
        raise UserError(f"{path}: no cell in common with {results.names} (graph, K, algorithm, " "ln(1/δ))")
    remarks = []
    conventions = results.settings[0][1]
    if conventions != "reference":
        remarks.append(
            f"these runs follow conventions = {conventions}; the published ones follow reference (docs/fidelity.md)"
        )
    written = []
    with style.applied():
        for name, drawing in (
            ("published-boxes", distributions(ours, published, log_inv_delta)),
            ("published-medians", medians(table)),
        ):
            written += style.save(drawing, folder, name, formats, dpi)
            plt.close(drawing)
    target = pathlib.Path(folder) / "published-tests.csv"
    with replacing(target) as temporary:
        without_formulas(table).to_csv(temporary, index=False)
    return table, [*written, target], remarks
