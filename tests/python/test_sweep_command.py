"""tasfg sweep, plan, status and merge, as a user runs them: real processes, real signals, real files."""

import ctypes
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import zlib

import h5py
import numpy as np
import pytest
import xarray

import result_files
from processes import kill, ranks_of, run, start, wait_for

JOB = """
name = "test"
seed = 7
replications = {replications}
log_inv_delta = {log_inv_delta}
algorithms = {algorithms}
conventions = "{conventions}"
max_steps = {max_steps}
skip = {skip}

[[graph]]
family = "ring"
K = {K}
p = [0.3, 0.5]

[[graph]]
family = "loopy-star"
K = 5

{more}"""


def write_job(folder, name="job.toml", **changes):
    values = dict(replications=20, log_inv_delta="[1.0, 3.0]", algorithms='["tas-fg", "uniform", "exp3.g"]',
                  conventions="paper", K="[4, 5]", max_steps=1_000_000, skip="true", more="") | changes
    path = folder / name
    path.write_text(JOB.format(**values))
    return path


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """A small job run alone by one thread: what every other way of running it must equal."""
    folder = tmp_path_factory.mktemp("reference")
    job = write_job(folder)
    out = folder / "out.h5"
    run("sweep", job, "-o", out, "--threads", 1)
    return job, out


# A job whose runs take a while, so that there is something to interrupt.
# Slower than it needs to be: there must be time to interrupt it.
LONG = dict(algorithms='["tas-fg", "uniform"]', K="[9]", log_inv_delta="[3.0]", replications=24,
            more='[algorithm."tas-fg"]\ngap = 1e-7\n')


@pytest.fixture(scope="module")
def long_reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    job = write_job(folder, **LONG)
    out = folder / "out.h5"
    run("sweep", job, "-o", out)
    return job, out


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_any_number_of_ranks_gives_the_same_bits(reference, tmp_path, ranks):
    job, expected = reference
    done = run("sweep", job, "-o", tmp_path / "out.h5", ranks=ranks)
    assert result_files.differences(expected, tmp_path / "out.h5") == []
    assert result_files.live(tmp_path / "out.h5", "ranks") == ranks
    assert done.stderr.count("tasks done") == 1  # one speaks for all


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_gives_the_same_bits(reference, tmp_path, threads):
    job, expected = reference
    run("sweep", job, "-o", tmp_path / "out.h5", "--threads", threads)
    assert result_files.differences(expected, tmp_path / "out.h5") == []


def test_merged_shards_are_the_whole_in_any_order_and_twice(reference, tmp_path):
    job, expected = reference
    parts = [tmp_path / f"part{i}.h5" for i in range(3)]
    for i, part in enumerate(parts):
        run("sweep", job, "-o", part, "--shard", f"{i}/3")
    settled = [h5py.File(part)["runs/status"][()] != 0 for part in parts]
    assert (sum(s.astype(int) for s in settled) == 1).all()
    assert all(0.25 < s.mean() < 0.42 for s in settled)
    run("merge", tmp_path / "all.h5", *parts)
    run("merge", tmp_path / "other.h5", parts[2], parts[0])
    assert result_files.live(tmp_path / "other.h5", "status") == "interrupted"
    run("merge", tmp_path / "other.h5", parts[1])
    assert result_files.differences(expected, tmp_path / "all.h5") == []
    assert result_files.datasets(tmp_path / "all.h5").keys() == result_files.datasets(tmp_path / "other.h5").keys()
    for name, values in result_files.datasets(tmp_path / "all.h5").items():
        assert np.array_equal(values, result_files.datasets(tmp_path / "other.h5")[name],
                              equal_nan=values.dtype.kind == "f"), name
    before = result_files.datasets(tmp_path / "all.h5")
    run("merge", tmp_path / "all.h5", *parts)
    after = result_files.datasets(tmp_path / "all.h5")
    assert all(np.array_equal(before[n], after[n], equal_nan=before[n].dtype.kind == "f") for n in before)
    assert result_files.live(tmp_path / "all.h5", "status") == "complete"


def test_merge_refuses_files_that_disagree_and_writes_nothing(reference, tmp_path):
    _, expected = reference
    shutil.copy(expected, tmp_path / "good.h5")
    shutil.copy(expected, tmp_path / "bad.h5")
    with h5py.File(tmp_path / "bad.h5", "r+") as file:
        assert file["runs/checksum"][2, 1, 7] == result_files.run_checksum(file, 2, 1, 7)
        file["runs/tau"][2, 1, 0, 7] += 1
        file["runs/checksum"][2, 1, 7] = result_files.run_checksum(file, 2, 1, 7)
    done = run("merge", tmp_path / "all.h5", tmp_path / "good.h5", tmp_path / "bad.h5", check=2)
    assert "disagree on ring K=5 p=0.3 uniform seed 7" in done.stderr
    assert not (tmp_path / "all.h5").exists() and len(list(tmp_path.iterdir())) == 2


def test_merge_refuses_files_of_two_jobs(reference, tmp_path):
    _, expected = reference
    other = write_job(tmp_path, replications=5)
    run("sweep", other, "-o", tmp_path / "other.h5", "--set", "seed=8")
    done = run("merge", tmp_path / "all.h5", expected, tmp_path / "other.h5", check=2)
    assert "are not of one job (its seed is 8, this job's is 7)" in done.stderr


@pytest.mark.parametrize("ranks,target", [(0, "all"), (2, "worker"), (3, "coordinator"), (2, "all")])
def test_killed_at_random_and_continued_it_equals_the_uninterrupted_run(long_reference, tmp_path, ranks, target):
    job, expected = long_reference
    out = tmp_path / "out.h5"
    chance = random.Random(ranks * 10 + len(target))
    for _ in range(6):
        process = start("sweep", job, "-o", out, ranks=ranks)
        if ranks:  # earlier, mpirun itself may hang (docs/trust.md)
            wait_for(lambda: (tmp_path / "out.h5.lock").exists() or process.poll() is not None)
        time.sleep(chance.uniform(0.0, 0.7))
        kill(process, target)
        if out.exists():
            assert result_files.wrong_runs(out, expected)[0] == 0
    run("sweep", job, "-o", out, ranks=ranks)
    assert result_files.differences(expected, out) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.h5"]


@pytest.mark.parametrize("ranks", [0, 2])
@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_commits_and_exits_75_within_ten_seconds(long_reference, tmp_path, ranks, which):
    job, expected = long_reference
    out = tmp_path / "out.h5"
    process = start("sweep", job, "-o", out, "--set", "replications=300", ranks=ranks)
    wait_for(lambda: out.exists() and (h5py.File(out)["runs/status"][()] != 0).sum() > 5)
    target = ranks_of(process)[-1]  # any rank may get it
    sent = time.monotonic()
    os.kill(target, which)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 75, errors
    assert time.monotonic() - sent < 10
    assert "run the same command again" in errors
    assert result_files.live(out, "status") == "interrupted"
    with h5py.File(out) as file:
        assert (file["runs/attempts"][()] == (file["runs/status"][()] != 0)).all()
        assert 0 < (file["runs/status"][()] != 0).mean() < 1
    assert not list(tmp_path.glob("*.lock"))


def test_a_run_that_ends_within_the_grace_is_kept_and_a_second_signal_ends_at_once(tmp_path):
    job = write_job(tmp_path, algorithms='["ucb-fg-v"]', log_inv_delta="[7.0]", K="[5]", max_steps=10**9,
                    skip="false")
    process = start("sweep", job, "-o", tmp_path / "out.h5")
    wait_for(lambda: (tmp_path / "out.h5").exists() and
             (h5py.File(tmp_path / "out.h5")["runs/attempts"][()] > 0).any())
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    second = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 75
    assert time.monotonic() - second < 2


def test_the_file_is_readable_and_true_while_the_sweep_runs(long_reference, tmp_path):
    job, expected = long_reference
    out = tmp_path / "out.h5"
    process = start("sweep", job, "-o", out)
    looks = 0
    while process.poll() is None:
        if out.exists():
            wrong, settled = result_files.wrong_runs(out, expected)
            assert wrong == 0
            with xarray.open_dataset(out, group="runs", engine="h5netcdf") as runs:
                status = runs.status.load()  # before the values that it vouches for
                assert (runs.tau.notnull() | (status != 1)).all()
            done = run("status", out)
            looks += settled > 0
            if process.poll() is None and "being written by" in done.stdout:
                assert result_files.live(out, "status") == "running"
        time.sleep(0.05)
    process.communicate()
    assert looks > 1
    assert "complete" in run("status", out).stdout


def test_extending_a_finished_job_runs_only_what_is_missing(reference, tmp_path):
    _, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    grown = write_job(tmp_path, replications=30, K="[6, 4, 5]", log_inv_delta="[1.0, 3.0]",
                      algorithms='["uniform", "oracle", "tas-fg", "exp3.g"]')
    run("sweep", grown, "-o", out)
    run("sweep", grown, "-o", tmp_path / "fresh.h5")
    assert result_files.differences(tmp_path / "fresh.h5", out) == []
    with h5py.File(out) as file, h5py.File(expected) as old:
        labels = [x.decode() for x in file["runs/label"][()]]
        new_case = [labels.index(x.decode()) for x in old["runs/label"][()]]
        algorithms = [x.decode() for x in file["runs/algorithm"][()]]
        new_algorithm = [algorithms.index(x.decode()) for x in old["runs/algorithm"][()]]
        # What was there was not run again: it has the very same timing.
        kept = file["runs/seconds"][()][new_case][:, new_algorithm][:, :, :20]
        assert np.array_equal(kept, old["runs/seconds"][()])


def test_another_delta_runs_trajectories_again_and_keeps_what_was_known(reference, tmp_path):
    _, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    grown = write_job(tmp_path, log_inv_delta="[3.0, 6.0, 1.0]")
    run("sweep", grown, "-o", out)
    run("sweep", grown, "-o", tmp_path / "fresh.h5")
    assert result_files.differences(tmp_path / "fresh.h5", out) == []
    with h5py.File(out) as file, h5py.File(expected) as old:
        assert np.array_equal(file["runs/tau"][()][:, :, [2, 0]], old["runs/tau"][()])


def test_a_link_to_a_result_file_stays_a_link(reference, tmp_path):
    job, expected = reference
    (tmp_path / "scratch").mkdir()
    shutil.copy(expected, tmp_path / "scratch/data.h5")
    (tmp_path / "out.h5").symlink_to("scratch/data.h5")
    run("sweep", job, "-o", tmp_path / "out.h5", "--set", "replications=22")
    assert (tmp_path / "out.h5").is_symlink()
    assert result_files.live(tmp_path / "scratch/data.h5", "status") == "complete"
    assert h5py.File(tmp_path / "scratch/data.h5")["runs/status"].shape[2] == 22


def test_a_larger_cap_runs_capped_trajectories_again(tmp_path):
    low = write_job(tmp_path, "low.toml", max_steps=300)
    high = write_job(tmp_path, "high.toml", max_steps=100_000)
    run("sweep", low, "-o", tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5") as file:
        status = file["runs/status"][()]
        assert {1, 2} <= set(status.ravel())
        seconds = file["runs/seconds"][()]
        stopped = file["runs/stopped"][()]
        assert ((stopped == 1).all(axis=2) == (status == 1)).all()
        assert (file["runs/tau"][()][stopped == 0] == 300).all()
    run("sweep", high, "-o", tmp_path / "out.h5")
    run("sweep", high, "-o", tmp_path / "fresh.h5")
    assert result_files.differences(tmp_path / "fresh.h5", tmp_path / "out.h5") == []
    with h5py.File(tmp_path / "out.h5") as file:
        assert np.array_equal(file["runs/seconds"][()][status == 1], seconds[status == 1])


@pytest.mark.parametrize("change,why", [
    (["--set", "seed=8"], "its seed is 7, this job's is 8"),
    (["--set", "replications=3"], "it holds 20 replications, this job only 3"),
    (["--set", 'algorithms=["uniform"]'], "it holds tas-fg, this job does not"),
    (["--set", 'algorithm."tas-fg".period=3'], "it holds tas-fg, this job does not"),
    (["--set", "log_inv_delta=[1.0]"], "it holds ln(1/delta) = 3, this job does not"),
    (["--set", "graph[0].K=5"], "it holds the case ring K=4 p=0.3, this job does not"),
    (["--set", "max_steps=1000"], "its max_steps is 1000000, this job's only 1000"),
    (["--set", "conventions=reference"], "its conventions is paper, this job's is reference"),
    (["--set", "threshold=simple"], "its threshold is practical, this job's is simple"),
])
def test_a_file_of_another_job_is_left_as_it_is(reference, tmp_path, change, why):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    before = out.read_bytes()
    done = run("sweep", job, "-o", out, *change, check=2)
    assert why in done.stderr and done.stderr.count("\n") == 1
    assert out.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


def test_a_file_whose_runs_another_version_made_is_neither_continued_nor_merged(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    assert re.fullmatch(rb"3-[0-9a-f]{16}", h5py.File(out).attrs["results_version"])
    result_files.set_attribute(out, "results_version", np.bytes_(b"1"))
    before = out.read_bytes()
    for command in (["sweep", job, "-o", out], ["merge", tmp_path / "merged.h5", expected, out]):
        done = run(*command, check=2)
        assert "results_version is 1" in done.stderr and done.stderr.count("\n") == 1
    assert "complete" in run("status", out).stdout
    assert out.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


def test_runs_of_a_program_whose_algorithm_differs_are_not_mixed_with_others(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    with h5py.File(out, "r+") as file:
        digests = file["runs/algorithm_digest"]
        assert len(set(digests[()])) == 3
        digests[1] += 1  # as another build of the rule would have written it
        digests.attrs["checksum"] = np.uint32(zlib.crc32(digests[()].tobytes()))
    before = out.read_bytes()
    for command in (["sweep", job, "-o", out, "--set", "replications=30"], ["merge", tmp_path / "all.h5", expected, out]):
        done = run(*command, check=2)
        assert "another tasfg, whose runs of uniform come out otherwise" in done.stderr
    assert out.read_bytes() == before


@pytest.mark.parametrize("closed", [(2,), (0, 1, 2)])
def test_messages_do_not_go_into_the_file_where_standard_streams_are_closed(reference, tmp_path, closed):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    redirections = " ".join(f"{stream}{'<' if stream == 0 else '>'}&-" for stream in closed)
    for name in (out, tmp_path / "new.h5"):
        subprocess.run(["bash", "-c", f'"$@" {redirections}', "bash", os.environ["TASFG"], "sweep", job, "-o", name],
                       check=True, timeout=60)
        assert result_files.differences(expected, name) == []


LOST = {
    "deleted": (lambda out: out.unlink(), "was deleted, or renamed, while the sweep wrote into it"),
    "replaced": (lambda out: shutil.copy(out, out.with_suffix(".copy")) and os.replace(out.with_suffix(".copy"), out),
                 "was replaced by another file"),
    "truncated": (lambda out: os.truncate(out, 1000), "was truncated while the sweep wrote into it"),
}


@pytest.mark.parametrize("what", LOST)
def test_a_file_that_is_lost_while_the_sweep_runs_is_noticed(tmp_path, what):
    job = write_job(tmp_path, **(LONG | dict(replications=5000)))
    out = tmp_path / "out.h5"
    process = start("sweep", job, "-o", out)
    wait_for(lambda: out.exists() and result_files.live(out, "threads") > 0)
    lose, why = LOST[what]
    lose(out)
    error = process.communicate(timeout=30)[1]
    assert process.returncode == 2 and why in error and "run the same command again" in error


def test_a_file_that_is_lost_just_before_the_end_is_noticed(reference, tmp_path):
    job, _ = reference
    out = tmp_path / "out.h5"
    process = start("sweep", job, "-o", out, "--set", "replications=300")
    wait_for(lambda: out.exists() and result_files.live(out, "threads") > 0)
    out.unlink()
    error = process.communicate(timeout=30)[1]
    assert process.returncode == 2 and "was deleted" in error


@pytest.mark.parametrize("special", ["pipe", "/dev/zero"])
def test_only_regular_files_are_read(tmp_path, special):
    if special == "pipe":
        special = tmp_path / "pipe"
        os.mkfifo(special)
    why = f"{special}: is a pipe or a device (must be a file)"
    assert why in run("sweep", special, "-o", tmp_path / "out.h5", check=2, timeout=20).stderr
    job = tmp_path / "job.toml"
    job.write_text(f'algorithms = []\n[[graph]]\nfamily = "file"\npath = "{special}"\n')
    for command in (["sweep", job, "-o", tmp_path / "out.h5"], ["plan", job], ["solve", "--graph-file", special],
                    ["simulate", "--graph-file", special]):
        assert why in run(*command, check=2, timeout=20).stderr


def test_status_opens_the_result_file_alone(tmp_path):
    graph, job, out = tmp_path / "G.csv", tmp_path / "job.toml", tmp_path / "out.h5"
    graph.write_text("1,0\n0,1\n")
    job.write_text('replications = 2\ndelta = [0.1]\nalgorithms = ["uniform"]\n'
                   '[[graph]]\nfamily = "file"\npath = "G.csv"\n')
    run("sweep", job, "-o", out)
    trace = tmp_path / "trace"
    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("strace is not installed")
    subprocess.run([tracer, "-f", "-e", "trace=open,openat", "-o", trace, os.environ["TASFG"], "status", out], check=True)
    opened = trace.read_text()
    assert str(out) in opened and "G.csv" not in opened and "job.toml" not in opened


def test_status_as_json_says_the_same(reference, tmp_path):
    out = tmp_path / "out.h5"
    out.write_bytes(reference[1].read_bytes())
    found = json.loads(run("status", out, "--json").stdout)
    assert found["status"] == "complete" and found["exit_status"] == 0 and found["writer"] is None
    with h5py.File(out) as file:
        status = file["runs/status"][()]
        names = [name.decode() for name in file["runs/algorithm"][()]]
        assert found["cases"]["total"] == found["cases"]["solved"] == len(file["cases/K"])
        assert found["runs"]["runs"] == status.size and found["runs"]["done"] == (status == 1).sum()
        assert list(found["algorithms"]) == names
        for i, name in enumerate(names):
            assert found["algorithms"][name]["steps"] == file["runs/steps"][:, i].sum()
    with h5py.File(out, "r+") as file:
        file["runs/status"][0, 0, 0] = 0
    torn = json.loads(run("status", out, "--json", "--check", check=75).stdout)
    assert torn["pending_tasks"] == 1 and torn["exit_status"] == 75 and torn["runs"]["pending"] == 1


def test_status_counts_what_the_file_holds_whatever_it_calls_itself(reference, tmp_path):
    _, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    run("status", out, "--check")
    with h5py.File(out, "r+") as file:
        file["runs/status"][0, 0, 0] = 77  # no status: pending
    shown = run("status", out, "--check", check=75).stdout
    assert "calls itself complete, but 1 tasks are pending" in shown


def test_a_finished_shard_is_complete_and_no_other_shard_goes_on_with_it(reference, tmp_path):
    job, _ = reference
    out = tmp_path / "part.h5"
    run("sweep", job, "-o", out, "--shard", "1/3")
    shown = run("status", out, "--check").stdout
    assert "shard 1/3" in shown and "100.0 %" in shown and "  complete\n" in shown and " left " not in shown
    before = out.read_bytes()
    for other in (["--shard", "0/3"], ["--shard", "1/2"], []):
        done = run("sweep", job, "-o", out, *other, check=2)
        assert "holds shard 1/3 of the job, not" in done.stderr
    assert out.read_bytes() == before


def forge_commit(path, sitting, commit):
    """As if another build had made a sitting."""
    with h5py.File(path, "r+") as file:
        file["sittings/git_commit"][sitting] = commit
    result_files.seal(path)


def test_the_file_says_which_program_made_which_runs(tmp_path):
    job, out = write_job(tmp_path, replications=3), tmp_path / "out.h5"
    run("sweep", job, "-o", out)
    forge_commit(out, 0, b"older")
    run("sweep", job, "-o", out)  # nothing to do: no sitting
    run("sweep", job, "-o", out, "--set", "replications=5", ranks=2)
    status = run("status", out).stdout
    assert re.search(r"^  45 runs made by tasfg \S+ \(older; .*\) in 1 sitting, the first 20", status, re.M)
    assert re.search(r"^  30 runs made by tasfg \S+ \((?!older).*\) in 1 sitting, the first 20", status, re.M)
    with h5py.File(out) as file:
        assert (file["runs/sitting"][()] == [0, 0, 0, 1, 1]).all()
        assert (file["cases/sitting"][()] == 0).all()
        assert list(file["sittings/ranks"][:3]) == [1, 2, 0]
    for i in (0, 1):
        run("sweep", job, "-o", tmp_path / f"part{i}.h5", "--shard", f"{i}/2")
    forge_commit(tmp_path / "part1.h5", 0, b"other")
    run("merge", tmp_path / "all.h5", tmp_path / "part0.h5", tmp_path / "part1.h5")
    with h5py.File(tmp_path / "all.h5") as file, h5py.File(tmp_path / "part1.h5") as part:
        assert np.array_equal(file["runs/sitting"][()] == 1, part["runs/status"][()] == 1)
        assert file["sittings/git_commit"][1] == b"other"
    assert run("verify", tmp_path / "all.h5").stdout.count("sound") == 1


def test_status_shows_no_control_characters_of_a_file(reference, tmp_path):
    _, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    result_files.set_attribute(out, "job_name", np.bytes_(b"\x1b[31mred\x9b"))
    result_files.set_attribute(out, "git_commit", np.bytes_(b"\x1b]0;title\x07"))
    result_files.set_live(out, "hosts", b"\x1b[2Jhost")
    with h5py.File(out, "r+") as file:
        file["failures/case"][0] = 0
        file["failures/algorithm"][0] = 0
        file["failures/seed"][0] = 0
        file["failures/message"][0] = b"\x1b[5m"
    shown = run("status", out).stdout
    assert 'job "?[31mred?"' in shown and "?[2Jhost" in shown
    assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in shown)


def spoil_text(path):
    path.write_text("not a result file\n" * 100)


def spoil_empty(path):
    path.write_bytes(b"")


def spoil_truncated(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def spoil_other_hdf5(path):
    with h5py.File(path, "w") as file:
        file["x"] = [1, 2]


def spoil_newer(path):
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = np.int64(3)


def spoil_older(path):
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = np.int64(1)
        file.attrs["format"] = "tasfg"  # of variable length, as it was


def spoil_attribute(path):
    with h5py.File(path, "r+") as file:
        file.attrs["seed"] = file.attrs["seed"] + np.uint64(1)


def spoil_description(path):
    with h5py.File(path, "r+") as file:
        file["cases/best"][0] = 0


def spoil_overlap(path):
    with h5py.File(path, "r+") as file:  # two names for the same bytes
        del file["live/ranks"]
        file["live/ranks"] = file["live/threads"]


def spoil_missing(path):
    with h5py.File(path, "r+") as file:
        del file["runs/tau"]


def spoil_retyped(path):
    with h5py.File(path, "r+") as file:
        tau = file["runs/tau"][()].astype("f8")
        del file["runs/tau"]
        file["runs/tau"] = tau


def spoil_reshaped(path):
    with h5py.File(path, "r+") as file:
        tau = file["runs/tau"][:, :, :, :3]
        del file["runs/tau"]
        file["runs/tau"] = tau


@pytest.mark.parametrize("spoil,why", [
    (spoil_text, "is not an HDF5 file"),
    (spoil_empty, "is not an HDF5 file"),
    (spoil_truncated, "truncated or damaged"),
    (spoil_other_hdf5, "is not a tasfg result file"),
    (spoil_newer, "has format version 3, this program knows 2 (use a newer tasfg)"),
    (spoil_older, "has format version 1, this program knows 2 (from before the first release: run its job again"),
    (spoil_attribute, "its attributes do not fit their checksum (damaged?)"),
    (spoil_description, "cases/best cannot be read (damaged?)"),
    (spoil_overlap, "live/threads cannot be read (damaged?)"),
    (spoil_missing, "runs/tau cannot be read (damaged?)"),
    (spoil_retyped, "runs/tau cannot be read (damaged?)"),
    (spoil_reshaped, "runs/tau cannot be read (damaged?)"),
])
def test_what_is_no_result_file_is_refused_by_every_command_and_left(reference, tmp_path, spoil, why):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    spoil(out)
    before = out.read_bytes()
    for command in (["sweep", job, "-o", out], ["status", out], ["merge", tmp_path / "new.h5", out],
                    ["merge", out, expected]):
        done = run(*command, check=2)
        assert why in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert out.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


def test_a_complete_sweep_under_tcp_ends_at_once_and_well(reference, tmp_path, monkeypatch):
    job, expected = reference
    shutil.copy(expected, tmp_path / "out.h5")
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")  # a transport that minds messages left under way
    for _ in range(4):
        done = run("sweep", job, "-o", tmp_path / "out.h5", ranks=4, timeout=30)
        assert "nothing left to do" in done.stderr


def test_nobody_reading_its_messages_does_not_end_a_sweep(reference, tmp_path):
    job, expected = reference
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([os.environ["TASFG"], "sweep", str(job), "-o", str(tmp_path / "out.h5")], stderr=writer)
    os.close(writer)
    assert done.returncode == 0
    assert result_files.differences(expected, tmp_path / "out.h5") == []


def test_a_torn_run_is_run_again(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    with h5py.File(out, "r+") as file:
        file["runs/tau"][1, 0, 1, 3] += 5
        file["cases/omega"][2, 1] += 0.25
    result_files.set_live(out, "status", b"running")  # as a machine that lost power leaves it
    done = run("sweep", job, "-o", out)
    assert "2 runs were not written in full" in done.stderr
    assert result_files.differences(expected, out) == []


def test_two_sweeps_do_not_write_one_file(long_reference, tmp_path):
    job, expected = long_reference
    out = tmp_path / "out.h5"
    first = start("sweep", job, "-o", out)
    wait_for(lambda: out.exists())
    for ranks in (0, 2):
        done = run("sweep", job, "-o", out, check=75, ranks=ranks)  # later, it may be run
        assert "is being written by another sweep (host" in done.stderr and str(first.pid) in done.stderr
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert result_files.differences(expected, out) == []


def test_a_lock_of_another_machine_is_watched_before_it_is_taken(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    lock = tmp_path / "out.h5.lock"
    lock.write_text("elsewhere\t12\t34\tfar-node\t2026-01-01T00:00:00Z\t000000000007\n")
    beats = threading.Event()

    def beat():  # a writer that lives
        for count in range(8, 100):
            if beats.wait(0.5):
                return
            lock.write_text(f"elsewhere\t12\t34\tfar-node\t2026-01-01T00:00:00Z\t{count:012}\n")

    thread = threading.Thread(target=beat)
    thread.start()
    done = run("sweep", job, "-o", out, check=75)
    beats.set()
    thread.join()
    assert "is being written by another sweep (host far-node, process 12" in done.stderr
    assert not out.exists()
    begin = time.monotonic()
    done = run("sweep", job, "-o", out)  # and one that does not
    assert time.monotonic() - begin > 10
    assert "whether its writer still lives" in done.stderr
    assert result_files.differences(expected, out) == []


def crash_worker_thread(process, out):
    """SIGSEGV to a thread that runs a task, as a wild pointer would: the kernel's own word for it is SI_TKILL."""
    wait_for(lambda: out.exists() and (h5py.File(out)["runs/attempts"][()] > 0).any())
    time.sleep(0.3)
    main = process.pid
    tasks = pathlib.Path(f"/proc/{main}/task")
    workers = [int(t.name) for t in tasks.iterdir() if int(t.name) != main and "lock" not in (t / "comm").read_text()]
    libc = ctypes.CDLL(None, use_errno=True)
    tgkill = 234
    assert libc.syscall(tgkill, main, workers[0], signal.SIGSEGV) == 0


def test_a_task_that_crashes_its_process_three_times_is_marked_failed_and_the_rest_goes_on(tmp_path):
    # One thread, and one run that goes on for long: every crash is that run's.
    job = tmp_path / "job.toml"
    job.write_text('seed = 1\nreplications = 1\nlog_inv_delta = 7.0\nmax_steps = 2_000_000_000\nskip = false\n'
                   'algorithms = ["uniform", "ucb-fg-v"]\n[[graph]]\nfamily = "ring"\nK = 15\np = 0.3\n')
    out = tmp_path / "out.h5"
    process = start("sweep", job, "-o", out, "--threads", 1)
    log = tmp_path / "out.h5.crashes"
    for crash in range(3):
        wait_for(lambda: out.exists() and h5py.File(out)["runs/attempts"][0, 1, 0] == crash + 1)
        crash_worker_thread(process, out)
        wait_for(lambda: log.exists() and len(log.read_text().splitlines()) == crash + 1)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1, errors
    with h5py.File(out) as file:
        assert file["runs/status"][0, :, 0].tolist() == [1, 3]
        assert file["runs/attempts"][0, :, 0].tolist() == [1, 3]
        assert file["runs/tau"][0, 1, 0, 0] == -1
        assert file["live/status"][()] == b"failed"
        assert file["failures/message"][0].decode().rstrip("\0") == "crashed its process 3 times"
    replay = "tasfg simulate"
    assert replay in errors and "--seeds 0" in errors
    done = run("status", out)
    assert "ring K=15 p=0.3 ucb-fg-v seed 0: crashed its process 3 times" in done.stdout and replay in done.stdout
    # Continued, it stays failed; asked to, it is tried again.
    assert run("sweep", job, "-o", out, check=1).returncode == 1
    process = start("sweep", job, "-o", out, "--threads", 1, "--retry-failed")
    wait_for(lambda: h5py.File(out)["runs/attempts"][0, 1, 0] == 1)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 75


def test_the_replay_command_gives_the_runs_of_the_file(reference):
    job, expected = reference
    with h5py.File(expected) as file:
        tau = file["runs/tau"][3, 0, :, 11]
    done = run("simulate", "--graph", "ring", "-P", "K=5", "-P", "p=0.5", "-a", "tas-fg", "--seeds", "11",
               "--log-inv-delta", "1,3", "--master-seed", "7", "--csv")
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    assert [int(row[3]) for row in rows] == tau.tolist()


def test_walltime_starts_nothing_that_cannot_end(tmp_path):
    job = write_job(tmp_path, algorithms='["uniform", "ucb-fg-v"]', log_inv_delta="[10.0]", K="[15]",
                    replications=3, max_steps=10**9, skip="false")
    begin = time.monotonic()
    done = run("sweep", job, "-o", tmp_path / "out.h5", "--walltime", "18", check=75)
    assert time.monotonic() - begin < 18
    assert "walltime" in done.stderr
    with h5py.File(tmp_path / "out.h5") as file:
        assert (file["runs/status"][:, 0] == 1).all()


@pytest.mark.parametrize("arguments,why", [
    (["missing.toml", "-o", "x.h5"], "missing.toml"),
    (["job.toml"], "--output is required"),
    (["job.toml", "-o", "no/such/folder/x.h5"], "its folder no/such/folder does not exist"),
    (["job.toml", "-o", "."], "is not a regular file"),
    (["job.toml", "-o", "x.h5", "--shard", "4/4"], "--shard \"4/4\" (must be i/n with 0 <= i < n"),
    (["job.toml", "-o", "x.h5", "--shard", "x"], "--shard \"x\""),
    (["job.toml", "-o", "x.h5", "--walltime", "soon"], "--walltime"),
    (["job.toml", "-o", "x.h5", "--threads", "-1"], "--threads = -1 (must be a whole number from 0 to 4096; 0"),
    (["job.toml", "-o", "x.h5", "--lost-after", "3"], "--lost-after = 3 (must be 8 seconds at least)"),
    (["job.toml", "-o", "x.h5", "--set", "replicatons=3"], "replications"),
    (["job.toml", "-o", "x.h5", "--set", "replications"], "--set"),
])
@pytest.mark.parametrize("ranks", [0, 2])
def test_bad_options_get_one_message_and_no_file(tmp_path, arguments, why, ranks):
    write_job(tmp_path)
    done = run("sweep", *arguments, check=2, ranks=ranks, cwd=tmp_path)
    ours = [line for line in done.stderr.splitlines() if line.startswith("tasfg:")]
    assert len(ours) == 1 and why in ours[0], done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["job.toml"]


def test_a_job_without_algorithms_gives_curves_that_xarray_opens(tmp_path):
    job = write_job(tmp_path, algorithms="[]")
    run("sweep", job, "-o", tmp_path / "out.h5")
    with xarray.open_dataset(tmp_path / "out.h5", group="cases", engine="h5netcdf") as cases:
        assert cases.sizes["case"] == 5 and (cases.status == 1).all()
        assert ((cases.T_star - cases.T_star_lower) / cases.T_star < 1e-8).all()
        assert np.allclose(cases.omega.sum("vertex"), 1.0)
    with xarray.open_dataset(tmp_path / "out.h5", group="runs", engine="h5netcdf") as runs:
        assert runs.sizes["algorithm"] == 0
    parts = [tmp_path / f"part{i}.h5" for i in range(2)]
    for i, part in enumerate(parts):
        run("sweep", job, "-o", part, "--shard", f"{i}/2")
    run("merge", tmp_path / "all.h5", *parts)
    assert result_files.differences(tmp_path / "out.h5", tmp_path / "all.h5") == []


def test_the_file_has_names_units_and_clean_headers(reference):
    _, out = reference
    with xarray.open_dataset(out, group="runs", engine="h5netcdf") as runs:
        assert dict(runs.sizes) == {"case": 5, "algorithm": 3, "delta": 2, "seed": 20, "vertex": 5}
        assert runs.tau.dims == ("case", "algorithm", "delta", "seed")
        assert list(runs.algorithm.values) == ["tas-fg", "uniform", "exp3.g"]
        assert runs.sel(algorithm="uniform", seed=3).tau.notnull().all()
        assert runs.graph.dims == ("case",) and "label" in runs.coords
        assert np.allclose(runs.delta, np.exp(-runs.log_inv_delta))
        frame = runs.tau.to_dataframe()
        assert len(frame) == 5 * 3 * 2 * 20
    with h5py.File(out) as file:
        def check(name, item):
            if isinstance(item, h5py.Dataset):
                assert item.attrs["long_name"], name
                assert item.dtype.kind == "S" or item.attrs["units"], name
                assert len(result_files.dimensions(item)) == item.ndim, name
        file.visititems(check)
    done = subprocess.run(["h5dump", "-H", str(out)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert "H5T_VARIABLE" not in done.stdout and "H5T_VLEN" not in done.stdout
    for group, sizes in {"edges": {"edge": len(h5py.File(out)["edges/from"])}, "failures": {"entry": 64}, "live": {}}.items():
        with xarray.open_dataset(out, group=group, engine="h5netcdf") as data:
            assert dict(data.sizes) == sizes


def test_every_dataset_and_attribute_is_documented(tmp_path):
    job, out = write_job(tmp_path), tmp_path / "out.h5"
    run("sweep", job, "-o", out, "--set", "replications=1", "--set", "checkpoints=[10]", "--set", "pulls_by_delta=true")
    text = open(os.path.join(os.path.dirname(__file__), "../../docs/result-file.md")).read()
    with h5py.File(out) as file:
        names = list(file.attrs)
        file.visititems(lambda name, item: names.append(name.split("/")[-1]) if isinstance(item, h5py.Dataset) else None)
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_dataset_and_attribute_has_a_value(tmp_path):
    job, out = write_job(tmp_path, more='[algorithm."tas-fg"]\nperiod = 2'), tmp_path / "out.h5"
    run("sweep", job, "-o", out, "--shard", "0/2", "--set", "precision.mean=0.5", "--set", "checkpoints=[10]", "--set", "pulls_by_delta=true")
    with h5py.File(out) as file:
        empty = [name for name, value in file.attrs.items() if value in (b"", "")]
        for group in ("runs", "cases"):
            for name, data in file[group].items():
                values, fill = data[()], data.attrs.get("_FillValue", np.zeros((), data.dtype))
                if np.all((values == fill) | ((values != values) & (fill != fill))):
                    empty.append(f"{group}/{name}")
    assert empty == []


def test_checksums_are_what_the_documentation_says(tmp_path):
    job, out = write_job(tmp_path), tmp_path / "out.h5"
    run("sweep", job, "-o", out, "--set", "replications=2", "--set", "checkpoints=[10, 50]", "--set", "pulls_by_delta=true")
    with h5py.File(out) as file:
        status = file["runs/status"][()]
        assert (status == 1).all()
        for case, algorithm, seed in np.ndindex(status.shape):
            assert file["runs/checksum"][case, algorithm, seed] == result_files.run_checksum(file, case, algorithm, seed)
        assert file.attrs["header_checksum"] == result_files.header_checksum(file)
        constant = []
        file.visititems(lambda name, item: constant.append(name) if "checksum" in item.attrs else None)
        assert {"cases/label", "runs/delta", "edges/probability"} <= set(constant)
        for name in constant:
            assert file[name].attrs["checksum"] == zlib.crc32(file[name][()].tobytes()), name


def test_merge_and_growth_leave_out_runs_that_do_not_fit_their_checksums(reference, tmp_path):
    job, expected = reference
    torn = tmp_path / "torn.h5"
    shutil.copy(expected, torn)
    with h5py.File(torn, "r+") as file:
        file["runs/tau"][0, 0, 0, 0] += 1
    done = run("merge", tmp_path / "merged.h5", torn)
    assert "1 runs of the inputs do not fit their checksums" in done.stderr
    with h5py.File(tmp_path / "merged.h5") as file:
        assert file["runs/status"][0, 0, 0] == 0 and (file["runs/status"][()] == 0).sum() == 1
    assert result_files.live(tmp_path / "merged.h5", "status") == "interrupted"
    done = run("sweep", job, "-o", tmp_path / "merged.h5")
    assert result_files.differences(expected, tmp_path / "merged.h5") == []
    done = run("sweep", job, "-o", torn, "--set", "replications=21")
    assert "1 runs were not written in full and run again" in done.stderr
    with h5py.File(torn) as file, h5py.File(expected) as right:
        assert np.array_equal(file["runs/tau"][:, :, :, :20], right["runs/tau"][()])


def test_a_newer_minor_version_is_read_but_not_written(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    result_files.set_attribute(out, "format_minor", np.int64(7))
    assert "complete" in run("status", out).stdout
    for command in (["sweep", job, "-o", out], ["merge", tmp_path / "new.h5", out]):
        assert "has format version 2.7" in run(*command, check=2).stderr


GRAPH = """0.1,0.30000000000000004,0.5
0.7,0.123456789012345678,1e-3
1,0,0.3333333333333333
"""


@pytest.mark.parametrize("ranks", [0, 2])
def test_a_study_runs_again_from_its_file_alone(tmp_path, ranks):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/G.csv").write_text(GRAPH)
    job = tmp_path / "jobs/job.toml"
    job.write_text('seed = 1\nreplications = 9\nlog_inv_delta = [1.0]\nalgorithms = ["uniform"]\n'
                   '[[graph]]\nfamily = "file"\npath = "G.csv"\nmeans = [0, 1, 0.5]\n'
                   '[[graph]]\nfamily = "random"\nK = 6\n')
    out = tmp_path / "out.h5"
    run("sweep", job, "-o", out, "--set", "replications=5", cwd=tmp_path)
    wanted = np.array([[float(x) for x in line.split(",")] for line in GRAPH.splitlines()])
    with h5py.File(out) as file:
        edges = {name: file["edges"][name][()] for name in file["edges"] if name != "edge"}
    mine = edges["case"] == 0
    read = np.zeros((3, 3))
    read[edges["from"][mine], edges["to"][mine]] = edges["probability"][mine]
    assert read.tobytes() == wanted.tobytes()
    solved = json.loads(run("solve", "--graph-file", f"{out}:/edges[0]", "--means", "0,1,0.5", "--json").stdout)
    assert np.array(solved["G"]).tobytes() == wanted.tobytes()
    assert "0 (file path=G.csv means=0,1,0.5), 1 (random" in run("solve", "--graph-file", f"{out}:/edges", check=2).stderr
    shutil.rmtree(tmp_path / "jobs")
    run("sweep", out, "-o", tmp_path / "again.h5", ranks=ranks, cwd=tmp_path)
    assert result_files.differences(out, tmp_path / "again.h5") == []
    run("sweep", out, "-o", out, "--set", "replications=7", ranks=ranks, cwd=tmp_path)
    assert h5py.File(out)["runs/status"].shape == (2, 1, 7)
    assert "complete" in run("status", out, cwd="/").stdout
    assert "runs              18" in run("plan", out, "--set", "replications=9").stdout


def test_checkpoints_and_pulls_by_delta_join_a_finished_study(reference, tmp_path):
    job, expected = reference
    out = tmp_path / "out.h5"
    shutil.copy(expected, out)
    more = ["--set", "checkpoints=[20, 200, 5000]", "--set", "pulls_by_delta=true"]
    run("sweep", job, "-o", out, *more)
    run("sweep", job, "-o", tmp_path / "fresh.h5", *more)
    assert result_files.differences(tmp_path / "fresh.h5", out) == []
    with h5py.File(out) as file, h5py.File(expected) as old:
        for name in old["runs"]:  # nothing else has changed
            if name not in ("seconds", "attempts", "sitting", "checksum"):
                assert old["runs"][name][()].tobytes() == file["runs"][name][()].tobytes(), name
    with xarray.open_dataset(out, group="runs", engine="h5netcdf") as runs:
        assert runs.checkpoint_T_ratio.dims == ("case", "algorithm", "checkpoint", "seed")
        assert runs.pulls_at.dims == ("case", "algorithm", "delta", "seed", "vertex")
        assert list(runs.checkpoint.values) == [20, 200, 5000]
        assert (runs.pulls_at.sum("vertex") == runs.tau).all()
        last = runs.pulls_at.isel(delta=-1)
        assert (last.fillna(-1) == runs.pulls.fillna(-1)).all()
        ratio = runs.checkpoint_T_ratio.sel(algorithm="tas-fg").median(["case", "seed"])
        assert (ratio >= 1).all() and ratio[2] < 1.1 < ratio[0]
        assert runs.checkpoint_correct.mean(["case", "seed"]).sel(checkpoint=5000).min() > 0.9
    done = run("sweep", job, "-o", out, check=2)
    assert "it holds the checkpoint 20, this job does not" in done.stderr


def test_bounds_stand_beside_the_solutions(reference):
    _, out = reference
    with xarray.open_dataset(out, group="cases", engine="h5netcdf") as cases:
        delta = np.exp(-cases.log_inv_delta)
        kl = (1 - 2 * delta) * np.log((1 - delta) / delta)
        assert np.allclose(cases.lower_bound, cases.T_star * kl, rtol=1e-12)
        t = cases.practical_bound
        assert np.allclose(t, cases.T_star * (cases.log_inv_delta + 3 * np.log(1 + 2 * np.log(t))), rtol=1e-12)


def test_plan_prices_a_job_and_writes_nothing(tmp_path):
    job = write_job(tmp_path)
    done = run("plan", job, "--set", "replications=1000")
    for text in ("15000", "core-hours", "result file", "makespan"):
        assert text in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["job.toml"]
    done = run("plan", job, "--set", "graph[0].p=1.5", check=2)
    assert "graph[0].p = 1.5" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk_is_noticed_before_anything_is_written(reference, tmp_path):
    job, expected = reference
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        done = run("sweep", job, "-o", disk / "out.h5", "--set", "replications=10000", check=2)
        assert "disk space" in done.stderr and list(disk.iterdir()) == []
        run("sweep", job, "-o", disk / "out.h5", "--set", "replications=20")
        assert result_files.differences(expected, disk / "out.h5") == []
        before = (disk / "out.h5").read_bytes()
        done = run("sweep", job, "-o", disk / "out.h5", "--set", "replications=2000", check=2)  # no room to grow
        assert "disk space" in done.stderr
        assert (disk / "out.h5").read_bytes() == before
        assert [p.name for p in disk.iterdir()] == ["out.h5"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_refused(reference, tmp_path):
    job, _ = reference
    tmp_path.chmod(0o500)
    assert "cannot be made" in run("sweep", job, "-o", tmp_path / "out.h5", check=2).stderr
