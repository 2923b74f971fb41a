"""From what users have to what the solver reads: matrices, vectors, names of columns."""

import os
import sys

import numpy as np

from . import _core
from ._errors import DataError, NoFileError, UsageError, needed, refused

# Arrays in Fortran order, with gaps or of integers are converted once up to this size, and read
# in blocks of rows, without a copy of the whole, above it.
CONVERTED_BYTES = 64 * 2**20

_FLOAT64 = np.dtype(np.float64)

_READ_BY_OTHERS = {".h5": "h5", ".hdf5": "h5", ".nxs": "h5", ".mat": "mat", ".tif": "tif", ".tiff": "tif"}


class Given:
    """A matrix of the solver, with what came with it."""

    __slots__ = ("matrix", "names", "b", "dropped_rows")

    def __init__(self, matrix, names=(), b=None, dropped_rows=0):
        self.matrix = matrix
        self.names = names
        self.b = b
        self.dropped_rows = dropped_rows


def matrix_of(A, precision="double", **reading):
    """A as a Given. `reading` are the options that apply to files only, or to tables (rhs_column)."""
    if type(A) is np.ndarray and not reading:
        return Given(_dense(A))
    if isinstance(A, (str, os.PathLike)):
        return _file(os.fspath(A), precision, **reading)
    table = _table_and_column(A, reading.pop("rhs_column", None))
    _check_not_for_files(reading, "A is not the name of a file")
    if table is None:
        return _object(A)
    given = _object(table[0])
    given.b = numbers_of(table[1], "b")
    return given


def _table_and_column(A, name):
    """A table without the column `name`, and this column; None without a name."""
    if name is None:
        return None
    names = list(getattr(A, "column_names", None) or getattr(A, "columns", ()))  # pyarrow's, or others'
    if not names or not hasattr(A, "drop"):
        _check_not_for_files({"rhs_column": name}, "A has no names of columns")
    if names.count(name) != 1:
        what = "A has several such columns" if name in names else "A has no such column"
        raise refused(UsageError, what, "rhs_column", repr(name), ", ".join(map(str, names[:20])))
    return A.drop(columns=[name]) if _is_pandas(A, "DataFrame") else A.drop([name]), A[name]


# The options that say how a file is read, with their defaults.
_READING = {"rhs_column": None, "drop_nonfinite_rows": False, "duplicates": "sum", "storage": "auto"}
_INSTEAD = {
    "rhs_column": "take the column out of A and give it as b",
    "drop_nonfinite_rows": "drop these rows of A and b before",
    "duplicates": "repeated entries of arrays are summed",
    "storage": "arrays are used where they are",
}


def reading_options(rhs_column, drop_nonfinite_rows, duplicates, storage):
    """Those that are not the default."""
    if rhs_column is None and drop_nonfinite_rows is False and duplicates == "sum" and storage == "auto":
        return {}
    given = {"rhs_column": rhs_column, "drop_nonfinite_rows": drop_nonfinite_rows, "duplicates": duplicates, "storage": storage}
    for name, words in (("duplicates", ("sum", "error")), ("storage", ("auto", "memory", "disk"))):
        if given[name] not in words:
            raise refused(UsageError, "the value does not fit the option", name, repr(given[name]), "|".join(words))
    return {name: value for name, value in given.items() if value != _READING[name]}


def _check_not_for_files(reading, why):
    for name in reading:
        raise refused(UsageError, "the option says how a file is read", name, why, hint=_INSTEAD[name])


def _object(A):
    if hasattr(A, "_polyak_matrix"):
        return Given(A._polyak_matrix)
    _check_unmasked(A, "A")
    if isinstance(A, np.ndarray):
        return Given(_dense(A))
    if hasattr(A, "tocsr") and hasattr(A, "format"):
        return Given(_sparse(A))
    if is_operator(A):
        return Given(_operator(A))
    _check_two_dimensions(A)
    if _is_pandas(A, "DataFrame"):
        names = [str(name) for name in A.columns]
        return Given(_sparse(A.sparse.to_coo()) if _has_zeros_left_out(A) else _dense(_pandas_values(A)), names)
    if hasattr(A, "__arrow_c_stream__"):
        matrix = _core.arrow(A.__arrow_c_stream__())
        return Given(matrix, matrix.names)
    if hasattr(A, "shape") and callable(getattr(A, "rows", None)):  # after Arrow: tables of polars have rows() too
        return Given(_by_rows(A))
    if hasattr(A, "__dlpack__"):
        return Given(_dense(_from_dlpack(A)))
    array = np.asarray(A)
    if array.dtype == object and array.ndim == 0:
        raise TypeError(f"A is no matrix, table, operator or name of a file (found {type(A).__name__})")
    return Given(_dense(array))


def is_operator(A):
    return hasattr(A, "matvec") and hasattr(A, "rmatvec")


def _check_two_dimensions(A):
    """A vector of NumPy or a Series of pandas or polars has one: it may be a column or a row."""
    shape = getattr(A, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 2:
        hint = "to_frame() makes one column of it" if hasattr(A, "to_frame") else \
            "reshape(-1, 1) makes one column of a vector"
        raise refused(DataError, "needs two dimensions", "A", f"shape {shape}", hint=hint)


def _check_unmasked(values, name):
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill or drop its masked values first")


def _is_pandas(value, name):
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, getattr(pandas, name))


def _has_zeros_left_out(frame):
    """All columns are sparse ones of pandas, and what they leave out is 0."""
    kind = sys.modules["pandas"].SparseDtype
    return len(frame.columns) > 0 and all(isinstance(k, kind) and k.fill_value == 0 for k in frame.dtypes)


def _pandas_values(frame):
    for name, kind in zip(frame.columns, frame.dtypes):
        if not (getattr(kind, "kind", "O") in "fiub"):
            raise TypeError(f"column {name!r} does not hold real numbers (found {kind})")
    kinds = {kind for kind in frame.dtypes}
    if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
        return frame.to_numpy()
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _from_dlpack(value):
    try:
        return np.from_dlpack(value)
    except (BufferError, TypeError, RuntimeError) as error:
        raise TypeError(f"an array of {type(value).__module__.split('.')[0]} cannot be read: {error}; "
                        "pass one on the CPU that needs no gradient") from error


def _check_kind(dtype, name):
    """TypeError for the types of NumPy and pandas that convert to numbers, but are no real ones."""
    kind = getattr(dtype, "kind", "O")
    if kind == "c":
        raise TypeError(f"{name} holds complex numbers; polyak solves real problems")
    if kind in "mM" or getattr(dtype, "type", None) is np.void:
        raise TypeError(f"{name} does not hold real numbers (found {dtype})")


def _is_read_as_it_is(dtype):
    """Types that C++ reads."""
    return dtype.isnative and (dtype.kind == "f" and dtype.itemsize in (4, 8) or dtype.kind in "iub")


def _real(values, name):
    """The array with a type that C++ reads; TypeError for numbers that are not real."""
    _check_kind(values.dtype, name)
    if _is_read_as_it_is(values.dtype) and values.flags.aligned:
        return values
    kind = values.dtype.newbyteorder("=")
    try:
        return values.astype(kind if _is_read_as_it_is(kind) else np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} does not hold real numbers (found {values.dtype})") from error


def _dense(A):
    if A.ndim != 2:
        _check_two_dimensions(A)
    if A.dtype is _FLOAT64 and A.flags.c_contiguous and A.flags.aligned:
        return _core.dense(A)
    if _is_too_large_to_convert(A):
        return _core.rows(lambda rows: _float64(A[rows], "A"), *A.shape)
    A = _real(A, "A")
    rows_in_order = A.strides[1] == A.itemsize and A.strides[0] >= A.shape[1] * A.itemsize
    if A.dtype.kind != "f" or not (rows_in_order or A.flags.c_contiguous):
        wanted = A.dtype if A.dtype.kind == "f" else np.dtype(np.float64)
        if A.size * wanted.itemsize <= CONVERTED_BYTES:
            A = np.ascontiguousarray(A, dtype=wanted)
    return _core.dense(A)


def _is_too_large_to_convert(A):
    """Half precision, other byte orders and the like, as in files of instruments."""
    as_it_is = _is_read_as_it_is(A.dtype) and A.flags.aligned
    return not as_it_is and A.dtype.kind in "fiu" and 8 * A.size > CONVERTED_BYTES


def _sparse(A):
    if len(A.shape) != 2:
        raise refused(DataError, "needs two dimensions", "A", f"shape {A.shape}")
    csr = A.tocsr()
    if csr.dtype.kind == "c":
        raise TypeError("A holds complex numbers; polyak solves real problems")
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is A else csr
        csr.sum_duplicates()
    stored = int(csr.indptr[-1])  # the arrays may be longer
    values = _real(csr.data[:stored], "A")
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    starts, columns, values = map(np.ascontiguousarray, (csr.indptr, csr.indices[:stored], values))
    return _core.csr(starts, columns, values, csr.shape[1])


def _float64(values, name):
    """Numbers of any real type as a contiguous array of float64."""
    _check_unmasked(values, name)
    return np.ascontiguousarray(_real(np.asarray(values), name), dtype=np.float64)


def has_complex_type(value):
    """By its dtype, which may be one of another library."""
    dtype = getattr(value, "dtype", None)
    try:
        return dtype is not None and np.dtype(dtype).kind == "c"
    except TypeError:
        return "complex" in str(dtype)


def _operator(A):
    if has_complex_type(A):
        raise TypeError("A is an operator of complex numbers; polyak solves real problems")
    rows, cols = A.shape
    return _core.products(lambda x: _product(A.matvec(x), "A.matvec(x)"),
                          lambda y: _product(A.rmatvec(y), "A.rmatvec(y)"), rows, cols)


def _product(values, name):
    """A vector, or one column, as some operators give."""
    values = _float64(values, name)
    if values.ndim > 1 and values.size != max(values.shape):
        raise refused(DataError, "the array has another shape", name, str(values.shape), "a vector")
    return values.reshape(-1)


def with_ones(A):
    """The operator [A 1], as a matrix of products: an intercept without single rows."""
    rows, cols = A.shape

    def multiply(x):
        return _product(A.matvec(x[:-1]), "A.matvec(x)") + x[-1]

    def transposed(y):
        return np.append(_product(A.rmatvec(y), "A.rmatvec(y)"), y.sum())

    return _core.products(multiply, transposed, rows, cols + 1)


def _by_rows(A):
    rows, cols = A.shape

    def read(indices):
        block = _float64(A.rows(indices), "A.rows(indices)")
        if block.shape != (len(indices), cols):
            raise ValueError(f"A.rows(indices) returned a block of another shape (found {block.shape}, "
                             f"expected {(len(indices), cols)})")
        return block

    return _core.rows(read, rows, cols)


def _file(path, precision, rhs_column=None, drop_nonfinite_rows=False, duplicates="sum", storage="auto"):
    base, _, array = path.partition(":/")
    ending = os.path.splitext(base.split(".mat:")[0] + (".mat" if ".mat:" in base else ""))[1].lower()
    if ending == ".parquet":
        return _parquet(path, precision, **reading_options(rhs_column, drop_nonfinite_rows, duplicates, storage))
    if ending in _READ_BY_OTHERS:
        _check_not_for_files(reading_options(rhs_column, drop_nonfinite_rows, duplicates, storage), f"A is a file {ending}")
        return _file_of_others(path, _READ_BY_OTHERS[ending])
    matrix = _core.read(path, rhs_column, drop_nonfinite_rows, duplicates, storage, precision == "single")
    return Given(matrix, matrix.names, matrix.b, matrix.dropped_rows)


def _file_of_others(path, kind):
    """HDF5, MATLAB and TIFF: through packages that users of such files have."""
    name, _, array = path.partition(":")
    if not os.path.exists(name):
        raise refused(NoFileError, "cannot open the input", name, "no such file")
    try:
        if kind == "tif":
            import tifffile

            return Given(_dense(np.asarray(tifffile.imread(name))))
        A, b = (_from_hdf5 if kind == "h5" else _from_matlab)(name, array)
    except ImportError as missing:
        raise needed(missing, f"reading {name}", {"h5": "h5py", "mat": "scipy", "tif": "tifffile"}[kind]) from None
    except KeyError:
        raise refused(DataError, "the file has no such array", name, array or "A", hint="FILE:NAME names one") from None
    given = _object(A)
    if b is not None:
        b = np.asarray(b, dtype=np.float64)
        given.b = b.reshape(-1) if b.shape[:-1] == (1,) else b  # vectors of MATLAB may be rows
    return given


def _from_hdf5(name, array):
    """The array of this name, or A and b."""
    import h5py

    with h5py.File(name, "r") as file:
        if array:
            return np.asarray(file[array]), None
        return np.asarray(file["A"]), np.asarray(file["b"]) if "b" in file else None


def _from_matlab(name, array):
    from scipy.io import loadmat

    try:
        arrays = loadmat(name)
    except NotImplementedError:  # version 7.3 is HDF5, with the dimensions the other way round
        return tuple(v if v is None else v.T for v in _from_hdf5(name, array))
    return arrays[array or "A"], None if array else arrays.get("b")


def _parquet(path, precision, **reading):
    """Through pyarrow, as a table."""
    if not os.path.exists(path):
        raise FileNotFoundError(2, "no such file", path)
    from pyarrow import parquet

    return matrix_of(parquet.read_table(path), precision, **reading)


def one_dimension(values):
    """What a file holds has two dimensions; one column is a vector."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def numbers_of(values, name):
    """A vector, or one column per right-hand side, as contiguous float64; None stays None."""
    if values is None:
        return None
    if type(values) is np.ndarray and values.dtype is _FLOAT64 and values.flags.c_contiguous and values.flags.aligned:
        return values
    if isinstance(values, (str, os.PathLike)):
        return one_dimension(_core.read_array(os.fspath(values)))
    if hasattr(values, "tocsr"):
        values = values.toarray()
    elif hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray):
        values = _from_dlpack(values)
    elif _is_pandas(values, "DataFrame") or _is_pandas(values, "Series"):
        for dtype in np.atleast_1d(np.asarray(values.dtypes, dtype=object)):
            _check_kind(dtype, name)
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return _float64(values, name)


def right_hand_side(values):
    """b as n or n x c numbers."""
    if isinstance(values, (int, float)) or getattr(values, "ndim", 1) == 0:
        raise refused(DataError, "needs one or two dimensions", "b", "one number")
    b = numbers_of(values, "b")
    if b.ndim > 2:
        raise refused(DataError, "needs one or two dimensions", "b", f"shape {b.shape}")
    return b
