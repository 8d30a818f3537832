"""A sweep over several hosts, and what becomes of it when one is lost. The hosts are network namespaces (tests/hosts/network)
with OpenMPI over TCP between them: host 1 runs mpirun, hosts 2 to 4 one rank each."""

import concurrent.futures
import os
import pathlib
import re
import shutil
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

NETWORK = str(HERE / "network")
RANKS = (2, 3, 4)  # hosts of rank 0, 1, 2
LOST_AFTER = 8  # seconds, the least that the program takes
# mpirun notices a silent host after 8 + 4 * 1 seconds; by itself it would take eight minutes.
KEEPALIVE = ["--mca", "oob_tcp_keepalive_time", "8", "--mca", "oob_tcp_keepalive_intvl", "1",
             "--mca", "oob_tcp_keepalive_probes", "4"]
JOB = """
name = "hosts"
seed = 7
replications = 10
log_inv_delta = [3.0]
algorithms = ["tas-fg", "uniform"]

[[graph]]
family = "ring"
K = [9]
p = [0.3, 0.5]

[algorithm."tas-fg"]
gap = 1e-7  # slower than it needs to be: there must be time to interrupt it
"""


class Hosts:
    """A network of four hosts and sweeps on it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        # Names of sockets have 108 characters at most, and OpenMPI makes them below this folder.
        self.short = tempfile.mkdtemp(prefix="h.", dir="/tmp")
        self.command("start", 4)

    def command(self, verb, *arguments):
        done = subprocess.run([NETWORK, verb, self.name, *map(str, arguments)], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr

    def close(self):
        self.command("stop")
        shutil.rmtree(self.short, ignore_errors=True)

    def start(self, job, out, hosts=RANKS, keepalive=(), lost_after=LOST_AFTER):
        """mpirun on host 1; what it prints goes to log.txt."""
        words = ["mpirun", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", f"{NETWORK} exec", "--mca", "btl", "tcp,self",
                 "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0", "--bind-to", "none",
                 "--host", ",".join(f"10.77.0.{host}:1" for host in hosts), *keepalive,
                 TASFG, "sweep", str(job), "-o", str(out), "--threads", "1", "--lost-after", str(lost_after)]
        quoted = " ".join(f"'{word}'" for word in words)
        log = open(self.folder / "log.txt", "a")
        variables = {name: value for name, value in os.environ.items() if not re.match("OMPI|PMI|SLURM", name)}
        return subprocess.Popen([NETWORK, "exec", "10.77.0.1", quoted], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                env=variables | MPI | {"TASFG_HOSTS": self.name, "TASFG_HOSTS_FOLDER": self.short})

    def sweep(self, job, out, hosts=RANKS):
        assert self.start(job, out, hosts).wait(timeout=60) == 0, self.log()

    def log(self):
        return (self.folder / "log.txt").read_text()

    def said(self):
        """What the program itself said."""
        return [line for line in self.log().splitlines() if line.startswith("tasfg: ")]


def settled(path):
    time.sleep(0.1)  # those that wait for it must not take the cores from those that work
    try:
        with h5py.File(path, "r") as file:
            return int(np.isin(file["runs/status"][()], result_files.SETTLED).sum())
    except OSError:
        return 0


@pytest.fixture(scope="module", autouse=True)
def able():
    if os.geteuid() != 0 or not shutil.which("ip", path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        pytest.skip("hosts test needs root and iproute2")
    probe = f"tasfg-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True).returncode != 0:
        pytest.skip("hosts test needs root and iproute2, and leave to make network namespaces")
    subprocess.run(["ip", "netns", "delete", probe], check=True)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    (folder / "job.toml").write_text(JOB)
    run("sweep", folder / "job.toml", "-o", folder / "reference.h5")
    return folder / "job.toml", folder / "reference.h5"


def lose(hosts, reference, verb, host, **watch):
    """Loses a host in mid-sweep. Returns the launcher's status and the seconds that it took to end."""
    job, _ = reference
    out = hosts.folder / "out.h5"
    launcher = hosts.start(job, out, **watch)
    try:
        wait_for(lambda: settled(out) >= 3, 60)
        hosts.command(verb, host)
        begin = time.monotonic()
        if verb == "cut" and "keepalive" not in watch:  # mpirun would wait for a quarter of an hour: see docs/clusters.md
            wait_for(lambda: result_files.live(out, "status") == "interrupted", LOST_AFTER + 15)
            wait_for(lambda: not out.with_name("out.h5.lock").exists(), 10)
            took = time.monotonic() - begin
            launcher.terminate()
            return launcher.wait(timeout=20), took
        status = launcher.wait(timeout=40)
        return status, time.monotonic() - begin
    finally:
        launcher.kill()


def cut_and_wait(hosts, reference):
    """The program notices by itself."""
    outcome = lose(hosts, reference, "cut", 4)
    hosts.command("kill", 4)  # what runs there still, as a reboot would
    return outcome, (2, 3)


def cut(hosts, reference):
    outcome = lose(hosts, reference, "cut", 4, keepalive=KEEPALIVE, lost_after=60)
    wait_for(lambda: not pids(hosts, 4), 20)  # the host that is cut off ends what it runs, too
    hosts.command("mend", 4)
    return outcome, RANKS


def kill(hosts, reference):
    return lose(hosts, reference, "kill", 4), RANKS


def cut_coordinator(hosts, reference):
    """mpirun ends what it reaches; rank 0, alone, ends by itself."""
    outcome = lose(hosts, reference, "cut", 2, keepalive=KEEPALIVE)
    wait_for(lambda: not (hosts.folder / "out.h5.lock").exists(), 20)
    return outcome, (3, 4)


def pids(hosts, host):
    return subprocess.run(["ip", "netns", "pids", f"{hosts.name}-{host}"], capture_output=True, text=True,
                          env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}).stdout.split()


# By name: what happens, the most seconds that the end may take, and what the program must have said.
LOSSES = {
    "cut, noticed by the program": (cut_and_wait, LOST_AFTER + 12, r"no sign of life for 8 s from rank 2 on host4"),
    "cut, noticed by mpirun": (cut, 25, r"no answer from rank 2 on host4"),
    "killed": (kill, 15, r"told to stop"),
    "cut, with the coordinator": (cut_coordinator, 25, r"rank \d on host[34]: no sign of life from rank 0"),
}


@pytest.fixture(scope="module")
def outcomes(reference, tmp_path_factory):
    """All losses at the same time, most of which is waiting; each has a network of its own."""
    networks = []
    try:
        with concurrent.futures.ThreadPoolExecutor(len(LOSSES)) as pool:
            futures = {}
            for number, name in enumerate(LOSSES):
                networks.append(Hosts(f"tasfg-{os.getpid()}-{number}", tmp_path_factory.mktemp("lost")))
                futures[name] = networks[-1], pool.submit(LOSSES[name][0], networks[-1], reference)
            yield futures
    finally:
        for network in networks:
            network.close()


def test_a_sweep_over_three_hosts_equals_the_plain_run(reference, tmp_path):
    hosts = Hosts(f"tasfg-{os.getpid()}-whole", tmp_path)
    try:
        job, plain = reference
        hosts.sweep(job, tmp_path / "out.h5")
        assert result_files.differences(plain, tmp_path / "out.h5") == []
        assert result_files.live(tmp_path / "out.h5", "hosts").split(",") == ["host2", "host3", "host4"]
    finally:
        hosts.close()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_host_ends_the_sweep_which_goes_on_when_asked(reference, outcomes, loss):
    hosts, future = outcomes[loss]
    job, plain = reference
    _, bound, words = LOSSES[loss]
    (status, seconds), left = future.result()
    print(f"{loss}: status {status} after {seconds:.1f} s\n" + hosts.log())
    assert status != 0 and seconds < bound
    assert any(re.search(words, line) for line in hosts.said())
    assert any("run the same command again" in line for line in hosts.said())
    out = hosts.folder / "out.h5"
    assert result_files.wrong_runs(out, plain)[0] == 0
    assert settled(out) < settled(plain)  # there was something left
    hosts.sweep(job, out, left)
    assert result_files.differences(plain, out) == []
    assert result_files.live(out, "status") == "complete"
