#!/usr/bin/env python3
"""How often the 95 % intervals of weighted runs hold the truth.

    TASFG=build/release/src/tasfg tests/campaigns/error_coverage.py [--samplers 20] [--batches 25] [--runs 2000]

A sweep with measure = "error" for each of `samplers` master seeds, which have pilots of their own; its runs are cut into `batches`,
and each batch gives an interval. The truth is exact on the full graph of two vertices (error_exact.py), elsewhere the mean of all runs,
whose own error is next to nothing beside that of a batch. Batches without an interval are counted apart. Prints one row a cell, for
docs/error.md, and ends with status 1 where one lies outside 92 to 98 %. Some five minutes of CPU time."""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile
from os import environ

import h5py
import numpy as np
from error_exact import exact

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))
from tasfg.estimates import weighted_error

INSTANCES = (  # graph, means, algorithm, threshold, δ
    ("full", (0.0, 1.0), "uniform", "simple", (0.1, 1e-3, 1e-12)),
    ("full", (0.0, 1.0), "uniform", "practical", (0.1, 1e-6)),
    ("bandit", (0.0, 1.0, 3.0), "tas-fg-heur", "simple", (0.1, 1e-6)),
    ("ring", (0.0, 1.0, 3.0), "ucb-fg-e", "practical", (0.1, 1e-6)),
)


def job(graph: str, means: tuple[float, ...], algorithm: str, threshold: str, deltas: tuple[float, ...], runs: int) -> str:
    return (
        f'measure = "error"\nthreshold = "{threshold}"\nreplications = {runs}\ndelta = {list(deltas)}\nalgorithms = ["{algorithm}"]\n'
        f'[[graph]]\nfamily = "{graph}"\nK = {len(means)}\nmeans = {list(means)}\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("samplers", 20), ("batches", 25), ("runs", 2000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    outside = 0
    print("| graph, means, rule, threshold | δ | error | intervals | hold the truth |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for graph, means, algorithm, threshold, deltas in INSTANCES:
            path = pathlib.Path(folder) / "job.toml"
            path.write_text(job(graph, means, algorithm, threshold, deltas, options.batches * options.runs))
            weights = []  # [sampler][δ, run]
            for seed in range(options.samplers):
                out = path.with_suffix(".h5")
                out.unlink(missing_ok=True)
                command = [environ["TASFG"], "sweep", path, "-o", out, "-q", "--threads", "1", "--set", f"seed={seed + 1}"]
                subprocess.run(list(map(str, command)), check=True)
                with h5py.File(out) as file:
                    weights.append(np.nan_to_num(file["runs/log_weight"][0, 0], nan=-np.inf, posinf=np.inf, neginf=-np.inf))
            for d, delta in enumerate(deltas):
                known = [each[d] for each in weights if not np.isposinf(each[d]).any()]
                truth = exact(means[1], threshold, -math.log(delta)) if graph == "full" else np.mean(np.exp(known))
                found = [weighted_error(batch) for each in known for batch in np.split(each, options.batches)]
                there = [(low, high) for _, low, high in found if low == low]
                share = np.mean([low <= truth <= high for low, high in there])
                outside += not 0.92 <= share <= 0.98
                words = f"{graph}, {', '.join(f'{mean:g}' for mean in means)}, {algorithm}, {threshold}"
                total = options.samplers * options.batches
                print(f"| {words} | {delta:g} | {truth:.3g} | {len(there)} of {total} | {100 * share:.1f} % |", flush=True)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
