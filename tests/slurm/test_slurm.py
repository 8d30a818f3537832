"""The scripts of jobs/slurm on a real SLURM: daemons of tests/slurm/cluster, real signals, real requeues."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import result_files  # noqa: E402
from processes import MPI, TASFG, run, wait_for  # noqa: E402

SCRIPTS = HERE.parent.parent / "jobs" / "slurm"
JOB = """
name = "slurm"
seed = 7
replications = {replications}
log_inv_delta = [3.0]
algorithms = ["tas-fg", "uniform"]

[[graph]]
family = "ring"
K = {K}
p = [0.3, 0.5]

[algorithm."tas-fg"]
gap = 1e-7  # slower than it needs to be: there must be time to interrupt it
"""


class Cluster:
    """Submits scripts and looks after their jobs; every file is in `folder`."""

    def __init__(self, variables):
        self.variables = variables

    def command(self, *arguments, check=True, **options):
        done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env=os.environ | MPI | self.variables, **options)
        assert not check or done.returncode == 0, done.stderr
        return done

    def submit(self, folder, script, job, *options, out="out.h5", arguments=(), **variables):
        given = {"JOB": str(job), "OUT": out, "TASFG": TASFG} | variables
        done = subprocess.run(["sbatch", "--parsable", *map(str, options), str(SCRIPTS / script), *arguments], cwd=folder,
                              capture_output=True, text=True, timeout=60,
                              env=os.environ | MPI | self.variables | given)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def facts(self, job):
        """What SLURM says of a job, by name."""
        return dict(re.findall(r"(\w+)=(\S*)", self.command("scontrol", "show", "job", "-o", job).stdout))

    def wait(self, job, seconds=90):
        """The job's facts once it has ended for good."""
        last = {}

        def ended():
            last.update(self.facts(job))
            time.sleep(0.3)
            return last["JobState"] in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")

        wait_for(ended, seconds)
        return last

    def step_daemons(self, job, step="0"):
        """Process ids of the slurmstepd of a step, on all nodes."""
        listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
        return [int(line.split()[0]) for line in listing.splitlines() if f"slurmstepd: [{job}.{step}]" in line]

    def tasks(self, job):
        """Process ids of the program's ranks in a job, by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or os.readlink(entry / "exe") != os.path.realpath(TASFG):
                    continue
                variables = dict(v.split("=", 1) for v in (entry / "environ").read_text().split("\0") if "=" in v)
            except OSError:
                continue
            if variables.get("SLURM_JOB_ID") == job and variables.get("SLURM_CONF") == self.variables["SLURM_CONF"]:
                found[int(variables.get("OMPI_COMM_WORLD_RANK", variables.get("SLURM_PROCID", 0)))] = int(entry.name)
        return found


@pytest.fixture(scope="module")
def daemons():
    path = os.environ["PATH"] + ":/usr/sbin"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=path)]
    if missing:
        pytest.skip("slurm packages are not installed (Debian: slurm-wlm munge)")
    if os.geteuid() != 0:
        pytest.skip("slurm daemons need root")
    with tempfile.TemporaryDirectory(prefix="slurm.") as folder:  # short: names of sockets have 108 characters at most
        try:
            started = subprocess.run([HERE / "cluster", "start", folder], capture_output=True, text=True, timeout=120,
                                     env=os.environ | {"NODES": "3", "CPUS": "8"})
            assert started.returncode == 0, started.stderr
            yield Cluster(dict(v.split("=", 1) for v in started.stdout.split()[1:]))
        finally:
            subprocess.run([HERE / "cluster", "stop", folder], timeout=120)


@pytest.fixture
def cluster(daemons):
    """The cluster, with nothing on it before and after."""
    yield daemons
    if daemons.command("squeue", "-h").stdout:
        daemons.command("scancel", "--signal=KILL", "--full", "-u", "root", check=False)
        daemons.command("scancel", "-u", "root", check=False)
    wait_for(lambda: daemons.command("sinfo", "-h", "-t", "idle", "-p", "main", "-o", "%D").stdout.strip() == "3", 30)


def reference_of(folder, **values):
    job = folder / "job.toml"
    job.write_text(JOB.format(**values))
    run("sweep", job, "-o", folder / "reference.h5")
    return job, folder / "reference.h5"


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return reference_of(tmp_path_factory.mktemp("short"), replications=10, K="[4, 5]")


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Takes some ten seconds of one core, so that there is something to interrupt."""
    return reference_of(tmp_path_factory.mktemp("long"), replications=24, K="[9]")


def settled(path):
    try:
        with h5py.File(path, "r") as file:
            return int(np.isin(file["runs/status"][()], result_files.SETTLED).sum())
    except OSError:
        return 0


def log(folder):
    return "".join(path.read_text() for path in sorted(folder.glob("*.log")))


def assert_complete(path, reference):
    assert result_files.differences(reference, path) == []
    with h5py.File(path) as file:
        assert file["live/status"][()] == b"complete"
    assert not path.with_name(path.name + ".lock").exists()


@pytest.mark.parametrize("script, options, ranks", [
    ("single-node.sbatch", ["-c", 2], 1),
    ("multi-node-srun.sbatch", ["-N", 3, "-c", 1], 3),
    ("multi-node-srun.sbatch", ["-N", 2, "--ntasks-per-node", 2, "-c", 1], 4),
    ("multi-node-mpirun.sbatch", ["-N", 3, "-c", 1], 3),
    ("multi-node-mpirun.sbatch", ["-N", 2, "--ntasks-per-node", 2, "-c", 1], 4),
    ("requeue.sbatch", ["-c", 2], 1),
    ("requeue.sbatch", ["-N", 3, "-c", 1], 3),
])
def test_every_script_completes_with_the_ranks_asked_for(cluster, short, tmp_path, script, options, ranks):
    job, reference = short
    facts = cluster.wait(cluster.submit(tmp_path, script, job, *options))
    assert facts["JobState"] == "COMPLETED", log(tmp_path)
    assert_complete(tmp_path / "out.h5", reference)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["live/ranks"][()] == ranks


@pytest.mark.parametrize("script, options", [
    ("single-node.sbatch", ["-c", 2]),
    ("multi-node-srun.sbatch", ["-N", 2, "--ntasks-per-node", 2, "-c", 1]),
    ("multi-node-mpirun.sbatch", ["-N", 2, "--ntasks-per-node", 2, "-c", 1]),
])
def test_a_complete_sweep_submitted_again_has_nothing_to_do(cluster, short, tmp_path, script, options):
    job, reference = short
    shutil.copy(reference, tmp_path / "out.h5")
    facts = cluster.wait(cluster.submit(tmp_path, script, job, *options), 30)
    assert facts["JobState"] == "COMPLETED", log(tmp_path)
    assert "nothing left to do" in log(tmp_path)
    assert_complete(tmp_path / "out.h5", reference)


def test_array_and_merge_equal_the_plain_run(cluster, short, tmp_path):
    job, reference = short
    array = cluster.submit(tmp_path, "array.sbatch", job, "--array=1-4", "-c", 1)
    merge = cluster.submit(tmp_path, "merge.sbatch", job, f"--dependency=afterok:{array}")
    assert cluster.wait(merge)["JobState"] == "COMPLETED", log(tmp_path)
    assert len(list(tmp_path.glob("out.h5.part-*"))) == 4
    assert_complete(tmp_path / "out.h5", reference)


@pytest.mark.parametrize("options, ranks", [([], 1), (["--nodes", 2, "--ntasks-per-node", 2, "--cpus-per-task", 1], 4)])
def test_the_script_of_a_plan_completes(cluster, short, tmp_path, options, ranks):
    job, reference = short
    planned = cluster.command(TASFG, "plan", job, "--sbatch", "--partition", "main", "-o", tmp_path / "out.h5", *options)
    (tmp_path / "planned.sbatch").write_text(planned.stdout)
    number = cluster.submit(tmp_path, tmp_path / "planned.sbatch", job)
    assert cluster.wait(number)["JobState"] == "COMPLETED", log(tmp_path)
    assert_complete(tmp_path / "out.h5", reference)
    with h5py.File(tmp_path / "out.h5") as file:
        assert file["live/ranks"][()] == ranks


def test_a_planned_array_with_what_a_site_asks_for_equals_the_plain_run(cluster, short, tmp_path):
    job, reference = short
    (tmp_path / "site.sh").write_text("echo the prolog ran\n")
    planned = cluster.command(TASFG, "plan", job, "--sbatch", "-o", tmp_path / "out.h5", "--array", 3, "--constraint", "fast",
                              "--qos", "normal", "--mail-user", "root", "--prolog", tmp_path / "site.sh").stdout
    (tmp_path / "planned.sbatch").write_text(planned)
    number = cluster.submit(tmp_path, tmp_path / "planned.sbatch", job)
    asked = cluster.facts(number)
    assert asked["Features"] == "fast" and asked["MailUser"] == "root" and asked["ArrayJobId"] == number
    for element in range(3):
        assert cluster.wait(f"{number}_{element}")["JobState"] == "COMPLETED", log(tmp_path)
    assert log(tmp_path).count("the prolog ran") == 3
    merge = re.search(r"^# When all elements are done: (.*)$", planned, flags=re.MULTILINE)[1]
    cluster.command("bash", "-c", merge)
    assert_complete(tmp_path / "out.h5", reference)


def test_a_failed_job_holds_back_what_depends_on_it(cluster, short, tmp_path):
    job, _ = short
    first = cluster.submit(tmp_path, "single-node.sbatch", job, "-c", 1, arguments=["--set", "replications=0"])
    second = cluster.submit(tmp_path, "merge.sbatch", job, f"--dependency=afterok:{first}", "--kill-on-invalid-dep=yes")
    facts = cluster.wait(first)
    assert (facts["JobState"], facts["ExitCode"]) == ("FAILED", "2:0")
    assert "replications = 0" in log(tmp_path)
    assert cluster.wait(second)["JobState"] == "CANCELLED"


def test_copies_that_do_not_know_of_each_other_are_refused(cluster, short, tmp_path):
    job, _ = short
    done = cluster.command("srun", "--mpi=none", "-n", 4, TASFG, "sweep", job, "-o", tmp_path / "out.h5", check=False)
    assert done.returncode == 2
    assert done.stderr.count("use srun --mpi=pmix, or mpirun") == 1
    assert not (tmp_path / "out.h5").exists()


def kill_task(cluster, job):
    os.kill(cluster.tasks(job)[0], signal.SIGKILL)


def kill_last_task(cluster, job):
    tasks = cluster.tasks(job)
    os.kill(tasks[max(tasks)], signal.SIGKILL)


def kill_step_daemon(cluster, job):
    for daemon in cluster.step_daemons(job):
        os.kill(daemon, signal.SIGKILL)


def kill_last_step_daemon(cluster, job):
    """The one that looks after the last rank."""
    tasks = cluster.tasks(job)
    with open(f"/proc/{tasks[max(tasks)]}/status") as file:
        os.kill(int(re.search(r"PPid:\s*(\d+)", file.read())[1]), signal.SIGKILL)


ONE, TWO = ["-w", "n1", "-c", 1], ["-N", 2, "-w", "n[1-2]", "-c", 1]
USR1 = ("scancel", "--signal=USR1")
INTERRUPTIONS = {
    "signal to the step": ("requeue.sbatch", ONE, [], lambda cluster, job: cluster.command(*USR1, job)),
    "signal to the shell": ("requeue.sbatch", TWO, [], lambda cluster, job: cluster.command(*USR1, "--batch", job)),
    "signal to a sweep that requeues": ("multi-node-srun.sbatch", TWO, ["--requeue-when-out-of-time"],
                                        lambda cluster, job: cluster.command(*USR1, job)),
    "requeue": ("requeue.sbatch", TWO, [], lambda cluster, job: cluster.command("scontrol", "requeue", job)),
    "preemption": ("requeue.sbatch", ["-p", "scavenge", "-w", "n3", "--exclusive", "-c", 1], [],
                   lambda cluster, job: cluster.command("sbatch", "-p", "main", "-w", "n3", "--exclusive", "-o",
                                                        "/dev/null", "--wrap", "sleep 2")),
    "killed task": ("requeue.sbatch", ONE, [], kill_task),
    "killed rank": ("requeue.sbatch", TWO, [], kill_last_task),
    "killed step daemons": ("requeue.sbatch", ONE, [], kill_step_daemon),
    "killed step daemon of a node": ("requeue.sbatch", TWO, [], kill_last_step_daemon),
}


def interrupt_and_wait(cluster, long, folder, interruption):
    job, reference = long
    script, options, arguments, interrupt = INTERRUPTIONS[interruption]
    number = cluster.submit(folder, script, job, *options, arguments=arguments, SILENCE="10")
    wait_for(lambda: settled(folder / "out.h5") >= 5, 90)
    interrupt(cluster, number)
    wait_for(lambda: cluster.facts(number)["Restarts"] == "1", 90)
    assert settled(folder / "out.h5") < settled(reference)  # there was something left
    return cluster.wait(number, 150)


@pytest.fixture(scope="module")
def interrupted(daemons, long, tmp_path_factory):
    """All interruptions at the same time, most of which is waiting: by name the folder and what became of the job."""
    with concurrent.futures.ThreadPoolExecutor(len(INTERRUPTIONS)) as pool:
        folders = {name: tmp_path_factory.mktemp("interrupted") for name in INTERRUPTIONS}
        return {name: (folder, pool.submit(interrupt_and_wait, daemons, long, folder, name))
                for name, folder in folders.items()}


@pytest.mark.parametrize("interruption", INTERRUPTIONS)
def test_an_interrupted_sweep_goes_on_by_itself(cluster, long, interrupted, interruption):
    folder, outcome = interrupted[interruption]
    assert outcome.result()["JobState"] == "COMPLETED", log(folder)
    assert "restart 0" in log(folder) and "restart 1" in log(folder)
    assert_complete(folder / "out.h5", long[1])


def test_mpirun_passes_the_signal_on_to_all_ranks(cluster, long, tmp_path):
    job, reference = long
    number = cluster.submit(tmp_path, "multi-node-mpirun.sbatch", job, *TWO)
    wait_for(lambda: settled(tmp_path / "out.h5") >= 5, 60)
    cluster.command("scancel", "--batch", "--signal=USR1", number)
    assert cluster.wait(number)["ExitCode"] == "75:0", log(tmp_path)
    assert "interrupted (" in log(tmp_path)  # by its own signal, or by another rank that was faster
    number = cluster.submit(tmp_path, "multi-node-mpirun.sbatch", job, *TWO)
    assert cluster.wait(number)["JobState"] == "COMPLETED", log(tmp_path)
    assert_complete(tmp_path / "out.h5", reference)


@pytest.mark.skipif("TASFG_CAMPAIGN" not in os.environ, reason="takes minutes; set TASFG_CAMPAIGN=1")
@pytest.mark.parametrize("script, arguments", [("requeue.sbatch", []),
                                               ("single-node.sbatch", ["--requeue-when-out-of-time"])])
@pytest.mark.parametrize("announced", [True, False])
def test_a_time_limit_of_a_minute_only_delays(cluster, tmp_path, script, arguments, announced):
    """Also where SLURM announces the end by no signal: the sweep knows it by itself."""
    job, reference = reference_of(tmp_path, replications=150, K="[9]")
    lines = (SCRIPTS / script).read_text().splitlines(keepends=True)
    (tmp_path / script).write_text("".join(line for line in lines if announced or "#SBATCH --signal" not in line))
    number = cluster.submit(tmp_path, tmp_path / script, job, "-c", 1, "--time=1", arguments=arguments)
    facts = cluster.wait(number, 1200)
    assert facts["JobState"] == "COMPLETED", log(tmp_path)
    assert int(facts["Restarts"]) >= 1
    assert ("interrupted (SIGUSR1)" if announced else "interrupted (the walltime is nearly over)") in log(tmp_path)
    assert_complete(tmp_path / "out.h5", reference)
