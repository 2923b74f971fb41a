"""make_stubs.py DIR: writes DIR/_core.pyi and DIR/_solve.pyi for the extension module in DIR."""

import re
import subprocess
import sys
from pathlib import Path

directory = Path(sys.argv[1])
sys.path.insert(0, str(directory))
import _core  # noqa: E402

# What solve() has beside the options of the table.
OWN = """
from collections.abc import Callable
from typing import Any, Literal

from numpy.typing import ArrayLike

from ._report import Report

class Measurement(tuple[Any, ...]):
    @property
    def iteration(self) -> int: ...
    @property
    def row_products(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def residual_norm(self) -> float: ...
    @property
    def gradient_norm(self) -> float: ...
    @property
    def relative_residual(self) -> float | None: ...
    @property
    def relative_gradient(self) -> float | None: ...
    @property
    def error(self) -> float | None: ...

def solve(
    A: Any,
    b: Any = None,
    *,
    weights: Any = None,
    ridge: float = 0.0,
    ridge_factors: Any = None,
    intercept: bool = False,
    lower: Any = None,
    upper: Any = None,
    x0: Any = None,
    reference: Any = None,
    probabilities: Any = None,
    callback: Callable[[Any, Measurement], Any] | None = None,
    progress: bool = False,
    rhs_column: str | None = None,
    drop_nonfinite_rows: bool = False,
    duplicates: Literal["sum", "error"] = "sum",
    storage: Literal["auto", "memory", "disk"] = "auto",
    precision: Literal["double", "single"] = "double",
"""


def line(option):
    kind = option["type"]
    if option["choices"]:
        kind = "Literal[" + ", ".join(f'"{word}"' for word in option["choices"].split("|")) + "]"
    return f"    {option['name']}: {kind} = {option['default']!r},\n"


text = OWN.lstrip() + "".join(line(option) for option in _core.option_table()) + ") -> Report: ...\n"
(directory / "_solve.pyi").write_text(text)
subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-i", str(directory), "-m", "_core", "-o", str(directory / "_core.pyi")],
               check=True)
# The submodules are functions behind polyak.generate and others, which are what users see.
stub = (directory / "_core.pyi").read_text()
stub = re.sub(r"from _core import \((.*?)\)", "from typing import Any", stub, count=1, flags=re.DOTALL)
(directory / "_core.pyi").write_text(stub + "\n" + "".join(f"{name}: Any\n" for name in ("generate", "theory", "tomography")))
