#!/usr/bin/env python3
"""The Python package beside NumPy, SciPy and scikit-learn, for `polyak bench python`.

    polyak bench python --peers bench/python.py [--rows N] [--cases TEXT] [--json FILE]

A script of peers (src/bench/processes.hpp): it is started with the sizes, and each line that it
reads asks for a measurement. CASE is the name of a problem made here, or a folder with A.npy or
A.npz and b.npy:
  run CASE CONTENDER CALLS         the seconds of a call
  error CASE CONTENDER 1           how far its x is from the least squares solution
  try FOLDER CONTENDER SECONDS 1   the seconds of a first call in a process of its own, which leaves
                                   x.npy in the folder; "inf" where it fails or takes longer
It needs the package and scikit-learn: `make setup-python` and `make build` put both into the build
folder, which is used where the interpreter does not have them.
"""

import os
import signal
import sys
import time
import traceback
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


def single(problem):
    return problem[0].astype(np.float32), problem[1]


CASES = {
    "50x5": lambda: spectrum(50, 5, 0.1),
    "1000x10": lambda: spectrum(1000, 10, 0.1),
    "tall-single": lambda: single(spectrum(ROWS, COLS, 0.1)),
    "units": lambda: units_far_apart(ROWS // 5, COLS),
    "bounds": lambda: spectrum(ROWS // 10, COLS, 0.1),
}


def fit(model):
    return lambda A, b: model.fit(A, b).coef_


def krylov(function, **limits):
    return lambda A, b: function(A, b, atol=1e-10, btol=1e-10, **limits)[0]


CONTENDERS = {
    "polyak.solve": lambda A, b: polyak.solve(A, b).x,
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

current = {}


def from_folder(folder):
    dense = Path(folder) / "A.npy"
    A = np.load(dense) if dense.exists() else sp.load_npz(Path(folder) / "A.npz")
    return A, np.load(Path(folder) / "b.npy").ravel()


def problem(case):
    if current.get("case") != case:
        current.clear()
        A, b = CASES[case]() if case in CASES else from_folder(case)
        current.update(case=case, A=np.ascontiguousarray(A) if not sp.issparse(A) else A, b=b)
    return current["A"], current["b"]


def expected(case):
    """The least squares solution, by a solver of neither side's entry: QR of scaled columns."""
    if "x" not in current:
        A, b = problem(case)
        A = A.astype(np.float64)
        scale = np.linalg.norm(A, axis=0)
        Q, R = np.linalg.qr(A / scale)
        current["x"] = scipy.linalg.solve_triangular(R, Q.T @ b) / scale
        current["scale"] = scale
    return current["x"], current["scale"]


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


def attempt(folder, contender, limit):
    """The alarm ends the process, also in the middle of a call of LAPACK."""
    A, b = problem(folder)
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(limit)
            np.save(Path(folder) / "x.npy", np.ravel(CONTENDERS[contender](A, b)))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return time.perf_counter() - start if status == 0 else float("inf")


DO = {"run": run, "error": error, "try": attempt}


def main():
    warnings.simplefilter("ignore")
    print(f"ready Python {sys.version.split()[0]}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
          f"scikit-learn {sklearn.__version__}, polyak {polyak.__version__}", flush=True)
    for line in sys.stdin:
        what, case, contender, *numbers = line.split()
        seconds = DO[what](case, contender, int(numbers[0]))
        print(f"{seconds:.9e}", flush=True)
        time.sleep(0.03)  # until the threads of OpenBLAS sleep


if __name__ == "__main__":
    main()
