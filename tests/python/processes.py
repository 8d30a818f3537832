"""tasfg as processes: alone and under mpirun, started, watched and killed. TASFG names the program."""

import os
import signal
import subprocess
import time

# How many times longer limits of time are, where the machine has other things to do.
SLOWNESS = float(os.environ.get("SLOWNESS", "1"))
TASFG = os.path.abspath(os.environ["TASFG"])
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def command(arguments, ranks, variables):
    """tasfg with `arguments`; `variables` are set for it alone, not for its launcher."""
    program = ["env", *(f"{name}={value}" for name, value in variables.items()), TASFG] if variables else [TASFG]
    launcher = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []
    return [*launcher, *program, *map(str, arguments)]


def run(*arguments, ranks=0, check=0, timeout=120, variables=None, **options):
    done = subprocess.run(command(arguments, ranks, variables), capture_output=True, text=True, errors="replace",
                          timeout=timeout * SLOWNESS, env=os.environ | MPI, **options)
    if check is not None:
        assert done.returncode == check, done.stderr
    return done


def start(*arguments, ranks=0, variables=None, **options):
    return subprocess.Popen(command(arguments, ranks, variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", env=os.environ | MPI, start_new_session=True, **options)


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def ranks_of(process):
    """The tasfg processes under a launcher, or the process itself; rank 0 first."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                session = int(file.read().rsplit(")", 1)[1].split()[3])
            if session != process.pid or not os.readlink(f"/proc/{entry}/exe"):
                continue
            with open(f"/proc/{entry}/environ") as file:
                variables = dict(v.split("=", 1) for v in file.read().split("\0") if "=" in v)
        except OSError:
            continue
        if int(entry) != process.pid or "mpirun" not in process.args[0]:
            found[int(variables.get("OMPI_COMM_WORLD_RANK", 0))] = int(entry)
    return [found[rank] for rank in sorted(found)]


def send(process, target, which):
    """Sends a signal to a process that was started: to the "coordinator", the last "worker", the "launcher", "all", or a
    rank by its number. Where there are no ranks yet, the launcher gets it. Returns who did."""
    ranks = ranks_of(process)
    if target == "all":
        ranks = [process.pid, *ranks]
    elif target == "launcher" or not ranks:
        ranks = [process.pid]
    elif isinstance(target, int):
        ranks = ranks[target : target + 1]
    else:
        ranks = [ranks[0] if target == "coordinator" else ranks[-1]]
    for each in ranks:
        try:
            os.kill(each, which)
        except ProcessLookupError:
            pass
    return ranks


def catches(pid, which):
    """Whether a process has a handler for a signal; None where there is no such process."""
    try:
        with open(f"/proc/{pid}/status") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
    except OSError:
        return None
    return bool(int(caught.split()[1], 16) >> (which - 1) & 1)


def kill(process, target):
    """SIGKILL, and waits for the end of all. A launcher that hangs when its ranks are gone (docs/trust.md) is killed, too."""
    send(process, target, signal.SIGKILL)
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        assert not ranks_of(process), "ranks go on"
        process.kill()
        process.communicate()
    wait_for(lambda: not ranks_of(process))  # those that are left end by themselves
