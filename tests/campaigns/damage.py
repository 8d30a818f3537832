#!/usr/bin/env python3
"""Damages result files at random and gives them to everything that reads result files.

    TASFG=build/release/src/tasfg tests/campaigns/damage.py [--files 10000] [--begin 0] [--seed 1] [--jobs 2] [--only FILE]
        [--keep FOLDER]

A file is damaged by flipped bits, a cut or added end, a block of other bytes, forged values in datasets, forged attributes, or
another structure (what is forged gets fitting checksums half of the time). `tasfg status`, `sweep` (continue; grow; the file
as the job), `merge`, `solve --graph-file` and, where the program has it, `verify` read it, each on a copy, and so does
tasfg.open. None may crash, hang, or take more than 4 GB; status 0, 1, 2 or 75; status 2 with exactly one line; no control
characters in what is printed. Where checksums were not forged, growing and merging must carry over no run that is
wrong, and the reader must show none. Prints counts by kind of damage; exit status 1 where anything was otherwise.
Files have numbers, from `--begin` on; `--only` does one again, `--keep` keeps the files at which something went wrong.
"""

import argparse
import collections
import concurrent.futures
import multiprocessing
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))
import h5py
import numpy as np
from operations import JOB, SWEEP, Materials

import result_files
from processes import SLOWNESS, run

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # of terminals; lines may end
PATIENCE = 30.0 * SLOWNESS  # seconds; whatever reads an undamaged file takes a tenth of one
MEMORY = 4 << 30  # bytes
# Numbers that have broken programs.
NUMBERS = (-1, 0, 1, 2, 3, 127, 128, 255, 1_000_000, 2**31 - 1, -(2**31), 2**32, 2**53, 2**62, 2**63 - 1, -(2**63))
REALS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e308, 5e-324, 2.0**53)
TEXTS = (b"", b"\x1b[31mred\x1b[0m\n", b"%s%n", b"../../etc/passwd", b"x" * 300, b"\xff\xfe", b"=1+1", b"0/0", b"1/2", b"a\tb\rc")


def flip(chance, path):
    """Bits."""
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 2, 8, 64])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_header(chance, path):
    """Bits of the first bytes, where HDF5's superblock and the root are."""
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 2, 8])):
        data[chance.randrange(min(4096, len(data)))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def cut(chance, path):
    """The end: cut off, or more of it."""
    data = path.read_bytes()
    if chance.random() < 0.7:
        path.write_bytes(data[: chance.choice([0, 1, 8, 100, 512, len(data) - 1, chance.randrange(len(data))])])
    else:
        path.write_bytes(data + chance.randbytes(chance.choice([1, 8, 4096, 100_000])))


def block(chance, path):
    """A block of a disk."""
    data = bytearray(path.read_bytes())
    size = chance.choice([64, 512, 4096])
    at = chance.randrange(len(data)) // size * size
    other = chance.randrange(len(data)) // size * size
    length = len(data[at : at + size])
    data[at : at + length] = chance.choice([bytes(length), b"\xff" * length, chance.randbytes(length),
                                            bytes(data[other : other + length]).ljust(length, b"\0")])
    path.write_bytes(data)


def any_value(chance, dtype):
    if dtype.kind == "S":
        return chance.choice(TEXTS)[: dtype.itemsize]
    if dtype.kind == "f":
        return chance.choice(REALS)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return min(max(chance.choice(NUMBERS), low), high)


def all_datasets(file):
    found = []
    file.visititems(lambda name, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
    return found


def value(chance, path):
    """Values of a dataset."""
    with h5py.File(path, "r+") as file:
        for _ in range(chance.choice([1, 1, 1, 3])):
            item = chance.choice(all_datasets(file))
            values = item[()]
            if item.shape == ():
                item[()] = any_value(chance, item.dtype)
                continue
            index = tuple(chance.randrange(n) for n in item.shape)
            if chance.random() < 0.2:
                values[...] = any_value(chance, item.dtype)
            else:
                values[index] = any_value(chance, item.dtype)
            item[...] = values


def value_sealed(chance, path):
    """Values of a dataset, with fitting checksums."""
    value(chance, path)
    with h5py.File(path, "r+") as file:
        for item in all_datasets(file):
            if "checksum" in item.attrs:
                item.attrs["checksum"] = np.uint32(zlib.crc32(item[()].tobytes()))
    try:
        result_files.seal(path)
    except (IndexError, ValueError, OverflowError):  # a forged K: as far as it went
        pass


def attribute(chance, path):
    """An attribute, of the root with a fitting checksum or of a dataset."""
    with h5py.File(path, "r+") as file:
        holder = chance.choice([file, file, chance.choice(all_datasets(file))])
        name = chance.choice(sorted(holder.attrs))
        old = holder.attrs[name]
        what = chance.random()
        if what < 0.1:
            del holder.attrs[name]
        elif what < 0.2:  # another type
            holder.attrs[name] = chance.choice(["variable length", 1.5, np.arange(3), np.bytes_(b"x"), np.int8(-1)])
        elif isinstance(old, bytes):
            text = chance.choice([*TEXTS, old[: len(old) // 2], old + b" ", old.replace(b"3", b"300000000"), old[::-1]])
            holder.attrs[name] = np.bytes_(text) if text else np.bytes_(b" ")
        else:
            old = np.asarray(old)
            holder.attrs[name] = np.full(old.shape, any_value(chance, old.dtype), old.dtype)
        if holder == file and chance.random() < 0.8 and "header_checksum" in file.attrs:
            file.attrs["header_checksum"] = np.uint32(result_files.header_checksum(file))


def structure(chance, path):
    """Datasets that are gone, or something else."""
    with h5py.File(path, "r+") as file:
        item = chance.choice(all_datasets(file))
        name, values, attributes = item.name, item[()], dict(item.attrs)
        other = chance.choice([each.name for each in all_datasets(file) if each.name != name])
        del file[name]
        what = chance.randrange(9)
        shape = np.shape(values)
        if what == 0:
            return
        if what == 1:
            file.create_group(name)
            return
        if what == 2:
            file[name] = h5py.SoftLink(chance.choice([name, other, "/nowhere"]))
            return
        if what == 3:
            file[name] = h5py.ExternalLink(chance.choice(["/dev/zero", "/etc/passwd", str(path)]), name)
            return
        if what == 4:
            file[name] = file[other]
            return
        if what == 5:
            made = file.create_dataset(name, data=np.asarray(values).astype("f4" if np.asarray(values).dtype.kind != "S" else "S3"))
        elif what == 6:
            made = file.create_dataset(name, shape=tuple(chance.choice([0, n, n + 1, 2**40]) for n in shape) or (2,),
                                       dtype=np.asarray(values).dtype, maxshape=tuple(None for _ in shape) or (None,))
        elif what == 7:
            made = file.create_dataset(name, data=values, chunks=True if shape else None)
        else:
            made = file.create_dataset(name, shape=shape, dtype=h5py.string_dtype())
        for key, each in attributes.items():
            made.attrs[key] = each


KINDS = {"flipped bits": flip, "flipped bits of the header": flip_header, "cut or added end": cut, "block of other bytes": block,
         "forged values": value, "forged values, sealed": value_sealed, "forged attribute": attribute,
         "other structure": structure}
SEALED = {"forged values, sealed", "forged attribute", "other structure"}  # checksums do not tell these


def read(path):
    """What the analysis package shows of a file: (stopping times, or None where it refuses, its words)."""
    import tasfg

    try:
        results = tasfg.open(path)
        tau = results.runs.tau.values
        results.runs_frame(), results.cases_frame(), results.cases
        for file in getattr(results, "files", []):
            _ = file.damaged, file.edges, file.failures(), file.sittings()
        return tau, ""
    except tasfg.UserError as error:
        return None, str(error)


def reader(connection):
    """Reads files whose paths it gets, one after the other, in a process of its own."""
    while True:
        try:
            path = connection.recv()
        except EOFError:
            return
        try:
            connection.send(read(path))
        except Exception as error:
            connection.send((None, f"{type(error).__name__}: {error}\n(not refused, but fallen over)"))


class Reader:
    """The reader's process; a new one after each that had to be given up. Damaged files leave HDF5 in a state in which a later
    one may crash it, in h5py as in any program: such a file counts by what it does in a process of its own."""

    process = connection = None
    again = 0  # files that were read a second time

    def __call__(self, path):
        fresh = self.process is None or not self.process.is_alive()
        answer = self.ask(path)
        if fresh or "\n" not in answer[1]:
            return answer
        self.again += 1
        return self.anew(path)

    def anew(self, path):
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        return self.ask(path)

    def ask(self, path):
        if self.process is None or not self.process.is_alive():
            self.connection, there = multiprocessing.Pipe()
            self.process = multiprocessing.get_context("fork").Process(target=reader, args=(there,), daemon=True)
            self.process.start()
            there.close()
        self.connection.send(path)
        try:
            if self.connection.poll(PATIENCE):
                return self.connection.recv()
            self.process.kill()
            self.process.join()
            return None, f"hangs\nfor {PATIENCE:.0f} s"
        except (EOFError, ConnectionResetError):
            self.process.join()
            return None, f"crashed\nwith {self.process.exitcode}"


read_apart = Reader()


def limit():
    """Of this process and all that it starts."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def readers(verifies):
    """The commands, by name: arguments, of which damaged.h5 is the file and out.h5 what is made."""
    small = ("--set", "replications=4")
    commands = {
        "status": ("status", "damaged.h5"),
        "continue": (*SWEEP[:3], "damaged.h5", "-q", *small),
        "grow": (*SWEEP[:3], "damaged.h5", "-q"),
        "as the job": ("sweep", "damaged.h5", "-o", "out.h5", "-q"),
        "merge": ("merge", "out.h5", "damaged.h5", "small.h5"),
        "graph": ("solve", "--graph-file", "damaged.h5:/edges[1]"),
    }
    return commands | ({"verify": ("verify", "damaged.h5")} if verifies else {})


def try_one(materials, number, seed, commands, keep):
    """Damages one file and has it read; returns its kind, the outcomes and the complaints."""
    chance = random.Random(f"{seed} {number}")
    kind = list(KINDS)[number % len(KINDS)]
    outcomes, complaints = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        damaged = folder / "damaged.h5"
        shutil.copy(materials.folder / "base.h5", damaged)
        KINDS[kind](chance, damaged)
        for name, command in commands.items():
            place = folder / name.replace(" ", "-")
            place.mkdir()
            for each in (damaged, materials.folder / "job.toml", materials.folder / "small.h5"):
                shutil.copy(each, place)
            try:
                done = run(*command, check=None, timeout=PATIENCE, cwd=place)
            except subprocess.TimeoutExpired:
                complaints.append(f"{name}: hangs for {PATIENCE:.0f} s")
                outcomes[name, "hang"] += 1
                continue
            status, lines = done.returncode, done.stderr.splitlines()
            outcomes[name, status if status >= 0 else "signal"] += 1
            if status not in (0, 1, 2, 75):
                complaints.append(f"{name}: status {status}: {done.stderr.strip()}")
            if status == 2 and len(lines) != 1:
                complaints.append(f"{name}: status 2 with {len(lines)} lines: {done.stderr.strip()}")
            if CONTROL.search(done.stdout + done.stderr):
                complaints.append(f"{name}: prints control characters")
            made = place / {"grow": "damaged.h5", "merge": "out.h5"}.get(name, "none")
            if status == 0 and kind not in SEALED and made.exists() and materials.look(made)[1].any():
                complaints.append(f"{name}: status 0, with wrong runs in the file")
        before = read_apart.again
        tau, words = read_apart(damaged)
        outcomes["tasfg.open", "fell over after other damaged files"] += (read_apart.again > before) and "\n" not in words
        outcomes["tasfg.open", "reads" if tau is not None else "refuses"] += 1
        if len(words.splitlines()) > 1:
            complaints.append(f"tasfg.open: {words}")
        elif CONTROL.search(words):
            complaints.append("tasfg.open: says control characters")
        if tau is not None and kind not in SEALED:
            right = materials.values["runs/tau"][tuple(map(slice, tau.shape))]
            if right.shape != tau.shape or not np.all(np.isnan(tau) | (tau == right)):
                complaints.append("tasfg.open: shows wrong stopping times")
        if complaints and keep:
            pathlib.Path(keep).mkdir(exist_ok=True)
            shutil.copy(damaged, pathlib.Path(keep) / f"{seed}-{number}.h5")
    return kind, outcomes, complaints


def materials_in(folder):
    """A finished sweep of 4 replications, with failed runs in its list, to be damaged; and that of 8 that it can grow to."""
    materials = Materials(folder, JOB.replace("replications = 4", "replications = 8"))
    base = materials.folder / "base.h5"
    shutil.copy(materials.folder / "small.h5", base)
    with h5py.File(base, "r+") as file:
        file["failures/case"][:2] = [0, 1]
        file["failures/algorithm"][:2] = [1, 0]
        file["failures/seed"][:2] = [2, 3]
        file["failures/message"][:2] = [b"it failed", b"so did this"]
    return materials


def campaign(materials, numbers, seed, jobs, keep=None):
    """Yields (number, kind, outcomes, complaints) of each damaged file."""
    commands = readers(" verify " in run("--help").stdout)
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=limit) as pool:
        started = {pool.submit(try_one, materials, number, seed, commands, keep): number for number in numbers}
        for future in concurrent.futures.as_completed(started):
            yield started[future], *future.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep")
    options = parser.parse_args()
    numbers = range(options.begin, options.begin + options.files) if options.only is None else [options.only]
    totals, kinds, bad = collections.Counter(), collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, kind, outcomes, complaints in campaign(materials_in(folder), numbers, options.seed, options.jobs, options.keep):
            totals.update(outcomes)
            kinds[kind] += 1
            bad[kind] += bool(complaints)
            if kinds.total() % 100 == 0:
                print(f"{kinds.total()} files, {bad.total()} with something wrong", file=sys.stderr, flush=True)
            for each in complaints:
                print(f"file {number} ({kind}): {' / '.join(each.splitlines())[:200]}", flush=True)
    for name in dict.fromkeys(name for name, _ in totals):
        print(f"{name}: " + ", ".join(f"{count} x {outcome}" for (n, outcome), count in sorted(totals.items(), key=str) if n == name and count))
    print("| damage | files | with something wrong |\n| --- | --- | --- |")
    for kind in kinds:
        print(f"| {kind} | {kinds[kind]} | {bad[kind]} |")
    print(f"| all | {kinds.total()} | {bad.total()} |")
    sys.exit(1 if bad.total() else 0)


if __name__ == "__main__":
    main()
