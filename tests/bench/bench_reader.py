#!/usr/bin/env python3
"""Time and memory that reading a large result file into a DataFrame takes, in a process of its own.

    tests/bench/bench_reader.py SMALL.h5 [--runs 1e6] [--folder /tmp]

SMALL.h5 is a finished result file; its seeds are repeated until there are that many runs. Prints one JSON object; the
time and the memory include imports (`import_seconds` says how much).
"""

import argparse
import pathlib
import subprocess
import sys

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def grow(source: pathlib.Path, target: pathlib.Path, runs: int) -> None:
    """A copy of `source` whose seed dimension is long enough for `runs` runs, contiguous as the program writes it."""
    with h5py.File(source) as old, h5py.File(target, "w") as new:
        new.attrs.update(old.attrs)
        for group in ("cases", "failures", "live", "edges"):
            old.copy(group, new)
        cases, algorithms, old_seeds = old["runs/status"].shape
        seeds = -(-runs // (cases * algorithms))
        seed = int(old["runs/seed"].attrs["_Netcdf4Dimid"])
        part = new.create_group("runs")
        for name, data in old["runs"].items():
            dims = data.attrs["_Netcdf4Coordinates"].tolist()
            values = data[()]
            if name == "seed":
                values = np.arange(seeds)
            elif seed in dims:
                values = np.take(values, np.arange(seeds) % old_seeds, axis=dims.index(seed))
            part.create_dataset(name, data=values).attrs.update(data.attrs)


MEASURE = """
import json, resource, sys, time
begin = time.monotonic()
import tasfg
imported = time.monotonic()
cpu = time.process_time()
frame = tasfg.open(sys.argv[1]).runs_frame()
print(json.dumps({
    "rows": len(frame), "runs": len(frame) // frame.log_inv_delta.nunique(), "seconds": round(time.monotonic() - imported, 3),
    "cpu_seconds": round(time.process_time() - cpu, 3), "import_seconds": round(imported - begin, 3),
    "max_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    "frame_mib": round(frame.memory_usage(deep=True).sum() / 2**20, 1)}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--runs", type=float, default=1e6)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    large = options.folder / "bench_reader.h5"
    try:
        grow(options.source, large, int(options.runs))
        print(f"{large.stat().st_size / 2**20:.0f} MiB", flush=True)
        subprocess.run([sys.executable, "-c", MEASURE, large], check=True, cwd=ROOT / "analysis")
    finally:
        large.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
