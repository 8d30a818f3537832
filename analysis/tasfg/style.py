"""How figures look: sizes, fonts, names, and one colour per algorithm everywhere.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; curves of one panel differ in line style, too.
Formulas are plain Unicode text: Matplotlib takes longer to read its own mathtext than to draw all the rest of a panel,
and a dollar sign in a name of the user's is then a dollar sign.
"""

from __future__ import annotations

import contextlib
import logging
import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .errors import UserError
from .files import replacing

logging.getLogger("fontTools").setLevel(logging.ERROR)  # it remarks on the date of the fonts it embeds

COLUMN, PAGE = 3.35, 6.9  # widths of one column and of the page, inches
FORMATS = ("png", "pdf", "svg")

BLACK, GREY, PALE = "#222222", "#666666", "#DDDDDD"
ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7"
CURVES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY)
DASHES = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (8, 2)),
    (0, (2, 2)),
)
WIDTHS = (2.2, 1.6, 1.2, 1.1, 1.0, 0.9, 0.8)  # curves that coincide stay visible under each other
BOUND_DASH, PRACTICAL_DASH = (0, (4, 2)), (0, (1, 1.2))


@dataclass(frozen=True)
class Look:
    """Name in figures, colour and marker of an algorithm."""

    name: str
    colour: str
    marker: str


# The only table of algorithms here.
ALGORITHMS = {
    "tas-fg": Look("TaS-FG", BLUE, "o"),
    "tas-fg-heur": Look("TaS-FG (heur.)", SKY, "s"),
    "exp3.g": Look("EXP3.G", ORANGE, "^"),
    "ucb-fg-e": Look("UCB-FG-E", GREEN, "D"),
    "ucb-fg-v": Look("UCB-FG-V", VERMILION, "v"),
    "tas-fg-argmax": Look("TaS-FG (argmax)", "#004B75", "P"),
    "tas-fg-topk": Look("TaS-FG (top-k)", "#8FA9C4", "X"),
    "eps-greedy": Look("ε-greedy", "#CDBE00", "<"),
    "eps-greedy-info": Look("ε-greedy (info)", "#8C5A00", ">"),
    "uniform": Look("uniform", PURPLE, "h"),
    "oracle": Look("oracle", "#9A9A9A", "*"),
}
# Colours and markers of algorithms that are not in the table (rules of a user's own), in the order of their names.
OTHERS = (
    ("#7A3E9D", "d"),
    ("#B5121B", "p"),
    ("#5C8A00", "H"),
    ("#00808A", "8"),
    ("#E2725B", "4"),
    ("#3B3B98", "3"),
    ("#A0785A", "2"),
    ("#2E4E3F", "1"),
)
_own: dict[str, Look] = {}

GRAPHS = {
    "loopy-star": "Loopy star",
    "loopy-star-alt": "Loopy star (alt.)",
    "ring": "Ring",
    "loopless-clique": "Loopless clique",
    "symmetric": "Symmetric graph",
    "bandit": "Bandit",
    "full": "Full feedback",
    "apple-tasting": "Apple tasting",
    "revealing-action": "Revealing action",
    "random": "Random graph",
    "torus": "Torus",
    "k-regular": "Regular graph",
    "power-law": "Power-law graph",
    "geometric": "Geometric graph",
    "file": "Graph from a file",
}
NARROW = "\u202f"  # a narrow space at which no line is broken
T_STAR, OMEGA_STAR, M_STAR = "T*", "ω*", "m*"
OMEGA_HEUR, T_HEUR = "ωₕₑᵤᵣ", "Tₕₑᵤᵣ"
M_NORM, DISTANCE = "‖m*‖₂", f"½{NARROW}‖ω*{NARROW}−{NARROW}ωₕₑᵤᵣ‖₁"
RATE = "rate of observation ‖Gᵀω*‖₂"
LOG_INV_DELTA, DELTA, TAU, DRAWS = "ln(1/δ)", "δ", "τ (draws)", "t (draws)"
NORMALISED = f"τ{NARROW}/{NARROW}(T*{NARROW}kl(δ,{NARROW}1−δ))"
T_RATIO = f"T(N/t){NARROW}/{NARROW}T*"

RC = {
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "axes.grid": True,
    "grid.color": PALE,
    "grid.linewidth": 0.4,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "tasfg",
    "figure.constrained_layout.use": True,
    "hatch.linewidth": 0.5,
}


def meet(algorithms: Iterable[str]) -> None:
    """Gives the algorithms of a study that the table lacks colours of their own. Two studies that are drawn one after the other
    agree on those that both have."""
    for name in sorted(set(map(str, algorithms)) - ALGORITHMS.keys() - _own.keys()):
        _own[name] = Look(name, *OTHERS[len(_own) % len(OTHERS)])


def _look(name: str) -> Look:
    if name not in ALGORITHMS:
        meet([name])
    return ALGORITHMS.get(name) or _own[name]


def algorithm_name(name: str) -> str:
    """Name of an algorithm in figures."""
    return _look(name).name


def algorithm_colour(name: str) -> str:
    """Colour of an algorithm, the same in every figure."""
    return _look(name).colour


def algorithm_marker(name: str) -> str:
    """Marker of an algorithm, the same in every figure."""
    return _look(name).marker


def in_order(names: Iterable[str]) -> list[str]:
    """Algorithms in the order of the table above, a user's own last."""
    known = list(ALGORITHMS)
    return sorted(names, key=lambda n: (known.index(n) if n in known else len(known), n))


def graph_name(family: str) -> str:
    """Name of a graph family in figures."""
    return GRAPHS.get(family, family)


def graphs_in_order(families: Iterable[str]) -> list[str]:
    """Graph families in the order of the table above, unknown ones last."""
    known = list(GRAPHS)
    return sorted(families, key=lambda n: (known.index(n) if n in known else len(known), n))


def ink_on(colour: str, dark: float = 0.32) -> str:
    """Black or white, whichever can be seen on a colour; black only on those lighter than `dark` (small letters need more)."""
    red, green, blue = matplotlib.colors.to_rgb(colour)
    return "#000000" if 0.3 * red + 0.59 * green + 0.11 * blue > dark else "#FFFFFF"


def many(count: int) -> list[tuple[str, Any, float]]:
    """Colour, dash and width of that many lines: those above for a few, shades of one map for many."""
    if count <= len(CURVES):
        return list(zip(CURVES, DASHES, WIDTHS))[:count]
    shades = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.92, count))
    return [(matplotlib.colors.to_hex(shade), "-", 1.0) for shade in shades]


@contextlib.contextmanager
def applied() -> Iterator[None]:
    """The settings above, for what is drawn and saved inside."""
    with plt.rc_context(RC):
        yield


def save(
    figure: Figure, folder: pathlib.Path, name: str, formats: Iterable[str] = ("png", "pdf"), dpi: float = 300
) -> list[pathlib.Path]:
    """Writes folder/name.FORMAT for each format, each whole or not at all."""
    written = []
    for form in formats:
        if form not in FORMATS:
            raise UserError(f"--format {form} (must be of {', '.join(FORMATS)})")
        path = pathlib.Path(folder) / f"{name}.{form}"
        with replacing(path) as temporary, applied():
            # No dates: the same data give the same file.
            metadata = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}[form]
            figure.savefig(temporary, format=form, dpi=dpi, metadata=metadata)
        written.append(path)
    return written


def handles(algorithms: list[str]) -> list[Line2D]:
    """Legend entries of lines with the markers of algorithms."""
    return [
        Line2D(
            [],
            [],
            color=algorithm_colour(a),
            marker=algorithm_marker(a),
            ms=3.5,
            lw=1.0,
            label=algorithm_name(a),
        )
        for a in algorithms
    ]
