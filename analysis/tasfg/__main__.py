"""python -m tasfg: the command tasfg-analysis."""

import sys

from .command_line import program

sys.exit(program())
