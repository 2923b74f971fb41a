"""Growing batches at the horizon, and the alternative: a change of method at the horizon."""

import numpy as np

from averaged import leverage_for
from today import Law, Sketched, full_gradient, knee, minibatch, preconditioned, recipe


class Flat:
    """Detects a plateau without extra reads: the mean |g_B|^2 of a window of steps against that of
    the window before."""

    def __init__(self, window):
        self.window, self.sum, self.count, self.before = window, 0.0, 0, np.inf

    def reached(self, size):
        self.sum, self.count = self.sum + size * size, self.count + 1
        if self.count < self.window:
            return False
        mean, self.sum, self.count = self.sum / self.count, 0.0, 0
        flat, self.before = mean > 0.7 * self.before, mean
        return flat


def growing(p, meter, law, lo, hi, energy, B, x, apply=None, factor=4):
    """Each batch until its horizon, then one `factor` times as large (horizon / 2) with step and
    momentum of its own; past n/2 rows full gradients."""
    while B <= p.n / 2:
        alpha, beta = recipe(lo, hi, energy, B)
        flat, previous = Flat(int(np.ceil(2.0 / (1.0 - np.sqrt(beta))))), x
        for x in minibatch(p, meter, law, B, alpha, beta, x, apply):
            yield x
            if flat.reached(np.linalg.norm(x - previous)):
                break
            previous = x
        B *= factor
    top = 4.0 / (np.sqrt(hi) + np.sqrt(lo)) ** 2
    beta = ((np.sqrt(hi) - np.sqrt(lo)) / (np.sqrt(hi) + np.sqrt(lo))) ** 2
    previous = x
    while True:
        g = full_gradient(p, meter, x)
        g = apply(g) if apply else g
        x, previous = x - top * g + beta * (x - previous), x
        yield x


def grow_hbm(p, meter, rng):
    meter.stream()
    B = knee(p.lambda_min, p.lambda_max, p.F2, p.n)
    return growing(p, meter, Law(p.norms2, rng), p.lambda_min, p.lambda_max, p.F2, B, np.zeros(p.d))


def sketch_grow(p, meter, rng):
    made = leverage_for(p, meter, rng, ratio=12)
    if made is None:
        return
    meter.stream()
    yield from growing(p, meter, made.law, made.made.lo, made.made.hi, made.energy, made.B, made.made.x,
                       made.made.apply)


def horizon_then_sketch(p, meter, rng):
    """The alternative to a growing batch: minibatch-hbm to its horizon, then sketch-hbm from that x."""
    if not p.full_rank or p.n < 12 * p.d:
        return
    meter.stream()
    B = knee(p.lambda_min, p.lambda_max, p.F2, p.n)
    alpha, beta = recipe(p.lambda_min, p.lambda_max, p.F2, B)
    flat = Flat(int(np.ceil(2.0 / (1.0 - np.sqrt(beta)))))
    previous = np.zeros(p.d)
    for x in minibatch(p, meter, Law(p.norms2, rng), B, alpha, beta, previous):
        yield x
        if flat.reached(np.linalg.norm(x - previous)):
            break
        previous = x
    made = Sketched(p, meter, rng, 12 * p.d)
    yield from preconditioned(p, meter, x, made.apply, made.ratio)


METHODS = {"growing batch": grow_hbm, "horizon, then sketch-hbm": horizon_then_sketch,
           "sketch-grow": sketch_grow}
