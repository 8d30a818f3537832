"""Replays the published runs and counts the rows that come out exactly.

usage: replay.py --tasfg build/release/src/tasfg --published published_runs.csv [--algorithms a,b] [--largest N] [--fewest N]

Runs whose published stopping time exceeds --largest are left out and counted; --fewest keeps the N shortest runs of
each instance instead.
"""

import argparse
import collections
import csv
import subprocess
import sys
import time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasfg", required=True)
    parser.add_argument("--published", required=True)
    parser.add_argument("--algorithms", default="exp3.g,tas-fg-heur,ucb-fg-e,ucb-fg-v")
    parser.add_argument("--largest", type=float, default=1e9)
    parser.add_argument("--fewest", type=int)
    options = parser.parse_args()

    published = collections.defaultdict(dict)
    for row in csv.DictReader(open(options.published, encoding="utf-8")):
        key = row["algorithm"], row["graph"], int(row["K"])
        published[key].setdefault(int(row["seed"]), {})[float(row["log_inv_delta"])] = int(row["tau"]), int(row["correct"])

    print(f"{'algorithm':<14}{'graph':<18}{'K':>3}{'rows':>7}{'equal':>7}{'share':>9}{'left out':>10}{'seconds':>9}")
    for key in sorted(published):
        algorithm, graph, K = key
        if algorithm not in options.algorithms.split(","):
            continue
        runs = published[key]
        chosen = {s: rows for s, rows in runs.items() if max(tau for tau, _ in rows.values()) <= options.largest}
        if options.fewest:
            chosen = dict(sorted(runs.items(), key=lambda run: max(tau for tau, _ in run[1].values()))[: options.fewest])
        started = time.time()
        equal = rows = 0
        if chosen:
            deltas = sorted(next(iter(chosen.values())))
            command = [options.tasfg, "simulate", "--graph", graph, "-P", f"K={K}", "--algorithm", algorithm]
            command += ["--conventions", "reference", "--stream", "numpy", "--csv"]
            command += ["--seeds", ",".join(map(str, sorted(chosen))), "--log-inv-delta", ",".join(map(str, deltas))]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            for row in csv.DictReader(done.stdout.splitlines()):
                rows += 1
                equal += chosen[int(row["seed"])][float(row["log_inv_delta"])] == (int(row["tau"]), int(row["correct"]))
        left_out = sum(len(r) for r in runs.values()) - rows
        share = f"{100 * equal / rows:8.2f}%" if rows else "        -"
        print(f"{algorithm:<14}{graph:<18}{K:>3}{rows:>7}{equal:>7}{share}{left_out:>10}{time.time() - started:>9.1f}")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
