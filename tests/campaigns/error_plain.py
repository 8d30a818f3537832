#!/usr/bin/env python3
"""`tasfg error` against plain Monte Carlo, where that can see.

    TASFG=build/release/src/tasfg tests/campaigns/error_plain.py [--part reference|simple] [--scale 1]

`reference`: the published conventions on the paper's graphs at K = 5, where errors at e⁻⁷ are not rare. `simple`: the simple threshold on
small graphs with large gaps, whose runs are short. All δ of a row come from one set of plain runs and one of weighted ones.
Prints one row a cell, for docs/error.md; ends with status 1 where the 95 % intervals of less than 95 % of the cells overlap.
`--scale` multiplies the plain runs: all take some hours."""

import argparse
import csv
import io
import os
import subprocess
import sys

REFERENCE = ("0.1", "0.03", "0.01", "0.0009118819655545162")  # the last is e⁻⁷
SIMPLE = ("0.3", "0.1", "0.03", "0.01", "0.001")
GRAPHS = ("loopy-star", "loopy-star-alt", "ring", "loopless-clique")
RUNS = {"uniform": 1e6, "tas-fg-heur": 1e6, "exp3.g": 1e6, "tas-fg": 1e6}  # hours in all: see --scale
SMALL = (  # graph, means, rule
    ("full", "0,1", "uniform"),
    ("full", "0,2", "uniform"),
    ("full", "0,1.5,3", "uniform"),
    ("full", "0,1,2,4", "tas-fg-heur"),
    ("bandit", "0,2", "ucb-fg-e"),
    ("bandit", "0,1,3", "tas-fg-heur"),
    ("bandit", "0,1,2,4", "uniform"),
    ("revealing-action", "0,1,3", "uniform"),
    ("ring", "0,1,3", "uniform"),
    ("ring", "0,1,3", "ucb-fg-e"),
    ("full", "0,3", "uniform"),
    ("full", "0,1.5,3", "exp3.g"),
    ("full", "0,0.5,2.5", "tas-fg-heur"),
    ("bandit", "0,3", "uniform"),
    ("bandit", "0,2,4", "ucb-fg-e"),
    ("revealing-action", "0,2,3", "tas-fg-heur"),
    ("ring", "0,2,4", "uniform"),
    ("ring", "0,1,3", "exp3.g"),
)


def measured(arguments: list[str], runs: int, *more: str) -> list[dict[str, str]]:
    command = [os.environ["TASFG"], "error", *arguments, "--runs", str(runs), "--threads", "1", "--csv", *more]
    return list(csv.DictReader(io.StringIO(subprocess.run(command, capture_output=True, text=True, check=True).stdout)))


def parts(scale: float) -> dict[str, list[tuple[str, list[str], int]]]:
    """Name, arguments and plain runs of every row."""
    reference = [
        (
            f"{graph}, {rule}",
            ["--graph", graph, "-a", rule, "--conventions", "reference", "--delta", ",".join(REFERENCE)],
            int(RUNS[rule] * scale),
        )
        for rule in RUNS
        for graph in GRAPHS
    ]
    simple = [
        (
            f"{graph} {means}, {rule}",
            ["--graph", graph, "-P", f"K={means.count(',') + 1}", "--means", means, "-a", rule, "--threshold", "simple"]
            + ["--delta", ",".join(SIMPLE)],
            int(1e7 * scale),
        )
        for graph, means, rule in SMALL
    ]
    return {"reference": reference, "simple": simple}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("reference", "simple"))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--weighted", type=int, default=20_000)
    options = parser.parse_args()
    cells = overlap = 0
    print("| instance, rule | δ | plain runs | errors | plain | weighted | overlap |\n| --- | --- | --- | --- | --- | --- | --- |")
    for part, rows in parts(options.scale).items():
        for name, arguments, runs in rows if options.part in (None, part) else ():
            plain, weighted = measured(arguments, runs, "--plain"), measured(arguments, options.weighted)
            deltas = arguments[-1].split(",")
            for delta, p, w in zip(deltas, plain, weighted, strict=True):
                ends = [[float(row[end]) for end in ("lower", "upper")] for row in (p, w)]
                same = ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1]  # none where there is no interval
                cells += 1
                overlap += same
                shown = [f"[{low:.4g}, {high:.4g}]" for low, high in ends]
                print(f"| {part}: {name} | {float(delta):.3g} | {runs} | {float(p['ess']):.0f} | {shown[0]} | {shown[1]} | "
                      f"{'yes' if same else 'NO'} |", flush=True)
    print(f"{overlap} of {cells} overlap")
    return 0 if overlap >= 0.95 * cells else 1


if __name__ == "__main__":
    sys.exit(main())
