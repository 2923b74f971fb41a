"""What solve() accepts as A and b: the same answer from every kind, no copy where none is promised."""

import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

import polyak
from polyak import _inputs


@pytest.fixture
def problem(rng):
    A = rng.standard_normal((400, 7))
    A[rng.random(A.shape) < 0.3] = 0.0
    b = rng.standard_normal(400)
    return A, b, np.linalg.lstsq(A, b, rcond=None)[0]


def close(x, expected):
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def strided(A):
    return np.repeat(np.repeat(A, 2, axis=0), 3, axis=1)[::2, ::3]


LAYOUTS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "gaps in both": strided,
    "every second row": lambda A: np.repeat(A, 2, axis=0)[::2],
    "rows backwards": lambda A: A[::-1].copy()[::-1],
    "columns backwards": lambda A: A[:, ::-1].copy()[:, ::-1],
    "big endian": lambda A: A.astype(">f8"),
    "long double": lambda A: A.astype(np.longdouble),
    "not aligned": lambda A: np.frombuffer(b"x" + A.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(A.shape),
    "np.matrix": np.asmatrix,
    "lists": lambda A: A.tolist(),
    "object": lambda A: A.astype(object),
}


@pytest.mark.parametrize("convert", [True, False], ids=["converted", "in blocks"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_layout_of_a_dense_matrix_gives_the_same_x(problem, layout, convert, monkeypatch):
    A, b, expected = problem
    monkeypatch.setattr(_inputs, "CONVERTED_BYTES", 2**40 if convert else 0)
    for method in ("auto", "direct", "lsqr"):
        close(polyak.solve(LAYOUTS[layout](A), b, method=method, tol=1e-13).x, expected)


@pytest.mark.parametrize("method", ["rk", "minibatch-hbm", "minibatch-nag", "ark", "sgd", "sketch-hbm", "cg", "cgls"])
def test_an_array_read_in_blocks_takes_the_same_steps(problem, method, monkeypatch):
    A, b, _ = problem
    limits = {"max_iterations": 50, "tol": 0.0, "seed": 3}
    with pytest.warns(polyak.NotConvergedWarning):
        direct = polyak.solve(A, b, method=method, **limits)
        monkeypatch.setattr(_inputs, "CONVERTED_BYTES", 0)
        in_blocks = polyak.solve(np.asfortranarray(A), b, method=method, **limits)
    assert in_blocks.matrix == "dense, by columns"
    np.testing.assert_allclose(in_blocks.x, direct.x, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2"])
def test_integers_booleans_and_half_precision_are_numbers(rng, dtype, monkeypatch):
    A = (rng.random((60, 4)) * 3).astype(dtype)
    b = rng.standard_normal(60)
    expected = np.linalg.lstsq(A.astype(float), b, rcond=None)[0]
    close(polyak.solve(A, b, method="direct").x, expected)
    monkeypatch.setattr(_inputs, "CONVERTED_BYTES", 0)
    close(polyak.solve(A, b, method="direct").x, expected)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("wrap", [sp.csr_matrix, sp.csr_array], ids=["matrix", "array"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_every_kind_of_sparse_matrix(rng, kind, wrap, index, dtype):
    A = wrap(sp.random(80, 6, 0.4, random_state=rng, format="csr") * 8).astype(dtype)
    A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
    b = rng.standard_normal(80)
    expected = np.linalg.lstsq(A.toarray().astype(float), b, rcond=None)[0]
    close(polyak.solve(A.asformat(kind), b, method="direct").x, expected)


def test_unsorted_and_repeated_entries_are_summed_and_the_matrix_is_left_alone():
    A = sp.csr_matrix((np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 0, 1, 1]), np.array([0, 3, 4])), shape=(2, 2))
    before = A.indices.copy(), A.data.copy()
    x = polyak.solve(A, [1.0, 2.0], method="direct").x
    close(x, np.linalg.solve([[2.0, 4.0], [0.0, 4.0]], [1.0, 2.0]))
    assert (A.indices == before[0]).all() and (A.data == before[1]).all()


def test_an_index_outside_of_the_matrix_is_an_error():
    A = sp.csr_matrix(np.eye(3))
    A.indices[1] = 7
    A.has_canonical_format = True
    with pytest.raises(ValueError, match="outside the matrix"):
        polyak.solve(A, np.ones(3))


def test_single_precision_is_not_widened(problem):
    A, b, _ = problem
    single = A.astype(np.float32)
    report = polyak.solve(single, b)
    assert report.matrix == "dense, single"
    close(report.x, np.linalg.lstsq(single.astype(float), b, rcond=None)[0])
    assert polyak.solve(A, b, precision="single").matrix == "dense, single"


def test_read_only_arrays_and_memory_maps(problem, tmp_path):
    A, b, expected = problem
    A.flags.writeable = False
    b.flags.writeable = False
    close(polyak.solve(A, b).x, expected)
    np.save(tmp_path / "A.npy", A)
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    close(polyak.solve(mapped, b).x, expected)


def test_arrays_of_other_libraries(problem):
    array_api = pytest.importorskip("array_api_strict")
    A, b, expected = problem
    given = array_api.asarray(A)
    close(polyak.solve(given, array_api.asarray(b)).x, expected)
    for function in (polyak.lsqr, polyak.lsmr):
        close(function(given, b, atol=1e-14, btol=1e-14)[0], expected)
    close(polyak.lsq_linear(given, b).x, expected)


def test_names_of_columns_come_back(problem):
    A, b, expected = problem
    names = [f"column {j}" for j in range(7)]
    frame = pd.DataFrame(A, columns=names)
    report = polyak.solve(frame, pd.Series(b))
    close(report.x, expected)
    assert report.names == names
    report = polyak.solve(frame, b, intercept=True)
    assert report.names == [*names, "intercept"] and report.x.shape == (8,)


def test_a_frame_of_several_types(rng):
    frame = pd.DataFrame({"a": rng.standard_normal(30), "b": rng.integers(0, 9, 30), "c": rng.random(30) < 0.5})
    b = rng.standard_normal(30)
    close(polyak.solve(frame, b).x, np.linalg.lstsq(frame.to_numpy(dtype=float), b, rcond=None)[0])
    frame["d"] = "text"
    with pytest.raises(TypeError, match="'d' does not hold real numbers"):
        polyak.solve(frame, b)


def arrow_table(chunks):
    """A table with the columns x (float64) and k (int32, None where missing), in chunks."""
    na = pytest.importorskip("nanoarrow")
    schema = na.struct({"x": na.float64(), "k": na.int32()})
    arrays = [na.c_array_from_buffers(schema, len(x), [None],
                                      children=[na.c_array(list(x), na.float64()), na.c_array(list(k), na.int32())])
              for x, k in chunks]
    return na.Array.from_chunks(arrays)


def test_tables_of_arrow(rng):
    A = np.column_stack([rng.standard_normal(50), rng.integers(-5, 5, 50)])
    b = rng.standard_normal(50)
    whole = [int(k) for k in A[:, 1]]
    report = polyak.solve(arrow_table([(A[:20, 0], whole[:20]), (A[20:, 0], whole[20:])]), b)
    assert report.names == ["x", "k"]
    close(report.x, np.linalg.lstsq(A, b, rcond=None)[0])
    with pytest.raises(ValueError, match="row 3, column 2"):
        polyak.solve(arrow_table([([1.0, 2.0, 3.0], [1, 2, None])]), np.ones(3))


def test_a_table_with_rows_of_its_own_is_a_table(rng):
    class LikePolars:
        shape = (50, 2)

        def rows(self, *, named=False):
            raise AssertionError("rows() of a table are tuples")

        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    A, b = np.column_stack([rng.standard_normal(50), rng.integers(-5, 5, 50)]), rng.standard_normal(50)
    table = arrow_table([(A[:, 0], [int(k) for k in A[:, 1]])])
    report = polyak.solve(LikePolars(), b)
    assert report.names == ["x", "k"]
    close(report.x, np.linalg.lstsq(A, b, rcond=None)[0])


def test_files_as_in_the_program(problem, tmp_path):
    A, b, expected = problem
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "b.npy", b)
    close(polyak.solve(tmp_path / "A.npy", str(tmp_path / "b.npy")).x, expected)
    header = ",".join([f"c{j}" for j in range(7)] + ["price"])
    np.savetxt(tmp_path / "table.csv", np.column_stack([A, b]), delimiter=",", header=header, comments="", fmt="%.17g")
    report = polyak.solve(tmp_path / "table.csv", rhs_column="price")
    close(report.x, expected)
    assert report.names == [f"c{j}" for j in range(7)]
    with pytest.raises(FileNotFoundError) as caught:
        polyak.solve(tmp_path / "none.npy", b)
    assert isinstance(caught.value, polyak.PolyakError) and caught.value.where.endswith("none.npy")


def test_hdf5_through_h5py(problem, tmp_path):
    h5py = pytest.importorskip("h5py")
    A, b, expected = problem
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["A"], file["b"] = A, b
    close(polyak.solve(f"{tmp_path}/data.h5").x, expected)
    close(polyak.solve(f"{tmp_path}/data.h5:/A", b).x, expected)
    with pytest.raises(polyak.DataError, match="data.h5: the file has no such array .*found /B"):
        polyak.solve(f"{tmp_path}/data.h5:/B", b)
    with pytest.raises(FileNotFoundError) as caught:
        polyak.solve(tmp_path / "none.h5", b)
    assert isinstance(caught.value, polyak.PolyakError)


@pytest.mark.parametrize("kind", [np.asarray, sp.csc_matrix])
def test_files_of_matlab(problem, tmp_path, kind):
    A, b, expected = problem
    scipy.io.savemat(tmp_path / "data.mat", {"A": kind(A), "b": b, "other": 2 * A})
    close(polyak.solve(tmp_path / "data.mat").x, expected)
    close(polyak.solve(f"{tmp_path}/data.mat:other", b).x, expected / 2)
    with pytest.raises(polyak.DataError, match="the file has no such array .*found B"):
        polyak.solve(f"{tmp_path}/data.mat:B", b)


def test_files_of_matlab_in_version_7_3(problem, tmp_path):
    h5py = pytest.importorskip("h5py")
    A, b, expected = problem
    name = tmp_path / "data.mat"
    with h5py.File(name, "w", userblock_size=512) as file:
        file["A"], file["b"] = A.T, b[None, :]
    with open(name, "r+b") as file:  # the header of such a file: a text, the version, the order of bytes
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    close(polyak.solve(name).x, expected)


def test_images_as_matrices(rng, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    A = rng.integers(0, 60000, (50, 4)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "A.tif", A)
    close(polyak.solve(tmp_path / "A.tif", np.ones(50)).x, np.linalg.lstsq(A.astype(float), np.ones(50), rcond=None)[0])


@pytest.mark.parametrize("bad, error, message", [
    (None, TypeError, "no matrix, .*found NoneType"),
    ({"a": [1.0, 2.0, 3.0]}, TypeError, "no matrix, .*found dict"),
    (np.zeros(3), ValueError, "two dimensions"),
    (np.zeros((3, 2, 1)), ValueError, "two dimensions"),
    (np.zeros((3, 2), complex), TypeError, "complex"),
    (np.array([["a", "b"]] * 3), TypeError, "real numbers"),
    (np.zeros((3, 2), "datetime64[s]"), TypeError, "real numbers"),
    (np.zeros((3, 2), "timedelta64[s]"), TypeError, "real numbers"),
    (np.zeros((3, 2), [("value", float)]), TypeError, "real numbers"),
    (np.ma.masked_array(np.zeros((3, 2)), np.eye(3, 2)), TypeError, "masked"),
    (sp.csr_matrix(np.eye(3, 2)) * 1j, TypeError, "complex"),
    (np.full((3, 2), np.nan), ValueError, "row 1, column 1"),
    (np.array([[1.0, 2.0], [np.inf, 1.0], [0.0, 1.0]]), ValueError, "row 2, column 1"),
])
def test_what_is_no_matrix_of_real_numbers_is_refused(bad, error, message):
    with pytest.raises(error, match=message):
        polyak.solve(bad, np.ones(3))


STRUCTURED = np.zeros(400, dtype=[("value", float)])
NO_NUMBERS = {
    "masked": (np.ma.masked_array(np.ones(400), np.arange(400) == 3), "masked"),
    "complex": (np.ones(400) * 1j, "complex"),
    "complex Series": (pd.Series(np.ones(400) * 1j), "complex"),
    "complex column": (pd.DataFrame({"y": np.ones(400) * 1j}), "complex"),
    "dates": (np.arange(400).astype("datetime64[s]"), "real numbers"),
    "dates of pandas": (pd.Series(pd.date_range("2020", periods=400, tz="UTC")), "real numbers"),
    "durations": (np.arange(400).astype("timedelta64[s]"), "real numbers"),
    "structured": (STRUCTURED, "real numbers"),
}


@pytest.mark.parametrize("name", ["b", "weights", "x0", "lower"])
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_vectors_that_hold_no_real_numbers_are_refused(problem, kind, name):
    A, b, _ = problem
    values, message = NO_NUMBERS[kind]
    if name in ("x0", "lower"):
        values = values[:7]
    with pytest.raises(TypeError, match=f"^{name} .*{message}"):
        polyak.solve(A, **{"b": b, name: values})


def test_several_right_hand_sides_keep_their_shape(problem, rng):
    A, b, expected = problem
    B = np.column_stack([b, 2 * b])
    x = polyak.solve(A, B).x
    assert x.shape == (7, 2)
    close(x[:, 1], 2 * expected)
    assert polyak.solve(A, b[:, None]).x.shape == (7, 1)
    close(polyak.solve(A, np.asfortranarray(B)).x, x)


def test_empty_and_tiny_matrices():
    for n, d in [(0, 3), (3, 0), (0, 0), (1, 1), (1, 4)]:
        x = polyak.solve(np.ones((n, d)), np.ones(n)).x
        assert x.shape == (d,) and np.isfinite(x).all()


def test_the_array_is_kept_while_the_solve_lasts_and_not_longer(rng):
    import gc
    import weakref

    class Owner(np.ndarray):
        pass

    A = rng.standard_normal((50, 3)).view(Owner)
    gone = weakref.ref(A)
    report = polyak.solve(A, np.ones(50))
    del A
    gc.collect()
    assert gone() is None and report.x.shape == (3,)


NO_COPY = """
import sys, resource
import numpy as np, polyak
kind, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if kind == "csr":
    import scipy.sparse as sp
    k = d // 2
    indptr = np.arange(0, n * k + 1, k, dtype=np.int32)
    indices = np.tile(np.arange(0, d, 2, dtype=np.int32), n)
    A = sp.csr_array((np.ones(n * k), indices, indptr), shape=(n, d))
    A.has_canonical_format = True
    A.data[::d] += 1
    size = A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
else:
    A = np.ones((n, d), dtype=kind)
    A[np.arange(n), np.arange(n) % d] += 1
    if len(sys.argv) > 4:
        A = A.reshape(d, n).T
    size = A.nbytes
b = np.ones(n)
polyak.solve(A[:1000] if kind != "csr" else A[:1000].copy(), b[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
polyak.solve(A, b, method=sys.argv[5] if len(sys.argv) > 5 else "lsqr", max_iterations=3)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print((after - before) / size)
"""


@pytest.mark.parametrize("arguments", [["f8", "600000", "50"], ["f4", "1200000", "50"], ["csr", "400000", "100"],
                                       ["f8", "600000", "50", "F"], [">f8", "600000", "50"], ["f2", "2400000", "50"]],
                         ids=["float64", "float32", "csr", "Fortran order", "other byte order", "half precision"])
def test_a_is_not_copied(arguments):
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", NO_COPY, *arguments], check=True, capture_output=True, text=True)
    assert float(out.stdout) < 0.2, "of the size of A: vectors of n numbers, but no second A"


def test_the_extension_needs_no_library_for_files_of_others():
    import polyak._core

    needed = subprocess.run(["readelf", "-d", polyak._core.__file__], capture_output=True, text=True).stdout
    for library in ("hdf5", "tiff", "matio", "png", "snappy", "zstd", "lz4", "openblas"):
        assert library not in needed
    assert (pathlib.Path(polyak.__file__).parent / "openblas/libscipy_openblas.so").exists()


def test_archives_of_numpy_are_read(problem, tmp_path):
    A, b, expected = problem
    np.savez_compressed(tmp_path / "system.npz", A=A, b=b)
    np.testing.assert_allclose(polyak.solve(tmp_path / "system.npz").x, expected, rtol=1e-9)
    np.testing.assert_allclose(polyak.solve(f"{tmp_path}/system.npz:A", b).x, expected, rtol=1e-9)
    sp.save_npz(tmp_path / "sparse.npz", sp.csc_matrix(A))
    np.testing.assert_allclose(polyak.solve(tmp_path / "sparse.npz", b).x, expected, rtol=1e-9)
    sp.save_npz(tmp_path / "coo.npz", sp.coo_matrix(A))
    with pytest.raises(polyak.DataError, match="tocsr"):
        polyak.solve(tmp_path / "coo.npz", b)


def test_rows_of_a_file_stay_on_the_disk(problem, tmp_path):
    A, b, _ = problem
    np.save(tmp_path / "A.npy", A)
    kept = polyak.solve(tmp_path / "A.npy", b, storage="disk", method="lsqr")
    assert kept.disk and (kept.x == polyak.solve(A, b, method="lsqr").x).all()
    assert polyak.solve(tmp_path / "A.npy", b, storage="memory", method="lsqr").disk is None
    with pytest.raises(polyak.UsageError, match=r"storage: .*found 'tape', expected auto\|memory\|disk"):
        polyak.solve(tmp_path / "A.npy", b, storage="tape")
    with pytest.raises(polyak.UsageError, match="storage: the option says how a file is read"):
        polyak.solve(A, b, storage="disk")


def test_dropped_rows_need_a_right_hand_side_without_them(problem, tmp_path):
    A, b, _ = problem
    A = A.copy()
    A[[3, 7], 2] = np.nan
    kept = np.isfinite(A).all(axis=1)
    expected = np.linalg.lstsq(A[kept], b[kept], rcond=None)[0]
    header = ",".join([f"c{j}" for j in range(7)] + ["price"])
    np.savetxt(tmp_path / "table.csv", np.column_stack([A, b]), delimiter=",", header=header, comments="", fmt="%.17g")
    close(polyak.solve(tmp_path / "table.csv", rhs_column="price", drop_nonfinite_rows=True).x, expected)
    np.savetxt(tmp_path / "A.csv", A, delimiter=",", fmt="%.17g")
    close(polyak.solve(tmp_path / "A.csv", b[kept], drop_nonfinite_rows=True).x, expected)
    with pytest.raises(polyak.DataError, match="rows of A were dropped, and those of b were not .*found 2 rows dropped, 400 in b, expected 398"):
        polyak.solve(tmp_path / "A.csv", b, drop_nonfinite_rows=True)
