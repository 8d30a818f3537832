"""Result files that the tests of the analysis share: real sweeps of small jobs, each run once."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

STUDY = """
name = "study"
seed = 3
replications = 8
log_inv_delta = [1.0, 3.0, 7.0]
algorithms = ["tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e"]
conventions = "reference"

[[graph]]
family = "loopy-star"
K = [5, 6]

[[graph]]
family = "loopy-star-alt"
K = 5

[[graph]]
family = "ring"
K = [5, 6]

[[graph]]
family = "loopless-clique"
K = [5]
"""


def sweep(job, out, *changes):
    from processes import run

    run("sweep", job, "-o", out, "-q", *(part for change in changes for part in ("--set", change)))
    return out


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("analysis")


@pytest.fixture(scope="session")
def study_job(folder):
    path = folder / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="session")
def study(folder, study_job):
    """Six cases, four algorithms, three confidences, eight seeds."""
    return sweep(study_job, folder / "study.h5")


@pytest.fixture(scope="session")
def capped(folder, study_job):
    """UCB-FG-V on the same cases, capped: some runs stop at the first δ alone, some at none."""
    return sweep(
        study_job, folder / "capped.h5", 'algorithms=["tas-fg", "ucb-fg-v"]', "replications=4", "max_steps=30000"
    )


@pytest.fixture(scope="session")
def small_delta(folder):
    return sweep(
        ROOT / "jobs/small-delta.toml", folder / "small-delta.h5", "replications=4", "log_inv_delta=[7.0, 14.0, 28.0]"
    )


@pytest.fixture(scope="session")
def curves(folder):
    """The paper's curves, by job name."""
    jobs = (
        "fig-loopy-star",
        "fig-loopy-star-app",
        "fig-loopy-star-alt",
        "fig-ring",
        "fig-loopless-clique",
        "fig-symmetric",
        "fig-symmetric-faces",
    )
    return {job: sweep(ROOT / f"jobs/{job}.toml", folder / f"{job}.h5") for job in jobs}
