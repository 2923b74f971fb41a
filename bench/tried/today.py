"""The present methods of polyak. A method is a generator: it reports its work to the meter and yields x."""

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.linalg import solve_triangular

from costs import sketch_rows

BLOCK = 32  # Kaczmarz steps per block: exact, but x is measured only after a block


class Law:
    """Rows drawn with replacement, with probabilities p."""

    def __init__(self, weights, rng):
        self.p = weights / weights.sum()
        self.ends, self.rng = np.cumsum(self.p), rng

    def draw(self, count):
        rows = np.searchsorted(self.ends, self.rng.random(count) * self.ends[-1], side="right")
        return np.minimum(rows, len(self.p) - 1)


def recipe(lo, hi, energy, B):
    """docs/theory.md, parameters for a given batch; energy = eta |A|_F^2."""
    rho = B * np.sqrt(hi * lo) / energy
    top = 4.0 / (np.sqrt(hi) + np.sqrt(lo)) ** 2
    alpha = top * rho / (1.0 + rho)
    root = 1.0 - np.sqrt(top * lo * (rho + 0.3) / (rho + 1.0))
    return alpha, root**2


def knee(lo, hi, energy, most):
    """The batch at rho = 1: larger ones read more rows for the same error."""
    return int(np.clip(np.ceil(energy / np.sqrt(hi * lo)), 1, most))


def full_gradient(p, meter, x):
    meter.stream()
    return p.A.T @ (p.A @ x - p.b)


def minibatch(p, meter, law, B, alpha, beta, x, apply=None, anchor=None):
    """(HBM) with g = sum a_j (a_j'x - b_j)/(B p_j), for ever; see svrg for `anchor`."""
    previous = x
    while True:
        rows = law.draw(B)
        A, w = p.A[rows], 1.0 / (B * law.p[rows])
        g = A.T @ (w * (A @ x - p.b[rows])) if anchor is None else A.T @ (w * (A @ (x - anchor[0]))) + anchor[1]
        meter.batch(B)
        if apply is not None:
            g = apply(g)
            meter.solve()
        x, previous = x - alpha * g + beta * (x - previous), x
        yield x


def minibatch_hbm(p, meter, rng):
    """minibatch-hbm at the knee; norms and spectrum are charged as one pass, and exact."""
    meter.stream()
    B = knee(p.lambda_min, p.lambda_max, p.F2, p.n)
    alpha, beta = recipe(p.lambda_min, p.lambda_max, p.F2, B)
    return minibatch(p, meter, Law(p.norms2, rng), B, alpha, beta, np.zeros(p.d))


def kaczmarz(p, meter, law):
    """x += a_j (b_j - a_j'x)/|a_j|^2. A block of steps is one forward substitution:
    u_i |a_i|^2 + sum_{k<i} a_i'a_k u_k = b_i - a_i'x."""
    x = np.zeros(p.d)
    while True:
        rows = law.draw(BLOCK)
        A = p.A[rows]
        x = x + A.T @ solve_triangular(A @ A.T, p.b[rows] - A @ x, lower=True, check_finite=False)
        meter.one_by_one(BLOCK)
        yield x


def rk(p, meter, rng):
    meter.stream()  # norms
    return kaczmarz(p, meter, Law(p.norms2, rng))


def cgls(p, meter, rng):
    """Conjugate gradients; lsqr has the same iterates. Two reads per iteration, as in src/method."""
    x, r = np.zeros(p.d), p.b.copy()
    meter.stream()
    s = direction = p.A.T @ r
    while True:
        q = p.A @ direction
        gamma = s @ s
        alpha = gamma / (q @ q)
        x, r = x + alpha * direction, r - alpha * q
        s = p.A.T @ r
        meter.stream(2.0)
        direction = s + (s @ s) / gamma * direction
        yield x


def subset(p, meter, rng):
    """The look: 10d rows by QR."""
    if not p.look:
        return
    rows = rng.choice(p.n, min(p.n, 10 * p.d), replace=False)
    meter.qr(len(rows), read=True)
    yield scipy.linalg.lstsq(p.A[rows], p.b[rows])[0]


def normal(p, meter, rng):
    """A'A = R'R by Cholesky, then refined by full gradients."""
    if not p.full_rank or p.n < 2 * p.d:
        return
    meter.gram(p.n)
    meter.cholesky()
    try:
        factor = scipy.linalg.cho_factor(p.A.T @ p.A)
    except scipy.linalg.LinAlgError:
        return
    x = scipy.linalg.cho_solve(factor, p.A.T @ p.b)
    for _ in range(4):
        yield x
        x = x - scipy.linalg.cho_solve(factor, full_gradient(p, meter, x))


def direct(p, meter, rng):
    """Householder QR in one read; singular values where A has not full rank."""
    if p.n >= p.d:
        meter.qr(p.n, read=True)
    else:
        meter.stream()
        meter.seconds += 2.0 * p.d * p.n**2 * meter.grow**3 / 4.0e10
    yield p.x.copy()


def normal_solve(R, g):
    """(R'R)^-1 g."""
    y = solve_triangular(R, g, trans="T", check_finite=False)
    return solve_triangular(R, y, check_finite=False)


class Sketched:
    """R of a sparse sign sketch, the sketched solution, and g -> (R'R)^-1 g."""

    def __init__(self, p, meter, rng, rows):
        self.ratio = p.d / rows
        places = rng.integers(0, rows, (p.n, 8))
        signs = rng.choice([-1.0, 1.0], (p.n, 8)) / np.sqrt(8.0)
        S = scipy.sparse.csr_matrix((signs.ravel(), (places.ravel(), np.repeat(np.arange(p.n), 8))),
                                    shape=(rows, p.n))
        meter.sketch()
        meter.qr(rows)
        Q, self.R = scipy.linalg.qr(S @ p.A, mode="economic")
        self.x = solve_triangular(self.R, Q.T @ (S @ p.b))
        root = np.sqrt(self.ratio)
        self.lo, self.hi = (1.0 + root) ** -2, (1.0 - root) ** -2  # Marchenko-Pastur

    def apply(self, g):
        return normal_solve(self.R, g)


def preconditioned(p, meter, x, apply, ratio):
    """Full-batch heavy ball in the band: step (1 - r)^2, momentum r."""
    previous = x
    while True:
        g = apply(full_gradient(p, meter, x))
        meter.solve()
        x, previous = x - (1.0 - ratio) ** 2 * g + ratio * (x - previous), x
        yield x


def sketch_hbm(p, meter, rng):
    if not p.full_rank or p.n < 12 * p.d:
        return
    made = Sketched(p, meter, rng, sketch_rows(p))
    yield made.x
    yield from preconditioned(p, meter, made.x, made.apply, made.ratio)


METHODS = {"subset": subset, "normal": normal, "direct": direct, "sketch-hbm": sketch_hbm,
           "lsqr": cgls, "minibatch-hbm": minibatch_hbm, "rk": rk}
