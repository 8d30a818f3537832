"""Runs a command and appends the peak of its resident memory, in KiB, to a file.

usage: peak_memory.py FILE COMMAND...

A process of its own, and a small one: the kernel counts what the parent held when it forked as the child's.
"""

import os
import sys

child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "a", encoding="ascii") as file:
    file.write(f"{usage.ru_maxrss}\n")
sys.exit(os.waitstatus_to_exitcode(status))
