"""Which δ to ask for: where the measured probability of an error is the wished one, and what that would save.

Thresholds are conservative: a run that is asked for δ errs less often. The calibrated δ′ is the one at which the measured
error is the wished δ. It is empirical: found on one instance, with no guarantee for another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .checks import error_table
from .errors import NothingToDraw, UserError
from .estimates import half_width
from .names import delta_number
from .tables import mean_text

if TYPE_CHECKING:
    from .results import Results

EMPIRICAL = "Empirical: measured on these instances, without a guarantee for any other."


def crossing(log_inv_delta: np.ndarray, errors: np.ndarray, wished: float) -> float:
    """The smallest ln(1/δ′) from which on the errors are at most e^−wished, by linear interpolation of ln(error) over ln(1/δ).

    −∞ where all of them are: then δ′ lies above every δ measured. Missing where the last one is larger."""
    logs = np.log(np.maximum(errors, 1e-300)) + wished
    above = np.flatnonzero(logs > 0)
    if not len(above):
        return -np.inf
    i = above[-1]
    if i + 1 == len(logs):
        return np.nan
    share = logs[i] / (logs[i] - logs[i + 1])
    return float(log_inv_delta[i] + share * (log_inv_delta[i + 1] - log_inv_delta[i]))


def times_at(times: pd.DataFrame, log_inv_delta: float) -> np.ndarray:
    """τ of each seed at a ln(1/δ), interpolated between the columns of `times`, which are ln(1/δ), too. Missing beyond them,
    and where a run was capped."""
    logs, values = times.columns.to_numpy(float), times.to_numpy(float)
    if not len(logs) or not logs[0] * (1 - 1e-9) <= log_inv_delta <= logs[-1] * (1 + 1e-9):
        return np.full(len(values), np.nan)
    i = int(np.abs(logs - log_inv_delta).argmin())
    if np.isclose(logs[i], log_inv_delta, rtol=1e-9):
        return values[:, i]
    i = int(np.searchsorted(logs, log_inv_delta))
    share = (log_inv_delta - logs[i - 1]) / (logs[i] - logs[i - 1])
    return (1 - share) * values[:, i - 1] + share * values[:, i]


def saving(base: np.ndarray, instead: np.ndarray) -> tuple[float, float]:
    """1 − E[instead]/E[base] from the same seeds, and half its 95 % interval; missing where a run was capped."""
    if len(base) < 2 or np.isnan(base).any() or np.isnan(instead).any():
        return np.nan, np.nan
    ratio = instead.mean() / base.mean()
    return float(1 - ratio), half_width(instead - ratio * base) / float(base.mean())


def _row(errors: pd.DataFrame, times: pd.DataFrame, wished: float) -> dict[str, float]:
    """One wished δ. `errors` by rising ln(1/δ), all with an interval."""
    logs = errors.log_inv_delta.to_numpy(float)
    # Where the upper end of the error is δ, δ′ is at its lower end.
    best, high, low = (crossing(logs, errors[name].to_numpy(float), wished) for name in ("rate", "low", "high"))
    base = times_at(times, wished)
    # Above the largest δ nothing was measured: it stands for all that may be there.
    saved = [saving(base, times_at(times, max(end, logs[0]))) for end in (best, high, low)]
    return {
        "delta": np.exp(-wished),
        "calibrated": np.exp(-max(best, logs[0])),
        "calibrated_low": np.exp(-max(low, logs[0])),
        "calibrated_high": np.exp(-high),
        "draws": base.mean() if len(base) else np.nan,
        "draws_half_width": half_width(base),
        "saved": saved[0][0],
        "saved_low": saved[2][0] - saved[2][1],
        "saved_high": np.nan if np.isinf(high) else saved[1][0] + saved[1][1],
    }


def calibration(results: Results, wished: Iterable[float] | None = None) -> pd.DataFrame:
    """Per case, algorithm and wished δ: the calibrated δ′ with its 95 % interval, and the share of draws that it saves.

    `results` hold weighted runs (measure = "error") and, for what is saved, plain ones of the same settings. `wished`: values
    of ln(1/δ); those of the weighted runs where none are given. calibrated_high is infinite where the error stays below δ
    at the largest δ measured, which then stands in `calibrated`: δ′ is at least that."""
    weighted = [file for file in results.files if file.measure == "error"]
    if not weighted:
        raise NothingToDraw(
            f'{results.names}: no weighted runs (calibrate needs measure = "error", as jobs/error.toml)'
        )
    if len({file.settings[:-1] for file in results.files}) > 1:
        raise UserError(
            f"{results.names}: runs of different settings (calibrate takes files of one threshold and setting)"
        )
    runs = results.frame
    of_weighted = runs.file.isin([file.name for file in weighted])
    errors = error_table(runs[of_weighted], ["label", "algorithm", "log_inv_delta"], stopped=results.stopped)
    errors = errors[errors.high.notna()].sort_values("log_inv_delta")
    plain = runs[~of_weighted & runs.status.isin(["done", "capped"])]
    rows = []
    for (label, algorithm), part in errors.groupby(["label", "algorithm"], observed=True, sort=False):
        same = plain[(plain.label == label) & (plain.algorithm == algorithm)]
        times = same.pivot_table(index="seed", columns="log_inv_delta", values="tau", dropna=False, observed=True)
        for x in np.sort(np.asarray(list(wished), float)) if wished is not None else part.log_inv_delta:
            rows.append({"label": label, "algorithm": algorithm, "log_inv_delta": x, **_row(part, times, x)})
    if not rows:
        raise NothingToDraw(f"{results.names}: no error probability with an interval (make more runs)")
    return pd.DataFrame(rows)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The same in words."""

    def delta(row: Any) -> str:
        if np.isnan(row.calibrated):
            return "below the δ measured"
        if np.isinf(row.calibrated_high):
            return f"≥ {row.calibrated_low:.2g}"
        low = "…" if np.isnan(row.calibrated_low) else f"{row.calibrated_low:.2g}"
        return f"{row.calibrated:.2g} [{low}, {row.calibrated_high:.2g}]"

    def saved(row: Any) -> str:
        if np.isnan(row.saved):
            return "–"
        if np.isnan(row.saved_high):
            return f"≥ {100 * row.saved_low:.0f} %"
        return f"{100 * row.saved:.0f} % [{100 * row.saved_low:.0f}, {100 * row.saved_high:.0f}]"

    return pd.DataFrame(
        {
            "case": table.label.astype(str),
            "algorithm": table.algorithm.astype(str),
            "wished δ": [delta_number(x) for x in table.log_inv_delta],
            "calibrated δ′ [95 %]": [delta(row) for row in table.itertuples()],
            "mean τ at δ": [mean_text(row.draws, row.draws_half_width) for row in table.itertuples()],
            "draws saved [95 %]": [saved(row) for row in table.itertuples()],
        }
    )
