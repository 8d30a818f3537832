"""The few formulas that post-processing needs. δ is always given as x = ln(1/δ), in nats: e⁻⁷⁰⁰ has no trouble then."""

from __future__ import annotations

import functools

import numpy as np
from scipy import stats


def kl(log_inv_delta):
    """kl(δ, 1−δ) = (1−2δ) ln((1−δ)/δ), in nats, at δ = e^−x; no digits are lost at either end."""
    x = np.asarray(log_inv_delta, dtype=float)
    return -np.expm1(np.log(2.0) - x) * (x + np.log(-np.expm1(-x)))


def lower_bound(T_star, log_inv_delta):
    """Least mean number of draws of any δ-correct algorithm: T*·kl(δ, 1−δ)."""
    return np.asarray(T_star, dtype=float) * kl(log_inv_delta)


def clopper_pearson(errors, runs, confidence: float = 0.95):
    """Exact two-sided interval of an error probability after `errors` of `runs`; arrays are fine."""
    errors, runs = np.asarray(errors, dtype=float), np.asarray(runs, dtype=float)
    tail = (1.0 - confidence) / 2.0
    with np.errstate(invalid="ignore"):
        low = np.where(errors > 0, stats.beta.ppf(tail, errors, runs - errors + 1), 0.0)
        high = np.where(errors < runs, stats.beta.ppf(1.0 - tail, errors + 1, runs - errors), 1.0)
    none = runs <= 0
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


@functools.lru_cache(maxsize=16)
def _middle_ranks(n: int, resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of the two middle values of resamples of n values: a resample's median depends on ranks alone."""
    ranks = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    ranks = np.partition(ranks, sorted({(n - 1) // 2, n // 2}), axis=1)
    return ranks[:, (n - 1) // 2], ranks[:, n // 2]


def median_interval(values, confidence: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the median. The same values always give the same interval.

    Of an odd number n of values it is computed, not drawn: a resample's median is at most the k-th value with probability
    P(Bin(n, k/n) > n/2). (Drawing decides at random where that is close to the tail's weight, as at n = 25.)"""
    values = np.sort(np.asarray(values, dtype=float))
    n = len(values)
    if n == 0:
        return np.nan, np.nan
    tail = (1.0 - confidence) / 2.0
    if n % 2:
        below = stats.binom.sf(n // 2, n, np.arange(1, n + 1) / n)
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


def characteristic_time(allocation, edges, means, variance: float = 1.0) -> float:
    """T(ω; ν) for Gaussian rewards, Eq. (3): max over u ≠ a* of 2λ²(1/m_u + 1/m_a*)/Δ_u², m = Gᵀω.
    Infinite where a vertex is never seen."""
    rates = np.asarray(edges, dtype=float).T @ np.asarray(allocation, dtype=float)
    means = np.asarray(means, dtype=float)
    best = int(np.argmax(means))
    others = np.arange(len(means)) != best
    with np.errstate(divide="ignore"):
        times = 2.0 * variance * (1.0 / rates[others] + 1.0 / rates[best]) / (means[best] - means[others]) ** 2
    return float(times.max())
