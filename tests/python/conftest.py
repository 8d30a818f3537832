"""Result files that the tests of the analysis share: real sweeps of small jobs, each run once."""

import pathlib
import sys

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if sys.prefix == sys.base_prefix:  # in an environment of its own (tests/python-package) the package is installed
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
def anytime(folder):
    """Four cases with checkpoints."""
    return sweep(
        ROOT / "jobs/anytime.toml", folder / "anytime.h5", "replications=12", "checkpoints=[30, 100, 300, 1000]"
    )


WEIGHTED = """
measure = "error"
threshold = "simple"
replications = 1500
delta = [0.3, 0.03, 1e-3, 1e-6]
algorithms = ["tas-fg", "uniform"]
[[graph]]
family = "full"
K = 2
means = [0.0, 1.0]
[[graph]]
family = "ring"
K = 3
means = [0.0, 0.4, 1.5]
"""


@pytest.fixture(scope="session")
def weighted(folder):
    """Weighted runs of two cases and two algorithms: errors of any size."""
    (folder / "weighted.toml").write_text(WEIGHTED)
    return sweep(folder / "weighted.toml", folder / "weighted.h5")


@pytest.fixture(scope="session")
def unweighted(folder, weighted):
    """Plain runs of the same."""
    return sweep(folder / "weighted.toml", folder / "unweighted.h5", "measure='time'", "replications=400")


UNLIKE = {
    "files": """
replications = 5
delta = [0.1, 0.001]
algorithms = ["tas-fg", "tas-fg-heur", "uniform", "oracle", "eps-greedy"]
[[graph]]
family = "file"
path = ["hospital-triage.csv", "ads.csv", "sensor network of 2024 (north).csv"]
""",
    "random": """
replications = 4
delta = [0.1, 0.01, 0.001]
algorithms = ["tas-fg", "tas-fg-heur", "exp3.g", "uniform"]
[[graph]]
family = "random"
K = [5, 8]
seed = [0, 1, 2, 3]
""",
    "rewards": """
replications = 4
delta = [0.1, 0.05]
algorithms = ["tas-fg", "uniform"]
means = [0.2, 0.3, 0.5, 0.8]
[[graph]]
family = "bandit"
K = 4
p = [0.5, 1.0]
reward = "bernoulli"
[[graph]]
family = "bandit"
K = 4
p = [0.5, 1.0]
variance = 0.25
[[graph]]
family = "ring"
K = 4
""",
    "grid": """
replications = 3
delta = [0.1, 0.001]
algorithms = ["tas-fg", "uniform"]
[[graph]]
family = "ring"
K = [3, 4, 5, 6, 7, 8]
p = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
""",
    "capped": """
replications = 8
delta = [0.1, 0.01, 1e-40]
max_steps = 2000
algorithms = ["tas-fg", "exp3.g", "uniform", "ucb-fg-v"]
[[graph]]
family = "loopy-star"
K = [5, 10]
[[graph]]
family = "ring"
K = [4, 5]
[[graph]]
family = "loopless-clique"
""",
    "curves": """
algorithms = []
[[graph]]
family = "loopy-star"
p = { from = 0.01, to = 0.99, count = 8 }
q = { from = 0.02, to = 1.0, count = 10 }
[[graph]]
family = "full"
p = { from = 0.0001, to = 1, count = 8, scale = "log" }
K = [5, 10]
""",
}


@pytest.fixture(scope="session")
def studies(folder):
    """Studies unlike the paper's, by name: graphs of files and of chance, two rewards, a grid of p and K, capped runs, many
    curves, and algorithms of a user's own."""
    chance = np.random.default_rng(1)
    place = folder / "unlike"
    place.mkdir()
    for name, K in (("hospital-triage", 6), ("sensor network of 2024 (north)", 8), ("ads", 5)):
        G = np.where(chance.random((K, K)) < 0.55, np.round(chance.uniform(0.1, 1, (K, K)), 2), 0.0)
        np.fill_diagonal(G, np.round(chance.uniform(0.2, 0.9, K), 2))
        np.savetxt(place / f"{name}.csv", G, delimiter=",", fmt="%g")
    found = {}
    for name, text in UNLIKE.items():
        (place / f"{name}.toml").write_text(text)
        found[name] = sweep(place / f"{name}.toml", place / f"{name}.h5")
    found["own"] = place / "own.h5"
    found["own"].write_bytes(found["capped"].read_bytes())
    with h5py.File(found["own"], "r+") as file:  # as if two rules had come from libraries
        old = file["runs/algorithm"]
        attributes, names = dict(old.attrs), old[()].astype("S32")
        names[1:3] = [b"my-thompson", b"libexplore.so:explore_then_go"]
        del file["runs/algorithm"]
        file["runs"].create_dataset("algorithm", data=names).attrs.update(attributes)
    return found


@pytest.fixture(scope="session")
def small_delta(folder):
    return sweep(
        ROOT / "jobs/small-delta.toml", folder / "small-delta.h5", "replications=4", "log_inv_delta=[7.0, 14.0, 28.0]"
    )


@pytest.fixture(scope="session")
def scaling(folder):
    return sweep(ROOT / "jobs/scaling.toml", folder / "scaling.h5", "replications=4", "graph.K=[8, 16, 32]")


@pytest.fixture(scope="session")
def certified(folder):
    """A curve and a map of tasfg curve."""
    from processes import run

    ranges = {"curve": ["p=0:1"], "map": ["p=0:1", "q=0:1"]}
    for name, over in ranges.items():
        options = [option for text in over for option in ("--over", text)]
        run("curve", "--graph", "loopy-star", *options, "--tolerance", "0.05", "-o", folder / f"{name}.h5")
    return {name: folder / f"{name}.h5" for name in ranges}


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
