"""The only module that opens result files (docs/result-file.md): checks one, and hands out arrays and tables.

Names, dimensions and missing values come from the file itself: the attributes by which netCDF-4 names dimensions, _FillValue,
and what a checksum covers. A dataset that a newer program adds appears in the arrays and, where it has the dimensions of a
table, in the table.

Missing values. What a run's status does not vouch for (pending, failed, not needed) is missing: NaN or <NA>. A run that was
capped at max_steps before it could stop at some δ is censored there: τ, recommendation and correctness are missing at
that δ, and `status` says "capped". A run whose checksum does not fit counts as pending, and as `damaged`.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import re
import shlex
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import h5py
import numpy as np
import pandas as pd
import xarray as xr

from .errors import UserError

FORMAT_VERSION = 2
CURVE_FORMAT = "tasfg-curve"
PENDING, DONE, CAPPED, FAILED, NOT_NEEDED = range(5)
STATUS = ("pending", "done", "capped", "failed", "not needed")
SETTLED = (DONE, CAPPED)  # the runs whose values stand
# Attributes on which the runs of a case depend; files that agree in them may be put together.
SETTINGS = (
    "setting",
    "conventions",
    "convention_points",
    "threshold",
    "stream",
    "results_version",
    "seed",
    "max_steps",
)
# What this package uses by name.
NEEDED = {
    "cases": ("label", "graph", "K", "key", "status", "T_star", "lower_bound", "practical_bound", "omega", "m"),
    "runs": ("algorithm", "delta", "log_inv_delta", "seed", "status", "tau", "stopped", "correct", "recommended"),
    "live": ("status", "updated"),
    "edges": ("case", "from", "to", "probability"),
    "failures": ("case", "algorithm", "seed", "message"),
}
PROGRAM = ("code_version", "git_commit", "build")
RUN = ("case", "algorithm", "seed")
STOP = ("case", "algorithm", "delta", "seed")
CHECKPOINT = ("case", "algorithm", "checkpoint", "seed")


def _without_locks(path: pathlib.Path) -> h5py.File:
    """Without HDF5's locks: the writer uses none, and Lustre and NFS often lack them."""
    try:
        return h5py.File(path, "r", locking=False)
    except (TypeError, ValueError):  # an HDF5 library without that switch
        return h5py.File(path, "r")
    except OSError as error:
        if "locking flag" not in str(error):
            raise
        return h5py.File(path, "r")  # this process has it open already, with locks, as xarray opens files


@contextlib.contextmanager
def _opened(path: pathlib.Path) -> Iterator[h5py.File]:
    """The HDF5 file, with what can go wrong in one line each."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder (name the result file in it)")
    try:
        with path.open("rb") as raw:
            size = os.fstat(raw.fileno()).st_size
            if size == 0:
                raise UserError(f"{path}: is empty (no result file; run the sweep again)")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror} (name a result file of tasfg sweep)") from None
    if not h5py.is_hdf5(path):
        raise UserError(f"{path}: not an HDF5 file (name a result file of tasfg sweep)")
    try:
        file = _without_locks(path)
    except OSError as error:
        text = str(error)
        if "truncated" in text:
            raise UserError(
                f"{path}: truncated: {size} bytes are not all of it (copy it again from where the sweep wrote it)"
            ) from None
        raise UserError(f"{path}: cannot be read as HDF5: {text} (copy it again, or run the sweep again)") from None
    with _refusing(path), file:
        yield file


@contextlib.contextmanager
def _refusing(path: pathlib.Path) -> Iterator[None]:
    """Has what h5py, NumPy, pandas and xarray raise where a file's contents do not fit together come out as a refusal."""
    try:
        yield
    except UserError:  # worded already
        raise
    except (
        OSError,
        LookupError,
        RuntimeError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        MemoryError,
    ) as error:
        text = str(error).strip("'\"").splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path}: damaged: {text} (copy it again, or run the sweep again)") from None


def _refuses(reading: Callable) -> Callable:
    """The method, with what it raises on a damaged file as a refusal."""

    @functools.wraps(reading)
    def read(self: ResultFile, *arguments: object, **options: object) -> object:
        with _refusing(self.path):
            return reading(self, *arguments, **options)

    return read


def _value(value) -> Any:
    """A scalar as Python has it; texts are cut at their first NUL."""
    value = value.item() if isinstance(value, np.generic) else value
    return value.split(b"\0")[0].decode("utf-8", "replace") if isinstance(value, bytes) else value


def _values(item: h5py.Dataset) -> np.ndarray:
    values = item[()]
    if values.dtype.kind in "SO":
        return np.array([_value(v) for v in np.ravel(values)], dtype=object).reshape(values.shape)
    return values


@dataclass(frozen=True)
class Variable:
    """What the file says about one dataset."""

    dims: tuple[str, ...]
    fill: object  # None: it has no missing values
    attributes: dict[str, object]  # long_name, units


def _describe(group: h5py.Group) -> dict[str, Variable]:
    """The datasets of a group by name. Refuses those whose shape is not that of their dimensions."""
    names = {int(item.attrs["_Netcdf4Dimid"]): name for name, item in group.items()}
    found = {}
    for name, item in group.items():
        dims = tuple(names[int(number)] for number in item.attrs["_Netcdf4Coordinates"])
        sizes = tuple(group[dim].shape[0] for dim in dims)
        if sizes != item.shape:
            raise ValueError(f"{group.name[1:]}/{name} has the shape {item.shape}, not {sizes}")
        about = {key: _value(item.attrs[key]) for key in ("long_name", "units") if key in item.attrs}
        found[name] = Variable(dims, item.attrs.get("_FillValue"), about)
    return found


def _missing_as_nan(values: np.ndarray, fill) -> np.ndarray:
    if fill is None or values.dtype.kind not in "iu":
        return values
    return np.where(values == fill, np.nan, values)


def categories(values: np.ndarray) -> pd.Categorical:
    """A categorical whose categories keep the order of first appearance: that of the job file."""
    return pd.Categorical(values, categories=list(dict.fromkeys(values)))


def parameter_words(text: str) -> list[str]:
    """ "K=5 p=0.3" → its words; a file's path may hold spaces."""
    return [text] if text.startswith("path=") else text.split()


def _number(value: float) -> str:
    """Shortest text that reads back as the same number."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


@dataclass
class Failure:
    """A failed task, with the command that runs it alone."""

    file: str
    label: str
    algorithm: str
    seed: int
    message: str
    replay: str


def is_curve(path: os.PathLike | str) -> bool:
    """Whether that is a file of `tasfg curve`."""
    with _opened(pathlib.Path(path)) as file:
        return bool(_value(file.attrs.get("format")) == CURVE_FORMAT)


class CurveFile:
    """A curve or map of `tasfg curve` (docs/curves.md), read when it is opened."""

    def __init__(self, path: os.PathLike | str) -> None:
        self.path = pathlib.Path(path)
        self.name = str(path)
        with _opened(self.path) as file:
            form = _value(file.attrs.get("format"))
            if form != CURVE_FORMAT:
                raise UserError(
                    f"{path}: not a curve (attribute format = {form!r}, must be {CURVE_FORMAT!r}; tasfg curve -o)"
                )
            version = _value(file.attrs.get("format_version"))
            if version != FORMAT_VERSION:
                raise UserError(f"{path}: format version {version}, this package knows {FORMAT_VERSION}")
            self.attributes = {name: _value(value) for name, value in file.attrs.items()}
            self.points, self.cells, self.regimes = (
                self._frame(file[group]) for group in ("points", "cells", "regimes")
            )
            self.support = _values(file["points/support"])
            self.entering, self.leaving = (_values(file[f"regimes/{name}"]) for name in ("entering", "leaving"))
        self.axes = str(self.attributes["axes"]).split()
        self.sampled = dict(line.split(": ", 1) for line in str(self.attributes["sampled"]).splitlines())

    @staticmethod
    def _frame(group: h5py.Group) -> pd.DataFrame:
        """What has one value per point, cell or change."""
        names = [name for name, about in _describe(group).items() if len(about.dims) == 1 and about.dims[0] != name]
        return pd.DataFrame({name: _values(group[name]) for name in names})


@dataclass
class Sitting:
    """One sweep that wrote into the file, and how many of its runs it made."""

    number: int  # that `sitting` of the runs and cases refers to
    started: str
    host: str
    ranks: int
    code_version: str
    git_commit: str
    build: str
    runs: int


class ResultFile:
    """One result file. Small things are read when it is opened; runs when they are asked for."""

    def __init__(self, path: os.PathLike | str) -> None:
        self.path = pathlib.Path(path)
        self.name = str(path)
        with _opened(self.path) as file:
            self._check_format(file)
            for group, names in NEEDED.items():
                for name in names:
                    if f"{group}/{name}" not in file:
                        raise UserError(f"{path}: damaged: no {group}/{name} (copy it again, or run the sweep again)")
            live = {name: _value(item[()]) for name, item in file["live"].items() if item.shape == ()}
            self.attributes = {name: _value(value) for name, value in file.attrs.items()} | live
            for name in (*SETTINGS, "job"):
                if name not in self.attributes:
                    raise UserError(f"{path}: damaged: no attribute {name} (copy it again, or run the sweep again)")
            self.variables = {group: _describe(file[group]) for group in ("cases", "runs")}
            for group, name, dims in (("runs", "tau", STOP), ("runs", "status", RUN), ("cases", "T_star", ("case",))):
                if self.variables[group][name].dims != dims:
                    raise ValueError(f"{group}/{name} has not the dimensions {dims}")
            self.coordinates = {
                name: _values(file["runs"][name])
                for name, about in self.variables["runs"].items()
                if len(about.dims) == 1  # the dimensions themselves, and what stands beside them
            }
            self.labels = _values(file["cases/label"])
            self.algorithms = self.coordinates["algorithm"]
            self.algorithm_options = self.coordinates.get("algorithm_options", np.full(len(self.algorithms), ""))
            self.log_inv_delta = self.coordinates["log_inv_delta"].astype(float)
            self.seeds = self.coordinates["seed"]
            self.shape = tuple(len(self.coordinates[dim]) for dim in STOP)

    def _check_format(self, file: h5py.File) -> None:
        form = _value(file.attrs.get("format"))
        if form != "tasfg":
            raise UserError(f"{self.path}: not a result file of tasfg (attribute format = {form!r}, must be 'tasfg')")
        version = _value(file.attrs.get("format_version"))
        if version != FORMAT_VERSION:
            raise UserError(
                f"{self.path}: format_version {version} (this package reads {FORMAT_VERSION}; use the one that "
                "came with the program that wrote the file)"
            )

    @property
    def settings(self) -> tuple:
        """What the runs depend on beside their case, algorithm and seed."""
        return (*(self.attributes[name] for name in SETTINGS), self.measure)

    @property
    def measure(self) -> str:
        """What the job measured: "time", or "error" by weighted runs."""
        return "error" if "log_weight" in self.variables["runs"] else "time"

    @property
    def max_steps(self) -> int:
        """Draws after which a run is capped."""
        return int(self.attributes["max_steps"])

    @cached_property
    @_refuses
    def cases(self) -> xr.Dataset:
        """/cases with integers' missing values as NaN; what is not solved yet, or does not fit its checksum, is missing."""
        variables = self.variables["cases"]
        with _opened(self.path) as file:
            # Status first: a sweep that runs writes it last.
            values = {"status": file["cases/status"][()]}
            values |= {name: _values(file["cases"][name]) for name in variables if name != "status"}
            solution = _value(file["cases/checksum"].attrs["covers"]).split()
        status = values["status"]
        solved = status == DONE
        parts = [(name, variables[name].dims, values[name]) for name in solution]
        for case in np.flatnonzero(solved):
            solved[case] = _checksums(parts, (), case, int(values["K"][case])) == values["checksum"][case]
        values["status"] = np.where(((status == DONE) & ~solved) | ~_known(status), PENDING, status)
        data = {}
        for name, about in variables.items():
            filled = _missing_as_nan(values[name], about.fill)
            if name in solution and name != "status":
                filled = np.where(solved.reshape([-1] + [1] * (filled.ndim - 1)), filled, np.nan)
            data[name] = (about.dims, filled, about.attributes)
        dims = {dim for about in variables.values() for dim in about.dims}
        return xr.Dataset(data).set_coords([*dims, "label"])

    @cached_property
    @_refuses
    def edges(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Per case: from, to, probability of its edges."""
        with _opened(self.path) as file:
            case, start, end, probability = (file["edges"][name][()] for name in NEEDED["edges"])
        cuts = np.searchsorted(case, np.arange(1, len(self.labels)))
        return list(zip(*(np.split(values, cuts) for values in (start, end, probability))))

    @_refuses
    def graph(self, case: int) -> np.ndarray:
        """G of one case, K × K: the probability that choosing the row's vertex shows the column's."""
        K = int(self.cases.K.values[case])
        G = np.zeros((K, K))
        start, end, probability = self.edges[case]
        G[start, end] = probability
        return G

    @cached_property
    @_refuses
    def _status_and_damaged(self) -> tuple[np.ndarray, int]:
        with _opened(self.path) as file:
            status = file["runs/status"][()]
            sound = _sound_runs(file["runs"], status, self.cases.K.values, self.variables["runs"])
        damaged = (np.isin(status, SETTLED) & ~sound) | ~_known(status)
        status[damaged] = PENDING
        return status, int(damaged.sum())

    @property
    def run_status(self) -> np.ndarray:
        """Status of every run (case, algorithm, seed); one whose checksum does not fit is pending."""
        return self._status_and_damaged[0]

    @property
    def damaged(self) -> int:
        """How many runs do not fit their checksums."""
        return self._status_and_damaged[1]

    def _raw_runs(self, names: list[str]) -> Iterator[np.ndarray]:
        """Datasets of /runs as they are stored."""
        with _opened(self.path) as file:
            for name in names:
                yield file["runs"][name][()]

    def _read_runs(self, names: list[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Name, values, and where they are missing, of datasets per run."""
        settled = np.isin(self.run_status, SETTLED)
        raw = self._raw_runs(["stopped", *names])
        stopped = settled[:, :, None, :] & (next(raw) == 1)
        for name, values in zip(names, raw):
            about = self.variables["runs"][name]
            gone = ~(stopped if "delta" in about.dims and name != "stopped" else settled)
            known = STOP if gone.ndim == 4 else RUN
            gone = gone.reshape([n if dim in known else 1 for dim, n in zip(about.dims, values.shape)])
            if about.fill is not None and values.dtype.kind in "iu":
                gone = gone | (values == about.fill)
            yield name, values, np.broadcast_to(gone, values.shape)

    def _of_runs(self, *dims: str) -> list[str]:
        """Names of the datasets with a value per run and exactly these dimensions; any, where none are given."""
        return [
            name
            for name, about in self.variables["runs"].items()
            if (about.dims == dims if dims else set(RUN) <= set(about.dims)) and about.fill is not None
        ]

    @cached_property
    @_refuses
    def runs(self) -> xr.Dataset:
        """/runs, masked as the module says, with lower_bound and practical_bound (case, delta) and normalised."""
        data = {}
        for name, values, gone in self._read_runs(self._of_runs()):
            about = self.variables["runs"][name]
            data[name] = (about.dims, np.where(gone, np.nan, values), about.attributes)
        others = [name for name in self.variables["runs"] if name not in data and name not in self.coordinates]
        for name, values in zip(others, self._raw_runs(others)):
            about = self.variables["runs"][name]
            data[name] = (about.dims, values, about.attributes)
        data["status"] = (RUN, self.run_status, {})
        for name in ("lower_bound", "practical_bound"):
            data[name] = (("case", "delta"), self.cases[name].values, {"units": "draws"})
        with np.errstate(all="ignore"):  # a forged bound of 0
            data["normalised"] = (STOP, data["tau"][1] / data["lower_bound"][1][:, None, :, None], {"units": "1"})
        beside = {name: (self.variables["runs"][name].dims, values) for name, values in self.coordinates.items()}
        return xr.Dataset(data, coords=beside)

    @_refuses
    def cases_frame(self) -> pd.DataFrame:
        """One row per case, of what has one value per case."""
        return frame_of_cases(self.cases)

    @_refuses
    def frame(self, dims: tuple[str, ...], keep: np.ndarray | None = None) -> pd.DataFrame:
        """One row per element of these dimensions (case, algorithm, something, seed), in the order of the file; what has a
        value there, and what tells the rows apart. `keep`: some rows only."""
        shape = tuple(len(self.coordinates[dim]) for dim in dims)
        index = np.s_[:] if keep is None else np.flatnonzero(keep)

        def spread(values, *axes: str) -> np.ndarray:
            """Values along some dimensions, repeated along the others; much faster than repeat."""
            values = np.asarray(values)
            out = np.empty(shape, dtype=values.dtype)
            out[...] = values.reshape([n if dim in axes else 1 for dim, n in zip(dims, shape)])
            return out.reshape(-1)[index]

        def category(values, axis: str) -> pd.Categorical:
            found = categories(values)
            codes = found.codes.astype(np.min_scalar_type(-max(len(found.categories), 1)))
            return pd.Categorical.from_codes(spread(codes, axis), found.categories)

        seeds = self.seeds.astype(np.int32 if self.seeds.max(initial=0) < 2**31 else np.int64)
        rows = int(np.prod(shape) if keep is None else np.count_nonzero(keep))
        cases = self.cases
        columns = {
            "file": pd.Categorical.from_codes(np.zeros(rows, dtype=np.int8), [self.name]),
            "case": spread(cases.case.values.astype(np.int32), "case"),
            "label": category(self.labels, "case"),
            "graph": category(cases.graph.values, "case"),
            "K": spread(cases.K.values.astype(np.int32), "case"),
            **{name: spread(cases[name].values, "case") for name in ("p", "q", "r")},
            "reward": category(cases.reward.values, "case"),
            "variance": spread(cases.variance.values, "case"),
            "algorithm": category(self.algorithms, "algorithm"),
        }
        if "delta" in dims:
            columns["delta"] = spread(self.coordinates["delta"], "delta")
            columns["log_inv_delta"] = spread(self.log_inv_delta, "delta")
        for dim in dims:
            if dim not in STOP:
                columns[dim] = spread(self.coordinates[dim], dim)
        columns["seed"] = spread(seeds, "seed")
        columns["status"] = pd.Categorical.from_codes(spread(self.run_status, *RUN), STATUS)
        for name, values, gone in self._read_runs(self._of_runs(*dims)):
            values, gone = values.reshape(-1)[index], gone.reshape(-1)[index]
            if name == "tau" or values.dtype.kind == "f":
                columns[name] = values.astype(float)
                columns[name][gone] = np.nan
            elif name.endswith("correct"):
                columns[name] = pd.arrays.BooleanArray(values == 1, gone)
            elif name != "stopped":  # it says what a missing tau says
                columns[name] = pd.arrays.IntegerArray(values, gone)
        if "delta" in dims:
            for name in ("lower_bound", "practical_bound"):
                columns[name] = spread(cases[name].values, "case", "delta")
            with np.errstate(all="ignore"):
                columns["normalised"] = columns["tau"] / columns["lower_bound"]
        return pd.DataFrame(columns, copy=False)

    @_refuses
    def pull_shares(self) -> xr.DataArray:
        """Share of the draws that each vertex got: (case, algorithm, seed, vertex). Trajectories run to the smallest δ."""
        pulls = self.runs.pulls
        return pulls / pulls.sum("vertex", min_count=1)

    @_refuses
    def failures(self) -> list[Failure]:
        """The failed tasks that the file keeps."""
        with _opened(self.path) as file:
            kept = [_values(file["failures"][name]) for name in NEEDED["failures"]]
        found = []
        for case, algorithm, seed, message in zip(*kept):
            if 0 <= case < len(self.labels):
                name = self.algorithms[algorithm] if 0 <= algorithm < len(self.algorithms) else ""
                replay = self.replay_command(int(case), int(algorithm), int(seed))
                found.append(Failure(self.name, self.labels[case], name, int(seed), message, replay))
        return found

    @_refuses
    def sittings(self) -> list[Sitting]:
        """The sweeps that wrote into the file; none in files of format 2.0. One that does not fit its checksum is left out."""
        with _opened(self.path) as file:
            if "sittings" not in file:
                return []
            group, made_in = file["sittings"], file["runs/sitting"][()]
            covers = _value(group["checksum"].attrs["covers"]).split()
            raw, sums = {name: group[name][()] for name in covers}, group["checksum"][()]
            table = {name: _values(group[name]) for name in ("started", "host", "ranks", *PROGRAM)}
            if any(item.shape != sums.shape for item in (*raw.values(), *table.values())):
                raise ValueError("sittings: its datasets differ in length")
            found = [zlib.crc32(b"".join(raw[name][i : i + 1].tobytes() for name in covers)) for i in range(len(sums))]
        settled = made_in[np.isin(self.run_status, SETTLED)]
        return [
            Sitting(number, started, host, int(ranks), version, commit, build, int((settled == number).sum()))
            for number, (started, host, ranks, version, commit, build) in enumerate(zip(*table.values()))
            if started and found[number] == sums[number]
        ]

    @_refuses
    def replay_command(self, case: int, algorithm: int, seed: int) -> str:
        """The command that runs one task alone, as `tasfg status` prints it (with the means spelled out)."""
        data, a = self.cases.isel(case=case), self.attributes
        words = ["tasfg", "simulate" if algorithm >= 0 else "solve", "--graph", str(data.graph.values)]
        for word in parameter_words(str(data.parameters.values)):
            words += ["-P", word]
        K = int(data.K)
        words += ["--means=" + ",".join(map(_number, data.means.values[:K])), "--reward", str(data.reward.values)]
        if str(data.reward.values) == "gaussian":
            words += ["--variance", _number(data.variance)]
        if algorithm < 0:
            return shlex.join(words)
        name = self.algorithms[algorithm]
        for path in _rules(str(a["job"])):
            words += ["--rule", path]
        words += ["--algorithm", name]
        for option in self.algorithm_options[algorithm].split():
            words += ["-A", f"{name}.{option}"]
        words += ["--seeds", str(seed), "--log-inv-delta", ",".join(map(_number, self.log_inv_delta))]
        words += ["--setting", a["setting"], "--conventions", a["conventions"]]
        for point in a["convention_points"].split():
            words += ["--set", point]
        words += ["--threshold", a["threshold"], "--stream", a["stream"], "--master-seed", str(a["seed"])]
        return shlex.join([*words, "--max-steps", str(a["max_steps"]), "--csv"])


def _rules(job: str) -> list[str]:
    """The libraries of rules that a job names."""
    listed = re.search(r"^rules\s*=\s*\[([^\]]*)\]", job, flags=re.MULTILINE)
    return re.findall(r"[\"']([^\"']+)[\"']", listed[1]) if listed else []


def _known(status: np.ndarray) -> np.ndarray:
    """Where a status is one that there is; a damaged file may hold others."""
    return (status >= 0) & (status < len(STATUS))


def frame_of_cases(cases: xr.Dataset) -> pd.DataFrame:
    """One row per case, of what has one value per case."""
    flat = cases.drop_vars([name for name in cases.variables if cases[name].dims != ("case",)])
    frame = flat.to_dataframe().reset_index()
    frame["status"] = pd.Categorical.from_codes(frame["status"].to_numpy(int), STATUS)
    first = [name for name in ("file", "case", "label", "graph", "K", "p", "q", "r") if name in frame]
    return frame[first + [name for name in frame.columns if name not in first]]


def _checksums(
    parts: list[tuple[str, tuple[str, ...], np.ndarray]], own: tuple[str, ...], case: int, K: int
) -> np.ndarray:
    """CRC-32 of the records of one case, along the dimensions `own`: of the bytes of their values, dataset by dataset; values
    of vertices past K are left out, so that a file with room for more of them has the same.

    `parts`: name, dimensions (case first) and values of the datasets that the checksum covers."""
    rows = []
    for _, dims, values in parts:
        rest = [dim for dim in dims[1:] if dim not in own]
        values = values[case]
        if "vertex" in dims:
            values = values[..., :K]
        values = values.transpose([dims.index(dim) - 1 for dim in (*own, *rest)])
        rows.append(np.ascontiguousarray(values).reshape(*values.shape[: len(own)], -1).view(np.uint8))
    joined = np.concatenate(rows, axis=-1)
    shape, size = joined.shape[:-1], joined.shape[-1]
    # A list of byte strings, one a record: zlib's own loop is faster than a look-up of all records at once in NumPy.
    records = joined.reshape(-1, size).view(f"V{size}").ravel().tolist()
    return np.fromiter(map(zlib.crc32, records), np.uint32, len(records)).reshape(shape)


BLOCK = 1 << 26  # bytes of runs that are held at once to look at their checksums


def _sound_runs(group: h5py.Group, status: np.ndarray, K: np.ndarray, variables: dict[str, Variable]) -> np.ndarray:
    """Which runs fit their checksums; a pending one makes no claim."""
    names = _value(group["checksum"].attrs["covers"]).split()
    expected = group["checksum"][()]
    sound = status == PENDING
    size = sum(group[name].nbytes for name in names) // max(len(status), 1)
    step = max(1, BLOCK // max(size, 1))
    for first in range(0, len(status), step):
        block = np.s_[first : first + step]
        if sound[block].all():
            continue
        parts = [(name, variables[name].dims, group[name][block]) for name in names]
        for case in range(len(status[block])):
            found = _checksums(parts, ("algorithm", "seed"), case, int(K[first + case]))
            sound[first + case] |= found == expected[first + case]
    return sound
