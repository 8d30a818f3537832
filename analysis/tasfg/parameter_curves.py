"""T* over one parameter or two, enclosed at every point in between: `tasfg curve` in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .core import core
from .errors import UserError
from .models import _short, checked_text, checked_threads, listable
from .simulation import _by_name, whole

OPTIONS = ("conventions", "samples", "threads", "width")


def curve(
    family: str,
    over: Mapping[str, tuple[float, float]],
    tolerance: float | None = None,
    *,
    means: Any = None,
    reward: str = "gaussian",
    variance: float | None = None,
    options: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """T* of a graph family over one parameter, or two, enclosed at every point in between.

    curve("loopy-star", {"p": (0, 1)}, 1e-3, q=1, r="p/4"). Columns over one parameter: p, T_star, T_star_lower, T_low_to_next,
    T_high_to_next; over two: p_low, p_high, q_low, q_high, T_low, T_high: those of `tasfg curve --csv`, bit by bit. Parameters
    are numbers, or expressions of the others as texts. `options`: width, samples, conventions and threads, as of the program.

    `.attrs` of the table hold its description, the parameters that are sampled (with the reason; nothing is promised between
    their values) and the regimes: where the support of ω* changes, which vertices enter and which leave."""
    library = core()
    if not isinstance(over, Mapping):
        raise UserError(f"over = {_short(over)} (must be a dict of ranges, as {{'p': (0, 1)}})")
    given = _by_name(options, "options")
    for name in given:
        if name not in OPTIONS:
            raise UserError(
                f"options: {_short(name)} (must be one of {', '.join(OPTIONS)}; files are for tasfg curve -o)"
            )
    columns, said = library.curve(
        checked_text(family, "family"),
        {name: _text(value, name) for name, value in parameters.items()},
        [(checked_text(name, "over"), *_range(name, ends)) for name, ends in over.items()],
        _numbers(means),
        checked_text(reward, "reward"),
        {} if variance is None else {"variance": _number(variance, "variance")},
        None if tolerance is None else _number(tolerance, "tolerance"),
        _number(given["width"], "width") if "width" in given else None,
        whole(given["samples"], "samples", 0, 1_000_000) if "samples" in given else None,
        checked_text(given.get("conventions", "paper"), "conventions"),
        checked_threads(given.get("threads", 0)),
    )
    table = pd.DataFrame(columns)
    for name in said["sampled"]:
        for column in {name, f"{name}_low", f"{name}_high"} & set(columns):
            if (table[column] == table[column].round()).all():
                table[column] = table[column].astype(np.int64)  # numbers of vertices
    table.attrs.update(said)
    return table


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"{what} = {_short(value)} (must be a number)") from None


def _text(value: Any, name: str) -> str:
    """A parameter as the program reads it."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    number = _number(value, name)
    return repr(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _range(name: str, ends: Any) -> tuple[float, float]:
    values = list(ends) if listable(ends) else []
    if len(values) != 2:
        raise UserError(f"over: {name} = {_short(ends)} (must be the two ends of a range, as (0, 1))")
    low, high = (_number(each, f"over: {name}") for each in values)
    return low, high


def _numbers(means: Any) -> list[float]:
    if means is None:
        return []
    if not listable(means) or len(means) == 0:
        raise UserError(f"means = {_short(means)} (must be a list of numbers)")
    return [_number(each, "means") for each in means]
