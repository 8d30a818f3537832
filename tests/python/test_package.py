"""`import tasfg`: what it computes is what the program computes, bit by bit; what it is given wrongly it refuses in one line.

Runs with the package installed (tests/python-package) and the program in TASFG."""

import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import tasfg
from processes import run

ALGORITHMS = ["tas-fg", "tas-fg-heur", "tas-fg-argmax", "tas-fg-topk", "exp3.g", "ucb-fg-e", "eps-greedy", "eps-greedy-info",
              "uniform", "oracle"]
FAMILIES = [("bandit", {"K": 4}), ("full", {"K": 3}), ("apple-tasting", {}), ("revealing-action", {"K": 4}),
            ("ring", {"K": 6, "p": 0.35}), ("loopless-clique", {"K": 5, "p": 0.4}), ("loopy-star", {"K": 5}),
            ("loopy-star-alt", {"K": 5, "p": 0.3}), ("symmetric", {}), ("random", {"K": 7})]
REWARDS = {"gaussian": {}, "bernoulli": {}, "poisson": {}, "exponential": {}}


def means_for(reward, K, seed=0):
    low, high = {"gaussian": (-1, 1), "bernoulli": (0.1, 0.9), "poisson": (0.5, 4), "exponential": (0.5, 4)}[reward]
    return np.random.default_rng(seed).uniform(low, high, K)


def options_of(family, parameters, reward, means, variance=None):
    words = ["--graph", family, *(word for name, value in parameters.items() for word in ("-P", f"{name}={value}"))]
    words += ["--means=" + ",".join(map(repr, map(float, means))), "--reward", reward]
    return words + (["--variance", repr(variance)] if variance is not None else [])


def program_solve(*options):
    return json.loads(run("solve", *options, "--json").stdout)


def program_rows(*options):
    return pd.read_csv(io.StringIO(run("simulate", *options, "--csv").stdout), float_precision="round_trip")


def same(ours, theirs):
    """Equal in every bit; JSON says null where a number is infinite."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if theirs is None:
        return ours is None or not np.isfinite(ours)
    return ours == theirs


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("family, parameters", FAMILIES, ids=[name for name, _ in FAMILIES])
def test_solve_is_the_programs_in_every_bit(family, parameters, reward):
    graph = tasfg.graph(family, **parameters)
    means = means_for(reward, graph.K, seed=len(family))
    theirs = program_solve(*options_of(family, parameters, reward, means))
    for given in (graph, graph.matrix):
        ours = tasfg.solve(given, means, reward=reward)
        names = set(theirs) - {"means", "reward", "G", "graph", "bounds"}
        assert [n for n in names if not same(getattr(ours, n).tolist() if hasattr(getattr(ours, n), "tolist") else
                                             getattr(ours, n), theirs[n])] == []
        assert same(ours.bounds, theirs["bounds"])
        quantities = {key: list(value) if isinstance(value, tuple) else value for key, value in ours.graph.items()}
        assert same({k: v for k, v in quantities.items() if not isinstance(theirs["graph"][k], dict)},
                    {k: v for k, v in theirs["graph"].items() if not isinstance(v, dict)})
    assert graph.matrix.tolist() == theirs["G"]


def test_many_instances_are_solved_as_one_by_one():
    random = np.random.default_rng(3)
    matrices, means = random.uniform(0.05, 1, (40, 6, 6)), random.uniform(0, 1, (40, 6))
    many = tasfg.solve(matrices, means, threads=3)
    for i in range(40):
        one = tasfg.solve(matrices[i], means[i])
        assert many.T_star.values[i] == one.T_star and many.T_star_lower.values[i] == one.T_star_lower
        assert (many.omega.values[i] == one.omega).all() and (many.m.values[i] == one.m).all()
        assert many.T_heuristic.values[i] == one.T_heuristic and many.status.values[i] == one.status
    shared = tasfg.solve(matrices[0], means)
    assert shared.T_star.values[7] == tasfg.solve(matrices[0], means[7]).T_star
    mixed = tasfg.solve([tasfg.Instance(tasfg.graph("ring", K=K)) for K in (4, 6)])
    assert np.isnan(mixed.omega.values[0, 4:]).all() and mixed.omega.values[1].sum() == pytest.approx(1)


def assert_same_runs(runs, rows):
    """A Dataset of one case against the program's rows."""
    assert len(rows) == runs.sizes["algorithm"] * runs.sizes["seed"] * runs.sizes["delta"]
    one = runs.isel(case=0)
    for (algorithm, seed), part in rows.groupby(["algorithm", "seed"]):
        cell = one.sel(algorithm=algorithm, seed=seed)
        assert cell.log_inv_delta.values.tolist() == part.log_inv_delta.tolist()
        assert cell.tau.values.tolist() == part.tau.tolist(), (algorithm, seed)
        assert cell.recommended.values.tolist() == part.recommended.tolist()
        assert cell.correct.values.tolist() == part.correct.tolist()
        assert [("capped", "done")[int(s)] for s in cell.stopped.values] == part.status.tolist()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("setting", ["informed", "uninformed", "known-graph"])
def test_simulate_is_the_programs_in_every_bit(reward, setting):
    if setting == "uninformed" and reward in ("bernoulli", "poisson"):
        with pytest.raises(tasfg.UserError, match="^setting = uninformed with .* rewards"):
            tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=4), means_for(reward, 4), reward), setting=setting)
        return
    family, parameters = "loopy-star", {"K": 4}
    means = np.array([0.2, 0.4, 0.35, 0.8])
    instance = tasfg.Instance(tasfg.graph(family, **parameters), means, reward)
    runs = tasfg.simulate(instance, [*ALGORITHMS, "ucb-fg-v"], seeds=[0, 3, 4], log_inv_delta=[1, 4.5], setting=setting,
                          max_steps=20000, master_seed=7, threshold="simple")
    rows = program_rows(*options_of(family, parameters, reward, means), "-a", ",".join([*ALGORITHMS, "ucb-fg-v"]),
                        "--seeds", "0,3-4", "--log-inv-delta", "1,4.5", "--setting", setting, "--max-steps", 20000,
                        "--master-seed", 7, "--threshold", "simple")
    assert_same_runs(runs, rows)


@pytest.mark.parametrize("family, parameters", FAMILIES, ids=[name for name, _ in FAMILIES])
def test_simulate_is_the_programs_on_every_family(family, parameters):
    instance = tasfg.Instance(tasfg.graph(family, **parameters))
    words = options_of(family, parameters, "gaussian", instance.means)
    rules = [*ALGORITHMS, "ucb-fg-v"]
    for setting in ("informed", "uninformed", "known-graph"):
        runs = tasfg.simulate(instance, rules, seeds=2, delta=[0.3, 0.05], setting=setting, max_steps=2000, threads=2)
        assert_same_runs(runs, program_rows(*words, "-a", ",".join(rules), "--seeds", "0-1", "--delta", "0.3,0.05", "--setting", setting,
                                            "--max-steps", 2000))


def test_simulate_is_the_programs_with_reference_conventions_options_and_points():
    instance = tasfg.Instance(tasfg.graph("loopless-clique", K=5, p=0.5, parity="reference"), variance=0.5)
    common = dict(seeds=2, log_inv_delta=[2, 5], conventions="reference", stream="numpy")
    runs = tasfg.simulate(instance, ["exp3.g", "tas-fg-heur", "ucb-fg-e"], points={"reported-tau": "draws"}, **common)
    rows = program_rows("--graph", "loopless-clique", "-P", "K=5", "-P", "p=0.5", "--variance", 0.5, "-a",
                        "exp3.g,tas-fg-heur,ucb-fg-e", "--seeds", "0-1", "--log-inv-delta", "2,5", "--conventions", "reference",
                        "--stream", "numpy", "--set", "reported-tau=draws")
    assert_same_runs(runs, rows)
    ring = tasfg.Instance(tasfg.graph("ring", K=5))
    one_by_one = tasfg.simulate(ring, ["uniform", "ucb-fg-v"], seeds=3, delta=0.1, max_steps=50000, skip=False)
    assert (tasfg.simulate(ring, ["uniform", "ucb-fg-v"], seeds=3, delta=0.1, max_steps=50000).tau == one_by_one.tau).all()
    runs = tasfg.simulate(ring, ["tas-fg"], seeds=3, options={"tas-fg": {"tracking": "c", "period": 5, "gap": 1e-5}})
    rows = program_rows("--graph", "ring", "-P", "K=5", "-a", "tas-fg", "-A", "tas-fg.tracking=c", "-A", "tas-fg.period=5", "-A",
                        "tas-fg.gap=1e-05", "--seeds", "0-2")
    assert_same_runs(runs, rows)


def test_a_simulation_has_what_the_result_file_has(tmp_path):
    job = {"seed": 5, "replications": 4, "delta": [0.2, 0.01], "algorithms": ["tas-fg", "uniform"], "pulls_by_delta": True,
           "checkpoints": [10, 200], "graph": [{"family": "ring", "K": [4, 5]}]}
    stored = tasfg.sweep(job, tmp_path / "out.h5", quiet=True)
    made = [tasfg.Instance(tasfg.graph("ring", K=K)) for K in (4, 5)]
    runs = tasfg.simulate(made, ["tas-fg", "uniform"], seeds=4, delta=[0.2, 0.01], master_seed=5, pulls_by_delta=True,
                          checkpoints=[10, 200])
    theirs = stored.runs
    for name in ("tau", "recommended", "correct", "stopped", "status", "steps", "pulls", "pulls_at", "checkpoint_recommended",
                 "checkpoint_correct", "checkpoint_T_ratio", "lower_bound", "practical_bound"):
        assert runs[name].dims == theirs[name].dims, name
        assert np.array_equal(runs[name].values.astype(float), theirs[name].values.astype(float), equal_nan=True), name
    assert runs.delta.values.tolist() == theirs.delta.values.tolist() == [0.2, 0.01]
    assert (runs.log_inv_delta.values == theirs.log_inv_delta.values).all()
    same_attributes = ("setting", "conventions", "threshold", "stream", "seed", "max_steps")
    (file,) = stored.files
    assert [name for name in same_attributes if str(runs.attrs[name]) != str(file.attributes[name])] == []
    again = tasfg.simulate(made, ["uniform"], seeds=1, log_inv_delta=theirs.log_inv_delta.values)
    assert np.allclose(again.delta.values, [0.2, 0.01], rtol=1e-15, atol=0)
    cases = stored.cases
    for name in ("T_star", "T_star_lower", "T_heuristic", "T_uniform", "omega", "m", "means", "key", "K", "best", "p"):
        assert np.array_equal(runs[name].values.astype(float), cases[name].values.astype(float), equal_nan=True), name
    ours, files = tasfg.table(runs, ["K", "algorithm"], words=False), tasfg.table(stored, ["K", "algorithm"], words=False)
    assert (ours["mean"].to_numpy() == files["mean"].to_numpy()).all()


def test_figures_and_tables_of_a_simulation():
    import matplotlib.pyplot as plt

    instance = tasfg.Instance(tasfg.graph("loopy-star"))
    runs = tasfg.simulate(instance, ["tas-fg-heur", "uniform"], seeds=12, delta=[0.1, 0.01])
    for figure in (tasfg.plot.boxes(runs), tasfg.plot.tau(runs), tasfg.plot.survival(runs), tasfg.plot.error_rate(runs),
                   tasfg.plot.over(runs, "log_inv_delta", "tau"), tasfg.plot.graph(instance, instance.solve().omega)):
        figure.canvas.draw()
        plt.close(figure)
    words = tasfg.table(runs)
    assert len(words) == 4 and set(words.algorithm) == {"TaS-FG (heur.)", "uniform"}
    assert {"graph", "boxes", "tau", "over"} <= set(dir(tasfg.plot))
    with pytest.raises(AttributeError, match="no figure boxen"):
        tasfg.plot.boxen(runs)
    with pytest.raises(tasfg.UserError, match="lost its dimension case"):
        tasfg.table(runs.isel(case=0))


def test_the_new_users_task_in_ten_lines():
    graph = networkx.gnp_random_graph(40, 0.2, seed=1, directed=True)
    graph.add_edges_from((v, v) for v in list(graph))
    means = np.random.default_rng(1).permutation(np.linspace(0.1, 0.9, 40))
    instance = tasfg.Instance(graph, means, reward="bernoulli")
    T_star = instance.solve().T_star
    runs = tasfg.simulate(instance, ["tas-fg", "ucb-fg-e", "uniform"], seeds=4, delta=[0.1, 0.01])
    table = tasfg.table(runs)
    assert T_star > 0 and len(table) == 6 and (runs.status == 1).all()


def test_graphs_come_from_networkx_numpy_scipy_and_pandas():
    names = ["lima", "quito", "bogota"]
    matrix = np.array([[0.5, 0.2, 0], [0, 0, 1], [0.3, 0.4, 0.6]])
    means = {"lima": 0.2, "quito": 0.9, "bogota": 0.4}
    ordered = [means[name] for name in names]
    want = tasfg.solve(matrix, ordered)
    directed = networkx.DiGraph()
    directed.add_nodes_from(names)
    edges = [(names[v], names[u], matrix[v, u]) for v, u in zip(*np.nonzero(matrix))]
    directed.add_edges_from((v, u, {"probability": p, "weight": 0.7}) for v, u, p in edges)
    frame = pd.DataFrame(edges, columns=["from", "to", "probability"])
    labelled = pd.DataFrame(matrix, index=names, columns=names)
    same_graphs = [(directed, means), (directed, ordered), (frame, means), (labelled, means), (labelled, pd.Series(means)),
                   (scipy.sparse.csr_matrix(matrix), ordered), (matrix.tolist(), ordered),
                   (tasfg.Instance(matrix, ordered).graph, ordered)]
    for graph, given in same_graphs:
        assert tasfg.solve(graph, given).T_star == want.T_star
    assert tasfg.solve(directed, means).frame().index.tolist() == names
    weights = networkx.DiGraph([("a", "a"), ("b", "b")])
    weights["a"]["a"]["weight"] = 0.25
    assert tasfg.Instance(weights, {"a": 0, "b": 1}).graph.matrix.tolist() == [[0.25, 0], [0, 1]]
    both_ways = tasfg.Instance(networkx.path_graph(3), [0, 1, 0.5]).graph.matrix
    assert both_ways.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert tasfg.graph("ring", K=4).to_networkx()[0][1]["probability"] == tasfg.graph("ring", K=4).matrix[0, 1]
    numbered = pd.DataFrame({"source": [0, 1], "target": [1, 0]})
    assert tasfg.Instance(numbered, [0, 1]).graph.matrix.tolist() == [[0, 1], [1, 0]]


def chain():
    return networkx.DiGraph([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")])


REFUSED = {
    "means of two dimensions": (lambda: tasfg.simulate(tasfg.Instance(np.eye(2), np.eye(2))), "means[0] = array([1., 0.]) (must be a number)"),
    "no instance": (lambda: tasfg.simulate(3), "instances = 3 (must be a list, each a tasfg.Instance)"),
    "a text for a number": (lambda: tasfg.solve(np.eye(2), [0, 1], gap="small"), "gap = 'small' (must lie in [1e-13, 0.1])"),
    "an error of nothing": (lambda: tasfg.error(3), "error takes a tasfg.Instance (not 3)"),
    "a curve over nothing": (lambda: tasfg.curve("ring", 3), "over = 3 (must be a dict"),
    "a curve over no range": (lambda: tasfg.curve("ring", {"p": 0.5}), "over: p = 0.5 (must be the two ends of a range, as (0, 1))"),
    "a curve downward": (lambda: tasfg.curve("ring", {"p": (1, 0)}), "--over p goes from 1 to 0 (must go up)"),
    "a curve of few samples": (lambda: tasfg.curve("ring", {"p": (0, 1)}, options={"samples": 1}), "--samples = 1 (must lie in [2, 10000])"),
    "a curve into a file": (lambda: tasfg.curve("ring", {"p": (0, 1)}, options={"output": "c.h5"}),
                            "options: 'output' (must be one of conventions, samples, threads, width"),
    "a wrong expression": (lambda: tasfg.curve("loopy-star", {"p": (0, 1)}, r="p/"), "-P: r = \"p/\" (a number or a name is missing at the end)"),
    "a table of nothing": (lambda: tasfg.table(3), "3 (must be what tasfg.simulate"),
    "a transposed graph": (lambda: tasfg.Instance(networkx.DiGraph([("hub", "hub"), ("x", "hub"), ("y", "hub")]), [0, 1, 2]),
                           "instance: vertex x is unobservable: its column holds no positive probability (is the graph transposed?"),
    "a transposed matrix": (lambda: tasfg.Instance([[1, 0], [1, 0]], [0, 1]), "vertex 1 (counted from 0) is unobservable"),
    "a probability above 1": (lambda: tasfg.Instance([[1, 0], [0, 1.5]], [0, 1]),
                              "graph: row 2, column 2: probability 1.5 (must lie in [0, 1])"),
    "NaN in the matrix": (lambda: tasfg.Instance([[1, np.nan], [0, 1]], [0, 1]), "graph: row 1, column 2: probability nan"),
    "NaN in the means": (lambda: tasfg.Instance(chain(), {"a": 0, "b": np.nan}), "instance: means[b] = nan"),
    "a wrong edge": (lambda: tasfg.Instance(networkx.DiGraph([("a", "b", {"probability": 2}), ("b", "a")]), [0, 1]),
                     "graph: edge a -> b: probability 2 (must lie in [0, 1])"),
    "an edge that is a text": (lambda: tasfg.Instance(networkx.DiGraph([("a", "b", {"probability": "x"}), ("b", "a")]), [0, 1]),
                               "graph: edge a -> b: probability = 'x' (must be a number)"),
    "too few means": (lambda: tasfg.Instance(np.eye(3), [0, 1]), "instance: 2 means (must be one per vertex, K = 3)"),
    "not a square": (lambda: tasfg.Instance(np.ones((2, 3)), [0, 1]), "graph: a matrix of 2 x 3 (must be K x K"),
    "three dimensions": (lambda: tasfg.Instance(np.ones((2, 2, 2)), [0, 1]), "graph: 3 dimensions"),
    "texts": (lambda: tasfg.Instance([["a", "b"], ["c", "d"]], [0, 1]), "graph: cannot be read as a matrix of numbers"),
    "ragged": (lambda: tasfg.Instance([[1], [1, 0]], [0, 1]), "graph: cannot be read as a matrix of numbers"),
    "one vertex": (lambda: tasfg.Instance([[1.0]], [1]), "graph: K = 1 (must be at least 2)"),
    "nothing": (lambda: tasfg.Instance(np.zeros((0, 0)), []), "graph: K = 0 (must be at least 2)"),
    "a mean without a vertex": (lambda: tasfg.Instance(chain(), {"a": 0, "b": 1, "lima": 2}), "means: no vertex 'lima'"),
    "a vertex without a mean": (lambda: tasfg.Instance(chain(), {"a": 0}), "means: none for vertex b (must be one for each)"),
    "parallel edges": (lambda: tasfg.Instance(networkx.MultiDiGraph([(0, 1), (0, 1)]), [0, 1]), "graph: parallel edges"),
    "rows and columns of unlike names": (lambda: tasfg.Instance(pd.DataFrame(np.eye(2), index=["a", "b"], columns=["b", "a"])),
                                         "graph: rows ['a', 'b'], columns ['b', 'a'] (must name the same vertices"),
    "names that cannot be looked up": (lambda: tasfg.Instance(pd.DataFrame({"from": [[1], [2]], "to": [[2], [1]]})),
                                       "graph: vertex [1] (a name must be hashable"),
    "an edge twice": (lambda: tasfg.Instance(pd.DataFrame({"from": [0, 0], "to": [1, 1]}), [0, 1]), "graph: edge 0 -> 1 stands twice"),
    "an edge to nowhere": (lambda: tasfg.Instance(pd.DataFrame({"from": [0], "to": [7]}), [0, 1]), "graph: edge 0 -> 7 (vertices are"),
    "NaN on an edge": (lambda: tasfg.Instance(pd.DataFrame({"from": [0], "to": [1], "probability": [np.nan]}), [0, 1]),
                       "graph: edge 0 -> 1: probability nan"),
    "a list for named edges": (lambda: tasfg.Instance(pd.DataFrame({"from": ["a"], "to": ["b"]}), [0, 1]), "means: a list, but edges"),
    "a family's name alone": (lambda: tasfg.Instance("ring"), "graph = 'ring' (a family is made by tasfg.graph"),
    "an unknown family": (lambda: tasfg.graph("rnig"), 'unknown graph family "rnig" (did you mean "ring"?)'),
    "an unknown parameter": (lambda: tasfg.graph("ring", k=4), 'did you mean "K"?'),
    "a parameter out of range": (lambda: tasfg.graph("ring", K=5, p=1.3), "p = 1.3 (must lie in [0, 1])"),
    "an unknown reward": (lambda: tasfg.Instance(np.eye(2), [0, 1], "gausian"), 'did you mean "gaussian"?'),
    "a mean out of range": (lambda: tasfg.Instance(np.eye(2), [0.5, 1], "bernoulli"), "instance: means[1] = 1 (bernoulli means"),
    "two best vertices": (lambda: tasfg.Instance(chain(), [1, 1]), "instance: vertices a and b share the largest mean 1"),
    "a variance of zero": (lambda: tasfg.Instance(np.eye(2), [0, 1], variance=0), "variance = 0 ("),
    "a variance of bernoulli": (lambda: tasfg.Instance(np.eye(2), [0.1, 0.2], "bernoulli", variance=1), "variance"),
    "a gap of zero": (lambda: tasfg.solve(np.eye(2), [0, 1], gap=0), "gap = 0 (must lie in [1e-13, 0.1])"),
    "unlike numbers of matrices and means": (lambda: tasfg.solve(np.ones((3, 2, 2)), np.zeros((2, 2))), "means: 2 rows"),
    "one bad of many": (lambda: tasfg.solve(np.ones((3, 2, 2)), np.array([[0, 1], [1, 1], [0, 1]])), "case 1: instance: vertices 0 and 1"),
}
INSTANCE = {"instance": lambda: tasfg.Instance(tasfg.graph("ring", K=4))}
WRONG_RUNS = {
    "an unknown algorithm": (dict(algorithms="tas-fgg"), 'algorithms: unknown algorithm "tas-fgg" (did you mean "tas-fg"?)'),
    "none": (dict(algorithms=[]), "algorithms is empty"),
    "one twice": (dict(algorithms=["uniform", "uniform"]), "algorithms: uniform stands twice"),
    "an option": (dict(algorithms="tas-fg", options={"tas-fg": {"perod": 1}}), 'unknown option "perod" of tas-fg (did you mean "period"?)'),
    "options of another": (dict(algorithms="tas-fg", options={"uniform": {}}), 'options: "uniform" is not among the algorithms'),
    "a delta": (dict(delta=1.5), "delta = 1.5 (must lie strictly between 0 and 1)"),
    "deltas twice": (dict(delta=[0.1, 0.1]), "delta: 0.1 stands twice"),
    "both": (dict(delta=0.1, log_inv_delta=3), "delta and log_inv_delta both"),
    "no seeds": (dict(seeds=0), "seeds = 0 ("),
    "a seed below zero": (dict(seeds=[-1]), "seeds = -1 (must be a whole number"),
    "a matrix for a setting": (dict(setting=np.eye(2)), "setting = array([[1., 0.], [0., 1.]]) (must be a text)"),
    "an array for a flag": (dict(skip=np.ones(2)), "skip = array([1., 1.]) (must be True or False)"),
    "a text for a flag": (dict(pulls_by_delta="no"), "pulls_by_delta = 'no' (must be True or False)"),
    "an array for progress": (dict(progress=np.ones(2)), "progress = array([1., 1.]) (must be True or False)"),
    "a setting": (dict(setting="infromed"), 'did you mean "informed"?'),
    "conventions": (dict(conventions="papers"), 'did you mean "paper"?'),
    "a point": (dict(points={"statistc": "counts"}), 'did you mean "statistic"?'),
    "a threshold": (dict(threshold="prctical"), 'did you mean "practical"?'),
    "steps": (dict(max_steps=0), "max_steps = 0 (must be a whole number from 1"),
    "threads": (dict(threads=-1), "threads = -1 (must lie in 0..1024"),
    "one checkpoint": (dict(checkpoints=5), "checkpoints = 5 (must be a list, each a number of draws)"),
    "points as a text": (dict(points="statistic=counts"), "points = 'statistic=counts' (must be a dict)"),
    "options as a list": (dict(options=["period"]), "options = ['period'] (must be a dict)"),
    "options of one as a text": (dict(algorithms="tas-fg", options={"tas-fg": "period=5"}), "options[tas-fg] = 'period=5' (must be a dict)"),
    "a number as library": (dict(rules=3), "rules = 3 (must be a list, each a path)"),
    "checkpoints": (dict(checkpoints=[5, 5]), "checkpoints = 5 (must rise"),
    "a nameless rule": (dict(algorithms=[object()]), "has the name None (a rule has a name"),
    "a rule without choose": (dict(algorithms=[type("R", (), {"name": "r"})()]), "algorithms: r has no method choose"),
    "a rule with a built-in's name": (dict(algorithms=[type("R", (), {"name": "uniform"})()]), "that is the name of a built-in one"),
    "a library that is not there": (dict(algorithms="mine", rules=["./nowhere.so"]), "rules: ./nowhere.so: no such file"),
}


def test_what_is_no_path_is_not_opened():
    with pytest.raises(tasfg.UserError, match=r"^a ndarray \(must be the path of a result file\)$"):
        tasfg.open(np.ones(2))


@pytest.mark.parametrize("case", REFUSED)
def test_bad_models_are_refused_in_one_line(case):
    make, text = REFUSED[case]
    with pytest.raises(tasfg.UserError) as caught:
        make()
    assert text in str(caught.value) and "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("case", WRONG_RUNS)
def test_bad_simulations_are_refused_in_one_line(case):
    arguments, text = WRONG_RUNS[case]
    with pytest.raises(tasfg.UserError) as caught:
        tasfg.simulate(INSTANCE["instance"](), **arguments)
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_solutions_show_themselves():
    solution = tasfg.solve(chain(), {"a": 0, "b": 1})
    assert "best vertex b" in repr(solution) and "<td>b ★</td>" in solution._repr_html_()
    assert "best vertex b" in repr(tasfg.Instance(chain(), {"a": 0, "b": 1}))
    evil = networkx.relabel_nodes(chain(), {"a": "<script>"})
    assert "<script>" not in tasfg.solve(evil, [0, 1])._repr_html_()


class InTurn:
    name = "in-turn"

    def choose(self, estimate):
        return estimate.t % estimate.K


class Greedy:
    """eps-greedy with epsilon 0.1, in Python."""

    name = "my-greedy"

    def choose(self, estimate):
        u = estimate.uniform()
        return min(int(u / 0.1 * estimate.K), estimate.K - 1) if u < 0.1 else estimate.best


def test_rules_of_python_are_the_built_in_ones_run_by_run():
    @tasfg.compiled("fast")
    def fast(estimate, state):
        return estimate.t % estimate.K

    @tasfg.compiled("fast-greedy")
    def greedy(estimate, state):
        u = tasfg.uniform(estimate)
        return min(int(u / 0.1 * estimate.K), estimate.K - 1) if u < 0.1 else estimate.best

    instance = tasfg.Instance(tasfg.graph("loopy-star", K=5))
    runs = tasfg.simulate(instance, ["uniform", InTurn(), fast, "eps-greedy", Greedy, greedy], seeds=100, delta=[0.2, 0.05],
                          max_steps=3000)
    for builtin, names in {"uniform": ["in-turn", "fast"], "eps-greedy": ["my-greedy", "fast-greedy"]}.items():
        for name in names:
            for quantity in ("tau", "recommended", "stopped", "pulls", "steps"):
                assert (runs[quantity].sel(algorithm=name) == runs[quantity].sel(algorithm=builtin)).all(), (name, quantity)


class Listener:
    """Checks what it is shown against what the estimate says."""

    name = "listener"

    def start(self, K):
        self.sums, self.counts, self.order = np.zeros(K), np.zeros((K, K)), []

    def choose(self, estimate):
        seen = self.counts.sum(axis=0)
        assert estimate.t == len(self.order) and (estimate.observations == seen).all()
        assert (estimate.counts == self.counts).all()
        pulls = np.bincount(self.order, minlength=estimate.K)
        assert (estimate.pulls == pulls).all()
        known = seen > 0
        assert np.allclose(estimate.means[known], self.sums[known] / seen[known]) and (estimate.means[~known] == 1).all()
        graph = np.where(pulls[:, None] > 0, self.counts / np.maximum(pulls, 1)[:, None], 1.0)
        assert (estimate.graph == graph).all() and estimate.means[estimate.best] == estimate.means.max()
        assert estimate.divergence(0.25, 1.25) == 0.5
        with pytest.raises(ValueError):
            estimate.means[0] = 3.0
        self.now = int(estimate.uniform() * estimate.K)
        self.order.append(self.now)
        return np.int64(self.now)

    def shown(self, u, reward):
        self.sums[u] += reward
        self.counts[self.now, u] += 1

    def finish(self, v):
        assert v == self.now


def test_a_rule_sees_the_estimate_and_what_is_shown():
    runs = tasfg.simulate(tasfg.Instance(tasfg.graph("loopy-star", K=4)), Listener(), seeds=3, delta=0.1, max_steps=400)
    assert tasfg.failures(runs) == [] and (runs.steps > 20).all()


def test_a_compiled_rule_keeps_a_state_and_is_shown_rewards():
    def start(K):
        return np.zeros(2 * K)

    def shown(estimate, state, u, reward):
        state[u] += reward

    def finish(estimate, state, v):
        state[estimate.K + v] += 1

    def choose(estimate, state):
        total = 0.0
        for v in range(estimate.K):
            total += state[estimate.K + v] - estimate.pulls[v]
            seen = 0.0
            for w in range(estimate.K):
                seen += estimate.counts[w, v]
            total += abs(state[v] - (estimate.means[v] * seen if seen > 0 else 0.0)) > 1e-6
            total += abs(tasfg.edge(estimate, v, v) * estimate.pulls[v] - estimate.counts[v, v]) > 1e-9 and estimate.pulls[v] > 0
        total += abs(tasfg.divergence(estimate, 0.0, 1.0) - 0.5)
        return estimate.t % estimate.K if total == 0 else -7

    rule = tasfg.compiled("checks", choose, start=start, shown=shown, finish=finish)
    instances = [tasfg.Instance(tasfg.graph("loopy-star", K=K)) for K in (4, 5)]
    runs = tasfg.simulate(instances, [rule, "uniform"], seeds=10, delta=0.1)
    assert tasfg.failures(runs) == []
    assert (runs.tau.sel(algorithm="checks") == runs.tau.sel(algorithm="uniform")).all()


def test_a_rule_that_fails_takes_nothing_else_down():
    class Bad:
        name = "bad"

        def choose(self, estimate):
            if estimate.t == 7:
                raise RuntimeError("lost my way")
            return 0 if estimate.t < 3 else self.answer

    answers = {"outside": 99, "negative": -1, "huge": 2**80, "text": "x", "none": None}
    rules = []
    for name, answer in answers.items():
        rule = Bad()
        rule.name, rule.answer = name, answer
        rules.append(rule)
    raises = Bad()
    raises.answer = 0
    with pytest.warns(tasfg.FailedRuns, match="runs failed; the first: ring"):
        runs = tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=4)), [*rules, raises, "uniform"], seeds=2, delta=0.1)
    assert (runs.status.sel(algorithm="uniform") == 1).all() and (runs.tau.sel(algorithm="uniform") > 0).all()
    assert (runs.status.sel(algorithm=[*answers, "bad"]) == 3).all() and runs.tau.sel(algorithm="bad").isnull().all()
    said = {algorithm: message for _, algorithm, _, message in tasfg.failures(runs)}
    assert said["bad"] == "RuntimeError: lost my way"
    assert said["outside"] == "the rule outside chose vertex 4 after 3 draws (must lie in 0..3)" and "vertex -1" in said["negative"]
    assert "TypeError" in said["text"] and "TypeError" in said["none"]
    assert len(tasfg.table(runs)) == 7


def test_arrays_of_the_estimate_may_outlive_the_run():
    kept = []

    class Keeper:
        name = "keeper"

        def choose(self, estimate):
            kept[:] = [estimate, estimate.means, estimate.counts[1:], estimate.pulls]
            return estimate.t % estimate.K

    runs = tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=5)), Keeper(), seeds=2, delta=0.1)
    estimate, means, counts, pulls = kept
    del kept[:]
    assert pulls.sum() == runs.steps.values[0, 0, 1] and np.isfinite(means).all() and (counts >= 0).all()
    assert (estimate.means == means).all() and estimate.graph.shape == (5, 5)
    with pytest.raises(ValueError, match="the run is over"):
        estimate.uniform()
    copied = means.copy()
    tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=5)), Keeper(), seeds=5, delta=0.1)
    assert (means == copied).all()


def test_ctrl_c_ends_a_simulation_at_once():
    script = """
import sys, tasfg
instance = tasfg.Instance(tasfg.graph("ring", K=5, p=0.3))
class Slow:
    name = "slow"
    def choose(self, estimate):
        return 0
print("ready", flush=True)
rules = [Slow()] if sys.argv[1] == "python" else ["ucb-fg-v"]
try:
    if sys.argv[1] == "error":
        tasfg.error(instance, "tas-fg", 10**8, log_inv_delta=60)
    if sys.argv[1] == "map":
        tasfg.curve("loopy-star", {"p": (0, 1), "q": (0, 1)}, 1e-6)
    tasfg.simulate(instance, rules, seeds=4, log_inv_delta=600, skip=False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    for kind in ("program", "python", "error", "map"):
        process = subprocess.Popen([sys.executable, "-c", script, kind], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert out == "interrupted\n", kind


def test_progress_is_told_and_other_threads_go_on():
    told, ticks, stop = [], [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    runs = tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=8)), ["tas-fg"], seeds=60, log_inv_delta=7,
                          progress=lambda done, total: told.append((done, total)))
    stop.set()
    thread.join()
    assert told[-1] == (60, 60) and told == sorted(told) and ticks[0] > 5
    assert (runs.status == 1).all()


@pytest.mark.parametrize("reason", ["no tqdm", "tqdm"])
def test_the_bar_goes_to_standard_error(reason, capsys, monkeypatch):
    if reason == "no tqdm":
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    tasfg.simulate(tasfg.Instance(tasfg.graph("ring", K=4)), ["uniform"], seeds=5, delta=0.1, progress=True)
    captured = capsys.readouterr()
    assert captured.out == "" and ("5/5 runs" if reason == "no tqdm" else "run") in captured.err


def test_a_sweep_from_python_and_its_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = {"name": "a \"quoted\" name", "replications": 2, "algorithms": ["tas-fg"], "algorithm": {"tas-fg": {"period": 3}},
           "graph": [{"family": "ring", "K": [4], "p": {"from": 0.1, "to": 0.9, "count": 3}}], "log_inv_delta": (1, 2.5)}
    results = tasfg.sweep(job, "out.h5", quiet=True)
    assert results.run_counts["done"] == 6 and list(tmp_path.glob("job-*")) == []
    again = tasfg.sweep(job, tmp_path / "out.h5", "--set", "replications=3", quiet=True)
    assert again.run_counts["done"] == 9
    with pytest.raises(tasfg.UserError, match=r'unknown key graf \(did you mean "graph"\?\)'):
        tasfg.sweep({"graf": 1}, "bad.h5", quiet=True)
    with pytest.raises(tasfg.UserError, match="job: seed = "):
        tasfg.sweep({"seed": object()}, "bad.h5")
    stopped = tmp_path / "stopped"
    stopped.write_text("#!/bin/sh\nexit 75\n")
    stopped.chmod(0o755)
    with monkeypatch.context() as with_it:
        with_it.setenv("TASFG", str(stopped))
        with pytest.raises(KeyboardInterrupt, match="the same call continues"):
            tasfg.sweep(job, "out.h5", quiet=True)
    script = tasfg.submit(job, tmp_path / "big.h5", run=False)
    text = pathlib.Path(script).read_text()
    assert text.startswith("#!") and "big.h5" in text
    assert "replications = 2" in (tmp_path / "big.toml").read_text()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(tasfg.UserError, match="no sbatch on the PATH"):
        tasfg.submit(job, tmp_path / "big.h5")


def test_files_are_read_where_nothing_was_compiled(tmp_path):
    source = pathlib.Path(__file__).resolve().parents[2] / "analysis"
    run("sweep", source.parent / "jobs/small.toml", "-o", tmp_path / "out.h5", "-q", "--set", "replications=1")
    script = f"""
import sys
sys.path.insert(0, {str(source)!r})
import tasfg
assert tasfg.__file__.startswith({str(source)!r})
print(len(tasfg.open({str(tmp_path / 'out.h5')!r}).runs_frame()) > 0, tasfg.__version__)
try:
    tasfg.solve([[1, 0], [0, 1]], [0, 1])
except tasfg.UserError as error:
    print(error)
"""
    if any(source.glob("tasfg/_core*")):
        pytest.fail("a compiled module lies in the source tree")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == f"True {tasfg.__version__}" and "need the compiled part of tasfg" in second


def test_the_compiled_part_needs_the_c_and_cpp_libraries_alone():
    wanted = subprocess.run(["readelf", "-d", sys.modules["tasfg._core"].__file__], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(\w+)", wanted)
    assert "libstdc" in needed and set(needed) <= {"libstdc", "libm", "libgcc_s", "libc", "ld"}, needed


def test_the_header_of_rules_comes_with_the_package():
    assert (pathlib.Path(tasfg.include()) / "tasfg/rule.h").is_file()
    assert os.path.basename(tasfg.include()) == "include"


@pytest.mark.parametrize("plain", [False, True])
def test_errors_are_the_programs_in_every_bit(plain):
    means = [0.2, 1.2]
    instance = tasfg.Instance(tasfg.graph("bandit", K=2), means, variance=0.5)
    ours = tasfg.error(instance, "uniform", 300, delta=[0.3, 1e-3], setting="known-graph", threshold="simple", plain=plain,
                       points={"graph-prior": "pseudo-count"}, master_seed=3, max_steps=5000, threads=2)
    done = run("error", *options_of("bandit", {"K": 2}, "gaussian", means, 0.5), "-a", "uniform", "--runs", 300, "--delta",
               "0.3,1e-3", "--setting", "known-graph", "--threshold", "simple", "--set", "graph-prior=pseudo-count", "--master-seed", 3,
               "--max-steps", 5000, "--csv", *(["--plain"] if plain else []))
    theirs = pd.read_csv(io.StringIO(done.stdout), float_precision="round_trip")
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True, check_dtype=False)
    assert (ours.runs == 300).all() and (plain or (ours.error[ours.log_inv_delta < 2] > 0).all())


def test_errors_of_rules_of_your_own():
    @tasfg.compiled("in-turn-too")
    def in_turn(estimate, state):
        return estimate.t % estimate.K

    instance = tasfg.Instance(tasfg.graph("loopy-star", K=4))
    both = tasfg.error(instance, ["uniform", in_turn], 200, delta=0.3, plain=True)
    assert both.error[0] == both.error[1]
    with pytest.raises(tasfg.UserError, match=r"^algorithms: in-turn is a rule in Python \(must be a built-in one, or compiled"):
        tasfg.error(instance, InTurn(), 200)


CURVES = {
    "over p": (("loopy-star", {"p": (0, 1)}, 0.01), {"q": np.float64(1), "r": 0.25},
               "--graph loopy-star --over p=0:1 --tolerance 0.01 -P q=1 -P r=0.25"),
    "an expression that bends": (("loopy-star", {"p": (0.05, 1)}, 0.1), {"q": 1, "r": "max(0.1, p/2)"},
                                 "--graph loopy-star --over p=0.05:1 --tolerance 0.1 -P q=1 -P r=max(0.1,p/2)"),
    "over K": (("ring", {"K": (3, 7)}), {}, "--graph ring --over K=3:7"),
    "over p and q": (("loopy-star", {"p": (0, 1), "q": (np.float64(0.25), 0.5)}, 0.5), {"r": "p/2", "options": {"width": 0.05}},
                     "--graph loopy-star --over p=0:1 --over q=0.25:0.5 --tolerance 0.5 --width 0.05 -P r=p/2"),
    "over p and K": (("ring", {"p": (0.3, 1), "K": (3, 4)}, 0.2), {}, "--graph ring --over p=0.3:1 --over K=3:4 --tolerance 0.2"),
    "over a mean": (("ring", {"means[1]": (0.5, 0.9)}), {"K": 3, "reward": "bernoulli", "means": [0.2, 0.5, 0.7], "options": {"samples": 5}},
                    "--graph ring -P K=3 --over means[1]=0.5:0.9 --reward bernoulli --means 0.2,0.5,0.7 --samples 5"),
    "the reference's graph": (("symmetric", {"p": (0.1, 0.4)}, 0.2), {"variance": 2, "options": {"conventions": "reference", "threads": 1}},
                              "--graph symmetric --over p=0.1:0.4 --tolerance 0.2 --variance 2 --conventions reference"),
}


@pytest.mark.parametrize("given, others, words", CURVES.values(), ids=CURVES)
def test_curves_and_maps_are_the_programs_in_every_bit(given, others, words, monkeypatch):
    done = run("curve", *(word.replace(",p", ", p") for word in words.split()), "--csv")
    monkeypatch.setenv("TASFG", "/nowhere")  # the package does without
    ours = tasfg.curve(*given, **others)
    theirs = pd.read_csv(io.StringIO(done.stdout), float_precision="round_trip")
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True)
    assert ours.attrs["description"].startswith(given[0])
    assert set(ours.attrs["sampled"]) == {name for name in given[1] if name == "K" or name.startswith("means")}


def test_a_curve_tells_its_regimes():
    told = tasfg.curve("loopy-star", {"p": (0, 1)}, 0.01, q=1, r=0.25).attrs["regimes"]
    assert len(told) == 2
    for each in told:
        low, high = each["p"]
        assert 0 < low < high < 1 and high - low < 1e-8
        # The support of ω* differs between the two sides.
        sides = [tasfg.solve(tasfg.graph("loopy-star", p=p, q=1, r=0.25)).omega > 1e-6 for p in (low - 1e-3, high + 1e-3)]
        assert np.flatnonzero(sides[1] & ~sides[0]).tolist() == each["entering"]
        assert np.flatnonzero(sides[0] & ~sides[1]).tolist() == each["leaving"]

