"""The paper's Fig. 3: characteristic time of the loopy star over p, with the rate of information on a twin axis."""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import xarray
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

COLOURS = {1.0: "#0072B2", 0.25: "#D55E00"}  # colour-blind safe (Okabe and Ito)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path, help="result file of jobs/fig-loopy-star.toml")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("loopy_star.png"))
    options = parser.parse_args()

    cases = xarray.load_dataset(options.results, group="cases", engine="h5netcdf")
    gap = float(((cases.T_star - cases.T_star_lower) / cases.T_star).max())
    figure, left = plt.subplots(figsize=(6.4, 3.8), constrained_layout=True)
    right = left.twinx()
    for q, name in ((1.0, "1"), (0.25, "1/4")):
        curve = cases.isel(case=(cases.q == q).values).sortby("p")
        left.plot(curve.p, curve.T_star, color=COLOURS[q], label=f"$T^\\star$, $q={name}$")
        right.plot(curve.p, curve.m_norm, "--", color=COLOURS[q], label=f"$\\Vert m^\\star\\Vert$, $q={name}$")
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
    print(f"{options.output}: T* at {cases.sizes['case']} points, certified relative gap at most {gap:.1e}")


if __name__ == "__main__":
    main()
