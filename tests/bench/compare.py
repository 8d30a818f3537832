"""Our times beside those of peers, limits and laws; prints Markdown. tests/bench/run calls it.

Both sides of every comparison are measured in turn, several times, in CPU time on one thread. Before that their answers are
compared; where they differ nothing is printed, and the exit status is 1. docs/benchmarks.md says what each row means.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version

import numpy as np
import scipy.stats
import sweeps
import t_star_peers
import trajectory_peers
from measure import (
    Comparison,
    DifferentThings,
    Law,
    Reading,
    Settings,
    duration,
    google,
    number,
    require,
    spread,
    step_of,
    tasfg,
    timed,
)

SECTIONS = ("solves", "allocations", "steps", "limits", "sweeps", "laws")
GRAPHS = ("ring", "loopless-clique")


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


# T*

TOLERANCE = 1e-6  # of T at a peer's allocation, over T*
SLSQP_TOLERANCE = 1e-4  # it stops on progress, not on a gap
# What the others are asked for, to be that good. At 1e-8 they end up to 4e-6 above T*: their tolerances are those of scaled
# residuals, ours is the certified relative gap.
ASKED = 1e-9


def same_time(what: str, T: float, reference: dict, tolerance: float) -> None:
    """T(omega) of a peer lies between the certified lower end and just above T*."""
    low, high = reference["T_star_lower"] * (1 - 1e-9), reference["T_star"] * (1 + tolerance)
    require(low <= T <= high, f"{what}: T = {T:.9g}, not in [{low:.9g}, {high:.9g}]")


def solves(settings: Settings) -> list[Comparison]:
    """Cold solves to a relative gap of 1e-8."""
    rows = []
    for graph in ("ring", "loopless-clique", "loopy-star"):
        for K in (15,) if settings.quick else (5, 10, 15):
            say(f"T* of {graph}, K = {K}")
            G, means = trajectory_peers.instance(graph, K)
            reference = json.loads(tasfg(settings, "solve", "--graph", graph, "-P", f"K={K}", "--json"))
            reused = t_star_peers.CvxpyReused(K, ASKED)
            direct = t_star_peers.Clarabel(G, means, ASKED)
            peers = {
                "CVXPY + CLARABEL, problem re-used": (lambda: reused.solve(G, means), TOLERANCE),
                "CVXPY + CLARABEL, built anew": (lambda: t_star_peers.cvxpy_anew(G, means, ASKED), TOLERANCE),
                "Clarabel": (direct.solve, TOLERANCE),
                "SciPy SLSQP": (lambda: t_star_peers.slsqp(G, means), SLSQP_TOLERANCE),
            }
            for name, (solve, tolerance) in peers.items():
                same_time(f"{name}, {graph}, K = {K}", t_star_peers.time_of(G, means, solve()), reference, tolerance)
            aims = {"CVXPY + CLARABEL, built anew": "≥ 500", "Clarabel": "≥ 10"} if K == 15 else {}
            compared = {name: Comparison(f"T\\*, {graph}, K = {K}", name, [], [], aims.get(name, "")) for name in peers}
            for _ in range(settings.repeats):
                for name, (solve, _) in peers.items():
                    [row] = google(settings, "bench_solve", [f"cold/{graph}/{K}/8"])
                    same_time(f"bench_solve, {graph}, K = {K}", row["T_star"], reference, 1e-8)
                    compared[name].ours.append(row["seconds"])
                    compared[name].theirs.append(timed(settings, solve))
            rows += compared.values()
    return rows


def allocations(settings: Settings) -> list[Comparison]:
    """A step of TaS-FG, which solves its estimated model to 1e-7, against one such solve by CVXPY."""
    rows = []
    for graph in GRAPHS:
        say(f"allocations on {graph}")
        G, means = trajectory_peers.instance(graph, 15)
        models = trajectory_peers.estimated_models(G, means, after=3000, count=20)
        path = settings.folder / f"{graph}.models"
        path.write_text("\n".join([f"15 {len(models)}"] + [" ".join(map(repr, map(float, [*g.ravel(), *mu]))) for g, mu in models]))
        reused = t_star_peers.CvxpyReused(15, ASKED)
        whole = Comparison(f"step of TaS-FG with its allocation, {graph}, K = 15", "CVXPY + CLARABEL, allocation alone", [], [],
                           "≥ 1000")
        alone = Comparison(f"allocation alone, {graph}, K = 15", "CVXPY + CLARABEL, problem re-used", [], [])
        for repeat in range(settings.repeats):
            [row] = google(settings, "bench_solve", ["models"], f"--models={path}")
            if repeat == 0:
                for i, (g, mu) in enumerate(models):
                    T = t_star_peers.time_of(g, mu, reused.solve(g, mu))
                    require(abs(T / row[f"T_{i}"] - 1) <= TOLERANCE,
                            f"allocation of model {i} on {graph}: T = {T:.9g} by CVXPY, {row[f'T_{i}']:.9g} by bench_solve")
            theirs = timed(settings, lambda: [reused.solve(g, mu) for g, mu in models]) / len(models)
            alone.ours.append(row["seconds"] / len(models))
            whole.ours.append(step_of(our_step(settings, "tas-fg", graph, "philox")))
            alone.theirs.append(theirs)
            whole.theirs.append(theirs)
        rows += [whole, alone]
    return rows


# Trajectories

VARIANCE = 0.05  # of the runs that are replayed: short ones
LOG_INV_DELTA = 1.0


def stopping_times(settings: Settings, algorithm: str, graph: str, K: int, seeds: str, stream: str) -> list[int]:
    out = tasfg(settings, "simulate", "--graph", graph, "-P", f"K={K}", "--algorithm", algorithm, "--seeds", seeds, "--variance",
                VARIANCE, "--log-inv-delta", LOG_INV_DELTA, "--stream", stream, "--csv")
    return [int(row["tau"]) for row in csv.DictReader(out.splitlines())]


def our_step(settings: Settings, algorithm: str, graph: str, stream: str) -> dict:
    """The row of bench_step for K = 15."""
    [row] = google(settings, "bench_step", [f"{algorithm}/{graph}/15/{stream}"])
    [tau] = stopping_times(settings, algorithm, graph, 15, "0", stream)
    require(row["tau"] == tau, f"{algorithm}, {graph}, K = 15, {stream}: bench_step stops at {row['tau']:.0f}, tasfg at {tau}")
    return row


def check_trajectories(settings: Settings) -> None:
    """On the same draws the loops stop at the same step; Numba's on draws of its own, in distribution."""
    for graph in GRAPHS:
        for K in (5, 15):
            G, means = trajectory_peers.instance(graph, K)
            for algorithm in trajectory_peers.ALGORITHMS:
                # At K = 15 rounding decides ties of the first and is amplified by the second (docs/benchmarks.md).
                if K == 15 and algorithm in ("ucb-fg-e", "exp3.g"):
                    continue
                ours = stopping_times(settings, algorithm, graph, K, "0-3", "numpy")
                rule = (G, means, VARIANCE, LOG_INV_DELTA)
                loops = {"NumPy": lambda seed: trajectory_peers.numpy_run(algorithm, *rule, seed, 10**6)}
                if algorithm == "ucb-fg-v":
                    loops["Numba"] = lambda seed: trajectory_peers.numba_replay(*rule, seed, 10**6)
                for name, loop in loops.items():
                    theirs = [loop(seed) for seed in range(4)]
                    require(theirs == ours, f"{algorithm}, {graph}, K = {K}: {name} stops at {theirs}, tasfg at {ours}")
        G, means = trajectory_peers.instance(graph, 15)
        ours = stopping_times(settings, "ucb-fg-v", graph, 15, "0-399", "philox")
        theirs = [trajectory_peers.numba_run(np.random.default_rng(seed), G, means, VARIANCE, LOG_INV_DELTA, 10**6)
                  for seed in range(400)]
        p = scipy.stats.mannwhitneyu(ours, theirs).pvalue
        require(p > 1e-6, f"ucb-fg-v, {graph}, K = 15: stopping times of tasfg and Numba differ in distribution (p = {p:.1e})")


def steps(settings: Settings) -> list[Comparison]:
    say("replaying trajectories")
    check_trajectories(settings)
    rows = []
    aims = {"ring": "≥ 10000", "loopless-clique": "≥ 5000"}
    for graph in GRAPHS:
        G, means = trajectory_peers.instance(graph, 15)

        def loop(algorithm):
            n = 1000
            return timed(settings, lambda: trajectory_peers.numpy_run(algorithm, G, means, 1.0, trajectory_peers.NEVER, 0, n)) / n

        def replay():
            n = 100_000
            return timed(settings, lambda: trajectory_peers.numba_replay(G, means, 1.0, trajectory_peers.NEVER, 0, n)) / n

        def lazy():
            n = 100_000
            rng = np.random.default_rng(0)
            return timed(settings, lambda: trajectory_peers.numba_run(rng, G, means, 1.0, trajectory_peers.NEVER, n)) / n

        for algorithm in trajectory_peers.ALGORITHMS:
            say(f"steps of {algorithm} on {graph}")
            instance = f"step of {algorithm}, {graph}, K = 15"
            aim = aims[graph] if algorithm == "ucb-fg-v" else ""
            pairs = [(Comparison(instance, "NumPy loop", [], [], aim), "philox", lambda: loop(algorithm))]
            if algorithm == "ucb-fg-v":
                same = f"{instance}, NumPy's draws"
                pairs += [(Comparison(same, "NumPy loop", [], []), "numpy", lambda: loop(algorithm)),
                          (Comparison(instance, "Numba loop", [], []), "philox", lazy),
                          (Comparison(same, "Numba loop", [], []), "numpy", replay)]
            for _ in range(settings.repeats):
                for row, stream, peer in pairs:
                    row.ours.append(step_of(our_step(settings, algorithm, graph, stream)))
                    row.theirs.append(peer())
            rows += [row for row, _, _ in pairs]
    return rows


def all_steps(settings: Settings) -> dict[str, list[float]]:
    """Seconds of a step of every algorithm, by name in bench_step."""
    say("steps of all algorithms")
    listed = subprocess.run([settings.build / "tests/bench/bench_step", "--benchmark_list_tests=true"], check=True,
                            capture_output=True, text=True).stdout.split()
    names = [name for name in listed if name.endswith("/philox")]
    taken = [google(settings, "bench_step", names) for _ in range(settings.repeats)]
    return {name: [step_of(rows[i]) for rows in taken] for i, name in enumerate(names)}


# Limits

def limits(settings: Settings) -> tuple[list[Comparison], list[dict]]:
    """Steps of UCB-FG-V over the sum of what they must do; bench_limits.cpp defines it."""
    rows, parts = [], []
    for graph in GRAPHS:
        say(f"limits on {graph}")
        row = Comparison(f"step of ucb-fg-v, {graph}, K = 15", "limit", [], [], "≤ 2", over_limit=True)
        for _ in range(settings.repeats):
            step = our_step(settings, "ucb-fg-v", graph, "philox")
            a, r = step["activations"], step["rewards"]
            require(abs(a - {"ring": 2, "loopless-clique": 14}[graph]) < 1e-9, f"{graph}: {a} random out-edges a step")
            names = ["activation", "normal", f"observe/{graph}/15", "pull/15", "mean", "statistic"]
            activation, normal, observe, pull, mean, statistic = (
                unit["seconds"] / unit["items"] for unit in google(settings, "bench_limits", names)
            )
            part = {"graph": graph, "activations": a, "rewards": r, "random": a * activation + r * normal,
                    "memory": r * observe + pull, "arithmetic": r * mean + statistic}
            parts.append(part)
            row.ours.append(step_of(step))
            row.theirs.append(part["random"] + part["memory"] + part["arithmetic"])
        rows.append(row)
    return rows, parts


# Laws

def laws(settings: Settings) -> list[Law]:
    sizes = [5, 15, 50] if settings.quick else [5, 10, 15, 25, 50, 100, 200]
    wanted = [(f"cold solve, {graph}, over K", "bench_solve", f"cold/{graph}/{{}}/8") for graph in GRAPHS]
    for algorithm in ("ucb-fg-v", "tas-fg-heur"):
        for graph, degree in (("ring", "2"), ("loopless-clique", "K − 1")):
            what = f"step of {algorithm}, {graph}, over K (out-degree {degree})"
            wanted.append((what, "bench_step", f"{algorithm}/{graph}/{{}}/scaling"))
    found = []
    for what, program, name in wanted:
        say(f"law of {what}")
        law = Law(what, sizes, [])
        for _ in range(settings.repeats):
            rows = google(settings, program, [name.format(K) for K in sizes])
            law.values.append([row["seconds"] / row.get("steps", 1) for row in rows])
        found.append(law)
    return found


# The report

def report(
    comparisons: list[Comparison],
    every: dict[str, list[float]],
    parts: list[dict],
    readings: list[Reading],
    found: list[Law],
    machine: str,
) -> str:
    lines = [machine, ""]
    if comparisons:
        lines += ["| what | ours | peer | its time | ratio | spread | aim |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in comparisons:
        ours, theirs = (duration(statistics.median(times)) for times in (row.ours, row.theirs))
        peer = "limit (ours ÷ limit)" if row.over_limit else row.peer
        lines.append(f"| {row.instance} | {ours} | {peer} | {theirs} | {spread(row.ratios)} | {row.aim} |")
    if parts:
        lines += ["", "| limit of a step, K = 15 | random edges | rewards | random numbers | memory | arithmetic |",
                  "| --- | --- | --- | --- | --- | --- |"]
    for graph in dict.fromkeys(part["graph"] for part in parts):
        of = [part for part in parts if part["graph"] == graph]
        middle = {key: statistics.median(part[key] for part in of) for key in of[0] if key != "graph"}
        lines.append(f"| {graph} | {number(middle['activations'])} | {number(middle['rewards'])} | {duration(middle['random'])} | "
                     f"{duration(middle['memory'])} | {duration(middle['arithmetic'])} |")
    if every:
        lines += ["", "| step of | ring, K = 5 | ring, K = 15 | loopless-clique, K = 5 | loopless-clique, K = 15 |",
                  "| --- | --- | --- | --- | --- |"]
    for algorithm in dict.fromkeys(name.split("/")[0] for name in every):
        cells = [duration(statistics.median(every[f"{algorithm}/{graph}/{K}/philox"])) for graph in GRAPHS for K in (5, 15)]
        lines.append(f"| {algorithm} | {' | '.join(cells)} |")
    if readings:
        lines += ["", "| sweep | median | spread | unit | aim |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {row.what} | {spread(row.values)} | {row.unit} | {row.aim} |" for row in readings]
    if found:
        lines += ["", "| law | sizes | exponent | spread |", "| --- | --- | --- | --- |"]
    for law in found:
        values = law.exponents
        lines.append(f"| {law.what} | {law.sizes[0]}–{law.sizes[-1]} | {statistics.median(values):.2f} | "
                     f"{min(values):.2f}–{max(values):.2f} |")
    return "\n".join(lines)


def cpu() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    peers = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "cvxpy", "clarabel", "numba"))
    return f"{model}, {len(os.sched_getaffinity(0))} cores; Python {platform.python_version()}, {peers}."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build directory of the release preset")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="all measurements, as JSON")
    parser.add_argument("--quick", action="store_true", help="fewer instances and repeats: does it work?")
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, as in %(default)s")
    options = parser.parse_args()
    repeats = options.repeats or (2 if options.quick else 5)
    sections = options.only.split(",")
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"--only {','.join(sorted(unknown))} (known: {', '.join(SECTIONS)})")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(options.build.resolve(), repeats, 0.02 if options.quick else 0.2, options.quick, pathlib.Path(folder))
        comparisons, every, parts, readings, found = [], {}, [], [], []
        try:
            if "solves" in sections:
                comparisons += solves(settings)
            if "allocations" in sections:
                comparisons += allocations(settings)
            if "steps" in sections:
                comparisons += steps(settings)
                every = all_steps(settings)
            if "limits" in sections:
                rows, parts = limits(settings)
                comparisons += rows
            if "sweeps" in sections:
                say("sweeps")
                readings, found = sweeps.measure(settings)
            if "laws" in sections:
                found = laws(settings) + found
        except DifferentThings as error:
            print(f"bench: compares different things: {error}", file=sys.stderr)
            return 1
    machine = cpu()
    print(report(comparisons, every, parts, readings, found, machine))
    everything = {
        "machine": machine,
        "comparisons": [dataclasses.asdict(row) | {"ratios": row.ratios} for row in comparisons],
        "steps": every,
        "limits": parts,
        "readings": [dataclasses.asdict(row) for row in readings],
        "laws": [dataclasses.asdict(law) | {"exponents": law.exponents} for law in found],
    }
    options.output.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
