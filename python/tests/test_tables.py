"""Tables with names of columns, and arrays of libraries that may be absent."""

import numpy as np
import pytest

import polyak
import polyak.sklearn


@pytest.fixture
def columns(rng):
    table = {name: rng.standard_normal(300) for name in ("area", "age", "rooms")}
    table["price"] = 3.0 * table["area"] - table["age"] + 0.5 * table["rooms"] + 0.1 * rng.standard_normal(300)
    return table


def table_of(library, columns):
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def expected_of(columns):
    names = [name for name in columns if name != "price"]
    return np.linalg.lstsq(np.column_stack([columns[n] for n in names]), columns["price"], rcond=None)[0]


TABLES = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])


@TABLES
@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_column_of_a_table_is_the_right_hand_side(columns, library, place):
    names = ["area", "age", "rooms"]
    names.insert(place, "price")
    table = table_of(library, {name: columns[name] for name in names})
    report = polyak.solve(table, rhs_column="price", intercept=False)
    assert report.names == ["area", "age", "rooms"] and report.x.shape == (3,)
    np.testing.assert_allclose(report.x, expected_of(columns), rtol=1e-9)
    assert len(getattr(table, "column_names", None) or table.columns) == 4  # the table keeps its column


@TABLES
def test_a_column_that_is_not_there_is_named(columns, library):
    table = table_of(library, columns)
    with pytest.raises(polyak.UsageError, match="A has no such column .*'cost'.*area, age, rooms, price"):
        polyak.solve(table, rhs_column="cost")
    with pytest.raises(polyak.UsageError, match="given twice"):
        polyak.solve(table, columns["price"], rhs_column="price")


def test_a_name_that_occurs_twice_is_refused(columns):
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame(np.column_stack(list(columns.values())), columns=["a", "price", "b", "price"])
    with pytest.raises(polyak.UsageError, match="several such columns"):
        polyak.solve(twice, rhs_column="price")


@TABLES
def test_tables_fit_estimators(columns, library):
    table = table_of(library, {name: columns[name] for name in ("area", "age", "rooms")})
    if library == "pyarrow":
        pytest.skip("scikit-learn takes no tables of pyarrow")
    model = polyak.sklearn.LeastSquares(fit_intercept=False).fit(table, columns["price"])
    np.testing.assert_allclose(model.coef_, expected_of(columns), rtol=1e-9)
    assert list(model.feature_names_in_) == ["area", "age", "rooms"]


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-9), ("float32", 1e-5)])
def test_arrays_of_jax(rng, dtype, tolerance):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    A, b = rng.standard_normal((500, 6)), rng.standard_normal(500)
    x = polyak.solve(jax.numpy.asarray(A, dtype=dtype), jax.numpy.asarray(b)).x
    np.testing.assert_allclose(x, np.linalg.lstsq(A, b, rcond=None)[0], rtol=0, atol=tolerance)


def test_tensors_of_torch(rng):
    torch = pytest.importorskip("torch")
    A, b = rng.standard_normal((500, 6)), rng.standard_normal(500)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    given = torch.tensor(A), torch.tensor(b)
    np.testing.assert_allclose(polyak.solve(*given).x, expected, rtol=1e-9)
    np.testing.assert_allclose(polyak.lsqr(*given, atol=1e-14, btol=1e-14)[0], expected, rtol=1e-9)
    with pytest.raises(TypeError, match="torch"):
        polyak.solve(torch.tensor(A, requires_grad=True), b)


def test_operators_of_pylops(rng):
    pylops = pytest.importorskip("pylops")
    A, b = rng.standard_normal((500, 6)), rng.standard_normal(500)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    stacked = pylops.VStack([pylops.MatrixMult(A[:200]), pylops.MatrixMult(A[200:])])
    for method in ("auto", "lsqr", "cgls", "cg"):
        np.testing.assert_allclose(polyak.solve(stacked, b, method=method, tol=1e-12).x, expected, rtol=1e-7)
    np.testing.assert_allclose(polyak.lsqr(stacked, b, atol=1e-14, btol=1e-14)[0], expected, rtol=1e-9)


def test_sparse_columns_of_pandas_stay_sparse(rng):
    pandas = pytest.importorskip("pandas")
    import scipy.sparse as sp

    A = sp.random(200, 5, 0.3, random_state=rng, format="csr")
    b = rng.standard_normal(200)
    expected = np.linalg.lstsq(A.toarray(), b, rcond=None)[0]
    frame = pandas.DataFrame.sparse.from_spmatrix(A, columns=list("pqrst"))
    report = polyak.solve(frame, b)
    assert report.nnz == A.nnz and report.matrix.startswith("csr") and report.names == list("pqrst")
    np.testing.assert_allclose(report.x, expected, rtol=1e-9)
    filled = frame.astype(pandas.SparseDtype(float, fill_value=1.0))  # what is left out is 1
    np.testing.assert_allclose(polyak.solve(filled, b).x, expected, rtol=1e-9)


def test_record_batches_and_columns_of_pyarrow(columns):
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.RecordBatch.from_pydict({name: columns[name] for name in ("area", "age", "rooms")})
    report = polyak.solve(batch, pyarrow.array(columns["price"]))
    assert report.names == ["area", "age", "rooms"]
    np.testing.assert_allclose(report.x, expected_of(columns), rtol=1e-9)
    with pytest.raises(ValueError, match="two dimensions|not a table"):
        polyak.solve(pyarrow.array(columns["area"]), columns["price"])
    with pytest.raises(ValueError, match="two dimensions|not a table"):
        polyak.solve(pyarrow.chunked_array([columns["area"]]), columns["price"])


@TABLES
def test_a_column_is_a_right_hand_side_and_weights(columns, library):
    table = table_of(library, columns)
    A = np.column_stack([columns[name] for name in ("area", "age", "rooms")])
    weights = table_of(library, {"w": np.linspace(1, 2, 300)})["w"]
    own = polyak.solve(A, table["price"], weights=weights).x
    np.testing.assert_array_equal(own, polyak.solve(A, columns["price"], weights=np.linspace(1, 2, 300)).x)


class OnAnotherDevice:
    shape = (3, 2)

    def __dlpack_device__(self):
        return (2, 0)  # CUDA

    def __dlpack__(self, **options):
        raise BufferError("the data are on a device")


def test_arrays_on_another_device_are_refused():
    with pytest.raises(TypeError, match="cannot be read: .*pass one on the CPU"):
        polyak.solve(OnAnotherDevice(), np.ones(3))
    with pytest.raises(TypeError, match="cannot be read: .*pass one on the CPU"):
        polyak.solve(np.ones((3, 2)), OnAnotherDevice())
