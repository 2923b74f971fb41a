"""nnls and lsq_linear with the signatures and results of scipy.optimize."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._errors import NotConvergedWarning, PolyakWarning
from ._solve import solve

_DENSE_COLUMNS = 3000  # up to which the exact method takes over


def _bounded(A, b, lower, upper, tol, max_iterations=None):
    """The report of the exact method, or of conjugate gradients within bounds where A is large."""
    method = "active-set" if A.shape[1] <= _DENSE_COLUMNS and not hasattr(A, "matvec") else "bounded-cg"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyakWarning)
        return solve(A, b, method=method, lower=lower, upper=upper, tol=tol, max_iterations=max_iterations)


def _rows(A, dense=False):
    if hasattr(A, "tocsr") or hasattr(A, "matvec"):
        return A
    A = np.atleast_2d(np.asarray(A))
    return A.astype(np.float64) if A.dtype.kind not in "f" else A


def nnls(A: Any, b: ArrayLike, *, maxiter: int | None = None, atol: float | None = None) -> tuple[np.ndarray, float]:
    """min |Ax - b| with x >= 0, as scipy.optimize.nnls; `atol` is not used, as there.

    Returns
    -------
    x : array
    rnorm : float
        |Ax - b|

    Examples
    --------
    >>> import polyak
    >>> x, rnorm = polyak.nnls([[1, 0], [1, 0], [0, 1]], [2, 1, 1])
    >>> x, round(rnorm, 6)
    (array([1.5, 1. ]), 0.707107)
    """
    A = _rows(A)
    b = np.asarray(b, dtype=np.float64)
    if A.ndim != 2:
        raise ValueError(f"Expected a 2D array, but the shape of A is {A.shape}")
    if b.ndim > 2 or b.ndim == 2 and b.shape[1] != 1:
        raise ValueError(f"Expected a 1D array, but the shape of b is {b.shape}")
    b = b.reshape(-1)
    if A.shape[0] != b.shape[0]:
        raise ValueError(f"Incompatible dimensions. The first dimension of A is {A.shape[0]}, "
                         f"while the shape of b is {b.shape}")
    report = _bounded(A, b, 0.0, np.inf, 1e-12, None)
    if maxiter is not None and report.iterations > maxiter or report.status in ("limit", "diverged"):
        raise RuntimeError("Maximum number of iterations reached.")
    return report.x, float(np.linalg.norm(A @ report.x - b))


def lsq_linear(A: Any, b: ArrayLike, bounds: Any = (-np.inf, np.inf), method: str = "trf", tol: float = 1e-10,
               lsq_solver: str | None = None, lsmr_tol: float | str | None = None, max_iter: int | None = None,
               verbose: int = 0, *, lsmr_maxiter: int | None = None) -> Any:
    """min 0.5 |Ax - b|^2 within bounds, as scipy.optimize.lsq_linear.

    The method is polyak's exact active set method, or conjugate gradients within bounds for more
    than 3000 columns; `method`, `lsq_solver`, `lsmr_tol` and `lsmr_maxiter` are accepted and
    checked, but change nothing.

    Returns
    -------
    scipy.optimize.OptimizeResult
        x, cost, fun, optimality, active_mask, unbounded_sol, nit, status, message, success

    Examples
    --------
    >>> import numpy as np, polyak
    >>> result = polyak.lsq_linear(np.eye(2), [3.0, -1.0], bounds=(0, 2))
    >>> result.x, result.active_mask
    (array([2., 0.]), array([ 1, -1]))
    """
    from scipy.optimize import OptimizeResult

    if method not in ("trf", "bvls"):
        raise ValueError("`method` must be 'trf' or 'bvls'")
    if lsq_solver not in (None, "exact", "lsmr"):
        raise ValueError("`solver` must be None, 'exact' or 'lsmr'.")
    if lsmr_tol not in (None, "auto") and not (isinstance(lsmr_tol, (float, np.floating)) and lsmr_tol > 0):
        raise ValueError("`lsmr_tol` must be None, 'auto', or positive float.")
    if lsmr_maxiter is not None and not (isinstance(lsmr_maxiter, (int, np.integer)) and lsmr_maxiter > 0):
        raise ValueError("`lsmr_maxiter` must be None or positive integer.")
    if verbose not in (0, 1, 2):
        raise ValueError("`verbose` must be in [0, 1, 2].")
    A = _rows(A)
    if len(A.shape) != 2:
        raise ValueError("`A` must have at most 2 dimensions.")
    if max_iter is not None and max_iter <= 0:
        raise ValueError("`max_iter` must be None or positive integer.")
    b = np.atleast_1d(np.asarray(b, dtype=np.float64))
    if b.ndim != 1:
        raise ValueError("`b` must have at most 1 dimension.")
    m, n = A.shape
    if b.size != m:
        raise ValueError("Inconsistent shapes between `A` and `b`.")
    lower, upper = _bounds(bounds, n)
    return _result(OptimizeResult, A, b, lower, upper, tol, max_iter, verbose)


def _bounds(bounds, n):
    if hasattr(bounds, "lb"):
        bounds = bounds.lb, bounds.ub
    if len(bounds) != 2:
        raise ValueError("`bounds` must contain 2 elements.")
    lower, upper = (np.array(np.broadcast_to(np.asarray(v, dtype=np.float64), (n,))) if np.ndim(v) == 0
                    else np.asarray(v, dtype=np.float64) for v in bounds)
    if lower.shape != (n,) or upper.shape != (n,):
        raise ValueError("Bounds have wrong shape.")
    if (lower >= upper).any():
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    return lower, upper


def _result(kind, A, b, lower, upper, tol, max_iter, verbose):
    free_report = solve_unbounded(A, b)
    unbounded = free_report.x
    inside = ((unbounded >= lower) & (unbounded <= upper)).all()
    if inside and free_report.status == "converged":
        x, nit, status = unbounded, 0, 3
    else:
        report = _bounded(A, b, lower, upper, max(min(tol, 1e-8), 1e-14), max_iter)
        x, nit = report.x, report.iterations
        status = {"converged": 1, "limit": 0}.get(report.status, -1)
    multiply = A.matvec if hasattr(A, "matvec") else lambda v: A @ v
    transposed = A.rmatvec if hasattr(A, "matvec") else lambda v: A.T @ v
    fun = np.asarray(multiply(x)).reshape(-1) - b
    gradient = np.asarray(transposed(fun)).reshape(-1)
    active = np.where(x <= lower, -1, np.where(x >= upper, 1, 0))
    free = ~((active < 0) & (gradient > 0) | (active > 0) & (gradient < 0))
    messages = {3: "The unconstrained solution is optimal.", 0: "The maximum number of iterations is exceeded.",
                1: "The first-order optimality measure is less than `tol`.",
                -1: "The algorithm was not able to make progress on the last iteration."}
    result = kind(x=x, cost=0.5 * float(fun @ fun), fun=fun,
                  optimality=float(np.abs(gradient[free]).max(initial=0.0)), active_mask=active,
                  unbounded_sol=(unbounded,), nit=nit, status=status, message=messages[status], success=status > 0)
    if verbose:
        print(result.message)
        print(f"Number of iterations {nit}, final cost {result.cost:.4e}, first-order optimality {result.optimality:.2e}")
    return result


def solve_unbounded(A, b):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyakWarning)
        return solve(A, b, tol=1e-12)
