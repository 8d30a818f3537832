"""Result files compared bit for bit; shared by the tests and the campaigns."""

import h5py
import numpy as np

# What may differ between two runs of one job: timing and provenance.
TIMING = {"runs/seconds", "runs/attempts", "cases/seconds"}
SETTLED = (1, 2, 3)


def datasets(path):
    """All datasets of a file, by name, as arrays."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def differences(a, b):
    """Names of datasets that differ in any bit, timing aside; attributes that results depend on, too."""
    first, second = datasets(a), datasets(b)
    names = {name for name in first.keys() ^ second.keys()}
    for name in (first.keys() & second.keys()) - TIMING:
        x, y = first[name], second[name]
        same = x.shape == y.shape and x.dtype == y.dtype
        if same and x.dtype.kind != "O":
            same = x.tobytes() == y.tobytes()
        elif same:
            same = bool(np.all(x == y))
        if not same:
            names.add(name)
    with h5py.File(a, "r") as left, h5py.File(b, "r") as right:
        for name in ("format", "format_version", "job", "seed", "setting", "conventions", "convention_points",
                     "threshold", "stream", "results_version", "max_steps"):
            if left.attrs[name] != right.attrs[name]:
                names.add("@" + name)
    return sorted(names)


def wrong_runs(path, reference):
    """How many runs and cases `path` calls settled whose values are not `reference`'s; and how many it settles."""
    wrong = settled = 0
    with h5py.File(path, "r") as file, h5py.File(reference, "r") as right:
        status = file["runs/status"][()]
        done = np.isin(status, SETTLED)
        settled += int(done.sum())
        bad = done & (status != right["runs/status"][()])
        for name in ("steps", "checksum"):
            bad |= done & (file["runs"][name][()] != right["runs"][name][()])
        for name in ("tau", "recommended", "correct", "stopped"):
            same = file["runs"][name][()] == right["runs"][name][()]
            bad |= done & ~same.all(axis=2)
        bad |= done & ~(file["runs/pulls"][()] == right["runs/pulls"][()]).all(axis=3)
        wrong += int(bad.sum())
        solved = file["cases/status"][()] != 0
        settled += int(solved.sum())
        for name in file["cases"]:
            if name in ("seconds", "status", "vertex") or file["cases"][name].dtype.kind == "O":
                continue
            x, y = file["cases"][name][()][solved], right["cases"][name][()][solved]
            if x.tobytes() != y.tobytes():
                wrong += 1
    return wrong, settled
