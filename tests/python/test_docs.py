"""The documents against the repository and the program: files, tests, links and names that they cite exist, what they quote is what
the program prints, and what there is to name is named."""

import json
import re
from pathlib import Path

import pytest

from processes import run
from tasfg import figures

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
TOP = ("analysis", "docs", "include", "jobs", "src", "tests")
FILES = {str(file.relative_to(ROOT)) for file in (*ROOT.glob("*"), *(f for top in TOP for f in (ROOT / top).rglob("*")))}
FOLDERS = {str(folder) for file in FILES for folder in Path(file).parents} - {"."}
# Where a path may begin: `solve/bounds.hpp` is include/tasfg/solve/bounds.hpp.
STARTS = ("", "include/tasfg/", "src/", "tests/python/", "tests/campaigns/", "docs/", "jobs/")
SOURCE = r"\w\.(cpp|hpp|py|toml|md|sbatch|cmake|yml|def)$"

by_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def quoted(document):
    """What stands in backticks, word by word."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [word for span in re.findall(r"`([^`]+)`", text) for word in span.split()]


def looks_like_a_file(word):
    """Whether a word means a file of the repository; words in capitals stand for any (jobs/JOB.toml, src/X/Y.cpp)."""
    if re.search(r"[^\w./+-]", word) or re.search(r"(^|/)[A-Z]+([._/]|$)", word):
        return False
    top = word.split("/")[0]
    return bool(re.search(SOURCE, word)) or ("/" in word and any(f"{start}{top}" in FOLDERS for start in STARTS))


def there_is(word):
    word = word.rstrip("/")
    found = {start + word for start in STARTS} & FILES
    return found or ("/" not in word and any(file.endswith(f"/{word}") for file in FILES))


@by_document
def test_files_that_are_cited_exist(document):
    assert [word for word in quoted(document) if looks_like_a_file(word) and not there_is(word)] == []


def test_files_and_placeholders_are_told_apart():
    files = ["src/io/gone.cpp", "gone.py", "tests/gone", "solve/gone.hpp", "docs/gone.md"]
    assert all(looks_like_a_file(word) and not there_is(word) for word in files)
    assert not any(map(looks_like_a_file, ["jobs/JOB.toml", "src/X/Y.cpp", "out.h5", "a/b", "build/release/src/tasfg", "--set"]))
    assert all(map(there_is, ["reward.cpp", "tests/run", "base/error.hpp", "jobs/slurm", "kill.py"]))


@by_document
def test_tests_that_are_cited_exist(document):
    sources = "".join(file.read_text() for file in (ROOT / "tests/unit").rglob("*.cpp"))
    unit = {".".join(names) for names in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", sources, flags=re.MULTILINE)}
    scripts = [file.read_text() for file in (ROOT / "tests").rglob("test_*.py")]
    python = set(re.findall(r"^def (test_\w+)", "".join(scripts), flags=re.MULTILINE))
    words = quoted(document)
    assert [word for word in words if re.fullmatch(r"[A-Z][a-z]\w+\.[A-Z]\w+", word) and word not in unit] == []
    assert [word for word in words if re.fullmatch(r"test_\w+", word) and word not in python] == []


@by_document
def test_links_lead_somewhere(document):
    def anchors(text):
        titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        return slugs | set(re.findall(r'<a name="([^"]+)">', text))

    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            dead.append(link)
    assert dead == []


def quoted_commands():
    """The commands of the README that are shown with their output: `    $ tasfg …`, up to the next line of text."""
    blocks = re.findall(r"^    \$ tasfg (.*)\n((?:    .*\n|\n)*)", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    return {command: re.sub(r"^    ", "", output, flags=re.MULTILINE) for command, output in blocks}


def test_the_readme_shows_commands_with_their_output():
    assert sorted(command.split()[0] for command in quoted_commands()) == ["simulate", "solve", "sweep"]


@pytest.mark.parametrize("command", [command for command in quoted_commands() if not command.startswith("sweep")])
def test_the_readme_shows_what_the_program_prints(command):
    assert run(*command.split()).stdout.strip() == quoted_commands()[command].strip()


def test_every_command_is_offered_and_in_the_readme():
    commands = re.findall(r"^  (\w+)  ", run("--help").stdout.split("Subcommands:")[1], flags=re.MULTILINE)
    sources = [file.stem.removesuffix("_command") for file in (ROOT / "src/main").glob("*_command.cpp")]
    assert sorted(commands) == sorted(sources) and "sweep" in commands
    text = (ROOT / "README.md").read_text()
    assert [name for name in commands if f"tasfg {name}" not in text] == []


def listed(heading):
    """The names below a heading of `tasfg list`."""
    section = re.search(rf"^{heading} \(.*?(?=^\S|\Z)", run("list").stdout, flags=re.DOTALL | re.MULTILINE)[0]
    return re.findall(r"^  (\S+)  ", section, flags=re.MULTILINE)


def test_the_job_files_page_names_rewards_thresholds_and_keys():
    words = set(quoted(ROOT / "docs/job-file.md"))
    rewards, thresholds = listed("Reward families"), listed("Thresholds")
    parameters = re.findall(r"\(--(\w+), default", run("list").stdout)
    assert "poisson" in rewards and "proven" in thresholds and "variance" in parameters
    top_keys = (ROOT / "src/job/toml_reader.cpp").read_text().split("> top_keys() {")[1]
    keys = re.findall(r'"(\w+)"', top_keys)
    assert "seed" in keys
    text = " ".join(words)
    assert [name for name in (*rewards, *parameters, *thresholds, *keys) if not re.search(rf"(?<!\w){name}(?!\w)", text)] == []


def test_the_page_of_fidelity_names_every_point_of_the_conventions():
    points = listed("Conventions")
    assert "statistic" in points and sorted(set(points) - set(quoted(ROOT / "docs/fidelity.md"))) == []


def test_every_function_that_draws_a_study_is_a_figure():
    """One without a row in figures.py would never be drawn, nor tested."""
    package = ROOT / "analysis/tasfg"
    table = (package / "figures.py").read_text()
    functions = [f"{path.stem}.{name}" for path in package.glob("*.py") if path.stem not in ("figures", "plot", "comparison")
                 for name in re.findall(r"^def ([a-z]\w*)\(results: Results.*\) -> Figure:", path.read_text(), re.M)]
    assert len(functions) > 10
    assert [name for name in functions if not re.search(rf"\b{name}\b", table)] == []


def test_the_page_of_figures_names_every_figure():
    assert sorted(set(figures.FIGURES) - set(quoted(ROOT / "docs/figures.md"))) == []


def test_the_page_of_notation_names_every_value_of_solve():
    found = json.loads(run("solve", "--graph", "ring", "--json").stdout)
    names = [f"{name}.{inner}" for name, value in found.items() if isinstance(value, dict) for inner in value]
    names += [name for name, value in found.items() if not isinstance(value, dict)]
    assert "graph.alpha" in names and [name for name in names if name not in quoted(ROOT / "docs/notation.md")] == []
