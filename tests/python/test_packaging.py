"""The recipes of jobs/ (Apptainer, Spack, conda) against what CMakeLists.txt and jobs/packages ask for. Neither tool is
needed: the recipes are read, not built."""

import pathlib
import re
import subprocess
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
JOBS = ROOT / "jobs"
# What find_package and find_path call it: what Spack and conda-forge do.
NAMES = {
    "Eigen3": ("eigen", "eigen"),
    "fmt": ("fmt", "fmt"),
    "CLI11": ("cli11", "cli11"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json"),
    "tomlplusplus": ("tomlplusplus", "tomlplusplus"),
    "HDF5": ("hdf5", "hdf5"),
    "Boost": ("boost", "libboost-mpi"),
    "Random123": ("random123", None),  # not on conda-forge
}
SHELL_SECTIONS = {"post", "environment", "runscript", "test"}
OTHER_SECTIONS = {"labels", "help", "files"}


def wanted_by_cmake():
    text = (ROOT / "CMakeLists.txt").read_text()
    found = set(re.findall(r"find_package\((\w+)", text)) - {"Threads"}
    return found | set(re.findall(r"find_path\(\w+ (\w+)/", text))


def debian_packages(*parts):
    """Those below the comments `# build`, `# analysis`, `# tests` of jobs/packages."""
    found, part = [], None
    for line in (JOBS / "packages").read_text().splitlines():
        if line.startswith("# "):
            part = line[2:]
        elif part in parts:
            found.append(line)
    return found


def sections():
    """Of apptainer.def: the text before the first, and by name the text of each."""
    header, *rest = re.split(r"^%(\w+)\n", (JOBS / "apptainer.def").read_text(), flags=re.MULTILINE)
    names = rest[::2]
    assert len(names) == len(set(names))
    return header, dict(zip(names, rest[1::2]))


def test_one_version_everywhere():
    version = re.search(r"project\(tasfg VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)[1] == version
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project and 'input = "CMakeLists.txt"' in project
    done = subprocess.run([sys.executable, "-c", "import tasfg; print(tasfg.__version__)"], cwd=ROOT / "analysis", text=True,
                          capture_output=True, check=True)
    assert done.stdout.strip() == version
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert headings[0] == "Unreleased" and re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", headings[1])


def test_every_library_that_cmake_looks_for_has_a_name_elsewhere():
    assert wanted_by_cmake() == set(NAMES)


def test_the_container_has_known_sections_and_a_base():
    header, found = sections()
    assert found.keys() == SHELL_SECTIONS | OTHER_SECTIONS
    settings = [line for line in header.splitlines() if line and not line.startswith("#")]
    assert settings == ["Bootstrap: docker", "From: debian:12"]


@pytest.mark.parametrize("name", sorted(SHELL_SECTIONS))
def test_the_containers_scripts_are_shell(name):
    checked = subprocess.run(["sh", "-n"], input=sections()[1][name], text=True, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_the_container_gets_files_that_exist_and_all_that_cmake_reads():
    pairs = [line.split() for line in sections()[1]["files"].splitlines() if line.strip()]
    assert all(len(pair) == 2 and pair[1] == f"/opt/tasfg/{pair[0]}" for pair in pairs)
    copied = {source for source, _ in pairs}
    assert all((ROOT / source).exists() for source in copied)
    assert {"CMakeLists.txt", "CMakePresets.json", "include", "src", "jobs"} <= copied


def test_the_container_installs_what_building_and_analysis_need():
    script = re.search(r"sed (.*?) jobs/packages", sections()[1]["post"])[0]
    done = subprocess.run(["sh", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == debian_packages("build", "analysis")


@pytest.fixture
def recipe(monkeypatch):
    """package.py run with a stand-in for spack.package; yields what it declares."""
    declared = types.SimpleNamespace(dependencies=[], variants=[], defined=[])

    class CMakePackage:
        spec = {"random123": types.SimpleNamespace(prefix=types.SimpleNamespace(include="include"))}

        def define(self, name, value):
            declared.defined.append(name)

        def define_from_variant(self, name, variant):
            assert variant in declared.variants
            declared.defined.append(name)

    class When:
        def __init__(self, *_):
            pass

        def __enter__(self):
            pass

        def __exit__(self, *_):
            pass

    stand_in = types.ModuleType("spack.package")
    stand_in.CMakePackage = CMakePackage
    stand_in.depends_on = lambda spec, type=None, when=None: declared.dependencies.append(re.split("[@+~]", spec)[0])
    stand_in.variant = lambda name, default, description: declared.variants.append(name)
    stand_in.when = When
    for name in ("license", "version", "conflicts", "generator"):
        setattr(stand_in, name, lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", stand_in)
    path = JOBS / "spack" / "packages" / "tasfg" / "package.py"
    space = {"__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), space)
    declared.package = space["Tasfg"]
    return declared


def test_the_spack_recipe_names_all_that_cmake_looks_for(recipe):
    assert {NAMES[name][0] for name in wanted_by_cmake()} | {"mpi", "cmake", "ninja"} <= set(recipe.dependencies)
    python = {"py-" + name.removeprefix("python3-") for name in debian_packages("analysis") if "-" in name}
    assert python <= set(recipe.dependencies)


def test_the_spack_recipe_builds_this_checkout_and_sets_options_that_exist(recipe):
    assert recipe.package.git == f"file://{ROOT}"
    recipe.package().cmake_args()
    text = (ROOT / "CMakeLists.txt").read_text()
    assert recipe.defined
    assert all(re.search(rf"(option|find_path)\({name} ", text) for name in recipe.defined)


def test_the_conda_environment_names_all_that_cmake_looks_for():
    listed = re.findall(r"^  - ([\w-]+)", (JOBS / "conda.yml").read_text(), flags=re.MULTILINE)
    assert {NAMES[name][1] for name in wanted_by_cmake()} - {None} | {"openmpi", "cmake", "ninja"} <= set(listed)
    python = {name.removeprefix("python3-") for name in debian_packages("analysis") if "-" in name}
    assert python - set(listed) == {"matplotlib"} and "matplotlib-base" in listed
