"""Edge probabilities of a case. Result files hold the parameters, not the matrix; this builds it again and proves it:
the file's m must equal Gᵀω."""

from __future__ import annotations

import numpy as np
import xarray as xr

from .errors import UserError


def _parameters(case: xr.Dataset) -> dict[str, str]:
    return dict(word.split("=", 1) for word in str(case.parameters.values).split() if "=" in word)


def _ring(K: int, p: float) -> np.ndarray:
    G = np.zeros((K, K))
    v = np.arange(K)
    G[v, (v + 1) % K] += p
    G[v, (v - 1) % K] += 1.0 - p
    return G


def _clique(K: int, p: float, swapped: bool) -> np.ndarray:
    v, u = np.arange(1, K + 1)[:, None], np.arange(1, K + 1)[None, :]
    G = np.where(u % 2 == (0 if swapped else 1), p / v, 1.0 - p / v)
    np.fill_diagonal(G, 0.0)
    return G


def _star(K: int, p: float, q: float, r: float) -> np.ndarray:
    G = np.diag(np.full(K, max(1.0 - 2.0 * p, 0.0)))
    G[0, :] = r
    G[0, 0], G[0, -1], G[-1, -1] = q, p, 1.0 - p
    return G


def _symmetric(p: float, q: float, r: float, swapped: bool) -> np.ndarray:
    return np.array([[p, q, r], [0, 0, 0], [p, q, r] if swapped else [r, q, p]], dtype=float)


def edges(case: xr.Dataset) -> np.ndarray:
    """G of one case (a slice of `Results.cases`), K × K."""
    family, K = str(case.graph.values), int(case.K)
    p, q, r = (float(case[name]) for name in ("p", "q", "r"))
    swapped = _parameters(case).get("parity") == "reference"
    if family == "ring":
        G = _ring(K, p)
    elif family == "loopless-clique":
        G = _clique(K, p, swapped)
    elif family in ("loopy-star", "loopy-star-alt"):
        G = _star(K, p, q, r)
    elif family == "symmetric":
        G = _symmetric(p, q, r, swapped)
    elif family == "bandit":
        G = p * np.eye(K)
    elif family == "full":
        G = np.full((K, K), p)
    elif family in ("revealing-action", "apple-tasting"):
        G = np.zeros((K, K))
        G[0] = p
    else:
        raise UserError(
            f"{case.label.values}: the edges of a {family} graph are not in the result file (draw the other "
            "families)"
        )
    omega, m = case.omega.values[:K], case.m.values[:K]
    if not np.isnan(m).any() and not np.allclose(G.T @ omega, m, rtol=1e-9, atol=1e-9):
        raise UserError(
            f"{case.label.values}: m in the file is not G'omega of this graph (is tasfg_analysis as new as the "
            "program that wrote the file?)"
        )
    return G


def known(family: str) -> bool:
    return family not in ("random", "file")
