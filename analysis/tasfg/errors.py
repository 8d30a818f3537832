"""What a user can get wrong, in one line that says what would be right."""


class UserError(ValueError):
    """Bad input: a graph, a file, a name, a value. The text is shown as it is, without a traceback, by the command line."""


class NothingToDraw(UserError):
    """The files are fine, but hold nothing that the figure shows."""


class FailedRuns(UserWarning):
    """Some runs failed: their rule raised, or chose a vertex that is not there."""
