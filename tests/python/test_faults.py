"""Part of the campaigns of docs/trust.md: writes that fail, signals at bad moments, damaged files."""

import itertools
import os
import pathlib
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "campaigns"))
import damage
import faults
import kill
from operations import OPERATIONS, PRECISE, Materials

from processes import MPI


@pytest.fixture(scope="module")
def materials(tmp_path_factory):
    return Materials(tmp_path_factory.mktemp("materials"))


def test_whatever_write_fails_nothing_is_lost_and_the_same_command_completes_it(materials):
    found, usual = {}, {}
    injections = []
    for name in OPERATIONS:
        found[name], usual[name] = faults.points(materials, name)
        kinds = {}
        for number, point in enumerate(found[name], 1):
            kinds.setdefault((point, faults.stage(name, number, found[name])), []).append(number)
        # Of each kind of call on each kind of file the first, the last, and some between.
        some = sorted({number for numbers in kinds.values() for number in (*numbers[::16], numbers[-1])})
        turn = itertools.cycle(["ENOSPC" + faults.GOOD, "EDQUOT", "short"])
        injections += [(name, number, fault) for number in some for fault in ("EIO", next(turn))
                       if fault != "short" or "write" in found[name][number - 1][0]]
    assert len(injections) > 150
    rows, wrong = faults.campaign(materials, injections, found, usual, jobs=2)
    assert wrong == []
    reached = sum(row["faults"] for row in rows.values())
    assert reached > 0.9 * len(injections) and sum(row[2] for row in rows.values()) > 0.4 * reached


def test_nor_in_a_sweep_that_stops_at_precision(tmp_path):
    materials = Materials(tmp_path, PRECISE)
    found, usual = {}, {}
    injections = []
    for name in OPERATIONS:
        found[name], usual[name] = faults.points(materials, name)
        injections += [(name, number, "EIO") for number in range(1, len(found[name]) + 1, len(found[name]) // 7)]
    rows, wrong = faults.campaign(materials, injections, found, usual, jobs=2)
    assert wrong == []
    assert sum(row[2] for row in rows.values()) > 0.7 * len(injections)


def test_the_injection_is_noticed(materials):
    """A campaign whose faults never arrive would find nothing, either."""
    found, usual = faults.points(materials, "create")
    first_result = next(n for n, point in enumerate(found, 1) if point == ("pwritev", "file"))
    outcome = faults.inject(materials, "create", first_result, "EIO", usual)
    assert outcome.reached and outcome.status == 2 and "Input/output error" in outcome.messages


def test_an_error_is_said_before_the_launcher_ends_who_says_it(materials, tmp_path):
    """The launcher ends all ranks when one exits with a status: the first must have said by then why, also where its words
    meet a full pipe."""
    wrapper, said, out = tmp_path / "rank", tmp_path / "said", tmp_path / "none" / "out.h5"
    wrapper.write_text(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 0 ] || exec 2> {said}\nexec "$TASFG" "$@"\n')
    wrapper.chmod(0o755)
    os.mkfifo(said)
    pipe = os.open(said, os.O_RDWR | os.O_NONBLOCK)
    filling = os.write(pipe, bytes(1 << 20))
    process = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "3", wrapper, "sweep", materials.folder / "job.toml", "-o", out],
                               env=os.environ | MPI, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)  # time for the others to exit, were they not waiting
    text = os.read(pipe, filling)
    assert process.wait(30) == 2
    text += os.read(pipe, filling)
    os.close(pipe)
    assert text[filling:].decode() == f"tasfg: {out}: its folder {out.parent} does not exist (make it first)\n"


@pytest.mark.parametrize("which", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_signal_at_any_moment_loses_nothing(materials, which):
    moments = (0.02,) if which == signal.SIGSTOP else (0.005, 0.02, 0.04)  # a stop takes up to a second
    for number, (name, moment) in enumerate(itertools.product(OPERATIONS, moments)):
        outcome = kill.play(materials, kill.Round(number, name, 0, which, "coordinator", [moment]))
        assert outcome.complaints == [], (name, moment)


def test_damaged_files_are_refused_in_one_line_by_everything_that_reads_them(tmp_path):
    wrong = {number: complaints for number, _, _, complaints in
             damage.campaign(damage.materials_in(tmp_path), range(40), seed=2, jobs=2) if complaints}
    assert wrong == {}
