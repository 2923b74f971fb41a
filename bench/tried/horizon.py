"""How far tail averaging lowers the horizon: |A(x - x*)|/|r*| of the last iterates and of the tail
mean after a given number of passes of sampled rows, without set-up; medians over the seeds."""

import numpy as np

import averaged
import problems
import today
from costs import Meter

PASSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def both(p, B, seed):
    """The root mean square error of the last quarter of the iterates, and the tail mean's."""
    alpha, beta = today.recipe(p.lambda_min, p.lambda_max, p.F2, B)
    law = today.Law(p.norms2, np.random.default_rng([seed, B]))
    kept = []

    def seen():
        for x in today.minibatch(p, Meter(p), law, B, alpha, beta, np.zeros(p.d)):
            kept.append(x)
            yield x

    means, plain = [], []
    for mean in averaged.tail(seen()):
        if len(kept) >= PASSES[len(means)] * p.n / B:
            means.append(p.errors(mean)[0])
            plain.append(np.sqrt(np.mean([p.errors(x)[0] ** 2 for x in kept[-len(kept) // 4:]])))
            if len(means) == len(PASSES):
                return plain, means


def table(args):
    print("| problem | batch | x | " + " | ".join(f"{f:g} passes" for f in PASSES) + " |")
    print("| --- | --: | --- " + "| --: " * len(PASSES) + "|")
    names = [n for n in problems.suite() if n in ("algebraic 100, noise", "exponential 1e4, noise")]
    for name in names:
        number = list(problems.suite()).index(name)
        made = [problems.suite()[name](np.random.default_rng([args.seed, number, s])) for s in range(args.seeds)]
        p = made[0]
        knee = today.knee(p.lambda_min, p.lambda_max, p.F2, p.n)
        for B in (knee, 8 * knee):
            runs = np.median([both(q, B, args.seed + s) for s, q in enumerate(made)], axis=0)
            for what, row in zip(("iterates", "tail mean"), runs):
                print(f"| {name} | {B} | {what} | " + " | ".join(f"{v:.2g}" for v in row) + " |", flush=True)
