"""Every figure of the package as a function of a simulation or of result files: `tasfg.plot.boxes(runs)`.

`dir(tasfg.plot)` names them; `tasfg-analysis list` says what each shows. The argument is a Dataset of `tasfg.simulate`, what
`tasfg.open` returns, or a result file's name. `tasfg.plot.over(runs, x="p", y="tau")` draws any quantity over any
parameter, `tasfg.plot.graph(instance)` a graph. Each returns a Matplotlib figure."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def over(source: Any, x: str, y: str, **options: Any) -> Figure:
    """`y` over `x`, a line for each algorithm or `hue`; options as of `Results.plot`."""
    from .simulation import results_of

    return results_of(source).plot(x, y, **options)


def graph(instance: Any, omega: Any = None) -> Figure:
    """The feedback graph on a circle: arrows as wide as their probability, vertices as large as their share of `omega`."""
    import matplotlib.pyplot as plt

    from . import style
    from .models import Graph, Instance

    drawn = instance.graph if isinstance(instance, Instance) else instance
    if not isinstance(drawn, Graph):
        drawn = Instance(instance).graph
    best = instance.best if isinstance(instance, Instance) else -1
    K, matrix = drawn.K, drawn.matrix
    names = drawn.names if drawn.names is not None else range(K)
    angles = np.pi / 2 - 2 * np.pi * np.arange(K) / K
    x, y = np.cos(angles), np.sin(angles)
    share = np.full(K, 1 / K) if omega is None else np.asarray(omega, dtype=float)
    with style.applied():
        figure, axes = plt.subplots(figsize=(style.COLUMN, style.COLUMN))
        for v, u in zip(*np.nonzero(matrix)):
            p = float(matrix[v, u])
            if v == u:
                loop = plt.Circle(
                    (1.14 * x[v], 1.14 * y[v]), 0.1, fill=False, color=style.GREY, lw=0.3 + 1.5 * p, alpha=0.6
                )
                axes.add_patch(loop)
                continue
            arrow = {"arrowstyle": "-|>", "color": style.GREY, "lw": 0.3 + 1.5 * p, "alpha": 0.25 + 0.6 * p}
            axes.annotate(
                "",
                (x[u], y[u]),
                (x[v], y[v]),
                arrowprops={**arrow, "shrinkA": 9, "shrinkB": 9, "connectionstyle": "arc3,rad=0.12"},
            )
        colours = [style.VERMILION if v == best else style.BLUE for v in range(K)]
        axes.scatter(x, y, s=80 + 700 * share / max(share.max(), 1e-12), c=colours, zorder=3)
        for v, name in enumerate(names):
            axes.text(x[v], y[v], str(name)[:12], ha="center", va="center", color="white", fontsize=7, zorder=4)
        axes.set(aspect="equal", xlim=(-1.4, 1.4), ylim=(-1.4, 1.4))
        axes.axis("off")
    return figure


def _drawing(name: str, source: Any, **options: Any) -> Figure:
    from . import figures
    from .simulation import results_of

    return figures.draw(figures.figure_named(name), results_of(source), **options)


def __getattr__(name: str) -> Callable[..., Figure]:
    if name.startswith("_"):
        raise AttributeError(name)
    from . import figures

    figure = figures.FIGURES.get(name.replace("_", "-"))
    if figure is None:
        raise AttributeError(f"tasfg.plot has no figure {name} (dir(tasfg.plot) names them)")
    function = functools.partial(_drawing, figure.name)
    function.__doc__ = figure.summary
    return function


def __dir__() -> list[str]:
    from . import figures

    return ["graph", "over", *(name.replace("-", "_") for name in figures.FIGURES)]
