"""Functions of Numba behind the C interface of rules (include/tasfg/rule.h). Imported only where Numba is."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types

from .rules import Estimate

intrinsic: Any = extending.intrinsic  # what it makes is called without the context

# tasfg_estimate of rule.h as words of eight bytes; the second holds K and best.
T, SIZES, MEANS, OBSERVATIONS, PULLS, COUNTS, STRIDE, GRAPH, DIVERGENCE, UNIFORM, WORDS = range(11)


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.intp), generate


def _caller(*more: Any) -> Any:
    """An intrinsic that calls the function at an address: double f(const tasfg_estimate*, more...)."""

    def call(typing_context: Any, address: Any, handle: Any, *values: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
            function = ir.FunctionType(ir.DoubleType(), kinds)
            return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])

        return types.float64(types.intp, types.intp, *more), generate

    return call


@intrinsic
def _call(typing_context: Any, address: Any, handle: Any) -> Any:
    return _caller()(typing_context, address, handle)


@intrinsic
def _call_vertices(typing_context: Any, address: Any, handle: Any, v: Any, u: Any) -> Any:
    return _caller(types.int32, types.int32)(typing_context, address, handle, v, u)


@intrinsic
def _call_means(typing_context: Any, address: Any, handle: Any, x: Any, y: Any) -> Any:
    return _caller(types.float64, types.float64)(typing_context, address, handle, x, y)


@numba.njit
def _words(handle: Any) -> Any:
    return numba.carray(_pointer(handle), (WORDS,), np.int64)


@numba.njit
def uniform(estimate: Any) -> float:
    """The next number of the run's own random stream, in [0, 1)."""
    return _call(_words(estimate.handle)[UNIFORM], estimate.handle)


@numba.njit
def edge(estimate: Any, v: int, u: int) -> float:
    """The estimated probability that v shows u."""
    return _call_vertices(_words(estimate.handle)[GRAPH], estimate.handle, np.int32(v), np.int32(u))


@numba.njit
def divergence(estimate: Any, x: float, y: float) -> float:
    """The divergence of the reward family between two means."""
    return _call_means(_words(estimate.handle)[DIVERGENCE], estimate.handle, float(x), float(y))


@numba.njit
def _estimate(handle: Any) -> Any:
    words = _words(handle)
    sizes = numba.carray(_pointer(handle + 8 * SIZES), (2,), np.int32)
    K: Any = np.int64(sizes[0])
    best: Any = np.int64(sizes[1])
    counts = numba.carray(_pointer(words[COUNTS]), (K, words[STRIDE]), np.float64)
    return Estimate(
        words[T],
        K,
        best,
        numba.carray(_pointer(words[MEANS]), (K,), np.float64),
        numba.carray(_pointer(words[OBSERVATIONS]), (K,), np.float64),
        numba.carray(_pointer(words[PULLS]), (K,), np.float64),
        counts[:, :K].T,
        handle,
    )


@numba.njit
def _state(address: Any) -> Any:
    """The run's numbers, which stand behind their number."""
    size = numba.carray(_pointer(address), (1,), np.float64)[0]
    return numba.carray(_pointer(address + 8), (np.int64(size),), np.float64)


def compile_rule(choose: Any, shown: Any, finish: Any) -> tuple[Any, Any, Any]:
    """The three functions as C functions; None where there is none. Errors of typing are Numba's own."""
    address = types.intp
    inner = _jitted(choose)

    @numba.cfunc(types.int32(address, address))
    def c_choose(state: Any, handle: Any) -> Any:
        return np.int32(inner(_estimate(handle), _state(state)))

    c_shown = c_finish = None
    if shown is not None:
        inner_shown = _jitted(shown)

        @numba.cfunc(types.void(address, address, types.int32, types.float64))
        def c_shown(state: Any, handle: Any, u: Any, reward: Any) -> None:
            inner_shown(_estimate(handle), _state(state), np.int64(u), reward)

    if finish is not None:
        inner_finish = _jitted(finish)

        @numba.cfunc(types.void(address, address, types.int32))
        def c_finish(state: Any, handle: Any, v: Any) -> None:
            inner_finish(_estimate(handle), _state(state), np.int64(v))

    return c_choose, c_shown, c_finish


def _jitted(function: Any) -> Any:
    return function if hasattr(function, "py_func") else numba.njit(function)
