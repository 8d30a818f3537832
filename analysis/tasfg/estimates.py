"""Estimates from runs, with intervals. Capped runs are censored: all that is known of their τ is that it is beyond the cap.

One convention everywhere. Quantiles that lie below the cap are known; what lies beyond is infinite here, and drawn as open. A
mean exists only where no run was capped. Survival functions are Kaplan and Meier's."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from scipy import special

LEVEL = 0.95


def clopper_pearson(errors, runs, confidence: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Exact two-sided interval of an error probability after `errors` of `runs`; arrays are fine."""
    errors, runs = np.broadcast_arrays(np.asarray(errors, dtype=float), np.asarray(runs, dtype=float))
    tail = (1.0 - confidence) / 2.0
    with np.errstate(invalid="ignore"):
        low = np.where(errors > 0, special.betaincinv(np.maximum(errors, 0.5), runs - errors + 1, tail), 0.0)
        high = np.where(errors < runs, special.betaincinv(errors + 1, np.maximum(runs - errors, 0.5), 1.0 - tail), 1.0)
    none = runs <= 0
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def half_width(values, confidence: float = LEVEL) -> float:
    """Half the width of Student's interval of a mean; missing for fewer than two values."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return np.nan
    return float(special.stdtrit(n - 1, 0.5 + confidence / 2) * values.std(ddof=1) / np.sqrt(n))


# Of cells that ran until they were precise: the normal quantile of 1 - 0.025/2 (include/tasfg/sim/precision.hpp says why).
STOPPED = 2.241402727604945


def stopped_half_width(values) -> float:
    """The same where the values were drawn until the interval was narrow enough: wider, also for skewness. What tasfg itself
    decides by."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return np.nan
    away = values - values.mean()
    spread = np.mean(away**2)
    skewness = np.mean(away**3) / spread**1.5 if spread > 0 else 0.0
    z2 = STOPPED**2
    more = (z2 + 1.0) / 4.0 + skewness**2 * (z2 * z2 + 2.0 * z2 - 3.0) / 18.0
    return float(STOPPED * values.std(ddof=1) / np.sqrt(n) * (1.0 + more / n))


def stopped_ratio(values, base) -> tuple[float, float, float]:
    """The mean of `values` over that of `base`, seed by seed, and the ends of its 95 % interval, where runs were made until it
    was narrow enough; missing where a value is, or there are fewer than two. What tasfg itself decides by."""
    x, y = np.asarray(values, dtype=float), np.asarray(base, dtype=float)
    if len(x) < 2 or np.isnan(x).any() or np.isnan(y).any():
        return np.nan, np.nan, np.nan
    ratio = x.mean() / y.mean()
    half = stopped_half_width(x - ratio * y) / y.mean()
    return float(ratio), float(ratio - half), float(ratio + half)


def weighted_error(log_weights, stopped: bool = False) -> tuple[float, float, float]:
    """The probability of a wrong answer by weighted runs (docs/error.md) and the ends of its 95 % interval, as tasfg has them.
    `stopped`: runs were made until it was narrow enough. No interval without an error, or where weights are too uneven; nothing
    where pilot runs disagree (weights of +∞)."""
    logs = np.asarray(log_weights, dtype=float)
    largest = logs.max(initial=-np.inf)
    if np.isposinf(largest):
        return np.nan, np.nan, np.nan
    if np.isneginf(largest):
        return (0.0 if len(logs) else np.nan), np.nan, np.nan
    weights = np.exp(logs - largest)
    total, scale = weights.sum(), np.exp(largest)
    error = float(weights.mean() * scale)
    effective = total**2 / (weights**2).sum()
    if effective < 20.0 or 1.0 / total > 0.2:
        return error, np.nan, np.nan
    if stopped:
        half = stopped_half_width(weights) * scale
        return error, float(error - half), float(error + half)
    away = weights - weights.mean()
    squares = (away**2).sum()
    skewness = (away**3).sum() / squares**1.5 if squares > 0 else 0.0
    z = special.ndtri(0.5 + LEVEL / 2)
    wider = 1.0 + (z**2 + 1.0) / (4.0 * effective) + skewness**2 * (z**4 + 2.0 * z**2 - 3.0) / 18.0
    spread = weights.std(ddof=1) / np.sqrt(len(weights)) / weights.mean()
    factor = float(np.exp(z * wider * spread))
    return error, error / factor, min(1.0, error * factor)


@functools.lru_cache(maxsize=16)
def _middle_ranks(n: int, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of the two middle values of resamples of n values: a resample's median depends on ranks alone."""
    ranks = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    ranks = np.partition(ranks, sorted({(n - 1) // 2, n // 2}), axis=1)
    return ranks[:, (n - 1) // 2], ranks[:, n // 2]


def median_interval(values, confidence: float = LEVEL) -> tuple[float, float]:
    """Percentile bootstrap interval of the median. The same values always give the same interval.

    Of an odd number n of values it is computed, not drawn: a resample's median is at most the k-th value with probability
    P(Bin(n, k/n) > n/2). (Drawing decides at random where that is close to the tail's weight, as at n = 25.)"""
    values = np.sort(np.asarray(values, dtype=float))
    n = len(values)
    if n == 0:
        return np.nan, np.nan
    tail = (1.0 - confidence) / 2.0
    if n % 2:
        below = special.bdtrc(n // 2, n, np.arange(1, n + 1) / n)
        return float(values[np.searchsorted(below, tail)]), float(values[np.searchsorted(below, 1.0 - tail)])
    low, high = _middle_ranks(n, min(20_000, 4_000_000 // n + 100), 0)
    medians = 0.5 * (values[low] + values[high])
    low, high = np.percentile(medians, [100.0 * tail, 100.0 * (1.0 - tail)])
    return float(low), float(high)


def holm(p_values) -> np.ndarray:
    """Holm's adjusted p-values, in the order given."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    adjusted = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    out = np.empty_like(adjusted)
    out[order] = adjusted
    return out


@dataclass(frozen=True)
class Sample:
    """The stopping times of one cell: those of the runs that stopped, sorted, and how many were capped at `cap` before."""

    values: np.ndarray
    capped: int = 0
    cap: float = np.inf
    stopped: bool = False  # at precision: runs were made until intervals were narrow enough

    @classmethod
    def of(cls, tau, capped: int = 0, cap: float = np.inf, stopped: bool = False) -> Sample:
        """From values in any order; missing ones are left out."""
        tau = np.asarray(tau, dtype=float)
        return cls(np.sort(tau[~np.isnan(tau)]), int(capped), float(cap), stopped)

    def __len__(self) -> int:
        return len(self.values) + self.capped

    def scaled(self, unit: float) -> Sample:
        """All times over one unit."""
        return Sample(self.values / unit, self.capped, self.cap / unit, self.stopped)

    def quantile(self, share: float) -> float:
        """Interpolated as NumPy does; infinite where it lies beyond the cap, missing without runs."""
        n = len(self)
        if n == 0:
            return np.nan
        place = (n - 1) * share
        low, high = int(np.floor(place)), int(np.ceil(place))
        if high >= len(self.values):
            return np.inf
        below, above = self.values[low], self.values[high]
        return float(below + (above - below) * (place - low))

    @property
    def mean(self) -> float:
        """Missing where a run was capped: then nothing is known of it but a lower end."""
        return float(self.values.mean()) if len(self.values) and not self.capped else np.nan

    @property
    def half_width(self) -> float:
        """Of the 95 % interval of the mean; missing where there is no mean."""
        return np.nan if self.capped else (stopped_half_width if self.stopped else half_width)(self.values)

    def median_interval(self) -> tuple[float, float]:
        """The 95 % interval of the median, between order statistics; wider where the sample was stopped at precision. Infinite
        beyond the cap, missing for a few runs."""
        n = len(self)
        z = STOPPED if self.stopped else float(special.ndtri(0.5 + LEVEL / 2))
        rank = int(np.floor((n + 1 - z * np.sqrt(n)) / 2))
        if rank < 1:
            return np.nan, np.nan
        sorted_values = np.concatenate([self.values, np.full(self.capped, np.inf)])
        return float(sorted_values[rank - 1]), float(sorted_values[n - rank])

    @property
    def largest(self) -> float:
        """Infinite where a run was capped."""
        return np.inf if self.capped else float(self.values[-1]) if len(self.values) else np.nan


@dataclass(frozen=True)
class Box:
    """What a box plot shows; infinite where it lies beyond the cap."""

    q1: float
    median: float
    q3: float
    low: float  # ends of the whiskers: the last run within 1.5 IQR
    high: float
    mean: float
    sample: Sample

    @classmethod
    def of(cls, sample: Sample) -> Box:
        """The box of a sample that has runs."""
        q1, median, q3 = (sample.quantile(share) for share in (0.25, 0.5, 0.75))
        low = high = np.inf
        if np.isfinite(q1):
            reach = 1.5 * (q3 - q1)  # infinite where q3 is
            inside = sample.values[sample.values >= q1 - reach]
            low = min(inside[0], q1)
            if q3 + reach < sample.cap or not sample.capped:
                high = max(inside[inside <= q3 + reach][-1], q3)
        elif len(sample.values):
            low = sample.values[0]
        return cls(q1, median, q3, low, high, sample.mean, sample)

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest of what is drawn: whiskers, which end at the cap, and the mean, which may lie beyond."""
        drawn = [min(self.low, self.sample.cap), min(self.high, self.sample.cap)]
        return float(np.nanmin([*drawn, self.mean])), float(np.nanmax([*drawn, self.mean]))


def kaplan_meier(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times at which runs stopped, P(τ > t) from then on, and the ends of its 95 % interval (Greenwood's variance of
    ln(−ln P), which stays within 0 and 1)."""
    times, stops = np.unique(sample.values, return_counts=True)
    at_risk = len(sample) - np.concatenate([[0], np.cumsum(stops)[:-1]])
    survival = np.cumprod(1.0 - stops / at_risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(stops / (at_risk * (at_risk - stops)))
        spread = special.ndtri(0.5 + LEVEL / 2) * np.sqrt(greenwood) / np.log(survival)  # negative
        low, high = survival ** np.exp(-spread), survival ** np.exp(spread)
    gone = survival <= 0
    return times, survival, np.where(gone, 0.0, low), np.where(gone, 0.0, high)
