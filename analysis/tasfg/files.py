"""Writing files so that a reader sees the old one or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator

import pandas as pd

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


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """For CSV: texts that a spreadsheet would take for formulas get an apostrophe in front. Labels come from whoever made
    the file."""

    def harmless(value: object) -> object:
        return f"'{value}" if isinstance(value, str) and len(value) > 1 and value[0] in "=+-@\t\r" else value

    frame = frame.copy(deep=False)
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            frame[name] = frame[name].cat.rename_categories(harmless)
        elif not pd.api.types.is_numeric_dtype(frame[name].dtype):
            frame[name] = frame[name].map(harmless)
    return frame


def write_table(frame: pd.DataFrame, path: os.PathLike | str) -> None:
    """Writes a table in the format that the name of the file says."""
    name = pathlib.Path(path).name
    if name.endswith((".csv", ".csv.gz")):
        with replacing(path) as temporary:
            without_formulas(frame).to_csv(temporary, index=False)
        return
    if not name.endswith(".parquet"):
        raise UserError(f"{path}: no format of this name (must end in .csv, .csv.gz or .parquet)")
    try:
        import pyarrow  # noqa: F401 (pandas writes Parquet with it)
    except ImportError:
        raise UserError(
            f"{path}: Parquet needs the Python package pyarrow (pip install pyarrow; or write .csv.gz)"
        ) from None
    with replacing(path) as temporary:
        frame.to_parquet(temporary, index=False, engine="pyarrow")
