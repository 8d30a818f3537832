"""What figures and tables call cases, parameters and confidences: short, and telling apart what differs."""

from __future__ import annotations

import pathlib
from fractions import Fraction

import numpy as np
import pandas as pd

from . import style
from .reader import parameter_words

LONGEST = 18  # letters of a file's name


def number(value: float) -> str:
    """0.3 → "0.3", 5 → "5", 0.003125 → "1/320", 0.123456 → "0.1235"."""
    if np.isnan(value):
        return "–"
    text = f"{value:g}"
    if len(text) <= 5 and float(text) == value:
        return text
    fraction = Fraction(float(value)).limit_denominator(999)
    if abs(float(fraction) - value) < 1e-12 and fraction.denominator > 1 and fraction.numerator <= 9:
        return f"{fraction.numerator}/{fraction.denominator}"
    return text if float(text) == value and len(text) <= 7 else f"{value:.4g}"


def equation(name: str, value) -> str:
    """K and 5 → "K = 5", which no line break parts."""
    return f"{name}{style.NARROW}={style.NARROW}{value}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(base: str, exponent: int) -> str:
    """e and −7 → "e⁻⁷"."""
    return base + str(exponent).translate(_RAISED)


def parameters(case: pd.Series) -> dict[str, str]:
    """All that a case is made of, in words: the graph's parameters, reward, variance, means where they are the user's."""
    found = dict(word.split("=", 1) for word in parameter_words(str(case.parameters)) if "=" in word)
    if case.graph == "file":
        found["K"] = f"{case.K:.0f}"
    found["reward"] = str(case.reward)
    if not np.isnan(case.variance):
        found["variance"] = number(case.variance)
    for word in str(case.label).split():
        if word.startswith("means="):
            found["means"] = word.removeprefix("means=")
    return found


def _stems(paths: list[str]) -> dict[str, str]:
    """Files by short names that are still different from each other."""
    paths = list(dict.fromkeys(paths))
    for name in (
        lambda path: path.stem,
        lambda path: path.name,
        lambda path: f"{path.parent.name}/{path.stem}",
    ):
        short = {path: name(pathlib.PurePath(path)) for path in paths}
        short = {p: s if len(s) <= LONGEST else f"{s[:9]}…{s[-8:]}" for p, s in short.items()}
        if len(set(short.values())) == len(paths):
            return short
    return {path: f"file {i + 1}" for i, path in enumerate(paths)}


def _word(name: str, value: str, stems: dict[str, str]) -> str:
    if name == "path":
        return stems[value]
    if name in ("K", "p", "q", "r"):
        return equation(name, number(float(value)))
    if name in ("reward", "parity"):
        return value
    if name == "means":
        numbers = value.split(",")
        return "means " + (value if len(value) <= LONGEST else f"{numbers[0]}…{numbers[-1]}")
    return f"{name} {value}"


_ORDER = ("path", "K", "p", "q", "r", "seed", "parity", "reward", "variance", "means")


def telling_apart(cases: list[dict[str, str]]) -> list[str]:
    """As few parameters as tell cases apart, the more usual ones first."""
    keys = {key for case in cases for key in case}
    chosen: list[str] = []
    kinds = 1
    for key in [k for k in _ORDER if k in keys] + sorted(keys - set(_ORDER)):
        finer = len({tuple(case.get(k) for k in (*chosen, key)) for case in cases})
        if finer > kinds:
            chosen.append(key)
            kinds = finer
    return chosen


def describe(case: dict[str, str], keys: list[str]) -> str:
    """Some parameters of a case in words."""
    return ", ".join(_word(key, case[key], {case[key]: case[key]}) for key in keys if key in case)


def name_cases(cases: pd.DataFrame) -> pd.DataFrame:
    """With two columns more. `name`: what tells a case from the others of its graph (K, and as few other parameters as do it),
    a list of words; `common`: what all cases of the graph share, for a title."""
    names = pd.Series([[]] * len(cases), index=cases.index, dtype=object)
    common = pd.Series([""] * len(cases), index=cases.index, dtype=object)
    for graph, part in cases.groupby("graph", sort=False, observed=True):
        table = [parameters(row) for _, row in part.iterrows()]
        chosen = telling_apart(table)
        stems = _stems([case["path"] for case in table if "path" in case])
        always = "path" if graph == "file" else "K"
        if always not in chosen and (not chosen or graph == "file"):
            chosen.insert(0, always)
        elif always not in chosen:
            common[part.index] = _word(always, table[0][always], stems)
        seen: dict[tuple, int] = {}
        for i, case in zip(part.index, table):
            words = [_word(key, case[key], stems) for key in chosen if key in case]
            seen[tuple(words)] = count = seen.get(tuple(words), 0) + 1
            names[i] = words if count == 1 else [*words, f"#{count}"]
    return cases.assign(name=names, common=common)


def case_title(case: pd.Series) -> str:
    """A case as the title of a panel."""
    return ", ".join([style.graph_name(case.graph), *filter(None, [case.common]), *case["name"]])


def graph_title(cases: pd.DataFrame) -> str:
    """The cases of one graph as the title of a panel."""
    first = cases.iloc[0]
    return ", ".join([style.graph_name(first.graph), *filter(None, [first.common])])


def _short(value: float) -> bool:
    return len(f"{value:.12g}") <= 5


def given_as_delta(log_inv_delta) -> bool:
    """Whether the user gave δ (0.001) rather than ln(1/δ) (7): the numbers that are short are the ones that were typed."""
    logs = np.atleast_1d(np.asarray(log_inv_delta, dtype=float))
    return not all(map(_short, logs)) and all(len(f"{np.exp(-x):.6g}") <= 7 for x in logs)


def delta_number(log_inv_delta: float) -> str:
    """δ = 0.001 as it was given; e^−7 where ln(1/δ) was."""
    if given_as_delta(log_inv_delta):
        return f"{np.exp(-log_inv_delta):.6g}"
    return f"e^−{log_inv_delta:.6g}"


def delta_text(log_inv_delta: float) -> str:
    """The same as a formula: δ = 0.001, δ = e⁻⁷, δ = exp(−2.2)."""
    if given_as_delta(log_inv_delta):
        return equation(style.DELTA, f"{np.exp(-log_inv_delta):.6g}")
    if float(log_inv_delta).is_integer():
        return equation(style.DELTA, power("e", -int(log_inv_delta)))
    return equation(style.DELTA, f"exp(−{log_inv_delta:.6g})")


def delta_axis(log_inv_delta) -> tuple[str, list[str]]:
    """Label of an axis of confidences, and what stands at each."""
    if given_as_delta(log_inv_delta):
        return style.DELTA, [f"{np.exp(-x):.6g}" for x in log_inv_delta]
    return style.LOG_INV_DELTA, [f"{x:.6g}" for x in log_inv_delta]
