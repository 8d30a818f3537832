"""Typical mistakes of a new user, and what the program answers: one line that says what would be right, and status 2."""

import pathlib
import re
import shlex

import pytest

from processes import run

FILES = {
    "G.csv": "0,1\n1,0\n",
    "row.csv": "0,0.5,1\n",
    "comma.csv": "0,5;1\n1;0\n",
    "typo.csv": "0.5,O.5\n1,0\n",
    "means.txt": "0 1\n",
    "job.toml": 'name = "a job"\nreplications = 2\nalgorithms = ["uniform"]\n[[graph]]\nfamily = "ring"\nK = 5\np = 0.3\n',
}
MISTAKES = [block.splitlines() for block in
            (pathlib.Path(__file__).parent / "mistakes.txt").read_text(encoding="utf-8").strip().split("\n\n")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("mistakes")
    for name, text in FILES.items():
        (made / name).write_text(text)
    run("sweep", made / "job.toml", "-o", made / "out.h5", "-q")
    return made


@pytest.mark.parametrize("command, answer", MISTAKES, ids=[command for command, _ in MISTAKES])
def test_a_mistake_is_answered_by_one_line_that_says_what_would_be_right(folder, command, answer):
    assert command.startswith("$ tasfg")
    done = run(*shlex.split(command)[2:], check=2, cwd=folder, timeout=30)
    assert done.stdout == ""
    assert done.stderr.replace(str(folder), "FOLDER") == answer + "\n"


def test_there_are_many_and_none_is_answered_by_a_commonplace():
    assert len(MISTAKES) >= 60 and len({command for command, _ in MISTAKES}) == len(MISTAKES)
    for command, answer in MISTAKES:
        assert not re.search(r"\(must be a (finite |whole |positive )?number\)$", answer), command
        assert "(" in answer or ":" in answer[7:], command


def test_no_mistake_leaves_a_file_behind(folder):
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "out.h5"])
