"""bounded_least_squares.py: writes bounded_least_squares.json beside itself: what SciPy's
nnls and lsq_linear(method="bvls") answer on 60 problems that tests/method/active_set.cpp
makes again from the seed, number by number. Every number is a small multiple of a power
of two, so that both sides have the same bits.
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import lsq_linear, nnls

HERE = Path(__file__).resolve().parent


class Draws:
    """A linear congruential generator: 21 bits of it, between -1 and 1."""

    def __init__(self, seed):
        self.state = seed

    def integer(self, below):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 43) % below

    def number(self):
        return (self.integer(2**21) - 2**20) / 2**20


def problem(seed):
    draws = Draws(seed)
    d = 1 + draws.integer(24)
    n = d + 1 + draws.integer(60)
    A = np.array([[draws.number() for _ in range(d)] for _ in range(n)])
    b = np.array([draws.number() for _ in range(n)])
    if seed % 4 == 1:  # neighbours that hardly differ
        for j in range(1, d, 2):
            A[:, j] = A[:, j - 1] + A[:, j] / 256
    if seed % 4 == 2:  # other units
        for j in range(d):
            A[:, j] *= 2.0 ** (draws.integer(9) - 4)
    if seed % 4 == 3:  # little noise
        x = np.array([draws.integer(7) - 3.0 for _ in range(d)])
        b = A @ x + b / 1024
    lower, upper = np.full(d, -np.inf), np.full(d, np.inf)
    for j in range(d):
        middle, width = draws.number(), 1 + draws.integer(2**10)
        sides = draws.integer(8)  # 0: none, 1 and 2: one of them
        if sides not in (0, 1):
            lower[j] = middle - width / 2**10
        if sides not in (0, 2):
            upper[j] = middle + width / 2**10
    return A, b, lower, upper


def answers(seed):
    A, b, lower, upper = problem(seed)
    bvls = lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-15, max_iter=10000)
    return {"seed": seed, "nnls": list(nnls(A, b, maxiter=10000)[0]), "bvls": list(bvls.x)}


if __name__ == "__main__":
    out = {"made_by": f"SciPy {scipy.__version__}, NumPy {np.__version__}",
           "problems": [answers(seed) for seed in range(1, 61)]}
    lines = ",\n".join(json.dumps(p) for p in out["problems"])
    (HERE / "bounded_least_squares.json").write_text(
        f'{{"made_by": {json.dumps(out["made_by"])},\n"problems": [\n{lines}\n]}}\n')
