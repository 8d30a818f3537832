#!/usr/bin/env python3
"""How often the 95 % intervals of `tasfg error` hold the truth.

    TASFG=build/release/src/tasfg tests/campaigns/error_coverage.py [--repetitions 500] [--runs 4000]

Each repetition has a master seed of its own, and so pilots of its own. The truth is exact on the full graph of two vertices
(error_exact.py), elsewhere the mean over all repetitions, whose own error is next to nothing beside an interval's. Repetitions without
an interval are counted apart. Prints one row a cell, for docs/error.md, and ends with status 1 where a cell lies outside 92 to 98 %."""

import argparse
import csv
import io
import math
import os
import subprocess
import sys

from error_exact import exact

FULL = ["--graph", "full", "-P", "K=2", "--means", "0,1", "-a", "uniform"]
INSTANCES = {  # arguments, δ, the exact values where they are known
    "full, 2 vertices, simple": ([*FULL, "--threshold", "simple"], ("0.1", "1e-3", "1e-12"), ("simple", 1.0)),
    "full, 2 vertices, practical": (FULL, ("0.1", "1e-6"), ("practical", 1.0)),
    "bandit, 3 vertices, TaS-FG, simple": (
        ["--graph", "bandit", "-P", "K=3", "--means", "0,1,3", "-a", "tas-fg-heur", "--threshold", "simple"],
        ("0.1", "1e-6"),
        None,
    ),
    "ring, 3 vertices, UCB-FG-E, practical": (
        ["--graph", "ring", "-P", "K=3", "--means", "0,1,3", "-a", "ucb-fg-e"],
        ("0.1", "1e-6"),
        None,
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--runs", type=int, default=4000)
    options = parser.parse_args()
    outside = 0
    print(f"| {options.repetitions} times {options.runs} runs | δ | error | intervals | hold the truth |\n| --- | --- | --- | --- | --- |")
    for name, (arguments, deltas, known) in INSTANCES.items():
        cells: list[list[tuple[float, float, float]]] = [[] for _ in deltas]
        for seed in range(options.repetitions):
            command = [os.environ["TASFG"], "error", *arguments, "--delta", ",".join(deltas), "--threads", "1", "--csv"]
            command += ["--runs", str(options.runs), "--master-seed", str(seed)]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            for cell, row in zip(cells, csv.DictReader(io.StringIO(out)), strict=True):
                cell.append((float(row["error"]), float(row["lower"]), float(row["upper"])))
        for delta, cell in zip(deltas, cells, strict=True):
            mean = math.fsum(error for error, _, _ in cell) / len(cell)
            truth = exact(known[1], known[0], -math.log(float(delta))) if known else mean
            there = [(low, high) for _, low, high in cell if low == low]
            share = sum(low <= truth <= high for low, high in there) / len(there)
            outside += not 0.92 <= share <= 0.98
            print(f"| {name} | {delta} | {truth:.3g} | {len(there)} | {100 * share:.1f} % |", flush=True)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
