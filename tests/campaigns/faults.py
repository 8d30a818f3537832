#!/usr/bin/env python3
"""Lets every single write of every operation on result files fail, and looks at what is left.

    TASFG=build/release/src/tasfg TASFG_INJECT=build/release/tests/libinject.so tests/campaigns/faults.py
        [--operations create,merge] [--faults EIO,short] [--every 1] [--part I/N] [--jobs 2] [--ranks 0]
        [--precise] [--only OPERATION:CALL:FAULT]

Operations are those of tests/faults/operations.py; with `--precise` on a job that stops at precision. The n-th call that changes a file (tests/faults/inject.cpp lists them)
fails with each fault, for every n: ENOSPC, EIO, EDQUOT once, or from there on ("for good"); a write that takes half; a call
that takes 100 ms. Afterwards: status 0, 1, 2 or 75, no signal, no hang, one line of message where it is not 0; the file opens
with h5py, holds what was there before, and all runs that it calls done are right; status 0 only where all is done. The same
command again, without a fault, must end with 0 and the same bits as the undisturbed sweep, and leave no other file.
Prints a table of counts; exit status 1 where anything was otherwise. `--part 0/8` to `7/8` do an eighth of the calls each,
`--only` does one and shows it.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
from operations import JOB, OPERATIONS, PRECISE, Materials

from processes import SLOWNESS, run

INJECT = os.path.abspath(os.environ["TASFG_INJECT"])
GOOD = " for good"
FAULTS = ("ENOSPC", "EIO", "EDQUOT", "short", "delay", "ENOSPC" + GOOD, "EIO" + GOOD)
STATUSES = (0, 1, 2, 75)
PATIENCE = 30.0 * SLOWNESS  # seconds; an undisturbed operation takes a tenth of one


@dataclass
class Outcome:
    """What one injection led to."""

    reached: bool
    status: int | None  # None: it did not end
    complaints: list[str]
    messages: str


def variables(place, log, number=0, fault=""):
    kind, lasts = (fault.removesuffix(GOOD), fault.endswith(GOOD))
    return {"FAULT_PATH": str(place), "FAULT_LOG": str(log), "FAULT_AT": str(number), "FAULT_KIND": kind,
            "FAULT_LASTS": str(int(lasts))}


def go(operation, place, settings=None, ranks=0):
    """Runs the command of an operation; with settings, under injection."""
    sweep = operation.command[0] == "sweep"
    one = ["--threads", 1] if sweep else []  # the order of the calls hardly varies then
    return run(*operation.command, *one, ranks=ranks if sweep else 0, check=None, timeout=PATIENCE, cwd=place,
               variables={"LD_PRELOAD": INJECT, **settings} if settings else None)


def points(materials, name, ranks=0):
    """The calls of an undisturbed operation, as (call, kind of file), and what it says on standard error."""
    operation = OPERATIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        place, log = pathlib.Path(folder, "place"), pathlib.Path(folder, "log")
        place.mkdir()
        materials.lay_out(operation, place)
        done = go(operation, place, variables(place, log), ranks)
        assert done.returncode == 0, done.stderr
        assert not (wrong := materials.complaints(operation, place, 0)), wrong
        found = []
        for line in log.read_text().splitlines():
            _, call, path = line.split(" ", 2)
            kind = ("draft" if ".new-" in path else "lock" if ".lock" in path else "folder" if path == str(place) else "file")
            found.append((call, kind))
        return found, set(done.stderr.splitlines())


def inject(materials, name, number, fault, usual, ranks=0):
    """One fault, and what came of it."""
    operation = OPERATIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        place, log = pathlib.Path(folder, "place"), pathlib.Path(folder, "log")
        place.mkdir()
        materials.lay_out(operation, place)
        try:
            done = go(operation, place, variables(place, log, number, fault), ranks)
        except subprocess.TimeoutExpired:
            return Outcome(log.exists(), None, [f"no end after {PATIENCE:.0f} s"], "")
        status, said = done.returncode, []
        new = [line for line in done.stderr.splitlines() if line not in usual]
        own = [line for line in new if line.startswith("tasfg: ")]
        if status not in STATUSES:
            said.append(f"status {status}")
        elif status == 1:
            said.append("status 1 without failed tasks")
        if status != 0 and (len(own) != 1 or (ranks == 0 and len(new) != 1)):
            said.append(f"{len(new)} lines of message")
        said += materials.complaints(operation, place, status)
        if status != 0:
            again = go(operation, place, ranks=ranks)
            said += [f"again: {each}" for each in
                     ([f"status {again.returncode}: {again.stderr.strip()}"] if again.returncode != 0 else
                      materials.complaints(operation, place, 0))]
        return Outcome(log.exists(), status, said, done.stderr)


def stage(name, number, found):
    """A new sweep first creates its file."""
    made = [i for i, (call, kind) in enumerate(found, 1) if kind in ("draft", "folder")]
    return "sweep" if name == "create" and number > max(made) else name


def campaign(materials, injections, found, usual, jobs, ranks=0):
    """Runs (operation, number, fault) triples; returns rows of the table and the complaints."""
    rows = collections.defaultdict(collections.Counter)
    wrong = []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        started = {pool.submit(inject, materials, name, number, fault, usual[name], ranks): (name, number, fault)
                   for name, number, fault in injections}
        for done, future in enumerate(concurrent.futures.as_completed(started), 1):
            if done % 100 == 0:
                print(f"{done} of {len(started)} injections, {len(wrong)} with something wrong", file=sys.stderr, flush=True)
            name, number, fault = started[future]
            outcome = future.result()
            row = rows[stage(name, number, found[name])]
            if not outcome.reached:  # the number of calls varies with the order in which tasks end
                row["not reached"] += 1
                if not outcome.complaints:
                    continue
            row["faults"] += 1
            row[outcome.status if outcome.status in STATUSES else "hang" if outcome.status is None else "signal"] += 1
            if outcome.complaints:
                row["wrong"] += 1
                call = found[name][number - 1] if number <= len(found[name]) else ("?", "?")
                wrong.append(f"{name}:{number}:{fault} ({' of the '.join(call)}): {'; '.join(outcome.complaints)}")
    return rows, wrong


def table(rows, counts):
    columns = ["faults", *STATUSES, "signal", "hang", "wrong"]
    lines = ["| operation | points | " + " | ".join(f"status {c}" if c in STATUSES else str(c) for c in columns) + " |",
             "| --- | " + " | ".join(["---"] * (len(columns) + 1)) + " |"]
    total = collections.Counter()
    for name in sorted(rows, key=[*OPERATIONS, "sweep"].index):
        lines.append(f"| {name} | {counts[name]} | " + " | ".join(str(rows[name][c]) for c in columns) + " |")
        total.update(rows[name])
    lines.append(f"| all | {sum(counts[name] for name in rows)} | " + " | ".join(str(total[c]) for c in columns) + " |")
    if total["not reached"]:
        lines.append(f"{total['not reached']} more injections were not reached: the operation made fewer calls that time")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", default=",".join(OPERATIONS))
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--every", type=int, default=1, help="only every n-th call")
    parser.add_argument("--part", default="0/1", help="of the calls: 0/8 to 7/8 are all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=0, help="under mpirun; the merges stay alone")
    parser.add_argument("--precise", action="store_true", help="a job that stops at precision")
    parser.add_argument("--only", help="one injection, as create:57:EIO")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        materials = Materials(folder, PRECISE if options.precise else JOB)
        if options.only:
            name, number, fault = options.only.split(":")
            _, usual = points(materials, name, options.ranks)
            outcome = inject(materials, name, int(number), fault, usual, options.ranks)
            print(f"status {outcome.status}; {'; '.join(outcome.complaints) or 'all as promised'}\n{outcome.messages}", end="")
            sys.exit(1 if outcome.complaints else 0)
        names = options.operations.split(",")
        found, usual = {}, {}
        counts, injections = collections.Counter(), []
        part, parts = map(int, options.part.split("/"))
        for name in names:
            found[name], usual[name] = points(materials, name, options.ranks)
            for number in range(1, len(found[name]) + 1, options.every)[part::parts]:
                counts[stage(name, number, found[name])] += 1
                injections += [(name, number, fault) for fault in options.faults.split(",")
                               if not fault.startswith("short") or "write" in found[name][number - 1][0]]
        rows, wrong = campaign(materials, injections, found, usual, options.jobs, options.ranks)
        print(table(rows, counts))
        for each in sorted(wrong):
            print(f"  {each}")
        print(f"{len(injections)} injections, {len(wrong)} with something wrong")
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
