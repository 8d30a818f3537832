"""Running our programs and peers, and what a comparison is: pairs of times, taken in turn."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
import subprocess
import time
from collections.abc import Callable

import numpy as np


class DifferentThings(Exception):
    """Two sides of a comparison do not compute the same."""


def require(condition: bool, message: str) -> None:
    if not condition:
        raise DifferentThings(message)


@dataclasses.dataclass
class Settings:
    build: pathlib.Path  # of the release preset
    repeats: int
    seconds: float  # CPU time of one measurement
    quick: bool
    folder: pathlib.Path  # for scratch files

    @property
    def tasfg(self) -> str:
        return str(self.build / "src/tasfg")


@dataclasses.dataclass
class Comparison:
    """`ratios` are the peer's time over ours, or ours over a limit: one a repeat. An aim is met by the median."""

    instance: str
    peer: str
    ours: list[float]  # seconds
    theirs: list[float]
    aim: str = ""
    over_limit: bool = False

    @property
    def ratios(self) -> list[float]:
        pairs = zip(self.ours, self.theirs, strict=True)
        return [a / b if self.over_limit else b / a for a, b in pairs]


@dataclasses.dataclass
class Law:
    """time or memory = c · size^exponent; a fit for each repeat."""

    what: str
    sizes: list[float]
    values: list[list[float]]  # [repeat][size]

    @property
    def exponents(self) -> list[float]:
        return [float(np.polyfit(np.log(self.sizes), np.log(row), 1)[0]) for row in self.values]


@dataclasses.dataclass
class Reading:
    """A measured value that is no ratio of two times."""

    what: str
    values: list[float]
    unit: str
    aim: str = ""


def google(settings: Settings, program: str, names: list[str], *arguments: str) -> list[dict]:
    """Rows of a Google Benchmark program, with `seconds` of CPU time for an iteration."""
    pattern = "^(" + "|".join(name.replace(".", "[.]") for name in names) + ")$"
    command = [str(settings.build / "tests/bench" / program), f"--benchmark_filter={pattern}", "--benchmark_format=json"]
    command += [f"--benchmark_min_time={settings.seconds}", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = {row["name"]: row for row in json.loads(done.stdout or '{"benchmarks": []}')["benchmarks"]}
    for name in names:
        require(name in rows, f"{program} has no {name}")
        row = rows[name]
        require(not row.get("error_occurred"), f"{program} {name}: {row.get('error_message')}")
        row["seconds"] = row["cpu_time"] * {"ns": 1e-9, "ms": 1e-3}[row["time_unit"]]
    return [rows[name] for name in names]


def step_of(row: dict) -> float:
    return row["seconds"] / row["steps"]


def timed(settings: Settings, call: Callable[[], object]) -> float:
    """Seconds of CPU time of a call: the mean over as many as take settings.seconds, three at least."""
    begin = time.process_time()
    calls = 0
    while calls < 3 or time.process_time() - begin < settings.seconds:
        call()
        calls += 1
    return (time.process_time() - begin) / calls


def tasfg(settings: Settings, *arguments: object) -> str:
    return subprocess.run([settings.tasfg, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def spread(values: list[float]) -> str:
    return f"{number(statistics.median(values))} | {number(min(values))}–{number(max(values))}"
