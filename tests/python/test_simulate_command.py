"""`tasfg simulate` as a user meets it: the CSV, the same bits however it is run, and every way to get it wrong."""

import csv
import fcntl
import math
import os
import re
import struct
import subprocess
import termios

import numpy as np
import pytest
from scipy import stats

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


def summary(*arguments):
    """The cells of the summary's first row, and all of its text."""
    done = tasfg("simulate", *arguments)
    assert done.returncode == 0 and done.stderr == "", done.stderr  # no progress where nobody looks
    lines = done.stdout.splitlines()
    (head,) = [line for line in lines if line.startswith("algorithm")]
    cells = [re.split(r"\s{2,}", line.strip()) for line in (head, lines[lines.index(head) + 1])]
    return dict(zip(*cells, strict=True)), done.stdout


def test_summary_has_means_with_intervals_bounds_and_errors():
    arguments = ["--graph", "ring", "-a", "uniform", "--seeds", "0-24", "--log-inv-delta", "3"]
    cells, text = summary(*arguments)
    tau = np.array([int(row["tau"]) for row in csv.DictReader(rows(*arguments).splitlines())], dtype=float)
    mean, half = map(float, cells["mean tau +- half-width"].split(" +- "))
    assert mean == round(tau.mean()) and half == pytest.approx(stats.t.ppf(0.975, 24) * tau.std(ddof=1) / 5, rel=1e-3)
    assert float(cells["median"]) == np.median(tau) and float(cells["largest"]) == tau.max()
    T, d = 190.319147, math.exp(-3)
    kl = d * math.log(d / (1 - d)) + (1 - d) * math.log((1 - d) / d)
    assert float(cells["T*.kl"]) == pytest.approx(T * kl, rel=1e-3)
    t = float(cells["practical"])
    assert t == pytest.approx(T * (3 + 3 * math.log(1 + 2 * math.log(t))), rel=1e-3)
    assert cells["error (95 % interval)"] == "0 (0..0.14)" and cells["capped"] == "0"  # Clopper and Pearson: 1 - 0.025^(1/25)
    assert "ring, K=5, p=0.3" in text


def test_capped_runs_are_censored_in_the_summary():
    arguments = ["--graph", "ring", "-a", "uniform", "--seeds", "0-20", "--log-inv-delta", "3"]
    taus = sorted(int(row["tau"]) for row in csv.DictReader(rows(*arguments).splitlines()))
    cells, text = summary(*arguments, "--max-steps", taus[15])  # five do not stop
    assert cells["mean tau +- half-width"] == "-" and cells["largest"] == "-" and cells["capped"] == "5"
    assert float(cells["median"]) == taus[10] and "not known" in text
    cells, _ = summary(*arguments, "--max-steps", taus[5])  # fifteen do not: the median is beyond the cap
    assert cells["median"] == "-" and cells["capped"] == "15"


def on_a_terminal(*arguments, columns=80):
    """What the program writes to a terminal of that width on standard error, and its standard output."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([TASFG, *map(str, arguments)], stdout=subprocess.PIPE, stderr=slave, text=True)
    os.close(slave)
    shown = b""
    while True:
        try:
            block = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        shown += block
    out = process.communicate()[0]
    os.close(master)
    assert process.returncode == 0
    return shown.decode(), out


LONG = ["--graph", "ring", "-P", "K=15", "-a", "uniform", "--seeds", "0-39", "--log-inv-delta", "400", "--no-skip"]


@pytest.mark.parametrize("columns", [30, 200])
def test_a_terminal_shows_how_far_it_is_on_one_line(columns):
    shown, out = on_a_terminal("simulate", *LONG, columns=columns)
    lines = [line.removesuffix("\x1b[K") for line in shown.split("\r")[1:]]
    assert len(lines) > 1 and lines[-1] == "" and "\n" not in shown
    assert all(len(line) < columns for line in lines)
    assert "/40 tasks" in lines[0] and (columns < 100 or "ETA" in lines[0])
    assert "uniform" in out


def test_no_progress_where_standard_error_is_no_terminal():
    assert tasfg("simulate", *LONG, "--csv").stderr == ""


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
