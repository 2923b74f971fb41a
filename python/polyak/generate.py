"""Problems with a known solution: those of the paper's experiments, and others for tests.

Everything is a function of the arguments and the seed, with the same bits for any number of
threads.

    >>> import polyak
    >>> problem = polyak.generate.spectrum(2000, 20, kappa=50.0, seed=3)
    >>> report = polyak.solve(problem.A, problem.b, reference=problem.x)
    >>> report.error < 1e-8
    True
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

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


def _problem(made: Any) -> Problem:
    arrays, shape, b, planted, x, residual_norm, values = made
    if isinstance(arrays, tuple):
        from scipy.sparse import csr_array

        arrays = csr_array(arrays, shape=shape)
        arrays.has_canonical_format = True
    return Problem(arrays, b, planted, x, residual_norm, values)


def spectrum(rows: int, cols: int, decay: Literal["exponential", "algebraic", "given"] = "exponential",
             kappa: float = 100.0, rho: float = 0.5, squared_singular_values: Iterable[float] = (), noise: float = 0.0,
             seed: int = 0, threads: int = 0) -> Problem:
    """A = U S V' with Haar factors and a given decay of the squared singular values:
    "exponential", "algebraic", or "given" by the list; kappa is the condition of A'A.

    >>> import numpy as np, polyak
    >>> problem = polyak.generate.spectrum(300, 4, decay="given", squared_singular_values=[1, 2, 3, 4])
    >>> np.linalg.eigvalsh(problem.A.T @ problem.A).round(8)
    array([1., 2., 3., 4.])
    """
    values = [float(v) for v in squared_singular_values]
    return _problem(_generate.spectrum(rows, cols, decay, kappa, rho, values, noise, seed, threads))


def sampling(rows: int, cols: int = 100, dense: bool = False, noise: float = 0.0, seed: int = 0, threads: int = 0) -> Problem:
    """Sparse rows of ones, every tenth row ten times as large: uniform and row-norm sampling differ.

    >>> import polyak
    >>> polyak.generate.sampling(500, 10).A.shape
    (500, 10)
    """
    return _problem(_generate.sampling(rows, cols, dense, noise, seed, threads))


def stacked(copies: int = 100) -> Problem:
    """The problem of the two-dimensional figure: copies of a 2 x 2 matrix below each other.

    >>> import polyak
    >>> polyak.generate.stacked(3).A.shape
    (6, 2)
    """
    return _problem(_generate.stacked(copies))


def gaussian(rows: int, cols: int, noise: float = 0.0, seed: int = 0, threads: int = 0) -> Problem:
    """A dense A of any shape with independent N(0, 1) entries.

    >>> import polyak
    >>> polyak.generate.gaussian(30, 3, noise=1.0).residual_norm < 1.0
    True
    """
    return _problem(_generate.gaussian(rows, cols, noise, seed, threads))


def varied(seed: int, threads: int = 0) -> Problem:
    """A problem like those of users; kind, sizes and noise are functions of the seed.

    >>> import polyak
    >>> polyak.generate.varied(2).b.ndim
    1
    """
    return _problem(_generate.varied(seed, threads))


def varied_text(seed: int) -> str:
    """What varied(seed) makes, in one line.

    >>> import polyak
    >>> polyak.generate.varied_text(2) != ""
    True
    """
    return _generate.varied_text(seed)
