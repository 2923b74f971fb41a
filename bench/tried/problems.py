"""The problems: src/bench/solve_cases.cpp at a reduced size, and what is measured on them."""

import numpy as np
import scipy.linalg

ENTRIES = 20  # of a sparse row


class Problem:
    """min |Ax - b|, and its solution x, of least norm where there are many.

    dense False: A is stored as an array but costs what CSR would. look: whether auto could afford
    to solve 10d rows first at the size this case stands for.
    """

    def __init__(self, name, A, b, dense=True, look=True):
        self.name, self.A, self.b, self.dense, self.look = name, A, b, dense, look
        self.n, self.d = A.shape
        _, s, Vt = scipy.linalg.svd(scipy.linalg.qr(A, mode="r")[0][: min(A.shape)])
        kept = s > s[0] * max(A.shape) * 2.0**-52
        self.full_rank = bool(kept.all()) and self.n >= self.d
        self.W = s[kept, None] * Vt[: len(s)][kept]  # |Ae| = |We|
        self.lambda_min, self.lambda_max = s[kept][-1] ** 2, s[0] ** 2
        self.norms2 = np.einsum("ij,ij->i", A, A)
        self.F2 = float(self.norms2.sum())
        self.x = scipy.linalg.lstsq(A, b, cond=max(A.shape) * 2.0**-52, lapack_driver="gelsd")[0]
        self.r = float(np.linalg.norm(A @ self.x - b))
        self.size = float(np.linalg.norm(b))
        self.consistent = self.r <= 1e-10 * self.size

    @property
    def row_bytes(self):
        return 8.0 * self.d if self.dense else 12.0 * ENTRIES

    def errors(self, x):
        """|A(x - x*)| relative to the noise |r*| (to |b| where there is none), and how many times
        the standard tolerance 1e-8 is still missed; both from d x d matrices."""
        Ae = self.W @ (x - self.x)
        size = float(np.linalg.norm(Ae))
        r = float(np.hypot(size, self.r))
        error = size / (self.size if self.consistent else self.r)
        gradient = float(np.linalg.norm(self.W.T @ Ae)) / (np.sqrt(self.F2) * r) if r else 0.0
        residual = r / (np.sqrt(self.F2) * np.linalg.norm(x) + self.size)
        return error, min(gradient, residual) / 1e-8


def with_spectrum(rng, n, squared):
    d = len(squared)
    U = scipy.linalg.qr(rng.standard_normal((n, d)), mode="economic")[0]
    V = scipy.linalg.qr(rng.standard_normal((d, d)))[0]
    return U @ (np.sqrt(squared)[:, None] * V.T)


def algebraic(d, kappa):
    """(algebraic_spec) of the paper, rho = 1."""
    return 1.0 + np.arange(d) / (d - 1.0) * (kappa - 1.0)


def exponential(d, kappa, rho=0.8):
    """(exponential_spec) of the paper."""
    return 1.0 + np.arange(d) / (d - 1.0) * (kappa - 1.0) * rho ** (d - 1.0 - np.arange(d))


def planted(rng, name, A, noise, **traits):
    """b = A x + noise, the noise that many times as large as Ax."""
    Ax = A @ rng.standard_normal(A.shape[1])
    e = rng.standard_normal(A.shape[0])
    return Problem(name, A, Ax + noise * np.linalg.norm(Ax) / np.linalg.norm(e) * e, **traits)


def scan(views, bins, side):
    """Strip integrals of a parallel beam over 180 degrees: each pixel's mass, shared between the
    two bins next to its centre's shadow."""
    c = np.arange(side) - (side - 1) / 2.0
    X, Y = np.meshgrid(c, c)
    A = np.zeros((views, bins, side * side))
    for v, angle in enumerate(np.pi * np.arange(views) / views):
        t = (X * np.cos(angle) + Y * np.sin(angle)).ravel() * (bins - 2) / (side * np.sqrt(2)) + (bins - 1) / 2
        k = np.floor(t).astype(int)
        for bin_, share in ((k, 1 + k - t), (k + 1, t - k)):
            np.add.at(A[v], (np.clip(bin_, 0, bins - 1), np.arange(side * side)), share)
    A = A.reshape(views * bins, -1)
    return A[np.einsum("ij,ij->i", A, A) > 0]


def heavy(rng, n, d):
    A = rng.standard_normal((n, d))
    A[:: n // 20] *= 1000.0
    return A


def rare(rng, n, d):
    """One column is seen by five rows only: visible in the leverage scores, not in the row norms."""
    A = rng.standard_normal((n, d))
    A[:, 0] = 0.0
    A[:: n // 5, 0] = 3.0
    return A


def sparse(rng, n, d):
    A = np.zeros((n, d))
    for t in range(ENTRIES):
        A[np.arange(n), rng.integers(d * t // ENTRIES, d * (t + 1) // ENTRIES, n)] = rng.standard_normal(n)
    return A


def repeated(rng, n, d):
    A = rng.standard_normal((n, d))
    A[:, 7] = A[:, d - 3]
    return A


def suite(n=50000, d=50):
    """name -> a function of a generator of random numbers; n and d are the ordinary sizes."""
    made = {}

    def case(name, make, noise=0.0, **traits):
        made[name] = lambda rng: planted(rng, name, make(rng), noise, **traits)

    for kappa in (10.0, 100.0, 1e4):
        case(f"algebraic, kappa {kappa:g}", lambda rng, k=kappa: with_spectrum(rng, n, algebraic(d, k)))
    case("exponential, kappa 1e4", lambda rng: with_spectrum(rng, n, exponential(d, 1e4)))
    case("algebraic 100, noise", lambda rng: with_spectrum(rng, n, algebraic(d, 100.0)), 0.1)
    case("exponential 1e4, noise", lambda rng: with_spectrum(rng, n, exponential(d, 1e4)), 0.1)
    case("Gaussian, n = 5000d, noise", lambda rng: rng.standard_normal((2 * n, 2 * d // 5)), 0.1)
    case("Gaussian, n = 500d, noise", lambda rng: rng.standard_normal((2 * n, 4 * d)), 0.1)
    for condition in (1e6, 1e10):
        case(f"condition {condition:.0e}, noise",
             lambda rng, c=condition: with_spectrum(rng, n, np.geomspace(1.0, c**-2, 2 * d)), 0.1)
    case("20 heavy rows, noise", lambda rng: heavy(rng, n, d), 0.1)
    case("a rare column, noise", lambda rng: rare(rng, n, d), 0.1)
    case("sparse, consistent", lambda rng: sparse(rng, n, 4 * d), dense=False, look=False)
    case("sparse, noise", lambda rng: sparse(rng, n, 4 * d), 0.1, dense=False, look=False)
    case("tomography, noise", lambda rng: scan(n // 250, 2 * d // 5 + 5, int((4 * d) ** 0.5)), 0.01,
         look=False)
    case("n = 10d, kappa 100", lambda rng: with_spectrum(rng, 40 * d, algebraic(4 * d, 100.0)), look=False)
    case("two equal columns, noise", lambda rng: repeated(rng, n, d), 0.1, look=False)
    case("wide", lambda rng: rng.standard_normal((2 * d, 4 * d)), look=False)
    return made
