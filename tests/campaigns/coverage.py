#!/usr/bin/env python3
"""How often the intervals of real sweeps that stop at precision hold the truth.

    TASFG=build/release/src/tasfg tests/campaigns/coverage.py [--sweeps 1000] [--first 0]

Runs the same small job with other master seeds, each until it is precise, and holds the interval that `tasfg status --json` gives of
each cell (mean, median, or ratio, one job for each) against one sweep of 200 000 runs a cell. campaign_coverage does it on more
laws, without sweeps."""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import h5py
import numpy as np

from processes import run

JOB = """
replications = 5000
log_inv_delta = [2.0]
algorithms = ["uniform", "oracle"]
[[graph]]
family = "bandit"
K = [2, 3]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first sweep, to go on where others ended")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "job.toml").write_text(JOB)
        run("sweep", "job.toml", "-o", "truth.h5", "-q", "--set", "replications=200000", "--set", "seed=1", cwd=folder, timeout=3600)
        with h5py.File(folder / "truth.h5") as file:
            tau = file["runs/tau"][()][:, :, 0, :].astype(float)
            labels = [text.decode() for text in file["runs/label"][()]]
            algorithms = [text.decode() for text in file["runs/algorithm"][()]]
        mean = tau.mean(axis=-1)
        truths = {"mean": mean, "median": np.median(tau, axis=-1), "ratio": mean / mean[:, :1]}
        for quantity, truth in truths.items():
            inside, all_cells, runs = 0, 0, 0
            for seed in range(options.first, options.first + options.sweeps):
                out = folder / "out.h5"
                out.unlink(missing_ok=True)
                run("sweep", "job.toml", "-o", out, "-q", "--set", f"seed={seed + 2}", "--set", f"precision.{quantity}=0.1", cwd=folder)
                for cell in json.loads(run("status", out, "--json").stdout)["precision"]["cells"]:
                    if cell["quantity"] != quantity or cell["low"] is None:
                        continue  # of the first algorithm there is no ratio
                    right = truth[labels.index(cell["case"]), algorithms.index(cell["algorithm"])]
                    inside += cell["low"] <= right <= cell["high"]
                    all_cells += 1
                    runs += cell["runs"]
            print(f"{quantity}: {inside} of {all_cells} intervals of {options.sweeps} sweeps hold the truth "
                  f"({100 * inside / all_cells:.1f} %), {runs / all_cells:.0f} runs a cell", flush=True)


if __name__ == "__main__":
    main()
