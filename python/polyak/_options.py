"""The options of solve(), by name: those of the option table, and names that users of other
libraries try first."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NoReturn

from . import _core
from ._errors import UsageError, refused

TABLE: dict[str, dict[str, Any]] = {line["name"]: line for line in _core.option_table()}

# What solve() has beside them.
OWN = ("weights", "ridge", "ridge_factors", "intercept", "lower", "upper", "x0", "reference", "probabilities", "callback",
       "progress", "rhs_column", "drop_nonfinite_rows", "duplicates", "storage", "precision")
OF_SOLVE = frozenset((*TABLE, *OWN))

_ELSEWHERE = {
    "alpha": "ridge for the penalty, step_size for the step",
    "atol": "tol",
    "batch_size": "batch",
    "beta": "momentum",
    "bounds": "lower and upper",
    "btol": "tol",
    "damp": "ridge, which is damp squared",
    "eta0": "step_size",
    "fit_intercept": "intercept",
    "iter_lim": "max_iterations",
    "learning_rate": "step_size",
    "lr": "step_size",
    "max_iter": "max_iterations",
    "maxiter": "max_iterations",
    "n_jobs": "threads",
    "positive": "lower=0",
    "random_state": "seed",
    "rtol": "tol",
    "sample_weight": "weights",
    "show": "progress",
    "solver": "method",
    "verbose": "progress",
}


def check_names(function: str, options: Iterable[str], known: Container[str] = TABLE) -> None:
    """An error for an option that this function does not have."""
    for name in options:
        if name not in known:
            _refuse(function, name, [other for other in (*TABLE, *OWN) if other in known])


def _refuse(function: str, name: str, known: list[str]) -> NoReturn:
    if name in TABLE:
        raise refused(UsageError, f"{function}() does not use this option", name, expected=", ".join(known))
    hint = f"; here it is {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    if not hint:
        import difflib

        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
    raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def one_number(value: Any, name: str, hint: str = "") -> float:
    """The value as a float; TypeError for arrays, texts and other things."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError) as error:
        shape = getattr(value, "shape", None)
        found = f"an array of shape {shape}" if shape else type(value).__name__
        raise TypeError(f"{name} is one number (found {found}){hint and '; ' + hint}") from error
