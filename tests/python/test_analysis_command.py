"""The command tasfg-analysis, as a user runs it: its output, its refusals, and that nothing is half written."""

import os
import pathlib
import re
import shutil
import subprocess

import h5py
import numpy as np
import pandas as pd
import pytest

import tasfg
from tasfg import comparison, estimates, figures
from tasfg.command_line import main

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def command(capsys):
    """Runs the command in this process: status, standard output, standard error."""

    def run_it(*arguments):
        try:
            status = main([str(a) for a in arguments])
        except SystemExit as end:
            status = end.code
        output = capsys.readouterr()
        return status, output.out, output.err

    return run_it


def refused(result):
    status, out, err = result
    assert status == 2 and out == "" and err.startswith("tasfg-analysis: ") and err.count("\n") == 1, result
    return err


def test_the_script_finds_a_python_and_lists_every_figure():
    done = subprocess.run([ROOT / "analysis/tasfg-analysis", "list"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(figures.FIGURES)
    jobs = [line.rsplit("[", 1)[1].rstrip("]") for line in lines]
    assert all((ROOT / job).is_file() for job in jobs if job != "any job with such cases") and len(set(jobs)) > 8
    nothing = subprocess.run(
        [ROOT / "analysis/tasfg-analysis", "list"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHON": "/bin/false"},
    )
    assert nothing.returncode == 2 and "no python3 with" in nothing.stderr


def test_help_tells_what_there_is(command):
    status, out, _ = command("--help")
    assert status == 0
    for word in (
        "figure",
        "figures",
        "plot",
        "report",
        "compare",
        "table",
        "export",
        "list",
        "examples:",
        "Exit status",
    ):
        assert word in out


def test_bad_input_is_one_line_and_status_2(command, study, curves, tmp_path):
    (tmp_path / "text.h5").write_text("no")
    (tmp_path / "cut.h5").write_bytes(study.read_bytes()[:5000])
    shutil.copy(study, tmp_path / "new.h5")
    with h5py.File(tmp_path / "new.h5", "r+") as file:
        file.attrs["format_version"] = 1
    ring = curves["fig-ring"]
    for name, text in (
        ("none.h5", "No such file"),
        ("text.h5", "not an HDF5 file"),
        ("cut.h5", "truncated"),
        ("new.h5", "format_version 1 (this package reads 2"),
    ):
        for verb in (("figure", "boxes"), ("figures",), ("report",), ("table",)):
            error = refused(command(*verb, tmp_path / name, *(("-o", tmp_path / "o") if verb[0] != "table" else ())))
            assert error.startswith(f"tasfg-analysis: {tmp_path / name}: ") and text in error
    assert "no settled runs (boxes needs a job with algorithms" in refused(
        command("figure", "boxes", ring, "-o", tmp_path)
    )
    assert "no curve over p of the graph ring" in refused(command("figure", "ring", study, "-o", tmp_path))
    assert 'no figure boxs (did you mean "boxes"?)' in refused(command("figure", "boxs", study))
    assert "--format gif (must be of png, pdf, svg)" in refused(command("figure", "boxes", study, "--format", "gif"))
    assert "--by colour (must be of" in refused(command("table", study, "--by", "colour"))
    assert "no case has these words" in refused(command("figure", "boxes", study, "--cases", "ring K=99"))
    assert {p.name for p in tmp_path.iterdir()} == {"text.h5", "cut.h5", "new.h5"}  # nothing was written
    assert command("figure")[0] == 2 and command("nonsense")[0] == 2


def test_a_refusal_leaves_what_was_there(command, curves, study, tmp_path):
    (tmp_path / "boxes.png").write_bytes(b"old")
    (tmp_path / "page.html").write_bytes(b"old")
    refused(command("figure", "boxes", curves["fig-ring"], "-o", tmp_path))
    (tmp_path / "text.h5").write_text("no")
    refused(command("report", tmp_path / "text.h5", "-o", tmp_path / "page.html"))
    assert (tmp_path / "boxes.png").read_bytes() == (tmp_path / "page.html").read_bytes() == b"old"
    if os.geteuid() != 0:
        (tmp_path / "closed").mkdir(mode=0o500)
        assert "Permission denied" in refused(command("figure", "boxes", study, "-o", tmp_path / "closed"))
    (tmp_path / "file").touch()
    assert "file/x" in refused(command("export", study, "-o", tmp_path / "file/x.csv"))


def test_a_file_is_replaced_at_once_or_not_at_all(tmp_path):
    from tasfg.files import replacing

    target = tmp_path / "a.csv"
    target.write_text("old")
    with pytest.raises(RuntimeError):
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new" and list(tmp_path.iterdir()) == [target]
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_figures_draws_what_the_files_have_data_for(command, study, curves, tmp_path):
    status, out, _ = command(
        "figures",
        curves["fig-ring"],
        curves["fig-symmetric-faces"],
        "-o",
        tmp_path / "new" / "folder",
        "--format",
        "png",
        "--dpi",
        "60",
    )
    assert status == 0
    drawn = sorted(p.stem for p in (tmp_path / "new" / "folder").iterdir())
    assert drawn == ["bars", "graphs", "ring", "symmetric", "tv-ring"] and out.count("\n") == 5
    status, out, _ = command("figure", "boxes,paired", study, "--cases", "ring", "-o", tmp_path, "--format", "svg")
    assert status == 0 and out.split() == [str(tmp_path / "boxes.svg"), str(tmp_path / "paired.svg")]


def test_tables_and_exports_are_the_runs(command, study, capped, tmp_path):
    status, out, _ = command("export", study, "-o", tmp_path / "runs.csv")
    assert status == 0 and out == f"{tmp_path / 'runs.csv'}: 576 rows\n"
    back = pd.read_csv(tmp_path / "runs.csv")
    frame = tasfg.open(study).runs_frame()
    assert back.tau.dtype == np.int64 and (back.tau == frame.tau).all() and (back.label == frame.label).all()
    assert np.allclose(back.normalised, frame.normalised, rtol=1e-12) and (back.correct == frame.correct).all()
    command("export", study, "-o", tmp_path / "cases.csv", "--what", "cases")
    assert np.allclose(pd.read_csv(tmp_path / "cases.csv").T_star, tasfg.open(study).cases.T_star, rtol=1e-14)

    _, out, _ = command("table", study, "--by", "graph,K,algorithm,log_inv_delta", "--csv")
    (tmp_path / "table.csv").write_text(out)
    table = pd.read_csv(tmp_path / "table.csv").set_index(["graph", "K", "algorithm", "log_inv_delta"])
    groups = frame.groupby(["graph", "K", "algorithm", "log_inv_delta"], observed=True)
    assert np.allclose(table["mean"], groups.tau.mean()[table.index], rtol=1e-12)
    assert np.allclose(table.q3, groups.tau.quantile(0.75)[table.index], rtol=1e-12)
    half = 2.364624 * groups.tau.std() / np.sqrt(8)  # Student's t, 7 degrees
    assert np.allclose(table.half_width, half[table.index], rtol=1e-6)
    assert (table.stopped == 8).all() and (table.capped == 0).all()
    assert np.allclose(table.error_high, estimates.clopper_pearson(table.errors, 8)[1])
    assert np.allclose(table.practical_bound, groups.practical_bound.mean()[table.index])

    _, out, _ = command("table", capped, "--by", "algorithm,log_inv_delta", "--csv")
    (tmp_path / "table.csv").write_text(out)
    table = pd.read_csv(tmp_path / "table.csv").set_index(["algorithm", "log_inv_delta"])
    with h5py.File(capped) as file:
        stopped = file["runs/stopped"][()]
    for i, x in enumerate((1.0, 3.0, 7.0)):
        assert table.stopped["ucb-fg-v", x] == stopped[:, 1, i].sum()
        assert table.capped["ucb-fg-v", x] == 24 - stopped[:, 1, i].sum()
    assert table.stopped["ucb-fg-v", 1.0] > table.stopped["ucb-fg-v", 7.0]
    assert table["mean"].isna().equals(table.capped > 0) and np.isinf(table["largest"]["ucb-fg-v", 7.0])


def test_a_table_never_pools_the_deltas_of_a_run(command, study):
    status, out, _ = command("table", study, "--by", "algorithm", "--csv")
    lines = [line.split(",") for line in out.splitlines()]
    assert lines[0][:3] == ["algorithm", "log_inv_delta", "runs"] and len(lines) == 1 + 4 * 3
    assert {line[2] for line in lines[1:]} == {"48"}  # six cases, eight seeds


def test_a_table_never_pools_runs_of_different_settings(command, study, capped):
    _, out, _ = command("table", study, capped, "--by", "algorithm", "--csv")
    rows = [line.split(",") for line in out.splitlines()[1:]]
    assert {(row[0], row[3]) for row in rows if row[1] == "tas-fg"} == {(str(study), "48"), (str(capped), "24")}
    assert "> 30000" in command("table", study, capped, "--by", "algorithm")[1]


def test_tables_for_people_and_for_papers(command, study, capped, studies):
    _, out, _ = command("table", study, "--by", "graph,K,algorithm")
    frame = tasfg.open(study).runs_frame()
    part = frame[(frame.label == "ring K=5 p=0.3") & (frame.algorithm == "tas-fg") & (frame.log_inv_delta == 7.0)]
    (line,) = [line for line in out.splitlines() if line.split()[:4] == ["ring", "5", "TaS-FG", "e^−7"]]
    half = 2.364624 * part.tau.std() / np.sqrt(8)
    assert f" {part.tau.mean():.0f} ± {half:.0f} " in line
    assert f" {part.lower_bound.iloc[0]:.0f} " in line and f" {part.practical_bound.iloc[0]:.0f} " in line
    assert line.endswith("< 0.37")  # no error in eight runs
    _, out, _ = command("table", capped, "--by", "algorithm")
    assert "> 30000" in out and "capped" in out
    _, out, _ = command("table", studies["own"], "--latex")
    assert out.startswith("% \\usepackage{booktabs}\n\\begin{tabular}") and out.endswith("\\end{tabular}\n")
    assert "explore\\_then\\_go" in out and "$>$ 2000" in out and "0.01 &" in out
    rows = [line for line in out.splitlines() if line.endswith("\\\\")]
    assert len({line.count("&") - line.count("\\&") for line in rows}) == 1


def test_exports_are_what_their_names_say_or_refused(command, study, anytime, tmp_path):
    assert "must end in .csv, .csv.gz or .parquet" in refused(command("export", study, "-o", tmp_path / "s.txt"))
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        assert "Parquet needs the Python package pyarrow" in refused(
            command("export", study, "-o", tmp_path / "s.parquet")
        )
    else:
        assert command("export", study, "-o", tmp_path / "s.parquet")[0] == 0
        assert len(pd.read_parquet(tmp_path / "s.parquet")) == 576
    assert not (tmp_path / "s.txt").exists()
    assert command("export", study, "-o", tmp_path / "s.csv.gz")[0] == 0
    assert (tmp_path / "s.csv.gz").read_bytes()[:2] == b"\x1f\x8b" and len(pd.read_csv(tmp_path / "s.csv.gz")) == 576
    assert command("export", anytime, "--what", "checkpoints", "-o", tmp_path / "c.csv")[0] == 0
    assert len(pd.read_csv(tmp_path / "c.csv")) == 4 * 5 * 4 * 12
    assert "no checkpoints" in refused(command("export", study, "--what", "checkpoints", "-o", tmp_path / "c.csv"))


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path):
    from tasfg.files import write_table

    texts = ["=1+1", "@SUM(A1)", "-", "tas-fg", "+cmd|' /C calc'!A0"]
    frame = pd.DataFrame({"label": texts, "graph": pd.Categorical(texts), "tau": [-1, 2, 3, 4, 5]})
    write_table(frame, tmp_path / "t.csv")
    table = pd.read_csv(tmp_path / "t.csv")
    for column in ("label", "graph"):
        assert list(table[column]) == ["'=1+1", "'@SUM(A1)", "-", "tas-fg", "'+cmd|' /C calc'!A0"]
    assert list(table["tau"]) == [-1, 2, 3, 4, 5]


def test_any_quantity_is_plotted_over_any_parameter(command, studies, curves, anytime, tmp_path):
    to = ("-o", tmp_path, "--format", "png", "--dpi", "50")
    for arguments in (
        (studies["curves"], "--x", "p", "--y", "T_star", "--hue", "q", "--cases", "loopy-star"),
        (studies["grid"], "--x", "p", "--y", "K", "--heat", "normalised", "--delta", "0.1"),
        (studies["capped"], "--x", "delta", "--y", "tau", "--statistic", "median"),
        (studies["random"], "--x", "graph.seed", "--y", "error", "--panel", "K"),
        (studies["files"], "--x", "algorithm", "--y", "tau"),
        (anytime, "--x", "checkpoint", "--y", "checkpoint_error"),
    ):
        status, out, error = command("plot", *arguments, *to)
        assert status == 0 and error == "" and pathlib.Path(out.strip()).stat().st_size > 3000
    assert 'no column T_sta (did you mean "T_star"?)' in refused(
        command("plot", curves["fig-ring"], "--x", "p", "--y", "T_sta")
    )
    assert "--log z (must be of x, y, x,y)" in refused(
        command("plot", curves["fig-ring"], "--x", "p", "--y", "T_star", "--log", "z")
    )
    assert "panels (one for each of" in refused(command("plot", studies["grid"], "--x", "seed", "--y", "tau"))


def published(study, path, scale=1.0):
    """Our own runs, as if they had been published; every τ times `scale`."""
    frame = tasfg.open(study).runs_frame()
    frame = frame.assign(tau=np.round(scale * frame.tau).astype(int), correct=frame.correct.astype(int))
    frame[["graph", "K", "algorithm", "log_inv_delta", "seed", "tau", "correct"]].to_csv(path, index=False)
    return path


def test_comparison_with_published_runs(command, study, tmp_path):
    same = published(study, tmp_path / "same.csv")
    status, out, _ = command("compare", study, "--published", same, "-o", tmp_path, "--format", "png", "--dpi", "60")
    assert status == 0
    assert "all cells: median inside the published 95 % bootstrap interval in 72 of 72 (100.0 %)" in out
    assert "rank test: 0 of 72 cells differ" in out
    table = pd.read_csv(tmp_path / "published-tests.csv")
    assert len(table) == 72 and (table["median"] == table.published_median).all() and (table.rank_p > 0.99).all()
    row = table.iloc[40]
    frame = tasfg.open(study).runs_frame()
    part = frame[
        (frame.graph == row.graph)
        & (frame.K == row.K)
        & (frame.algorithm == row.algorithm)
        & (frame.log_inv_delta == row.log_inv_delta)
    ]
    assert row["median"] == part.tau.median() and (row.interval_low, row.interval_high) == estimates.median_interval(
        part.tau
    )
    assert (tmp_path / "published-boxes.png").stat().st_size > 10_000
    assert (tmp_path / "published-medians.png").stat().st_size > 10_000

    other = published(study, tmp_path / "other.csv", scale=30.0)
    _, out, _ = command("compare", study, "--published", other, "-o", tmp_path, "--format", "png", "--dpi", "60")
    inside = int(re.search(r"all cells: .* in (\d+) of 72", out)[1])
    assert inside <= 5  # of cells with a run that stopped after a few draws, times 30
    table = pd.read_csv(tmp_path / "published-tests.csv")
    assert (table.rank_p < 0.01).mean() > 0.9
    assert np.allclose(table.rank_p_holm, estimates.holm(table.rank_p))


def test_published_files_that_do_not_fit_are_refused(command, study, small_delta, tmp_path):
    good = published(study, tmp_path / "good.csv")
    table = pd.read_csv(good)
    for name, change, text in (
        ("column", lambda t: t.drop(columns="tau"), "no column tau"),
        ("words", lambda t: t.assign(tau="x"), "column tau is not all numbers"),
        ("none", lambda t: t[:0], "no rows"),
        ("far", lambda t: t.assign(K=t.K + 90), "no case that was published"),
    ):
        change(table).to_csv(tmp_path / f"{name}.csv", index=False)
        assert text in refused(command("compare", study, "--published", tmp_path / f"{name}.csv", "-o", tmp_path))
    assert "No such file" in refused(command("compare", study, "--published", tmp_path / "nowhere.csv"))
    assert not list(tmp_path.glob("published-*"))


def test_the_bootstrap_interval_of_a_median_covers_it():
    """Of 25 values it is the 8th to the 18th, which cover with probability 0.9567; of 24, drawn, it is like drawing by hand."""
    assert estimates.median_interval(np.arange(1, 26)) == (8, 18)
    chance = np.random.default_rng(11)
    values = np.sort(chance.exponential(size=24))
    medians = np.median(chance.choice(values, size=(40_000, 24)), axis=1)
    low, high = estimates.median_interval(values)
    # Quantiles of 20 000 and 40 000 draws: within the neighbours of ranks 2.5 % ± 0.6 %, four standard errors.
    assert np.percentile(medians, 1.9) <= low <= np.percentile(medians, 3.1)
    assert np.percentile(medians, 96.9) <= high <= np.percentile(medians, 98.1)
    assert np.allclose(estimates.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])


def test_the_published_clique_is_the_one_of_the_reference(study, study_job, tmp_path):
    """A file of the paper's parity still compares (with a remark); of both, the reference's is taken."""
    from processes import run

    run(
        "sweep",
        study_job,
        "-o",
        tmp_path / "both.h5",
        "-q",
        "--set",
        'graph[3].parity=["paper", "reference"]',
        "--set",
        "replications=3",
    )
    table = comparison.read_published(published(study, tmp_path / "p.csv"))
    ours = comparison.matching_runs(tasfg.open(tmp_path / "both.h5"), table)
    assert set(ours.label[ours.graph == "loopless-clique"]) == {"loopless-clique K=5 p=0.5 parity=reference"}


def test_a_figure_without_data_does_not_keep_the_others_from_being_drawn(command, folder, tmp_path):
    """A ring whose runs were all capped, a random graph, Bernoulli rewards."""
    from conftest import sweep

    job = tmp_path / "odd.toml"
    job.write_text(
        'algorithms = ["uniform"]\nlog_inv_delta = [1.0]\nmax_steps = 2000\n[[graph]]\nfamily = "ring"\nK = 60\n'
        '[[graph]]\nfamily = "random"\n[[graph]]\nfamily = "bandit"\nK = 4\np = 1\nreward = "bernoulli"\n'
        "means = [0.1, 0.2, 0.3, 0.9]\n"
    )
    out = sweep(job, tmp_path / "odd.h5")
    status, printed, error = command("figures", out, "-o", tmp_path / "drawn", "--format", "png", "--dpi", "50")
    assert status == 0 and error == ""
    drawn = {path.stem for path in (tmp_path / "drawn").iterdir()}
    assert {"boxes", "tau", "tau-ring", "survival", "graphs", "pulls"} <= drawn  # capped runs are shown as such
    assert command("report", out, "-o", tmp_path / "odd.html")[0] == 0
