#!/usr/bin/env python3
"""Kills a sweep again and again, and looks at what is left.

    TASFG=build/release/src/tasfg tests/campaigns/kill.py [--kills 300] [--seed 1]

Each round starts or continues a sweep, alone or under mpirun with 2 or 3 ranks, and kills -9 rank 0, another rank,
the launcher, or all, at a random moment. After every kill the file must open in stock h5py, and every run that it calls
done must equal the uninterrupted sweep's. A file that is complete is compared bit for bit and a new one is begun.
Prints how much work was repeated. Exit status 1 at the first wrong run.
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import result_files
from processes import kill, run, start

JOB = """
seed = 3
replications = 40
log_inv_delta = [2.0, 4.0]
algorithms = ["tas-fg", "tas-fg-heur", "uniform", "exp3.g", "ucb-fg-e"]
[[graph]]
family = "ring"
K = [5, 8]
[[graph]]
family = "loopy-star"
K = [5, 10]

[algorithm."tas-fg"]
gap = 1e-7  # slower than it needs to be: there must be time to interrupt it
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        job, reference, out = folder / "job.toml", folder / "reference.h5", folder / "out.h5"
        job.write_text(JOB)
        begin = time.monotonic()
        run("sweep", job, "-o", reference)
        length = time.monotonic() - begin
        kinds = collections.Counter()
        completed = kills = rounds = 0
        repeated = total = 0.0
        while kills < options.kills:
            rounds += 1
            ranks = chance.choice([0, 0, 2, 3])
            target = chance.choice(["coordinator", "worker", "launcher", "all"]) if ranks else "all"
            process = start("sweep", job, "-o", out, "--set", f"name=r{rounds}", ranks=ranks)
            time.sleep(chance.uniform(0.0, (0.6 if ranks else 0.1) + 0.25 * length))
            if process.poll() is None:
                kills += 1
                kinds[f"{target}, {ranks} ranks" if ranks else "alone"] += 1
                kill(process, target)
            else:
                process.communicate()
            if not out.exists():
                continue
            wrong, _ = result_files.wrong_runs(out, reference)
            if wrong:
                print(f"kill {kills} ({target}, {ranks} ranks): {wrong} wrong runs in {out}")
                sys.exit(1)
            with h5py.File(out) as file:
                attempts, seconds = file["runs/attempts"][()], file["runs/seconds"][()]
                left = (file["runs/status"][()] == 0).sum() + (file["cases/status"][()] == 0).sum()
            if left == 0:
                different = [name for name in result_files.differences(reference, out)]
                if different:
                    print(f"after {kills} kills the file differs in {different}")
                    sys.exit(1)
                completed += 1
                repeated += float(np.nansum((attempts - 1) * seconds))
                total += float(np.nansum(seconds))
                out.unlink()
            if kills % 50 == 0:
                print(f"{kills} kills, {completed} files completed, no wrong run", flush=True)
        for name, count in sorted(kinds.items()):
            print(f"  {count:4d} x {name}")
        print(f"{kills} kills in {rounds} rounds, {completed} files completed and equal bit for bit, 0 wrong runs; "
              f"repeated at most {100 * repeated / max(total, 1e-9):.1f} % of the work of the completed files")
        leftovers = [p.name for p in folder.iterdir() if p.name not in ("job.toml", "reference.h5", "out.h5", "out.h5.lock")
                     and not p.name.startswith("out.h5.new-")]
        if leftovers:
            print(f"left behind: {leftovers}")
            sys.exit(1)


if __name__ == "__main__":
    main()
