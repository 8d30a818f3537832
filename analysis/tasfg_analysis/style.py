"""How figures look: sizes, fonts, names, and one colour per algorithm everywhere.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; curves of one panel differ in line style, too.
No LaTeX is needed: formulas are Matplotlib's own mathtext.
"""

from __future__ import annotations

import contextlib
import logging
import pathlib
import re
from collections.abc import Iterable, Iterator

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from .errors import UserError  # noqa: E402
from .files import replacing  # noqa: E402

logging.getLogger("fontTools").setLevel(logging.ERROR)  # it remarks on the date of the fonts it embeds

COLUMN, PAGE = 3.35, 6.9  # widths of one column and of the page, inches
FORMATS = ("png", "pdf", "svg")

ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
GREY = "#666666"
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

# The only table of algorithms here: name in the file, name in figures, colour, marker. Unknown ones get what is left.
ALGORITHMS = {
    "tas-fg": ("TaS-FG", BLUE, "o"),
    "tas-fg-heur": ("TaS-FG (heur.)", SKY, "s"),
    "exp3.g": ("EXP3.G", ORANGE, "^"),
    "ucb-fg-e": ("UCB-FG-E", GREEN, "D"),
    "ucb-fg-v": ("UCB-FG-V", VERMILION, "v"),
    "tas-fg-argmax": ("TaS-FG (argmax)", "#004B75", "P"),
    "tas-fg-topk": ("TaS-FG (top-k)", "#8FA9C4", "X"),
    "eps-greedy": ("ε-greedy", YELLOW, "<"),
    "eps-greedy-info": ("ε-greedy (info)", "#B8860B", ">"),
    "uniform": ("uniform", PURPLE, "h"),
    "oracle": ("oracle", "#000000", "*"),
}
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
    "file": "Graph from a file",
}
# Greek is spelled in mathtext: with its own fonts in PDF and SVG.
T_STAR, OMEGA_STAR, M_NORM = r"$T^{\star}$", r"$\omega^{\star}$", r"$\Vert m^{\star}\Vert_2$"
OMEGA_HEUR, M_STAR = r"$\omega_{\mathrm{heur}}$", r"$m^{\star}$"
LOG_INV_DELTA = r"$\ln(1/\delta)$"
NORMALISED = r"$\tau\,/\,(T^{\star}\,\mathrm{kl}(\delta,1-\delta))$"

RC = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
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
    "grid.color": "#DDDDDD",
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
}


def algorithm_name(name: str) -> str:
    return ALGORITHMS.get(name, (name,))[0]


def algorithm_colour(name: str) -> str:
    return ALGORITHMS[name][1] if name in ALGORITHMS else GREY


def algorithm_marker(name: str) -> str:
    return ALGORITHMS[name][2] if name in ALGORITHMS else "."


def in_order(names: Iterable[str]) -> list[str]:
    """Algorithms in the order of the table above, unknown ones last."""
    known = list(ALGORITHMS)
    return sorted(names, key=lambda n: (known.index(n) if n in known else len(known), n))


def graph_name(family: str) -> str:
    return GRAPHS.get(family, family)


def graphs_in_order(families: Iterable[str]) -> list[str]:
    known = list(GRAPHS)
    return sorted(families, key=lambda n: (known.index(n) if n in known else len(known), n))


@contextlib.contextmanager
def applied() -> Iterator[None]:
    with plt.rc_context(RC):
        yield


def plain_log(axis, subs=(1, 2, 5)) -> None:
    """Ticks of a log axis as plain numbers (10, 20, 50, 100); powers where the axis spans many decades."""
    low, high = axis.get_view_interval()
    if high / max(low, 1e-300) > 1e4:
        axis.set_major_locator(LogLocator(numticks=12))
        return
    if high / max(low, 1e-300) > 300:
        subs = (1,)
    elif high / max(low, 1e-300) < 8:
        subs = (1, 1.5, 2, 3, 4, 5, 6, 8)
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}".replace(",", " ") if x >= 10 else f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend(figure: Figure, handles: list, title: str = "") -> None:
    """A legend above all panels, in as many rows as its width asks for, under a title if there is one.

    constrained_layout knows titles, not legends of a figure: blank title lines keep the place."""
    labels = [re.sub(r"\\mathrm|\\star|[${}^_]", "", handle.get_label()).replace("\\omega", "w") for handle in handles]
    columns = len(handles)
    while columns > 1:
        widest = [
            max(
                0.052 * len(label) + 0.42
                for label in labels[c * -(-len(labels) // columns) :][: -(-len(labels) // columns)] or [""]
            )
            for c in range(columns)
        ]
        if sum(widest) <= figure.get_figwidth() - 0.1:
            break
        columns -= 1
    rows = -(-len(handles) // columns)
    figure.suptitle(title + "\n" * bool(title) + " " + "\n " * (rows - 1), fontsize=8.5, linespacing=1.3)
    top = 1.0 - (0.19 if title else 0.02) / figure.get_figheight()
    figure.legend(
        handles=handles,
        loc="upper center",
        ncols=columns,
        bbox_to_anchor=(0.5, top),
        columnspacing=1.2,
        handlelength=1.6,
        borderaxespad=0.0,
    )


def note(figure: Figure, *texts: str) -> None:
    """Lines below the panels, for what a reader must know to read the figure right; empty ones are left out."""
    # supxlabel is laid out by constrained_layout, so nothing can overlap it. Lines are wrapped here: about 21 characters an
    # inch; formulas are shorter than their source, so a line of formulas may end early.
    width = int(21 * figure.get_figwidth())
    lines = []
    for line in filter(None, "\n".join(texts).split("\n")):
        words, now = line.split(" "), ""
        for word in words:
            shown = len(re.sub(r"\\[a-z]+|[\\${}^_]", "", f"{now} {word}"))
            if now and shown > width:
                lines.append(now)
                now = word
            else:
                now = f"{now} {word}".strip()
        lines.append(now)
    figure.supxlabel("\n".join(lines), fontsize=6.3, color="#333333", x=0.01, ha="left", linespacing=1.25)


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
