"""Why some UCB-FG-E runs at K >= 10 do not replay: vertices never pulled have equal rows of G-hat, their scores tie, and
how the published run's matrix product rounded decides which goes first.

For the loopy star at K = 10 this tries the orders in which the last two vertices (the remainder of blocks of eight) may be
preferred at such ties, in a plain NumPy loop, and reports those that give all six published stopping times.

usage: ties.py --published published_runs.csv [--seeds 3,4]
"""

import argparse
import csv
import itertools
import math

import numpy as np

GRAPH, K = "loopy-star", 10


def replay(seed: int, limit: int, deltas: list, prefer_last_at: tuple):
    """Stopping times of UCB-FG-E with `reference` conventions, and the draws at which scores tied."""
    G = np.zeros((K, K))
    G[0] = 0.25
    G[0, K - 1] = 0.2
    for u in range(1, K - 1):
        G[u, u] = 0.6
    G[K - 1, K - 1] = 0.8
    mu = np.full(K, 0.5)
    mu[K - 1] = 1.0
    np.random.seed(seed)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    taus, ties = {}, []
    for t in range(1, limit + 1):
        mean = np.where(M > 0, S / np.maximum(M, 1), 1.0)
        Ghat = (1 + counts) / np.maximum(N, 1)[:, None]
        best = int(mean.argmax())
        if t >= K and np.isclose(mean, mean[best]).sum() == 1:
            m = Ghat.T @ (N / (t - 1))
            gap = np.delete(mean[best] - mean, best)
            T = (2 * (1 / np.delete(m, best) + 1 / m[best]) / gap**2).max()
            for delta in deltas:
                if delta not in taus and t / max(1, T) >= delta + 3 * math.log(1 + 2 * math.log(t)):
                    taus[delta] = t
            if len(taus) == len(deltas):
                break
        log = math.log(t)
        score = (Ghat + np.sqrt(log / (2 * np.maximum(N, 1)))[:, None]) @ (mean + np.sqrt(2 * log / np.maximum(M, 1)))
        tied = np.flatnonzero(score >= score.max() * (1 - 1e-13))
        v = int(tied[0])
        if len(tied) > 1:
            last = [int(u) for u in tied if u >= K // 8 * 8]
            if len(ties) in prefer_last_at and last:
                v = last[0]
            ties.append(t - 1)
        fired = np.random.binomial(1, G[v])
        reward = np.random.normal(mu, 1)
        N[v] += 1
        counts[v] += fired
        M += fired
        S += fired * reward
    return taus, ties


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", required=True)
    parser.add_argument("--seeds", default="3,4")
    options = parser.parse_args()
    for seed in map(int, options.seeds.split(",")):
        published = {
            float(row["log_inv_delta"]): int(row["tau"])
            for row in csv.DictReader(open(options.published, encoding="utf-8"))
            if (row["graph"], row["K"], row["algorithm"], row["seed"]) == (GRAPH, str(K), "ucb-fg-e", str(seed))
        }
        deltas, limit = sorted(published), max(published.values()) + 5
        plain, ties = replay(seed, limit, deltas, ())
        print(f"seed {seed}: lowest index first: {'equal' if plain == published else 'different'}; ties at draws {ties}")
        for order in itertools.combinations(range(len(ties)), 2):
            if replay(seed, limit, deltas, order)[0] == published:
                print(f"seed {seed}: all {len(deltas)} published stopping times with the last vertices preferred at ties {order}")
                break


if __name__ == "__main__":
    main()
