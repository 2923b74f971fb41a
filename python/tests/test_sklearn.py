"""The estimators beside scikit-learn's own."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from polyak.sklearn import LeastSquares, Ridge


@pytest.mark.parametrize("estimator", [LeastSquares(), Ridge(), LeastSquares(positive=True), Ridge(fit_intercept=False)], ids=repr)
def test_the_contract_of_scikit_learn(estimator):
    def outcomes(of):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {(r["check_name"]): (r["status"], r["exception"]) for r in check_estimator(of, on_fail=None)}

    own = outcomes(estimator)
    failed = {name: str(why) for name, (status, why) in own.items() if status == "failed"}
    assert not failed
    theirs = outcomes(sklearn.linear_model.LinearRegression())
    missing = [name for name, (status, _) in theirs.items() if status == "passed" and own.get(name, ("absent",))[0] != "passed"]
    assert not missing


@pytest.fixture
def data(rng):
    X = rng.standard_normal((150, 6)) + 3
    y = X @ rng.standard_normal((6, 2)) + 5 + 0.2 * rng.standard_normal((150, 2))
    return X, y


def same(own, theirs, X):
    np.testing.assert_allclose(own.coef_, theirs.coef_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(own.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(own.predict(X), theirs.predict(X), rtol=1e-9)
    assert np.shape(own.coef_) == np.shape(theirs.coef_) and np.shape(own.intercept_) == np.shape(theirs.intercept_)


@pytest.mark.parametrize("targets", [1, 2, "column"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_the_same_as_scikit_learn(data, targets, intercept, weighted, kind, rng):
    X, Y = data
    y = {1: Y[:, 0], 2: Y, "column": Y[:, :1]}[targets]
    w = rng.uniform(0, 3, len(X)) if weighted else None
    own = LeastSquares(fit_intercept=intercept).fit(kind(X), y, sample_weight=w)
    same(own, sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=w), X)
    own = Ridge(alpha=7.0, fit_intercept=intercept).fit(kind(X), y, sample_weight=w)
    theirs = sklearn.linear_model.Ridge(alpha=7.0, fit_intercept=intercept, solver="svd").fit(X, y, sample_weight=w)
    np.testing.assert_allclose(own.predict(X), theirs.predict(X).reshape(np.shape(own.predict(X))), rtol=1e-9)


def test_a_penalty_for_each_target(data):
    X, Y = data
    alphas = np.array([0.5, 200.0])
    same(Ridge(alpha=alphas).fit(X, Y), sklearn.linear_model.Ridge(alpha=alphas, solver="svd").fit(X, Y), X)
    with pytest.raises(ValueError, match="alpha"):
        Ridge(alpha=[1.0, 2.0, 3.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha"):
        Ridge(alpha=-1.0).fit(X, Y)


def test_positive_coefficients(data):
    X, Y = data
    own = LeastSquares(positive=True).fit(X, Y)
    theirs = sklearn.linear_model.LinearRegression(positive=True).fit(X, Y)
    np.testing.assert_allclose(own.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    assert (own.coef_ >= 0).all() and (own.coef_ == 0).any()
    ridge = Ridge(alpha=2.0, positive=True).fit(X, Y[:, 0])
    assert (ridge.coef_ >= 0).all()


@pytest.mark.parametrize("model", [LeastSquares(), LeastSquares(fit_intercept=False), Ridge(alpha=3.0), Ridge(positive=True)], ids=repr)
@pytest.mark.parametrize("sparse", [False, True])
def test_partial_fits_are_one_fit(data, model, sparse, rng):
    X, Y = data
    w = rng.uniform(0, 2, len(X))
    given = sp.csr_array(X) if sparse else X
    for y in (Y, Y[:, 0]):
        whole = clone(model).fit(X, y, sample_weight=w)
        parts = clone(model)
        for rows in (slice(0, 2), slice(2, 90), slice(90, None)):
            parts.partial_fit(given[rows], y[rows], sample_weight=w[rows])
        np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-8, atol=1e-9)
        assert parts.n_samples_seen_ == len(X) and np.shape(parts.intercept_) == np.shape(whole.intercept_)
    with pytest.warns(UserWarning, match="anew"):
        whole.partial_fit(X[:50], y[:50])
    np.testing.assert_allclose(whole.coef_, clone(model).fit(X[:50], y[:50]).coef_, rtol=1e-8, atol=1e-9)
    with pytest.raises(ValueError, match="columns"):
        parts.partial_fit(X, Y)


DEFICIENT = {
    "a column twice": lambda X: np.column_stack([X, 100 * X[:, 0]]),
    "a constant column": lambda X: np.column_stack([X, np.full(len(X), 3.0)]),
    "a column of zeros": lambda X: np.column_stack([X, np.zeros(len(X))]),
    "fewer rows than columns": lambda X: X[:4],
    "one row": lambda X: X[:1],
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", DEFICIENT)
def test_partial_fits_without_full_rank_are_the_fit_of_least_norm(data, kind, intercept):
    X, Y = data
    X = DEFICIENT[kind](X)
    for y in (Y[: len(X)], Y[: len(X), 0]):
        theirs = sklearn.linear_model.LinearRegression(fit_intercept=intercept).fit(X, y)
        parts = LeastSquares(fit_intercept=intercept)
        for rows in np.array_split(np.arange(len(X)), min(3, len(X))):
            parts.partial_fit(X[rows], y[rows])
        same(parts, theirs, X)
        same(LeastSquares(fit_intercept=intercept).fit(X, y), theirs, X)


def test_partial_fits_keep_a_large_mean_apart(rng):
    X = 1e6 + rng.standard_normal((3000, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.standard_normal(3000)
    parts = LeastSquares()
    for rows in np.array_split(np.arange(3000), 30):
        parts.partial_fit(X[rows], y[rows])
    theirs = sklearn.linear_model.LinearRegression().fit(X, y)
    np.testing.assert_allclose(parts.coef_, theirs.coef_, rtol=1e-7)
    np.testing.assert_allclose(parts.predict(X), theirs.predict(X), rtol=1e-9)


def test_names_pickles_pipelines_and_searches(data):
    X, Y = data
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = LeastSquares().fit(frame, Y[:, 0])
    assert list(model.feature_names_in_) == list("abcdef") and model.n_iter_ >= 1
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(frame) == model.predict(frame)).all() and copy.report_.status == "converged"
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0, 10.0]}, cv=3, n_jobs=2)
    assert search.fit(frame, Y[:, 0]).score(frame, Y[:, 0]) > 0.9


def test_a_model_that_did_not_converge_warns(data):
    with pytest.warns(ConvergenceWarning):
        LeastSquares(method="lsqr", max_iter=1).fit(*data)


def test_the_seed_makes_fits_repeatable(data):
    X, Y = data
    b = X @ np.arange(6.0)
    fits = [LeastSquares(method="minibatch-hbm", random_state=s).fit(X, b).coef_ for s in (3, 3, np.random.RandomState(1))]
    assert (fits[0] == fits[1]).all()


def test_x_is_not_copied_and_not_changed(data):
    X, Y = data
    before = X.copy()
    X.flags.writeable = False
    LeastSquares().fit(X, Y)
    assert (X == before).all()
