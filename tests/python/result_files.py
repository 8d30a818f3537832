"""Result files compared bit for bit, and tampered with; shared by the tests and the campaigns."""

import zlib

import h5py
import numpy as np

# What may differ between two runs of one job: timing and provenance.
TIMING = {"runs/seconds", "runs/attempts", "cases/seconds"}
SETTLED = (1, 2, 3)
HEADER = (
    "format",
    "format_version",
    "job",
    "seed",
    "setting",
    "conventions",
    "convention_points",
    "threshold",
    "stream",
    "results_version",
    "max_steps",
)


def datasets(path):
    """All datasets of a file, by name, as arrays; the live state aside."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return {name: values for name, values in found.items() if not name.startswith("live/")}


def dimensions(group):
    """Names of the dimensions of each dataset of a group."""
    names = {int(item.attrs["_Netcdf4Dimid"]): name for name, item in group.items()}
    return {name: [names[int(i)] for i in item.attrs["_Netcdf4Coordinates"]] for name, item in group.items()}


def covered(group):
    """The datasets that a group's checksums cover, in their order."""
    return group["checksum"].attrs["covers"].decode().split()


def differences(a, b):
    """Names of datasets that differ in any bit, timing aside; attributes that results depend on, too."""
    first, second = datasets(a), datasets(b)
    names = set(first.keys() ^ second.keys())
    for name in (first.keys() & second.keys()) - TIMING:
        x, y = first[name], second[name]
        if x.shape != y.shape or x.dtype != y.dtype or x.tobytes() != y.tobytes():
            names.add(name)
    with h5py.File(a, "r") as left, h5py.File(b, "r") as right:
        names |= {"@" + name for name in HEADER if left.attrs[name] != right.attrs[name]}
    return sorted(names)


def wrong_runs(path, reference):
    """How many runs and cases `path` calls settled whose values are not `reference`'s; and how many it settles."""
    wrong = settled = 0
    with h5py.File(path, "r") as file, h5py.File(reference, "r") as right:
        for group in ("runs", "cases"):
            dims = dimensions(file[group])
            own = dims["status"]
            done = np.isin(file[group]["status"][()], SETTLED)
            settled += int(done.sum())
            bad = np.zeros(done.shape, dtype=bool)
            for name in [*covered(file[group]), "checksum"]:
                x, y = file[group][name][()], right[group][name][()]
                same = (x == y) | ((x != x) & (y != y))
                bad |= ~same.all(axis=tuple(i for i, dim in enumerate(dims[name]) if dim not in own))
            wrong += int((bad & done).sum())
    return wrong, settled


def seal(path):
    """Gives every run and case the checksum of the values that it now has, one by one as the format describes it."""
    with h5py.File(path, "r+") as file:
        K = file["cases/K"][()]
        for group in ("runs", "cases"):
            dims, names = dimensions(file[group]), covered(file[group])
            values = {name: file[group][name][()] for name in names}
            sums = file[group]["checksum"][()]
            for index in np.ndindex(sums.shape):
                at = dict(zip(dims["status"], index)) | {"vertex": slice(0, K[index[0]])}
                parts = (values[name][tuple(at.get(dim, slice(None)) for dim in dims[name])] for name in names)
                sums[index] = zlib.crc32(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
            file[group]["checksum"][...] = sums
