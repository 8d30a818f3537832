"""tasfg curve as users run it: bounds that hold between the points, tables, files, errors, several ranks."""

import csv
import io
import json
import math
import random
import re

import h5py
import numpy as np
import pytest
import xarray

from processes import run
from tasfg.reader import CurveFile

STAR = ("--graph", "loopy-star", "-P", "q=1", "-P", "r=0.25")


def table(*arguments):
    rows = list(csv.reader(io.StringIO(run("curve", *arguments, "--csv").stdout)))
    return rows[0], [[float(cell) if cell else None for cell in row] for row in rows[1:]]


def solved(*arguments):
    found = json.loads(run("solve", *arguments, "--json").stdout)
    return found["T_star_lower"], found["T_star"]


def test_a_curve_holds_between_its_points():
    header, rows = table(*STAR, "--over", "p=0:1", "--tolerance", "0.01")
    assert header == ["p", "T_star", "T_star_lower", "T_low_to_next", "T_high_to_next"]
    assert rows[0][0] == 0 and rows[-1][0] == 1 and rows[-1][3:] == [None, None]
    for here, following in zip(rows, rows[1:]):
        assert here[0] < following[0]
        assert here[4] <= 1.01 * here[3]
        assert here[3] <= here[2] <= here[1] <= here[4]
    points = random.Random(1)
    for _ in range(20):
        p = points.random()
        low, high = next((a[3], a[4]) for a, b in zip(rows, rows[1:]) if a[0] <= p <= b[0])
        lower, upper = solved(*STAR, "-P", f"p={p!r}")
        assert low <= upper and lower <= high


def test_a_map_holds_in_its_cells():
    header, rows = table("--graph", "loopy-star", "--over", "p=0:1", "--over", "q=0.2:1", "--tolerance", "0.1")
    assert header == ["p_low", "p_high", "q_low", "q_high", "T_low", "T_high"]
    assert sum((b - a) * (d - c) for a, b, c, d, _, _ in rows) == pytest.approx(0.8)
    for a, b, c, d, low, high in random.Random(2).sample(rows, 20):
        assert high <= 1.1 * low
        lower, upper = solved("--graph", "loopy-star", "-P", f"p={0.3 * a + 0.7 * b!r}", "-P", f"q={0.6 * c + 0.4 * d!r}")
        assert low <= upper and lower <= high


def test_regimes_are_bracketed():
    text = run("curve", *STAR, "--over", "p=0:1").stdout
    found = re.findall(r"regime changes: p in \[([\d.]+), ([\d.]+)\]; (.*)", text)
    assert [words for _, _, words in found] == ["vertices leaving: 1, 2, 3", "vertex leaving: 4"]
    for (low, high, _), exact in zip(found, ((13 - math.sqrt(105)) / 32, (math.sqrt(5) - 1) / 4)):
        assert float(low) <= exact <= float(high) and float(high) - float(low) <= 1e-9


def test_where_it_is_infinite_is_named():
    text = run("curve", "--graph", "loopy-star", "-P", "r=0", "--over", "p=0:1", "--tolerance", "0.1", "--width", "1e-3").stdout
    assert "T* is infinite: p in [0.5, 1]" in text
    diverges = re.search(r"T\* diverges: p in \[([\d.]+), 0.5\]", text)
    assert 0 < 0.5 - float(diverges[1]) <= 1e-3
    _, rows = table("--graph", "bandit", "--over", "p=0:1", "--tolerance", "1", "--width", "0.01")
    assert rows[0][:3] == [0, math.inf, math.inf] and rows[0][4] == math.inf and math.isfinite(rows[0][3])


def test_what_is_not_affine_is_sampled_and_said_so():
    outcome = run("curve", "--graph", "symmetric", "-P", "r=p^2", "--over", "p=0.1:1", "--samples", "5", "--csv")
    assert outcome.stderr == (
        "tasfg: p: p^2 raises what depends on p to a power, so it is sampled; nothing is promised between its values\n"
    )
    rows = list(csv.reader(io.StringIO(outcome.stdout)))[1:]
    assert len(rows) == 5 and all(row[3:] == ["", ""] for row in rows)


def test_the_file_opens_in_xarray(tmp_path):
    path = tmp_path / "curve.h5"
    run("curve", *STAR, "--over", "p=0:1", "--tolerance", "0.01", "-o", str(path))
    header, rows = table(*STAR, "--over", "p=0:1", "--tolerance", "0.01")
    points, cells, regimes = (xarray.load_dataset(path, group=name, engine="h5netcdf") for name in ("points", "cells", "regimes"))
    assert points.omega.dims == ("point", "vertex") and cells.T_low.dims == ("cell",)
    assert regimes.leaving.dims == ("change", "vertex")
    assert points.p.values.tolist() == [row[0] for row in rows]
    assert points.T_star.values.tolist() == [row[1] for row in rows]
    assert cells.T_high.values.tolist() == [row[4] for row in rows[:-1]]
    assert regimes.leaving.values.tolist() == [[0, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    assert cells.outcome.attrs["flag_meanings"] == "certified infinite diverges unresolved"
    assert np.allclose(points.omega.sum("vertex"), 1)
    with h5py.File(path) as file:
        assert file.attrs["format"] == b"tasfg-curve" and file.attrs["axes"] == b"p"
    found = CurveFile(path)
    assert found.axes == ["p"] and len(found.cells) == len(rows) - 1


@pytest.mark.parametrize("over", [["--over", "p=0:1"], ["--over", "p=0.1:1", "--over", "K=3:5"]])
def test_ranks_and_threads_make_no_difference(over):
    arguments = ["curve", "--graph", "ring", *over, "--tolerance", "0.05", "--csv"]
    one = run(*arguments, "--threads", "1").stdout
    assert len(one.splitlines()) > 50
    assert run(*arguments, "--threads", "3").stdout == one
    assert run(*arguments, "--threads", "1", ranks=3).stdout == one


def test_bad_input_is_one_line_with_status_2(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for arguments, message in (
        (["--over", "p=0:2"], "tasfg: --over p = 2 (must lie in [0, 1])"),
        (["--over", "p=1"], 'tasfg: --over "p=1" (must be name=low:high)'),
        (["--over", "p=0:1", "-P", "p=0.3"], "tasfg: --over and -P both give p (give one)"),
        (["--over", "p=0:1", "--tolerance", "1e-12"], "tasfg: --tolerance = 1e-12 (must lie in [1e-08, 10])"),
        ([], "tasfg: --over is given 0 times (must be given once for a curve, twice for a map)"),
        (
            ["--over", "p=0:1", "-o", str(tmp_path / "mine.txt")],
            f"tasfg: {tmp_path}/mine.txt: is there and is not a curve (give another -o; it was left as it is)",
        ),
    ):
        outcome = run("curve", "--graph", "ring", *arguments, check=2)
        assert outcome.stderr.strip() == message and outcome.stdout == ""
