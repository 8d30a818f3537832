"""The version of the project, which CMakeLists.txt states."""

import importlib.metadata
import pathlib
import re


def _version() -> str:
    # From the source tree nothing is installed, or something else is.
    project = pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt"
    if project.is_file():
        found = re.search(r"project\(tasfg VERSION ([\d.]+)", project.read_text(encoding="utf-8"))
        if found:
            return found[1]
    try:
        return importlib.metadata.version("tasfg")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


__version__ = _version()
