"""Writing files so that a reader sees the old one or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator

from .errors import UserError


@contextlib.contextmanager
def replacing(path: os.PathLike | str) -> Iterator[pathlib.Path]:
    """A temporary path beside `path`, with its suffix; renamed to it when the block ends well, removed otherwise."""
    path = pathlib.Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror} (give another place to write to)") from None
    temporary = pathlib.Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror} (give another place to write to)") from None
    finally:
        temporary.unlink(missing_ok=True)
