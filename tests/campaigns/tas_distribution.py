"""TaS-FG against the published runs: one rank test per (graph, K, delta), Holm-corrected over all of them.

usage: tas_distribution.py --tasfg build/release/src/tasfg --published published_runs.csv [--seeds 400]
"""

import argparse
import collections
import csv
import subprocess
import sys

import numpy as np
from scipy.stats import mannwhitneyu


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasfg", required=True)
    parser.add_argument("--published", required=True)
    parser.add_argument("--seeds", type=int, default=400, help="trajectories of ours per instance")
    options = parser.parse_args()

    published = collections.defaultdict(list)
    for row in csv.DictReader(open(options.published, encoding="utf-8")):
        if row["algorithm"] == "tas-fg":
            published[row["graph"], int(row["K"]), float(row["log_inv_delta"])].append(int(row["tau"]))

    cells = []
    for graph, K in sorted({key[:2] for key in published}):
        deltas = sorted(key[2] for key in published if key[:2] == (graph, K))
        command = [options.tasfg, "simulate", "--graph", graph, "-P", f"K={K}", "--algorithm", "tas-fg", "--csv"]
        command += ["--conventions", "reference", "--seeds", f"0-{options.seeds - 1}"]
        command += ["--log-inv-delta", ",".join(map(str, deltas))]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        ours = collections.defaultdict(list)
        for row in csv.DictReader(done.stdout.splitlines()):
            ours[float(row["log_inv_delta"])].append(int(row["tau"]))
        for delta in deltas:
            theirs = published[graph, K, delta]
            p = mannwhitneyu(ours[delta], theirs, alternative="two-sided").pvalue
            cells.append((p, graph, K, delta, np.median(ours[delta]), np.median(theirs)))
        print(f"{graph} K={K}: medians at ln(1/delta)={deltas[-1]}: ours {cells[-1][4]:.0f}, published {cells[-1][5]:.0f}")
        sys.stdout.flush()

    cells.sort()
    rejected = 0
    for rank, cell in enumerate(cells):
        if cell[0] > 0.05 / (len(cells) - rank):
            break
        rejected += 1
        print("rejected:", cell)
    print(f"{len(cells)} cells, smallest p-value {cells[0][0]:.2e} ({cells[0][1]}, K={cells[0][2]}, {cells[0][3]}); "
          f"Holm at 5 % rejects {rejected}")
    return 1 if rejected else 0


if __name__ == "__main__":
    sys.exit(main())
