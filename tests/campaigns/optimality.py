"""Mean tau / (T* kl(delta, 1 - delta)) as delta goes to 0, with the limits that the theory gives.

usage: optimality.py --tasfg build/release/src/tasfg [--seeds 200] [--output optimality.png]
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

LOGS = (7, 20, 50, 100, 200)
STYLE = {"tas-fg": ("#0072B2", "TaS-FG"), "tas-fg-heur": ("#D55E00", "heuristic TaS-FG"), "uniform": ("#009E73", "uniform")}


def kl(x: float) -> float:
    """kl(delta, 1 - delta) at ln(1/delta) = x."""
    delta = np.exp(-x)
    return float((1 - 2 * delta) * (x + np.log1p(-delta)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasfg", required=True)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2), constrained_layout=True)
    print("| graph | algorithm | " + " | ".join(f"ln(1/δ) = {x}" for x in LOGS) + " | limit |")
    print("| --- " * (len(LOGS) + 3) + "|")
    for panel, graph in zip(panels, ("ring", "loopy-star")):
        solved = json.loads(subprocess.run([options.tasfg, "solve", "--graph", graph, "--json"], check=True,
                                           capture_output=True, text=True).stdout)
        limits = {"tas-fg": 1.0, "tas-fg-heur": solved["T_heuristic"] / solved["T_star"],
                  "uniform": solved["T_uniform"] / solved["T_star"]}
        command = [options.tasfg, "simulate", "--graph", graph, "--algorithm", ",".join(STYLE), "--csv"]
        command += ["--seeds", f"0-{options.seeds - 1}", "--log-inv-delta", ",".join(map(str, LOGS))]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        taus = collections.defaultdict(list)
        for row in csv.DictReader(done.stdout.splitlines()):
            taus[row["algorithm"], int(float(row["log_inv_delta"]))].append(int(row["tau"]))
        for algorithm, (colour, label) in STYLE.items():
            scale = [solved["T_star"] * kl(x) for x in LOGS]
            mean = np.array([np.mean(taus[algorithm, x]) for x in LOGS]) / scale
            error = np.array([np.std(taus[algorithm, x], ddof=1) for x in LOGS]) / np.sqrt(options.seeds) / scale
            panel.errorbar(LOGS, mean, 2 * error, color=colour, label=label, marker="o", markersize=3, capsize=2)
            panel.axhline(limits[algorithm], color=colour, linestyle=":", linewidth=1)
            print(f"| {graph} | {algorithm} | " + " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error))
                  + f" | {limits[algorithm]:.3f} |", flush=True)
        panel.set(title=f"{graph}, $K=5$", xscale="log", xlabel="$\\ln(1/\\delta)$", ylim=(0.8, None))
        panel.set_xticks(LOGS, [str(x) for x in LOGS])
        panel.minorticks_off()
    panels[0].set_ylabel("mean $\\tau\\,/\\,(T^\\star\\,\\mathrm{kl}(\\delta,1-\\delta))$")
    panels[0].legend(frameon=False)
    if options.output:
        figure.savefig(options.output, dpi=150)


if __name__ == "__main__":
    main()
