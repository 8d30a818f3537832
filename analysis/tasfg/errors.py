"""What a user can get wrong, in one line that says what would be right."""


class UserError(Exception):
    """Bad input: a file, a name, a value. The text is shown as it is, without a traceback."""


class NothingToDraw(UserError):
    """The files are fine, but hold nothing that the figure shows."""
