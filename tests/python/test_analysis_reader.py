"""tasfg.open: what it hands out is what the file holds, and what it cannot read it refuses in one line."""

import decimal
import json
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tasfg
from processes import TASFG, run
from result_files import seal
from tasfg import UserError, estimates, theory

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows(frame):
    """A frame in an order that does not depend on the files."""
    return frame.sort_values(["label", "algorithm", "log_inv_delta", "seed"]).reset_index(drop=True)


def test_a_finished_file_gives_every_run_as_it_is_stored(study):
    results = tasfg.open(study)
    with h5py.File(study) as file:
        tau, correct = file["runs/tau"][()], file["runs/correct"][()]
        T_star = file["cases/T_star"][()]
    runs = results.runs
    assert runs.tau.dims == ("case", "algorithm", "delta", "seed")
    assert np.array_equal(runs.tau, tau) and np.array_equal(runs.correct, correct)
    assert np.array_equal(results.cases.T_star, T_star)
    frame = results.runs_frame()
    assert len(frame) == tau.size
    row = frame.iloc[np.ravel_multi_index((2, 1, 2, 5), tau.shape)]
    assert (row.label, row.algorithm, row.log_inv_delta, row.seed) == (
        "loopy-star-alt K=5 p=0 q=0.25 r=0.03125",
        "tas-fg-heur",
        7.0,
        5,
    )
    assert (row.graph, row.K, row.p, row.q, row.r) == ("loopy-star-alt", 5, 0.0, 0.25, 0.03125)
    assert row.tau == tau[2, 1, 2, 5] and row.correct == bool(correct[2, 1, 2, 5])
    assert np.array_equal(frame.tau, tau.ravel())
    assert np.isclose(row.lower_bound, T_star[2] * 6.986323016, rtol=1e-9)
    assert np.isclose(row.normalised, tau[2, 1, 2, 5] / row.lower_bound, rtol=1e-15)
    assert np.allclose(runs.normalised.values.ravel(), frame.normalised, rtol=1e-15)
    assert str(frame.correct.dtype) == "boolean" and set(frame.status) == {"done"}


def test_a_file_that_the_process_has_open_with_locks_is_read(study):
    with h5py.File(study, "r", locking=True):  # as xarray opens it
        assert len(tasfg.open(study).runs_frame()) > 0


def test_an_unfinished_file_has_missing_values_where_runs_are_pending(study, study_job, tmp_path):
    run("sweep", study_job, "-o", tmp_path / "part.h5", "--shard", "0/3", "-q")
    results, whole = tasfg.open(tmp_path / "part.h5"), tasfg.open(study)
    frame, full = results.runs_frame(), whole.runs_frame()
    pending = frame.status == "pending"
    assert 0.4 < pending.mean() < 0.9
    for name in ("tau", "normalised", "correct", "recommended"):
        assert frame[name][pending].isna().all() and frame[name][~pending].notna().all()
    assert (frame.tau[~pending] == full.tau[~pending]).all()
    assert np.array_equal(
        np.isnan(results.runs.tau.values), (results.runs.status.values == 0)[:, :, None, :].repeat(3, axis=2)
    )


def test_merged_and_separate_parts_are_the_whole(study, study_job, tmp_path):
    parts = [tmp_path / f"part{i}.h5" for i in range(3)]
    for i, part in enumerate(parts):
        run("sweep", study_job, "-o", part, "--shard", f"{i}/3", "-q")
    run("merge", tmp_path / "merged.h5", *parts)
    whole = rows(tasfg.open(study).runs_frame()).drop(columns="file")
    pd.testing.assert_frame_equal(whole, rows(tasfg.open(tmp_path / "merged.h5").runs_frame()).drop(columns="file"))
    for files in (parts, [parts[2], study, parts[0]]):
        together = tasfg.open(*files)
        pd.testing.assert_frame_equal(
            whole, rows(together.runs_frame()).drop(columns=["file"]), check_categorical=False, check_dtype=False
        )
        assert together.cases.sizes["case"] == 6
        assert float(together.runs.tau.sum()) == whole.tau.sum()  # each run is in one place of the Dataset, too


def test_a_file_given_twice_counts_once(study, tmp_path):
    shutil.copy(study, tmp_path / "copy.h5")
    once = tasfg.open(study).runs_frame()
    assert len(tasfg.open(study, study).files) == 1
    assert len(tasfg.open(study, tmp_path / "copy.h5").runs_frame()) == len(once)


def test_files_that_contradict_each_other_are_refused(study, tmp_path):
    shutil.copy(study, tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        file["runs/tau"][3, 1, 2, 4] += 1
    seal(tmp_path / "other.h5")
    with pytest.raises(UserError, match="disagrees with .*study.h5 on ring K=5 p=0.3 tas-fg-heur seed 4"):
        tasfg.open(study, tmp_path / "other.h5")
    shutil.copy(study, tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        file["cases/T_star"][3] *= 1.01
        file["cases/T_star_lower"][3] *= 1.01
    seal(tmp_path / "other.h5")
    with pytest.raises(UserError, match="on T\\* of ring K=5 p=0.3"):
        _ = tasfg.open(study, tmp_path / "other.h5").cases


def test_runs_of_different_settings_are_kept_apart(study, study_job, tmp_path):
    run("sweep", study_job, "-o", tmp_path / "paper.h5", "-q", "--set", "conventions=paper", "--set", "replications=2")
    both = tasfg.open(study, tmp_path / "paper.h5")
    assert len(both.runs_frame()) == 6 * 4 * 3 * (8 + 2)
    assert set(both.runs_frame().file) == {str(study), str(tmp_path / "paper.h5")}
    with pytest.raises(UserError, match="different settings \\(conventions: reference and paper\\)"):
        both.require_runs("boxes")


def test_runs_of_different_results_versions_are_kept_apart(study, study_job, tmp_path):
    run("sweep", study_job, "-o", tmp_path / "older.h5", "-q", "--set", "replications=2")
    with h5py.File(tmp_path / "older.h5", "r+") as file:
        newer = file.attrs["results_version"].decode()
        file.attrs["results_version"] = np.bytes_(b"older")
    both = tasfg.open(study, tmp_path / "older.h5")
    with pytest.raises(UserError, match=f"different settings \\(results_version: {newer} and older\\)"):
        both.require_runs("boxes")


def test_capped_runs_are_censored_at_the_deltas_they_did_not_reach(capped):
    frame = tasfg.open(capped).runs_frame()
    with h5py.File(capped) as file:
        stopped = file["runs/stopped"][()].ravel() == 1
    assert np.array_equal(frame.tau.notna(), stopped) and np.array_equal(frame.correct.notna(), stopped)
    assert 0 < (~stopped).sum() < len(frame)
    assert set(frame.status[~stopped]) == {"capped"}
    assert (frame.status[stopped] == "capped").any()  # stopped at one δ, capped before the next


def test_only_picks_cases_by_the_words_of_their_label(study):
    results = tasfg.open(study)
    assert set(results.only(["ring K=5"]).runs_frame().label) == {"ring K=5 p=0.3"}
    assert list(results.only(["K=6 ring", "loopless-clique"]).cases.label.values) == [
        "ring K=6 p=0.3",
        "loopless-clique K=5 p=0.5 parity=reference",
    ]
    assert len(results.only(["loopy-star"]).cases_frame()) == 2  # not loopy-star-alt
    with pytest.raises(UserError, match="--cases ring K=7"):
        results.only(["ring K=7"])


@pytest.mark.parametrize("version", [0, 1, 99])
def test_other_format_versions_are_refused(study, tmp_path, version):
    shutil.copy(study, tmp_path / "new.h5")
    with h5py.File(tmp_path / "new.h5", "r+") as file:
        file.attrs["format_version"] = version
    with pytest.raises(UserError, match=f"new.h5: format_version {version} \\(this package reads 2; "):
        tasfg.open(tmp_path / "new.h5")


def test_a_newer_minor_version_is_read_and_what_it_adds_appears_by_itself(study, tmp_path):
    """A dataset per (case, algorithm, δ, seed) that this package has never heard of."""
    shutil.copy(study, tmp_path / "new.h5")
    with h5py.File(tmp_path / "new.h5", "r+") as file:
        file.attrs["format_minor"] = 7
        values = np.random.default_rng(1).normal(size=file["runs/tau"].shape)
        new = file["runs"].create_dataset("log_weight", data=values)
        for name in ("CLASS", "_Netcdf4Coordinates"):
            new.attrs[name] = file["runs/tau"].attrs[name]
        new.attrs.update({"NAME": b"log_weight", "_Netcdf4Dimid": np.int32(999), "_FillValue": np.nan})
        file["runs/status"][2, 1, 3] = 0
    results = tasfg.open(tmp_path / "new.h5")
    values[2, 1, :, 3] = np.nan  # pending
    assert results.runs.log_weight.dims == ("case", "algorithm", "delta", "seed")
    assert np.array_equal(results.runs.log_weight, values, equal_nan=True)
    assert np.array_equal(results.runs_frame().log_weight, values.ravel(), equal_nan=True)


def test_runs_that_do_not_fit_their_checksums_are_left_out_and_counted(study, tmp_path, capsys):
    from tasfg.command_line import main

    path = tmp_path / "torn.h5"
    for name, index in (
        ("tau", (3, 1, 2, 4)),
        ("pulls", (0, 0, 1, 2)),
        ("steps", (5, 3, 7)),
        ("correct", (4, 2, 0, 0)),
    ):
        shutil.copy(study, path)
        with h5py.File(path, "r+") as file:
            file["runs"][name][index] += 1
        results = tasfg.open(path)
        frame, whole = results.runs_frame(), tasfg.open(study).runs_frame()
        seed = index[2] if name in ("pulls", "steps") else index[3]
        gone = (frame.case == index[0]) & (frame.algorithm == results.algorithms[index[1]]) & (frame.seed == seed)
        assert results.damaged == 1 and gone.sum() == 3
        assert frame.tau[gone].isna().all() and (frame.status[gone] == "pending").all()
        assert (frame.tau[~gone] == whole.tau[~gone]).all() and np.isnan(results.runs.steps.values).sum() == 1
    assert main(["table", str(path)]) == 0
    assert "1 runs left out, which do not fit their checksums" in capsys.readouterr().err
    with h5py.File(path, "r+") as file:
        file["cases/omega"][2, 1] += 1e-9
        file["runs/pulls"][0, 0, 0, 5] = 77  # past K = 5: no part of the run
    results = tasfg.open(path)
    assert np.isnan(results.cases.T_star.values).tolist() == [False, False, True, False, False, False]
    assert results.damaged == 1


def test_runs_that_were_not_needed_are_called_so(study, tmp_path):
    shutil.copy(study, tmp_path / "precise.h5")
    with h5py.File(tmp_path / "precise.h5", "r+") as file:
        file["runs/status"][1, 1, 3:] = 4
    seal(tmp_path / "precise.h5")
    results = tasfg.open(tmp_path / "precise.h5")
    frame = results.runs_frame()
    assert results.run_counts["not needed"] == 5 and (frame.status == "not needed").sum() == 15
    assert frame.tau[frame.status == "not needed"].isna().all()


def test_the_frame_has_what_a_run_depends_on_and_both_bounds(study):
    frame = tasfg.open(study).runs_frame()
    with h5py.File(study) as file:
        bound, delta = file["cases/practical_bound"][()], file["runs/delta"][()]
    assert np.array_equal(frame.practical_bound, np.broadcast_to(bound[:, None, :, None], (6, 4, 3, 8)).ravel())
    assert np.array_equal(frame.delta, np.broadcast_to(delta[:, None], (6, 4, 3, 8)).ravel())
    assert set(frame.reward) == {"gaussian"} and set(frame.variance) == {1.0}
    # t = T* beta(t, delta), with the practical threshold
    T_star = frame.lower_bound / theory.kl(frame.log_inv_delta)
    beta = frame.log_inv_delta + 3 * np.log1p(2 * np.log(frame.practical_bound))
    assert np.allclose(frame.practical_bound, T_star * beta, rtol=1e-9)


def test_checkpoints_are_a_table_of_their_own(anytime, study):
    frame = tasfg.open(anytime).checkpoints_frame()
    with h5py.File(anytime) as file:
        correct, ratio = file["runs/checkpoint_correct"][()], file["runs/checkpoint_T_ratio"][()]
        steps = file["runs/checkpoint"][()]
    assert np.array_equal(frame.checkpoint_correct, correct.ravel() == 1)
    assert np.array_equal(frame.checkpoint_T_ratio, ratio.ravel()) and set(frame.checkpoint) == set(steps)
    assert len(tasfg.open(study).checkpoints_frame()) == 0


def test_the_graph_of_a_file_comes_back_as_it_was(studies):
    results = tasfg.open(studies["files"])
    paths = list(studies["files"].parent.glob("*.csv"))
    for path in paths:
        (case,) = [i for i, label in enumerate(results.cases.label.values) if path.name in label]
        assert np.array_equal(results.graph(case), np.loadtxt(path, delimiter=","))
    assert len(paths) == 3


def test_quantiles_of_capped_runs_are_known_below_the_cap_alone():
    sample = estimates.Sample.of([10, 40, 20, 30, np.nan], capped=4, cap=50)
    assert len(sample) == 8 and sample.quantile(0.25) == np.quantile([10, 20, 30, 40, 99, 99, 99, 99], 0.25)
    assert sample.quantile(0.5) == sample.quantile(0.75) == np.inf and np.isnan(sample.mean)
    box = estimates.Box.of(sample)
    assert (box.low, box.q1, box.high) == (10, 27.5, np.inf)
    assert estimates.Box.of(estimates.Sample.of([], capped=3, cap=50)).low == np.inf
    # One capped run of 20: all quartiles are known, and so is the whisker, which ends below the cap.
    box = estimates.Box.of(estimates.Sample.of(np.arange(1, 20), capped=1, cap=1000))
    assert (box.q1, box.median, box.q3, box.high) == (5.75, 10.5, 15.25, 19)


def test_the_survival_function_is_kaplan_and_meiers():
    times, alive, low, high = estimates.kaplan_meier(estimates.Sample.of([3, 1, 1, 7], capped=2, cap=9))
    assert times.tolist() == [1, 3, 7] and np.allclose(alive, [4 / 6, 3 / 6, 2 / 6])
    # Greenwood: the variance of ln P is the sum of d / (n (n - d)).
    spread = 1.959964 * np.sqrt([2 / 24, 2 / 24 + 1 / 12, 2 / 24 + 1 / 12 + 1 / 6]) / np.log(alive)
    assert np.allclose(low, alive ** np.exp(-spread), rtol=1e-6) and np.allclose(
        high, alive ** np.exp(spread), rtol=1e-6
    )
    assert (low < alive).all() and (alive < high).all()


def test_what_is_no_result_file_is_refused(study, tmp_path):
    def refusal(path):
        with pytest.raises(UserError) as error:
            results = tasfg.open(path)
            results.runs_frame(), results.cases, results.runs
        text = str(error.value)
        assert text.startswith(f"{path}: ") and "\n" not in text and text.endswith(")"), text
        return text

    assert "No such file" in refusal(tmp_path / "none.h5")
    assert "is a folder" in refusal(tmp_path)
    (tmp_path / "empty.h5").touch()
    assert "is empty" in refusal(tmp_path / "empty.h5")
    (tmp_path / "text.h5").write_text("tau,seed\n1,2\n")
    assert "not an HDF5 file" in refusal(tmp_path / "text.h5")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1
    assert "not a result file of tasfg" in refusal(tmp_path / "foreign.h5")
    shutil.copy(study, tmp_path / "damaged.h5")
    with h5py.File(tmp_path / "damaged.h5", "r+") as file:
        del file["runs/tau"]
    assert "damaged: no runs/tau" in refusal(tmp_path / "damaged.h5")
    shutil.copy(study, tmp_path / "short.h5")
    with h5py.File(tmp_path / "short.h5", "r+") as file:
        values, attributes = file["runs/status"][()], dict(file["runs/status"].attrs)
        del file["runs/status"]
        file["runs/status"] = values[:, :, :5]
        file["runs/status"].attrs.update(attributes)
    assert "damaged: runs/status has the shape (6, 4, 5), not (6, 4, 8)" in refusal(tmp_path / "short.h5")
    shutil.copy(study, tmp_path / "text-in.h5")
    with h5py.File(tmp_path / "text-in.h5", "r+") as file:
        count, attributes = len(file["runs/log_inv_delta"]), dict(file["runs/log_inv_delta"].attrs)
        del file["runs/log_inv_delta"]
        file["runs/log_inv_delta"] = np.array([b"seven"] * count)
        file["runs/log_inv_delta"].attrs.update(attributes)
    assert "damaged: " in refusal(tmp_path / "text-in.h5")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.999])
def test_a_truncated_file_is_refused(study, tmp_path, share):
    data = study.read_bytes()
    path = tmp_path / "cut.h5"
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(UserError, match="cut.h5: truncated: .* \\(copy it again"):
        tasfg.open(path)


def test_failed_tasks_come_with_a_command_that_replays_them(study, tmp_path):
    path = tmp_path / "failed.h5"
    shutil.copy(study, path)
    with h5py.File(path, "r+") as file:
        file["runs/status"][4, 2, 6] = 3
        for name, value in (("case", 4), ("algorithm", 2), ("seed", 6), ("message", b"broke <down>")):
            file["failures"][name][0] = value
    seal(path)
    results = tasfg.open(path)
    (failure,) = results.failures()
    assert (failure.label, failure.algorithm, failure.seed, failure.message) == (
        "ring K=6 p=0.3",
        "exp3.g",
        6,
        "broke <down>",
    )
    frame = results.runs_frame()
    assert (frame.status == "failed").sum() == 3 and frame.tau[frame.status == "failed"].isna().all()
    words = failure.replay.split()
    assert words[0] == "tasfg"
    printed = subprocess.run([TASFG, *words[1:]], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    with h5py.File(study) as file:
        assert [int(line.split(",")[3]) for line in printed] == file["runs/tau"][4, 2, :, 6].tolist()


def test_the_reader_says_which_sitting_made_which_runs(study, tmp_path):
    path = tmp_path / "two.h5"
    shutil.copy(study, path)
    with h5py.File(path, "r+") as file:
        for name in ("started", "host", "ranks", "code_version", "git_commit", "build"):
            file["sittings"][name][1] = file["sittings"][name][0]
        file["sittings/git_commit"][1] = b"later"
        file["runs/sitting"][:, :, 6:] = 1
    seal(path)
    first, second = tasfg.open(path).files[0].sittings()
    assert (first.number, second.number, second.git_commit) == (0, 1, "later")
    assert (first.runs, second.runs) == (6 * 4 * 6, 6 * 4 * 2)
    assert set(tasfg.open(path).runs.sitting.values[..., 7].flat) == {1}
    with h5py.File(path, "r+") as file:
        file["sittings/git_commit"][0] = b"forged"
    assert [each.number for each in tasfg.open(path).files[0].sittings()] == [1]
    with h5py.File(path, "r+") as file:
        del file["sittings"]  # as format 2.0 has it
    assert tasfg.open(path).files[0].sittings() == []


@pytest.mark.parametrize(
    "group, name, value",
    [("cases", "K", 2**31 - 1), ("cases", "K", -5), ("cases", "best", 10**6), ("edges", "case", -1)],
)
def test_values_that_do_not_fit_together_are_refused_or_left_out(study, tmp_path, group, name, value):
    path = tmp_path / "forged.h5"
    shutil.copy(study, path)
    with h5py.File(path, "r+") as file:
        file[group][name][...] = value
    try:
        results = tasfg.open(path)
        assert len(results.runs_frame()) and len(results.cases_frame())
        for file in results.files:
            _ = file.edges, file.failures(), [file.graph(case) for case in range(len(file.labels))]
    except UserError as error:
        assert "forged.h5: " in str(error) and len(str(error).splitlines()) == 1


def test_errors_quote_no_control_characters():
    assert str(UserError("a\x1b[31m\nb\x9bc δ")) == "a?[31m?b?c δ"


def test_the_normalisation_is_right_to_the_last_digits():
    """kl(δ, 1−δ) at δ = e^−x against 60-digit arithmetic, from δ near 1 to δ = e⁻⁷⁰⁰."""
    decimal.getcontext().prec = 340
    for x in ("1e-12", "0.001", "0.5", "0.69", "0.7", "1", "2.2", "7", "36", "40", "200", "700"):
        delta = (-decimal.Decimal(x)).exp()
        exact = (1 - 2 * delta) * ((1 - delta) / delta).ln()
        assert abs(float(decimal.Decimal(float(theory.kl(float(x)))) / exact) - 1) < 2e-13, x
    assert theory.kl([7.0, 1.0]).shape == (2,)


def test_clopper_pearson_ends_are_binomial_tails():
    for errors, runs in ((0, 10), (1, 10), (7, 300), (10, 10)):
        low, high = map(float, estimates.clopper_pearson(errors, runs))
        if errors:
            assert np.isclose(stats.binom.sf(errors - 1, runs, low), 0.025, rtol=1e-8)
        else:
            assert low == 0.0
        if errors < runs:
            assert np.isclose(stats.binom.cdf(errors, runs, high), 0.025, rtol=1e-8)
        else:
            assert high == 1.0
    assert np.isnan(estimates.clopper_pearson(0, 0)).all()


def test_times_of_allocations_are_those_of_the_solver(study):
    results = tasfg.open(study)
    cases = results.cases
    for i in range(cases.sizes["case"]):
        case = cases.isel(case=i)
        K = int(case.K)
        G = results.graph(i)
        assert (G > 0).sum() == int(case.edges)
        for name, time in (("omega", "T_star"), ("omega_heuristic", "T_heuristic")):
            value = theory.characteristic_time(case[name].values[:K], G, case.means.values[:K])
            assert np.isclose(value, float(case[time]), rtol=1e-9), str(case.label.values)


def test_a_million_runs_become_a_frame_in_two_seconds_and_a_gibibyte(study, tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "tests/bench/bench_reader.py", study, "--runs", "1e6", "--folder", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["runs"] >= 1_000_000 and measured["rows"] == 3 * measured["runs"]
    assert measured["cpu_seconds"] < 2.0  # CPU time: other processes do not count
    assert measured["max_rss_mib"] < 1024
