#!/usr/bin/env python3
"""How many tasks a second one coordinator can handle: tasks that cost nothing, on 2 to 4 ranks.

    TASFG=build/release/src/tasfg tests/campaigns/capacity.py [--tasks 400000]

A null task is a run that is capped after its first draw. Prints tasks a second and the coordinator's share of one core;
then the same with chunks of one task each as far as possible, which gives the price of a chunk. The two prices feed
tests/campaigns/scaling.cpp.
"""

import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from processes import run

# Many tasks that cost nothing: long chunks. Many cells with one task each: a chunk for each.
NULL = 'seed = 1\nreplications = {}\nlog_inv_delta = [1.0, 2.2, 3.4, 4.6, 5.8, 7.0]\nmax_steps = 1\n' \
       'algorithms = ["uniform"]\n[[graph]]\nfamily = "ring"\nK = 15\n'
SINGLE = 'seed = 1\nreplications = 1\nlog_inv_delta = [1.0, 2.2, 3.4, 4.6, 5.8, 7.0]\nmax_steps = 1\n' \
         'algorithms = ["uniform", "oracle", "ucb-fg-e", "exp3.g"]\n[[graph]]\nfamily = "loopy-star"\nK = 15\n' \
         'p = {{ from = 0.01, to = 0.4, count = {} }}\n'


def measure(job, ranks):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "job.toml").write_text(job)
        done = run("sweep", folder / "job.toml", "-o", folder / "out.h5", "--threads", 1, ranks=ranks, timeout=600)
    found = re.search(r"(\d+) of \d+ tasks done in (.*?) \((\d+) chunks(?:, \d+ messages)?\).*coordinator ([\d.]+) %", done.stderr)
    seconds = sum(float(n) * {"s": 1, "min": 60}[u] for n, u in re.findall(r"([\d.]+) (s|min)", found[2]))
    return int(found[1]), seconds, int(found[3]), float(found[4]) / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=400_000)
    options = parser.parse_args()
    print(f"{'ranks':>6} {'tasks':>9} {'chunks':>8} {'tasks/s':>10} {'coordinator':>12} {'us a task':>10}")
    for name, job in (("null", NULL.format(options.tasks)), ("single", SINGLE.format(5000))):
        for ranks in (2, 3, 4):
            tasks, seconds, chunks, share = measure(job, ranks)
            print(f"{ranks:>6} {tasks:>9} {chunks:>8} {tasks / seconds:>10.0f} {100 * share:>10.1f} % "
                  f"{1e6 * share * seconds / tasks:>10.2f}  {name}", flush=True)


if __name__ == "__main__":
    main()
