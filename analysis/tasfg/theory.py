"""The few formulas that post-processing needs. δ is always given as x = ln(1/δ), in nats: e⁻⁷⁰⁰ has no trouble then."""

from __future__ import annotations

import numpy as np


def kl(log_inv_delta) -> np.ndarray:
    """kl(δ, 1−δ) = (1−2δ) ln((1−δ)/δ), in nats, at δ = e^−x; no digits are lost at either end."""
    x = np.asarray(log_inv_delta, dtype=float)
    return -np.expm1(np.log(2.0) - x) * (x + np.log(-np.expm1(-x)))


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
