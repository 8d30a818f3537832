"""Sweeps that stop at precision: the same file however they are run, and what grows."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import h5py
import numpy as np
import pytest

import result_files
from processes import TASFG, run, start, wait_for

JOB = """
seed = 4
replications = 400
log_inv_delta = [1.0, 3.0]
algorithms = ["uniform", "oracle", "tas-fg-heur"]
precision = { mean = 0.15, ratio = 0.2 }
[[graph]]
family = "ring"
K = [3, 4]
"""
LOOKS = (32, 40, 50, 63, 79, 98, 123, 153, 191, 239, 299, 373, 400)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("precision")
    (folder / "job.toml").write_text(JOB)
    run("sweep", "job.toml", "-o", "whole.h5", "--threads", 1, "-q", cwd=folder)
    return folder / "whole.h5"


def statuses(path):
    with h5py.File(path, "r") as file:
        return file["runs/status"][()]


def test_cells_have_the_first_seeds_up_to_a_look_and_nothing_else(whole):
    status = statuses(whole)
    n = (status == 1).sum(axis=2)
    assert np.isin(n, LOOKS).all() and n.max() < 400 and len(np.unique(n)) > 1
    assert (np.where(np.arange(400) < n[..., None], 1, 4) == status).all()
    assert (n[:, 0] == n.max(axis=1)).all()  # the first algorithm has as many as any that is compared with it
    with h5py.File(whole, "r") as file:
        for name in ("steps", "sitting"):
            assert (file["runs"][name][()][status == 4] == -1).all()
        assert (file["runs/attempts"][()][status == 4] == 0).all()
        assert (np.moveaxis(file["runs/tau"][()], 2, 3)[status == 4] == -1).all()
        assert file.attrs["precision"].decode() == "mean=0.15 ratio=0.2 minimum=32"
    assert "sound" in run("verify", whole).stdout


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_do_not_matter(whole, ranks, tmp_path):
    run("sweep", whole.parent / "job.toml", "-o", tmp_path / "ranks.h5", "-q", ranks=ranks)
    assert result_files.differences(whole, tmp_path / "ranks.h5") == []


def test_neither_do_shards(whole, tmp_path):
    for i in (0, 1):
        run("sweep", whole.parent / "job.toml", "-o", tmp_path / f"{i}.h5", "--shard", f"{i}/2", "-q")
        assert run("status", tmp_path / f"{i}.h5", "--check").returncode == 0
    run("merge", tmp_path / "all.h5", tmp_path / "0.h5", tmp_path / "1.h5")
    assert result_files.differences(whole, tmp_path / "all.h5") == []


def test_a_job_that_has_grown_in_precision_goes_on(whole, tmp_path):
    job = whole.parent / "job.toml"
    fine = ["--set", "precision.mean=0.1", "-q"]
    run("sweep", job, "-o", tmp_path / "at_once.h5", *fine)
    run("sweep", job, "-o", tmp_path / "grown.h5", "-q")
    run("sweep", job, "-o", tmp_path / "grown.h5", *fine)
    differences = result_files.differences(tmp_path / "at_once.h5", tmp_path / "grown.h5")
    assert differences == []
    assert (statuses(tmp_path / "grown.h5") == 1).sum() > (statuses(whole) == 1).sum()
    refused = run("sweep", job, "-o", tmp_path / "grown.h5", "-q", check=2)
    assert "its precision is mean=0.1" in refused.stderr
    run("sweep", job, "-o", tmp_path / "grown.h5", "-q", "--set", "replications=450", *fine)
    assert (statuses(tmp_path / "grown.h5") == 1).sum() == (statuses(tmp_path / "at_once.h5") == 1).sum()


def test_verify_sees_a_run_that_is_wrongly_called_not_needed(whole, tmp_path):
    other = tmp_path / "other.h5"
    other.write_bytes(whole.read_bytes())
    with h5py.File(other, "r+") as file:
        n = int((file["runs/status"][0, 1] == 1).sum())
        for name in ("status", "checksum", "steps"):
            file["runs"][name][0, 1, n - 1] = file["runs"][name][0, 1, n]
        for name in ("tau", "recommended", "correct", "stopped"):
            file["runs"][name][0, 1, :, n - 1] = -1
        file["runs/pulls"][0, 1, n - 1] = -1
    found = run("verify", other, check=1).stdout
    assert "is called not needed, but the runs before it are not enough" in found


def test_status_and_watch_say_how_precise_cells_are(whole, tmp_path):
    found = json.loads(run("status", whole, "--json").stdout)
    cells = found["precision"]["cells"]
    assert len(cells) == 6 and {cell["state"] for cell in cells} == {"precise"}
    assert all(cell["relative"] <= cell["asked"] for cell in cells)
    assert [cell["relative"] / cell["asked"] for cell in cells] == sorted(
        (cell["relative"] / cell["asked"] for cell in cells), reverse=True)
    assert found["runs"]["not_needed"] == (statuses(whole) == 4).sum() and found["runs"]["foreseen"] == 0
    text = run("status", whole).stdout
    assert "6 of 6 cells are precise" in text and "(100.0 %)" in text and "not needed" in text
    shown = run("watch", whole)
    assert "6 of 6 cells are precise" in shown.stdout and "100.0 %" in shown.stdout and "\x1b" not in shown.stdout
    assert "must be 0.1 to 86400 seconds" in run("watch", whole, "--interval", 0, check=2).stderr
    # Too few replications: it says how far it is.
    few = tmp_path / "few.h5"
    run("sweep", whole.parent / "job.toml", "-o", few, "-q", "--set", "replications=35")
    text = run("status", few).stdout
    assert "0 of 6 cells are precise, 6 at the most replications are not" in text and "% asked) at delta" in text


def test_watch_ends_with_the_sweep_and_a_cell_without_a_mean_says_why(whole, tmp_path):
    out = tmp_path / "out.h5"
    process = start("sweep", whole.parent / "job.toml", "-o", out, "-q", "--set", "max_steps=60", "--set", "replications=3000",
                    "--set", 'algorithms=["tas-fg", "uniform"]')
    wait_for(out.exists)
    seen = run("watch", out, "--interval", 0.1, check=None)
    assert process.wait(timeout=60) == 0 and seen.returncode in (0, 75)
    assert "capped runs leave it unknown" in run("status", out).stdout
    assert (statuses(out) != 4).all()


def test_watch_draws_a_picture_on_a_terminal(whole):
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 60, 0, 0))
    subprocess.run([TASFG, "watch", whole], stdout=follower, check=True, timeout=60)
    text = os.read(leader, 100_000).decode()
    os.close(leader), os.close(follower)
    lines = text.replace("\x1b[2J", "").removeprefix("\x1b[H").split("\x1b[K")
    assert "\x1b[H" in text and text.endswith("\x1b[J") and 8 < len(lines) <= 12
    assert max(len(line.strip("\r\n")) for line in lines) < 60
    assert "[####" in text and "6 of 6 cells are" in text


def test_a_plan_prices_precision(whole):
    def priced(*options):
        text = run("plan", whole.parent / "job.toml", "--set", "replications=100000", *options).stdout
        return int(text.split(" of these runs")[0].split("about ")[-1])

    assert priced("--set", "precision={mean=0.02}") > 10 * priced()


@pytest.mark.parametrize("quantity", ["mean", "ratio"])
def test_the_analysis_has_the_intervals_that_the_program_decides_by(whole, quantity, tmp_path):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../analysis"))
    import tasfg
    from tasfg import checks, report, tables

    file = whole
    if quantity == "ratio":
        file = tmp_path / "ratio.h5"
        run("sweep", whole.parent / "job.toml", "-o", file, "--set", "precision={ratio=0.2}", "-q")
    results = tasfg.open(file)
    table = tables.statistics(results, ["label", "algorithm", "delta"])
    n = (statuses(file) == 1).sum(axis=2)
    compared = 0
    for cell in json.loads(run("status", file, "--json").stdout)["precision"]["cells"]:
        here = table[(table.label == cell["case"]) & (table.algorithm == cell["algorithm"])]
        row = here[np.isclose(here.delta.astype(float), cell["delta"])].iloc[0]
        assert row.runs == cell["runs"] and row.runs in n
        if cell["quantity"] == "mean":
            found = (row["mean"], row["mean"] - row.half_width, row["mean"] + row.half_width)
        else:
            found = (row.ratio, row.ratio_low, row.ratio_high)
            assert row.ratio_runs == cell["runs"]
        if cell["quantity"] == quantity:
            compared += 1
            assert found == pytest.approx((cell["value"], cell["low"], cell["high"]))
    assert compared > 3
    assert table[table.algorithm == "uniform"].ratio.isna().all() and table.ratio.notna().sum() == 8
    shown = tables.readable(table, ["label", "algorithm"])
    assert "median 95 %" in shown
    texts = [text for text in shown["τ/τ of the first (runs)"] if text != "–"]
    assert len(texts) == 8 and all(re.fullmatch(r"[\d.]+ ± [\d.]+ \(\d+\)", text) for text in texts)
    page = report.render(results, with_figures=False)
    assert "τ/τ of the first" in page and all(text in page for text in texts)
    for row in checks.paired_table(results.frame, "uniform", 3.0, stopped=True, means=True).itertuples():
        same = table[(table.label == row.label) & (table.algorithm == row.algorithm) & (table.delta < 0.1)].iloc[0]
        assert (row.ratio, row.low, row.high) == pytest.approx((same.ratio, same.ratio_low, same.ratio_high))
        assert row.seeds == same.ratio_runs


def test_the_analysis_has_the_error_probability_of_weighted_runs(tmp_path):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../analysis"))
    import tasfg
    from tasfg import figures, tables

    job = tmp_path / "job.toml"
    job.write_text(
        'measure = "error"\nreplications = 5000\ndelta = [1e-2, 1e-4]\nalgorithms = ["uniform"]\n'
        'precision = { error = 0.3 }\n[[graph]]\nfamily = "ring"\nK = 3\n'
    )
    run("sweep", job, "-o", tmp_path / "error.h5", "-q")
    results = tasfg.open(tmp_path / "error.h5")
    table = tables.statistics(results, ["label", "algorithm", "delta"])
    (cell,) = json.loads(run("status", tmp_path / "error.h5", "--json").stdout)["precision"]["cells"]
    assert cell["quantity"] == "error"
    row = table[np.isclose(table.delta.astype(float), cell["delta"])].iloc[0]
    assert row.runs == cell["runs"] < 5000
    assert (row.error, row.error_low, row.error_high) == pytest.approx((cell["value"], cell["low"], cell["high"]))
    assert (table.error < table.delta.astype(float)).all()
    assert tables.error_text(row).endswith("]")
    drawing = figures.draw(figures.figure_named("error-rate"), results)
    assert any("weighted runs" in text.get_text() for text in drawing.texts)


@pytest.mark.parametrize("capped", [0, 20, 45])
def test_a_median_lies_between_its_ranks(capped):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../analysis"))
    from tasfg.estimates import Sample

    values = np.arange(1.0, 101.0 - capped)
    low, high = Sample.of(values, capped, 200.0, True).median_interval()
    assert low == 39.0 and high == (62.0 if capped <= 38 else np.inf)  # as in tests/unit/sim/precision_test.cpp
    assert np.isnan(Sample.of(values[:4], 0, 200.0, True).median_interval()[0])
