"""run.py [--small | --horizon | --show CSV] [--only TEXT] [--method TEXT] [--seeds N] [--jobs N] [--csv FILE]

Every method on every problem: the rows it reads, in passes over A, until |A(x - x*)| is 1e-1, 1e-2
and 1e-4 of the noise |r*| (of |b| on consistent data), and until the standard tolerance 1e-8 is met
with |A(x - x*)| below 1e-6 of it; medians over the seeds. Set-up counts, checks of x do not: each
method would need the same final check. --small solves tiny problems and compares each method with
its theory; --horizon measures tail averaging; --show prints the tables of a CSV again.
"""

import argparse
import contextlib
import datetime
import functools
import multiprocessing
import sys

try:
    import numpy as np
    import scipy
except ImportError as error:
    print(f"{error}; Debian has python3-numpy and python3-scipy")
    sys.exit(77)

import averaged
import consistent
import growing
import horizon
import one_read
import problems
import sampled_rows
import small
import tables
import today
from costs import Meter

METHODS = {name: method for part in (today, averaged, growing, consistent,
                                               sampled_rows, one_read)
           for name, method in part.METHODS.items()}
WORTH_A_LOOK = 1.02  # rows grow by this before x is measured again
FEW_ROWS = 1e5       # on small problems more passes than the cap are quick


def reached(error, missed):
    return [error <= 1e-1, error <= 1e-2, error <= 1e-4, missed <= 1.0 and error <= 1e-6]


def trial(method, problem, rng, cap, means):
    """For each target (passes, seconds, seconds with 1000 columns); infinite where not reached. Steps
    of many rows are quick to simulate and may run fifty times as far; tail means decrease too slowly for this."""
    meter, found = Meter(problem), [None] * len(tables.TARGETS)
    with np.errstate(all="ignore"), contextlib.suppress(np.linalg.LinAlgError):  # rows of low rank
        for error, missed in path(method(problem, meter, rng) or (), problem, meter, cap, means):
            for i, there in enumerate(reached(error, missed)):
                if there and found[i] is None:
                    found[i] = (meter.passes, *meter.seconds)
            if found[-1]:
                break
    return np.array([f or (np.inf,) * 3 for f in found])


def path(iterates, problem, meter, cap, means):
    """The errors of x as rows are read, until the cap, divergence or stagnation."""
    look, before, most, best, since = 0.0, 0.0, max(cap * problem.n, FEW_ROWS), np.inf, 0.0
    for x in iterates:
        quick = not means and meter.rows - before >= problem.n / 300.0
        far, before = meter.rows > (50.0 * most if quick else most), meter.rows
        if far or not np.isfinite(x).all():
            return
        if meter.rows < look:
            continue
        look = WORTH_A_LOOK * meter.rows
        error, missed = problem.errors(x)
        yield error, missed
        if error < 0.9 * best:
            best, since = error, meter.passes
        if error > 1e8 or meter.passes > max(10.0, 2.5 * since):
            return


def race(args, number):
    """One problem: its name and sizes, and (method, medians by target) of each."""
    name, make = list(problems.suite().items())[number]
    chosen = [(i, m) for i, m in enumerate(METHODS) if args.method in m]
    runs = {m: [] for _, m in chosen}
    for s in range(args.seeds):
        p = make(np.random.default_rng([args.seed, number, s]))
        for i, m in chosen:
            rng = np.random.default_rng([args.seed, number, s, i])
            runs[m].append(trial(METHODS[m], p, rng, args.cap, "tail mean" in m))
    return name, p.n, p.d, [(m, np.median(v, axis=0)) for m, v in runs.items()]


def races(args):
    numbers = [i for i, name in enumerate(problems.suite()) if args.only in name]
    with multiprocessing.Pool(args.jobs) as pool:
        yield from pool.imap(functools.partial(race, args), numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--horizon", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--method", default="")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1964)
    parser.add_argument("--cap", type=float, default=4.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    parser.add_argument("--show", metavar="CSV")
    args = parser.parse_args()
    if args.small:
        return small.check_all()
    if args.horizon:
        horizon.table(args)
        return 0
    if args.show:
        found = tables.read(args.show)
        for table in found:
            tables.show(*table)
        tables.best(found, today.METHODS)
        return 0
    print(f"{datetime.date.today()}, seed {args.seed}, medians of {args.seeds}, at most {args.cap:g} "
          f"passes; NumPy {np.__version__}, SciPy {scipy.__version__}")
    done = []
    for table in races(args):
        tables.show(*table)
        done.append(table)
        if args.csv:
            tables.save(args.csv, done)
    tables.best(done, today.METHODS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
