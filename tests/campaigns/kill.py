#!/usr/bin/env python3
"""Kills, ends and stops operations on result files at random moments, and looks at what is left.

    TASFG=build/release/src/tasfg tests/campaigns/kill.py [--kills 1000] [--begin 0] [--seed 1] [--jobs 2] [--precise] [--only ROUND]
    TASFG=build/release/src/tasfg tests/campaigns/kill.py --first-second 1

A round does one of the operations of tests/faults/operations.py, alone or under mpirun with 3 ranks, and sends SIGKILL, SIGTERM
or SIGSTOP (SIGCONT after up to a second, in which somebody starts the same command again) to rank 0, another rank, the
launcher or all; some rounds do so up to three times. Then, every time: no hang; after SIGTERM a status of 75 (or 0), after
SIGSTOP no harm; the file opens with h5py, holds what was there before, and every run that it calls done equals the
undisturbed sweep's. At its end a round runs the command undisturbed: status 0, the same bits, no other file left.
`--first-second MS` sends SIGKILL and SIGTERM to each of 3 ranks that create a file, at every MS milliseconds of the rank's
first second. Rounds have numbers, from `--begin` on. Where OpenMPI itself waits for ever, in the first handshake of
a rank or in mpirun after its ranks have ended, that is counted apart (docs/trust.md), and the file is looked at all the same. Prints
counts, and how much work was repeated; exit status 1 where anything was otherwise.
"""

import argparse
import collections
import concurrent.futures
import itertools
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
import h5py
import numpy as np
from operations import OPERATIONS, Materials

from processes import SLOWNESS, catches, ranks_of, run, send, start, wait_for

JOB = """
seed = 3
replications = 10
log_inv_delta = [2.0, 4.0]
algorithms = ["tas-fg-heur", "uniform", "exp3.g", "ucb-fg-e", "tas-fg"]
[[graph]]
family = "ring"
K = [5, 8]
[[graph]]
family = "loopy-star"
K = [5, 10]

[algorithm."tas-fg"]
gap = 1e-7  # slower than it needs to be: there must be time to interrupt it
"""
# Some cells are precise after 32 runs, some after all of them.
PRECISE = JOB.replace("replications = 10", "replications = 80\nprecision = { mean = 0.15 }").replace("gap = 1e-7", "gap = 1e-5")
PATIENCE = 60.0 * SLOWNESS  # seconds after which an operation hangs
TERM_LIMIT = 10.0 * SLOWNESS  # seconds that an operation may take to end after SIGTERM


@dataclass
class Round:
    """What is to happen."""

    number: int
    name: str
    ranks: int
    which: signal.Signals
    target: str | int  # as processes.send has it
    delays: list[float]  # seconds until each signal


@dataclass
class Outcome:
    """What did."""

    mpi_hung: bool = False  # OpenMPI itself
    hits: int = 0  # signals that met a living operation
    statuses: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    repeated: float = 0.0  # seconds of work
    total: float = 0.0


def where(process):
    """What the processes of an operation that hangs are doing."""
    if shutil.which("gdb") is None:
        return ""
    text = []
    for pid in (process.pid, *ranks_of(process)):
        trace = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], capture_output=True, text=True)
        text += [f"    {pid}: {line}" for line in trace.stdout.splitlines() if line.startswith(("#", "Thread"))]
    return "\n" + "\n".join(text)


def end(process):
    """Waits for an operation to end, all of it. Its status in words and what it printed; None where it hangs."""
    try:
        _, text = process.communicate(timeout=PATIENCE)
        wait_for(lambda: not ranks_of(process), PATIENCE)
    except (subprocess.TimeoutExpired, AssertionError):
        return None
    code = process.returncode
    return (f"signal {signal.Signals(-code).name}" if code < 0 else str(code)), text


def disturb(plan, delay, operation, place, outcome):
    """Starts the operation, sends the signal, waits for the end."""
    ranks = plan.ranks if operation.command[0] == "sweep" else 0
    process = start(*operation.command, ranks=ranks, cwd=place)
    if isinstance(plan.target, int):  # at a time of this rank's own life
        try:
            wait_for(lambda: len(ranks_of(process)) > plan.target or process.poll() is not None)
        except AssertionError:
            pass
    time.sleep(delay)
    alive = process.poll() is None
    outcome.hits += alive
    locked = (place / "out.h5.lock").exists()
    sent = time.monotonic()
    ready = all(catches(pid, signal.SIGTERM) is not False for pid in ranks_of(process))
    met = send(process, plan.target, plan.which) if alive else []
    if alive and plan.which == signal.SIGSTOP:
        time.sleep(0.01 + random.Random(plan.number).uniform(0.0, 1.0))
        locked = (place / "out.h5.lock").exists()  # it may have let go just before it stood still
        other = run(*operation.command, check=None, timeout=PATIENCE, cwd=place)
        owned = locked and process.poll() is None and plan.target in ("coordinator", "all")
        if other.returncode not in ((2, 75) if owned else (0, 2, 75)):
            outcome.complaints.append(f"a second start ended with {other.returncode}: {other.stderr.strip()}")
        send(process, plan.target, signal.SIGCONT)
    ended = end(process)
    if ended is None:
        trace = where(process)
        # A rank that is still connecting, or mpirun, whose ranks are gone: our code has not begun or has ended.
        outcome.mpi_hung = "PMIx_Init" in trace or "PMIx_server_finalize" in trace
        if not outcome.mpi_hung:
            outcome.complaints.append(f"no end after {PATIENCE:.0f} s{trace}")
        send(process, "all", signal.SIGKILL)
        process.communicate()
        return
    status, text = ended
    outcome.statuses.append(f"{plan.which.name if alive else 'none'}: {status}")
    took = time.monotonic() - sent
    if plan.which == signal.SIGTERM and alive:
        allowed = ["0", "75"]
        if not ready and not locked:  # it is still being loaded; whoever holds the lock must have its handlers
            allowed += ["signal SIGTERM", "143"]
        if ranks and process.pid in met:
            allowed += ["1", "143", "signal SIGTERM"]  # the launcher's own
        if status not in allowed:
            outcome.complaints.append(f"status {status} after SIGTERM: {text.strip()}")
        if took > TERM_LIMIT:
            outcome.complaints.append(f"ended {took:.1f} s after SIGTERM")
    if (plan.which == signal.SIGSTOP or not alive) and status not in ("0", "2", "75"):
        outcome.complaints.append(f"status {status}: {text.strip()}")


def play(materials, plan):
    operation, outcome = OPERATIONS[plan.name], Outcome()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        materials.lay_out(operation, place)
        for delay in plan.delays:
            disturb(plan, delay, operation, place, outcome)
            outcome.complaints += materials.complaints(operation, place, None)
        for _ in range(3):
            again = run(*operation.command, check=None, timeout=PATIENCE, cwd=place)
            if "is being written" not in again.stderr:
                break
            time.sleep(1.0)  # a rank is killed, but not gone yet
        if again.returncode != 0:
            outcome.complaints.append(f"again: status {again.returncode}: {again.stderr.strip()}")
        else:
            outcome.complaints += [f"again: {each}" for each in materials.complaints(operation, place, 0)]
            if plan.name == "create":
                with h5py.File(place / "out.h5", "r") as file:
                    attempts, seconds = file["runs/attempts"][()], file["runs/seconds"][()]
                outcome.repeated = float(np.nansum((attempts - 1) * seconds))
                outcome.total = float(np.nansum(seconds))
    return outcome


def lengths(materials):
    """Seconds that each operation takes, alone and with 3 ranks."""
    found = {}
    for name, operation in OPERATIONS.items():
        for ranks in (0, 3):
            with tempfile.TemporaryDirectory() as place:
                materials.lay_out(operation, pathlib.Path(place))
                begin = time.monotonic()
                run(*operation.command, ranks=ranks if operation.command[0] == "sweep" else 0, cwd=place)
                found[name, ranks] = time.monotonic() - begin
    return found


def random_rounds(seed, length):
    """Rounds without end; each can be had again by its number."""
    for number in itertools.count():
        chance = random.Random(f"{seed} {number}")
        name = chance.choice(list(OPERATIONS))
        ranks = chance.choice([0, 3]) if OPERATIONS[name].command[0] == "sweep" else 0
        which = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
        target = chance.choice(["coordinator", "worker", "launcher", "all"]) if ranks else "coordinator"
        times = chance.choice([1, 1, 2, 3])
        yield Round(number, name, ranks, which, target, [chance.uniform(0.0, length[name, ranks]) for _ in range(times)])


def first_second(step):
    number = 0
    for ms in range(0, 1000, step):
        for which in (signal.SIGKILL, signal.SIGTERM):
            for rank in range(3):
                yield Round(number, "create", 3, which, rank, [ms / 1000])
                number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--precise", action="store_true", help="a job that stops at precision")
    parser.add_argument("--first-second", type=int, metavar="MS")
    parser.add_argument("--only", type=int, help="one round, by its number")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        materials = Materials(folder, PRECISE if options.precise else JOB)
        length = {} if options.first_second else lengths(materials)
        rounds = first_second(options.first_second) if length == {} else random_rounds(options.seed, length)
        first, last = (options.begin, None) if options.only is None else (options.only, options.only + 1)
        rounds = itertools.islice(rounds, first, last)
        kinds, statuses = collections.Counter(), collections.Counter()
        done = hits = wrong = hung = 0
        repeated = total = 0.0
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            waiting = {}
            while True:
                while len(waiting) < 2 * options.jobs and (options.first_second or hits < options.kills) and (
                        plan := next(rounds, None)):
                    waiting[pool.submit(play, materials, plan)] = plan
                if not waiting:
                    break
                for future in concurrent.futures.wait(waiting, return_when="FIRST_COMPLETED").done:
                    plan, outcome = waiting.pop(future), future.result()
                    done, hits, wrong = done + 1, hits + outcome.hits, wrong + bool(outcome.complaints)
                    hung += outcome.mpi_hung
                    statuses.update(outcome.statuses)
                    kinds[f"{plan.name}, {f'{plan.ranks} ranks' if plan.ranks else 'alone'}", plan.which.name] += outcome.hits
                    repeated, total = repeated + outcome.repeated, total + outcome.total
                    for each in outcome.complaints:
                        print(f"round {plan.number} ({plan.name}, {plan.ranks} ranks, {plan.which.name} to {plan.target} after "
                              f"{', '.join(f'{d:.3f}' for d in plan.delays)} s): {each}", flush=True)
                    if done % 50 == 0:
                        print(f"{done} rounds, {hits} signals, {wrong} rounds with something wrong", flush=True)
        names = sorted({name for name, _ in kinds})
        print("| operation | SIGKILL | SIGTERM | SIGSTOP |\n| --- | --- | --- | --- |")
        for name in names:
            print(f"| {name} | " + " | ".join(str(kinds[name, which]) for which in ("SIGKILL", "SIGTERM", "SIGSTOP")) + " |")
        print("status afterwards: " + ", ".join(f"{count} x {name}" for name, count in sorted(statuses.items())))
        print(f"{hits} signals in {done} rounds, {wrong} with something wrong; OpenMPI itself hung {hung} times; "
              f"repeated at most {100 * repeated / max(total, 1e-9):.1f} % of the work of the created files")
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
