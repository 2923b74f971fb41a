"""bounds.py BUILD [--seeds N] [--json FILE]: bounded least squares, polyak compared with SciPy.

N problems by seed (60), even ones with x >= 0, odd ones with two-sided bounds on most
unknowns: up to 400 columns and 15 rows for each, condition 1 to 1e5, noise 1e-6 to 1 of b.
SciPy's nnls (Fortran) and lsq_linear(method="bvls") are called alternately with polyak's active-set
method, in one run, one thread each; reported are the median of the times and
the difference between the solutions. One small problem is also solved by whole processes,
from files to a file. BUILD/bench/bench_bounds runs polyak.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy
from scipy.optimize import lsq_linear, nnls

TURNS = 5


def problem(seed):
    rng = np.random.default_rng(seed)
    d = int(np.exp(rng.uniform(np.log(3), np.log(400))))
    n = int(d * np.exp(rng.uniform(np.log(1.2), np.log(15)))) + 5
    condition, noise = 10 ** rng.uniform(0, 5), 10 ** rng.uniform(-6, 0)
    left = np.linalg.qr(rng.standard_normal((n, d)))[0]
    right = np.linalg.qr(rng.standard_normal((d, d)))[0]
    A = left * np.logspace(0, -np.log10(condition), d) @ right
    x = rng.standard_normal(d) * (rng.random(d) < 0.7)
    b = A @ x
    # Noise in x's answer is condition * noise: below 1e-9 of it the answers have to agree.
    b += min(noise, 1e5 / condition**2) * np.linalg.norm(b) / np.sqrt(n) * rng.standard_normal(n)
    lower, upper = np.zeros(d), np.full(d, np.inf)
    if seed % 2:
        lower = np.where(rng.random(d) < 0.8, -rng.random(d), -np.inf)
        upper = np.where(rng.random(d) < 0.8, rng.random(d), np.inf)
    return A, b, lower, upper, condition


class Polyak:
    def __init__(self, build, folder):
        self.folder = folder
        self.process = subprocess.Popen([f"{build}/bench/bench_bounds"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def seconds(self, calls):
        print(self.folder, "active-set", calls, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def timed(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        x = call()
    return (time.perf_counter() - start) / calls, x


def race(build, seed):
    A, b, lower, upper, condition = problem(seed)
    A_fortran = np.asfortranarray(A)
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("A", A), ("b", b), ("lower", lower), ("upper", upper)):
            np.save(f"{folder}/{name}.npy", value)
        own = Polyak(build, folder)
        peers = {"bvls": lambda: lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-15,
                                            max_iter=10000).x}
        if seed % 2 == 0:
            peers["nnls"] = lambda: nnls(A_fortran, b, maxiter=100000)[0]
        calls = {name: max(1, int(2e-3 / timed(call, 1)[0])) for name, call in peers.items()}
        own.seconds(1)  # loads OpenBLAS
        own_calls = max(1, int(2e-3 / own.seconds(1)))
        times, answers = {name: [] for name in ["polyak", *peers]}, {}
        for _ in range(TURNS):
            times["polyak"].append(own.seconds(own_calls))
            for name, call in peers.items():
                seconds, answers[name] = timed(call, calls[name])
                times[name].append(seconds)
        x = np.load(f"{folder}/x.npy").ravel()
        own.process.stdin.close()
    size = lambda v: float(np.linalg.norm(v))
    return {"seed": seed, "rows": A.shape[0], "cols": A.shape[1], "condition": condition,
            "seconds": {name: statistics.median(t) for name, t in times.items()},
            "difference": {name: size(x - y) / size(y) for name, y in answers.items()}}


SCRIPT = '''
import numpy as np
from scipy.optimize import nnls
np.save("x.npy", nnls(np.load("A.npy"), np.load("b.npy"))[0])
'''


def whole_processes(build, seed):
    """From files to a file, as one would from a shell; the median of the turns."""
    A, b = problem(seed)[:2]
    commands = {"polyak": [f"{Path(build).resolve()}/bin/polyak", "solve", "A.npy", "b.npy", "--lower", "0",
                           "--output", "x.npy", "--quiet"],
                "nnls": [sys.executable, "-c", SCRIPT]}
    times = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/A.npy", A)
        np.save(f"{folder}/b.npy", b)
        for _ in range(TURNS):
            for name, command in commands.items():
                run = lambda: subprocess.run(command, cwd=folder, check=True)
                times[name].append(timed(run, 1)[0])
    return {"rows": A.shape[0], "cols": A.shape[1],
            "seconds": {name: statistics.median(t) for name, t in times.items()}}


def summary(results):
    out = {}
    for peer in ("nnls", "bvls"):
        mine = [r for r in results if peer in r["seconds"]]
        ratios = sorted(r["seconds"][peer] / r["seconds"]["polyak"] for r in mine)
        worst = min(mine, key=lambda r: r["seconds"][peer] / r["seconds"]["polyak"])
        many = [r["seconds"][peer] / r["seconds"]["polyak"] for r in mine if r["cols"] >= 45]
        out[peer] = {"problems": len(mine), "times_faster_median": statistics.median(ratios),
                     "of_45_columns_or_more": {"problems": len(many), "slower_on": sum(q < 1 for q in many),
                                               "times_faster_median": statistics.median(many),
                                               "times_faster_least": min(many)},
                     "times_faster_least": ratios[0], "slower_on": sum(q < 1 for q in ratios),
                     "least_on": f'{worst["rows"]} x {worst["cols"]}',
                     "largest_difference": max(r["difference"][peer] for r in mine)}
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--json")
    asked = parser.parse_args()
    results = []
    for seed in range(asked.seeds):
        results.append(race(asked.build, seed))
        r = results[-1]
        times = "  ".join(f"{name} {1e3 * t:9.3f} ms" for name, t in r["seconds"].items())
        apart = max(r["difference"].values())
        print(f'{seed:3} {r["rows"]:5} x {r["cols"]:3}  {r["condition"]:.0e}  {times}  {apart:.0e}', flush=True)
    found = {"peers": f"SciPy {scipy.__version__}, NumPy {np.__version__}, one thread",
             "summary": summary(results), "whole_process": whole_processes(asked.build, 8),
             "problems": results}
    print(json.dumps([found["summary"], found["whole_process"]], indent=1))
    if asked.json:
        Path(asked.json).write_text(json.dumps(found, indent=1) + "\n")
