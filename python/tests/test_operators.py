"""A that is known by its products or makes its rows: operators and functions of Python."""

import numpy as np
import pytest
import scipy.sparse.linalg

import polyak


@pytest.fixture
def problem(rng):
    A = rng.standard_normal((400, 7))
    A[rng.random(A.shape) < 0.3] = 0.0
    b = rng.standard_normal(400)
    return A, b, np.linalg.lstsq(A, b, rcond=None)[0]


class Operator:
    """Products only, as scipy.sparse.linalg.LinearOperator."""

    def __init__(self, A):
        self.A, self.shape, self.dtype = A, A.shape, A.dtype

    def matvec(self, x):
        return self.A @ x

    def rmatvec(self, y):
        return self.A.T @ y


@pytest.mark.parametrize("method", ["auto", "lsqr", "cgls", "cg"])
def test_operators_need_products_only(problem, method):
    A, b, expected = problem
    report = polyak.solve(Operator(A), b, method=method, tol=1e-13)
    np.testing.assert_allclose(report.x, expected, rtol=1e-7)
    assert report.method == ("lsqr" if method == "auto" else method)


def test_an_operator_refuses_methods_that_read_rows(problem):
    A, b, _ = problem
    for method in ("rk", "minibatch-hbm", "direct"):
        with pytest.raises(polyak.UsageError, match="products only"):
            polyak.solve(Operator(A), b, method=method)


def test_what_an_operator_raises_comes_out(problem):
    A, b, _ = problem

    class Broken(Operator):
        def rmatvec(self, y):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        polyak.solve(Broken(A), b)
    class Short(Operator):
        def matvec(self, x):
            return (self.A @ x)[:-1]

    with pytest.raises(ValueError, match="wrong length"):
        polyak.solve(Short(A), b)


class Rows:
    def __init__(self, A):
        self.A, self.shape, self.asked = A, A.shape, 0

    def rows(self, indices):
        self.asked += len(indices)
        return self.A[indices]


@pytest.mark.parametrize("method", ["auto", "direct", "lsqr", "rk", "minibatch-hbm"])
def test_rows_by_a_function_of_python(problem, method):
    A, b, expected = problem
    rows = Rows(A)
    consistent = A @ expected
    report = polyak.solve(rows, consistent, method=method, threads=2, seed=1)
    np.testing.assert_allclose(report.x, expected, rtol=1e-5)
    assert rows.asked >= 7


@pytest.mark.parametrize("wrong", [np.transpose, np.ravel, lambda block: block[:, :-1]], ids=["transpose", "flat", "narrow"])
def test_rows_of_another_shape_are_refused(problem, wrong):
    class Wrong(Rows):
        def rows(self, indices):
            return wrong(super().rows(indices))

    with pytest.raises(ValueError, match="another shape"):
        polyak.solve(Wrong(problem[0]), problem[1], method="lsqr")

NO_NUMBERS = {
    "masked": (np.ma.masked_array(np.ones(400), np.arange(400) == 3), "masked"),
    "complex": (np.ones(400) * 1j, "complex"),
    "durations": (np.arange(400).astype("timedelta64[s]"), "real numbers"),
    "structured": (np.zeros(400, dtype=[("value", float)]), "real numbers"),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_results_that_hold_no_real_numbers_are_refused(problem, kind):
    A, b, _ = problem
    values, message = NO_NUMBERS[kind]

    class Products(Operator):
        def matvec(self, x):
            return values

    class Wrong(Rows):
        def rows(self, indices):
            return np.ma.masked_array(np.zeros((len(indices), 7)), True) if kind == "masked" else values[: len(indices), None]

    with pytest.raises(TypeError, match=rf"^A.matvec\(x\) .*{message}"):
        polyak.solve(Products(A), b)
    with pytest.raises(TypeError, match=rf"^A.rows\(indices\) .*{message}"):
        polyak.solve(Wrong(A), b, method="lsqr")


PARTS = {
    "weights": ["w"],
    "intercept": ["c"],
    "all": ["w", "c", "r"],
    "a ridge for each": ["c", "f"],
}


@pytest.mark.parametrize("method", ["lsqr", "cgls", "cg"])
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("shape", [(400, 7), (400, 30), (20000, 25)], ids=str)  # norms: exact, and estimated
def test_operators_have_weights_ridges_and_intercepts(rng, shape, parts, method):
    n, d = shape
    A = rng.standard_normal(shape) * np.exp(rng.uniform(-1, 1, d)) + 1
    b = rng.standard_normal(n) + 5
    options = {"w": ("weights", np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0, 2, n))), "c": ("intercept", True),
               "r": ("ridge", 3.0), "f": ("ridge_factors", np.arange(1.0, d + 1))}
    options = dict(options[key] for key in PARTS[parts])
    if "ridge_factors" in options:
        options["ridge"] = 2.0
    report = polyak.solve(scipy.sparse.linalg.aslinearoperator(A), b, method=method, tol=1e-12, **options)
    expected = polyak.solve(A, b, method="direct", **options)
    np.testing.assert_allclose(report.x, expected.x, rtol=1e-7, atol=1e-8)
    assert report.residual_norm == pytest.approx(expected.residual_norm, rel=1e-8)


def test_what_does_not_fit_an_operator_with_an_intercept_is_refused(problem):
    A, b, _ = problem
    for options in ({"ridge_factors": np.ones(3)}, {"x0": np.ones(7)}, {"weights": np.ones((20, 20))}):
        with pytest.raises(polyak.DataError):
            polyak.solve(Operator(A), b, intercept=True, ridge=1.0, **options)


@pytest.mark.parametrize("shape", [(20, 20), (1, 20, 20), (400, 2)])
def test_products_of_another_shape_are_refused(problem, shape):
    A, b, _ = problem

    class Wrong(Operator):
        def matvec(self, x):
            return np.ones(shape)

    with pytest.raises(polyak.DataError, match=r"^A.matvec\(x\): .*another shape"):
        polyak.solve(Wrong(A), b)

    class Column(Operator):
        def matvec(self, x):
            return (self.A @ x)[:, None]

    assert polyak.solve(Column(A), b).status == "converged"


class Counting(scipy.sparse.linalg.LinearOperator):
    """A with the number of its products."""

    def __init__(self, A):
        super().__init__(np.float64, A.shape)
        self.A, self.products = A, 0

    def _matvec(self, x):
        self.products += 1
        return self.A @ x

    def _rmatvec(self, y):
        self.products += 1
        return self.A.T @ y


@pytest.mark.parametrize("size", [1e-70, np.inf])
def test_weights_of_operators_out_of_range_cost_a_few_products(rng, size):
    A = rng.standard_normal((2000, 5))
    A[7, 2] = 1.0
    A = A * size if np.isfinite(size) else np.where(np.arange(2000)[:, None] == 7, size, A)
    operator = Counting(A)
    if np.isfinite(size):
        b = A @ np.ones(5)
        x = polyak.solve(operator, b, weights=np.linspace(1, 2, 2000), method="lsqr").x
        np.testing.assert_allclose(x, np.ones(5), rtol=1e-6)
    else:
        with pytest.raises(polyak.DataError, match="not finite"):
            polyak.solve(operator, np.ones(2000), weights=np.linspace(1, 2, 2000), method="lsqr")
    assert operator.products < 200


@pytest.mark.parametrize("intercept", [False, True])
def test_operators_within_bounds(rng, intercept):
    A = rng.standard_normal((300, 9))
    b = A @ np.linspace(-1, 1, 9) + 0.1 * rng.standard_normal(300)
    options = {"lower": -0.5, "upper": 0.7, "intercept": intercept, "tol": 1e-12}
    report = polyak.solve(Operator(A), b, **options)
    assert report.method == "bounded-cg" and report.status == "converged"
    np.testing.assert_allclose(report.x, polyak.solve(A, b, method="active-set", **options).x, rtol=1e-7, atol=1e-9)
