#!/usr/bin/env python3
"""One job run in every way there is; the files must be equal bit for bit, timing and provenance aside.

    TASFG=build/release/src/tasfg tests/campaigns/same_file.py [JOB.toml] [--kills 20] [--set key=value ...]

Ways: one thread alone; --threads 2; mpirun -n 1, 2, 3, 4; two shards merged; killed with -9 at random moments at least
--kills times, alone and under mpirun, and continued. tests/python/test_sweep_command.py does a part of it in tests/run.
"""

import argparse
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import result_files
from processes import kill, run, start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", nargs="?", default="jobs/small.toml")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=["replications=120", 'graph[2].K=[5,8]'])
    options = parser.parse_args()
    changes = [part for each in options.set for part in ("--set", each)]
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        reference = folder / "reference.h5"
        begin = time.monotonic()
        run("sweep", options.job, "-o", reference, "--threads", 1, *changes)
        length = time.monotonic() - begin

        def check(name, path):
            different = result_files.differences(reference, path)
            print(f"{name}: {'equal' if not different else f'differs in {different}'}", flush=True)
            if different:
                sys.exit(1)

        print(f"reference: --threads 1, {len(result_files.datasets(reference))} datasets, {length:.1f} s")
        run("sweep", options.job, "-o", folder / "threads.h5", "--threads", 2, *changes)
        check("--threads 2", folder / "threads.h5")
        for ranks in (1, 2, 3, 4):
            run("sweep", options.job, "-o", folder / f"ranks{ranks}.h5", *changes, ranks=ranks)
            check(f"mpirun -n {ranks}", folder / f"ranks{ranks}.h5")
        for i in (0, 1):
            run("sweep", options.job, "-o", folder / f"shard{i}.h5", "--shard", f"{i}/2", *changes)
        run("merge", folder / "merged.h5", folder / "shard0.h5", folder / "shard1.h5")
        check("two shards merged", folder / "merged.h5")
        kills = 0
        out = folder / "killed.h5"
        while kills < options.kills:
            ranks = chance.choice([0, 2, 3])
            process = start("sweep", options.job, "-o", out, *changes, ranks=ranks)
            # Short sittings: many of them fit into one file.
            time.sleep(chance.uniform(0.05, 0.03 * length) + (0.5 if ranks else 0.0))
            if process.poll() is None:
                kill(process, chance.choice(["all", "coordinator", "worker"]))
                kills += 1
            else:
                process.communicate()
                break
        run("sweep", options.job, "-o", out, *changes)
        check(f"killed {kills} times", out)


if __name__ == "__main__":
    main()
