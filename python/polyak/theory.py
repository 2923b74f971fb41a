"""Predictions of the theory: rates, batches, step size and momentum, as functions of numbers.

Throughout, lambda_min and lambda_max are the smallest nonzero and the largest eigenvalue of A'A,
and a rate r means E|x_k - x*|^2 = O(r^2k). `energy` is eta * |A|_F^2, or an upper bound. What a
function certifies holds for every A with these numbers (docs/theory.md of the project).

    >>> import numpy as np, polyak
    >>> A = np.random.default_rng(0).standard_normal((5000, 10))
    >>> facts = polyak.theory.facts(A)
    >>> best = polyak.theory.tune(64, facts["eigenvalues"], facts["eta"] * facts["frobenius2"])
    >>> 0 < best["rate"] < 1 and 0 < best["momentum"] < 1
    True
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._inputs import matrix_of

Method = Literal["heavy_ball", "nesterov"]
_theory = _core.theory


def _values(eigenvalues: ArrayLike) -> np.ndarray:
    return np.ascontiguousarray(eigenvalues, dtype=np.float64)


def facts(A: Any, sampling: str = "row-norm", threads: int = 0, seed: int = 0) -> dict[str, Any]:
    """Numbers of A for the other functions, as a dictionary: eigenvalues of A'A, |A|_F^2, eta,
    eta_effective, probabilities of the rows. Two or three passes over A.

    >>> import numpy as np, polyak
    >>> polyak.theory.facts(np.diag([1.0, 2.0]))["lambda_max"]
    4.0
    """
    return _theory.facts(matrix_of(A).matrix, sampling, threads, seed)


def parameters(lambda_min: float, lambda_max: float, gamma: float = 0.0, method: Method = "heavy_ball") -> tuple[float, float]:
    """(step size, momentum) of "heavy_ball" or "nesterov" on the spectrum widened by
    gamma * lambda_min.

    >>> import polyak
    >>> step, momentum = polyak.theory.parameters(1.0, 100.0)
    >>> round(momentum, 4)
    0.6694
    """
    return _theory.parameters(lambda_min, lambda_max, gamma, method)


def contraction(step_size: float, momentum: float, lambda_min: float, lambda_max: float, method: Method = "heavy_ball") -> float:
    """The rate with exact gradients; no batch gives a better one.

    >>> import polyak
    >>> step, momentum = polyak.theory.parameters(1.0, 100.0)
    >>> round(polyak.theory.contraction(step, momentum, 1.0, 100.0), 4)
    0.8182
    """
    return _theory.contraction(step_size, momentum, lambda_min, lambda_max, method)


def heavy_ball(lambda_min: float, lambda_max: float, frobenius2: float, cols: int, eta: float = 1.0, gamma: float = 1e-3,
               k_star: float | None = None) -> dict[str, Any]:
    """The paper's theorem for Minibatch-HBM, as a dictionary: step size, momentum, B*
    (`batch_heuristic`), the certified batches and rates.

    >>> import polyak
    >>> polyak.theory.heavy_ball(1.0, 100.0, 300.0, 10)["batch_heuristic"] > 1000
    True
    """
    return _theory.heavy_ball(lambda_min, lambda_max, frobenius2, cols, eta, gamma, k_star)


def nesterov(lambda_min: float, lambda_max: float, frobenius2: float, cols: int, eta: float = 1.0, gamma: float = 1e-3,
             k_star: float | None = None) -> dict[str, Any]:
    """The paper's theorem for Minibatch-NAG, as a dictionary.

    >>> import polyak
    >>> 0 < polyak.theory.nesterov(1.0, 100.0, 300.0, 10)["rate"] < 1
    True
    """
    return _theory.nesterov(lambda_min, lambda_max, frobenius2, cols, eta, gamma, k_star)


def iteration_table(lambda_min: float, lambda_max: float, frobenius2: float, cols: int, rows: int,
                    nu: float | None = None) -> list[dict[str, Any]]:
    """Iterations and rows per iteration of each method for a constant accuracy, without constant
    factors; one dictionary per method.

    >>> import polyak
    >>> len(polyak.theory.iteration_table(1.0, 100.0, 300.0, 10, 1000)) > 3
    True
    """
    return _theory.iteration_table(lambda_min, lambda_max, frobenius2, cols, rows, nu)


def recipe(lambda_min: float, lambda_max: float, energy: float, batch: float, constant: float = 0.3) -> tuple[float, float]:
    """(step size, momentum) of heavy ball for a batch, in closed form; stable for every A.

    >>> import polyak
    >>> step, momentum = polyak.theory.recipe(1.0, 100.0, 300.0, 32)
    >>> polyak.theory.stability_number(step, momentum, 100.0, 300.0, 32) < 1
    True
    """
    return _theory.recipe(lambda_min, lambda_max, energy, batch, constant)


def stability_number(step_size: float, momentum: float, lambda_max: float, energy: float, batch: float) -> float:
    """Below 1 heavy ball is certified to be stable, for any A and any sampling.

    >>> import polyak
    >>> polyak.theory.stability_number(1e-4, 0.9, 100.0, 300.0, 32) < 1
    True
    """
    return _theory.stability_number(step_size, momentum, lambda_max, energy, batch)


def rate_for_batch(step_size: float, momentum: float, batch: float, eigenvalues: ArrayLike, energy: float,
                   method: Method = "heavy_ball") -> float:
    """The certified rate for a batch; above 1 nothing is certified.

    >>> import polyak
    >>> polyak.theory.rate_for_batch(0.0033, 0.66, 1e6, [1.0, 10.0, 100.0], 111.0) < 1
    True
    """
    return _theory.rate_for_batch(step_size, momentum, batch, _values(eigenvalues), energy, method)


def batch_for_rate(step_size: float, momentum: float, rate: float, eigenvalues: ArrayLike, energy: float,
                   method: Method = "heavy_ball") -> float:
    """The batch that certifies a rate; infinite where none does.

    >>> import polyak
    >>> polyak.theory.batch_for_rate(0.0033, 0.66, 0.99, [1.0, 10.0, 100.0], 111.0) > 1
    True
    """
    return _theory.batch_for_rate(step_size, momentum, rate, _values(eigenvalues), energy, method)


def tune(batch: float, eigenvalues: ArrayLike, energy: float, method: Method = "heavy_ball") -> dict[str, float]:
    """The parameters with the best certified rate for a batch: step_size, momentum, rate, batch.

    >>> import polyak
    >>> polyak.theory.tune(50, [1.0, 10.0, 100.0], 111.0)["rate"] < 1
    True
    """
    return _theory.tune(batch, _values(eigenvalues), energy, method)


def smallest_batch(rate: float, eigenvalues: ArrayLike, energy: float,
                   method: Method = "heavy_ball") -> dict[str, float] | None:
    """The smallest batch with a certified rate, and its parameters; None where no parameters were
    found.

    >>> import polyak
    >>> polyak.theory.smallest_batch(0.95, [1.0, 10.0, 100.0], 111.0)["batch"] > 1
    True
    """
    return _theory.smallest_batch(rate, _values(eigenvalues), energy, method)
