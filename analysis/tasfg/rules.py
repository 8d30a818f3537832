"""Sampling rules of your own: Python objects, functions compiled by Numba, shared libraries (include/tasfg/rule.h).

A rule in Python is an object, or a class, with

    name                    what it is called
    start(K)                optional: a run begins, with K vertices
    choose(estimate)        the next vertex, 0 to K - 1
    shown(u, reward)        optional: the vertex chosen has shown this reward of u
    finish(v)               optional: all rewards of this draw of v were shown

`estimate` has t (draws so far), K, best, means, observations, pulls (arrays of K), counts and graph (K × K: [v, u] of v showing
u), uniform() (the next number of the run's own random stream) and divergence(x, y) of the reward family. Arrays are for
reading and change with the run: copy what you keep. Runs of such rules take turns, in the calling thread."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .errors import UserError

ALLOWED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_")


def include() -> str:
    """The folder of tasfg/rule.h, for a compiler's -I."""
    here = pathlib.Path(__file__).resolve().parent
    inside = here / "include"
    return str(inside if inside.is_dir() else here.parents[1] / "include")


def _name_of(rule: Any) -> str:
    name = getattr(rule, "name", None)
    if not isinstance(name, str) or not name or len(name) > 60 or not set(name) <= ALLOWED:
        raise UserError(
            f"algorithms: {rule!r:.60} has the name {name!r:.80} (a rule has a name: 1 to 60 of A-Z a-z 0-9 . - _)"
        )
    return name


def algorithm_of(library: Any, given: Any, options: Mapping, rules: list[str], sizes: set[int]) -> Any:
    """What simulate() gives the compiled part: the algorithm of a name, or a rule."""
    if isinstance(given, str):
        own = options.get(given, {})
        if not isinstance(own, Mapping):
            raise UserError(f"options[{given}] = {own!r:.60} (must be a dict)")
        chosen = {str(name): _option(value) for name, value in own.items()}
        return library.algorithm(given, chosen, rules)
    name = _name_of(given)
    if name in library.algorithms():
        raise UserError(f"algorithms: a rule of your own named {name} (that is the name of a built-in one)")
    if name in options:
        raise UserError(f"options: {name} takes no options (set them in the rule itself)")
    if isinstance(given, Compiled):
        return given.model(library, sizes)
    if not callable(getattr(given, "choose", None)):
        raise UserError(f"algorithms: {name} has no method choose(estimate)")
    return library.python_rule(name, given)


def _option(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)


class Estimate(NamedTuple):
    """What a compiled rule sees; as the estimate of a Python one, with arrays of Numba."""

    t: int
    K: int
    best: int
    means: Any
    observations: Any
    pulls: Any
    counts: Any  # [v, u]
    handle: Any  # for edge(), uniform() and divergence()


def _no_state(K: int) -> np.ndarray:
    return np.zeros(0)


class Compiled:
    """A rule of Numba's functions; made by `compiled`."""

    def __init__(self, name: str, choose: Any, start: Any, shown: Any, finish: Any) -> None:
        self.name = name
        self.start = start
        self._functions = _addresses(choose, shown, finish)

    def model(self, library: Any, sizes: set[int]) -> Any:
        """What simulate() gives the compiled part."""
        states = {K: _state(self.start, K) for K in sizes}
        choose, shown, finish = (0 if each is None else each.address for each in self._functions)
        return library.compiled_rule(self.name, self, choose, shown, finish, states)


def _state(start: Callable[[int], Any], K: int) -> list[float]:
    state = np.asarray(start(K), dtype=np.float64)
    if state.ndim != 1:
        raise UserError(f"start({K}) returned an array of {state.ndim} dimensions (must be a list of numbers)")
    return [len(state), *state.tolist()]


def compiled(
    name: str,
    choose: Callable[..., Any] | None = None,
    *,
    start: Callable[[int], Any] | None = None,
    shown: Callable[..., Any] | None = None,
    finish: Callable[..., Any] | None = None,
) -> Any:
    """A rule of functions that Numba compiles: no interpreter runs in its loop, and its runs use all cores.

    `choose(estimate, state)` returns a vertex; `shown(estimate, state, u, reward)` and `finish(estimate, state, v)` are as of a
    Python rule. `start(K)` runs in Python and returns the numbers with which the state (an array of float64) of every run
    begins. `estimate` has t, K, best, means, observations, pulls, counts; tasfg.edge(estimate, v, u), tasfg.uniform(estimate)
    and tasfg.divergence(estimate, x, y) are for calling inside. Without `choose` this is a decorator:

        @tasfg.compiled("mine")
        def choose(estimate, state):
            return estimate.t % estimate.K
    """
    if choose is None:
        return lambda function: compiled(name, function, start=start, shown=shown, finish=finish)
    return Compiled(name, choose, start or _no_state, shown, finish)


def _addresses(choose: Any, shown: Any, finish: Any) -> tuple[Any, Any, Any]:
    """The functions behind the C interface."""
    try:
        from . import numba_rules
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("numba", "llvmlite"):
            raise
        raise UserError("tasfg.compiled needs Numba (pip install numba)") from None
    return numba_rules.compile_rule(choose, shown, finish)
