#!/usr/bin/env python3
"""python.py [--seconds S] [--only TEXT] [--json FILE]: the Python package beside NumPy, SciPy and
scikit-learn, in one run.

All contenders of a problem take turns; a figure is the median over the rounds, and the ratio that
of the same round. Each contender says how far its x is from that of a QR: a fast wrong answer
shows. Needs the package and scikit-learn (`make setup-python`, then build/venv/bin/python with
PYTHONPATH=build/release/python).
"""

import argparse
import json
import os
import statistics
import sys
import time
import warnings

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
import scipy.sparse.linalg
import sklearn
import sklearn.linear_model

import polyak
import polyak.sklearn


def dense(n, d, noise, kappa=100.0, dtype=np.float64):
    problem = polyak.generate.spectrum(n, d, decay="algebraic", rho=1.0, kappa=kappa, noise=noise, seed=7)
    return np.array(problem.A, dtype=dtype), problem.b.copy()


def sparse(n, d):
    rng = np.random.default_rng(3)
    A = sp.random(n, d, density=20 / d, random_state=rng, format="csr")
    return A, A @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n)


def linear_models(A, b):
    def fit(model):
        return lambda: model.fit(A, b).coef_

    return {
        "sklearn LinearRegression": fit(sklearn.linear_model.LinearRegression(fit_intercept=False)),
        "polyak.sklearn LeastSquares": fit(polyak.sklearn.LeastSquares(fit_intercept=False)),
        "sklearn Ridge(alpha=1e-12)": fit(sklearn.linear_model.Ridge(alpha=1e-12, fit_intercept=False)),
        "sklearn SGDRegressor": fit(sklearn.linear_model.SGDRegressor(fit_intercept=False, penalty=None)),
    }


def dense_contenders(A, b):
    return {
        "polyak.solve": lambda: polyak.solve(A, b).x,
        "polyak.solve direct": lambda: polyak.solve(A, b, method="direct").x,
        "numpy.linalg.lstsq": lambda: np.linalg.lstsq(A, b, rcond=None)[0],
        "polyak.lsmr": lambda: polyak.lsmr(A, b, atol=1e-10, btol=1e-10)[0],
        "scipy lsmr": lambda: scipy.sparse.linalg.lsmr(A, b, atol=1e-10, btol=1e-10)[0],
        "polyak.lsqr": lambda: polyak.lsqr(A, b, atol=1e-10, btol=1e-10)[0],
        "scipy lsqr": lambda: scipy.sparse.linalg.lsqr(A, b, atol=1e-10, btol=1e-10)[0],
        **linear_models(A, b),
    }


def small_contenders(A, b):
    return {
        "polyak.solve": lambda: polyak.solve(A, b).x,
        "polyak.solve direct": lambda: polyak.solve(A, b, method="direct").x,
        "numpy.linalg.lstsq": lambda: np.linalg.lstsq(A, b, rcond=None)[0],
        "scipy.linalg.lstsq": lambda: scipy.linalg.lstsq(A, b)[0],
    }


def sparse_contenders(A, b):
    return {
        "polyak.solve": lambda: polyak.solve(A, b).x,
        "polyak.lsqr": lambda: polyak.lsqr(A, b, atol=1e-10, btol=1e-10, iter_lim=5000)[0],
        "scipy lsqr": lambda: scipy.sparse.linalg.lsqr(A, b, atol=1e-10, btol=1e-10, iter_lim=5000)[0],
        "polyak.lsmr": lambda: polyak.lsmr(A, b, atol=1e-10, btol=1e-10, maxiter=5000)[0],
        "scipy lsmr": lambda: scipy.sparse.linalg.lsmr(A, b, atol=1e-10, btol=1e-10, maxiter=5000)[0],
    }


def bounded_contenders(A, b):
    return {
        "polyak.lsq_linear": lambda: polyak.lsq_linear(A, b, (-0.5, 0.5)).x,
        "scipy lsq_linear": lambda: scipy.optimize.lsq_linear(A, b, (-0.5, 0.5), tol=1e-12).x,
        "polyak.nnls": lambda: polyak.nnls(A, b)[0],
        "scipy nnls": lambda: scipy.optimize.nnls(A, b)[0],
    }


PROBLEMS = {
    "50 x 5": (lambda: dense(50, 5, 0.1), small_contenders, "numpy.linalg.lstsq"),
    "1000 x 10": (lambda: dense(1000, 10, 0.1), small_contenders, "numpy.linalg.lstsq"),
    "20000 x 300": (lambda: dense(20000, 300, 1.0), dense_contenders, "numpy.linalg.lstsq"),
    "300000 x 50": (lambda: dense(300000, 50, 10.0), dense_contenders, "numpy.linalg.lstsq"),
    "300000 x 50, consistent": (lambda: dense(300000, 50, 0.0), dense_contenders, "numpy.linalg.lstsq"),
    "300000 x 50, single": (lambda: dense(300000, 50, 10.0, dtype=np.float32), dense_contenders, "numpy.linalg.lstsq"),
    "200000 x 5000, sparse": (lambda: sparse(200000, 5000), sparse_contenders, "scipy lsqr"),
    "20000 x 100, bounds": (lambda: dense(20000, 100, 1.0), bounded_contenders, "scipy lsq_linear"),
}


def reference(A, b, name):
    if "bounds" in name:
        return None
    if sp.issparse(A):
        return scipy.sparse.linalg.lsqr(A, b, atol=1e-14, btol=1e-14, iter_lim=20000)[0]
    return scipy.linalg.lstsq(A.astype(np.float64), b)[0]


def measure(name, seconds):
    make, contenders_of, base = PROBLEMS[name]
    A, b = make()
    expected = reference(A, b, name)
    contenders = contenders_of(A, b)
    lines = {}
    for who, run in contenders.items():  # for the error and the number of calls in a round
        run()  # the first call loads libraries
        start = time.perf_counter()
        x = run()
        once = time.perf_counter() - start
        error = None if expected is None else float(np.linalg.norm(x - expected) / np.linalg.norm(expected))
        lines[who] = {"error": error, "calls": max(1, min(2000, int(0.01 / max(once, 1e-7)))), "times": []}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(lines[base]["times"]) < 3:
        for who, run in contenders.items():
            calls = lines[who]["calls"]
            start = time.perf_counter()
            for _ in range(calls):
                run()
            lines[who]["times"].append((time.perf_counter() - start) / calls)
    base_times = lines[base]["times"]
    for line in lines.values():
        line["seconds"] = statistics.median(line["times"])
        line["ratio"] = statistics.median(own / other for own, other in zip(line["times"], base_times))
        line["rounds"] = len(line.pop("times"))
    return {"problem": name, "base": base, "contenders": lines}


def shown(seconds):
    return f"{1e6 * seconds:.0f} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each problem")
    parser.add_argument("--only", default="", help="problems whose names contain this")
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    versions = f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, Python {sys.version.split()[0]}"
    print(f"{versions}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    results = []
    for name in PROBLEMS:
        if arguments.only not in name:
            continue
        result = measure(name, arguments.seconds)
        results.append(result)
        print(f"| {name} | median | / {result['base']} | error in x |\n|---|---|---|---|")
        for who, line in result["contenders"].items():
            error = "" if line["error"] is None else f"{line['error']:.0e}"
            print(f"| {who} | {shown(line['seconds'])} | {line['ratio']:.2f} | {error} |")
        print(flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"versions": versions, "load": os.getloadavg(), "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
