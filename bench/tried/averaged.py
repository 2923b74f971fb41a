"""Minibatches whose noise is averaged or subtracted: tail means, SVRG, and both on the problem that a
sketch has preconditioned."""

import numpy as np
from scipy.linalg import solve_triangular

from today import Law, Sketched, full_gradient, kaczmarz, knee, minibatch, minibatch_hbm, recipe, rk

SCORES = 8  # random vectors for the norms of the preconditioned rows


def tail(iterates):
    """Tail averaging: (x_{k/2+1} + ... + x_k)/(k - k/2), at every k and without knowing the last
    one. Sums are kept at every q-th k, q doubling, so that at most 256 of them are."""
    sums, q, total = [0.0], 1, 0.0
    for k, x in enumerate(iterates, 1):
        total = total + x
        if k % q:
            continue
        sums.append(total)
        half = (len(sums) - 1) // 2
        yield (sums[-1] - sums[half]) / ((len(sums) - 1 - half) * q)
        if len(sums) > 256:
            sums, q = sums[::2], 2 * q


def rk_uniform(p, meter, rng):
    """Needs no norms beforehand. On noisy data its limit is that of unit rows, another problem."""
    return kaczmarz(p, meter, Law(np.where(p.norms2 > 0.0, 1.0, 0.0), rng))


def rk_tail(p, meter, rng):
    return tail(rk(p, meter, rng))


def minibatch_tail(p, meter, rng):
    return tail(minibatch_hbm(p, meter, rng))


def svrg_epochs(p, meter, law, B, alpha, beta, x, steps, apply=None):
    """x~ <- the tail mean of `steps` steps with g = sum a_j a_j'(x - x~)/(B p_j) + A'(Ax~ - b): the
    noise is that of e - e~, so it goes when x~ converges, and no horizon is left."""
    while True:
        anchor = (x, full_gradient(p, meter, x))
        inner = minibatch(p, meter, law, B, alpha, beta, x, apply, anchor)
        mean = np.zeros(p.d)
        for k in range(steps):
            point = next(inner)
            if k >= steps // 2:
                mean += point / (steps - steps // 2)
            elif not np.isfinite(point[0]):
                return
        x = mean
        yield x


def svrg_hbm(p, meter, rng):
    """Inner loops of a pass, or of as many rows as the slowest direction needs, 4 |A|_F^2/lambda_min."""
    meter.stream()
    B = knee(p.lambda_min, p.lambda_max, p.F2, p.n)
    alpha, beta = recipe(p.lambda_min, p.lambda_max, p.F2, B)
    rows = max(p.n, 8.0 * p.F2 / p.lambda_min)
    if rows > 30 * p.n:
        return
    return (yield from svrg_epochs(p, meter, Law(p.norms2, rng), B, alpha, beta, np.zeros(p.d),
                                   int(np.ceil(rows / B))))


class Leverage:
    """The sketch-preconditioned problem in minibatches: rows drawn half uniformly, half by the
    norms of a_j R^-1 as SCORES random vectors estimate them; eta <= 2 but for that estimate."""

    def __init__(self, p, meter, rng, rows):
        self.made = Sketched(p, meter, rng, rows)
        G = rng.standard_normal((p.d, SCORES)) / np.sqrt(SCORES)
        norms2 = np.einsum("ij,ij->i", *2 * [p.A @ solve_triangular(self.made.R, G)])
        meter.scores(SCORES)  # with the first full read after R: no pass of its own
        self.energy = 2.0 * norms2.sum()
        self.law = Law(0.5 * norms2.sum() / p.n + 0.5 * norms2, rng)
        self.B = knee(self.made.lo, self.made.hi, self.energy, p.n)

    def parameters(self, B=None):
        return recipe(self.made.lo, self.made.hi, self.energy, B or self.B)


def leverage_for(p, meter, rng, ratio=4):
    return Leverage(p, meter, rng, max(96, ratio * p.d)) if p.full_rank and p.n >= 12 * p.d else None


def sketch_minibatch(p, meter, rng, average=False):
    """minibatch-hbm on A R^-1, with its horizon or (average) tail averaged."""
    made = leverage_for(p, meter, rng)
    if made is None:
        return
    meter.stream()  # the scores need a read of their own here
    alpha, beta = made.parameters()
    steps = minibatch(p, meter, made.law, made.B, alpha, beta, made.made.x, made.made.apply)
    yield from tail(steps) if average else steps


def sketch_tail(p, meter, rng):
    return sketch_minibatch(p, meter, rng, average=True)


def sketch_svrg(p, meter, rng):
    """SVRG on A R^-1: each epoch a full gradient and n/4 sampled rows, for about sqrt(8d/n)."""
    made = leverage_for(p, meter, rng)
    if made is None:
        return
    alpha, beta = made.parameters()
    steps = max(8, p.n // (4 * made.B))
    yield made.made.x
    yield from svrg_epochs(p, meter, made.law, made.B, alpha, beta, made.made.x, steps, made.made.apply)


METHODS = {"rk, uniform": rk_uniform, "rk, tail mean": rk_tail, "minibatch-hbm, tail mean": minibatch_tail,
           "svrg-hbm": svrg_hbm, "sketch-minibatch": sketch_minibatch,
           "sketch-minibatch, tail mean": sketch_tail, "sketch-svrg": sketch_svrg}
