"""Whole sweeps: how busy they keep the cores, what a task costs, and how much memory a rank needs."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time

import h5py
import numpy as np
from measure import Law, Reading, Settings, require

HERE = pathlib.Path(__file__).resolve().parent
PAPER = HERE.parent.parent / "jobs/paper-main.toml"
DONE, CAPPED = 1, 2  # /runs/status

# A null task is a run that is capped after its first draw.
NULL = """seed = 1
replications = {}
log_inv_delta = [1.0, 2.2, 3.4, 4.6, 5.8, 7.0]
max_steps = 1
algorithms = ["uniform"]
[[graph]]
family = "ring"
K = 15
"""


def sweep(
    settings: Settings, job: pathlib.Path, status: int, ranks: int, *arguments: str
) -> tuple[float, list[float], h5py.File]:
    """Wall seconds, peak memory of each rank in MB, and the result file; all its runs must have that status."""
    out, memory = settings.folder / "out.h5", settings.folder / "memory"
    out.unlink(missing_ok=True)
    memory.unlink(missing_ok=True)
    command = [sys.executable, "-I", "-S", str(HERE / "peak_memory.py"), str(memory)]
    command += [settings.tasfg, "sweep", str(job), "-o", str(out), "--quiet", *arguments]
    if ranks > 1:
        command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | root)
    wall = time.monotonic() - begin
    peaks = [int(line) * 1024 / 1e6 for line in memory.read_text(encoding="ascii").split()]
    require(len(peaks) == ranks, f"{len(peaks)} peaks of memory from {ranks} ranks")
    file = h5py.File(out)
    require(bool(np.all(file["runs/status"][()] == status)), f"sweep of {job.name}: not all runs have status {status}")
    return wall, peaks, file


def busy(settings: Settings) -> list[Reading]:
    cores = len(os.sched_getaffinity(0))
    replications = 2 if settings.quick else 50
    changes = ["--set", "conventions=reference", "--set", f"replications={replications}"]
    changes += ["--set", 'algorithms=["tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e"]']
    name = f"task seconds ÷ (cores × wall), the paper's main figure, {replications} replications"
    readings = [Reading(f"{name}, {cores} threads", [], "", "≥ 0.95"),
                Reading(f"{name}, {cores} ranks, mpirun's start included", [], "")]
    for _ in range(min(settings.repeats, 3)):
        for reading, ranks in zip(readings, (1, cores), strict=True):
            wall, _, file = sweep(settings, PAPER, DONE, ranks, *changes, "--threads", str(cores // ranks))
            with file:
                total = file["runs/seconds"][()].sum() + file["cases/seconds"][()].sum()
            reading.values.append(float(total) / (cores * wall))
    return readings


def null_tasks(settings: Settings) -> tuple[list[Reading], list[Law]]:
    """Wall time and memory over tasks; the laws are of what comes on top of the smallest sweep: that is the start."""
    sizes = [1000, 10_000, 30_000, 100_000] if settings.quick else [1000, 10_000, 100_000, 300_000, 1_000_000]
    job = settings.folder / "null.toml"
    readings, found = [], []
    for ranks in (1, 2):
        where = "alone" if ranks == 1 else f"{ranks} ranks"
        largest = "alone" if ranks == 1 else f"largest of {ranks} ranks"
        walls, memory = [], []
        for _ in range(min(settings.repeats, 3)):
            walls.append([])
            memory.append([])
            for tasks in sizes:
                job.write_text(NULL.format(tasks), encoding="ascii")
                wall, peaks, file = sweep(settings, job, CAPPED, ranks)
                with file:
                    require(file["runs/status"].size == tasks, f"{file['runs/status'].size} tasks instead of {tasks}")
                walls[-1].append(wall)
                memory[-1].append(max(peaks))
        for i, tasks in enumerate(sizes):
            aim = "< 300" if tasks == 1_000_000 else ""
            readings.append(Reading(f"peak memory of a sweep of {tasks} tasks, {largest}", [row[i] for row in memory], "MB", aim))
        for i in (0, -1):
            readings.append(Reading(f"wall time of a sweep of {sizes[i]} null tasks, {where}", [row[i] for row in walls], "s"))
        for what, table in ((f"wall time of a sweep, {where}", walls), (f"peak memory of a sweep, {largest}", memory)):
            growth = [[value - row[0] for value in row[-3:]] for row in table]
            found.append(Law(f"{what}, beyond that of {sizes[0]} null tasks, over tasks", sizes[-3:], growth))
    return readings, found


def measure(settings: Settings) -> tuple[list[Reading], list[Law]]:
    readings, found = null_tasks(settings)
    return busy(settings) + readings, found
