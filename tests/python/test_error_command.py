"""`tasfg error` and jobs with measure = "error", as a user meets them."""

import csv
import io
import math
import os
import subprocess

import h5py
import numpy as np
import pytest

TASFG = os.environ["TASFG"]
EASY = ["--graph", "full", "-P", "K=2", "--means", "0,1", "--threshold", "simple", "-a", "uniform"]


def tasfg(*arguments):
    return subprocess.run([TASFG, *map(str, arguments)], capture_output=True, text=True)


def rows(*arguments):
    out = tasfg("error", *arguments, "--csv")
    assert out.returncode == 0, out.stderr
    return list(csv.DictReader(io.StringIO(out.stdout)))


def test_rows_have_the_promised_columns_and_agree_with_plain_runs():
    deltas = ["--delta", "0.5,1e-9"]
    weighted = rows(*EASY, *deltas, "--runs", 4000)
    plain = rows(*EASY, *deltas, "--runs", 20000, "--plain")
    assert list(weighted[0]) == ["algorithm", "log_inv_delta", "error", "std_error", "lower", "upper", "runs", "ess"]
    assert [float(row["log_inv_delta"]) for row in weighted] == pytest.approx([math.log(2), 9 * math.log(10)])
    assert [row["runs"] for row in weighted + plain] == ["4000"] * 2 + ["20000"] * 2
    for row in weighted:
        assert float(row["lower"]) < float(row["error"]) < float(row["upper"])
    # Four standard errors: a false alarm in 16 000.
    apart = abs(float(weighted[0]["error"]) - float(plain[0]["error"]))
    assert apart < 4 * math.hypot(float(weighted[0]["std_error"]), float(plain[0]["std_error"]))
    assert 1e-14 < float(weighted[1]["error"]) < 1e-9 and float(plain[1]["error"]) == 0


def test_the_table_is_for_people():
    out = tasfg("error", *EASY, "--delta", "0.1", "--runs", 1000)
    assert out.returncode == 0
    assert "95 % interval" in out.stdout and "error/delta" in out.stdout


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["--runs", "0"], "--runs = 0 (must be a whole number from 1 to 100000000)"),
        (["--runs", "many"], "--runs"),
        (["--runs", "1e9"], "must be a whole number from 1 to 100000000"),
        (["--seeds", "0-9"], "--seeds"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments, told):
    out = tasfg("error", *EASY, *arguments)
    assert out.returncode == 2 and told in out.stderr and out.stderr.count("\n") == 1


JOB = """
measure = "error"
seed = 3
replications = 300
delta = [0.1, 1e-6]
algorithms = ["uniform"]
[[graph]]
family = "full"
K = 2
means = [0.0, 1.0]
"""


def test_a_job_makes_the_runs_of_the_command(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text(JOB)
    files = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}.h5"
        done = tasfg("sweep", job, "-o", out, "--threads", threads)
        assert done.returncode == 0, done.stderr
        with h5py.File(out) as file:
            files.append(file["runs/log_weight"][()])
            assert file["runs/log_weight"].shape == (1, 1, 2, 300)
            assert (file["runs/status"][()] == 1).all()
    assert np.array_equal(files[0], files[1])
    command = rows("--graph", "full", "-P", "K=2", "--means", "0,1", "-a", "uniform", "--delta", "0.1,1e-6",
                   "--master-seed", 3, "--runs", 300)
    assert np.exp(files[0][0, 0]).mean(axis=1) == pytest.approx([float(row["error"]) for row in command], rel=1e-12)
    # More seeds join the study; another δ would change every run of it.
    more = tasfg("sweep", job, "-o", tmp_path / "1.h5", "--set", "replications=320")
    assert more.returncode == 0, more.stderr
    with h5py.File(tmp_path / "1.h5") as file:
        assert np.array_equal(file["runs/log_weight"][0, 0, :, :300], files[0][0, 0])
    other = tasfg("sweep", job, "-o", tmp_path / "1.h5", "--set", "replications=320", "--set", "delta=[0.1, 1e-6, 1e-7]")
    assert other.returncode == 2 and "its list of delta is another" in other.stderr


def test_a_job_of_errors_has_no_checkpoints(tmp_path):
    job = tmp_path / "job.toml"
    job.write_text("checkpoints = [10]\n" + JOB)
    out = tasfg("plan", job)
    assert out.returncode == 2 and "checkpoints" in out.stderr and 'measure = "error"' in out.stderr
