"""The paper's Fig. 3: characteristic time of the loopy star over p, with the rate of information on a twin axis."""

import argparse
import json
import os
import pathlib
import subprocess
from concurrent.futures import ThreadPoolExecutor

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

COLOURS = {1.0: "#0072B2", 0.25: "#D55E00"}  # colour-blind safe (Okabe and Ito)


def solve(tasfg: str, p: float, q: float, r: float) -> dict:
    """T* and ||G'omega*|| at one point of the curve."""
    command = [tasfg, "solve", "--graph", "loopy-star", "-P", "K=5", "-P", f"p={p!r}", "-P", f"q={q!r}", "-P", f"r={r!r}"]
    done = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasfg", default="tasfg", help="the program")
    parser.add_argument("--points", type=int, default=200, help="values of p")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("loopy_star.png"))
    options = parser.parse_args()

    grid = np.linspace(0.0, 1.0, options.points)
    figure, left = plt.subplots(figsize=(6.4, 3.8), constrained_layout=True)
    right = left.twinx()
    gap = 0.0
    for q, name in ((1.0, "1"), (0.25, "1/4")):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            curve = list(pool.map(lambda p: solve(options.tasfg, float(p), q, 0.25), grid))
        gap = max(gap, *(point["relative_gap"] for point in curve))
        left.plot(grid, [point["T_star"] for point in curve], color=COLOURS[q], label=f"$T^\\star$, $q={name}$")
        right.plot(grid, [point["m_norm"] for point in curve], "--", color=COLOURS[q], label=f"$\\Vert m^\\star\\Vert$, $q={name}$")
    left.set(xlabel="$p$", ylabel="characteristic time $T^\\star$", yscale="log", xlim=(0, 1))
    right.set_ylabel("$\\Vert G^\\top\\omega^\\star\\Vert_2$")
    handles, labels = (sum(x, []) for x in zip(left.get_legend_handles_labels(), right.get_legend_handles_labels()))
    left.legend(handles, labels, ncols=2, loc="upper center", frameon=False)
    left.set_title("Loopy star, $K=5$, $r=1/4$", fontsize="medium")
    low, high = left.get_ylim()
    left.set_ylim(low, high * 3)
    left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 4, 6)))
    left.yaxis.set_major_formatter(ScalarFormatter())
    left.yaxis.set_minor_formatter(NullFormatter())
    figure.savefig(options.output, dpi=200)
    print(f"{options.output}: T* at {2 * options.points} points, certified relative gap at most {gap:.1e}")


if __name__ == "__main__":
    main()
