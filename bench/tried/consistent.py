"""Methods for consistent equations: momentum without eigenvalues, and block Kaczmarz."""

import numpy as np
import scipy.linalg

from today import Law


def ashbm(p, meter, rng, B=None):
    """ASHBM: with r = A_S x - b_S, g = A_S'r, D = x - x_previous, det = |g|^2|D|^2 - (g'D)^2,
    alpha = |r|^2|D|^2/det and beta = |r|^2 g'D/det minimise |x+ - x*| where the rows of S hold."""
    law = Law(np.full(p.n, 1.0), rng)  # no norms needed
    x, step = np.zeros(p.d), np.zeros(p.d)
    B = B or min(p.n, p.d)
    while True:
        rows = law.draw(B) if B < p.n else np.arange(p.n)
        r = p.A[rows] @ x - p.b[rows]
        g = p.A[rows].T @ r
        meter.batch(B)
        rr, gg, ss, gs = r @ r, g @ g, step @ step, g @ step
        det = gg * ss - gs * gs
        if gg == 0.0:
            yield x
            continue
        if det <= 1e-12 * gg * ss or ss == 0.0:
            step = -rr / gg * g
        else:
            step = (-rr * ss * g + rr * gs * step) / det
        x = x + step
        yield x


def kaczmarz_pp(p, meter, rng, k=None):
    """Kaczmarz++: w = A_S'(A_S A_S' + mu I)^-1 (A_S x - b_S), m <- mom (m + w), x <- x - w - (k/2d) m,
    mom = (1 - rho)/(1 + rho), and rho, the rate, from the residuals of the blocks themselves."""
    k = k or max(4, p.d // 4)
    q = int(round(p.d / k + 1))
    x, m, rho, ratio, count, t, stored = np.zeros(p.d), np.zeros(p.d), 0.0, 1.0, 0, 0, []
    halves = [0.0, 0.0]
    while True:
        t += 1
        if rng.random() < min(1.0, p.d * np.log(p.d) / (k * t)) or not stored:
            rows = rng.choice(p.n, k, replace=False)
            G = p.A[rows] @ p.A[rows].T
            G[np.diag_indices(k)] += 1e-8 * np.trace(G) / k
            stored.append((rows, scipy.linalg.cho_factor(G, check_finite=False)))
            meter.small_gram(k)
            meter.cholesky(k)
            rows, factor = stored[-1]
        else:
            rows, factor = stored[rng.integers(len(stored))]
        r = p.A[rows] @ x - p.b[rows]
        w = p.A[rows].T @ scipy.linalg.cho_solve(factor, r, check_finite=False)
        meter.batch(k)
        meter.solve(k)
        m = (1.0 - rho) / (1.0 + rho) * (m + w)
        x = x - w - k / (2.0 * p.d) * m
        halves[(t - 1) % (2 * q) // q] += r @ r
        if t % (2 * q) == 0:
            count += 1
            fade = np.exp(np.log(count) ** 2 - np.log(count + 1) ** 2)
            ratio = ratio * fade + min(1.0, halves[1] / halves[0] if halves[0] else 1.0) * (1.0 - fade)
            rho, halves = max(0.0, 1.0 - ratio ** (1.0 / q)), [0.0, 0.0]
        yield x


METHODS = {"ashbm": ashbm, "kaczmarz++": kaczmarz_pp}
