"""polyak.plan: what each method would cost, before a solve."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any, Literal

from . import _core
from ._errors import UsageError, refused
from ._inputs import matrix_of, one_dimension, reading_options, right_hand_side
from ._options import check_names

_OPTIONS = [name.replace("-", "_") for name in _core.plan_options()]


class Plan:
    """Facts about A, and the predicted cost of each method; every field of the program's plan
    is an attribute. `table` has one dictionary per method."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._fields:
            return self._fields[name]
        raise AttributeError(f"a Plan has no field {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) | set(self._fields))

    def to_dict(self) -> dict[str, Any]:
        """All fields as a dictionary."""
        copy: dict[str, Any] = json.loads(json.dumps(self._fields))
        return copy

    def _lines(self) -> Iterator[list[str]]:
        names = ("method", "batch", "step_size", "momentum", "rate", "iterations", "passes", "seconds")
        for row in self.table:
            yield [f"{row[n]:.4g}" if isinstance(row.get(n), float) else str(row.get(n, "")) for n in names]

    def __repr__(self) -> str:
        lines = [["method", "batch", "step", "momentum", "rate", "iterations", "passes", "seconds"], *self._lines()]
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        text = "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)
        return f"<polyak.Plan of A {self.rows} x {self.cols}>\n{text}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{n}</th>" for n in ("method", "batch", "step", "momentum", "rate", "iterations", "passes", "seconds"))
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in line) + "</tr>" for line in self._lines())
        return f"<table><tr>{head}</tr>{body}</table>"


def plan(A: Any, b: Any = None, *, rhs_column: str | None = None, drop_nonfinite_rows: bool = False,
         duplicates: Literal["sum", "error"] = "sum", storage: Literal["auto", "memory", "disk"] = "auto",
         **options: Any) -> Plan:
    """Facts about A and the predicted cost of each method up to the tolerance.

    A, b, rhs_column, drop_nonfinite_rows, duplicates and storage are as in solve(). Without b a consistent
    problem is assumed. Options are tol, certify, column_scaling, sampling, gamma, spectrum, seed
    and threads of solve().

    Examples
    --------
    >>> import numpy as np, polyak
    >>> A = np.random.default_rng(0).standard_normal((2000, 10))
    >>> plan = polyak.plan(A)
    >>> plan.rows, plan.cols
    (2000, 10)
    >>> {"lsqr", "minibatch-hbm"} <= {row["method"] for row in plan.table}
    True
    """
    check_names("plan", options, _OPTIONS)
    given = matrix_of(A, **reading_options(rhs_column, drop_nonfinite_rows, duplicates, storage))
    if given.matrix.only_products:
        raise refused(UsageError, "a plan needs single rows of A", "A", "products only",
                      hint="solve() takes lsqr for such an A, or bounded-cg within bounds")
    if b is None:
        b = None if given.b is None else one_dimension(given.b)
    else:
        b = right_hand_side(b)
    return Plan(json.loads(_core.plan(given.matrix, b, options)))


def memory(A: Any, right_hand_sides: int = 1, **options: Any) -> float:
    """Bytes that solve() takes beside A and b, from the sizes alone; accurate to a factor of two
    above a few MB.

    >>> import numpy as np, polyak
    >>> polyak.memory(np.ones((10000, 100)), method="direct") < 1e8
    True
    """
    check_names("memory", options)
    return _core.solve_bytes(matrix_of(A).matrix, right_hand_sides, options)
