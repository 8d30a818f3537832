#!/usr/bin/env python3
"""Throws random models, options and rules at the Python package; anything but a result or a plain exception is a finding.

    tests/fuzz/python_binding.py [--seconds 600] [--seed 1]

For the address sanitizer: build the module with -DTASFG_SANITIZE=address, put it into a copy of analysis/tasfg, and run with
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc. Prints how many tries ended how."""

import argparse
import collections
import random
import time
import warnings

import networkx
import numpy as np
import pandas as pd
import scipy.sparse

import tasfg

ODD = [None, True, -1, 0, 1, 2**70, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "ring", "x" * 5000, b"bytes", [], {}, (), object(),
       np.float32(0.3), np.array(1.0), np.array([]), np.array(["a"]), np.array([1, 2, None], dtype=object), range(3), lambda: 1, int]
MISTAKES = (ValueError, TypeError, OverflowError, MemoryError)


class Rule:
    """Does something odd after a while, or keeps what it must not change."""

    name = "odd"
    kept: list = []

    def __init__(self, chance):
        self.chance = chance

    def start(self, K):
        if self.chance.random() < 0.05:
            raise RuntimeError("no")

    def choose(self, estimate):
        draw = self.chance.random()
        if draw < 0.01:
            return self.chance.choice(ODD)
        if draw < 0.02:
            self.kept.append((estimate, estimate.means, estimate.counts, estimate.pulls[::-1], estimate.graph))
            del self.kept[:-50]
        if draw < 0.03:
            estimate.uniform(), estimate.divergence(0.2, 0.7)
        return estimate.t % estimate.K

    def shown(self, u, reward):
        if self.chance.random() < 0.0005:
            raise ValueError("tired")


def matrix(chance, K):
    made = np.array([chance.choice([0.0, 0.3, 1.0, chance.random()]) for _ in range(K * K)]).reshape(K, K)
    if chance.random() < 0.2 and K:
        made[chance.randrange(K), chance.randrange(K)] = chance.choice([np.nan, -1, 1.5, np.inf, 1e-320])
    if chance.random() < 0.1:
        made = made[: chance.randrange(K + 1)]
    kind = chance.randrange(9)
    if kind == 0:
        return made.tolist()
    if kind == 1:
        return scipy.sparse.csr_matrix(np.nan_to_num(made))
    if kind == 2:
        return made.astype(chance.choice(["f4", "f8", "i4", "?", "O", "c16", ">f8"]))
    if kind == 3:
        return np.asfortranarray(made)[:, ::-1]
    if kind == 4:
        graph = networkx.DiGraph()
        graph.add_nodes_from(chance.choice([range(K), "abcdefghijkl"[:K], [(i, "x") for i in range(K)]]))
        nodes = list(graph)
        for _ in range(3 * K):
            if nodes:
                graph.add_edge(chance.choice(nodes), chance.choice(nodes), probability=chance.choice([0.5, 1, 2, "x", None]))
        return graph
    if kind == 5:
        rows = [(chance.randrange(-1, K + 1), chance.randrange(K + 1), chance.random()) for _ in range(2 * K)]
        return pd.DataFrame(rows, columns=chance.choice([["from", "to", "probability"], ["source", "target", "w"], ["a", "b", "c"]]))
    if kind == 6:
        return tasfg.graph(chance.choice(["ring", "full", "bandit", "random", "loopy-star", "rng"]), K=chance.choice([K, -1, 2.5, "x"]))
    return made


def means(chance, K):
    made = [chance.choice([chance.random(), 0.5, chance.gauss(0, 3)]) for _ in range(max(0, K + chance.choice([0, 0, 0, 0, 1, -1])))]
    return chance.choice([made, np.array(made), tuple(made), dict(enumerate(made)), pd.Series(made), None, None])


def odd_or(chance, value, share=0.04):
    return chance.choice(ODD) if chance.random() < share else value


FORMULAS = ["p/2", "max(0.1, p)", "1-p", "K", "p*p", "1/p", "(", "q+", "min()", "p"]


def curve(chance):
    family = odd_or(chance, chance.choice(["ring", "loopy-star", "loopless-clique", "random", "bandit"]))
    ends = sorted(chance.choice([0, 0.25, chance.random(), 1]) for _ in range(2))
    over = {chance.choice(["p", "q", "K", "means[1]", "x"]): odd_or(chance, chance.choice([tuple(ends), (2, 4), [0.1, 0.9], (1, 0)]))
            for _ in range(chance.choice([1, 1, 2]))}
    others = {name: odd_or(chance, chance.choice([0.3, 1, 4, *FORMULAS])) for name in chance.sample(["K", "p", "q", "r"], chance.randrange(3))}
    options = {"width": odd_or(chance, 0.2), "samples": odd_or(chance, 3), "threads": odd_or(chance, 2),
               chance.choice(["conventions", "samples", "output"]): odd_or(chance, chance.choice(["reference", 4]))}
    return tasfg.curve(family, odd_or(chance, over), odd_or(chance, 1.0), means=odd_or(chance, chance.choice([None, means(chance, 5)])),
                       reward=odd_or(chance, chance.choice(["gaussian", "bernoulli"])), variance=odd_or(chance, None),
                       options=odd_or(chance, options), **others)


def attempt(chance):
    if chance.random() < 0.15:
        return curve(chance)
    K = chance.choice([0, 1, 2, 3, 4, 5, 6, 12])
    reward = odd_or(chance, chance.choice(["gaussian", "bernoulli", "poisson", "exponential"]))
    good = chance.random() < 0.5  # a model that there is nothing to say against, so that runs are made
    if chance.random() < 0.1:
        return tasfg.solve(np.random.default_rng(chance.randrange(99)).random((3, K, K)), odd_or(chance, np.random.rand(3, K)), reward)
    if good:
        numbers = np.random.default_rng(chance.randrange(2**32))
        K = max(K, 2)
        instance = tasfg.Instance(numbers.uniform(0.05, 1, (K, K)), numbers.uniform(0.1, 0.9, K), reward)
    else:
        instance = tasfg.Instance(odd_or(chance, matrix(chance, K)), odd_or(chance, means(chance, K)), reward,
                                  variance=odd_or(chance, None))
    solution = instance.solve()
    repr(solution), solution._repr_html_(), solution.graph, solution.bounds, solution.T_topk
    if chance.random() < 0.05:
        return tasfg.error(odd_or(chance, instance), odd_or(chance, chance.choice(["uniform", "tas-fg", Rule(chance)])),
                           odd_or(chance, 20), delta=odd_or(chance, chance.choice([0.3, [0.3, 1e-3]])), plain=chance.random() < 0.5,
                           max_steps=odd_or(chance, 50), threads=odd_or(chance, 2))
    rules = [chance.choice(["tas-fg", "exp3.g", "ucb-fg-e", "uniform", "oracle", Rule(chance), Rule])]
    runs = tasfg.simulate(
        odd_or(chance, instance), odd_or(chance, rules), odd_or(chance, chance.choice([1, 3, [5, 9]])),
        delta=odd_or(chance, chance.choice([0.3, [0.3, 0.1]])), max_steps=odd_or(chance, 300),
        setting=odd_or(chance, chance.choice(["informed", "known-graph", "uninformed"])), threads=odd_or(chance, 2),
        checkpoints=odd_or(chance, chance.choice([[], [5, 10], [10, 5]])), pulls_by_delta=odd_or(chance, False),
        stream=odd_or(chance, chance.choice(["philox", "numpy"])), master_seed=odd_or(chance, 0))
    return tasfg.table(runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ends, findings, number = collections.Counter(), [], 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        number += 1
        chance = random.Random(f"{options.seed} {number}")
        try:
            attempt(chance)
            ends["result"] += 1
        except tasfg.UserError as error:
            ends["UserError"] += 1
            if "\n" in str(error):
                findings.append((number, "two lines", str(error)))
        except MISTAKES as error:
            ends[f"{type(error).__name__}: {str(error)[:60]}"] += 1
        except Exception as error:
            findings.append((number, type(error).__name__, str(error)[:200]))
        for _, *arrays in Rule.kept:
            for array in arrays:
                array.sum()
    print(f"{number} tries: {dict(ends)}; {len(findings)} findings")
    for finding in findings[:20]:
        print(*finding)
    return bool(findings)


if __name__ == "__main__":
    raise SystemExit(main())
