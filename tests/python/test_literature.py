"""Published figures of the field, on the bandit graph: each a row of jobs/literature/published.csv with its interval."""

import csv
import math
import pathlib

import h5py
import numpy as np
import pytest

from processes import run

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "literature"
ROWS = list(csv.DictReader((FOLDER / "published.csv").open(encoding="utf-8")))
REPLICATIONS = 600  # of the 3000 that the job asks for: ten seconds of one core


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """The job of that name, run once."""
    made = {}

    def study(name):
        if name not in made:
            out = tmp_path_factory.mktemp("literature") / "out.h5"
            more = [] if name == "closed-forms" else ["--set", f"replications={REPLICATIONS}"]
            run("sweep", FOLDER / f"{name}.toml", "-o", out, "-q", *more)
            made[name] = h5py.File(out)
        return made[name]

    yield study
    for file in made.values():
        file.close()


def case_of(file, means):
    """The case with these means."""
    rows = file["cases/means"][()]
    found = [c for c, row in enumerate(rows) if np.array_equal(row[~np.isnan(row)], means)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['quantity']}{row['vertex']}-of-{row['means'].replace(' ', ',')}")
def test_a_published_figure_lies_in_its_interval(studies, row):
    file = studies(row["job"])
    case = case_of(file, [float(mean) for mean in row["means"].split()])
    published = float(row["published"])
    if row["quantity"] == "omega":
        assert abs(file["cases/omega"][case, int(row["vertex"])] - published) <= float(row["half_width"])
        return
    assert row["quantity"] == "mean_tau"
    tau = file["runs/tau"][case, 0, 0].astype(float)
    assert len(tau) == REPLICATIONS and (file["runs/status"][case, 0] == 1).all()
    # Both means are of finitely many runs of one law; 3.3 standard errors: a false alarm in a thousand.
    error = tau.std(ddof=1) * math.sqrt(1 / len(tau) + 1 / int(row["runs"]))
    assert abs(tau.mean() - published) <= 3.3 * error, (tau.mean(), published, error)
    assert error < 0.05 * published


def test_closed_forms(studies):
    file = studies("closed-forms")
    for c, means in enumerate(file["cases/means"][()]):
        means = np.sort(means[~np.isnan(means)])
        gap = means[-1] - means[-2]
        expected = 2 * (1 + math.sqrt(len(means) - 1)) ** 2 / gap**2
        if len(means) == 2:
            assert expected == pytest.approx(8 / gap**2, rel=1e-12)
        assert file["cases/T_star"][c] == pytest.approx(expected, rel=1e-8)
        assert file["cases/T_star_lower"][c] == pytest.approx(expected, rel=1e-8)
        best = int(file["cases/best"][c])
        assert file["cases/omega"][c, best] == pytest.approx(1 / (1 + math.sqrt(len(means) - 1)), rel=1e-5)
