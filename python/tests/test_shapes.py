"""Shapes of vectors, arrays of sparse matrices, and options that do not apply: one clear error, or the right answer."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import polyak


@pytest.fixture
def problem(rng):
    A = rng.standard_normal((400, 7))
    b = rng.standard_normal(400)
    return A, b, np.linalg.lstsq(A, b, rcond=None)[0]


def close(x, expected):
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


VECTORS = {"weights": 400, "lower": 7, "upper": 7, "ridge_factors": 7, "x0": 7, "reference": 7}


@pytest.mark.parametrize("name", VECTORS)
def test_one_column_is_a_vector_and_nothing_else_is(problem, name):
    A, b, _ = problem
    length = VECTORS[name]
    flat = np.full(length, 2.0)
    plain = polyak.solve(A, b, ridge=1.0, **{name: flat}).x
    close(polyak.solve(A, b, ridge=1.0, **{name: flat[:, None]}).x, plain)
    for wrong in (flat[None, :], flat.reshape(length, 1, 1), np.ones((length, 2)), np.ones((length - 1, 1))):
        with pytest.raises(polyak.DataError) as caught:
            polyak.solve(A, b, ridge=1.0, **{name: wrong})
        error = caught.value
        assert error.where == name and error.found and str(length) in error.expected


@pytest.mark.parametrize("name", VECTORS)
def test_no_numbers_are_not_none(problem, name):
    A, b, _ = problem
    with pytest.raises(polyak.DataError, match=rf"^{name}: .*found \(0,\), expected \({VECTORS[name]},\)"):
        polyak.solve(A, b, **{name: []})


def test_probabilities_have_one_number_for_each_row(problem):
    A, b, _ = problem
    options = {"method": "minibatch-hbm", "sampling": "given", "tol": 0.5}
    assert polyak.solve(A, b, probabilities=np.ones((400, 1)), **options).method == "minibatch-hbm"
    for wrong in (np.ones((20, 20)), np.ones((1, 400)), []):
        with pytest.raises(polyak.DataError, match="probabilities"):
            polyak.solve(A, b, probabilities=wrong, **options)


def test_right_hand_sides_of_wrong_shape_are_refused(problem):
    A, b, _ = problem
    with pytest.raises(polyak.DataError, match="found A 400 x 7 and b 1 x 400"):
        polyak.solve(A, b[None, :])
    with pytest.raises(polyak.DataError, match=r"b: needs one or two dimensions \(found shape \(400, 1, 1\)\)"):
        polyak.solve(A, b[:, None, None])
    for number in (3.0, np.float64(3.0), np.array(3.0)):
        with pytest.raises(polyak.DataError, match="b: needs one or two dimensions"):
            polyak.solve(A[:1], number)
        with pytest.raises(polyak.DataError, match="b: needs one or two dimensions"):
            polyak.plan(A, number)


@pytest.mark.parametrize("option", [{"rhs_column": "price"}, {"drop_nonfinite_rows": True}, {"duplicates": "error"}])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_options_of_files_are_refused_for_arrays(problem, option, kind):
    A, b, _ = problem
    name = next(iter(option))
    if name == "rhs_column":  # which tables have
        b, why = None, "how a file is read|no such column"
    else:
        why = "how a file is read"
    with pytest.raises(polyak.UsageError, match=why) as caught:
        polyak.solve(kind(A), b, **option)
    assert caught.value.where == name and (caught.value.hint or caught.value.expected)
    with pytest.raises(polyak.UsageError, match=r"sum\|error"):
        polyak.solve(np.asarray(A), duplicates="first")


def test_options_of_text_files_are_refused_for_files_of_others(problem, tmp_path):
    h5py = pytest.importorskip("h5py")
    A, b, _ = problem
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["A"] = A
    with pytest.raises(polyak.UsageError, match="how a file is read"):
        polyak.solve(tmp_path / "data.h5", rhs_column="price")


def test_a_series_is_no_matrix(problem):
    A, b, _ = problem
    with pytest.raises(polyak.DataError, match=r"A: needs two dimensions .*\(400,\).*to_frame\(\)"):
        polyak.solve(pd.Series(b), b)
    assert polyak.solve(pd.Series(A[:, 0]).to_frame(), b).x.shape == (1,)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_arrays_of_csr_with_gaps_or_more_space_are_converted(problem, kind):
    A, b, expected = problem
    A = A * (np.abs(A) < 1.5)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    gaps = kind(A)
    gaps.data, gaps.indices = np.repeat(gaps.data, 2)[::2], np.repeat(gaps.indices, 3)[::3]
    gaps.indptr = np.repeat(gaps.indptr, 2)[::2]
    assert gaps.data.strides != (8,)
    close(polyak.solve(gaps, b, method="direct").x, expected)
    longer = kind(A)
    longer.data = np.append(longer.data, [np.nan, 1.0])
    longer.indices = np.append(longer.indices, [3, 99]).astype(longer.indices.dtype)
    close(polyak.solve(longer, b, method="direct").x, expected)
    swapped = kind(A)
    swapped.data = swapped.data.astype(">f8")
    close(polyak.solve(swapped, b, method="direct").x, expected)
    half = kind(A)
    half.data = half.data.astype(np.float16)
    rounded = kind((half.data.astype(float), half.indices, half.indptr), shape=A.shape).toarray()
    close(polyak.solve(half, b, method="direct").x, np.linalg.lstsq(rounded, b, rcond=None)[0])
