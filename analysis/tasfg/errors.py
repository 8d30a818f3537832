"""What a user can get wrong, in one line that says what would be right."""

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class UserError(ValueError):
    """Bad input: a graph, a file, a name, a value. The command line shows the text without a traceback, on one line: what it
    quotes of a damaged file has no control characters."""

    def __init__(self, text: str) -> None:
        super().__init__(CONTROL.sub("?", text))


class NothingToDraw(UserError):
    """The files are fine, but hold nothing that the figure shows."""


class FailedRuns(UserWarning):
    """Some runs failed: their rule raised, or chose a vertex that is not there."""
