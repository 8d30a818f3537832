"""`tasfg simulate` as a user meets it: the CSV, the same bits however it is run, and every way to get it wrong."""

import csv
import os
import subprocess

import pytest

TASFG = os.environ["TASFG"]
ALL = "tas-fg,tas-fg-heur,tas-fg-topk,exp3.g,ucb-fg-e,eps-greedy-info,uniform,oracle"


def tasfg(*arguments, **environment):
    return subprocess.run([TASFG, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **environment})


def rows(*arguments, **environment):
    done = tasfg("simulate", *arguments, "--csv", **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_prints_one_row_per_algorithm_seed_and_delta():
    out = list(csv.reader(rows("--graph", "ring", "-a", "tas-fg,uniform", "--seeds", "0,3-4", "--log-inv-delta", "1,7").splitlines()))
    assert out[0] == "algorithm,seed,log_inv_delta,tau,recommended,correct,status".split(",")
    assert [row[:3] for row in out[1:]] == [[a, s, d] for a in ("tas-fg", "uniform") for s in "034" for d in ("1", "7")]
    assert all(row[6] == "done" and int(row[3]) > 0 for row in out[1:])


def test_the_same_rows_for_every_number_of_threads_and_for_seeds_one_by_one():
    common = ["--graph", "loopy-star", "-a", ALL, "--log-inv-delta", "2,6"]
    all_at_once = rows(*common, "--seeds", "0-5", "--threads", "1")
    assert rows(*common, "--seeds", "0-5", "--threads", "2") == all_at_once
    assert rows(*common, "--seeds", "0-5", "--threads", "7") == all_at_once
    singles = [line for seed in range(6) for line in rows(*common, "--seeds", seed).splitlines()[1:]]
    assert sorted(singles) == sorted(all_at_once.splitlines()[1:])


@pytest.mark.parametrize("reward, means", [("gaussian", "0,0.4,0.9"), ("bernoulli", "0.1,0.5,0.9"), ("poisson", "1,2,4"), ("exponential", "1,2,5")])
def test_the_same_rows_without_the_c_librarys_fma_variants(reward, means):
    arguments = ["--graph", "ring", "-P", "K=3", "--reward", reward, "--means", means, "-a", ALL, "--seeds", "0-9"]
    assert rows(*arguments) == rows(*arguments, GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-FMA")


def test_delta_and_log_inv_delta_agree():
    taus = [
        [line.split(",")[3] for line in rows("--graph", "ring", "-a", "uniform", "--seeds", "0-3", *which).splitlines()[1:]]
        for which in (["--delta", "0.1,0.001"], ["--log-inv-delta", "2.302585092994046,6.907755278982137"])
    ]
    assert taus[0] == taus[1]


def test_a_point_set_alone_changes_that_point_only():
    common = ["--graph", "ring", "-a", "uniform", "--seeds", "0-3", "--log-inv-delta", "3"]
    plain = [int(line.split(",")[3]) for line in rows(*common).splitlines()[1:]]
    plus = [int(line.split(",")[3]) for line in rows(*common, "--set", "reported-tau=draws-plus-one").splitlines()[1:]]
    assert plus == [tau + 1 for tau in plain]


def test_capped_runs_say_so():
    out = rows("--graph", "ring", "-a", "uniform", "--seeds", "0", "--log-inv-delta", "50", "--max-steps", "100")
    assert out.splitlines()[1].endswith(",capped") and ",100," in out


def test_summary_is_for_people():
    out = tasfg("simulate", "--graph", "ring", "-a", "uniform", "--seeds", "0-3").stdout
    assert "mean tau" in out and "uniform" in out


@pytest.mark.parametrize(
    "words, arguments",
    [
        ("unknown algorithm|did you mean \"tas-fg\"", ["-a", "tasfg"]),
        ("stands twice", ["-a", "uniform,uniform"]),
        ("--seeds", ["--seeds", "x"]),
        ("backwards", ["--seeds", "5-3"]),
        ("--seeds", ["--seeds", "-1"]),
        ("--seeds", ["--seeds", "1.5"]),
        ("--delta|between 0 and 1", ["--delta", "1.5"]),
        ("--delta|between 0 and 1", ["--delta", "0"]),
        ("--log-inv-delta", ["--log-inv-delta", "0"]),
        ("--log-inv-delta", ["--log-inv-delta", "nan"]),
        ("give one", ["--delta", "0.1", "--log-inv-delta", "3"]),
        ("--setting|informed", ["--setting", "infromed"]),
        ("--stream|numpy", ["--stream", "numpi"]),
        ("--threshold|practical", ["--threshold", "practicle"]),
        ("--conventions|reference", ["--conventions", "referense"]),
        ("--set|unknown point", ["--set", "statistics=counts"]),
        ("--set|counts or pseudo-count", ["--set", "statistic=x"]),
        ("--set|point=value", ["--set", "statistic"]),
        ("--max-steps", ["--max-steps", "0"]),
        ("--max-steps", ["--max-steps", "1.5"]),
        ("--threads", ["--threads", "-1"]),
        ("-A|algorithm.option=value", ["-A", "period=5"]),
        ("not among", ["-a", "uniform", "-A", "tas-fg.period=5"]),
        ("takes no options", ["-a", "exp3.g", "-A", "exp3.g.rate=5"]),
        ("tas-fg.period", ["-A", "tas-fg.period=0"]),
        ("unidentifiable|Prop. 4", ["--setting", "uninformed", "--reward", "bernoulli", "--means", ".1,.2,.3,.4,.5"]),
        ("unidentifiable", ["--setting", "uninformed", "--reward", "poisson", "--means", "1,2,3,4,5"]),
        ("numpy|gaussian", ["--stream", "numpy", "--reward", "poisson", "--means", "1,2,3,4,5"]),
        ("pseudo-count|gaussian", ["--conventions", "reference", "--reward", "poisson", "--means", "1,2,3,4,5"]),
        ("pseudo-count|known-graph", ["--conventions", "reference", "--setting", "known-graph"]),
        ("every-5K", ["--conventions", "reference", "-A", "tas-fg.tracking=c"]),
    ],
)
def test_refuses_bad_options(words, arguments):
    result = tasfg("simulate", "--graph", "ring", *arguments, "--csv")
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    for word in words.split("|"):
        assert word in result.stderr, result.stderr
