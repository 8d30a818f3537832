"""The only table of figures: name, what it shows, the job it is drawn from, when it applies, the function.

A figure is a function from results (and its few options) to a Matplotlib figure. A new one is one row here."""

from __future__ import annotations

import functools
import inspect
import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure as Drawing

from . import allocations, checks, curves, drawings, graphs, samples, style
from .errors import UserError
from .reader import CAPPED, DONE, Results
from .selection import few_vertices, single_cases

STUDY = ("loopy-star", "loopy-star-alt", "ring", "loopless-clique")


@dataclass(frozen=True)
class Figure:
    name: str
    summary: str
    job: str  # of jobs/, without .toml
    draw: Callable[..., Drawing]
    applies: Callable[[Results], bool]  # is there enough in the files to draw it unasked?

    @property
    def options(self) -> set[str]:
        return set(inspect.signature(self.draw).parameters) - {"results"}


def _settled(file) -> bool:
    return bool(np.isin(file.run_status, (DONE, CAPPED)).any())


def _has_runs(results: Results, graph: str | None = None, algorithm: str | None = None, algorithms: int = 1) -> bool:
    if len(results.settings) > 1:
        return False
    names = set()
    for file in results.files:
        if _settled(file):
            names |= set(file.algorithms)
    if len(names) < algorithms or (algorithm is not None and algorithm not in names):
        return False
    cases = single_cases(results, graph)
    return bool(cases.label.isin([label for file in results.files if _settled(file) for label in file.labels]).any())


def _has_small_delta(results: Results) -> bool:
    return _has_runs(results) and any(len(f.log_inv_delta) > 1 and f.log_inv_delta.max() >= 20 for f in results.files)


def _table() -> list[Figure]:
    partial = functools.partial
    title = style.graph_name
    rows = [
        Figure(
            "loopy-star",
            "T* (log axis) and the rate of observation (twin axis) of the loopy star over p; main text",
            "fig-loopy-star",
            lambda results: curves.twin(results, "loopy-star", 0.25, "fig-loopy-star"),
            curves.has_curves("loopy-star", 0.25),
        ),
    ]
    for name, family, r, job in (
        ("loopy-star-appendix", "loopy-star", 0.5, "fig-loopy-star-app"),
        ("loopy-star-alt", "loopy-star-alt", None, "fig-loopy-star-alt"),
        ("ring", "ring", None, "fig-ring"),
        ("loopless-clique", "loopless-clique", None, "fig-loopless-clique"),
        ("symmetric-curves", "symmetric", None, "fig-symmetric"),
    ):
        rows.append(
            Figure(
                name,
                f"T* and the rate of observation over p, two panels: {title(family)}"
                + "; appendix" * (family != "symmetric"),
                job,
                lambda results, family=family, r=r, job=job: curves.panels(results, family, r, job),
                curves.has_curves(family, r),
            )
        )
    for family, r, job in (
        ("loopy-star", 0.5, "fig-loopy-star-app"),
        ("loopy-star-alt", None, "fig-loopy-star-alt"),
        ("ring", None, "fig-ring"),
        ("loopless-clique", None, "fig-loopless-clique"),
    ):
        rows.append(
            Figure(
                f"tv-{family}",
                f"distance of ω* from the heuristic allocation over p: {title(family)}; appendix",
                job,
                lambda results, family=family, r=r, job=job: curves.total_variation(results, family, r, job),
                curves.has_curves(family, r),
            )
        )
    for family in STUDY:
        rows.append(
            Figure(
                f"bars-{family}",
                f"bars of ω*, ω_heur and m* per vertex: {title(family)}",
                "paper-main",
                lambda results, family=family: allocations.bars(results, family),
                lambda results, family=family: len(few_vertices(single_cases(results, family))) > 0,
            )
        )
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
            "box plots of τ/(T* kl(δ,1−δ)) at δ = e⁻⁷, without UCB-FG-V; main text",
            "paper-main",
            lambda results, log_inv_delta=None: samples.boxes(results, log_inv_delta),
            _has_runs,
        ),
        Figure(
            "boxes-all",
            "the same with UCB-FG-V, on a log axis",
            "paper-main",
            lambda results, log_inv_delta=None: samples.boxes(results, log_inv_delta, slow=True),
            partial(_has_runs, algorithm=samples.SLOW),
        ),
        Figure(
            "tau",
            "box plots of τ over ln(1/δ), every graph and K; appendix",
            "paper-appendix",
            lambda results: samples.over_delta(results),
            _has_runs,
        ),
    ]
    for family in STUDY:
        rows.append(
            Figure(
                f"tau-{family}",
                f"τ over ln(1/δ): {title(family)}; appendix",
                "paper-appendix",
                lambda results, family=family: samples.over_delta(results, family),
                partial(_has_runs, graph=family),
            )
        )
    rows += [
        Figure(
            "error-rate",
            "share of wrong recommendations over δ, with Clopper–Pearson intervals",
            "paper-main",
            checks.error_rate,
            _has_runs,
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
            "pulls",
            "share of draws of each vertex at stopping, against ω*",
            "paper-main",
            allocations.pulls,
            lambda results: _has_runs(results) and len(few_vertices(single_cases(results))) > 0,
        ),
        Figure(
            "graphs",
            "drawings of the graphs with the probability of each edge",
            "default",
            drawings.drawings,
            lambda results: bool(
                (single_cases(results).graph.map(graphs.known) & (single_cases(results).K <= 20)).any()
            ),
        ),
    ]
    return rows


FIGURES = {figure.name: figure for figure in _table()}


def figure_named(name: str) -> Figure:
    if name in FIGURES:
        return FIGURES[name]
    import difflib

    near = difflib.get_close_matches(name, FIGURES, n=1)
    hint = f'did you mean "{near[0]}"?' if near else "`list` names them all"
    raise UserError(f"no figure {name} ({hint})")


def applicable(results: Results) -> list[Figure]:
    return [figure for figure in FIGURES.values() if figure.applies(results)]


def draw(figure: Figure, results: Results, **options) -> Drawing:
    """The Matplotlib figure; options that it does not take are left out. The caller closes it."""
    given = {name: value for name, value in options.items() if value is not None and name in figure.options}
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
    results: Results,
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
