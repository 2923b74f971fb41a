"""Estimators for scikit-learn: LeastSquares and Ridge.

    >>> import numpy as np
    >>> from polyak.sklearn import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> model = Ridge(alpha=0.1).fit(X, X @ [1.0, 2.0, 3.0] + 4.0)
    >>> model.coef_.round(2), round(float(model.intercept_), 2)
    (array([1., 2., 3.]), 4.0)
    >>> model.report_.status
    'converged'
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from ._errors import NotConvergedWarning, needed
from ._solve import solve

try:
    from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as missing:
    raise needed(missing, "polyak.sklearn", "scikit-learn>=1.6") from None

__all__ = ["LeastSquares", "Ridge"]

_BLOCK_ROWS = 1024  # of a sparse matrix, made dense at a time by partial_fit


class _Regressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """What both estimators share."""

    method: Any
    tol: float
    max_iter: int | None
    positive: bool
    fit_intercept: bool
    random_state: Any
    coef_: np.ndarray
    intercept_: Any
    n_iter_: int
    report_: Any
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_samples_seen_: int
    _factor: np.ndarray
    _one_target: bool
    _targets: int

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _ridges(self, targets):
        """One ridge for all targets, or one for each."""
        return np.zeros(1)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fits the model to X (n, d) and y (n,) or (n, t).

        The intercept is never penalised. A dense X in C order and a CSR X are not copied.
        """
        X, y = self._checked(X, y, reset=True)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        self.__dict__.pop("_factor", None)
        self.__dict__.pop("n_samples_seen_", None)
        self._solve(X, y, weights=sample_weight, intercept=self.fit_intercept)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Adds rows to those of earlier calls; the result is that of fit() on all of them.

        What is kept is the triangular factor of [1 X y], (d + 1 + t) squared numbers, updated by
        QR. The rows of fit() are not known any more: after it the first call starts anew, with a
        warning.
        """
        first = not hasattr(self, "_factor")
        if first and hasattr(self, "coef_"):
            warnings.warn("partial_fit does not know the rows of an earlier fit and starts anew", UserWarning, stacklevel=2)
            self.n_samples_seen_ = 0
        X, y = self._checked(X, y, reset=first)
        one_target = y.ndim == 1
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("sample_weight must not be negative")
        targets = y.reshape(len(y), -1)
        if not first and (one_target, targets.shape[1]) != (self._one_target, self._targets):
            raise ValueError(f"y has {targets.shape[1]} columns, that of earlier calls had {self._targets}")
        factor = np.empty((0, 1 + X.shape[1] + targets.shape[1])) if first else self._factor
        for begin in range(0, len(y), _BLOCK_ROWS):
            part = slice(begin, begin + _BLOCK_ROWS)
            factor = _updated(factor, X[part], targets[part], weights[part])
        self._factor, self._one_target, self._targets = factor, one_target, targets.shape[1]
        self.n_samples_seen_ = getattr(self, "n_samples_seen_", 0) + len(y)
        self._solve_factor(factor, X.shape[1], one_target)
        return self

    def _solve_factor(self, factor, d, one_target):
        """From the triangular factor of [1 X y]. Its first row holds the means, and the rows below it are a
        factor of what is left of [X y] without them: so the intercept has no part in the norm of a
        solution that is not unique, as in fit()."""
        first, below = factor[0], factor[1:] if self.fit_intercept else factor
        A, b = below[:, 1 : d + 1], below[:, d + 1 :]
        if self.fit_intercept:
            A = np.where(self._constant(factor[:, 1 : d + 1]), 0.0, A)
        self._solve(np.ascontiguousarray(A), b[:, 0] if one_target else b)
        if self.fit_intercept and first[0] != 0:
            intercept = (first[d + 1 :] - np.atleast_2d(self.coef_) @ first[1 : d + 1]) / first[0]
            self.intercept_ = float(intercept[0]) if one_target else intercept

    def _constant(self, columns):
        """Columns that are a multiple of the ones: below the first row they hold rounding alone."""
        eps = np.finfo(np.float64).eps
        rounding = eps * (columns.shape[1] + 2 + np.sqrt(self.n_samples_seen_))
        return np.linalg.norm(columns[1:], axis=0) <= rounding * np.linalg.norm(columns, axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """X coef_' + intercept_."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], reset=False)
        return X @ self.coef_.T + self.intercept_

    def _checked(self, X, y, reset):
        return validate_data(self, X, y, reset=reset, accept_sparse=["csr", "csc", "coo"], dtype=[np.float64, np.float32],
                             multi_output=True, y_numeric=True)

    def _solve(self, X, y, weights=None, intercept=False):
        """Sets coef_, intercept_ and the rest."""
        ridges = self._ridges(1 if y.ndim == 1 else y.shape[1])
        if len(ridges) == 1:
            x, reports = self._one(X, y, ridges[0], weights, intercept)
        else:
            parts = [self._one(X, y[:, k], ridge, weights, intercept) for k, ridge in enumerate(ridges)]
            x = np.column_stack([part[0] for part in parts])
            reports = [report for part in parts for report in part[1]]
        d = self.n_features_in_
        self.coef_ = np.ascontiguousarray(x[:d].T)
        self.intercept_ = x[d] if intercept else 0.0
        self.n_iter_ = max(1, max(report.iterations for report in reports))
        self.report_ = reports[0] if len(reports) == 1 else reports

    def _one(self, X, y, ridge, weights, intercept):
        parts = {"weights": weights, "ridge": ridge, "intercept": intercept}
        if self.positive:
            parts["lower"] = 0.0
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            report = solve(X, np.ascontiguousarray(y, dtype=np.float64), method=self.method, tol=self.tol,
                           max_iterations=self.max_iter, seed=self._seed(), **parts)
        for warning in raised:
            kind = ConvergenceWarning if issubclass(warning.category, NotConvergedWarning) else warning.category
            warnings.warn(str(warning.message), kind, stacklevel=4)
        return report.x, [report]

    def _seed(self):
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return self.random_state or 0
        return int(check_random_state(self.random_state).randint(2**31 - 1))


def _updated(factor: np.ndarray, X: Any, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The factor of the rows so far, with these rows below them."""
    root = np.sqrt(weights)[:, None]
    X = X.toarray() if hasattr(X, "toarray") else X
    rows = root * np.column_stack([np.ones(len(y)), X, y]).astype(np.float64, copy=False)
    if not np.isfinite(rows).all():
        raise ValueError("X, y or sample_weight are too large")
    return np.asarray(np.linalg.qr(np.vstack([factor, rows]), mode="r"))


class LeastSquares(_Regressor):
    """Ordinary least squares: min |y - X w - c|^2.

    Parameters
    ----------
    fit_intercept : bool, default True
    positive : bool, default False
        Only coefficients >= 0; the intercept may have any sign.
    method : str, default "auto"
        A method of polyak.solve.
    tol : float, default 1e-8
        Tolerance of polyak.solve.
    max_iter : int or None, default None
        Limit of the iterations; None is that of polyak.solve.
    random_state : int, RandomState or None, default None
        The seed; None is 0, so that every fit is repeatable.

    Attributes
    ----------
    coef_ : array of shape (d,) or (t, d)
    intercept_ : float or array of shape (t,)
    n_iter_ : int
    report_ : polyak.Report
        A list of them where targets were solved one by one.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from polyak.sklearn import LeastSquares
    >>> LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(6)
    array([7.])
    """

    def __init__(self, *, fit_intercept: bool = True, positive: bool = False, method: str = "auto", tol: float = 1e-8,
                 max_iter: int | None = None, random_state: Any = None) -> None:
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.method = method
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state


class Ridge(_Regressor):
    """Ridge regression: min |y - X w - c|^2 + alpha |w|^2; the intercept is not penalised.

    Parameters
    ----------
    alpha : float or array of shape (t,), default 1.0
        At least 0; one for all targets or one for each.
    fit_intercept, positive, method, tol, max_iter, random_state
        As in LeastSquares.

    Attributes
    ----------
    coef_, intercept_, n_iter_, report_, n_features_in_, feature_names_in_
        As in LeastSquares.

    Examples
    --------
    >>> from polyak.sklearn import Ridge
    >>> Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_.round(6)
    array([1.])
    """

    def __init__(self, alpha: Any = 1.0, *, fit_intercept: bool = True, positive: bool = False, method: str = "auto",
                 tol: float = 1e-8, max_iter: int | None = None, random_state: Any = None) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.method = method
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _ridges(self, targets):
        ridges = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if ridges.ndim != 1 or len(ridges) not in (1, targets):
            raise ValueError(f"alpha has {ridges.size} numbers, expected one or one for each of {targets} targets")
        if not (ridges >= 0).all():
            raise ValueError(f"alpha must be at least 0 (found {self.alpha})")
        return ridges
