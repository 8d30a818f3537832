"""The only table of figures: name, what it shows, the job it is drawn from, when it applies, the function.

A figure is a function from results (and its few options) to a Matplotlib figure. A new one is one row here."""

from __future__ import annotations

import difflib
import functools
import inspect
import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure as Drawing

from . import allocations, certified, checks, curves, drawings, growth, quantities, samples, style
from .certified import Curves
from .errors import UserError
from .reader import SETTLED
from .results import Results
from .selection import SLOW, few_vertices, single_cases

STUDY = ("loopy-star", "loopy-star-alt", "ring", "loopless-clique")


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    name: str
    summary: str
    job: str  # of jobs/, without .toml; empty: any job with such cases
    draw: Callable[..., Drawing]
    applies: Callable[[Any], bool]  # is there enough in the files to draw it unasked?
    reads: str = "sweep"  # files of `tasfg sweep`, or "curve": of `tasfg curve`

    @property
    def options(self) -> set[str]:
        """Names of what its function takes beside the results."""
        return set(inspect.signature(self.draw).parameters) - {"results"}


def _has_runs(
    results: Results,
    graph: str | None = None,
    algorithm: str | None = None,
    algorithms: int = 1,
    weighted: bool = False,
) -> bool:
    if len(results.settings) > 1 or results.weighted != weighted:
        return False
    names, labels = set(), set()
    for file in results.files:
        settled = np.isin(file.run_status, SETTLED)
        names |= set(file.algorithms[settled.any(axis=(0, 2))])
        labels |= set(file.labels[settled.any(axis=(1, 2))])
    if len(names) < algorithms or (algorithm is not None and algorithm not in names):
        return False
    cases = results.cases
    there = np.isin(cases.label.values.astype(str), list(labels)) & cases.T_star.notnull().values
    return bool((there & ((cases.graph.values == graph) if graph else True)).any())


def _has_small_delta(results: Results) -> bool:
    return _has_runs(results) and any(len(f.log_inv_delta) > 1 and f.log_inv_delta.max() >= 20 for f in results.files)


def _has_checkpoints(results: Results) -> bool:
    return _has_runs(results) and any("checkpoint" in file.coordinates for file in results.files)


def _has_bars(results: Results, graph: str | None = None) -> bool:
    return len(few_vertices(single_cases(results, graph))) > 0


def _table() -> list[Figure]:
    partial, title = functools.partial, style.graph_name
    rows = [
        Figure(
            "loopy-star",
            "T* (log axis) and the rate of observation (twin axis) of the loopy star over p",
            "fig-loopy-star",
            partial(curves.twin, family="loopy-star", r=0.25, job="fig-loopy-star"),
            curves.has_curves("loopy-star", 0.25),
        )
    ]
    studies = (
        ("loopy-star-appendix", "loopy-star", 0.5, "fig-loopy-star-app"),
        ("loopy-star-alt", "loopy-star-alt", None, "fig-loopy-star-alt"),
        ("ring", "ring", None, "fig-ring"),
        ("loopless-clique", "loopless-clique", None, "fig-loopless-clique"),
        ("symmetric-curves", "symmetric", None, "fig-symmetric"),
    )
    rows += [
        Figure(
            name,
            f"T* and the rate of observation over p, two panels: {title(family)}",
            job,
            partial(curves.panels, family=family, r=r, job=job),
            curves.has_curves(family, r),
        )
        for name, family, r, job in studies
    ]
    rows += [
        Figure(
            f"tv-{family}",
            f"distance of ω* from the heuristic allocation over p: {title(family)}",
            job,
            partial(curves.total_variation, family=family, r=r, job=job),
            curves.has_curves(family, r),
        )
        for _, family, r, job in studies[:-1]
    ]
    named = {family for _, family, _, _ in studies}
    rows += [
        Figure(
            "curves",
            "T* over p of the other graphs",
            "",
            partial(curves.others, named=frozenset(named)),
            lambda results: bool(curves.other_families(results, named)),
        ),
        Figure(
            "heatmap",
            "T* over two parameters, in colours",
            "",
            quantities.heatmap,
            lambda results: quantities.grid_parameters(results) is not None,
        ),
        Figure("bars", "bars of ω*, ω_heur and m* per vertex, every graph", "default", allocations.bars, _has_bars),
    ]
    rows += [
        Figure(
            f"bars-{family}",
            f"bars of ω*, ω_heur and m* per vertex: {title(family)}",
            "paper-main",
            partial(allocations.bars, graph=family),
            partial(_has_bars, graph=family),
        )
        for family in STUDY
    ]
    rows += [
        Figure(
            "symmetric",
            "T along the allocations (x, 0, 1−x) of the symmetric graph: where all are optimal",
            "fig-symmetric-faces",
            allocations.symmetric,
            lambda results: len(single_cases(results, "symmetric")) > 0,
        ),
        Figure(
            "boxes",
            "box plots of τ/(T* kl(δ,1−δ)) at one δ, per graph and case",
            "paper-main",
            lambda results, log_inv_delta=None: samples.boxes(results, log_inv_delta),
            _has_runs,
        ),
        Figure(
            "boxes-all",
            "the same with UCB-FG-V, which is far above all others",
            "paper-main",
            lambda results, log_inv_delta=None: samples.boxes(results, log_inv_delta, slow=True),
            partial(_has_runs, algorithm=SLOW, algorithms=3),
        ),
        Figure(
            "tau",
            "box plots of τ over δ, every case, with the lower and the practical bound",
            "paper-appendix",
            lambda results: samples.over_delta(results),
            _has_runs,
        ),
    ]
    rows += [
        Figure(
            f"tau-{family}",
            f"box plots of τ over δ: {title(family)}",
            "paper-appendix",
            lambda results, family=family: samples.over_delta(results, family),
            partial(_has_runs, graph=family),
        )
        for family in STUDY
    ]
    rows += [
        Figure(
            "survival",
            "P(τ > t) at one δ, Kaplan–Meier, capped runs censored",
            "paper-main",
            samples.survival,
            _has_runs,
        ),
        Figure(
            "error-rate",
            "share of wrong recommendations per δ, with Clopper–Pearson intervals",
            "paper-main",
            checks.error_rate,
            _has_runs,
        ),
        Figure(
            "error",
            "probability of a wrong answer over δ by weighted runs, however small, beside δ itself",
            "error",
            checks.error,
            partial(_has_runs, weighted=True),
        ),
        Figure(
            "anytime",
            "error of the answer after t draws, and T at the draws' shares over T*, from the checkpoints of a sweep",
            "anytime",
            checks.anytime,
            _has_checkpoints,
        ),
        Figure(
            "paired",
            "algorithms compared on the same seeds (common random numbers)",
            "paper-main",
            checks.paired,
            partial(_has_runs, algorithms=2),
        ),
        Figure(
            "small-delta",
            "mean τ/(T* ln(1/δ)) as δ goes to 0, with its limits",
            "small-delta",
            checks.small_delta,
            _has_small_delta,
        ),
        Figure(
            "tau-delta",
            "mean τ·δ of UCB-FG-V as δ goes to 0",
            "small-delta",
            checks.tau_delta,
            lambda results: _has_small_delta(results) and _has_runs(results, algorithm=checks.EXPONENTIAL),
        ),
        Figure(
            "scaling",
            "mean τ over the number of vertices K, log–log, with slopes",
            "scaling",
            growth.scaling,
            lambda results: _has_runs(results) and bool(growth.families(results.cases_frame())),
        ),
        Figure(
            "pulls",
            "share of draws of each vertex at stopping, against ω*",
            "paper-main",
            allocations.pulls,
            lambda results: _has_runs(results) and bool((results.cases.K <= 40).any()),
        ),
        Figure(
            "graphs",
            "drawings of the graphs with the probability of each edge",
            "default",
            drawings.drawings,
            lambda results: bool((single_cases(results).K <= drawings.MOST_VERTICES).any()),
        ),
        Figure(
            "curve",
            "T* over a parameter, enclosed at every point, with the changes of regimes",
            "curves",
            certified.curve,
            lambda files: all(len(file.axes) == 1 for file in files.files),
            reads="curve",
        ),
        Figure(
            "map",
            "T* over two parameters in colours, with contour lines and the boundaries of regimes",
            "curves",
            certified.chart,
            lambda files: len(files.files) == 1 and len(files.files[0].axes) == 2,
            reads="curve",
        ),
    ]
    return rows


FIGURES = {figure.name: figure for figure in _table()}


def figure_named(name: str) -> Figure:
    """The row of a name; refuses others with the nearest."""
    if name in FIGURES:
        return FIGURES[name]
    near = difflib.get_close_matches(name, FIGURES, n=1)
    hint = f'did you mean "{near[0]}"?' if near else "`list` names them all"
    raise UserError(f"no figure {name} ({hint})")


def applicable(results: Results) -> list[Figure]:
    """The figures that the files have data for."""
    reads = "curve" if isinstance(results, certified.Curves) else "sweep"
    return [figure for figure in FIGURES.values() if figure.reads == reads and figure.applies(results)]


def draw(figure: Figure, results: Results | Curves, **options) -> Drawing:
    """The Matplotlib figure; options that it does not take are left out. The caller closes it."""
    given = {name: value for name, value in options.items() if value is not None and name in figure.options}
    if isinstance(results, Results):
        style.meet(results.algorithms)
    with style.applied():
        before = set(plt.get_fignums())
        try:
            return figure.draw(results, **given)
        except BaseException:
            for number in set(plt.get_fignums()) - before:
                plt.close(number)
            raise


def write(
    figure: Figure,
    results: Results | Curves,
    folder: pathlib.Path,
    formats: Iterable[str] = ("png", "pdf"),
    dpi: float = 300,
    **options,
) -> list[pathlib.Path]:
    """Draws a figure into folder/NAME.FORMAT."""
    drawing = draw(figure, results, **options)
    try:
        return style.save(drawing, folder, figure.name, formats, dpi)
    finally:
        plt.close(drawing)
