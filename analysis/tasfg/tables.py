"""Statistics of runs per group, for the command line, the report and papers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from . import style
from .checks import error_table, first_algorithm
from .estimates import stopped_ratio
from .names import delta_number
from .results import Results
from .selection import samples_of

STATUSES = ("capped", "pending", "failed", "not needed")


def statistics(results: Results, by: list[str]) -> pd.DataFrame:
    """Per group: runs, mean of τ with half its 95 % interval, quartiles, both bounds, errors with their 95 % interval.

    The δ of one trajectory are never pooled, nor runs of different settings: log_inv_delta and file are added to the columns
    where they are missing. Runs that were capped before stopping are censored: quantiles beyond the cap are infinite, and there
    is no mean then. Of files that stopped at precision the intervals are the wider ones that tasfg decides by, and the median
    has one, too: median_low, median_high. Where a job asked for a precise ratio: ratio, the mean over that of the job's first
    algorithm on common seeds, ratio_low, ratio_high, ratio_runs."""
    runs = results.frame
    if len(results.settings) > 1 and "file" not in by:
        by = ["file", *by]
    if not {"delta", "log_inv_delta"} & set(by) and runs.log_inv_delta.nunique() > 1:
        by = [*by, "log_inv_delta"]
    groups = runs.groupby(by, observed=True, sort=False)
    plain = groups.agg(lower_bound=("lower_bound", "mean"), practical_bound=("practical_bound", "mean")).reset_index()
    samples = samples_of(runs, by, results.caps(runs), results.stopped)
    ratios = samples_of(runs.assign(tau=runs.normalised), by, np.inf, results.stopped)
    rows: list[dict[str, float]] = []
    for key in plain[by].itertuples(index=False, name=None):
        sample, ratio = samples.get(key), ratios.get(key)
        if sample is None or ratio is None:
            rows.append({"runs": 0, "stopped": 0})
            continue
        rows.append(
            {
                "runs": len(sample),
                "stopped": len(sample.values),
                "mean": sample.mean,
                "half_width": sample.half_width,
                "q1": sample.quantile(0.25),
                "median": sample.quantile(0.5),
                **(dict(zip(("median_low", "median_high"), sample.median_interval())) if results.stopped else {}),
                "q3": sample.quantile(0.75),
                "largest": sample.largest,
                "cap": sample.cap,
                "normalised": ratio.mean,
                "normalised_half_width": ratio.half_width,
            }
        )
    table = pd.concat([plain[by], pd.DataFrame(rows, index=plain.index), plain.drop(columns=by)], axis=1)
    errors = error_table(runs, by, stopped=results.stopped).drop(columns="runs")
    errors = errors.rename(columns={"rate": "error", "low": "error_low", "high": "error_high"})
    table = table.merge(errors, on=by, how="left")
    if results.asked("ratio") and {"label", "algorithm"} <= set(by):
        table = table.merge(_ratios(runs, by), on=by, how="left")
    missing = runs.tau.isna()
    for status in STATUSES:
        count = (missing & (runs.status == status)).astype(int)
        counts = count.groupby([runs[name] for name in by], observed=True, sort=False).sum()
        table[status.replace(" ", "_")] = counts.to_numpy()
    return table


def _ratios(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Of every algorithm but the first: the mean of τ over the first one's, on the seeds that both have."""
    base = first_algorithm(runs)
    there = runs[runs.status.isin(["done", "capped"])]
    rows = []
    for key, part in there.groupby([name for name in by if name != "algorithm"], observed=True, sort=False):
        times = {name: one.set_index("seed").tau for name, one in part.groupby("algorithm", observed=True)}
        for name in (name for name in times if name != base and base in times):
            both = pd.concat([times[name], times[base]], axis=1, join="inner").astype(float).to_numpy()
            ends = stopped_ratio(both[:, 0], both[:, 1])
            keys = iter(key)
            rows.append((*(name if column == "algorithm" else next(keys) for column in by), *ends, len(both)))
    return pd.DataFrame(rows, columns=[*by, "ratio", "ratio_low", "ratio_high", "ratio_runs"])


def rounded(value: float, error: float) -> tuple[str, str]:
    """A value and its uncertainty, to two digits of the latter: 1234.5 ± 67.8 → "1235", "68"."""
    if not np.isfinite(error) or error <= 0:
        return _short(value), ""
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:.{digits}f}", f"{error:.{digits}f}"


def _short(value: float) -> str:
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞"
    return f"{value:.0f}" if value >= 1000 or float(value).is_integer() else f"{value:.4g}"


def mean_text(mean: float, half: float) -> str:
    """ "1235 ± 68"; a dash where there is no mean."""
    if np.isnan(mean):
        return "–"
    value, error = rounded(mean, half)
    return f"{value} ± {error}" if error else value


def error_text(row) -> str:
    """ "0.012 [0.003, 0.031]"; "< 0.012" where there was no error."""
    if not row.stopped:
        return "–"
    if np.isnan(row.error_high):  # weighted runs
        return f"{row.error:.2g}, weights too uneven" if row.errors else "no error seen"
    if row.errors == 0:
        return f"< {row.error_high:.2g}"
    return f"{row.error:.2g} [{row.error_low:.2g}, {row.error_high:.2g}]"


def ratio_text(row) -> str:
    """ "1.23 ± 0.04 (188)"; a dash where there is none."""
    if np.isnan(row.ratio):
        return "–"
    return f"{mean_text(row.ratio, row.ratio_high - row.ratio)} ({row.ratio_runs:.0f})"


def quantile_text(value: float, cap: float) -> str:
    """A quantile, or that it lies beyond the cap."""
    return f"> {cap:.0f}" if np.isinf(value) else _short(value)


def readable(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The table in words, for people: what its cells mean stands in their headings."""
    shown = pd.DataFrame()
    for name in (name for name in table.columns if name in {*by, "file", "log_inv_delta"}):
        if name == "log_inv_delta":
            shown["δ"] = [delta_number(x) for x in table[name]]
        elif name == "algorithm":
            shown[name] = [style.algorithm_name(str(x)) for x in table[name]]
        else:
            shown[name] = [f"{x:g}" if isinstance(x, float) else str(x) for x in table[name]]
    rows = list(table.itertuples(index=False))
    shown["runs"] = [str(r.runs) for r in rows]
    shown["mean τ"] = [mean_text(r.mean, r.half_width) for r in rows]
    shown["median [q1, q3]"] = [
        f"{quantile_text(r.median, r.cap)} [{quantile_text(r.q1, r.cap)}, {quantile_text(r.q3, r.cap)}]"
        if r.runs
        else "–"
        for r in rows
    ]
    if "median_low" in table:
        shown["median 95 %"] = [
            f"[{quantile_text(r.median_low, r.cap)}, {quantile_text(r.median_high, r.cap)}]" if r.runs else "–"
            for r in rows
        ]
    shown["T* kl"] = [_short(r.lower_bound) for r in rows]
    shown["practical"] = [_short(r.practical_bound) for r in rows]
    shown["τ/(T* kl)"] = [mean_text(r.normalised, r.normalised_half_width) for r in rows]
    if "ratio" in table:
        shown["τ/τ of the first (runs)"] = [ratio_text(r) for r in rows]
    shown["error"] = [error_text(r) for r in rows]
    for status in STATUSES:
        column = table[status.replace(" ", "_")]
        if column.any():
            shown[status] = column.astype(str)
    return shown


_LATEX = {
    "δ": r"$\delta$",
    "mean τ": r"mean $\tau$",
    "median [q1, q3]": r"median $[q_1, q_3]$",
    "median 95 %": r"median 95\,\%",
    "T* kl": r"$T^\star\,\mathrm{kl}$",
    "practical": "practical",
    "τ/(T* kl)": r"$\tau/(T^\star\,\mathrm{kl})$",
    "τ/τ of the first (runs)": r"$\tau/\tau_1$ (runs)",
}


_SPELLED = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    | {"±": r"$\pm$", "ε": r"$\varepsilon$", "τ": r"$\tau$", "δ": r"$\delta$", "∞": r"$\infty$", "–": "--", "−": "-"}
)


def _escaped(text: str) -> str:
    return text.translate(_SPELLED)


def latex(shown: pd.DataFrame) -> str:
    """A readable table for a paper: a tabular of the booktabs package. What repeats itself in the first columns is left out."""
    words = [name for name in shown if name not in ("runs", *_LATEX, "error", *STATUSES) or name == "δ"]
    align = "".join("l" if name in words else "r" for name in shown)
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        " & ".join(_LATEX.get(name) or _escaped(name) for name in shown) + r" \\",
        r"\midrule",
    ]
    before: list[str] = []
    for row in shown.itertuples(index=False, name=None):
        cells, same = [], True
        for i, (name, cell) in enumerate(zip(shown, row)):
            same = same and name in words and i < len(words) - 1 and bool(before) and before[i] == cell
            power = cell.removeprefix("e^−")
            cells.append("" if same else f"$e^{{-{power}}}$" if power != cell else _escaped(cell))
        if before and cells[0]:
            lines.append(r"\addlinespace")
        lines.append(" & ".join(cells) + r" \\")
        before = list(row)
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
