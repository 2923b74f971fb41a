"""The result of a solve."""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import _core

_FIELDS = frozenset(_core.report_fields())
_SHOWN = ("method", "iterations", "passes", "relative_residual", "relative_gradient", "backward_error", "error",
          "certified", "verified", "rows", "cols", "nnz", "matrix", "seed", "threads")
_MOST_UNKNOWNS = 20  # that are shown one by one


class Report:
    """The result of a solve: x, how the run ended, what it cost, and its history.

    Every field of the program's report.json is an attribute of the same name, None where it was
    not measured; `asked`, `used` and `seconds` are dictionaries.

    Attributes
    ----------
    x : array of shape (d,), or (d, c) where b has two dimensions
        The best finite iterate. With an intercept its last entry is the intercept.
    status : str
        "converged", "limit", "diverged", "stagnated" or "interrupted".
    reason : str
        Why the run ended, as a sentence.
    history : structured array
        One line per measurement: iteration, row_products, seconds, residual_norm, gradient_norm,
        relative_residual, relative_gradient, error (NaN where not measured).
    names : list of str
        Names of the unknowns, where A had names of columns.

    Examples
    --------
    >>> import numpy as np, polyak
    >>> report = polyak.solve(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), [1.0, 3.0, 5.0])
    >>> report.status
    'converged'
    >>> report.x.round(6)
    array([1., 2.])
    >>> bool(report.history["residual_norm"][-1] < 1e-9)
    True
    """

    x: np.ndarray
    names: list[str]

    def __init__(self, result: Any, one_column: bool = True, names: Sequence[str] = (), intercept: bool = False) -> None:
        self._result = result
        self._intercept = intercept
        self._values: dict[str, Any] | None = None
        self._history: np.ndarray | None = None
        x = result.x
        self.x = x[:, 0] if one_column and x.shape[1] == 1 else x
        self.names = list(names) if names else []

    @property
    def _fields(self) -> dict[str, Any]:
        if self._values is None:
            self._values = json.loads(self._result.to_json())
        return self._values

    @property
    def status(self) -> str:
        return self._result.status if self._result is not None else self._fields["status"]

    @property
    def history(self) -> np.ndarray:
        if self._history is None:
            columns = self._result.history
            table = np.empty(len(columns["iteration"]), dtype=[(n, c.dtype) for n, c in columns.items()])
            for name, column in columns.items():
                table[name] = column
            self._history = table
        return self._history

    def __getattr__(self, name: str) -> Any:
        if name in _FIELDS:
            return self._fields.get(name)
        raise AttributeError(f"a Report has no field {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) | _FIELDS)

    def to_dict(self) -> dict[str, Any]:
        """The content of report.json as a dictionary."""
        return json.loads(json.dumps(self._fields))

    def __getstate__(self) -> dict[str, Any]:
        return {"fields": self._fields, "x": self.x, "history": self.history, "names": self.names,
                "intercept": self._intercept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._result = None
        self._values = state["fields"]
        self._history = state["history"]
        self.x = state["x"]
        self.names = state["names"]
        self._intercept = state["intercept"]

    def __repr__(self) -> str:
        fields = self._fields
        parts = [f"{fields['status']} by {fields['method']}", f"{fields['iterations']} iterations"]
        if "relative_residual" in fields:
            parts.append(f"relative residual {fields['relative_residual']:.2e}")
        if "total" in fields["seconds"]:
            parts.append(f"{fields['seconds']['total']:.3g} s")
        return f"<polyak.Report: {', '.join(parts)}>"

    def _headline(self) -> str:
        fields = self._fields
        return f"{fields['status']} by {fields['method']}: {fields['reason']}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        fields = self._fields
        for name in _SHOWN:
            value = fields.get(name)
            if value is not None and value != "":
                yield name.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value)
        yield "seconds", f"{float(fields['seconds'].get('total', 0.0)):.3g}"
        for text in fields.get("warnings", []):
            yield "warning", text
        yield from self._unknowns()

    def _unknowns(self) -> Iterator[tuple[str, str]]:
        """Name, value and standard error of each, where they are few."""
        if self.x.ndim != 1 or not 0 < len(self.x) <= _MOST_UNKNOWNS:
            return
        names = self.names or [f"x[{j}]" for j in range(len(self.x))]
        names = [*names[:-1], "intercept"] if self._intercept else names
        columns = (self._fields.get("statistics") or {}).get("standard_errors") or [[]]
        errors = columns[0] or [None] * len(self.x)
        for name, value, error in zip(names, self.x, errors):
            yield name, f"{value:.6g}" + (f" +- {error:.2g}" if error is not None else "")

    def __str__(self) -> str:
        rows = list(self._rows())
        width = max(len(name) for name, _ in rows)
        return "\n".join([self._headline(), *(f"  {name:<{width}}  {text}" for name, text in rows)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in self._rows())
        return f"<p>{html.escape(self._headline())}</p><table>{rows}</table>{self._picture()}"

    def _picture(self) -> str:
        """The convergence plot as an image, where Matplotlib is installed."""
        if len(self.history) < 2:
            return ""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return ""
        figure = Figure(figsize=(5, 3), layout="constrained")
        self.plot(figure.subplots())
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=100)
        return f'<img alt="convergence" src="data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}">'

    def plot(self, axes: Any = None, x: str = "iteration") -> Any:
        """Draws the norms of the history over `x`, a column of it ("iteration", "row_products",
        "seconds"), with Matplotlib; returns the axes."""
        table = self.history
        if x not in ("iteration", "row_products", "seconds"):
            raise ValueError(f"x is {x!r}, expected 'iteration', 'row_products' or 'seconds'")
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.figure(layout="constrained").subplots()
        for name in ("relative_residual", "relative_gradient", "error"):
            known = np.isfinite(table[name]) & (table[name] > 0)
            if known.any():
                axes.semilogy(table[x][known], table[name][known], marker=".", label=name.replace("_", " "))
        axes.set_xlabel(x.replace("_", " "))
        axes.set_title(f"{self.method}: {self.status}")
        axes.grid(True, which="major", alpha=0.3)
        if axes.has_data():
            axes.legend()
        return axes
