"""Rules of a shared library (include/tasfg/rule.h) in the program: alone, in sweeps, under mpirun, and when they are bad."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

import tasfg
from processes import run, start, wait_for

RULES = os.path.abspath(os.environ["TASFG_TEST_RULES"])
JOB = """
seed = 4
replications = {replications}
log_inv_delta = [1.0, 4.0]
algorithms = {algorithms}
rules = ["{library}"]
max_steps = {max_steps}

[[graph]]
family = "loopy-star"
K = [4, 5]
"""


def job(folder, algorithms, replications=20, library="librules.so", max_steps=100000):
    """A job with its library beside it."""
    if not (folder / "librules.so").exists():
        shutil.copy(RULES, folder / "librules.so")
    path = folder / "job.toml"
    names = "[" + ", ".join(f'"{name}"' for name in algorithms) + "]"
    path.write_text(JOB.format(algorithms=names, replications=replications, library=library, max_steps=max_steps))
    return path


def runs_of(path):
    with h5py.File(path) as file:
        names = [name.split(b"\0")[0].decode() for name in file["runs/algorithm"][()]]
        return {name: {key: file[f"runs/{key}"][:, i] for key in ("status", "tau", "steps", "pulls", "attempts")}
                for i, name in enumerate(names)}


def same_runs(a, b, keys=("status", "tau", "steps", "pulls")):
    return a.keys() == b.keys() and all(np.array_equal(a[name][key], b[name][key]) for name in a for key in keys)


def csv(*arguments, check=0):
    done = run("simulate", *arguments, "--csv", check=check)
    return done.stdout.splitlines()[1:], done.stderr


def test_copies_of_built_in_rules_give_their_very_runs():
    common = ["--graph", "loopy-star", "--seeds", "0-199", "--delta", "0.1,0.001", "--max-steps", "20000"]
    for own, builtin in (("in-turn", "uniform"), ("greedy", "eps-greedy")):
        ours, _ = csv(*common, "--rule", RULES, "-a", own)
        theirs, _ = csv(*common, "-a", builtin)
        assert [line.split(",")[1:] for line in ours] == [line.split(",")[1:] for line in theirs]
    for stream in (["--conventions", "reference", "--stream", "numpy"], ["--reward", "exponential", "--means", "1,2,3,4,6"]):
        ours, _ = csv("--graph", "loopy-star", "--rule", RULES, "-a", "greedy", "--max-steps", "3000", *stream)
        theirs, _ = csv("--graph", "loopy-star", "-a", "eps-greedy", "--max-steps", "3000", *stream)
        assert [line.split(",")[1:] for line in ours] == [line.split(",")[1:] for line in theirs]


def test_a_rule_that_fails_is_a_failed_run_and_the_others_go_on():
    lines, errors = csv("--graph", "ring", "--rule", RULES, "-a", "minus-one,uniform,too-large,no-start", "--seeds", "0-1", "--delta",
                        "0.1", check=1)
    assert [line.split(",")[6] for line in lines] == ["failed"] * 2 + ["done"] * 2 + ["failed"] * 4
    assert "tasfg: minus-one seed 0 failed: the rule minus-one chose vertex -1 after 3 draws (must lie in 0..4): no idea what to do" in errors
    assert "the rule no-start cannot start a run with 5 vertices" in errors
    done = run("simulate", "--graph", "ring", "--rule", RULES, "-a", "minus-one,uniform", "--seeds", "0-1", check=1)
    assert "all failed" in done.stdout


@pytest.mark.parametrize("arguments, text", [
    (["--rule", "nowhere.so", "-a", "mine"], "tasfg: --rule: nowhere.so: no such file"),
    (["--rule", RULES, "-a", "in-turm"], 'tasfg: --algorithm: unknown algorithm "in-turm" (did you mean "in-turn"?)'),
    (["--rule", RULES, "-a", "in-turn", "-A", "in-turn.x=1"], "tasfg: -A: in-turn takes no options"),
    (["-a", "in-turn"], "tasfg: --algorithm: unknown algorithm"),
])
def test_bad_options_are_refused(arguments, text):
    done = run("simulate", "--graph", "ring", *arguments, check=2)
    assert done.stderr.startswith(text) and done.stderr.count("\n") == 1


def test_bad_jobs_are_refused(tmp_path):
    for library, text in (("nowhere.so", "rules[0]: nowhere.so: no such file"), ("job.toml", "cannot be loaded as a shared library")):
        done = run("sweep", job(tmp_path, ["in-turn"], library=library), "-o", tmp_path / "out.h5", check=2)
        assert text in done.stderr and done.stderr.count("\n") == 1 and not (tmp_path / "out.h5").exists()


def test_the_same_bits_under_mpirun_killed_continued_sharded_and_merged(tmp_path):
    path = job(tmp_path, ["in-turn", "uniform", "greedy"], replications=60)
    run("sweep", path, "-o", tmp_path / "whole.h5", "-q")
    whole = runs_of(tmp_path / "whole.h5")
    assert (whole["in-turn"]["status"] == 1).all()
    assert all(np.array_equal(whole["in-turn"][key], whole["uniform"][key]) for key in ("tau", "steps", "pulls"))

    sweep = start("sweep", path, "-o", tmp_path / "killed.h5", "-q", "--set", "max_steps=100000", ranks=2)
    wait_for(lambda: (tmp_path / "killed.h5").exists() or sweep.poll() is not None)
    time.sleep(0.3)
    if sweep.poll() is None:
        os.killpg(sweep.pid, signal.SIGKILL)
    sweep.communicate()
    wait_for(lambda: run("sweep", path, "-o", tmp_path / "killed.h5", "-q", ranks=2, check=None).returncode == 0, seconds=90)
    assert same_runs(runs_of(tmp_path / "killed.h5"), whole)

    for shard in (0, 1):
        run("sweep", path, "-o", tmp_path / f"part{shard}.h5", "-q", "--shard", f"{shard}/2")
    run("merge", tmp_path / "merged.h5", tmp_path / "part0.h5", tmp_path / "part1.h5")
    assert same_runs(runs_of(tmp_path / "merged.h5"), whole)
    # The study again from its file alone, but for the library.
    run("sweep", tmp_path / "whole.h5", "-o", tmp_path / "again.h5", "-q")
    assert same_runs(runs_of(tmp_path / "again.h5"), whole)


def test_another_library_does_not_continue_a_file(tmp_path):
    path = job(tmp_path, ["in-turn"], replications=3)
    run("sweep", path, "-o", tmp_path / "out.h5", "-q")
    with (tmp_path / "librules.so").open("ab") as library:
        library.write(b"\0")
    done = run("sweep", path, "-o", tmp_path / "out.h5", "-q", check=2)
    assert "another library of in-turn made it (digest " in done.stderr and done.stderr.count("\n") == 1
    again = run("sweep", path, "-o", tmp_path / "new.h5", "-q")
    assert again.returncode == 0
    with h5py.File(tmp_path / "out.h5") as old, h5py.File(tmp_path / "new.h5") as new:
        assert old["runs/algorithm_digest"][0] != new["runs/algorithm_digest"][0]
    done = run("merge", tmp_path / "both.h5", tmp_path / "out.h5", tmp_path / "new.h5", check=2)
    assert "another library of in-turn" in done.stderr


def test_a_rule_that_returns_no_vertex_is_a_failed_task_with_its_replay(tmp_path):
    done = run("sweep", job(tmp_path, ["minus-one", "uniform"], replications=2), "-o", tmp_path / "out.h5", check=1)
    runs = runs_of(tmp_path / "out.h5")
    assert (runs["minus-one"]["status"] == 3).all() and (runs["uniform"]["status"] == 1).all()
    status = run("status", tmp_path / "out.h5", check=None).stdout + done.stderr
    assert "no idea what to do" in status and f"--rule {tmp_path}/librules.so" in status
    replay = next(line for line in status.splitlines() if "replay: " in line).split("replay: ")[1]
    shown = tasfg.open(tmp_path / "out.h5").failures()[0].replay
    assert "--rule librules.so --algorithm minus-one" in shown
    again = subprocess.run(replay.replace("tasfg", os.environ["TASFG"], 1), shell=True, capture_output=True, text=True)
    assert again.returncode == 1 and "no idea what to do" in again.stderr


@pytest.mark.parametrize("bad", ["crash", "hang"])
def test_a_rule_that_crashes_or_hangs_takes_nothing_else_down(tmp_path, bad):
    done = run("sweep", job(tmp_path, [bad, "uniform"], replications=1), "-o", tmp_path / "out.h5", check=1,
               variables={"TASFG_RULE_PATIENCE": "1"})
    runs = runs_of(tmp_path / "out.h5")
    assert (runs[bad]["status"] == 3).all() and (runs["uniform"]["status"] == 1).all()
    if bad == "hang":
        assert "a rule of a library has not returned for 1 s" in done.stderr
    status = run("status", tmp_path / "out.h5", check=None).stdout
    assert "crashed" in status + done.stderr


def test_a_rule_that_crashes_under_mpirun_is_given_up_after_three_times(tmp_path):
    path = job(tmp_path, ["crash", "uniform"], replications=1)
    for _ in range(10):
        done = run("sweep", path, "-o", tmp_path / "out.h5", "-q", ranks=2, check=None, timeout=120)
        if done.returncode == 1 and pathlib.Path(tmp_path / "out.h5").exists():
            runs = runs_of(tmp_path / "out.h5")
            if (runs["crash"]["status"] == 3).all():
                break
    assert (runs["crash"]["status"] == 3).all() and (runs["uniform"]["status"] == 1).all()
