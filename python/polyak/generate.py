"""Problems with a known solution: those of the paper's experiments, and others for tests.

Everything is a function of the arguments and the seed, with the same bits for any number of
threads.

    >>> import polyak
    >>> problem = polyak.generate.spectrum(2000, 20, kappa=50.0, seed=3)
    >>> report = polyak.solve(problem.A, problem.b, reference=problem.x)
    >>> report.error < 1e-8
    True
"""

from typing import Any, NamedTuple

import numpy as np

from . import _core

_generate = _core.generate


class Problem(NamedTuple):
    """A generated problem. A is a read-only NumPy array, or a SciPy CSR array."""

    A: Any
    b: np.ndarray
    x_planted: np.ndarray  #: b is A x_planted plus the noise
    x: np.ndarray  #: the least squares solution
    residual_norm: float  #: |A x - b|
    squared_singular_values: np.ndarray  #: eigenvalues of A'A; empty where they are not known


def _problem(made):
    arrays, shape, b, planted, x, residual_norm, values = made
    if isinstance(arrays, tuple):
        from scipy.sparse import csr_array

        arrays = csr_array(arrays, shape=shape)
        arrays.has_canonical_format = True
    return Problem(arrays, b, planted, x, residual_norm, values)


def spectrum(rows, cols, decay="exponential", kappa=100.0, rho=0.5, squared_singular_values=(), noise=0.0, seed=0,
             threads=0):
    """A = U S V' with Haar factors and a given decay of the squared singular values:
    "exponential", "algebraic", or "given" by the list; kappa is the condition of A'A.

    >>> import numpy as np, polyak
    >>> problem = polyak.generate.spectrum(300, 4, decay="given", squared_singular_values=[1, 2, 3, 4])
    >>> np.linalg.eigvalsh(problem.A.T @ problem.A).round(8)
    array([1., 2., 3., 4.])
    """
    values = [float(v) for v in squared_singular_values]
    return _problem(_generate.spectrum(rows, cols, decay, kappa, rho, values, noise, seed, threads))


def sampling(rows, cols=100, dense=False, noise=0.0, seed=0, threads=0):
    """Sparse rows of ones, every tenth row ten times as large: uniform and row-norm sampling differ.

    >>> import polyak
    >>> polyak.generate.sampling(500, 10).A.shape
    (500, 10)
    """
    return _problem(_generate.sampling(rows, cols, dense, noise, seed, threads))


def stacked(copies=100):
    """The problem of the two-dimensional figure: copies of a 2 x 2 matrix below each other.

    >>> import polyak
    >>> polyak.generate.stacked(3).A.shape
    (6, 2)
    """
    return _problem(_generate.stacked(copies))


def gaussian(rows, cols, noise=0.0, seed=0, threads=0):
    """A dense A of any shape with independent N(0, 1) entries.

    >>> import polyak
    >>> polyak.generate.gaussian(30, 3, noise=1.0).residual_norm < 1.0
    True
    """
    return _problem(_generate.gaussian(rows, cols, noise, seed, threads))


def varied(seed, threads=0):
    """A problem like those of users; kind, sizes and noise are functions of the seed.

    >>> import polyak
    >>> polyak.generate.varied(2).b.ndim
    1
    """
    return _problem(_generate.varied(seed, threads))


def varied_text(seed):
    """What varied(seed) makes, in one line.

    >>> import polyak
    >>> polyak.generate.varied_text(2) != ""
    True
    """
    return _generate.varied_text(seed)
