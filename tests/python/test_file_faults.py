"""Result files that are damaged, cannot be written, or stand beside other people's files."""

import os
import shutil
import signal
import subprocess
import time

import h5py
import pytest

import result_files
from processes import TASFG, run, start, wait_for

JOB = """
seed = 7
replications = {replications}
log_inv_delta = [1.0, 3.0]
algorithms = ["tas-fg", "uniform"]

[[graph]]
family = "ring"
K = [4, 5]
"""


def write_job(folder, replications=20):
    path = folder / "job.toml"
    path.write_text(JOB.format(replications=replications))
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    job = write_job(folder)
    run("sweep", job, "-o", folder / "small.h5", "--threads", 1)
    return job, folder / "small.h5"


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_verify_tells_sound_files_from_damaged_and_foreign_ones(small, tmp_path):
    _, sound = small
    done = run("verify", sound)
    assert done.stdout == f"{sound}: sound (80 runs, 2 solutions, 2 graphs checked; 0 runs pending)\n"
    bad = tmp_path / "bad.h5"
    shutil.copy(sound, bad)
    with h5py.File(bad, "r+") as file:
        file["runs/tau"][:, 0, 0, :15] += 1
        file["cases/T_star"][1] *= 2
        file["failures/case"][0] = 1_000_000
        file["runs/status"][0, 1, 0] = 77
    lines = run("verify", bad, check=1).stdout.splitlines()
    assert lines[0] == f"{bad}: the solution of case 1 (ring K=5 p=0.3): does not fit its checksum"
    assert lines[1] == f"{bad}: case 0 (ring K=4 p=0.3), tas-fg, seed 0: does not fit its checksum"
    assert lines[20] == "and 13 more" and lines[21].startswith(f"{bad}: 33 damaged (49 runs, 1 solutions, 2 graphs")
    assert len(lines) == 23
    text = tmp_path / "text.h5"
    text.write_text("no HDF5")
    assert run("verify", text, check=2).stderr == f"tasfg: {text}: is not an HDF5 file (it was left as it is)\n"


def test_damage_can_be_mended_as_verify_says(small, tmp_path):
    job, sound = small
    bad, new = tmp_path / "bad.h5", tmp_path / "new.h5"
    shutil.copy(sound, bad)
    with h5py.File(bad, "r+") as file:
        file["runs/tau"][0, 0, 0, :5] += 1
    run("merge", new, bad)
    run("sweep", job, "-o", new)
    assert result_files.differences(sound, new) == []
    run("verify", new)


def test_growth_believes_no_index(small, tmp_path):
    _, sound = small
    out = tmp_path / "out.h5"
    shutil.copy(sound, out)
    with h5py.File(out, "r+") as file:
        file["failures/case"][0] = 1_000_000
        file["failures/algorithm"][0] = -77
    run("sweep", write_job(tmp_path, 25), "-o", out)
    with h5py.File(out) as file:
        assert (file["failures/case"][()] == -1).all()
        assert (file["runs/status"][()] == 1).all()


def limited(kilobytes, *arguments):
    """Under a limit of a file's size that fails writes, as a full disk or a quota does."""
    command = f"trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\""
    return subprocess.run(["bash", "-c", command, "bash", TASFG, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def test_a_draft_that_cannot_be_written_is_one_message_and_no_debris(small, tmp_path):
    job, sound = small
    out = tmp_path / "out.h5"
    for kilobytes in (1, 20, 40):
        done = limited(kilobytes, "sweep", job, "-o", out)
        assert done.returncode == 2, done
        assert "cannot be made: File too large (it needs" in done.stderr and done.stderr.count("\n") == 1
        done = limited(kilobytes, "merge", out, sound)
        assert done.returncode == 2 and "cannot be made: File too large" in done.stderr, done
        assert names(tmp_path) == []
    shutil.copy(sound, out)
    before = out.read_bytes()
    done = limited(40, "sweep", write_job(tmp_path, 25), "-o", out)
    assert done.returncode == 2 and "cannot be made: File too large" in done.stderr, done
    assert out.read_bytes() == before and names(tmp_path) == ["job.toml", "out.h5"]


def test_files_of_similar_names_are_left_alone(small, tmp_path):
    job, _ = small
    theirs = ["u.h5.new-ideas.txt", "u.h5.new-", "u.h5.new-12b", "u.h5.lock.old", "u.h5.lock.new-x"]
    for name in theirs:
        (tmp_path / name).write_text("mine")
    run("sweep", job, "-o", tmp_path / "u.h5")
    assert names(tmp_path) == sorted([*theirs, "u.h5"])
    assert all((tmp_path / name).read_text() == "mine" for name in theirs)


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_lock_that_is_none_is_one_message(small, tmp_path, kind):
    job, sound = small
    lock = tmp_path / "out.h5.lock"
    {"link": lambda: lock.symlink_to("nowhere"), "folder": lock.mkdir, "pipe": lambda: os.mkfifo(lock)}[kind]()
    begin = time.monotonic()
    for command in (["sweep", job, "-o", tmp_path / "out.h5"], ["merge", tmp_path / "out.h5", sound]):
        done = run(*command, check=2)
        assert done.stderr == (f"tasfg: {lock}: is no lock file of tasfg "
                               "(remove it where no sweep writes the result file)\n")
    assert time.monotonic() - begin < 5
    assert names(tmp_path) == ["out.h5.lock"]


def test_merge_writes_to_the_end_of_a_link_and_not_into_the_first_shard(small, tmp_path):
    job, sound = small
    parts = [tmp_path / f"part{i}.h5" for i in range(2)]
    for i, part in enumerate(parts):
        run("sweep", job, "-o", part, "--shard", f"{i}/2")
    before = [part.read_bytes() for part in parts]
    done = run("merge", *parts, check=2)
    assert done.stderr == (f"tasfg: {parts[0]}: is shard 0/2 of its job, and the first file is the one to make "
                           "(name another one first; or this one twice, to join the others to it)\n")
    assert [part.read_bytes() for part in parts] == before
    (tmp_path / "scratch").mkdir()
    link = tmp_path / "all.h5"
    link.symlink_to("scratch/all.h5")
    for _ in range(2):
        run("merge", link, *parts)
        assert link.is_symlink() and result_files.differences(sound, tmp_path / "scratch" / "all.h5") == []


def test_a_sweep_that_lost_its_lock_while_it_was_stopped_leaves_the_file_to_the_other(tmp_path):
    """Stopped so long that another machine took over: here a lock of another machine stands for it."""
    job = write_job(tmp_path, 3000)
    out, lock = tmp_path / "out.h5", tmp_path / "out.h5.lock"
    first = start("sweep", job, "-o", out, "--threads", 1)
    wait_for(lambda: out.exists() and (h5py.File(out)["runs/status"][()] == 1).sum() > 50)
    os.kill(first.pid, signal.SIGSTOP)
    other = "elsewhere\t12\t34\tfar-node\t2026-01-01T00:00:00Z\t000000000007\n"
    lock.unlink()
    lock.write_text(other)
    time.sleep(1.2)
    before = out.read_bytes()
    os.kill(first.pid, signal.SIGCONT)
    _, said = first.communicate(timeout=30)
    assert first.returncode == 75, said
    assert "another sweep took the lock" in said
    assert out.read_bytes() == before
    assert lock.read_text() == other
