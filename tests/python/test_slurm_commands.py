"""What tasfg asks of SLURM, with stand-ins for squeue, sinfo and scontrol; tests/slurm runs the real ones."""

import os
import pathlib
import shlex
import signal
import subprocess

import h5py
import pytest

import result_files
from processes import run, start, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]

JOB = """
name = "a job"
seed = 7
replications = {replications}
log_inv_delta = [3.0]
algorithms = ["tas-fg", "uniform"]

[[graph]]
family = "ring"
K = {K}
p = 0.5
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Puts commands on the PATH: slurm(squeue="echo 1:00"). Each notes its arguments in NAME.log."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "21")

    def put(**commands):
        for name, text in commands.items():
            command = folder / name
            command.write_text(f"#!/bin/sh\necho \"$@\" >> {shlex.quote(str(tmp_path / name))}.log\n{text}\n")
            command.chmod(0o755)

    return put


def job_of(folder, replications=3, K=4):
    path = folder / "job.toml"
    path.write_text(JOB.format(replications=replications, K=K))
    return path


@pytest.mark.parametrize("left", ["0:17", "00:00:17", "0-00:00:17"])
def test_the_end_of_the_job_is_learnt_from_squeue(slurm, tmp_path, left):
    slurm(squeue=f"echo {left}")
    # 2 s are left once the reserve is kept, and the job takes minutes.
    done = run("sweep", job_of(tmp_path, 10**5, 8), "-o", tmp_path / "out.h5", check=75, timeout=40)
    assert "interrupted (the walltime is nearly over)" in done.stderr
    assert (tmp_path / "squeue.log").read_text() == "--noheader --jobs 21 --format %L\n"


@pytest.mark.parametrize("left", ["UNLIMITED", "1:00:00", "2-00:00:00"])
def test_a_job_that_has_time_is_not_interrupted(slurm, tmp_path, left):
    slurm(squeue=f"echo {left}")
    done = run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5")
    assert "squeue" not in done.stderr and "tasks done" in done.stderr


@pytest.mark.parametrize("answer", ["exit 1", "echo INVALID", "true", "echo 12:xx"])
def test_a_squeue_that_does_not_know_is_mentioned_and_the_sweep_runs(slurm, tmp_path, answer):
    slurm(squeue=answer)
    done = run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5")
    assert "squeue does not say when job 21 ends; no limit is assumed (--walltime gives one)" in done.stderr


def test_an_element_of_an_array_asks_for_itself(slurm, tmp_path, monkeypatch):
    slurm(squeue="echo 1:00:00")
    monkeypatch.setenv("SLURM_ARRAY_JOB_ID", "20")
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "3")
    run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5")
    assert "--jobs 20_3 " in (tmp_path / "squeue.log").read_text()


def test_one_rank_asks_for_all(slurm, tmp_path):
    slurm(squeue="echo 1:00:00")
    run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", ranks=3)
    assert (tmp_path / "squeue.log").read_text().count("\n") == 1


def test_the_environment_goes_before_squeue_and_is_checked(slurm, tmp_path, monkeypatch):
    slurm(squeue="echo 1:00:00")
    monkeypatch.setenv("SLURM_JOB_END_TIME", "tomorrow")
    done = run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", check=2)
    assert done.stderr == 'tasfg: SLURM_JOB_END_TIME = "tomorrow" (must be seconds since 1970, as SLURM sets it)\n'
    assert not (tmp_path / "out.h5").exists() and not (tmp_path / "squeue.log").exists()
    run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", "--walltime", "1h")


def test_out_of_time_it_has_itself_queued_again(slurm, tmp_path):
    slurm(squeue="echo 0:17", scontrol="true")
    done = run("sweep", job_of(tmp_path, 10**5, 8), "-o", tmp_path / "out.h5", "--requeue-when-out-of-time", check=75,
               timeout=40)
    assert done.stderr.endswith("tasfg: job 21 is queued again\n")
    assert (tmp_path / "scontrol.log").read_text() == "requeue 21\n"
    with h5py.File(tmp_path / "out.h5") as file:  # SLURM ends the job at once: nothing may be left to do
        assert file["live/status"][()] == b"interrupted"
    assert not (tmp_path / "out.h5.lock").exists()


def test_without_time_for_a_single_task_it_does_not_queue_for_ever(slurm, tmp_path):
    slurm(squeue="echo 0:10", scontrol="true")
    done = run("sweep", job_of(tmp_path, 10**5, 8), "-o", tmp_path / "out.h5", "--requeue-when-out-of-time", check=75)
    assert "not queued again: no task could be done in the time that the job had" in done.stderr
    assert not (tmp_path / "scontrol.log").exists()


def test_a_refused_requeue_is_mentioned(slurm, tmp_path):
    slurm(squeue="echo 0:17", scontrol="exit 1")
    done = run("sweep", job_of(tmp_path, 10**5, 8), "-o", tmp_path / "out.h5", "--requeue-when-out-of-time", check=75,
               timeout=40)
    assert "`scontrol requeue 21` failed; submit the job again to go on" in done.stderr


def test_a_sweep_that_ends_in_time_is_not_queued_again(slurm, tmp_path):
    slurm(squeue="echo 1:00:00", scontrol="true")
    run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", "--requeue-when-out-of-time")
    assert not (tmp_path / "scontrol.log").exists()


def test_requeueing_outside_of_slurm_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    done = run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", "--requeue-when-out-of-time", check=2)
    assert done.stderr == ("tasfg: --requeue-when-out-of-time (works inside a SLURM job; SLURM_JOB_ID is not set)\n")
    assert not (tmp_path / "out.h5").exists()


def directives(script):
    lines = [line.removeprefix("#SBATCH --") for line in script.splitlines() if line.startswith("#SBATCH --")]
    return dict((line.split("=", 1) + [""])[:2] for line in lines)


def test_a_batch_script_is_filled_in_from_the_plan(slurm, tmp_path):
    slurm(sinfo="printf '16\\n12\\n'")
    script = run("plan", job_of(tmp_path, 10**6, 12), "--sbatch", "--partition", "long", "--account", "us").stdout
    found = directives(script)
    assert found | {"partition": "long", "account": "us", "job-name": "a-job", "nodes": "1", "ntasks-per-node": "1",
                    "cpus-per-task": "12", "open-mode": "append", "output": "%x-%j.log"} == found
    assert found["signal"].startswith("B:USR1@") and "requeue" in found
    assert (tmp_path / "sinfo.log").read_text() == "--noheader --Node --format %c --partition long\n"
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_a_short_job_asks_for_little(slurm, tmp_path):
    slurm(sinfo="exit 1")
    found = directives(run("plan", job_of(tmp_path), "--sbatch").stdout)
    assert (found["cpus-per-task"], found["time"]) == ("1", "0-00:10:00")


def test_more_nodes_shorten_the_time_that_is_asked_for(slurm, tmp_path):
    slurm(sinfo="echo 64")

    def minutes(*options):
        days, rest = directives(run("plan", job_of(tmp_path, 10**6, 12), "--sbatch", *options).stdout)["time"].split("-")
        hours, minute, _ = rest.split(":")
        return (24 * int(days) + int(hours)) * 60 + int(minute)

    assert minutes("--nodes", 1, "--cpus-per-task", 1) > minutes("--nodes", 1) > minutes("--nodes", 64) >= 10


def test_odd_names_reach_the_program_unchanged(slurm, tmp_path):
    slurm(sinfo="exit 1", srun='while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"', scontrol="true",
          squeue="echo UNLIMITED")
    folder = tmp_path / "it's $HOME, or not"
    folder.mkdir()
    script = run("plan", job_of(folder), "--sbatch", "-o", folder / "an 'out'.h5", "--set", 'name="x y"').stdout
    done = subprocess.run(["bash"], input=script, text=True, capture_output=True, cwd=tmp_path,
                          env=os.environ | {"SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_NODELIST": "here"})
    assert done.returncode == 0, done.stderr
    with h5py.File(folder / "an 'out'.h5") as file:
        assert (file["live/status"][()], file.attrs["job_name"]) == (b"complete", b"x y")


def test_what_could_not_be_asked_is_said(slurm, tmp_path):
    slurm(sinfo="exit 1")
    planned = run("plan", job_of(tmp_path, 10**6, 12), "--sbatch")
    assert "sinfo does not say how many CPUs a node has; 8 are assumed" in planned.stderr
    assert "# sinfo does not say" in planned.stdout and directives(planned.stdout)["cpus-per-task"] == "8"
    assert run("plan", job_of(tmp_path), "--sbatch", "--cpus-per-task", 2).stderr == ""
    slurm(sinfo="echo 64")
    assert run("plan", job_of(tmp_path), "--sbatch").stderr == ""


def test_what_a_site_wants_is_passed_on(slurm, tmp_path, monkeypatch):
    slurm(sinfo="echo 4")
    (tmp_path / "site.sh").write_text("module load gcc\nexport SITE=1")
    options = ["--qos", "high", "--constraint", "avx2&ib", "--mail-user", "me@example.org"]
    script = run("plan", job_of(tmp_path), "--sbatch", *options, "--prolog", tmp_path / "site.sh").stdout
    found = directives(script)
    assert (found["qos"], found["constraint"], found["mail-user"]) == ("high", "avx2&ib", "me@example.org")
    assert found["mail-type"] == "END,FAIL"
    assert script.index("#SBATCH --signal") < script.index("module load gcc\nexport SITE=1\nset -uo pipefail\n")
    monkeypatch.setenv("TASFG_PROLOG", str(tmp_path / "site.sh"))
    assert "module load gcc" in run("plan", job_of(tmp_path), "--sbatch").stdout
    plain = run("plan", job_of(tmp_path), "--sbatch", variables={"TASFG_PROLOG": ""}).stdout
    assert "module" not in plain and "mail" not in plain


def test_an_array_runs_parts_that_merge_to_the_whole(slurm, tmp_path):
    slurm(sinfo="echo 4", srun=SRUN, scontrol="true", squeue="echo UNLIMITED")
    job, whole = job_of(tmp_path), tmp_path / "whole.h5"
    script = run("plan", job, "--sbatch", "--array", 3, "-o", tmp_path / "out.h5").stdout
    assert directives(script)["array"] == "0-2"
    for element in range(3):
        done = subprocess.run(["bash"], input=script, text=True, capture_output=True, cwd=tmp_path,
                              env=os.environ | {"SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_NODELIST": "here",
                                                "SLURM_ARRAY_JOB_ID": "21", "SLURM_ARRAY_TASK_ID": str(element),
                                                "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "2",
                                                "SLURM_ARRAY_TASK_COUNT": "3"})
        assert done.returncode == 0, done.stderr
    (merge,) = [line for line in script.splitlines() if " merge " in line]
    subprocess.run(["bash"], input=merge.split("done: ")[1], text=True, check=True, capture_output=True)
    run("sweep", job, "-o", whole, "-q")
    with h5py.File(tmp_path / "out.h5") as merged, h5py.File(whole) as plain:
        assert (merged["runs/tau"][()] == plain["runs/tau"][()]).all()


@pytest.mark.parametrize("arguments, why", [
    (["--sbatch", "-o", "nope/out.h5"], "nope does not exist (make it first)"),
    (["--sbatch", "--array", "3", "--nodes", "2"], "one process"),
    (["--sbatch", "--prolog", "nope.sh"], "nope.sh: no such file"),
    (["--sbatch", "--partition", "a b"], '--partition "a b" (must be one word)'),
    (["--sbatch", "--time", "soon"], "--time"),
    (["--sbatch", "--nodes", "0"], "--nodes"),
    (["--partition", "long"], "--sbatch"),
    (["--sbatch", "--partition=", "--nodes", "2"], "--partition= has no value"),
])
def test_bad_options_of_a_batch_script_are_refused(tmp_path, arguments, why):
    done = run("plan", job_of(tmp_path), *arguments, check=2)
    assert done.stdout == "" and why in done.stderr and done.stderr.count("\n") == 1


# Runs what follows the options, as srun would.
SRUN = 'while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"'


def start_script(name, folder, **variables):
    """A shipped script as SLURM starts it."""
    return subprocess.Popen(["bash", ROOT / "jobs/slurm" / name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, cwd=folder, start_new_session=True,
                            env=os.environ | {"SLURM_CPUS_PER_TASK": "1", "SLURM_JOB_NODELIST": "here"} |
                            {key: str(value) for key, value in variables.items()})


@pytest.mark.parametrize("name, file, more", [
    ("requeue.sbatch", "out.h5", {}),
    ("array.sbatch", "out.h5.part-0", {"SLURM_ARRAY_JOB_ID": 21, "SLURM_ARRAY_TASK_ID": 0, "SLURM_ARRAY_TASK_MIN": 0,
                                       "SLURM_ARRAY_TASK_MAX": 0, "SLURM_ARRAY_TASK_COUNT": 1}),
])
def test_a_script_waits_for_a_sweep_that_outlived_its_job(slurm, tmp_path, name, file, more):
    slurm(srun=SRUN, scontrol="true", squeue="echo UNLIMITED")
    job = job_of(tmp_path, 3000, 8)
    survivor = start("sweep", job, "-o", tmp_path / file)
    wait_for(lambda: (tmp_path / file).exists())
    script = start_script(name, tmp_path, JOB=job, OUT="out.h5", BUSY=0.2, **more)
    for line in script.stdout:
        if "another sweep is writing" in line:
            break
    survivor.terminate()
    assert survivor.wait(timeout=20) == 75
    rest = script.communicate(timeout=100)[0]
    assert script.returncode == 0, rest
    assert result_files.live(tmp_path / file, "status") == "complete"
    assert not (tmp_path / "scontrol.log").exists()


@pytest.mark.parametrize("name, link, more", [
    ("requeue.sbatch", "link.h5", {}),
    ("array.sbatch", "link.h5.part-0", {"SLURM_ARRAY_JOB_ID": 21, "SLURM_ARRAY_TASK_ID": 0, "SLURM_ARRAY_TASK_MIN": 0,
                                        "SLURM_ARRAY_TASK_MAX": 0, "SLURM_ARRAY_TASK_COUNT": 1}),
])
def test_a_script_watches_the_lock_of_the_file_that_a_link_names(slurm, tmp_path, name, link, more):
    # In place of the program: beats for longer than the script's patience, and is complete.
    slurm(srun=SRUN, scontrol="true", program='[ "$1" = sweep ] || exit 0; '
                                              "for i in 1 2 3 4 5 6 7; do touch real/out.h5.lock; sleep 1; done")
    (tmp_path / "real").mkdir()
    (tmp_path / "real/out.h5").touch()
    (tmp_path / link).symlink_to("real/out.h5")
    script = start_script(name, tmp_path, JOB="job.toml", OUT="link.h5", TASFG=tmp_path / "bin/program", SILENCE=3,
                          **more)
    output = script.communicate(timeout=60)[0]
    assert script.returncode == 0 and "no sign of life" not in output
    assert not (tmp_path / "scontrol.log").exists()


@pytest.mark.parametrize("which", [signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU])
def test_a_signal_at_the_very_start_ends_in_75(slurm, tmp_path, which):
    slurm(squeue="sleep 1; echo 1:00:00")
    process = start("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5")
    wait_for(lambda: (tmp_path / "squeue.log").exists())  # asked before the job is read
    process.send_signal(which)
    error = process.communicate(timeout=20)[1]
    assert process.returncode == 75, error
    assert error == f"tasfg: interrupted ({which.name}) before it began; run the same command again\n"
    assert not (tmp_path / "out.h5").exists()


def test_status_check_tells_scripts_how_a_file_is(slurm, tmp_path):
    slurm(squeue="echo 0:17")
    run("sweep", job_of(tmp_path), "-o", tmp_path / "out.h5", "--walltime", "1h")
    run("status", tmp_path / "out.h5", "--check", check=0)
    run("sweep", job_of(tmp_path, 10**5, 8), "-o", tmp_path / "more.h5", check=75, timeout=40)
    run("status", tmp_path / "more.h5", "--check", check=75)
    run("status", tmp_path / "more.h5", check=0)
    run("status", tmp_path / "none.h5", "--check", check=2)
    run("sweep", job_of(tmp_path), "-o", tmp_path / "part.h5", "--shard", "0/2", "--walltime", "1h")
    run("status", tmp_path / "part.h5", "--check", check=0)
