"""T* against an independent method: cutting planes solved as linear programs (HiGHS through SciPy).

f_u(m) = min over x of m_a d(mu_a, x) + m_u d(mu_u, x), so 1/T* = max over omega of the minimum of infinitely
many linear functions; Kelley's method adds, per round, the one that is smallest at the present omega.
"""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.optimize import linprog

TASFG = os.environ["TASFG"]


def divergence(family, a, x):
    with np.errstate(all="ignore"):
        if family == "gaussian":
            return (a - x) ** 2 / 2
        if family == "bernoulli":
            return a * np.log(a / x) + (1 - a) * np.log((1 - a) / (1 - x))
        if family == "poisson":
            return x - a + a * np.log(a / x)
        return a / x - 1 - np.log(a / x)


def cutting_planes(G, means, family, tolerance=1e-7):
    K = len(means)
    best = int(np.argmax(means))
    rivals = [u for u in range(K) if u != best]
    omega = np.full(K, 1 / K)
    cuts = []
    for _ in range(400):
        m = G.T @ omega
        values = []
        for u in rivals:
            x = (m[best] * means[best] + m[u] * means[u]) / (m[best] + m[u])
            da, du = divergence(family, means[best], x), divergence(family, means[u], x)
            values.append(m[best] * da + m[u] * du)
            cuts.append(G[:, best] * da + G[:, u] * du)
        scale = max(np.abs(c).max() for c in cuts)
        A = np.column_stack([-np.array(cuts) / scale, np.ones(len(cuts))])
        result = linprog(
            np.append(np.zeros(K), -1.0),
            A_ub=A,
            b_ub=np.zeros(len(cuts)),
            A_eq=[np.append(np.ones(K), 0.0)],
            b_eq=[1.0],
            bounds=[(0, None)] * K + [(None, None)],
            method="highs",
        )
        assert result.status == 0
        upper = -result.fun * scale
        if upper - max(values and [min(values)]) <= tolerance * upper:
            return 1 / min(values), 1 / upper
        # A step towards the vertex of the model; the pure vertex makes Kelley's method zigzag.
        omega = 0.5 * omega + 0.5 * np.maximum(result.x[:K], 0)
        omega /= omega.sum()
    return 1 / min(values), 1 / upper


@pytest.mark.parametrize("index", range(40))
def test_interior_point_agrees_with_cutting_planes(tmp_path, index):
    rng = np.random.default_rng(index)
    family = ["gaussian", "bernoulli", "poisson", "exponential"][index % 4]
    K = int(rng.integers(2, 9))
    G = rng.uniform(0.05, 1, (K, K)) * (rng.uniform(size=(K, K)) < rng.uniform(0.3, 1))
    for u in range(K):
        if not G[:, u].any():
            G[rng.integers(K), u] = rng.uniform(0.05, 1)
    means = rng.uniform(0.1, 0.9, K) * (1 if family == "bernoulli" else 3)
    path = tmp_path / "G.csv"
    np.savetxt(path, G, delimiter=",", fmt="%.17g")
    command = [TASFG, "solve", "--graph-file", str(path), "--reward", family, "--json"]
    command += ["--means", ",".join(repr(float(x)) for x in means)]
    solved = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    upper, lower = cutting_planes(G, means, family)
    assert solved["status"] == "solved"
    assert solved["T_star"] >= lower * (1 - 1e-9)
    assert solved["T_star_lower"] <= upper * (1 + 1e-9)
    assert solved["T_star"] == pytest.approx(lower, rel=2e-4)
