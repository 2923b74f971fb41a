"""lsqr, lsmr, nnls and lsq_linear in place of SciPy's, and solve() beside SciPy and NumPy."""

import inspect
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.linalg

import polyak

# What is different on purpose, with the reason.
DIFFERENT = {
    "scipy.optimize.tests.test_nnls": {
        "test_maxiter": "the exact method counts no iterations that maxiter=1 could stop",
        "test_2D_singleton_RHS_input": "wants a residual of exactly 0; here it is rounding, 1e-15",
        "test_gh_22791_32bit": "the minimiser is not unique, another one of the same residual is returned",
        "test_atol_deprecation_warning": "atol is accepted and never used, without a warning",
    },
    "scipy.optimize.tests.test_lsq_linear": {
        "test_sparse_ill_conditioned": "wants the default not to converge; here it does",
    },
}


@pytest.mark.parametrize("module", ["scipy.sparse.linalg._isolve.tests.test_lsqr", "scipy.sparse.linalg._isolve.tests.test_lsmr",
                                    "scipy.optimize.tests.test_nnls", "scipy.optimize.tests.test_lsq_linear"])
def test_the_tests_of_scipy_pass(module):
    skip = " or ".join(DIFFERENT.get(module, {}))
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), environment.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "in_place_of_scipy", "-p", "no:cacheprovider",
                          "--pyargs", module, "-k", f"not ({skip})" if skip else ""],
                         env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout


@pytest.mark.parametrize("name, scipy_function", [("lsqr", scipy.sparse.linalg.lsqr), ("lsmr", scipy.sparse.linalg.lsmr),
                                                  ("lsq_linear", scipy.optimize.lsq_linear)])
def test_signatures_are_those_of_scipy(name, scipy_function):
    own = inspect.signature(getattr(polyak, name)).parameters
    theirs = inspect.signature(scipy_function).parameters
    assert list(own) == list(theirs)
    assert all(own[p].default == theirs[p].default for p in own)


KINDS = {
    "dense": np.asarray,
    "single": lambda A: A.astype(np.float32),
    "Fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "operator": scipy.sparse.linalg.aslinearoperator,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(300, 12), (40, 40), (12, 30)])
@pytest.mark.parametrize("damp", [0.0, 0.7])
def test_krylov_methods_take_the_steps_of_scipy(rng, kind, shape, damp):
    A = rng.standard_normal(shape)
    A[rng.random(shape) < 0.5] = 0.0
    given = KINDS[kind](A)
    b = rng.standard_normal(shape[0])
    x0 = rng.standard_normal(shape[1])
    for start in (None, x0):
        for limit in (1, 5, 200):
            own = polyak.lsqr(given, b, damp=damp, atol=1e-10, btol=1e-10, iter_lim=limit, calc_var=True, x0=start)
            theirs = scipy.sparse.linalg.lsqr(KINDS["single"](A) if kind == "single" else A, b, damp=damp, atol=1e-10, btol=1e-10,
                                              iter_lim=limit, calc_var=True, x0=start)
            if limit < 200:
                assert own[1:3] == theirs[1:3]
                for mine, other in zip(own, theirs):
                    np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-10)
            else:
                np.testing.assert_allclose(own[0], theirs[0], rtol=1e-5, atol=1e-7)
            own = polyak.lsmr(given, b, damp=damp, atol=1e-10, btol=1e-10, maxiter=limit, x0=start)
            theirs = scipy.sparse.linalg.lsmr(A, b, damp=damp, atol=1e-10, btol=1e-10, maxiter=limit, x0=start)
            if limit < 200 and kind != "single":
                assert own[1:3] == theirs[1:3]
                for mine, other in zip(own, theirs):
                    np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("function", ["lsqr", "lsmr"])
@pytest.mark.parametrize("limit", [1, 4, 200])
def test_a_negative_damping_is_that_of_scipy(rng, function, limit):
    A, b = rng.standard_normal((60, 8)), rng.standard_normal(60)
    options = {"damp": -0.7, "atol": 1e-12, "btol": 1e-12, {"lsqr": "iter_lim", "lsmr": "maxiter"}[function]: limit}
    own = getattr(polyak, function)(A, b, **options)
    theirs = getattr(scipy.sparse.linalg, function)(A, b, **options)
    assert own[1:3] == theirs[1:3]
    for mine, other in zip(own, theirs):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)


def test_large_products_use_the_team_with_the_same_bits(rng):
    A, b = rng.standard_normal((40000, 20)), rng.standard_normal(40000)
    x = polyak.lsqr(A, b, atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(x, np.linalg.lstsq(A, b, rcond=None)[0], rtol=1e-9)
    one, three = (polyak._core.Products(polyak._core.dense(A), t) for t in (1, 3))
    v, u = rng.standard_normal((20, 2)), rng.standard_normal((40000, 2))
    assert (one.multiply(v) == three.multiply(v)).all() and (one.transposed(u) == three.transposed(u)).all()
    np.testing.assert_allclose(one.multiply(v), A @ v, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(one.transposed(u), A.T @ u, rtol=1e-9, atol=1e-9)


def test_lsq_linear_calls_no_unfinished_solution_optimal(rng):
    U, V = (np.linalg.qr(rng.standard_normal(shape))[0] for shape in ((300, 100), (100, 100)))
    A = scipy.sparse.linalg.aslinearoperator((U * np.logspace(0, -10, 100)) @ V.T)
    result = polyak.lsq_linear(A, rng.standard_normal(300), (-1e6, 1e6), max_iter=20)
    assert (result.status, result.success) == (0, False) and result.nit == 20


@pytest.mark.parametrize("seed", range(20))
def test_nnls_and_lsq_linear_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 200)), int(rng.integers(1, 18))
    A, b = rng.standard_normal((n, d)), rng.standard_normal(n)
    x, rnorm = polyak.nnls(A, b)
    expected, norm = scipy.optimize.nnls(A, b)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-11)
    assert rnorm == pytest.approx(norm, rel=1e-12)
    lower = np.where(rng.random(d) < 0.3, -np.inf, rng.uniform(-0.1, 0.0, d))
    upper = np.where(rng.random(d) < 0.3, np.inf, rng.uniform(0.01, 0.1, d))
    own = polyak.lsq_linear(A, b, (lower, upper))
    theirs = scipy.optimize.lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-14)
    np.testing.assert_allclose(own.x, theirs.x, rtol=1e-9, atol=1e-11)
    assert own.success and own.cost == pytest.approx(theirs.cost, rel=1e-12)
    assert (own.active_mask == theirs.active_mask).all() or own.status == 3
    np.testing.assert_allclose(own.fun, theirs.fun, atol=1e-9)


def reference(A, b, w, ridge, intercept, lower, upper):
    """By NumPy and SciPy alone."""
    wide = np.column_stack([A, np.ones(len(b))]) if intercept else A
    d = wide.shape[1]
    penalty = np.full(d, np.sqrt(ridge))
    if intercept:
        penalty[-1] = 0.0
    M = np.vstack([np.sqrt(w)[:, None] * wide, np.diag(penalty)])
    r = np.concatenate([np.sqrt(w) * b, np.zeros(d)])
    if lower is None:
        return scipy.linalg.lstsq(M, r)[0]
    bounds = [np.full(d, -np.inf), np.full(d, np.inf)]
    bounds[0][: A.shape[1]], bounds[1][: A.shape[1]] = lower, upper
    return scipy.optimize.lsq_linear(M, r, bounds, method="bvls", tol=1e-15).x


@pytest.mark.parametrize("seed", range(60))
def test_sixty_random_problems(seed):
    rng = np.random.default_rng(1000 + seed)
    n, d = int(rng.integers(10, 400)), int(rng.integers(1, 25))
    if n < d:
        n = d + 5
    A = rng.standard_normal((n, d)) * np.exp(rng.uniform(-3, 3, d))
    A[rng.random((n, d)) < rng.choice([0.0, 0.3, 0.8])] = 0.0
    b = A @ rng.standard_normal(d) + rng.choice([0.0, 0.01, 1.0]) * rng.standard_normal(n)
    dtype = rng.choice([np.float64, np.float32])
    A = A.astype(dtype)
    layout = rng.choice(["C", "F", "strided", "csr", "csc", "coo", "array"])
    given = {"C": lambda: A, "F": lambda: np.asfortranarray(A), "strided": lambda: np.repeat(A, 2, axis=1)[:, ::2],
             "csr": lambda: sp.csr_matrix(A), "csc": lambda: sp.csc_array(A), "coo": lambda: sp.coo_matrix(A),
             "array": lambda: sp.csr_array(A)}[layout]()
    weighted, ridge, intercept, bounded = rng.random(4) < [0.4, 0.4, 0.4, 0.3]
    w = rng.uniform(0, 2, n) if weighted else np.ones(n)
    ridge = float(rng.uniform(0.1, 5)) if ridge else 0.0
    lower, upper = (-0.3, 0.5) if bounded else (None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", polyak.PolyakWarning)
        x = polyak.solve(given, b, weights=w if weighted else None, ridge=ridge, intercept=bool(intercept), lower=lower, upper=upper,
                         tol=1e-13).x
    expected = reference(A.astype(float), b, w, ridge, intercept, lower, upper)
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * max(1e-3, np.abs(expected).max()))
