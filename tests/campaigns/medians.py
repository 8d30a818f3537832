#!/usr/bin/env python3
"""Medians of the main study against the bootstrap intervals of the published runs' medians.

    tests/campaigns/medians.py --tasfg build/release/src/tasfg --published published_runs.csv [--seeds 1000] [-o main.h5]

Sweeps jobs/paper-main.toml with reference conventions, without UCB-FG-V (its runs replay to the exact step:
replay.py), and counts the cells (graph, K, algorithm, δ) whose median lies in the published one's 95 % interval. A 95 % interval
of 25 runs is to miss one cell in twenty even if both samples are of one law; and the six δ of a run, and the algorithms of a
seed, miss together. How often that happens is measured: 25 of our own seeds take the place of the published ones, many
times. An existing -o file is continued.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

import tasfg  # noqa: E402
from tasfg import comparison, estimates  # noqa: E402


def shares_inside(ours, draws: int, seed: int = 1):
    """Share of cells inside, over all δ and at the largest, when 25 of our seeds per case play the published runs."""
    chance = np.random.default_rng(seed)
    cells = [(key, part.set_index("seed").tau) for key, part in ours.groupby(comparison.CELL, observed=True)]
    last = ours.log_inv_delta.max()
    shares = []
    for _ in range(draws):
        chosen, inside = {}, []
        for (graph, K, _, x), tau in cells:
            seeds = chosen.setdefault((graph, K), chance.choice(tau.index.to_numpy(), 25, replace=False))
            picked = tau.reindex(seeds).dropna().to_numpy()
            low, high = estimates.median_interval(picked)
            inside.append((x == last, low <= tau.median() <= high))
        inside = np.array(inside)
        shares.append((inside[:, 1].mean(), inside[inside[:, 0], 1].mean()))
    return np.array(shares)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasfg", required=True)
    parser.add_argument("--published", required=True)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=200, help="times that our own seeds play the published ones")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = options.output or pathlib.Path(folder) / "main.h5"
        subprocess.run(
            [
                options.tasfg,
                "sweep",
                ROOT / "jobs/paper-main.toml",
                "-o",
                out,
                "--set",
                "conventions=reference",
                "--set",
                f"replications={options.seeds}",
                "--set",
                'algorithms=["tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e"]',
            ],
            check=True,
        )
        published = comparison.read_published(options.published)
        ours = comparison.matching_runs(tasfg.open(out), published)
    table = comparison.test_table(ours, published)
    print("\n".join(comparison.summary(table)))
    for level in (0.95, 0.99, 0.999):
        inside = []
        for key, theirs in published.groupby(comparison.CELL):
            row = table[(table[comparison.CELL] == list(key)).all(axis=1)]
            if len(row):
                low, high = estimates.median_interval(theirs.tau, level)
                inside.append(low <= row["median"].iloc[0] <= high)
        print(
            f"{100 * level:g} % intervals: inside in {sum(inside)} of {len(inside)} cells ({100 * np.mean(inside):.1f} %)"
        )
    shares = shares_inside(ours, options.draws)
    seen = table.inside.mean(), table.inside[table.log_inv_delta == table.log_inv_delta.max()].mean()
    for name, drawn, value in zip(("all cells", "largest ln(1/delta)"), shares.T, seen):
        print(
            f"{name}: {100 * value:.1f} % inside; with 25 of our own seeds in place of the published ones "
            f"{100 * drawn.mean():.1f} % on average, between {100 * np.percentile(drawn, 2.5):.1f} % and "
            f"{100 * np.percentile(drawn, 97.5):.1f} % in 95 % of {options.draws} draws; {100 * (drawn <= value).mean():.0f} % of "
            "draws are not higher"
        )
    outside = table[~table.inside].sort_values("rank_p")
    print(
        "\n| graph | K | algorithm | ln(1/δ) | our median | published | 95 % interval | rank test p |\n"
        + "| --- " * 8
        + "|"
    )
    for row in outside.itertuples():
        print(
            f"| {row.graph} | {row.K} | {row.algorithm} | {row.log_inv_delta:g} | {row.median:.0f} | {row.published_median:.0f} | "
            f"{row.interval_low:.0f}–{row.interval_high:.0f} | {row.rank_p:.3f} |"
        )
    # Refuted would be: a cell that a rank test tells apart, or fewer inside than our own seeds ever give.
    return int((table.rank_p_holm < 0.05).any() or (shares[:, 0] > seen[0]).mean() > 0.99)


if __name__ == "__main__":
    sys.exit(main())
