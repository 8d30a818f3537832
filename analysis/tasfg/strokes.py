"""Many lines of one look, drawn as one path: a path by itself costs as much as twenty lines in it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.path import Path


def joined(pieces: Iterable) -> Path:
    """One path through each of these pieces, (points, 2), with a gap after each."""
    parts = [np.asarray(piece, dtype=float) for piece in pieces]
    if not parts:
        return Path(np.empty((0, 2)))
    codes = [np.full(len(part), Path.LINETO, dtype=Path.code_type) for part in parts]
    for code in codes:
        code[0] = Path.MOVETO
    return Path(np.concatenate(parts), np.concatenate(codes))


class Strokes(LineCollection):
    """Lines of one colour, width and dash."""

    def __init__(self, segments: Iterable, **look) -> None:
        super().__init__([], **look)
        self._lines = [np.asarray(segment, dtype=float) for segment in segments]
        self._path = joined(self._lines)

    def get_segments(self) -> list[np.ndarray]:
        """The lines, (points, 2) each."""
        return self._lines

    def get_paths(self) -> list[Path]:
        """The one path that is drawn."""
        return [self._path]


def upright(axes: Axes, x, low, high, **look) -> Strokes:
    """Upright lines at x from low to high; where an end is missing there is none."""
    low, high = np.broadcast_arrays(np.asarray(low, dtype=float), np.asarray(high, dtype=float))
    ends = [[(at, a), (at, b)] for at, a, b in zip(np.asarray(x, dtype=float), low, high) if not np.isnan(a + b)]
    return axes.add_collection(Strokes(ends, **look))


def level(axes: Axes, y, left, right, **look) -> Strokes:
    """Level lines at y from left to right; where y is missing there is none."""
    rows = np.broadcast_arrays(
        np.asarray(y, dtype=float), np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    )
    ends = [[(a, at), (b, at)] for at, a, b in zip(*map(np.atleast_1d, rows)) if not np.isnan(at)]
    return axes.add_collection(Strokes(ends, **look))
