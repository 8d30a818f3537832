"""Error rates at delta = 0.1 and e^-7 with `paper` and `reference` conventions on the same random streams.

usage: delta_correctness.py --tasfg build/release/src/tasfg [--seeds 10000]

Prints a Markdown table; exit status 1 if an upper Clopper-Pearson limit (97.5 %) with `paper` conventions exceeds delta.
"""

import argparse
import collections
import csv
import subprocess
import sys

import numpy as np
from scipy.stats import beta

DELTAS = {"0.1": float(np.log(10)), "e^-7": 7.0}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasfg", required=True)
    parser.add_argument("--seeds", type=int, default=10000)
    options = parser.parse_args()
    values = list(DELTAS.values())
    failed = False
    print("| instance (K = 5) | algorithm | δ | errors, paper | upper limit | errors, reference | rate / δ |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for graph in ("ring", "loopless-clique", "loopy-star", "loopy-star-alt"):
        for algorithm in ("tas-fg", "ucb-fg-e"):
            errors = {}
            for conventions in ("paper", "reference"):
                command = [options.tasfg, "simulate", "--graph", graph, "-P", "K=5", "--algorithm", algorithm, "--csv"]
                if graph == "loopless-clique":
                    command += ["-P", "parity=reference"]  # one instance, so that the streams are the same
                command += ["--conventions", conventions, "--seeds", f"0-{options.seeds - 1}"]
                command += ["--log-inv-delta", ",".join(map(repr, values))]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                errors[conventions] = collections.Counter(
                    float(row["log_inv_delta"]) for row in csv.DictReader(done.stdout.splitlines()) if row["correct"] == "0"
                )
            for name, value in DELTAS.items():
                count = errors["paper"][value]
                upper = float(beta.ppf(0.975, count + 1, options.seeds - count))
                delta = float(np.exp(-value))
                failed |= upper > delta
                ratio = errors["reference"][value] / options.seeds / delta
                print(f"| {graph} | {algorithm} | {name} | {count} of {options.seeds} | {upper:.2e} | "
                      f"{errors['reference'][value]} | {ratio:.1f} |")
                sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
