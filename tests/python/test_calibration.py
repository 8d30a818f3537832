"""`tasfg-analysis calibrate`: the δ′ at which the measured error is the wished δ, and what it saves."""

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest

import tasfg
from processes import run
from tasfg import calibration, command_line
from tasfg.errors import NothingToDraw, UserError


def test_the_crossing_of_a_power_law_is_exact():
    logs = np.array([1.0, 2.0, 5.0, 9.0])
    errors = np.exp(-2.0 * logs - 0.5)  # error = δ²/√e
    for wished in (3.0, 4.5, 7.1, 18.0):
        assert calibration.crossing(logs, errors, wished) == pytest.approx((wished - 0.5) / 2)
    assert calibration.crossing(logs, errors, 2.0) == -np.inf  # even the largest δ errs less often
    assert math.isnan(calibration.crossing(logs, errors, 19.0))


def test_of_several_crossings_the_safe_one_counts():
    logs, errors = np.arange(1.0, 6.0), np.exp([-1.0, -4.0, -2.0, -6.0, -8.0])
    assert calibration.crossing(logs, errors, 3.0) == pytest.approx(3.25)


def test_savings_are_those_of_interpolated_times():
    rates = np.random.default_rng(1).normal(50.0, 5.0, 400)
    times = pd.DataFrame({x: 10.0 + rates * x for x in (1.0, 2.0, 4.0)})
    saved, half = calibration.saving(calibration.times_at(times, 4.0), calibration.times_at(times, 1.5))
    base, other = 10 + 4 * rates, 10 + 1.5 * rates
    assert saved == pytest.approx(1 - other.mean() / base.mean())
    # The delta method by its definition.
    ratio = other.mean() / base.mean()
    assert half == pytest.approx(1.966 * np.std(other - ratio * base, ddof=1) / 20 / base.mean(), rel=1e-3)
    assert np.isnan(calibration.times_at(times, 4.1)).all() and np.isnan(calibration.times_at(times, 0.9)).all()
    times.iloc[3, 2] = np.nan  # capped
    assert np.isnan(calibration.saving(calibration.times_at(times, 3.0), calibration.times_at(times, 1.5))[0])


def test_a_calibrated_delta_has_the_wished_error(weighted, unweighted):
    results = tasfg.open(weighted, unweighted)
    table = tasfg.calibrate(results, [1e-3, 1e-4])
    assert len(table) == 8
    assert (table.calibrated_low < table.calibrated).all() and (table.calibrated < table.calibrated_high).all()
    assert (table.calibrated > table.delta).all() and (table.saved_low < table.saved).all()
    assert table.saved.between(0.02, 0.9).all()
    row = table[table.label.str.startswith("full") & (table.algorithm == "uniform") & np.isclose(table.delta, 1e-3)].iloc[0]
    arguments = ["--graph", "full", "-P", "K=2", "--means", "0,1", "-a", "uniform", "--threshold", "simple"]
    deltas = ",".join(map(str, (row.calibrated_low, row.calibrated, row.calibrated_high)))
    out = run("error", *arguments, "--delta", deltas, "--runs", 400000, "--plain", "--csv").stdout
    low, middle, high = (float(each["error"]) for each in csv.DictReader(io.StringIO(out)))
    # Four standard errors of 0.001 by 400 000 runs are 0.0002; the interval of δ′ is 5 to 10 % wide, and the seeds are fixed.
    assert low - 2e-4 < 1e-3 < high + 2e-4 and abs(middle - 1e-3) < 3e-4


def test_what_lies_beyond_the_deltas_measured_is_said(weighted, unweighted):
    table = tasfg.calibrate([weighted, unweighted], [0.9, 1e-15])
    assert np.isinf(table.calibrated_high[:1]).all() and table.calibrated[0] == pytest.approx(0.3)
    assert np.isnan(table.saved_high[0]) and np.isnan(table.calibrated[1])
    words = calibration.readable(table)
    assert words.iloc[0, 3] == "≥ 0.3" and words.iloc[1, 3] == "below the δ measured" and words.iloc[1, 5] == "–"


def test_the_command_prints_the_table_and_calls_it_empirical(weighted, unweighted, capsys):
    assert command_line.main(["calibrate", str(weighted), str(unweighted), "--delta", "1e-3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Empirical: ") and out.count("0.001") >= 4 and " % [" in out
    assert command_line.main(["calibrate", str(weighted), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 16 and all(row["saved"] == "" for row in rows)  # nothing is known of times without plain runs
    assert float(rows[2]["calibrated"]) == pytest.approx(tasfg.calibrate(weighted, 1e-3).calibrated[0])


def test_files_that_do_not_fit_are_refused(weighted, unweighted, study):
    with pytest.raises(NothingToDraw, match="no weighted runs"):
        tasfg.calibrate(unweighted)
    with pytest.raises(UserError, match="different settings"):
        tasfg.calibrate([weighted, study])
