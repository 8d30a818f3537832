"""The tree keeps to its layers (docs/architecture.md): includes point down, libraries stay in their room, and
every unit has a test of its own name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Each layer and those directly below it.
BELOW = {
    "base": [],
    "model": ["base"],
    "solve": ["model"],
    "algo": ["solve"],
    "sim": ["algo"],
    "python": ["sim"],
    "job": ["sim"],
    "io": ["sim"],
    "sweep": ["job", "io"],
    "main": ["sweep"],
}

# A library, what its includes look like, and the layers that may see it.
ROOMS = [
    ("MPI", r"mpi\.h|boost/mpi", {"sweep", "main"}),
    ("HDF5", r"hdf5|H5\w*\.h", {"io"}),
    ("toml++", r"toml\+\+", {"job"}),
    ("CLI11", r"CLI/", {"main"}),
    ("Eigen", r"Eigen/", {"solve"}),
    ("nanobind", r"nanobind/", {"python"}),
]

# Layers whose units all have tests of their own name.
MIRRORED = ["base", "model", "solve", "algo", "sim", "job", "io", "sweep"]


def allowed(layer: str) -> set[str]:
    """The layers that a file of `layer` may include: its own and all below."""
    found = {layer}
    for below in BELOW[layer]:
        found |= allowed(below)
    return found


def sources(layer: str) -> list[Path]:
    folders = [ROOT / "include" / "tasfg" / layer, ROOT / "src" / layer]
    return [file for folder in folders for suffix in ("*.hpp", "*.cpp") for file in sorted(folder.rglob(suffix))]


def includes(file: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read_text(encoding="utf-8"), re.MULTILINE)


def layer_of(include: str) -> str | None:
    """The layer that an include names; None for a file of the same folder and for libraries."""
    part = include.removeprefix("tasfg/").split("/")[0]
    return part if "/" in include and part in BELOW else None


def upward_includes(layer: str) -> list[str]:
    return [
        f"{file.relative_to(ROOT)} includes {include}"
        for file in sources(layer)
        for include in includes(file)
        if layer_of(include) is not None and layer_of(include) not in allowed(layer)
    ]


def missing_tests(layer: str) -> list[str]:
    """Tests that src/LAYER/*.cpp and headers without a .cpp should have and have not."""
    units = {file.relative_to(root).with_suffix("")
             for root in (ROOT / "src", ROOT / "include" / "tasfg")
             for file in sources(layer)
             if root in file.parents and (file.suffix == ".cpp" or root.name == "tasfg")}
    return sorted(f"tests/unit/{unit}_test.cpp" for unit in units
                  if not (ROOT / "tests" / "unit" / f"{unit}_test.cpp").exists())


def test_every_folder_is_a_layer():
    folders = {f.name for root in ("src", "include/tasfg") for f in (ROOT / root).iterdir() if f.is_dir()}
    assert folders == set(BELOW)


@pytest.mark.parametrize("layer", BELOW)
def test_no_include_points_upward(layer):
    assert sources(layer)
    assert upward_includes(layer) == []


@pytest.mark.parametrize(("library", "pattern", "rooms"), ROOMS, ids=[room[0] for room in ROOMS])
def test_libraries_stay_in_their_rooms(library, pattern, rooms):
    users = {layer for layer in BELOW for file in sources(layer) for include in includes(file)
             if re.match(pattern, include)}
    assert users
    assert users <= rooms, f"{library} is included outside {sorted(rooms)}"


@pytest.mark.parametrize("layer", MIRRORED)
def test_every_unit_has_a_test_of_its_name(layer):
    assert missing_tests(layer) == []


@pytest.mark.parametrize(("lists", "root"), [("src/CMakeLists.txt", "src"), ("tests/CMakeLists.txt", "tests/unit")])
def test_every_source_is_compiled(lists, root):
    listed = {ROOT / Path(lists).parent / name for name in re.findall(r"[\w/]+\.cpp", (ROOT / lists).read_text())}
    assert sorted(str(file.relative_to(ROOT)) for file in set((ROOT / root).rglob("*.cpp")) - listed) == []
