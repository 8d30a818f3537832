"""Result files compared bit for bit; shared by the tests and the campaigns."""

import zlib

import h5py
import numpy as np

SETTLED = (1, 2, 3)


def may_differ(name):
    """Whether a dataset may differ between two runs of one job: timing and provenance."""
    return name.startswith(("live/", "sittings/")) or name.endswith(("/seconds", "/attempts", "/sitting"))


def live(path, name):
    """A value of /live: a text, or a number."""
    with h5py.File(path, "r") as file:
        value = file["live"][name][()]
        return value.decode() if isinstance(value, bytes) else value.item()


def set_live(path, name, value):
    with h5py.File(path, "r+") as file:
        file["live"][name][()] = value


def run_checksum(file, case, algorithm, seed):
    """The checksum of a run, computed as docs/result-file.md says."""
    total, runs = 0, file["runs"]
    K = runs["K"][case]
    for name in runs["checksum"].attrs["covers"].decode().split():
        item = runs[name]
        middle = (slice(None),) if "delta" in dimensions(item) or "checkpoint" in dimensions(item) else ()
        value = item[(case, algorithm, *middle, seed)]
        if "vertex" in dimensions(item):
            value = value[..., :K]
        total = zlib.crc32(np.ascontiguousarray(value).tobytes(), total)
    return total


def dimensions(item):
    """Names of a dataset's dimensions, by the identifiers that netCDF-4 uses."""
    names = {other.attrs.get("_Netcdf4Dimid"): name for name, other in item.parent.items()}
    return [names[number] for number in item.attrs.get("_Netcdf4Coordinates", [])]


def header_checksum(file):
    total = 0
    for name in sorted(file.attrs):
        if name != "header_checksum":
            value = file.attrs[name]
            text = value.encode() if isinstance(value, str) else value  # a forged one may be of another type
            total = zlib.crc32(name.encode() + (text if isinstance(text, bytes) else text.tobytes()), total)
    return total


def set_attribute(path, name, value):
    """Changes an attribute of the root as the program would have written it."""
    with h5py.File(path, "r+") as file:
        assert file.attrs["header_checksum"] == header_checksum(file)
        file.attrs[name] = value
        file.attrs["header_checksum"] = np.uint32(header_checksum(file))


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
    for name in first.keys() & second.keys():
        if may_differ(name):
            continue
        x, y = first[name], second[name]
        if x.shape != y.shape or x.dtype != y.dtype or x.tobytes() != y.tobytes():
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
            if name in ("seconds", "sitting", "status", "vertex", "delta", "log_inv_delta"):
                continue
            x, y = file["cases"][name][()][solved], right["cases"][name][()][solved]
            if x.tobytes() != y.tobytes():
                wrong += 1
    return wrong, settled


def unsigned(path):
    """How many runs and cases a file calls settled without naming a sitting that fits its checksum."""
    with h5py.File(path, "r") as file:
        group = file["sittings"]
        parts = [group[name][()] for name in group["checksum"].attrs["covers"].decode().split()]
        sums = [zlib.crc32(b"".join(part[i : i + 1].tobytes() for part in parts)) for i in range(len(parts[0]))]
        sound = (group["started"][()] != b"") & (group["checksum"][()] == sums)
        count = 0
        for each in (file["runs"], file["cases"]):
            settled = np.isin(each["status"][()], SETTLED)
            count += int((settled & ~np.isin(each["sitting"][()], np.flatnonzero(sound))).sum())
        return count


def seal(path):
    """Gives every run and case the checksum of the values that it now has."""
    with h5py.File(path, "r+") as file:
        K = file["cases/K"][()]
        for group in (file["runs"], file["cases"], file["sittings"]):
            own = dimensions(group["checksum"])
            parts = [
                (dimensions(group[name]), group[name][()])
                for name in group["checksum"].attrs["covers"].decode().split()
            ]
            sums = group["checksum"][()]
            for index in np.ndindex(sums.shape):
                at = {dim: slice(i, i + 1) for dim, i in zip(own, index)}  # a single text would lose its padding
                if "case" in at:
                    at["vertex"] = slice(0, K[index[0]])
                bits = (values[tuple(at.get(dim, slice(None)) for dim in dims)] for dims, values in parts)
                sums[index] = zlib.crc32(b"".join(np.ascontiguousarray(value).tobytes() for value in bits))
            group["checksum"][...] = sums
