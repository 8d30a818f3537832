"""Nanoseconds per simulated step, beside a straightforward NumPy loop in the same run.

usage: step_ratios.py --bench build/release/tests/bench/bench_step
"""

import argparse
import json
import math
import subprocess
import time

import numpy as np


def instance(graph: str, K: int):
    G = np.zeros((K, K))
    if graph == "ring":
        for v in range(K):
            G[v, (v + 1) % K], G[v, (v - 1) % K] = 0.3, 0.7
    else:
        for u in range(1, K + 1):
            for v in range(1, K + 1):
                if u != v:
                    G[u - 1, v - 1] = 0.5 / u if v % 2 else 1 - 0.5 / u
    return G, np.linspace(0, 1, K)


def numpy_loop(algorithm: str, graph: str, K: int, steps: int) -> float:
    """Seconds for `steps` steps: sampling rule, environment, estimates and the stopping statistic."""
    G, mu = instance(graph, K)
    rng = np.random.RandomState(0)
    N, M, S, counts = np.zeros(K), np.zeros(K), np.zeros(K), np.zeros((K, K))
    q, total = np.full(K, 1 / K), np.zeros(K)
    started = time.perf_counter()
    for t in range(1, steps + 1):
        mean = np.where(M > 0, S / np.maximum(M, 1), 1.0)
        Ghat = np.where(N[:, None] > 0, counts / np.maximum(N, 1)[:, None], 1.0)
        best = int(mean.argmax())
        if algorithm == "ucb-fg-v":
            a = int((mean + np.sqrt(2 * math.log(t) / np.maximum(M, 1))).argmax())
            v = int((Ghat[:, a] + np.sqrt(math.log(t) / (2 * np.maximum(N, 1)))).argmax())
        elif algorithm == "ucb-fg-e":
            upper = mean + np.sqrt(2 * math.log(t) / np.maximum(M, 1))
            v = int(((Ghat + np.sqrt(math.log(t) / (2 * np.maximum(N, 1)))[:, None]) @ upper).argmax())
        elif algorithm == "exp3.g":
            p = 0.7 * q + 0.3 / K
            v = int(rng.choice(K, p=p))
        elif algorithm == "tas-fg-heur":
            gap = mean[best] - mean
            gap[best] = np.inf
            gap[best] = gap.min()
            if gap.min() > 0:
                score = Ghat @ (1 / gap**2)
                total += score / score.sum()
            else:
                total += 1 / K
            starved = np.flatnonzero(N < math.sqrt(t) - K / 2)
            v = int(starved[N[starved].argmin()]) if len(starved) else int((N - total).argmin())
        else:
            v = t % K
        fired = rng.binomial(1, G[v])
        reward = rng.normal(mu, 1)
        N[v] += 1
        counts[v] += fired
        M += fired
        S += fired * reward
        if algorithm == "exp3.g":
            q = q * np.exp(0.3 * fired * reward)
            q /= q.sum()
        if M.min() > 0:
            mean = S / M
            best = int(mean.argmax())
            rate = M * M[best] / (M + M[best]) * (mean[best] - mean) ** 2 / 2
            rate[best] = np.inf
            if rate.min() >= 1e9 + 3 * math.log(1 + 2 * math.log(t)):
                break
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    options = parser.parse_args()
    command = [options.bench, "--benchmark_format=json", "--benchmark_min_time=0.2"]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ours = {row["name"]: row["ns/step"] * 1e9 if row["ns/step"] < 1e-3 else row["ns/step"] for row in done["benchmarks"]}
    print("| algorithm | graph | K | ns/step | NumPy loop, ns/step | ratio |\n| --- | --- | --- | --- | --- | --- |")
    peers = ("tas-fg-heur", "exp3.g", "ucb-fg-e", "ucb-fg-v", "uniform")
    for name, ns in ours.items():
        algorithm, graph, K = name.split("/")
        if algorithm in peers:
            steps = 3000
            peer = numpy_loop(algorithm, graph, int(K), steps) / steps * 1e9
            print(f"| {algorithm} | {graph} | {K} | {ns:.0f} | {peer:.0f} | {peer / ns:.0f} |", flush=True)
        else:
            print(f"| {algorithm} | {graph} | {K} | {ns:.0f} | | |", flush=True)


if __name__ == "__main__":
    main()
