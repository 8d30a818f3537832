"""Allocations: bar charts of ω*, ω_heur and m*; T along the optimal face of the symmetric graph; pulls against ω*."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import graphs, style, theory
from .errors import NothingToDraw
from .reader import Results
from .samples import dodge
from .selection import MOST_VERTICES, few_vertices, number, shown, single_cases

NOT_UNIQUE = (
    r"†: $\omega^{\star}$ is not unique; drawn is the centre of the optimal set (another solver may return another"
    " point)."
)


def _slice(results: Results, label: str) -> xr.Dataset:
    cases = results.cases
    return cases.isel(case=int(np.flatnonzero(cases.label.values == label)[0]))


def _title(case: pd.Series, with_graph: bool = False) -> str:
    dagger = " †" if case.face_dimension > 0 else ""
    graph = f"{style.graph_name(case.graph)}, " if with_graph else ""
    return graph + case.group.replace("\n", " ") + dagger


def _vertex_axis(axes: Axes, K: int) -> None:
    axes.set_xticks(range(K))
    axes.set_xlim(-0.6, K - 0.4)
    axes.grid(False, axis="x")


def bars(results: Results, graph: str) -> Figure:
    """Bars of ω*, ω_heur and m* per vertex, a panel per K."""
    cases, note = shown(few_vertices(single_cases(results, graph)))
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no single solved case of the graph {graph} with at most {MOST_VERTICES} vertices "
            "(jobs/paper-main.toml and jobs/default.toml have some)"
        )
    sizes = cases.K.astype(int).tolist()
    # Panels in one row while they fit, wide ones below.
    figure, panels = plt.subplots(
        1,
        len(cases),
        squeeze=False,
        sharey=True,
        width_ratios=[k + 2.0 for k in sizes],
        figsize=(style.PAGE if sum(sizes) > 12 else style.COLUMN, 2.35),
    )
    series = (
        ("omega", style.OMEGA_STAR, style.BLUE, ""),
        ("omega_heuristic", style.OMEGA_HEUR, style.SKY, "////"),
        ("m", style.M_STAR, style.ORANGE, ""),
    )
    for panel, (_, case), K in zip(panels[0], cases.iterrows(), sizes):
        data = _slice(results, case.label)
        for offset, (name, _, colour, hatch) in zip(dodge(3, 0.9), series):
            panel.bar(
                np.arange(K) + offset,
                data[name].values[:K],
                width=0.28,
                color=colour,
                hatch=hatch,
                edgecolor="#222222",
                linewidth=0.3,
            )
        _vertex_axis(panel, K)
        panel.set(title=_title(case), xlabel="vertex (best: bold)")
        panel.get_xticklabels()[int(case.best)].set_fontweight("bold")
    panels[0, 0].set_ylabel("share, rate")
    with plt.rc_context({"hatch.linewidth": 0.5}):
        style.legend(
            figure,
            [
                Patch(facecolor=c, hatch=h, edgecolor="#222222", linewidth=0.3, label=f"{text} {what}")
                for (_, text, c, h), what in zip(series, ("optimal", "heuristic", "rates"))
            ],
            style.graph_name(graph),
        )
    style.note(
        figure,
        NOT_UNIQUE if (cases.face_dimension > 0).any() else "",
        note,
        "Vertices are counted from 0.",
    )
    return figure


def symmetric(results: Results) -> Figure:
    """T(ω(x)) on the symmetric graph, ω(x) = (x, 0, 1−x): flat where p′ = p, so every x is optimal; not elsewhere."""
    cases = results.cases_frame()
    cases = cases[
        (cases.graph == "symmetric") & cases.T_star.notna() & np.isclose(cases.p, 0.5) & np.isclose(cases.q, 1.0)
    ]
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no solved symmetric graph with p = 1/2, q = 1 (jobs/fig-symmetric-faces.toml has several)"
        )
    figure, axes = plt.subplots(figsize=(style.COLUMN, 2.6))
    x = np.linspace(0.0, 1.0, 201)
    for (_, case), colour, dash in zip(cases.sort_values("r").iterrows(), style.CURVES, style.DASHES):
        data = _slice(results, case.label)
        G = graphs.edges(data)
        times = [
            theory.characteristic_time([s, 0.0, 1.0 - s], G, data.means.values[:3], float(case.variance)) for s in x
        ]
        face = " †" if case.face_dimension > 0 else ""
        axes.plot(x, times, color=colour, linestyle=dash, label=rf"$p^{{\prime}}={number(case.r)}${face}")
        axes.plot(float(data.omega.values[0]), case.T_star, "o", mfc="white", mec=colour, ms=4)
    axes.set(xlabel=r"$x$, with $\omega(x)=(x,\,0,\,1-x)$", ylabel=r"$T(\omega(x))$", xlim=(0, 1), yscale="log")
    style.plain_log(axes.yaxis)
    axes.legend(ncols=2, loc="upper center")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * 1.5)
    axes.set_title(r"Symmetric graph, $p=1/2$, $q=1$")
    style.note(
        figure,
        r"Rings: $T^{\star}$ at the $\omega^{\star}$ of the file."
        "\n"
        r"†: every $x$ is optimal, a solver may return any of them.",
    )
    return figure


def pulls(results: Results) -> Figure:
    """Share of draws per vertex when the smallest δ stops (mean over seeds, quartiles), against ω*."""
    results.require_runs("pulls")
    cases, note = shown(few_vertices(single_cases(results)))
    shares = {}
    for file in results.files:
        if np.prod(file.shape):
            for label, part in file.pull_shares().groupby("label", squeeze=False):
                part = part.isel(case=0) if "case" in part.dims else part
                if not bool(part.isnull().all()):
                    shares.setdefault(label, []).append(part)
    cases = cases[cases.label.isin(shares)]
    if not len(cases):
        raise NothingToDraw(
            f"{results.names}: no settled runs of a case with at most {MOST_VERTICES} vertices (pulls needs them)"
        )
    algorithms = style.in_order({a for parts in shares.values() for part in parts for a in part.algorithm.values})
    graph_names = list(dict.fromkeys(cases.graph))
    columns = int(cases.groupby("graph").size().max())
    alone = columns == 1 and len(graph_names) > 1  # one case of each graph: two panels a row
    if alone:
        rows, columns = -(-len(graph_names) // 2), 2
        sizes = [max(cases.K.astype(int))] * 2
    else:
        rows = len(graph_names)
        sizes = [
            max(int(k) for k in column)
            for column in zip(*[(list(cases.K[cases.graph == g]) + [5] * columns)[:columns] for g in graph_names])
        ]
    wide = alone or sum(sizes) > 12
    figure, panels = plt.subplots(
        rows,
        columns,
        squeeze=False,
        width_ratios=[k + 2.0 for k in sizes],
        figsize=(style.PAGE if wide else style.COLUMN, 0.6 + 1.8 * rows),
    )
    places = [panels.reshape(-1)[i : i + 1] for i in range(len(graph_names))] if alone else list(panels)
    for panel in panels.reshape(-1)[len(graph_names) :] if alone else ():
        panel.set_visible(False)
    offsets = dodge(len(algorithms), 0.75)
    for row, graph in zip(places, graph_names):
        here = cases[cases.graph == graph]
        for panel in row[len(here) :]:
            panel.set_visible(False)
        for panel, (_, case) in zip(row, here.iterrows()):
            K = int(case.K)
            panel.bar(
                np.arange(K),
                _slice(results, case.label).omega.values[:K],
                width=0.92,
                color="#E3E3E3",
                edgecolor="#888888",
                linewidth=0.4,
            )
            for offset, name in zip(offsets, algorithms):
                values = [
                    part.sel(algorithm=name).values for part in shares[case.label] if name in part.algorithm.values
                ]
                values = np.concatenate(values)[:, :K] if values else np.empty((0, K))
                values = values[~np.isnan(values).any(axis=1)]
                if len(values):
                    low, high = np.percentile(values, [25, 75], axis=0)
                    colour = style.algorithm_colour(name)
                    panel.vlines(np.arange(K) + offset, low, high, color=colour, linewidth=1.0)
                    panel.plot(
                        np.arange(K) + offset,
                        values.mean(axis=0),
                        style.algorithm_marker(name),
                        color=colour,
                        ms=2.4,
                        mew=0,
                    )
            _vertex_axis(panel, K)
            panel.set_ylim(0, None)
            panel.set_title(_title(case, with_graph=True))
            panel.get_xticklabels()[int(case.best)].set_fontweight("bold")
        row[0].set_ylabel("share of draws")
    for panel in panels[-1]:
        panel.set_xlabel("vertex")
    handles = style.handles(algorithms)
    style.legend(
        figure, [Patch(facecolor="#E3E3E3", edgecolor="#888888", linewidth=0.4, label=style.OMEGA_STAR), *handles]
    )
    style.note(
        figure,
        r"Draws of a trajectory up to its smallest $\delta$: mean over seeds, quartiles."
        + (" " if wide else "\n")
        + "Vertices count from 0; bold: the best.",
        NOT_UNIQUE if (cases.face_dimension > 0).any() else "",
        note,
    )
    return figure
