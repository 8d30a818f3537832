#!/usr/bin/env python3
"""`tasfg error` against exact values on the full graph of two vertices.

Every draw shows both vertices there, whatever the rule: the sum of the differences of their rewards is a random walk with steps
N(gap, 2), and a run stops where it leaves ±2√(t β(t)). Integrating its density from step to step gives the probability that it leaves
below. Prints one row a cell, for docs/error.md, and ends with status 1 where one lies more than three standard errors off.

Needs TASFG, the program. About a minute."""

import csv
import io
import math
import os
import subprocess
import sys

import numpy as np
from scipy.special import ndtr

GAPS = (0.5, 1.0, 2.0)
DELTAS = ("0.1", "1e-3", "1e-6", "1e-12")
GROWTH = {
    "practical": lambda t: 3 * math.log(1 + 2 * math.log(t)),
    "simple": lambda t: math.log(1 + math.log(t)),
}
RUNS = 20_000


def exact(gap: float, threshold: str, log_inv_delta: float) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(80)
    deviation = math.sqrt(2)

    def edge(t: int) -> float:
        return math.sqrt(4 * t * (log_inv_delta + GROWTH[threshold](t)))

    def density(x: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * ((x - gap) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))

    bound = edge(1)
    error = float(ndtr((-bound - gap) / deviation))
    mass = weights * bound * density(bound * nodes)
    for t in range(2, 3000):
        following = edge(t)
        leaves = float(mass @ ndtr((-following - bound * nodes - gap) / deviation))
        mass = weights * following * (mass @ density(following * nodes[None, :] - bound * nodes[:, None]))
        bound = following
        error += leaves
        if t > 50 and leaves < 1e-12 * error:
            break
    return error


def main() -> int:
    far = 0
    print("| threshold | gap | δ | exact | measured | standard errors off |\n| --- | --- | --- | --- | --- | --- |")
    for threshold in GROWTH:
        for gap in GAPS:
            command = [os.environ["TASFG"], "error", "--graph", "full", "-P", "K=2", "--means", f"0,{gap}", "-a", "uniform"]
            command += ["--threshold", threshold, "--delta", ",".join(DELTAS), "--runs", str(RUNS), "--csv"]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            for delta, row in zip(DELTAS, csv.DictReader(io.StringIO(out)), strict=True):
                truth = exact(gap, threshold, float(row["log_inv_delta"]))
                error, std_error = float(row["error"]), float(row["std_error"])
                off = (error - truth) / std_error
                far += abs(off) > 3
                print(f"| {threshold} | {gap} | {delta} | {truth:.4g} | {error:.4g} ± {std_error:.2g} | {off:+.2f} |", flush=True)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
