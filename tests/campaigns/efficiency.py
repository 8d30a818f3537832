#!/usr/bin/env python3
"""Parallel efficiency on this machine: one worker against as many as there are cores, by threads and by ranks.

    TASFG=build/release/src/tasfg tests/campaigns/efficiency.py JOB.toml [--repeats 3] [--set key=value ...]

Runs the job with one worker, with n threads and with n ranks, in turn, `--repeats` times; prints the throughput over one
worker's, how busy the workers were, the coordinator's share of one core, and the makespan over
max(total / n, longest task). Nothing else should run meanwhile.
"""

import argparse
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from processes import run


def measure(job, changes, ranks, threads, folder):
    out = folder / "out.h5"
    out.unlink(missing_ok=True)
    begin = time.monotonic()
    done = run("sweep", job, "-o", out, "--threads", threads, *changes, ranks=ranks, timeout=7200)
    wall = time.monotonic() - begin
    found = re.search(r"done in .*busy ([\d.]+) %, coordinator ([\d.]+) % of", done.stderr)
    with h5py.File(out) as file:
        seconds = np.concatenate([file["runs/seconds"][()].ravel(), file["cases/seconds"][()]])
    return dict(wall=wall, busy=float(found[1]), coordinator=float(found[2]), total=seconds.sum(), longest=seconds.max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--skip-one", action="store_true", help="without the run on one worker")
    options = parser.parse_args()
    changes = [part for each in options.set for part in ("--set", each)]
    cores = len(os.sched_getaffinity(0))
    ways = {"1 worker": (0, 1), f"{cores} threads": (0, cores), f"{cores} ranks": (cores, 1)}
    if options.skip_one:
        del ways["1 worker"]
    results = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeats):
            for name, (ranks, threads) in ways.items():
                results[name].append(measure(options.job, changes, ranks, threads, pathlib.Path(folder)))
                last = results[name][-1]
                one = results["1 worker"][-1]["wall"] if "1 worker" in results else float("nan")
                n = 1 if name == "1 worker" else cores
                best = max(last["total"] / n, last["longest"])
                print(f"{name:>10}: {last['wall']:8.2f} s, throughput x {one / last['wall']:.3f}, busy {last['busy']:.1f} %, "
                      f"coordinator {last['coordinator']:.2f} %, makespan {last['wall'] / best:.3f} of the best "
                      f"(longest task {last['longest']:.2f} s)", flush=True)
    for name in list(ways)[1:] if not options.skip_one else []:
        ratios = [a["wall"] / b["wall"] for a, b in zip(results["1 worker"], results[name])]
        print(f"{name}: median throughput x {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
