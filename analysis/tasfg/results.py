"""Several result files as one.

Their rows are put together, each with the name of its `file`. A run that two files of equal settings
both hold (parts of one grid, a copy that was continued) counts once; if the two differ, the files are refused."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from .errors import NothingToDraw, UserError
from .reader import (
    CHECKPOINT,
    DONE,
    PENDING,
    SETTINGS,
    SETTLED,
    STATUS,
    STOP,
    Failure,
    ResultFile,
    frame_of_cases,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def open(*paths: os.PathLike | str) -> Results:  # noqa: A001 (like h5py.File, xarray.open_dataset)
    """Opens one result file or several. Everything is read lazily, and again only after `open` is called again."""
    if not paths:
        raise UserError("no result file given")
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise UserError(f"a {type(path).__name__} (must be the path of a result file)")
    seen: dict[pathlib.Path, pathlib.Path] = {}
    for path in map(pathlib.Path, paths):
        seen.setdefault(path.resolve(), path)
    return Results([ResultFile(path) for path in seen.values()])


class Results:
    """What one result file, or several together, hold."""

    def __init__(self, files: list[ResultFile], words: list[str] | None = None) -> None:
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
        """The files' names, for messages."""
        return ", ".join(file.name for file in self.files)

    @property
    def algorithms(self) -> list[str]:
        """All algorithms, in the order of the files."""
        return list(dict.fromkeys(str(name) for file in self.files for name in file.algorithms))

    @property
    def damaged(self) -> int:
        """How many runs do not fit their checksums, and are therefore left out."""
        return sum(file.damaged for file in self.files)

    @property
    def max_steps(self) -> int:
        """Draws after which a run is capped; the largest of the files (a figure takes files with one alone)."""
        return max(file.max_steps for file in self.files)

    def caps(self, rows: pd.DataFrame) -> np.ndarray:
        """Draws after which the runs of these rows of `runs_frame` are capped."""
        steps = np.array([file.max_steps for file in self.files])
        names = {file.name: i for i, file in enumerate(self.files)}
        return steps[rows.file.cat.rename_categories(names).astype(int)] if len(rows) else steps[:0]

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
                both = np.isin(a, SETTLED) & np.isin(b, SETTLED)
                x, y = (next(file._read_runs(["tau"]))[1] for file in (earlier, later))
                differ = both[:, :, None, :] & (x[np.ix_(*at_i)] != y[np.ix_(*at_j)])
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
                for kept, at, wanted in ((keep[i], at_i, ~drop_a), (keep[j], at_j, drop_a)):
                    assert kept is not None
                    kept[np.ix_(*at)] &= wanted
        return keep

    @property
    def settings(self) -> list[tuple]:
        """The distinct settings of the files that hold runs."""
        return list(dict.fromkeys(file.settings for file in self.files if np.prod(file.shape)))

    @property
    def stopped(self) -> bool:
        """Whether cells ran until they were precise enough, in one of the files."""
        return any(file.attributes.get("precision") for file in self.files)

    @property
    def weighted(self) -> bool:
        """Whether runs are weighted ones, of a job with measure = "error", in one of the files."""
        return any(file.measure == "error" for file in self.files)

    def asked(self, quantity: str) -> bool:
        """Whether a job asked for that precision: "mean", "median", "error" or "ratio"."""
        texts = (str(file.attributes.get("precision") or "") for file in self.files)
        return any(word.startswith(f"{quantity}=") for text in texts for word in text.split())

    @cached_property
    def run_counts(self) -> dict[str, int]:
        """Runs by status, those that two files hold once."""
        counts = np.zeros(len(STATUS), dtype=int)
        for mask, file in self._run_masks():
            counts += np.bincount(file.run_status[mask], minlength=len(STATUS))
        return dict(zip(STATUS, counts.tolist()))

    def run_totals(self, *names: str) -> dict[str, float]:
        """Sums over the settled runs of quantities per run, as steps and seconds."""
        return {
            name: sum(float(np.nansum(file.runs[name].values[mask])) for mask, file in self._run_masks() if mask.size)
            for name in names
        }

    def _run_masks(self) -> Iterator[tuple[np.ndarray, ResultFile]]:
        for file, keep in zip(self.files, self._keep):
            mask = np.ones(file.run_status.shape, dtype=bool) if keep is None else keep.any(axis=2)
            yield mask & self._wanted(file.labels)[:, None, None], file

    def require_runs(self, what: str) -> None:
        """Refuses files without a single settled run, and files whose runs follow different settings."""
        if not any(np.isin(f.run_status, SETTLED).any() for f in self.files):
            raise NothingToDraw(
                f"{self.names}: no settled runs ({what} needs a job with algorithms, as jobs/paper-main.toml)"
            )
        if len(self.settings) > 1:
            a, b = self.settings[:2]
            name, x, y = next((n, x, y) for n, x, y in zip((*SETTINGS, "measure"), a, b) if x != y)
            raise UserError(
                f"{self.names}: runs of different settings ({name}: {x} and {y}); "
                f"{what} takes files of one kind, so name them apart"
            )

    def require_times(self, what: str) -> None:
        """Refuses weighted runs as well, whose stopping times are not those of the instance."""
        self.require_runs(what)
        if self.weighted:
            raise NothingToDraw(
                f'{self.names}: weighted runs of measure = "error" ({what} needs plain ones; '
                "`figure error` shows what these tell)"
            )

    @cached_property
    def _chosen(self) -> list[tuple[int, int]]:
        """(file, case) of every case, each once; a solved one rather than a pending one."""
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
        wanted = [self._wanted(file.labels) for file in self.files]
        return sorted((f, c) for f, c in chosen.values() if wanted[f][c])

    @cached_property
    def cases(self) -> xr.Dataset:
        """Cases of all files along `case`, each once."""
        if len(self.files) == 1:
            data = self.files[0].cases
            return data if not self._words else data.isel(case=self._wanted(data.label.values))
        parts = []
        for f, file in enumerate(self.files):
            rows = [c for at, c in self._chosen if at == f]
            if rows:
                parts.append(file.cases.isel(case=rows).assign_coords(file=("case", [file.name] * len(rows))))
        joined = xr.concat(parts, dim="case", join="outer", coords="minimal", compat="override")
        return joined.assign_coords(case=np.arange(joined.sizes["case"]))

    def graph(self, case: int) -> np.ndarray:
        """G of a case, K × K, by its position in `cases`: the probability that choosing the row's vertex shows the column's."""
        f, c = self._chosen[case]
        return self.files[f].graph(c)

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
                cells = xr.DataArray(keep, dims=STOP)
                whole = cells.all("delta")
                per_run = [*file._of_runs(), "normalised"]
                data = data.assign(
                    {name: data[name].where(cells if "delta" in data[name].dims else whole) for name in per_run}
                )
            parts.append(data.assign_coords(file=("case", [file.name] * data.sizes["case"])))
        joined = xr.concat(parts, dim="case", join="outer")
        joined = joined.assign_coords(case=np.arange(joined.sizes["case"]))
        return joined.isel(case=self._wanted(joined.label.values))

    def cases_frame(self) -> pd.DataFrame:
        """One row per case: label, graph, K, p, q, r, T_star, T_star_lower, T_heuristic, … (docs/result-file.md)."""
        return self._cases_frame.copy()

    @cached_property
    def _cases_frame(self) -> pd.DataFrame:
        frame = frame_of_cases(self.cases)
        if "file" not in frame:
            frame.insert(0, "file", self.files[0].name)
        return frame

    def runs_frame(self) -> pd.DataFrame:
        """One row per (case, algorithm, seed, δ).

        file, case, label, graph, K, p, q, r, reward, variance, algorithm; delta, log_inv_delta (ln(1/δ), nats); seed; status
        (pending, done, capped, failed, not needed); tau (draws; missing unless stopped); lower_bound (T*·kl(δ,1−δ), draws);
        practical_bound (the t with t = T*·β(t, δ)); normalised (tau/lower_bound); correct, recommended (missing unless
        stopped); and whatever else the file holds per (case, algorithm, δ, seed).
        """
        return self._frame(STOP)

    def checkpoints_frame(self) -> pd.DataFrame:
        """One row per (case, algorithm, seed, checkpoint): checkpoint_recommended, checkpoint_correct, checkpoint_T_ratio; no
        rows where the job has no checkpoints."""
        return self._frame(CHECKPOINT)

    def _frame(self, dims: tuple[str, ...]) -> pd.DataFrame:
        frames = []
        for file, keep in zip(self.files, self._keep):
            if not all(dim in file.coordinates for dim in dims):
                continue
            if keep is not None and dims != STOP:
                keep = np.broadcast_to(keep.any(axis=2)[:, :, None], [len(file.coordinates[dim]) for dim in dims])
            frame = file.frame(dims, None if keep is None else keep.reshape(-1))
            if self._words:
                frame = frame[frame.label.isin(file.labels[self._wanted(file.labels)])]
                for name in ("label", "graph", "reward"):
                    frame = frame.assign(**{name: frame[name].cat.remove_unused_categories()})
            frames.append(frame)
        if not frames:
            return pd.DataFrame(columns=["label", "algorithm", dims[2], "seed", "status"])
        if len(frames) == 1:
            return frames[0]
        for name in ("file", "label", "graph", "reward", "algorithm"):
            union = list(dict.fromkeys(c for frame in frames for c in frame[name].cat.categories))
            for frame in frames:
                frame[name] = frame[name].cat.set_categories(union)
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """`runs_frame()`, made once; for reading only."""
        return self.runs_frame()

    def failures(self) -> list[Failure]:
        """The failed tasks of all files."""
        return [failure for file in self.files for failure in file.failures()]

    def plot(self, x: str, y: str, **options) -> Figure:
        """A figure of `y` over `x`; see `tasfg.quantities.plot`."""
        from .quantities import plot

        return plot(self, x, y, **options)


def _without_delta(index: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    return np.ix_(index[0], index[1], index[3])


def _overlap(a: ResultFile, b: ResultFile) -> tuple[list, list, list[str]] | None:
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
