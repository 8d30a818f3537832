"""NumpyStream against the NumPy of this machine, bit for bit, over interleaved draws.

TASFG_NUMPY_STREAM_DUMP holds the path of the program built from tests/tools/numpy_stream_dump.cpp.
"""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest

PROGRAM = os.environ.get("TASFG_NUMPY_STREAM_DUMP")
PROBABILITIES = [0.0, 1e-6, 0.2, 0.5, 0.7, 1.0, 2.0**-60]
WEIGHTS = [0.1, 0.0, 0.25, 0.3, 0.15, 0.2]
KINDS = 14

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="TASFG_NUMPY_STREAM_DUMP is not set")


def dump(seed: int, count: int) -> list[float]:
    """The program's draws."""
    text = subprocess.run(
        [PROGRAM, str(seed), str(count)], check=True, capture_output=True, text=True
    ).stdout
    return [float.fromhex(line) for line in text.splitlines()]


def draw(random, kind: int) -> float:
    """The same draw by NumPy; `random` is a RandomState or the module numpy.random."""
    if kind < 7:
        return float(random.binomial(1, PROBABILITIES[kind]))
    if kind == 7:
        return float(random.random_sample())
    if kind in (8, 10):
        return float(random.normal())
    if kind == 9:
        return float(random.normal(0.3, 1.7))
    if kind == 11:
        return float(random.choice(6, p=WEIGHTS))
    if kind == 12:
        return float(random.choice(3, p=[1 / 3] * 3))
    return float(random.choice(1, p=[1.0]))


def assert_same(seed: int, count: int, random) -> None:
    ours = dump(seed, count)
    assert len(ours) == count
    for i, value in enumerate(ours):
        theirs = draw(random, i % KINDS)
        assert value == theirs, (
            f"seed {seed}, draw {i} (kind {i % KINDS}): {value.hex()} is not {theirs.hex()}"
        )


@pytest.mark.parametrize("seed", [0, 1, 24, 12345, 2**31, 2**32 - 1])
def test_interleaved_draws_equal_random_state(seed: int) -> None:
    assert_same(seed, 28_000, np.random.RandomState(seed))


def test_interleaved_draws_equal_the_global_stream() -> None:
    saved = np.random.get_state()
    try:
        np.random.seed(7)
        assert_same(7, 28_000, np.random)
    finally:
        np.random.set_state(saved)


def test_draws_of_a_whole_array_are_the_scalar_ones_in_order() -> None:
    """The authors draw K binomials and K normals at a time; that must be K draws of ours."""
    vector = np.random.RandomState(3)
    scalar = np.random.RandomState(3)
    p = np.array(PROBABILITIES)
    for _ in range(1000):
        assert vector.binomial(1, p).tolist() == [scalar.binomial(1, x) for x in p]
        assert vector.normal(p, 1.0).tolist() == [scalar.normal(x, 1.0) for x in p]
