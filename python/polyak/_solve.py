"""polyak.solve."""

import inspect
import os
import warnings

import numpy as np

from . import _core
from ._errors import DataError, NotConvergedWarning, PolyakWarning, UsageError, refused
from ._inputs import (
    is_operator,
    matrix_of,
    numbers_of,
    one_dimension,
    reading_options,
    right_hand_side,
    with_ones,
)
from ._options import OF_SOLVE, TABLE, check_names, one_number
from ._report import Report


def solve(A, b=None, *, weights=None, ridge=0.0, ridge_factors=None, intercept=False, lower=None, upper=None,
          x0=None, reference=None, probabilities=None, callback=None, progress=False, rhs_column=None,
          drop_nonfinite_rows=False, duplicates="sum", storage="auto", precision="double", **options):
    if options:
        check_names("solve", options, OF_SOLVE)
    if b is not None and rhs_column is not None:
        raise refused(UsageError, "the right-hand side is given twice", "rhs_column", "b as well", hint="leave one of them out")
    given = matrix_of(A, precision, **reading_options(rhs_column, drop_nonfinite_rows, duplicates, storage))
    matrix = given.matrix
    b = _right_hand_side(A, b, given)
    parts = {}
    if type(ridge) is not float and ridge is not None:
        ridge = one_number(ridge, "ridge", "ridge_factors has one for each unknown")
    if ridge:
        parts["ridge"] = ridge
    for name, value in (("weights", weights), ("ridge_factors", ridge_factors), ("lower", lower), ("upper", upper),
                        ("probabilities", probabilities), ("x0", x0), ("reference", reference)):
        if value is not None:
            parts[name] = np.atleast_1d(numbers_of(value, name))
    if callback is not None:
        parts["measured"] = _measured(callback, b.ndim == 1)
    if progress:
        parts["progress"] = _Bar(matrix.rows)
    if matrix.only_products:
        if options.get("method") in (None, "auto"):
            options["method"] = "lsqr" if lower is None and upper is None else "bounded-cg"
        if intercept:
            matrix = _with_intercept(A, matrix, parts)
    elif intercept:
        parts["intercept"] = True
    if precision != "double":
        matrix = _single(matrix, precision)
    try:
        result = _core.solve(matrix, b, parts, options)
        if progress:
            parts["progress"](*result.progress)
    except BaseException as error:
        unfinished = getattr(error, "_polyak_result", None)
        if unfinished is None:
            raise
        error.report = Report(unfinished, b.ndim == 1, _names(given.names, intercept), bool(intercept))
        if isinstance(error, StopIteration) and callback is not None:
            return error.report
        raise
    finally:
        if progress:
            parts["progress"].close()
    if isinstance(A, (str, os.PathLike)):
        _core.check_inputs_unchanged()
    if not result.quiet:
        _warn(result)
    return Report(result, b.ndim == 1, _names(given.names, intercept), bool(intercept))


def _right_hand_side(A, b, given):
    if b is not None:
        b = right_hand_side(b)
        if given.dropped_rows and len(b) != given.matrix.rows:
            raise refused(DataError, "rows of A were dropped, and those of b were not", "drop_nonfinite_rows",
                          f"{given.dropped_rows} rows dropped, {len(b)} in b", f"{given.matrix.rows} in b",
                          "name b by rhs_column, or drop its rows too")
        return b
    if given.b is None:
        raise TypeError("b is missing" if not isinstance(A, (str, os.PathLike)) else f"{A} holds no right-hand side; give b")
    return right_hand_side(one_dimension(given.b))


def _names(names, intercept):
    return [*names, "intercept"] if names and intercept else names


def _single(matrix, precision):
    if precision != "single":
        raise refused(UsageError, "the value does not fit the option", "precision", repr(precision), "double|single")
    return matrix.to_single()


def _with_intercept(A, matrix, parts):
    """The operator with a column of ones, and what else must know of it."""
    if not is_operator(A):
        raise refused(UsageError, "an intercept needs single rows of A", "intercept", "products only")
    d = matrix.cols
    factors = parts.get("ridge_factors", np.ones(d))
    if factors.shape == (d, 1) or factors.shape == (d,):
        parts["ridge_factors"] = np.append(factors.reshape(d), 0.0)
    for name, otherwise in (("lower", -np.inf), ("upper", np.inf)):
        bound = parts.get(name)
        if bound is not None and bound.size in (1, d) and bound.size == len(bound):
            parts[name] = np.append(np.broadcast_to(bound.reshape(-1), d), otherwise)
    return with_ones(A)


def _warn(result):
    for text in result.warnings:
        warnings.warn(text, PolyakWarning, stacklevel=3)
    if result.status != "converged":
        warnings.warn(f"{result.status}: {result.reason}", NotConvergedWarning, stacklevel=3)


class Measurement(tuple):
    """What a callback gets beside x; absent numbers are None."""

    __slots__ = ()
    _fields = ("iteration", "row_products", "seconds", "residual_norm", "gradient_norm", "relative_residual",
               "relative_gradient", "error")

    def __getattr__(self, name):
        if name in self._fields:
            return self[self._fields.index(name)]
        raise AttributeError(name)

    def __repr__(self):
        return f"Measurement({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self))})"


def _measured(callback, one_column):
    def call(x, values):
        callback(x[:, 0] if one_column else x, Measurement(values))

    return call


class _Bar:
    """Progress through tqdm, or as plain lines on standard error without it."""

    def __init__(self, rows):
        self._rows = max(1, rows)
        self._bar = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=None, unit=" passes", unit_scale=True)

    def __call__(self, iteration, row_products, residual):
        if self._bar is None:
            import sys

            print(f"polyak: iteration {iteration}, {row_products / self._rows:.4g} passes, residual {residual:.3e}",
                  file=sys.stderr)
            return
        self._bar.set_postfix_str(f"iteration {iteration}, residual {residual:.2e}", refresh=False)
        self._bar.update(row_products / self._rows - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()


def _documented():
    """The docstring and the signature of solve: its own parameters, and the options of the table."""
    lines = [_INTRODUCTION]
    signature = inspect.signature(solve)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    for name, line in TABLE.items():
        own.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=line["default"]))
        kind = line["type"] if line["choices"] is None else "{" + ", ".join(line["choices"].split("|")) + "}"
        bounds = f", {line['range']}" if line["range"] else ""
        default = "auto" if line["default"] is None else line["default"]
        lines.append(f"    {name} : {kind}{bounds}, default {default}\n        {line['sentence'].replace('--', '')}")
    lines.append(_ENDING)
    solve.__doc__ = "\n".join(lines)
    solve.__signature__ = signature.replace(parameters=own)


_INTRODUCTION = """Finds the x that minimises 1/2 sum_i w_i (a_i'x - b_i)^2 + 1/2 ridge |x|^2.

    Optionally with an intercept and within lower <= x <= upper.

    Parameters
    ----------
    A : matrix with n rows and d columns
        A NumPy array (float64 or float32 in C order is not copied), a SciPy sparse matrix or
        array (CSR is not copied), an array of another library on the CPU (through DLPack), a
        table of pandas, polars or pyarrow, the name of a file, a LinearOperator (for lsqr, cgls
        and cg), or an object with `shape` and `rows(indices)` that returns these rows.
    b : array of shape (n,) or (n, c), or the name of a file
        Right-hand side. May be missing where the file of A holds it, or with rhs_column.
    weights : array of n numbers >= 0
    ridge : float >= 0
    ridge_factors : array of d numbers >= 0
        The ridge of unknown j is ridge * ridge_factors[j].
    intercept : bool
        Adds a constant as the last unknown; the ridge never applies to it.
    lower, upper : number or array of d numbers
        Bounds of x.
    x0 : array
        Start; 0 by default.
    reference : array
        A known solution, from which report.error is computed.
    probabilities : array of n numbers
        Of the rows, with sampling="given".
    callback : function(x, measurement)
        Called after each measurement of the residual, with a copy of x and an object with
        iteration, row_products, seconds, residual_norm, gradient_norm, relative_residual,
        relative_gradient and error. What it raises ends the run; after StopIteration the report
        is returned, any other exception is passed on with the report as its attribute `report`.
    progress : bool
        Shows progress, with tqdm where it is installed.
    rhs_column : str
        The column of a table or of a text file that is b, in place of b.
    drop_nonfinite_rows, duplicates, storage, precision
        How a file is read, as in the program; precision="single" stores A in single precision.
"""
_ENDING = """
    Returns
    -------
    Report
        With x, status, history and all that report.json holds.

    Raises
    ------
    ValueError, TypeError, MemoryError, OSError
        With the parts of the message as attributes where they come from the library
        (polyak.PolyakError). KeyboardInterrupt has the best x so far in its attribute `report`.

    Examples
    --------
    >>> import numpy as np, polyak
    >>> A = np.random.default_rng(0).standard_normal((1000, 5))
    >>> report = polyak.solve(A, A @ np.arange(5.0))
    >>> report.x.round(6) + 0.0
    array([0., 1., 2., 3., 4.])
    >>> polyak.solve(A, A @ np.arange(5.0), method="minibatch-hbm", batch=100, seed=1).method
    'minibatch-hbm'
    """
_documented()
