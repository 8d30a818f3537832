#!/usr/bin/env python3
"""What Python adds: calls of solve, simulations, and rules of the three speeds, beside the program and the built-in rule.

    TASFG=build/release/src/tasfg build/python/venv/bin/python tests/bench/bench_python.py

Needs the installed package (tests/python-package) and the program, both built for release. Everything is measured side by side, in turns, in
CPU time of one thread; the least of the repetitions counts."""

import os
import pathlib
import subprocess
import tempfile
import time

import tasfg

REPETITIONS = 7


def least(*functions):
    """The least CPU time of each, in turns, seconds; that of a program it starts is part of it."""

    def spent():
        used = os.times()
        return time.process_time() + used.children_user + used.children_system

    times = [[] for _ in functions]
    for _ in range(REPETITIONS):
        for found, function in zip(times, functions):
            begin = spent()
            function()
            found.append(spent() - begin)
    return [min(found) for found in times]


def solve():
    from tasfg.core import core

    graph = tasfg.graph("ring", K=5, p=0.3)
    matrix, means = graph.matrix, graph.means
    model = tasfg.Instance(matrix, means)._model
    n = 2000
    solver, calls = least(lambda: [core().solve(model, 1e-10) for _ in range(n)], lambda: [tasfg.solve(matrix, means) for _ in range(n)])
    print(f"solve, K = 5: {1e6 * calls / n:.1f} µs a call from a matrix and means, of which {1e6 * solver / n:.1f} µs are the solver: "
          f"{1e6 * (calls - solver) / n:.1f} µs beyond it")


def simulate():
    instance = tasfg.Instance(tasfg.graph("ring", K=5, p=0.3))
    for rule, seeds in (("exp3.g", 1000), ("tas-fg", 500), ("ucb-fg-e", 500)):
        command = [os.environ["TASFG"], "simulate", "--graph", "ring", "-P", "K=5", "-a", rule, "--seeds", f"0-{seeds - 1}", "--threads", "1"]
        ours, program = least(lambda: tasfg.simulate(instance, [rule], seeds=seeds, threads=1),
                              lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        print(f"simulate, {seeds} runs of {rule}: {ours:.3f} s, the program {program:.3f} s: {program / ours:.3f} of its rate")


SOURCE = """
#include <tasfg/rule.h>
static int32_t choose(void* state, const tasfg_estimate* e) { (void)state; return (int32_t)(e->t % e->K); }
static const tasfg_rule rules[] = {{.name = "library", .choose = choose}};
static const tasfg_rule_table table = {TASFG_RULE_VERSION, 1, rules};
const tasfg_rule_table* tasfg_rules(void) { return &table; }
"""


class InTurn:
    name = "python"

    def choose(self, estimate):
        return estimate.t % estimate.K


@tasfg.compiled("numba")
def in_turn(estimate, state):
    return estimate.t % estimate.K


def rules():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "rule.c").write_text(SOURCE)
    library = folder / "librule.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", tasfg.include(), folder / "rule.c", "-o", library], check=True)
    instance = tasfg.Instance(tasfg.graph("ring", K=5, p=0.3))
    options = dict(log_inv_delta=7, threads=1, rules=[library], skip=False)
    seeds = 40
    steps = float(tasfg.simulate(instance, ["uniform"], seeds=seeds, **options).steps.sum())
    names = ["uniform", "library", in_turn, InTurn()]
    times = least(*(lambda rule=rule: tasfg.simulate(instance, [rule], seeds=seeds, **options) for rule in names))
    builtin = times[0]
    for name, seconds in zip(("built-in", "library", "Numba", "Python"), times):
        print(f"uniform without skipping, {name}: {1e9 * seconds / steps:.1f} ns a step, {seconds / builtin:.2f} times the built-in")
    runs = tasfg.simulate(instance, names, seeds=1000, **{**options, "log_inv_delta": 2})
    same = [bool((runs.tau.sel(algorithm=name) == runs.tau.sel(algorithm="uniform")).all()) for name in ("library", "numba", "python")]
    print(f"the built-in's stopping times on 1000 seeds: library, Numba, Python {same}")


if __name__ == "__main__":
    solve()
    rules()
    simulate()
