"""The only module that opens result files (docs/result-file.md): checks them, and hands out arrays and tables.

Missing values. What a run's status does not vouch for (pending, failed) is missing: NaN or <NA>. A run that was
capped at max_steps before it could stop at some δ is censored there: τ, recommendation and correctness are missing at
that δ, and `status` says "capped".

Several files. Their rows are put together, each with the name of its `file`. A run that two files of equal settings
both hold (parts of one grid, a copy that was continued) counts once; if the two differ, the files are refused.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import h5py
import numpy as np
import pandas as pd
import xarray as xr

from . import theory
from .errors import NothingToDraw, UserError

FORMAT_VERSION = 1
PENDING, DONE, CAPPED, FAILED = range(4)
STATUS = ("pending", "done", "capped", "failed")
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


def open(*paths: os.PathLike | str) -> Results:  # noqa: A001 (like h5py.File, xarray.open_dataset)
    """Opens one result file or several. Everything is read lazily, and again only after `open` is called again."""
    if not paths:
        raise UserError("no result file given")
    seen: dict[pathlib.Path, pathlib.Path] = {}
    for path in map(pathlib.Path, paths):
        seen.setdefault(path.resolve(), path)
    return Results([ResultFile(path) for path in seen.values()])


@contextlib.contextmanager
def _opened(path: pathlib.Path) -> Iterator[h5py.File]:
    """The HDF5 file, with what can go wrong in one line each. Without HDF5's locks: the writer uses none, and Lustre
    and NFS often lack them."""
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
        try:
            file = h5py.File(path, "r", locking=False)
        except (TypeError, ValueError):  # an HDF5 library without that switch
            file = h5py.File(path, "r")
    except OSError as error:
        text = str(error)
        if "truncated" in text:
            raise UserError(
                f"{path}: truncated: {size} bytes are not all of it (copy it again from where the sweep " "wrote it)"
            ) from None
        raise UserError(f"{path}: cannot be read as HDF5: {text} (copy it again, or run the sweep again)") from None
    try:
        with file:
            yield file
    except (OSError, KeyError, RuntimeError, ValueError, TypeError, AttributeError) as error:  # what h5py raises
        text = str(error).strip("'\"").splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path}: damaged: {text} (copy it again, or run the sweep again)") from None


def _text(values) -> np.ndarray:
    return np.array(
        [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in np.ravel(values)], dtype=object
    )


def _categories(values: np.ndarray) -> pd.Categorical:
    """A categorical whose categories keep the order of first appearance: that of the job file."""
    return pd.Categorical(values, categories=list(dict.fromkeys(values)))


@dataclass
class Failure:
    """A failed task, with the command that runs it alone."""

    file: str
    label: str
    algorithm: str
    seed: int
    message: str
    replay: str


class ResultFile:
    """One result file. Small things are read when it is opened; runs when they are asked for."""

    def __init__(self, path: os.PathLike | str):
        self.path = pathlib.Path(path)
        self.name = str(path)
        with _opened(self.path) as file:
            form = file.attrs.get("format")
            form = form.decode() if isinstance(form, bytes) else form
            if form != "tasfg":
                raise UserError(f"{path}: not a result file of tasfg (attribute format = {form!r}, must be 'tasfg')")
            version = file.attrs.get("format_version")
            if version != FORMAT_VERSION:
                raise UserError(
                    f"{path}: format_version {version} (this package reads {FORMAT_VERSION}; use the "
                    "tasfg_analysis that came with the program that wrote the file)"
                )
            self.attributes = {
                name: (
                    value.item()
                    if isinstance(value, np.generic)
                    else value.decode() if isinstance(value, bytes) else value
                )
                for name, value in file.attrs.items()
            }
            self.attributes.setdefault("results_version", "1")  # of files from before there was one
            for name in (
                "cases/T_star",
                "cases/status",
                "runs/status",
                "runs/tau",
                "runs/stopped",
                "runs/correct",
                "runs/recommended",
                "runs/pulls",
                "runs/log_inv_delta",
                "failures/message",
                *(f"@{each}" for each in (*SETTINGS, "job", "status", "updated")),
            ):
                if name not in file if name[0] != "@" else name[1:] not in self.attributes:
                    raise UserError(f"{path}: damaged: no {name} (copy it again, or run the sweep again)")
            self.algorithms = _text(file["runs/algorithm"][()])
            self.algorithm_options = _text(file["runs/algorithm_options"][()])
            self.log_inv_delta = file["runs/log_inv_delta"][()].astype(float)
            self.seeds = file["runs/seed"][()]
            self.labels = _text(file["cases/label"][()])
            self.shape = file["runs/tau"].shape  # case, algorithm, delta, seed
            C, A, D, S = self.shape
            V = len(file["runs/vertex"])
            sizes = {
                "runs/algorithm": (A,),
                "runs/algorithm_options": (A,),
                "runs/log_inv_delta": (D,),
                "runs/seed": (S,),
                "cases/label": (C,),
                "cases/T_star": (C,),
                "runs/status": (C, A, S),
                "runs/steps": (C, A, S),
                "runs/seconds": (C, A, S),
                "runs/attempts": (C, A, S),
                "runs/pulls": (C, A, S, V),
                "runs/stopped": self.shape,
                "runs/correct": self.shape,
                "runs/recommended": self.shape,
            }
            for name, shape in sizes.items():
                if file[name].shape != shape:
                    raise ValueError(f"{name} has the shape {file[name].shape}, not {shape}")

    @property
    def settings(self) -> tuple:
        return tuple(self.attributes[name] for name in SETTINGS)

    @cached_property
    def cases(self) -> xr.Dataset:
        """/cases with integers' missing values as NaN; what is not solved yet is missing."""
        variables = {}
        with _opened(self.path) as file:
            for name, item in file["cases"].items():
                values = item[()]
                dims = ("vertex",) if name == "vertex" else ("case", "vertex")[: values.ndim]
                fill = item.attrs.get("_FillValue")
                if values.dtype == object:
                    values = _text(values)
                elif fill is not None and values.dtype.kind in "iu":
                    values = np.where(values == fill, np.nan, values)
                variables[name] = (
                    dims,
                    values,
                    {key: item.attrs[key] for key in ("long_name", "units") if key in item.attrs},
                )
            data = xr.Dataset(variables)
            data = data.set_coords(["case", "vertex"])
        solved = data.status == DONE
        for name in (
            "T_star",
            "T_star_lower",
            "T_heuristic",
            "T_uniform",
            "omega",
            "omega_heuristic",
            "m",
            "m_norm",
            "tv_heuristic",
            "face_dimension",
        ):
            data[name] = data[name].where(solved)
        return data.assign_coords(label=("case", self.labels))

    @cached_property
    def run_status(self) -> np.ndarray:
        with _opened(self.path) as file:
            return file["runs/status"][()]

    def _raw_runs(self, *names: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Status, and the datasets named; status first, since a sweep that runs writes it last."""
        with _opened(self.path) as file:
            status = file["runs/status"][()]
            return status, {name: file["runs"][name][()] for name in names}

    @cached_property
    def runs(self) -> xr.Dataset:
        """/runs, masked as the module says, with lower_bound(case, delta) and normalised(case, algorithm, delta, seed)."""
        names = ("tau", "recommended", "correct", "stopped", "steps", "pulls", "seconds", "attempts")
        status, raw = self._raw_runs(*names)
        settled = np.isin(status, (DONE, CAPPED))
        stopped = settled[:, :, None, :] & (raw["stopped"] == 1)
        cells, trajectories = ("case", "algorithm", "delta", "seed"), ("case", "algorithm", "seed")
        tau = np.where(stopped, raw["tau"], np.nan)
        bound = theory.lower_bound(self.cases.T_star.values[:, None], self.log_inv_delta[None, :])
        data = xr.Dataset(
            {
                "tau": (cells, tau, {"units": "draws"}),
                "normalised": (cells, tau / bound[:, None, :, None], {"units": "1"}),
                "correct": (cells, np.where(stopped, raw["correct"], np.nan)),
                "recommended": (cells, np.where(stopped, raw["recommended"], np.nan)),
                "status": (trajectories, status),
                "steps": (trajectories, np.where(settled, raw["steps"], np.nan), {"units": "draws"}),
                "seconds": (trajectories, np.where(settled, raw["seconds"], np.nan), {"units": "s"}),
                "attempts": (trajectories, raw["attempts"]),
                "pulls": (
                    (*trajectories, "vertex"),
                    np.where(settled[..., None] & (raw["pulls"] >= 0), raw["pulls"], np.nan),
                    {"units": "draws"},
                ),
                "lower_bound": (("case", "delta"), bound, {"units": "draws"}),
            },
            coords={
                "case": self.cases.case.values,
                "algorithm": self.algorithms,
                "seed": self.seeds,
                "delta": np.exp(-self.log_inv_delta),
                "log_inv_delta": ("delta", self.log_inv_delta),
                "vertex": self.cases.vertex.values,
                "label": ("case", self.labels),
                **{name: ("case", self.cases[name].values) for name in ("graph", "K", "p", "q", "r")},
            },
        )
        return data

    def cases_frame(self) -> pd.DataFrame:
        """One row per case, vertex arrays aside."""
        flat = self.cases.drop_vars([n for n in self.cases.variables if "vertex" in self.cases[n].dims])
        frame = flat.to_dataframe().reset_index()
        frame["status"] = pd.Categorical.from_codes(frame["status"].to_numpy(int), STATUS)
        first = ["case", "label", "graph", "K", "p", "q", "r"]
        return frame[first + [name for name in frame.columns if name not in first]]

    def runs_frame(self, keep: np.ndarray | None = None) -> pd.DataFrame:
        """One row per (case, algorithm, seed, delta), in the order of the file; columns as in `Results.runs_frame`."""
        status, raw = self._raw_runs("tau", "recommended", "correct", "stopped")
        index = np.s_[:] if keep is None else np.flatnonzero(keep)

        def spread(values, *axes):
            """Values along some axes of (case, algorithm, delta, seed), repeated along the others; much faster than repeat."""
            values = np.asarray(values)
            out = np.empty(self.shape, dtype=values.dtype)
            out[...] = values.reshape([n if i in axes else 1 for i, n in enumerate(self.shape)])
            return out.reshape(-1)[index]

        def categorical(codes, categories):
            return pd.Categorical.from_codes(codes, categories)

        stopped = (raw.pop("stopped") == 1) & np.isin(status, (DONE, CAPPED))[:, :, None, :]
        stopped = stopped.reshape(-1)[index]
        status = spread(status, 0, 1, 3)
        tau = raw.pop("tau").reshape(-1)[index].astype(float)
        tau[~stopped] = np.nan
        bound = theory.lower_bound(self.cases.T_star.values[:, None], self.log_inv_delta[None, :])
        bound = spread(bound, 0, 2)
        labels, graphs = _categories(self.labels), _categories(self.cases.graph.values)
        code = np.min_scalar_type(-max(len(labels.categories), 1))
        columns = {
            "file": categorical(np.zeros(len(tau), dtype=np.int8), [self.name]),
            "case": spread(self.cases.case.values.astype(np.int32), 0),
            "label": categorical(spread(labels.codes.astype(code), 0), labels.categories),
            "graph": categorical(spread(graphs.codes, 0), graphs.categories),
            "K": spread(self.cases.K.values.astype(np.int32), 0),
            **{name: spread(self.cases[name].values, 0) for name in ("p", "q", "r")},
            "algorithm": categorical(spread(np.arange(len(self.algorithms), dtype=np.int8), 1), list(self.algorithms)),
            "log_inv_delta": spread(self.log_inv_delta, 2),
            "seed": spread(self.seeds.astype(np.int32 if self.seeds.max(initial=0) < 2**31 else np.int64), 3),
            "status": categorical(status, STATUS),
            "tau": tau,
            "lower_bound": bound,
            "normalised": tau / bound,
            "correct": pd.arrays.BooleanArray(raw.pop("correct").reshape(-1)[index] == 1, ~stopped),
            "recommended": pd.arrays.IntegerArray(raw.pop("recommended").reshape(-1)[index], ~stopped),
        }
        return pd.DataFrame(columns, copy=False)

    def pull_shares(self) -> xr.DataArray:
        """Share of the draws that each vertex got: (case, algorithm, seed, vertex). Trajectories run to the smallest δ."""
        pulls = self.runs.pulls
        return pulls / pulls.sum("vertex", min_count=1)

    def failures(self) -> list[Failure]:
        with _opened(self.path) as file:
            group = {name: file["failures"][name][()] for name in ("case", "algorithm", "seed", "message")}
        found = []
        for case, algorithm, seed, message in zip(*group.values()):
            if not 0 <= case < len(self.labels):
                continue
            name = self.algorithms[algorithm] if 0 <= algorithm < len(self.algorithms) else ""
            found.append(
                Failure(
                    self.name,
                    self.labels[case],
                    name,
                    int(seed),
                    bytes(message).split(b"\0")[0].decode("utf-8", "replace"),
                    self.replay_command(int(case), int(algorithm), int(seed)),
                )
            )
        return found

    def replay_command(self, case: int, algorithm: int, seed: int) -> str:
        """The command that runs one task alone, as `tasfg status` prints it (with the means spelled out)."""
        data, a = self.cases.isel(case=case), self.attributes
        words = ["tasfg", "simulate" if algorithm >= 0 else "solve", "--graph", str(data.graph.values)]
        for word in _parameter_words(str(data.parameters.values)):
            words += ["-P", word]
        K = int(data.K)
        words += ["--means=" + ",".join(map(_number, data.means.values[:K])), "--reward", str(data.reward.values)]
        if str(data.reward.values) == "gaussian":
            words += ["--variance", _number(data.variance)]
        if algorithm < 0:
            return shlex.join(words)
        words += ["--algorithm", self.algorithms[algorithm]]
        for option in self.algorithm_options[algorithm].split():
            words += ["-A", f"{self.algorithms[algorithm]}.{option}"]
        words += [
            "--seeds",
            str(seed),
            "--log-inv-delta",
            ",".join(map(_number, self.log_inv_delta)),
            "--setting",
            a["setting"],
            "--conventions",
            a["conventions"],
        ]
        for point in a["convention_points"].split():
            words += ["--set", point]
        words += [
            "--threshold",
            a["threshold"],
            "--stream",
            a["stream"],
            "--master-seed",
            str(a["seed"]),
            "--max-steps",
            str(a["max_steps"]),
            "--csv",
        ]
        return shlex.join(words)


def _number(value) -> str:
    """Shortest text that reads back as the same number."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def _parameter_words(text: str) -> list[str]:
    """ "K=5 p=0.3" → its words; a file's path may hold spaces."""
    return [text] if text.startswith("path=") else text.split()


class Results:
    """What one result file, or several together, hold."""

    def __init__(self, files: list[ResultFile], words: list[str] | None = None):
        self.files = files
        self._words = words
        self._keep = self._unique_runs()

    def only(self, words: list[str]) -> Results:
        """The cases whose label has all words of one of `words`: "ring K=5", "loopy-star r=0.25"."""
        chosen = Results(self.files, list(words))
        if not any(chosen._wanted(file.labels).any() for file in self.files):
            raise UserError(
                f"--cases {' '.join(words)} (no case has these words in its label; the first is "
                f"{self.files[0].labels[0]!r})"
            )
        return chosen

    def _wanted(self, labels) -> np.ndarray:
        if not self._words:
            return np.ones(len(labels), dtype=bool)
        sets = [set(text.split()) for text in self._words]
        return np.array([any(words <= set(label.split()) for words in sets) for label in labels], dtype=bool)

    @property
    def names(self) -> str:
        return ", ".join(file.name for file in self.files)

    @property
    def one(self) -> ResultFile:
        if len(self.files) > 1:
            raise UserError("several result files were given (this takes one)")
        return self.files[0]

    def _unique_runs(self) -> list[np.ndarray | None]:
        """Per file, which cells count (None: all): a run that several files hold counts in one of them."""
        keep: list[np.ndarray | None] = [None] * len(self.files)
        for j, later in enumerate(self.files):
            for i, earlier in enumerate(self.files[:j]):
                if earlier.settings != later.settings:
                    continue
                same = _overlap(earlier, later)
                if same is None:
                    continue
                at_i, at_j, labels = same
                keep[i] = np.ones(earlier.shape, dtype=bool) if keep[i] is None else keep[i]
                keep[j] = np.ones(later.shape, dtype=bool) if keep[j] is None else keep[j]
                a, b = earlier.run_status[_without_delta(at_i)], later.run_status[_without_delta(at_j)]
                both = np.isin(a, (DONE, CAPPED)) & np.isin(b, (DONE, CAPPED))
                _, x = earlier._raw_runs("tau")
                _, y = later._raw_runs("tau")
                differ = both[:, :, None, :] & (x["tau"][np.ix_(*at_i)] != y["tau"][np.ix_(*at_j)])
                if differ.any():
                    c, al, _, s = np.argwhere(differ)[0]
                    raise UserError(
                        f"{later.name}: disagrees with {earlier.name} on {labels[c]} "
                        f"{earlier.algorithms[at_i[1][al]]} seed {earlier.seeds[at_i[3][s]]} (one of them is "
                        "damaged or of another version; give one alone)"
                    )
                # Of two, the one that is settled; of equals, the earlier file's.
                settled_a, settled_b = a != PENDING, b != PENDING
                drop_a = (settled_b & ~settled_a)[:, :, None, :]
                keep[i][np.ix_(*at_i)] &= ~drop_a
                keep[j][np.ix_(*at_j)] &= drop_a
        return keep

    @property
    def settings(self) -> list[tuple]:
        """The distinct settings of the files that hold runs."""
        return list(dict.fromkeys(file.settings for file in self.files if np.prod(file.shape)))

    def require_runs(self, what: str) -> None:
        """Refuses files without a single settled run, and files whose runs follow different settings."""
        if not any(np.isin(f.run_status, (DONE, CAPPED)).any() for f in self.files):
            raise NothingToDraw(
                f"{self.names}: no settled runs ({what} needs a job with algorithms, as jobs/paper-main.toml)"
            )
        if len(self.settings) > 1:
            a, b = self.settings[:2]
            name, x, y = next((n, x, y) for n, x, y in zip(SETTINGS, a, b) if x != y)
            raise UserError(
                f"{self.names}: runs of different settings ({name}: {x} and {y}); "
                f"{what} takes files of one kind, so name them apart"
            )

    @cached_property
    def cases(self) -> xr.Dataset:
        """Cases of all files along `case`, each once; a solved one rather than a pending one."""
        if len(self.files) == 1:
            data = self.files[0].cases
            return data if not self._words else data.isel(case=self._wanted(data.label.values))
        chosen: dict[tuple, tuple[int, int]] = {}
        for f, file in enumerate(self.files):
            solved = file.cases.status.values == DONE
            for c, key in enumerate(zip(file.labels, file.cases.key.values.tolist())):
                if key not in chosen:
                    chosen[key] = f, c
                    continue
                other, o = chosen[key]
                there = self.files[other].cases
                if solved[c] and there.status.values[o] == DONE:
                    # Versions may differ in the last digits; the certified intervals must overlap.
                    x, y = file.cases.isel(case=c), there.isel(case=o)
                    if float(x.T_star_lower) > float(y.T_star) or float(y.T_star_lower) > float(x.T_star):
                        raise UserError(
                            f"{file.name}: disagrees with {self.files[other].name} on T* of {key[0]} (one of "
                            "them is damaged; give one alone)"
                        )
                elif solved[c]:
                    chosen[key] = f, c
        parts = []
        for f, file in enumerate(self.files):
            rows = [c for at, c in chosen.values() if at == f]
            if rows:
                parts.append(file.cases.isel(case=rows).assign_coords(file=("case", [file.name] * len(rows))))
        joined = xr.concat(parts, dim="case", join="outer", coords="minimal", compat="override")
        joined = joined.assign_coords(case=np.arange(joined.sizes["case"]))
        return joined.isel(case=self._wanted(joined.label.values))

    @cached_property
    def runs(self) -> xr.Dataset:
        """Runs of all files along `case` (other dimensions: the union); a run that two files hold is in one of them."""
        if len(self.files) == 1:
            data = self.files[0].runs
            return data if not self._words else data.isel(case=self._wanted(data.label.values))
        parts = []
        for file, keep in zip(self.files, self._keep):
            data = file.runs.drop_vars("case")
            if keep is not None:
                cells = xr.DataArray(keep, dims=("case", "algorithm", "delta", "seed"))
                whole = cells.all("delta")
                data = data.assign(
                    {name: data[name].where(cells) for name in ("tau", "normalised", "correct", "recommended")}
                    | {name: data[name].where(whole) for name in ("steps", "seconds", "pulls")}
                )
            parts.append(data.assign_coords(file=("case", [file.name] * data.sizes["case"])))
        joined = xr.concat(parts, dim="case", join="outer")
        joined = joined.assign_coords(case=np.arange(joined.sizes["case"]))
        return joined.isel(case=self._wanted(joined.label.values))

    def cases_frame(self) -> pd.DataFrame:
        """One row per case: label, graph, K, p, q, r, T_star, T_star_lower, T_heuristic, … (docs/result-file.md)."""
        if len(self.files) == 1:
            frame = self.files[0].cases_frame()
            frame.insert(0, "file", self.files[0].name)
            return frame if not self._words else frame[self._wanted(frame.label)]
        flat = self.cases.drop_vars([n for n in self.cases.variables if "vertex" in self.cases[n].dims])
        frame = flat.to_dataframe().reset_index()
        frame["status"] = pd.Categorical.from_codes(frame["status"].to_numpy(int), STATUS)
        first = ["file", "case", "label", "graph", "K", "p", "q", "r"]
        return frame[first + [name for name in frame.columns if name not in first]]

    def runs_frame(self) -> pd.DataFrame:
        """One row per (case, algorithm, seed, δ).

        file, case, label, graph, K, p, q, r, algorithm; log_inv_delta (ln(1/δ), nats); seed; status (pending, done, capped,
        failed); tau (draws; missing unless stopped); lower_bound (T*·kl(δ,1−δ), draws); normalised (tau/lower_bound);
        correct, recommended (missing unless stopped).
        """
        frames = [
            file.runs_frame(None if keep is None else keep.reshape(-1)) for file, keep in zip(self.files, self._keep)
        ]
        if self._words:
            for i, (file, frame) in enumerate(zip(self.files, frames)):
                labels = file.labels[self._wanted(file.labels)]
                frames[i] = frame[frame.label.isin(labels)]
                for name in ("label", "graph"):
                    frames[i] = frames[i].assign(**{name: frames[i][name].cat.remove_unused_categories()})
        if len(frames) == 1:
            return frames[0]
        for name in ("file", "label", "graph", "algorithm"):
            union = list(dict.fromkeys(c for frame in frames for c in frame[name].cat.categories))
            for frame in frames:
                frame[name] = frame[name].cat.set_categories(union)
        return pd.concat(frames, ignore_index=True)

    def failures(self) -> list[Failure]:
        return [failure for file in self.files for failure in file.failures()]


def _without_delta(index: list[np.ndarray]):
    return np.ix_(index[0], index[1], index[3])


def _overlap(a: ResultFile, b: ResultFile):
    """Indices (case, algorithm, delta, seed) in a and in b of what both hold, and the cases' labels; None: nothing."""
    axes = [
        (list(zip(a.labels, a.cases.key.values.tolist())), list(zip(b.labels, b.cases.key.values.tolist()))),
        (list(zip(a.algorithms, a.algorithm_options)), list(zip(b.algorithms, b.algorithm_options))),
        (a.log_inv_delta.tolist(), b.log_inv_delta.tolist()),
        (a.seeds.tolist(), b.seeds.tolist()),
    ]
    at_a, at_b = [], []
    for first, second in axes:
        where = {value: i for i, value in enumerate(second)}
        pairs = [(i, where[value]) for i, value in enumerate(first) if value in where]
        if not pairs:
            return None
        at_a.append(np.array([i for i, _ in pairs]))
        at_b.append(np.array([j for _, j in pairs]))
    return at_a, at_b, [a.labels[i] for i in at_a[0]]
