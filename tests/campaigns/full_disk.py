#!/usr/bin/env python3
"""Runs sweeps on a disk that is too small, or fills up at a random moment. Needs root (it mounts a tmpfs).

    TASFG=build/release/src/tasfg tests/campaigns/full_disk.py [--rounds 40] [--seed 1]

Each round mounts a small tmpfs, fills it to a random degree before or while a sweep begins, runs or grows, and looks: the
sweep ends with status 0 or 2, nothing that was there is lost, and every run called done is right. Then the disk is
emptied and the sweep continued: it must complete and equal the plain one bit for bit.
"""

import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import result_files
from processes import run, start

JOB = """
seed = 3
replications = 60
log_inv_delta = [1.0, 3.0]
algorithms = ["tas-fg", "uniform", "exp3.g"]
[[graph]]
family = "ring"
K = [5, 6, 7]
"""


def fill(path, size):
    """Writes until `size` bytes are there or the disk is full; what fits stays."""
    try:
        with open(path, "ab", buffering=0) as file:
            while file.tell() < size:
                if file.write(b"x" * min(4096, size - file.tell())) == 0:
                    break
    except OSError:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        job, plain, grown, disk = (folder / n for n in ("job.toml", "plain.h5", "grown.h5", "disk"))
        job.write_text(JOB)
        disk.mkdir()
        more = ["--set", "replications=120"]
        run("sweep", job, "-o", plain)
        run("sweep", job, "-o", grown, *more)
        large = grown.stat().st_size
        for _ in range(options.rounds):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4 * large // 4096 * 4096}", "tmpfs", disk], check=True)
            try:
                out, ballast = disk / "out.h5", disk / "ballast"
                kind = chance.choice(["begin", "run", "grow"])
                before = None
                if kind == "grow":
                    run("sweep", job, "-o", out)
                    before = result_files.datasets(out)
                room = int(chance.uniform(0.0, 1.3) * large)
                arguments = more if kind == "grow" else []
                if kind == "run":  # the disk fills up while it works
                    process = start("sweep", job, "-o", out)
                    time.sleep(chance.uniform(0.0, 1.0))
                    fill(ballast, 8 * large)
                    process.communicate(timeout=120)
                    status = process.returncode
                else:
                    used = out.stat().st_size if out.exists() else 0
                    fill(ballast, 4 * large - used - room)
                    status = run("sweep", job, "-o", out, *arguments, check=None).returncode
                outcomes[f"{kind}: status {status}"] += 1
                assert status in (0, 2), status
                if out.exists() and not (kind == "grow" and status == 0):
                    assert result_files.wrong_runs(out, plain)[0] == 0
                if before is not None and status == 2:
                    assert all(v.tobytes() == before[n].tobytes() for n, v in result_files.datasets(out).items()
                               if v.dtype.kind != "O")
                ballast.unlink(missing_ok=True)
                run("sweep", job, "-o", out, *arguments)
                different = result_files.differences(grown if kind == "grow" else plain, out)
                assert different == [], different
                assert sorted(p.name for p in disk.iterdir()) == ["out.h5"]
            finally:
                subprocess.run(["umount", disk], check=True)
    for name, count in sorted(outcomes.items()):
        print(f"  {count:4d} x {name}")
    print(f"{options.rounds} rounds: nothing lost, every continued file equal bit for bit")


if __name__ == "__main__":
    main()
