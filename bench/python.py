#!/usr/bin/env python3
"""The Python package beside NumPy, SciPy and scikit-learn, for `polyak bench python`.

    polyak bench python --peers bench/python.py [--seconds S] [--json FILE]

A script of peers (src/bench/processes.hpp): it is started with the sizes, and each line that it
reads asks for a measurement: "run CASE CONTENDER CALLS" for the seconds of a call, "error CASE
CONTENDER 1" for how far its x is from the least squares solution, by LAPACK with scaled columns.
It needs the package and scikit-learn: `make setup-python` and `make build` put both into the build
folder, which is used where the interpreter does not have them.
"""

import os
import sys
import time
import warnings
from pathlib import Path


def use_build_folder():
    """Starts again with the Python of build/venv and the package of build/release."""
    build = Path(__file__).resolve().parent.parent / "build"
    python = build / "venv" / "bin" / "python"
    if "POLYAK_BENCH_PYTHON" in os.environ or not python.exists():
        print("Python cannot import polyak and sklearn; `make setup-python build` prepares them", flush=True)
        sys.exit()
    environment = {**os.environ, "POLYAK_BENCH_PYTHON": "1", "PYTHONPATH": str(build / "release" / "python")}
    os.execve(python, [str(python), *sys.argv], environment)


try:
    import numpy as np
    import scipy.linalg
    import scipy.optimize
    import scipy.sparse as sp
    import scipy.sparse.linalg
    import sklearn
    import sklearn.linear_model

    import polyak
    import polyak.sklearn
except ImportError:
    use_build_folder()

ROWS, COLS, THREADS, SEED = (int(v) for v in (sys.argv + ["200000", "100", "0", "0"])[1:5])


def spectrum(rows, cols, noise=0.0, kappa=100.0):
    problem = polyak.generate.spectrum(max(rows, 2 * cols), cols, decay="algebraic", rho=1.0, kappa=kappa, seed=SEED)
    b = problem.b + noise * np.linalg.norm(problem.b) * unit(problem.b.size)
    return problem.A, b


def unit(size):
    values = np.random.default_rng(SEED).standard_normal(size)
    return values / np.linalg.norm(values)


def units_far_apart(rows, cols):
    A, _ = spectrum(rows, cols)
    A = A * np.logspace(-8, 8, cols)
    b = A @ np.logspace(8, -8, cols)
    return A, b + 0.1 * np.linalg.norm(b) * unit(rows)


def sparse(rows, cols):
    rng = np.random.default_rng(SEED)
    A = sp.random(rows, cols, density=min(0.3, 20 / cols), random_state=rng, format="csr")
    b = A @ rng.standard_normal(cols)
    return A, b + 0.1 * np.linalg.norm(b) * unit(rows)


def single(problem):
    return problem[0].astype(np.float32), problem[1]


CASES = {
    "50x5": lambda: spectrum(50, 5, 0.1),
    "1000x10": lambda: spectrum(1000, 10, 0.1),
    "tall": lambda: spectrum(ROWS, COLS, 0.1),
    "tall-consistent": lambda: spectrum(ROWS, COLS),
    "tall-single": lambda: single(spectrum(ROWS, COLS, 0.1)),
    "condition-1e10": lambda: spectrum(ROWS // 5, COLS, 0.1, kappa=1e20),
    "units": lambda: units_far_apart(ROWS // 5, COLS),
    "columns": lambda: spectrum(ROWS // 10, 3 * COLS, 0.1),
    "sparse": lambda: sparse(ROWS, 50 * COLS),
    "bounds": lambda: spectrum(ROWS // 10, COLS, 0.1),
}


def fit(model):
    return lambda A, b: model.fit(A, b).coef_


def krylov(function, **limits):
    return lambda A, b: function(A, b, atol=1e-10, btol=1e-10, **limits)[0]


CONTENDERS = {
    "polyak.solve": lambda A, b: polyak.solve(A, b).x,
    "polyak.solve-direct": lambda A, b: polyak.solve(A, b, method="direct").x,
    "polyak.lsqr": krylov(polyak.lsqr, iter_lim=2000),
    "polyak.lsmr": krylov(polyak.lsmr, maxiter=2000),
    "polyak.LeastSquares": fit(polyak.sklearn.LeastSquares(fit_intercept=False)),
    "polyak.lsq_linear": lambda A, b: polyak.lsq_linear(A, b, (-0.5, 0.5)).x,
    "polyak.nnls": lambda A, b: polyak.nnls(A, b)[0],
    "numpy.lstsq": lambda A, b: np.linalg.lstsq(A, b, rcond=None)[0],
    "scipy.lstsq": lambda A, b: scipy.linalg.lstsq(A, b)[0],
    "scipy.lsqr": krylov(scipy.sparse.linalg.lsqr, iter_lim=2000),
    "scipy.lsmr": krylov(scipy.sparse.linalg.lsmr, maxiter=2000),
    "scipy.lsq_linear": lambda A, b: scipy.optimize.lsq_linear(A, b, (-0.5, 0.5), tol=1e-12).x,
    "scipy.nnls": lambda A, b: scipy.optimize.nnls(A, b)[0],
    "sklearn.LinearRegression": fit(sklearn.linear_model.LinearRegression(fit_intercept=False)),
    "sklearn.Ridge": fit(sklearn.linear_model.Ridge(alpha=1e-12, fit_intercept=False)),
    "sklearn.SGDRegressor": fit(sklearn.linear_model.SGDRegressor(fit_intercept=False, penalty=None, random_state=0)),
}

current = {"case": None}


def problem(case):
    if current["case"] != case:
        current.clear()
        A, b = CASES[case]()
        current.update(case=case, A=np.ascontiguousarray(A) if not sp.issparse(A) else A, b=b)
    return current["A"], current["b"]


def expected(case):
    """The least squares solution, by a solver of neither side's entry: QR of scaled columns."""
    if "x" not in current:
        A, b = problem(case)
        if sp.issparse(A):
            current["x"] = scipy.sparse.linalg.lsqr(A, b, atol=1e-15, btol=1e-15, iter_lim=20000)[0]
        else:
            A = A.astype(np.float64)
            scale = np.linalg.norm(A, axis=0)
            Q, R = np.linalg.qr(A / scale)
            current["x"] = scipy.linalg.solve_triangular(R, Q.T @ b) / scale
            current["scale"] = scale
    return current["x"], current.get("scale", 1.0)


def bounded_expected(case, contender):
    A, b = problem(case)
    low, high = (0, np.inf) if "nnls" in contender else (-0.5, 0.5)
    return scipy.optimize.lsq_linear(A, b, (low, high), method="bvls", tol=1e-14, max_iter=10000).x, 1.0


def error(case, contender, calls):
    A, b = problem(case)
    x, scale = bounded_expected(case, contender) if case == "bounds" else expected(case)
    found = np.ravel(CONTENDERS[contender](A, b))
    return max(1e-17, float(np.linalg.norm(scale * (found - x)) / np.linalg.norm(scale * x)))


def run(case, contender, calls):
    A, b = problem(case)
    call = CONTENDERS[contender]
    if calls > 1:
        call(A, b)
    start = time.perf_counter()
    for _ in range(calls):
        call(A, b)
    return (time.perf_counter() - start) / calls


def main():
    warnings.simplefilter("ignore")
    print(f"ready Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
          f"scikit-learn {sklearn.__version__}, polyak {polyak.__version__}", flush=True)
    for line in sys.stdin:
        what, case, contender, calls = line.split()
        print(f"{ {'run': run, 'error': error}[what](case, contender, int(calls)):.9e}", flush=True)
        time.sleep(0.03)  # until the threads of OpenBLAS sleep


if __name__ == "__main__":
    main()
