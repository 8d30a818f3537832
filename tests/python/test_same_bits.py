"""The same bits with and without AVX2, and from the program that Clang built (tests/run builds it; without contracts, as users have it)."""

import os
import pathlib
import subprocess

import pytest

import result_files
from processes import MPI

GCC = os.environ["TASFG"]
CLANG = os.environ["TASFG_BY_CLANG"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
ALL = "tas-fg,tas-fg-heur,tas-fg-argmax,tas-fg-topk,exp3.g,ucb-fg-e,ucb-fg-v,eps-greedy,eps-greedy-info,uniform,oracle"
OTHERS = {
    "without AVX2": (GCC, {"TASFG_NO_AVX2": "1"}),
    "clang": (CLANG, {}),
    "clang without AVX2": (CLANG, {"TASFG_NO_AVX2": "1"}),
}
needs_clang = pytest.mark.skipif(not os.path.exists(CLANG), reason="no program by Clang (tests/run builds it)")
others = pytest.mark.parametrize("other", [name if "clang" not in name else pytest.param(name, marks=needs_clang) for name in OTHERS])


def output(program, environment, *arguments, ranks=0):
    launcher = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launcher, program, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **MPI, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_same(other, *arguments):
    assert output(*OTHERS[other], *arguments) == output(GCC, {}, *arguments), arguments


@others
@pytest.mark.parametrize("K", [3, 8, 12, 16, 17, 40, 120, 200])
def test_solutions(other, K):
    for graph in ("bandit", "full", "revealing-action", "ring", "loopless-clique", "loopy-star", "loopy-star-alt", "random"):
        assert_same(other, "solve", "--graph", graph, "-P", f"K={K}", "--json")
    for reward in ("bernoulli", "poisson", "exponential"):
        means = ",".join(str(0.2 + 0.6 * v / K) for v in range(K))
        assert_same(other, "solve", "--graph", "loopy-star", "-P", f"K={K}", "--means", means, "--reward", reward, "--json")


@others
@pytest.mark.parametrize("graph", ["ring", "loopless-clique", "loopy-star-alt", "random"])
def test_runs(other, graph):
    common = ["simulate", "--graph", graph, "-a", ALL, "--seeds", "0-1", "--csv", "--max-steps"]
    for K, steps in ((3, 2000), (10, 2000), (16, 2000), (20, 200)):
        assert_same(other, *common, steps, "-P", f"K={K}")
    for reward in ("bernoulli", "poisson", "exponential"):
        assert_same(other, *common, 2000, "--reward", reward, "--means", "0.3,0.5,0.45,0.43,0.4")
    assert_same(other, *common, 2000, "--conventions", "reference", "--stream", "numpy")


@needs_clang
def test_a_sweep(tmp_path):
    files = []
    for program in (GCC, CLANG):
        files.append(tmp_path / f"{len(files)}.h5")
        output(program, {}, "sweep", ROOT / "jobs/small.toml", "-o", files[-1], "-q", "--set", "replications=3")
    assert result_files.differences(*files) == []


@needs_clang
def test_a_curve_of_two_ranks():
    curve = ["curve", "--graph", "loopy-star", "--over", "p=0:1", "--tolerance", "0.05", "--csv"]
    assert output(CLANG, {}, *curve, ranks=2) == output(GCC, {}, *curve)
