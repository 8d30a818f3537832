"""Graphs, instances, and their characteristic times."""

from __future__ import annotations

import difflib
import html
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .core import core
from .errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

ADVICE = "is the graph transposed? The row, or an edge's beginning, is the chosen vertex; the column, or its end, the shown one"
MOST_ROWS = 40  # of a solution in a notebook


class Graph:
    """A feedback graph: `matrix[v, u]` is the probability that choosing v shows the reward of u."""

    __slots__ = ("_model", "names")

    def __init__(self, model: Any, names: list | None = None) -> None:
        self._model = model
        self.names = names  # of the vertices, where they have names of their own

    @property
    def K(self) -> int:
        """The number of vertices."""
        return self._model.size

    @property
    def means(self) -> np.ndarray:
        """Those that the family gives it; 0 to 1 in equal steps else. A copy."""
        return self._model.means

    @property
    def matrix(self) -> np.ndarray:
        """The probabilities, K × K; a copy."""
        return self._model.matrix

    @property
    def family(self) -> str:
        """The family's name, or "matrix"."""
        return self._model.family

    @property
    def parameters(self) -> str:
        """The family's parameters, as "K=5 p=0.3"."""
        return self._model.parameters

    def to_networkx(self) -> Any:
        """The same as a networkx.DiGraph whose edges have the attribute probability."""
        import networkx

        made = networkx.DiGraph()
        names = self.names if self.names is not None else range(self.K)
        made.add_nodes_from(names)
        matrix, names = self.matrix, list(names)
        made.add_edges_from(
            (names[v], names[u], {"probability": float(matrix[v, u])}) for v, u in zip(*np.nonzero(matrix))
        )
        return made

    def __repr__(self) -> str:
        return f"<tasfg.Graph {self.family} {self.parameters}, {self._model.edge_count} edges>"


def graph(family: str, **parameters: float | int | str | os.PathLike) -> Graph:
    """A graph of a family, as `tasfg list` names them: graph("ring", K=15, p=0.3), graph("file", path="G.csv")."""
    if not isinstance(family, str):
        raise UserError(
            "tasfg.graph takes a family's name (tasfg.Instance takes matrices and networkx graphs themselves)"
        )
    given = {
        name: os.fspath(value)
        if isinstance(value, os.PathLike)
        else value
        if isinstance(value, str)
        else _number(value, name)
        for name, value in parameters.items()
    }
    return Graph(core().family_graph(family, given))


def _number(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UserError(f"{what} = {_short(value)} (must be a number)") from None


def checked_text(value: Any, what: str) -> str:
    """A text, as names are."""
    if not isinstance(value, str):
        raise UserError(f"{what} = {_short(value)} (must be a text)")
    return value


def checked_flag(value: Any, what: str) -> bool:
    """True or False; 1 and 0, too."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise UserError(f"{what} = {_short(value)} (must be True or False)")
    return bool(value)


def listable(value: Any) -> bool:
    """Whether it holds several values; an array without dimensions does not."""
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _matrix(values: Any, what: str = "graph") -> np.ndarray:
    try:
        matrix = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UserError(f"{what}: cannot be read as a matrix of numbers (must be K rows of K probabilities)") from None
    if matrix.ndim != 2:
        raise UserError(f"{what}: {matrix.ndim} dimensions (must be a matrix of K x K probabilities)")
    return matrix


def _text(names: list | None) -> list[str]:
    return [] if names is None else [str(name) for name in names]


def _positions(names: Sequence, what: str) -> dict:
    """Name → number; refuses what cannot be looked up, and names that stand twice."""
    found: dict = {}
    for name in names:
        try:
            if name in found:
                raise UserError(f"{what}: vertex {_short(name)} stands twice")
            found[name] = len(found)
        except TypeError:
            raise UserError(
                f"{what}: vertex {_short(name)} (a name must be hashable: a text, a number, a tuple)"
            ) from None
    return found


def _from_networkx(given: Any) -> Graph:
    if given.is_multigraph():
        raise UserError("graph: parallel edges (must be a Graph or DiGraph: one probability for each pair)")
    names = list(given.nodes)
    at = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)))
    both_ways = not given.is_directed()
    for start, end, data in given.edges(data=True):
        value = data.get("probability", data.get("weight", 1.0))
        matrix[at[start], at[end]] = value = _number(value, f"graph: edge {start} -> {end}: probability")
        if both_ways:
            matrix[at[end], at[start]] = value
    return Graph(core().matrix_graph(matrix, "graph", _text(names)), names)


def _column(frame: pd.DataFrame, *names: str) -> str | None:
    return next((name for name in names if name in frame.columns), None)


def _from_frame(frame: pd.DataFrame, means: Any) -> Graph:
    """Edges (from, to, probability), or a matrix whose rows and columns have the vertices' names."""
    start, end = _column(frame, "from", "source"), _column(frame, "to", "target")
    if start is None or end is None:
        if frame.shape[0] != frame.shape[1]:
            raise UserError(
                f"graph: a table of {frame.shape[0]} x {frame.shape[1]} (must have the columns from, to and probability, "
                "or be a K x K matrix)"
            )
        if list(frame.index) != list(frame.columns):
            raise UserError(
                f"graph: rows {_short(list(frame.index))}, columns {_short(list(frame.columns))} (must name the same "
                "vertices in the same order)"
            )
        names: list | None = list(frame.index)
        _positions(list(frame.index), "graph")
        names = None if names == list(range(len(frame))) else names
        return Graph(core().matrix_graph(_matrix(frame.to_numpy()), "graph", _text(names)), names)
    weight = _column(frame, "probability", "weight")
    starts, ends = frame[start].tolist(), frame[end].tolist()
    values = frame[weight].tolist() if weight is not None else [1.0] * len(starts)
    seen = [name for pair in zip(starts, ends) for name in pair]
    if all(isinstance(name, int | np.integer) for name in seen) and not _is_named(means):
        if means is not None and not (listable(means) and hasattr(means, "__len__")):
            raise UserError(f"means = {_short(means)} (must be one number for each vertex)")
        K = len(means) if means is not None else max(seen, default=-1) + 1
        names = None
        at = {i: i for i in range(K)}
    else:
        if means is not None and not _is_named(means):
            raise UserError("means: a list, but edges name their vertices (must be a dict from names to means)")
        names = list(means.keys()) if means is not None else list(_unique(seen))
        at = _positions(names, "means" if means is not None else "graph")
    matrix = np.full((len(at), len(at)), np.nan)
    for v, u, value in zip(starts, ends, values):
        for name in (v, u):
            if name not in at:
                raise UserError(
                    f"graph: edge {v} -> {u}: no mean for vertex {_short(name)}"
                    if names is not None
                    else f"graph: edge {v} -> {u} (vertices are numbered 0 to {len(at) - 1})"
                )
        if not np.isnan(matrix[at[v], at[u]]):
            raise UserError(f"graph: edge {v} -> {u} stands twice")
        matrix[at[v], at[u]] = _probability(value, v, u)
    return Graph(core().matrix_graph(np.nan_to_num(matrix), "graph", _text(names)), names)


def _probability(value: Any, v: Any, u: Any) -> float:
    number = _number(value, f"graph: edge {v} -> {u}: probability")
    if number != number:  # NaN stands for "no edge" meanwhile
        raise UserError(f"graph: edge {v} -> {u}: probability nan (must lie in [0, 1])")
    return number


def _unique(names: list) -> dict:
    found: dict = {}
    for name in names:
        try:
            found[name] = None
        except TypeError:
            raise UserError(
                f"graph: vertex {_short(name)} (a name must be hashable: a text, a number, a tuple)"
            ) from None
    return found


def _is_named(means: Any) -> bool:
    """Whether means come with their vertices' names: a dict, or a pandas Series that does not just count."""
    if isinstance(means, Mapping):
        return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(means, pandas.Series) and not isinstance(means.index, pandas.RangeIndex)


def _graph_of(given: Any, means: Any) -> Graph:
    if isinstance(given, Graph):
        return given
    if isinstance(given, np.ndarray):
        return Graph(core().matrix_graph(_matrix(given), "graph", []))
    if isinstance(given, str):
        raise UserError(
            f"graph = {_short(given)} (a family is made by tasfg.graph, as tasfg.graph({_short(given)}, K=5))"
        )
    if hasattr(given, "is_multigraph") and hasattr(given, "nodes"):
        return _from_networkx(given)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(given, pandas.DataFrame):
        return _from_frame(given, means)
    if hasattr(given, "toarray"):  # SciPy's sparse ones
        return Graph(core().matrix_graph(_matrix(given.toarray()), "graph", []))
    return Graph(core().matrix_graph(_matrix(given), "graph", []))


def _means_of(given: Any, of: Graph) -> list[float]:
    """One mean for each vertex, in their order."""
    if given is None:
        return of.means.tolist()
    if not _is_named(given):
        if isinstance(given, np.ndarray) and given.dtype.kind == "f" and given.ndim == 1:
            return given.tolist()
        if not listable(given):
            raise UserError(f"means = {_short(given)} (must be one number for each vertex)")
        return [_number(value, f"means[{i}]") for i, value in enumerate(given)]
    names = of.names if of.names is not None else list(range(of.K))
    given = dict(given.items())
    known = set(names)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), [str(other) for other in names], n=1)
            hint = f'did you mean "{near[0]}"?' if near else f"the graph has {_short(names[:5])[:-1]}, ...]"
            raise UserError(f"means: no vertex {_short(name)} ({hint})")
    for name in names:
        if name not in given:
            raise UserError(f"means: none for vertex {name} (must be one for each)")
    return [_number(given[name], f"means[{name}]") for name in names]


class Instance:
    """A feedback graph with rewards at its vertices.

    `graph`: a matrix (NumPy, lists, SciPy sparse; row = chosen vertex, column = shown vertex), a networkx graph (edge attribute
    probability, else weight, else 1; undirected edges count both ways), a pandas table of edges (from, to, probability), or
    tasfg.graph(...). `means`: one for each vertex, in order or as a dict by name; without, those of the family (0 to 1 in equal
    steps for others). `reward`: gaussian (with `variance`), bernoulli, poisson, exponential. What cannot be is a UserError."""

    __slots__ = ("_label", "_model", "graph")

    def __init__(
        self,
        graph: Any,
        means: Any = None,
        reward: str = "gaussian",
        *,
        variance: float | None = None,
        label: str | None = None,
    ) -> None:
        checked_text(reward, "reward")
        self.graph = _graph_of(graph, means)
        parameters = {} if variance is None else {"variance": _number(variance, "variance")}
        self._model = core().instance(
            self.graph._model,
            _means_of(means, self.graph),
            reward,
            parameters,
            "instance",
            _text(self.graph.names),
            ADVICE if self.graph.family == "matrix" else "",
        )
        self._label = label

    @property
    def label(self) -> str:
        """What tables and figures call it: as given, or the family with its parameters."""
        return self._label if self._label is not None else f"{self.graph.family} {self.graph.parameters}"

    @property
    def K(self) -> int:
        """The number of vertices."""
        return self._model.size

    @property
    def means(self) -> np.ndarray:
        """Mean rewards."""
        return self._model.means

    @property
    def reward(self) -> str:
        """The reward family's name."""
        return self._model.reward

    @property
    def variance(self) -> float | None:
        """Of Gaussian rewards."""
        return self._model.variance

    @property
    def best(self) -> int:
        """The vertex of the largest mean, counted from 0."""
        return self._model.best

    @property
    def names(self) -> list | None:
        """The vertices' own names, where they have some."""
        return self.graph.names

    def solve(self, gap: float = 1e-10) -> Solution:
        """The characteristic time, certified to a relative gap."""
        return Solution(core().solve(self._model, checked_gap(gap)), self.graph.names)

    def __repr__(self) -> str:
        variance = f" variance={self.variance:g}" if self.variance is not None else ""
        return f"<tasfg.Instance {self.label}, {self.reward}{variance}, best vertex {_name(self.names, self.best)}>"


def _name(names: list | None, v: int) -> Any:
    return v if names is None else names[v]


class Solution:
    """What `tasfg solve` finds of one instance. Arrays have one value for each vertex."""

    __slots__ = ("_found", "names")

    def __init__(self, found: Any, names: list | None) -> None:
        self._found = found
        self.names = names

    @property
    def T_star(self) -> float:
        """The characteristic time: the value of `omega`, an upper end."""
        return self._found.T_star

    @property
    def T_star_lower(self) -> float:
        """No allocation does better than this: certified."""
        return self._found.T_star_lower

    @property
    def relative_gap(self) -> float:
        """Of the two ends."""
        return self._found.relative_gap

    @property
    def status(self) -> str:
        """How the solver ended: solved, or stalled."""
        return self._found.status

    @property
    def iterations(self) -> int:
        """Of the solver."""
        return self._found.iterations

    @property
    def K(self) -> int:
        """The number of vertices."""
        return self._found.K

    @property
    def best(self) -> int:
        """The vertex of the largest mean, counted from 0."""
        return self._found.best_index

    @property
    def means(self) -> np.ndarray:
        """Mean rewards."""
        return self._found.means

    @property
    def omega(self) -> np.ndarray:
        """The optimal allocation; where several are optimal, the analytic centre of their face."""
        return self._found.omega

    @property
    def omega_face_dimension(self) -> int:
        """Dimension of the set of optimal allocations; 0 means that there is one."""
        return self._found.omega_face_dimension

    @property
    def m(self) -> np.ndarray:
        """The rates of observation under `omega`."""
        return self._found.m

    @property
    def m_norm(self) -> float:
        """The Euclidean norm of `m`."""
        total = 0.0
        for value in self.m.tolist():
            total += value * value
        return float(np.sqrt(total))

    @property
    def certificate_weights(self) -> np.ndarray:
        """The weights that certify the lower end."""
        return self._found.certificate_weights

    @property
    def omega_heuristic(self) -> np.ndarray:
        """The heuristic allocation, G Δ⁻² normalised."""
        return self._found.omega_heuristic

    @property
    def T_heuristic(self) -> float:
        """What it is worth; infinite where it leaves a vertex unobserved."""
        return self._found.T_heuristic

    @property
    def tv_heuristic(self) -> float:
        """Its distance from `omega`, in total variation."""
        return self._found.tv_heuristic

    @property
    def omega_argmax(self) -> np.ndarray:
        """Uniform over the vertices of largest G Δ⁻²."""
        return self._found.omega_argmax

    @property
    def T_argmax(self) -> float:
        """What it is worth."""
        return self._found.T_argmax

    @property
    def omega_topk(self) -> np.ndarray:
        """Uniform over the top vertices that dominate the graph."""
        return self._found.omega_topk

    @property
    def T_topk(self) -> float:
        """What it is worth."""
        return self._found.T_topk

    @property
    def T_uniform(self) -> float:
        """What the uniform allocation is worth."""
        return self._found.T_uniform

    @property
    def graph(self) -> dict[str, Any]:
        """Quantities of the graph: observability, alpha, weak_domination, domination, self_loops, edges, and their sets."""
        return self._found.graph

    @property
    def bounds(self) -> dict[str, float | None]:
        """The paper's bounds: general, loopless_clique, heuristic; None where a premise fails."""
        return self._found.bounds

    def frame(self) -> pd.DataFrame:
        """One row for each vertex: mean, omega, m, omega_heuristic."""
        import pandas as pd

        index = pd.Index(range(self.K) if self.names is None else self.names, name="vertex")
        return pd.DataFrame(
            {"mean": self.means, "omega": self.omega, "m": self.m, "omega_heuristic": self.omega_heuristic}, index=index
        )

    def __repr__(self) -> str:
        return (
            f"<tasfg.Solution T_star={self.T_star:.10g} (gap {self.relative_gap:.1e}, {self.status}), K={self.K}, "
            f"best vertex {_name(self.names, self.best)}>"
        )

    def _repr_html_(self) -> str:
        face = (
            f"; ω* is not unique (a face of dimension {self.omega_face_dimension})" if self.omega_face_dimension else ""
        )
        head = (
            f"<p><b>T* = {self.T_star:.10g}</b>, certified to a relative gap of {self.relative_gap:.1e}{face}<br>"
            f"T(heuristic) = {self.T_heuristic:.6g}, T(uniform) = {self.T_uniform:.6g}</p>"
        )
        rows = "".join(
            f"<tr><td>{html.escape(str(name))}{' ★' if i == self.best else ''}</td><td>{row.mean:.6g}</td><td>{row.omega:.6f}"
            f"</td><td>{row.m:.6f}</td><td>{row.omega_heuristic:.6f}</td></tr>"
            for i, (name, row) in enumerate(zip(self.frame().index, self.frame().head(MOST_ROWS).itertuples()))
        )
        more = f"<p>… {self.K - MOST_ROWS} more: .frame()</p>" if self.K > MOST_ROWS else ""
        return f"{head}<table><tr><th>vertex<th>mean<th>ω*<th>m*<th>ω heuristic</tr>{rows}</table>{more}"


def solve(
    graph: Any,
    means: Any = None,
    reward: str = "gaussian",
    *,
    variance: float | None = None,
    gap: float = 1e-10,
    threads: int = 0,
) -> Solution | xr.Dataset:
    """The characteristic time of one instance, or of many.

    One: anything that `Instance` takes, or an Instance. Many, on all cores (`threads`): a list of Instances; an array of n
    matrices, n × K × K, with n × K means or K for all; one matrix with n × K means. Many give a Dataset with the names of the
    result file: T_star, T_star_lower, T_heuristic, T_uniform (case), omega, omega_heuristic, m (case, vertex; NaN past K)."""
    if isinstance(graph, Instance):
        return graph.solve(gap)
    if isinstance(graph, list | tuple) and graph and all(isinstance(each, Instance) for each in graph):
        return _solve_many(graph, gap, threads)
    several = (isinstance(means, np.ndarray) and means.ndim == 2) or (
        isinstance(means, list | tuple) and len(means) > 0 and isinstance(means[0], list | tuple | np.ndarray)
    )
    matrices = graph if isinstance(graph, np.ndarray) and graph.ndim == 3 else None
    if matrices is None and not several:
        return Instance(graph, means, reward, variance=variance).solve(gap)
    n = len(means) if matrices is None else len(matrices)
    if several and len(means) != n:
        raise UserError(f"means: {len(means)} rows (must be one for each of {n} matrices)")
    graphs = [_graph_of(graph, None)] * n if matrices is None else matrices
    made = []
    for i in range(n):
        try:
            made.append(Instance(graphs[i], means[i] if several else means, reward, variance=variance))
        except UserError as error:
            raise UserError(f"case {i}: {error}") from None
    return _solve_many(made, gap, threads)


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_gap(gap: float) -> float:
    """A relative gap that a solution can be certified to."""
    if not isinstance(gap, float | int | np.number) or not 1e-13 <= gap <= 0.1:
        raise UserError(f"gap = {_short(gap)} (must lie in [1e-13, 0.1])")
    return gap


def checked_threads(threads: int) -> int:
    """A number of threads; 0 means all cores."""
    if not isinstance(threads, int | np.integer) or not 0 <= threads <= 1024:
        raise UserError(f"threads = {_short(threads)} (must lie in 0..1024; 0 means all cores)")
    return int(threads) or cores()


def _solve_many(instances: Sequence[Instance], gap: float, threads: int) -> xr.Dataset:
    import xarray as xr

    found = core().solve_many([each._model for each in instances], checked_gap(gap), checked_threads(threads))
    data: dict[str, Any] = {name: (("case", "vertex")[: values.ndim], values) for name, values in found.items()}
    data["status"] = ("case", np.array(["solved", "stalled", "infeasible"])[found["status"]])
    return xr.Dataset(data, coords={"case": np.arange(len(instances)), "label": ("case", [i.label for i in instances])})
