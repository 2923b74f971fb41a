"""A few sampled rows in place of a sketch: alternatives to averaging and to sketch-hbm."""

import numpy as np
import scipy.linalg
from scipy.linalg import solve_triangular

from averaged import tail
from costs import Meter
from today import Law, knee, minibatch, normal_solve, preconditioned, recipe


def look_tail(p, meter, rng):
    """The look's R (10d rows by QR) preconditions uniform minibatches, tail averaged: no pass at all.
    eta = 1.5 assumes rows of similar leverage; it is too small for coherent rows."""
    if not p.full_rank or not p.look or p.n < 20 * p.d:
        return
    rows = rng.choice(p.n, 10 * p.d, replace=False)
    meter.qr(len(rows), read=True)
    Q, R = scipy.linalg.qr(np.sqrt(p.n / len(rows)) * p.A[rows], mode="economic")
    x = solve_triangular(R, Q.T @ (np.sqrt(p.n / len(rows)) * p.b[rows]))
    yield x
    lo, hi, energy = (1.0 + 0.1**0.5) ** -2, (1.0 - 0.1**0.5) ** -2, 1.5 * p.d / 0.9
    B = knee(lo, hi, energy, p.n)
    alpha, beta = recipe(lo, hi, energy, B)
    steps = minibatch(p, meter, Law(np.ones(p.n), rng), B, alpha, beta, x, lambda g: normal_solve(R, g))
    yield from tail(steps)


def subset_gram(p, meter, rng):
    """The alternative to averaging: normal equations of 10d, 20d, 40d, ... rows drawn uniformly."""
    if not p.full_rank or not p.look:
        return
    order, done = rng.permutation(p.n), 0
    H, c, count = np.zeros((p.d, p.d)), np.zeros(p.d), 10 * p.d
    while done < p.n:
        rows = order[done:count]
        H, c, done = H + p.A[rows].T @ p.A[rows], c + p.A[rows].T @ p.b[rows], done + len(rows)
        meter.gram(len(rows))
        meter.cholesky()
        yield np.linalg.lstsq(H, c, rcond=None)[0]
        count = min(p.n, 2 * count)


class Sampled:
    """R'R = the Gram matrix of m rows, half drawn uniformly and half by norm, m by cost; where it
    has no Cholesky factor, R by QR of 12d of them. The norms cost a pass."""

    def __init__(self, p, meter, rng, m):
        p_j = 0.5 / p.n + 0.5 * p.norms2 / p.F2
        rows = Law(p_j, rng).draw(m)
        scale = 1.0 / np.sqrt(m * p_j[rows])
        A, b = scale[:, None] * p.A[rows], scale * p.b[rows]
        meter.gram(m)
        meter.cholesky()
        try:
            self.R = scipy.linalg.cholesky(A.T @ A)
            if np.ptp(np.log(np.diag(self.R))) > np.log(1e6):
                raise scipy.linalg.LinAlgError
            self.ratio, self.x = p.d / m, self.apply(A.T @ b)
        except scipy.linalg.LinAlgError:
            few = min(m, 12 * p.d)
            meter.qr(few)
            Q, self.R = scipy.linalg.qr(np.sqrt(m / few) * A[:few], mode="economic")
            self.ratio, self.x = p.d / few, solve_triangular(self.R, np.sqrt(m / few) * Q.T @ b[:few])

    @staticmethod
    def of(p, meter, rng):
        if not p.full_rank or p.n < 40 * p.d:
            return None
        meter.stream()
        return Sampled(p, meter, rng, rows_for_gram(p))

    def apply(self, g):
        return normal_solve(self.R, g)


def rows_hbm(p, meter, rng):
    """sketch-hbm with sampled rows in place of a sketch; the band is that of m/1.2 rows."""
    made = Sampled.of(p, meter, rng)
    if made is None:
        return
    yield made.x
    yield from preconditioned(p, meter, made.x, made.apply, 1.2 * made.ratio)


def rows_for_gram(p, efolds=np.log(1e8), at=1):
    """By cost for 1000 columns: with few columns the whole Gram matrix is cheap."""
    best = None
    for m in p.d * np.array([10, 20, 40, 80, 160]):
        if 4 * m > p.n:
            break
        meter = Meter(p)
        meter.gram(m)
        meter.stream(efolds / (0.5 * np.log(m / p.d)))
        if best is None or meter.seconds[at] < best[0]:
            best = (meter.seconds[at], int(m))
    return best[1]


METHODS = {"look, tail mean": look_tail, "subset-gram": subset_gram, "rows-hbm": rows_hbm}
