"""Trajectories in memory: `simulate`, and what tables and figures need to read them like a result file."""

from __future__ import annotations

import math
import os
import pathlib
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from .core import core
from .errors import FailedRuns, UserError
from .models import Instance, _short, checked_flag, checked_text, checked_threads, listable
from .reader import CHECKPOINT, FAILED, PENDING, RUN, STOP, Failure, ResultFile, Variable
from .results import Results
from .rules import algorithm_of

LOG_INV_DELTA = (1.0, 2.2, 3.4, 4.6, 5.8, 7.0)  # as `tasfg simulate` has it


def simulate(
    instances: Instance | Sequence[Instance],
    algorithms: Any = ("tas-fg",),
    seeds: int | Iterable[int] = 10,
    *,
    delta: float | Iterable[float] | None = None,
    log_inv_delta: float | Iterable[float] | None = None,
    setting: str = "informed",
    conventions: str = "paper",
    points: Mapping[str, str] | None = None,
    threshold: str = "practical",
    stream: str = "philox",
    master_seed: int = 0,
    max_steps: int = 1_000_000_000,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    checkpoints: Iterable[int] = (),
    pulls_by_delta: bool = False,
    rules: Iterable[str | os.PathLike] = (),
    skip: bool = True,
    threads: int = 0,
    progress: bool | Callable[[int, int], None] | None = None,
) -> xr.Dataset:
    """Runs every algorithm on every instance with every seed, on all cores, and returns what `tasfg sweep` would store.

    `instances`: one Instance, or a list. `algorithms`: names as of `tasfg list`, and rules of your own (an object or class with
    `name` and `choose(estimate)`, or tasfg.compiled(...)), or names of those in the shared libraries `rules`. `seeds`: how
    many, from 0, or which. `delta` or `log_inv_delta` (ln(1/δ), nats): one or several; every run serves them all. `options`: of
    algorithms by name, {"tas-fg": {"period": 5}}; `points`: single points of the conventions. `skip=False`: every
    draw by itself, with the same results. `progress`: True for a bar, a function of (runs done, runs in all), or None: a bar
    where standard error is a terminal.

    The Dataset has the names and dimensions of the result file's /runs (docs/result-file.md): tau, recommended, correct,
    stopped (case, algorithm, delta, seed), status, steps, seconds (case, algorithm, seed), pulls (…, vertex); and T_star,
    lower_bound and so on of the cases. A run that fails (a rule that raises, or names no vertex) has status 3 and missing
    values, and is among `failures(runs)`; the others go on. Results are the program's, bit by bit."""
    library = core()
    many = [instances] if isinstance(instances, Instance) else _listed(instances, "instances", "tasfg.Instance")
    if not many or not all(isinstance(each, Instance) for each in many):
        raise UserError("simulate takes a tasfg.Instance, or a list of them")
    points = _by_name(points, "points")
    chosen = algorithms_of(library, algorithms, options, rules, {each.K for each in many})
    times = [whole(each, "checkpoints", 1) for each in _listed(checkpoints, "checkpoints", "number of draws")]
    logs, deltas = confidences(library, delta, log_inv_delta)
    numbers = _seeds(seeds)
    settings = settings_of(
        library, setting, conventions, points, threshold, stream, master_seed, max_steps, times, pulls_by_delta, skip
    )
    total = len(many) * len(chosen) * len(numbers)
    report, end = _progress(progress, total)
    try:
        found = library.simulate(
            [each._model for each in many], chosen, logs, numbers, settings, checked_threads(threads), report
        )
    finally:
        end()
    failed = found.pop("failures")
    attributes = {
        "setting": setting,
        "conventions": conventions,
        "convention_points": " ".join(f"{name}={value}" for name, value in points.items()),
        "threshold": threshold,
        "stream": stream,
        "seed": int(master_seed),
        "max_steps": int(max_steps),
        "results_version": str(library.results_version),
    }
    names = [each.name for each in chosen]
    data = _dataset(library, many, names, logs, deltas, numbers, found, attributes, times)
    data.attrs["failures"] = [
        (int(case), names[algorithm], int(seed), message) for case, algorithm, seed, message in failed
    ]
    if failed:
        case, algorithm, seed, message = data.attrs["failures"][0]
        warnings.warn(
            f"{len(failed)} of {total} runs failed; the first: {many[case].label} {algorithm} seed {seed}: {message} "
            f"(again: tasfg.simulate(instance, [{algorithm}], seeds=[{seed}]))",
            FailedRuns,
            stacklevel=2,
        )
    return data


def failures(runs: xr.Dataset) -> list[tuple[int, str, int, str]]:
    """The runs of a simulation that failed: case, algorithm, seed, message."""
    return list(runs.attrs.get("failures", []))


def _listed(given: Any, what: str, each: str) -> list:
    if not listable(given):
        raise UserError(f"{what} = {_short(given)} (must be a list, each a {each})")
    return list(given)


def _by_name(given: Any, what: str) -> Mapping:
    if not isinstance(given, Mapping | None):
        raise UserError(f"{what} = {_short(given)} (must be a dict)")
    return given or {}


def whole(value: Any, what: str, low: int, high: int = 9_000_000_000_000_000) -> int:
    """A whole number in that range."""
    try:
        number = int(value)
        exact = number == value
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or not low <= number <= high:
        raise UserError(f"{what} = {_short(value)} (must be a whole number from {low} to {high:.0e})")
    return number


def algorithms_of(library: Any, given: Any, options: Any, rules: Any, sizes: set[int]) -> list:
    """What the compiled part takes: built-in algorithms, rules of libraries, rules of your own."""
    options = _by_name(options, "options")
    paths = [rules] if isinstance(rules, str | os.PathLike) else _listed(rules, "rules", "path")
    libraries = [os.fspath(path) for path in paths]
    wanted = list(given) if listable(given) and not isinstance(given, type) else [given]
    if not wanted:
        raise UserError("algorithms is empty (must hold at least one name or rule)")
    found: dict[str, Any] = {}
    for each in wanted:
        model = algorithm_of(library, each, options, libraries, sizes)
        if model.name in found:
            raise UserError(f"algorithms: {model.name} stands twice")
        found[model.name] = model
    for name in options:
        if name not in found:
            raise UserError(f'options: "{name}" is not among the algorithms')
    return list(found.values())


def settings_of(
    library: Any,
    setting: str,
    conventions: str,
    points: Mapping,
    threshold: str,
    stream: str,
    master_seed: int,
    max_steps: int,
    checkpoints: Sequence[int] = (),
    pulls_by_delta: bool = False,
    skip: bool = True,
) -> Any:
    """The settings of runs, checked."""
    return library.options(
        checked_text(setting, "setting"),
        checked_text(conventions, "conventions"),
        {checked_text(name, "points"): checked_text(value, f"points[{name}]") for name, value in points.items()},
        checked_text(threshold, "threshold"),
        checked_text(stream, "stream"),
        whole(master_seed, "master_seed", 0),
        whole(max_steps, "max_steps", 1, library.most_draws),
        checked_flag(pulls_by_delta, "pulls_by_delta"),
        list(checkpoints),
        checked_flag(skip, "skip"),
    )


def confidences(library: Any, delta: Any, log_inv_delta: Any) -> tuple[list[float], list[float]]:
    """ln(1/δ) and δ, from whichever was given."""
    if delta is not None and log_inv_delta is not None:
        raise UserError("delta and log_inv_delta both list confidences (give one)")
    given, what = (delta, "delta") if delta is not None else (log_inv_delta, "log_inv_delta")
    several: Any = LOG_INV_DELTA if given is None else given if listable(given) else [given]
    try:
        values = [float(x) for x in several]
    except (TypeError, ValueError):
        raise UserError(f"{what} = {_short(given)} (must be a number or a list of numbers)") from None
    if not values:
        raise UserError(f"{what} is empty (must hold at least one value)")
    for i, value in enumerate(values):
        if what == "delta" and not 0.0 < value < 1.0:
            raise UserError(f"delta = {value:g} (must lie strictly between 0 and 1)")
        if what == "log_inv_delta" and not 0.0 < value <= 700.0:
            raise UserError(f"log_inv_delta = {value:g} (ln(1/delta) must lie in (0, 700])")
        if value in values[:i]:
            raise UserError(f"{what}: {value:g} stands twice (each value once)")
    if what == "delta":
        return [-library.log(x) for x in values], values
    return values, [library.exp(-x) for x in values]


def _seeds(given: Any) -> list[int]:
    if isinstance(given, int | np.integer):
        if not 1 <= given <= 10_000_000:
            raise UserError(f"seeds = {given} (must be a number of seeds from 1 to 10000000, or a list of them)")
        return list(range(int(given)))
    if not listable(given):
        raise UserError(f"seeds = {_short(given)} (must be a number of seeds, or a list of them)")
    found = [whole(each, "seeds", 0) for each in given]
    for seed in found:
        if seed > 4294967295:
            raise UserError(f"seeds: {seed} (must be a whole number from 0 to 4294967295)")
    if not found or len(set(found)) != len(found):
        raise UserError(f"seeds = {_short(given)} (must hold at least one, each once)")
    return found


def _progress(wanted: Any, total: int) -> tuple[Any, Callable[[], None]]:
    """What simulate calls with the number of runs done, and what ends it."""
    if callable(wanted):
        return (lambda done: wanted(done, total)), (lambda: None)
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    if not checked_flag(wanted, "progress"):
        return None, (lambda: None)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Bar(total).show, (lambda: print(file=sys.stderr))
    bar = tqdm(total=total, unit="run", leave=False)
    return (lambda done: bar.update(done - bar.n)), bar.close


class _Bar:
    """A plain bar, where tqdm is not installed."""

    def __init__(self, total: int) -> None:
        self.total, self.begin = total, time.monotonic()

    def show(self, done: int) -> None:
        """Draws it anew."""
        width = 30 * done // max(self.total, 1)
        left = (time.monotonic() - self.begin) * (self.total - done) / done if done else math.inf
        text = f"{left:.0f} s left" if math.isfinite(left) else ""
        print(
            f"\r{'#' * width}{'.' * (30 - width)} {done}/{self.total} runs {text:12}",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _dataset(
    library: Any,
    instances: list[Instance],
    names: list[str],
    logs: list[float],
    deltas: list[float],
    seeds: list[int],
    found: dict[str, np.ndarray],
    attributes: dict[str, Any],
    checkpoints: list[int],
) -> xr.Dataset:
    data: dict[str, Any] = {}
    unsettled = np.isin(found["status"], (PENDING, FAILED))
    for name, values in found.items():
        dims: tuple[str, ...] = CHECKPOINT if name.startswith("checkpoint") else STOP
        if name in ("status", "steps", "seconds", "pulls"):
            dims = RUN
        if name.startswith("pulls"):
            dims = (*dims, "vertex")
        # Whole numbers stay so where none is missing.
        if name != "status" and values.dtype.kind == "i" and (unsettled.any() or "vertex" in dims):
            values = np.where(values == -1, np.nan, values)
        data[name] = (dims, values)
    solved = library.solve_many([each._model for each in instances], 1e-10, 1)
    for name in ("T_star", "T_star_lower", "T_heuristic", "T_uniform", "omega", "omega_heuristic", "m"):
        data[name] = (("case", "vertex")[: solved[name].ndim], solved[name])
    bounds = np.array(
        [
            [library.bounds(T, attributes["threshold"], x, each.K) for x in logs]
            for T, each in zip(solved["T_star"].tolist(), instances)
        ]
    )
    data["lower_bound"] = (("case", "delta"), bounds[:, :, 0])
    data["practical_bound"] = (("case", "delta"), bounds[:, :, 1])
    most = solved["omega"].shape[1]
    data["means"] = (("case", "vertex"), np.array([_padded(each.means, most) for each in instances]))
    words = [dict(word.split("=", 1) for word in each.graph.parameters.split() if "=" in word) for each in instances]
    numbers = {
        "K": [each.K for each in instances],
        "best": [each.best for each in instances],
        "edges": [each.graph._model.edge_count for each in instances],
        "variance": [math.nan if each.variance is None else each.variance for each in instances],
        **{name: [_parameter(word, name) for word in words] for name in ("p", "q", "r")},
        "key": np.array([library.key(each._model) for each in instances], dtype=np.uint64),
    }
    texts = {
        "graph": [each.graph.family for each in instances],
        "parameters": [each.graph.parameters for each in instances],
        "reward": [each.reward for each in instances],
    }
    data |= {name: ("case", values) for name, values in numbers.items()}
    data |= {name: ("case", np.array(values, dtype=object)) for name, values in texts.items()}
    coordinates: dict[str, Any] = {
        "case": np.arange(len(instances)),
        "label": ("case", np.array(_distinct([each.label for each in instances]), dtype=object)),
        "algorithm": np.array(names, dtype=object),
        "delta": deltas,
        "log_inv_delta": ("delta", logs),
        "seed": np.array(seeds),
        "vertex": np.arange(most),
    }
    if checkpoints:
        coordinates["checkpoint"] = np.array(checkpoints)
    return xr.Dataset(data, coords=coordinates, attrs=attributes)


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([values, np.full(size - len(values), np.nan)])


def _parameter(words: dict[str, str], name: str) -> float:
    try:
        return float(words[name])
    except (KeyError, ValueError):
        return math.nan


def _distinct(labels: list[str]) -> list[str]:
    """Labels that tell cases apart: those that stand twice are numbered."""
    return [label if labels.count(label) == 1 else f"{label} case={i}" for i, label in enumerate(labels)]


class Simulated(ResultFile):
    """A Dataset of `simulate`, read as a result file is."""

    def __init__(self, data: xr.Dataset) -> None:
        wanted = {"tau", "status", "stopped", "T_star", "lower_bound", "label"}
        if not isinstance(data, xr.Dataset) or not wanted <= set(data.variables):
            raise UserError(
                "not a Dataset of tasfg.simulate (select along its dimensions with .isel(case=[0]) or .sel, as lists)"
            )
        missing = {"case", "algorithm", "delta", "seed"} - set(data.dims)
        if missing:
            raise UserError(
                f"the Dataset has lost its dimension {sorted(missing)[0]} (select with lists, as .isel(case=[0]))"
            )
        self._data = data
        self.path, self.name = pathlib.Path("simulation"), "simulation"
        self.attributes = dict(data.attrs)
        runs = {}
        for name, values in data.data_vars.items():
            if {"case", "algorithm", "seed"} <= set(values.dims):
                fill = None if name == "status" else -1 if values.dtype.kind in "iu" else np.nan
                runs[str(name)] = Variable(tuple(map(str, values.dims)), fill, {})
        beside = {
            name: data[name].values for name in ("algorithm", "delta", "log_inv_delta", "seed") if name in data.coords
        }
        if "checkpoint" in data.coords:
            beside["checkpoint"] = data["checkpoint"].values
        self.coordinates = {**beside, "case": data["case"].values}
        runs |= {name: Variable(tuple(map(str, data[name].dims)), None, {}) for name in self.coordinates}
        self.variables = {"runs": runs, "cases": {}}
        self.labels = data["label"].values
        self.algorithms = data["algorithm"].values
        self.algorithm_options = np.full(len(self.algorithms), "", dtype=object)
        self.log_inv_delta = data["log_inv_delta"].values.astype(float)
        self.seeds = data["seed"].values
        self.shape = tuple(data.sizes[dim] for dim in STOP)

    @cached_property
    def cases(self) -> xr.Dataset:
        """What the Dataset holds of its cases."""
        own = [name for name, values in self._data.data_vars.items() if set(values.dims) <= {"case", "vertex", "delta"}]
        data = self._data[own].drop_vars("algorithm", errors="ignore")
        return data.assign(status=("case", np.ones(data.sizes["case"], dtype=np.int8)))

    @cached_property
    def _status_and_damaged(self) -> tuple[np.ndarray, int]:
        return self._data["status"].transpose(*RUN).values.astype(np.int8), 0

    def _raw_runs(self, names: list[str]) -> Iterator[np.ndarray]:
        for name in names:
            values = self._data[name].values
            # Whole numbers that are floats only because some are missing.
            yield np.where(np.isnan(values), -1, values).astype(np.int64) if name in _WHOLE else values

    def graph(self, case: int) -> np.ndarray:
        """Not kept: the instance has it."""
        raise UserError("a simulation keeps no graphs (instance.graph.matrix has it)")

    def failures(self) -> list[Failure]:
        """The runs that failed."""
        return [
            Failure(
                self.name,
                str(self.labels[case]),
                name,
                seed,
                message,
                f"tasfg.simulate(instance, [{name}], seeds=[{seed}])",
            )
            for case, name, seed, message in self._data.attrs.get("failures", [])
        ]


_WHOLE = {"tau", "recommended", "correct", "stopped", "steps", "checkpoint_recommended", "checkpoint_correct"}


def results_of(source: Any) -> Results:
    """Whatever holds runs as Results: those of `tasfg.open`, a Dataset of `simulate`, a file's name, a list of names."""
    if isinstance(source, Results):
        return source
    if isinstance(source, xr.Dataset):
        return Results([Simulated(source)])
    from .results import open as open_results

    if isinstance(source, str | os.PathLike):
        return open_results(source)
    if not isinstance(source, list | tuple):
        raise UserError(
            f"{_short(source)} (must be what tasfg.simulate or tasfg.open returns, or a result file's name)"
        )
    return open_results(*source)
