"""The trajectory that `tasfg simulate --conventions paper` runs, as plain NumPy and as Numba would have it.

`numpy_run` draws from NumPy's legacy generator in the order of `--stream numpy`: K activations, then K rewards. On the same
seed both stop after the same number of draws.
"""

import math

import numba
import numpy as np

NEVER = 1e9  # ln(1/delta) that no run reaches
ALGORITHMS = ("ucb-fg-v", "ucb-fg-e", "exp3.g", "tas-fg-heur", "uniform")


def instance(graph: str, K: int) -> tuple[np.ndarray, np.ndarray]:
    """G and the means, with the families' default parameters."""
    G = np.zeros((K, K))
    means = np.arange(K) / (K - 1)
    if graph == "ring":
        for v in range(K):
            G[v, (v + 1) % K], G[v, (v - 1) % K] = 0.3, 1 - 0.3
    elif graph == "loopless-clique":
        for v in range(1, K + 1):
            for u in range(1, K + 1):
                if u != v:
                    G[v - 1, u - 1] = 0.5 / v if u % 2 == 1 else 1 - 0.5 / v
    else:
        assert graph == "loopy-star"
        np.fill_diagonal(G, 1 - 2 * 0.2)
        G[0, :], G[0, 0], G[0, K - 1], G[K - 1, K - 1] = 0.25, 0.25, 0.2, 1 - 0.2
        means = np.append(np.full(K - 1, 0.5), 1.0)
    return G, means


def numpy_run(algorithm, G, means, variance, log_inv_delta, seed, max_steps):
    """Draws until the run stops, or max_steps."""
    assert algorithm in ALGORITHMS
    K = len(means)
    rng = np.random.RandomState(seed)
    deviation = math.sqrt(variance)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    q, total, allocation = np.full(K, 1 / K), np.zeros(K), np.full(K, 1 / K)
    for t in range(1, max_steps + 1):
        mean = np.where(M > 0, S / np.maximum(M, 1), 1.0)
        if algorithm == "ucb-fg-v":
            leader = (mean + math.sqrt(2 * math.log(t)) / np.sqrt(np.maximum(M, 1))).argmax()
            edge = np.where(N > 0, counts[:, leader] / np.maximum(N, 1), 1.0)
            v = int((edge + math.sqrt(math.log(t) / 2) / np.sqrt(np.maximum(N, 1))).argmax())
        elif algorithm == "ucb-fg-e":
            Ghat = np.where(N[:, None] > 0, counts / np.maximum(N, 1)[:, None], 1.0)
            upper = mean + math.sqrt(2 * math.log(t)) / np.sqrt(np.maximum(M, 1))
            width = math.sqrt(math.log(t) / 2) / np.sqrt(np.maximum(N, 1))
            v = int(((Ghat + width[:, None]) @ upper).argmax())
        elif algorithm == "exp3.g":
            p = 0.7 * q + 0.3 / K
            v = int(rng.choice(K, p=p))
        elif algorithm == "tas-fg-heur":
            best = mean.argmax()
            gap = mean[best] - mean
            gap[best] = np.inf
            gap[best] = gap.min()
            if t > 1 and gap[best] > 0:
                Ghat = np.where(N[:, None] > 0, counts / np.maximum(N, 1)[:, None], 1.0)
                score = Ghat @ (1 / gap**2)
                allocation = score / score.sum()
            total += allocation
            v = int(N.argmin()) if N.min() < math.sqrt(t) - K / 2 else int((N - total).argmin())
        else:
            v = (t - 1) % K
        fired = rng.binomial(1, G[v])
        reward = rng.normal(means, deviation)
        N[v] += 1
        counts[v] += fired
        M += fired
        S += fired * reward
        if algorithm == "exp3.g":
            weight = p @ ((counts > 0) | (N == 0)[:, None])
            q = q * np.exp(0.3 * fired * reward / np.where(fired, weight, 1))
            q /= q.sum()
        if M.min() > 0:
            mean = S / M
            best = mean.argmax()
            evidence = M * M[best] / (M + M[best]) * (mean[best] - mean) ** 2 / (2 * variance)
            evidence[best] = np.inf
            if evidence.min() >= log_inv_delta + 3 * math.log(1 + 2 * math.log(t)):
                return t
    return max_steps


@numba.njit
def numba_replay(G, means, variance, log_inv_delta, seed, max_steps):
    """UCB-FG-V as a scalar loop with the draws of `numpy_run`: Numba's np.random is the same generator."""
    np.random.seed(seed)
    K = len(means)
    deviation = math.sqrt(variance)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    mean = np.ones(K)
    fired = np.zeros(K, dtype=np.bool_)
    for t in range(1, max_steps + 1):
        v = choose(t, N, M, mean, counts)
        N[v] += 1
        for u in range(K):  # binomial(1, p) by inversion, mirrored above 1/2
            p = G[v, u]
            uniform = np.random.random()
            fired[u] = uniform > 1.0 - p if p <= 0.5 else uniform <= p
        for u in range(K):
            reward = means[u] + deviation * np.random.standard_normal()
            if fired[u]:
                counts[v, u] += 1
                M[u] += 1
                S[u] += reward
                mean[u] = S[u] / M[u]
        if stops(t, M, mean, variance, log_inv_delta):
            return t
    return max_steps


@numba.njit
def numba_run(rng, G, means, variance, log_inv_delta, max_steps):
    """UCB-FG-V as a scalar loop that draws only what it needs, from a modern generator (np.random.Generator)."""
    K = len(means)
    deviation = math.sqrt(variance)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    mean = np.ones(K)
    for t in range(1, max_steps + 1):
        v = choose(t, N, M, mean, counts)
        N[v] += 1
        for u in range(K):
            if G[v, u] > 0.0 and rng.random() < G[v, u]:
                counts[v, u] += 1
                M[u] += 1
                S[u] += means[u] + deviation * rng.standard_normal()
                mean[u] = S[u] / M[u]
        if stops(t, M, mean, variance, log_inv_delta):
            return t
    return max_steps


@numba.njit
def choose(t, N, M, mean, counts):
    K = len(N)
    width = math.sqrt(2 * math.log(t))
    leader, largest = 0, -np.inf
    for u in range(K):
        bound = mean[u] + width / math.sqrt(max(M[u], 1.0))
        if bound > largest:
            leader, largest = u, bound
    width = math.sqrt(math.log(t) / 2)
    chosen, largest = 0, -np.inf
    for v in range(K):
        edge = counts[v, leader] / N[v] if N[v] > 0 else 1.0
        bound = edge + width / math.sqrt(max(N[v], 1.0))
        if bound > largest:
            chosen, largest = v, bound
    return chosen


@numba.njit
def stops(t, M, mean, variance, log_inv_delta):
    K = len(M)
    best = 0
    for u in range(K):
        if M[u] == 0:
            return False
        if mean[u] > mean[best]:
            best = u
    least = np.inf
    for u in range(K):
        if u != best:
            least = min(least, M[u] * M[best] / (M[u] + M[best]) * (mean[best] - mean[u]) ** 2 / (2 * variance))
    return least >= log_inv_delta + 3 * math.log(1 + 2 * math.log(t))


def estimated_models(G, means, after, count):
    """(G, means) as estimated after `after`, `after` + 1, ... steps of uniform sampling."""
    K = len(means)
    rng = np.random.RandomState(0)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    models = []
    for t in range(after + count - 1):
        v = t % K
        fired = rng.binomial(1, G[v])
        N[v] += 1
        counts[v] += fired
        M += fired
        S += fired * rng.normal(means, 1)
        if t + 1 >= after:
            models.append((counts / N[:, None], S / M))
    return models
