"""Each method on a tiny problem, compared with its theory. A few seconds."""

import itertools

import numpy as np

import averaged
import consistent
import growing
import one_read
import problems
import sampled_rows
import today
from costs import Meter, sketch_rows

N, D, KAPPA = 4000, 12, 20.0


def made(noise, seed=0, n=N, d=D, kappa=KAPPA):
    rng = np.random.default_rng([7, seed])
    return problems.planted(rng, "small", problems.with_spectrum(rng, n, problems.algebraic(d, kappa)), noise)


def run(method, p, seed=0, cap=60.0):
    """(passes, relative error) wherever the method shows an x, until the tolerance or the cap."""
    meter, out = Meter(p), []
    for x in method(p, meter, np.random.default_rng([8, seed])):
        error, missed = p.errors(x)
        out.append((meter.passes, error))
        if missed <= 1.0 or meter.passes > cap:
            break
    return np.array(out)


def converges(method, noise):
    p = made(noise)
    return p.errors(last(method, p))[1] <= 1.0


def last(method, p, cap=60.0):
    meter = Meter(p)
    for x in method(p, meter, np.random.default_rng(9)):
        if p.errors(x)[1] <= 1.0 or meter.passes > cap:
            break
    return x


def mean_square(iterates, p, first, count):
    """The mean of |x_k - x*|^2 over `count` iterates after the `first`."""
    return np.mean([np.sum((x - p.x) ** 2) for x in itertools.islice(iterates, first, first + count)])


def kaczmarz_keeps_its_bound():
    """E|e_k|^2 <= (1 - lambda_min/|A|_F^2)^k |e_0|^2; the mean of 20 runs, with room for its scatter."""
    p, steps = made(0.0), 640
    ends = [next(itertools.islice(today.rk(p, Meter(p), np.random.default_rng(s)), steps // today.BLOCK - 1, None))
            for s in range(20)]
    bound = (1.0 - p.lambda_min / p.F2) ** steps * np.sum(p.x**2)
    return np.mean([np.sum((x - p.x) ** 2) for x in ends]) <= 2.0 * bound


def horizon_falls_as_one_over_root_batch():
    """At one step and momentum E|e|^2 falls with 1/B at the horizon: 4 times the rows."""
    p, levels = made(0.3), []
    alpha, beta = today.recipe(p.lambda_min, p.lambda_max, p.F2, 100)
    for B in (100, 400):
        law = today.Law(p.norms2, np.random.default_rng(3))
        levels.append(mean_square(today.minibatch(p, Meter(p), law, B, alpha, beta, p.x), p, 200, 3000))
    return 3.0 <= levels[0] / levels[1] <= 6.0


def tail_mean_beats_the_horizon():
    """16 times the rows divide its error by about 4 (O(k^-1/2)), while iterates keep their distance."""
    p, means = made(0.3), []
    for steps in (256, 4096):
        ends = [list(averaged.tail(itertools.islice(today.minibatch_hbm(p, Meter(p), np.random.default_rng(s)), steps)))
                for s in range(6)]
        means.append(np.mean([p.errors(xs[-1])[0] ** 2 for xs in ends]))
    return 2.0 <= np.sqrt(means[0] / means[1]) <= 8.0


def sketched_rate_is_that_of_the_band():
    """sketch-hbm takes sqrt(d/s) off the error in each pass; k sqrt(r)^k at worst."""
    p = made(0.3, n=20000, d=40)
    path = run(today.sketch_hbm, p)
    rate = (path[-1, 1] / path[1, 1]) ** (1.0 / (path[-1, 0] - path[1, 0]))
    root = np.sqrt(p.d / sketch_rows(p))
    return 0.7 * root <= rate <= 1.5 * root


def scores_are_leverage():
    """The preconditioned rows' squared norms sum to about d/(1 - r), r = d/s."""
    p = made(0.1, n=20000, d=40)
    lev = averaged.leverage_for(p, Meter(p), np.random.default_rng(1))
    return abs(0.5 * lev.energy * (1.0 - lev.made.ratio) / p.d - 1.0) <= 0.25


def full_ashbm_is_conjugate_gradients():
    """With all rows ASHBM ends after d steps, but for rounding."""
    p = made(0.0)
    x = next(itertools.islice(consistent.ashbm(p, Meter(p), np.random.default_rng(0), B=p.n), p.d - 1, None))
    return p.errors(x)[0] <= 1e-6


def first_step_of_kaczmarz_pp_overshoots_by_half():
    """A block of d equations makes w = e; the momentum takes w/2 more: |e_1| = |e_0| k/(2d)."""
    p = made(0.0)
    x = next(consistent.kaczmarz_pp(p, Meter(p), np.random.default_rng(0), k=p.d))
    return abs(p.errors(x)[0] - 0.5) <= 1e-4


def one_read_is_cgls():
    """The same Krylov space: the iterates of CGLS, but for rounding."""
    p = made(0.2)
    both = zip(today.cgls(p, Meter(p), None), one_read.cg(p, Meter(p), None))
    return all(np.linalg.norm(a - b) <= 1e-9 * np.linalg.norm(p.x) for a, b in itertools.islice(both, 8))


def check_all():
    consistent_only = {"subset", "minibatch-hbm", "rk", "rk, uniform", "rk, tail mean", "minibatch-hbm, tail mean",
                       "sketch-minibatch", "sketch-minibatch, tail mean", "look, tail mean", "ashbm", "kaczmarz++"}
    checks = [(f"{name} meets the tolerance on {what} data", lambda m=method, noise=noise: converges(m, noise))
              for part in (today, averaged, growing, consistent, sampled_rows, one_read)
              for name, method in part.METHODS.items()
              for what, noise in (("consistent", 0.0), ("noisy", 0.2)) if not noise or name not in consistent_only]
    checks += [(f.__name__.replace("_", " "), f)
               for f in (kaczmarz_keeps_its_bound, horizon_falls_as_one_over_root_batch, tail_mean_beats_the_horizon,
                         sketched_rate_is_that_of_the_band, scores_are_leverage, full_ashbm_is_conjugate_gradients,
                         first_step_of_kaczmarz_pp_overshoots_by_half, one_read_is_cgls)]
    failed = 0
    for name, check in checks:
        ok = bool(check())
        failed += not ok
        print("ok     " if ok else "FAILED ", name, flush=True)
    return 1 if failed else 0
