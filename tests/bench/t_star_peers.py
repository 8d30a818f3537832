"""T* by general solvers, for Gaussian rewards of variance 1.

With m = G' omega and a the best vertex, f_u(m) = gap_u^2/2 (m_u - m_u^2/(m_u + m_a)), so that

    1/T* = max t  subject to  m_u - m_u^2/(m_u + m_a) >= factor_u t,  sum omega = 1,  omega >= 0

is convex, with second-order cones q_u (m_u + m_a) >= m_u^2, that is |(2 m_u, q_u - m_u - m_a)| <= q_u + m_u + m_a. Time is
measured in units of T(uniform), as our own solver does. Of the forms that were tried this one is the most accurate at a
given tolerance (with 1/m_u + 1/m_a instead, T* of the ring at K = 15 is off by 5e-4 at 1e-8), and the fastest with m as a
variable. Each peer returns omega; `time_of` says what that is worth.
"""

import clarabel
import cvxpy
import numpy as np
import scipy.optimize
import scipy.sparse as sparse


def time_of(G: np.ndarray, means: np.ndarray, omega: np.ndarray) -> float:
    """T(omega), after putting omega on the simplex: solvers leave it by their tolerance."""
    omega = np.maximum(omega, 0)
    m = G.T @ (omega / omega.sum())
    best = int(means.argmax())
    gap = np.delete(means[best] - means, best)
    return float(np.max(2 / gap**2 * (1 / np.delete(m, best) + 1 / m[best])))


def uniform(K: int) -> np.ndarray:
    return np.full(K, 1 / K)


def rivals_first(G: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G with its columns so that the best vertex comes last, and 2/gap^2 of the rivals in units of T(uniform)."""
    best = int(means.argmax())
    order = np.append(np.delete(np.arange(len(means)), best), best)
    gap = means[best] - means[order[:-1]]
    return G[:, order], 2 / gap**2 / time_of(G, means, uniform(len(means)))


def cvxpy_problem(graph, factor) -> tuple[cvxpy.Problem, cvxpy.Variable]:
    """The problem and its omega; G (columns as in rivals_first) and factor may be parameters or numbers."""
    K = graph.shape[0]
    omega, m, q, t = cvxpy.Variable(K, nonneg=True), cvxpy.Variable(K), cvxpy.Variable(K - 1), cvxpy.Variable()
    both = m[:-1] + m[-1]
    constraints = [
        cvxpy.sum(omega) == 1,
        m == graph.T @ omega,
        m[:-1] - q >= factor * t,
        cvxpy.SOC(q + both, cvxpy.vstack([2 * m[:-1], q - both])),
    ]
    return cvxpy.Problem(cvxpy.Maximize(t), constraints), omega


def solve_cvxpy(problem: cvxpy.Problem, omega: cvxpy.Variable, tolerance: float) -> np.ndarray:
    problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance)
    assert problem.status == cvxpy.OPTIMAL, problem.status
    return omega.value


def cvxpy_anew(G: np.ndarray, means: np.ndarray, tolerance: float) -> np.ndarray:
    return solve_cvxpy(*cvxpy_problem(*rivals_first(G, means)), tolerance)


class CvxpyReused:
    """The problem is built once for a K and takes G and the gaps as parameters (DPP), so that a second solve pays neither
    for building nor for canonicalisation."""

    def __init__(self, K: int, tolerance: float) -> None:
        self.graph = cvxpy.Parameter((K, K), nonneg=True)
        self.factor = cvxpy.Parameter(K - 1, nonneg=True)
        self.problem, self.omega = cvxpy_problem(self.graph, self.factor)
        assert self.problem.is_dcp(dpp=True)
        self.tolerance = tolerance

    def solve(self, G: np.ndarray, means: np.ndarray) -> np.ndarray:
        self.graph.value, self.factor.value = rivals_first(G, means)
        return solve_cvxpy(self.problem, self.omega, self.tolerance)


class Clarabel:
    """Clarabel called directly, in (omega, m, q, t). Its matrices are made beforehand: `solve` is the solver's alone."""

    def __init__(self, G: np.ndarray, means: np.ndarray, tolerance: float) -> None:
        K = len(means)
        columns, factor = rivals_first(G, means)
        u = np.arange(K - 1)
        omega, m, q, best, t = np.arange(K), K + u, 2 * K + u, 2 * K - 1, 3 * K - 1
        n = 3 * K
        simplex, observation, positive = np.zeros((1, n)), np.zeros((K, n)), -np.eye(K, n)
        simplex[0, omega] = 1
        observation[:, :K], observation[:, K : 2 * K] = columns.T, -np.eye(K)
        worst, cones = np.zeros((K - 1, n)), np.zeros((3 * (K - 1), n))
        worst[u, m], worst[u, q], worst[:, t] = -1, 1, factor
        cones[3 * u, q] = cones[3 * u, m] = cones[3 * u, best] = -1
        cones[3 * u + 1, m] = -2
        cones[3 * u + 2, q], cones[3 * u + 2, m], cones[3 * u + 2, best] = -1, 1, 1
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        self.K = K
        self.arguments = (
            sparse.csc_matrix((n, n)),
            -np.eye(1, n, t)[0],
            sparse.csc_matrix(np.vstack([simplex, observation, positive, worst, cones])),
            np.eye(1, 6 * K - 3)[0],
            [clarabel.ZeroConeT(K + 1), clarabel.NonnegativeConeT(2 * K - 1)] + [clarabel.SecondOrderConeT(3)] * (K - 1),
            settings,
        )

    def solve(self) -> np.ndarray:
        solution = clarabel.DefaultSolver(*self.arguments).solve()
        assert str(solution.status) == "Solved", solution.status
        return np.array(solution.x[: self.K])


def slsqp(G: np.ndarray, means: np.ndarray) -> np.ndarray:
    """SciPy's SLSQP: maximise t subject to f_u(G' omega) >= t, with analytic gradients."""
    K = len(means)
    columns, factor = rivals_first(G, means)

    def margins(x):
        m = columns.T @ x[:K]
        return m[:-1] * m[-1] / (m[:-1] + m[-1]) / factor - x[K]

    def slopes(x):
        m = columns.T @ x[:K]
        share = m[-1] / (m[:-1] + m[-1])
        of_rival, of_best = share**2 / factor, (1 - share) ** 2 / factor
        return np.column_stack([of_rival[:, None] * columns.T[:-1] + of_best[:, None] * columns.T[-1], -np.ones(K - 1)])

    plane = np.append(np.ones(K), 0.0)
    result = scipy.optimize.minimize(
        lambda x: -x[K],
        np.append(uniform(K), 1.0),
        jac=lambda x: np.append(np.zeros(K), -1.0),
        bounds=[(0, 1)] * K + [(0, None)],
        constraints=[
            {"type": "eq", "fun": lambda x: plane @ x - 1, "jac": lambda x: plane},
            {"type": "ineq", "fun": margins, "jac": slopes},
        ],
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 1000},
    )
    return result.x[:K]
