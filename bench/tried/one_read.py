"""Conjugate gradients that read A once per iteration, alone and preconditioned by sampled rows."""

import numpy as np

from sampled_rows import Sampled
from today import full_gradient

RENEWED = 1e-5  # decrease of the gradient after which it is recomputed from A


def conjugate_gradients(p, meter, x, apply=lambda g: g):
    """On A'A x = A'b: with q = A'(A v) from one fused read, alpha = s'z/(v'q), x += alpha v,
    s -= alpha q, z = P s. s is a recursion; after a large decrease it is replaced by -A'(Ax - b)."""
    s = -full_gradient(p, meter, x)
    z = apply(s)
    v, rho, size = z, s @ z, np.linalg.norm(s)
    while rho > 0.0:
        q = p.A.T @ (p.A @ v)
        meter.stream()
        alpha = rho / (v @ q)
        x, s = x + alpha * v, s - alpha * q
        if np.linalg.norm(s) < RENEWED * size:
            s = -full_gradient(p, meter, x)
            size = np.linalg.norm(s)
        z = apply(s)
        rho, before = s @ z, rho
        v = z + rho / before * v
        yield x


def cg(p, meter, rng):
    return conjugate_gradients(p, meter, np.zeros(p.d))


def rows_cg(p, meter, rng):
    """The preconditioner of rows-hbm; no estimate of the resulting spectrum is needed."""
    made = Sampled.of(p, meter, rng)
    if made is None:
        return
    yield made.x
    for x in conjugate_gradients(p, meter, made.x, made.apply):
        meter.solve()
        yield x


METHODS = {"cg, one read": cg, "rows-cg": rows_cg}
