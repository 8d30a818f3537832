"""The program `tasfg` from Python: sweeps on this machine's cores, and jobs for SLURM."""

from __future__ import annotations

import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from .errors import UserError
from .results import Results
from .results import open as open_results

DONE, FAILED_TASKS, INTERRUPTED = 0, 1, 75  # exit statuses of the program
MOST_SAID = 1 << 16  # bytes of its messages that are kept


def program() -> str:
    """The program's path: $TASFG, the one on the PATH, or the one built in this source tree."""
    named = os.environ.get("TASFG")
    if named:
        return named
    found = shutil.which("tasfg")
    built = pathlib.Path(__file__).resolve().parents[2] / "build/release/src/tasfg"
    if found or built.is_file():
        return found or str(built)
    raise UserError(
        "no program tasfg on the PATH (build it with jobs/quickstart, and put it on the PATH or into $TASFG)"
    )


def toml_of(job: Mapping[str, Any]) -> str:
    """A job given as a dict, as a job file: {"algorithms": [...], "graph": [{"family": "ring", "K": 5}], ...}."""
    lines, tables = [], []
    for key, value in job.items():
        if key == "graph":
            blocks = value if isinstance(value, list | tuple) else [value]
            for block in blocks:
                if not isinstance(block, Mapping):
                    raise UserError(f"job: graph holds {block!r:.60} (must hold dicts, one for each block)")
                tables.append(["[[graph]]", *(f"{_key(k)} = {_toml(v, k)}" for k, v in block.items())])
        elif isinstance(value, Mapping) and any(isinstance(each, Mapping) for each in value.values()):
            for name, table in value.items():
                tables.append(
                    [f"[{_key(key)}.{_key(name)}]", *(f"{_key(k)} = {_toml(v, k)}" for k, v in table.items())]
                )
        else:
            lines.append(f"{_key(key)} = {_toml(value, key)}")
    return "\n".join([*lines, *(line for table in tables for line in ["", *table])]) + "\n"


def _key(name: Any) -> str:
    text = str(name)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _toml(value: Any, key: Any) -> str:
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UserError(f"job: {key} = {value} (must be finite)")
        text = repr(value)
        return text if "." in text or "e" in text else text + ".0"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_toml(v, k)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple | range):
        return "[" + ", ".join(_toml(each, key) for each in value) + "]"
    raise UserError(f"job: {key} = {value!r:.60} (must be a number, a text, a list or a dict)")


class _JobFile:
    """A job's path; a dict becomes a file in the current folder, where its paths begin, for as long as it is needed."""

    def __init__(self, job: str | os.PathLike | Mapping[str, Any], keep: pathlib.Path | None = None) -> None:
        self.path, self._temporary = "", False
        if not isinstance(job, Mapping):
            self.path = os.fspath(job)
        elif keep is not None:
            keep.write_text(toml_of(job), encoding="utf-8")
            self.path = str(keep)
        else:
            text = toml_of(job)
            handle, self.path = tempfile.mkstemp(".toml", "job-", ".")
            self._temporary = True
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *unused: object) -> None:
        if self._temporary:
            pathlib.Path(self.path).unlink(missing_ok=True)


def _complaint(errors: str, status: int) -> str:
    lines = [line for line in re.split(r"[\r\n]+", errors) if line.strip()]
    return lines[-1].removeprefix("tasfg: ") if lines else f"tasfg ended with status {status}"


def sweep(
    job: str | os.PathLike | Mapping[str, Any],
    output: str | os.PathLike,
    *arguments: str,
    threads: int = 0,
    quiet: bool = False,
) -> Results:
    """Runs a job (a file, or a dict with its keys) on this machine's cores through the program, or continues it.

    `arguments` go to `tasfg sweep` as they are ("--set", "replications=10"). Returns the results; a job that is wrong is a
    UserError with the program's text, Ctrl-C a KeyboardInterrupt after which the same call continues. Failed tasks are
    among `.failures()` of what is returned."""
    with _JobFile(job) as path:
        command = [program(), "sweep", path, "-o", os.fspath(output), *arguments]
        command += ["--threads", str(threads)] if threads else []
        process = subprocess.Popen([*command, *(["-q"] if quiet else [])], stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = b""
        try:
            while chunk := os.read(process.stderr.fileno(), 4096):
                said = (said + chunk)[-MOST_SAID:]
                if not quiet:
                    sys.stderr.write(chunk.decode("utf-8", "replace"))
                    sys.stderr.flush()
            process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()  # it saves what it has
            raise
        finally:
            process.stderr.close()
    if process.returncode == INTERRUPTED:
        raise KeyboardInterrupt(f"{output}: interrupted; the same call continues")
    if process.returncode not in (DONE, FAILED_TASKS):
        raise UserError(_complaint(said.decode("utf-8", "replace"), process.returncode))
    return open_results(output)


def submit(
    job: str | os.PathLike | Mapping[str, Any],
    output: str | os.PathLike,
    *arguments: str,
    script: str | os.PathLike | None = None,
    run: bool = True,
) -> str:
    """Writes the batch script of `tasfg plan --sbatch` for a job and submits it; returns what sbatch says.

    The script goes to `script` (default: the result file's name with .sbatch), a job given as a dict beside it. `arguments` go
    to `tasfg plan` ("--partition", "long"). With run=False the script is only written, and its path returned."""
    out = pathlib.Path(output)
    to = pathlib.Path(script) if script is not None else out.with_suffix(".sbatch")
    with _JobFile(job, to.with_suffix(".toml")) as path:
        command = [program(), "plan", path, "--sbatch", "-o", os.fspath(output), *arguments]
        planned = subprocess.run(command, capture_output=True, text=True, check=False)
    if planned.returncode != DONE:
        raise UserError(_complaint(planned.stderr, planned.returncode))
    to.write_text(planned.stdout, encoding="utf-8")
    if not run:
        return str(to)
    sbatch = shutil.which("sbatch")
    if sbatch is None:
        raise UserError(f"no sbatch on the PATH (the script is {to}; submit it where SLURM is)")
    sent = subprocess.run([sbatch, str(to)], capture_output=True, text=True, check=False)
    if sent.returncode != 0:
        raise UserError(f"sbatch: {(sent.stderr or sent.stdout).strip()}")
    return sent.stdout.strip()
