"""What users do with a result file, each on a small job: prepared in a folder, run, and the file looked at afterwards."""

import os
import pathlib
import shutil
import sys
import tempfile
import zlib
from dataclasses import dataclass, field

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import result_files
from processes import run

# None of the faults needs a disk.
if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"

RUN = ("case", "algorithm", "seed")
DONE = (1, 2)
FAILED = 3
BITS = {1: np.uint8, 4: np.uint32, 8: np.uint64}

# Small: thousands of these sweeps fit into minutes. Every dataset that there can be is there.
JOB = """
seed = 3
replications = 4
log_inv_delta = [1.0, 2.0]
algorithms = ["uniform", "tas-fg-heur"]
checkpoints = [10]
pulls_by_delta = true
[[graph]]
family = "ring"
K = [3, 4]
"""

# The same, until its cells are precise enough: some are so at once, some never.
PRECISE = JOB.replace("replications = 4", "replications = 80\nprecision = { mean = 0.15 }")

SWEEP = ("sweep", "job.toml", "-o", "out.h5", "-q")


@dataclass(frozen=True)
class Operation:
    """A command, and the files that lie there when it starts: name there → name among the materials."""

    command: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)


OPERATIONS = {
    "create": Operation(SWEEP),
    "continue": Operation(SWEEP, {"out.h5": "partial.h5"}),
    "grow": Operation(SWEEP, {"out.h5": "small.h5"}),
    "merge": Operation(("merge", "out.h5", "part0.h5", "part1.h5"), {"part0.h5": "part0.h5", "part1.h5": "part1.h5"}),
    "merge-into": Operation(("merge", "out.h5", "part1.h5"), {"out.h5": "joined.h5", "part1.h5": "part1.h5"}),
    "retry": Operation((*SWEEP, "--retry-failed"), {"out.h5": "failed.h5"}),
}


def spread(mask, dims, shape):
    """A mask of runs (case, algorithm, seed) along all dimensions of one of their datasets."""
    return np.broadcast_to(mask.reshape([n if dim in RUN else 1 for dim, n in zip(dims, shape)]), shape)


class Materials:
    """The finished sweep of a job, and files on the way there."""

    def __init__(self, folder, job=JOB):
        self.folder = folder = pathlib.Path(folder)
        self.whole = folder / "whole.h5"
        (folder / "job.toml").write_text(job)
        run(*SWEEP[:3], self.whole, "-q", cwd=folder)
        self.values = result_files.datasets(self.whole)
        shape = self.values["runs/status"].shape
        with h5py.File(self.whole, "r") as file:
            # Of the runs' datasets, their dimensions and what they hold before the run.
            self.dims = {name: dims for name, item in file["runs"].items()
                         if set(RUN) <= set(dims := result_files.dimensions(item))}
            self.fill = {name: file["runs"][name].attrs.get("_FillValue", 0) for name in self.dims}
            self.covered = {group: file[group]["checksum"].attrs["covers"].decode().split() for group in ("runs", "cases")}
        for i in (0, 1):
            run(*SWEEP[:3], f"part{i}.h5", "-q", "--shard", f"{i}/2", cwd=folder)
        run("merge", "joined.h5", "part0.h5", cwd=folder)  # the beginning of the whole, no longer a shard
        run(*SWEEP[:3], "small.h5", "-q", "--set", f"replications={shape[2] // 2}", cwd=folder)
        every_other = (np.indices(shape).sum(axis=0) % 2).astype(bool)
        # A sweep that died: half of it is left, and of one run not all reached the disk.
        shutil.copy(self.whole, folder / "partial.h5")
        self.forget(folder / "partial.h5", every_other)
        result_files.set_live(folder / "partial.h5", "status", "running")
        with h5py.File(folder / "partial.h5", "r+") as file:
            file["runs/tau"][0, 0, 0, 0] += 1
        # A quarter has failed.
        shutil.copy(self.whole, folder / "failed.h5")
        with h5py.File(folder / "failed.h5", "r+") as file:
            status = file["runs/status"][()]
            status[:, -1][(every_other & np.isin(status, DONE))[:, -1]] = FAILED
            file["runs/status"][...] = status
            sums = file["runs/checksum"][()]
            values = {name: file["runs"][name][()] for name in self.covered["runs"]}
            for index in np.argwhere(status == FAILED):
                sums[tuple(index)] = self.checksum(values, dict(zip(RUN, index)))
            file["runs/checksum"][...] = sums
        result_files.set_live(folder / "failed.h5", "status", "failed")
        self.before = {name: self.look(folder / name) for name in ("partial.h5", "small.h5", "joined.h5", "failed.h5")}

    def checksum(self, values, run_index):
        """Of one run, from the arrays that it covers."""
        total = 0
        for name, array in values.items():
            value = array[tuple(run_index.get(dim, slice(None)) for dim in self.dims[name])]
            if self.dims[name][-1] == "vertex":
                value = value[..., : self.values["runs/K"][run_index["case"]]]
            total = zlib.crc32(np.ascontiguousarray(value).tobytes(), total)
        return total

    def lay_out(self, operation, place):
        """Puts the files of an operation into an empty folder."""
        shutil.copy(self.folder / "job.toml", place)
        for there, name in operation.files.items():
            shutil.copy(self.folder / name, place / there)

    def forget(self, path, mask):
        """Makes runs pending, as if they had never been."""
        with h5py.File(path, "r+") as file:
            for name, dims in self.dims.items():
                values = file["runs"][name][()]
                values[spread(mask, dims, values.shape)] = self.fill[name]
                file["runs"][name][...] = values

    def look(self, path):
        """(done, wrong, failed): masks of the runs of a file that are called done, that are so with values that are not
        the whole's, and that are called failed. None where there is no file; raises where it does not open."""
        if not path.exists():
            return None
        with h5py.File(path, "r") as file:
            status = file["runs/status"][()]
            done = np.isin(status, DONE)
            wrong = np.zeros_like(done)
            for name in ("status", "checksum", *self.covered["runs"]):
                values = file["runs"][name][()]
                right = self.values[f"runs/{name}"][tuple(map(slice, values.shape))]
                differs = np.ascontiguousarray(values).view(BITS[values.itemsize]) != \
                    np.ascontiguousarray(right).view(BITS[right.itemsize])
                if self.dims[name][-1] == "vertex":  # what stands past K belongs to no run
                    past = np.arange(values.shape[-1]) >= self.values["runs/K"][:, None]
                    differs &= ~past.reshape([values.shape[0]] + [1] * (values.ndim - 2) + [-1])
                inner = tuple(i for i, dim in enumerate(self.dims[name]) if dim not in RUN)
                wrong |= done & differs.any(axis=inner)
            solved = file["cases/status"][()] == 1
            for name in self.covered["cases"]:
                values, right = file["cases"][name][()], self.values[f"cases/{name}"]
                K = self.values["cases/K"] if right.shape[1:] == self.values["cases/means"].shape[1:] else None
                for case in np.flatnonzero(solved):
                    part = slice(None) if K is None else slice(K[case])
                    wrong[case] |= np.atleast_1d(values[case])[part].tobytes() != np.atleast_1d(right[case])[part].tobytes()
            return done, wrong, status == FAILED

    def differs(self, path):
        """Names of the datasets that are not the whole's bit for bit, timing and live state aside."""
        with h5py.File(path, "r") as file:
            names = [name for name in self.values if not result_files.may_differ(name)]
            there = [name for name in names if name in file and file[name].shape == self.values[name].shape]
            return sorted({*names} - {name for name in there if file[name][()].tobytes() == self.values[name].tobytes()})

    def complaints(self, operation, place, status):
        """What is not as promised in the folder after an operation that ended with `status`, in words."""
        before = self.before.get(operation.files.get("out.h5"))
        try:
            unsigned = result_files.unsigned(place / "out.h5") if (place / "out.h5").exists() else 0
            if unsigned:
                return [f"{unsigned} results do not say which program made them"]
            if status == 0:
                more = self.debris(operation, place)
                different = self.differs(place / "out.h5")
                return [text for text, found in ((f"status 0, but the file differs in {', '.join(different)}", different),
                                                 (f"left behind: {', '.join(more)}", more)) if found]
            found = self.look(place / "out.h5")
        except Exception as error:  # whatever h5py or numpy say about a file that is not what it should be
            return [f"the file does not open: {error}"]
        if found is None:
            return ["the file is gone"] if before else []
        done, wrong, failed = found
        said = []
        if before:
            part = tuple(map(slice, before[0].shape))
            lost = before[0] & ~before[1] & ~done[part]
            if lost.any():
                said.append(f"{lost.sum()} runs are lost")
            wrong[part] &= ~before[1]  # one that was torn before stays so until a sweep looks
            failed[part] &= ~before[2]
        if wrong.any():
            said.append(f"{wrong.sum()} runs are wrong")
        if failed.any():
            said.append(f"{failed.sum()} runs are called failed")
        return said

    @staticmethod
    def debris(operation, place):
        known = {"job.toml", "out.h5", *operation.files}
        return sorted(p.name for p in place.iterdir() if p.name not in known)
