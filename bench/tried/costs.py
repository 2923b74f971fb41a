"""Rows read, and the seconds src/method/costs.cpp would predict for them."""

import numpy as np

STREAM_BYTES, SPARSE_BYTES, ONE_CORE_BYTES = 2.5e10, 1.2e10, 8e9
GRAM_FLOPS, FACTOR_FLOPS, SKETCH_ADDS = 1.1e11, 4.0e10, 6.0e9
ROW_SECONDS = 5e-8
RATIOS = (3.0, 4.0, 6.0, 8.0, 12.0)
ROWS_OF_AN_ITERATION = 50.0  # src/solve/plan/basis.cpp: drawing, the update, synchronising the threads
CACHED_FLOPS = 1e10          # triangular solves of one vector, the factor in cache; assumed here


class Meter:
    """Counts twice: for the problem as it is, and for one of the same n/d with 1000 columns, where
    every row count here, being a multiple of d, grows with d."""

    def __init__(self, problem):
        self.n, self.d = problem.n, float(problem.d)
        self.grow = np.array([1.0, 1000.0 / problem.d])
        self.row = problem.row_bytes * (self.grow if problem.dense else 1.0)
        self.bandwidth = STREAM_BYTES if problem.dense else SPARSE_BYTES
        self.rows, self.seconds = 0.0, np.zeros(2)

    @property
    def passes(self):
        return self.rows / self.n

    def _rows(self, rows, flops_a_row=0.0, rate=1.0, read=True):
        """Rows in order, or from a list: limited by memory bandwidth or by arithmetic."""
        self.rows += rows if read else 0.0
        scaled = rows * self.grow
        self.seconds += np.maximum(scaled * self.row / self.bandwidth if read else 0.0,
                                   scaled * flops_a_row / rate)

    def stream(self, passes=1.0):
        self._rows(passes * self.n)

    def batch(self, rows):
        self._rows(rows)
        self.seconds += ROWS_OF_AN_ITERATION * self.row / self.bandwidth

    def one_by_one(self, rows):
        self.rows += rows
        self.seconds += rows * self.grow * (self.row / ONE_CORE_BYTES + ROW_SECONDS)

    def gram(self, rows):
        self._rows(rows, (self.d * self.grow) * (self.d * self.grow + 1.0), GRAM_FLOPS)

    def small_gram(self, rows):
        """A_S A_S' of a block of rows in memory."""
        self.seconds += (rows * self.grow) ** 2 * self.d * self.grow / GRAM_FLOPS

    def sketch(self):
        self._rows(self.n, 8.0 * (self.d * self.grow + 1.0), SKETCH_ADDS)

    def scores(self, columns):
        """Products with further vectors during a read of the rows: no extra read."""
        self._rows(self.n, 2.0 * self.d * self.grow * columns, GRAM_FLOPS, read=False)

    def qr(self, rows, read=False):
        self._rows(rows if read else 0.0)
        self.seconds += 2.0 * rows * self.grow * (self.d * self.grow) ** 2 / FACTOR_FLOPS

    def cholesky(self, size=None):
        self.seconds += ((size or self.d) * self.grow) ** 3 / 3.0 / FACTOR_FLOPS

    def solve(self, size=None):
        """R'R y = g for one g."""
        self.seconds += 2.0 * ((size or self.d) * self.grow) ** 2 / CACHED_FLOPS


def sketch_rows(problem, efolds=np.log(1e8), at=0):
    """Costs::sketch_rows: s between 3d and 12d, by cost; at 1 for the problem with 1000 columns."""
    best = None
    for ratio in RATIOS:
        meter = Meter(problem)
        meter.qr(ratio * problem.d)
        meter.stream(1.0 + efolds / (0.5 * np.log(ratio)))
        if best is None or meter.seconds[at] < best[0]:
            best = (meter.seconds[at], ratio)
    return int(max(96, np.ceil(best[1] * problem.d)))
