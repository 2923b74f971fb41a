"""Least squares by sampling rows, with Krylov, sketching and direct methods beside it.

    >>> import numpy as np, polyak
    >>> A = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> polyak.solve(A, [1.0, 2.0, 2.0]).x.round(3)
    array([0.667, 0.5  ])

solve() is the way in; lsqr, lsmr, nnls and lsq_linear have the signatures of SciPy's, and
polyak.sklearn has estimators.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

from . import _core

# The OpenBLAS that the package brings. It is loaded at the first call, and has nothing to do with
# that of NumPy or its threads.
_openblas = os.path.join(os.path.dirname(__file__), "openblas", "libscipy_openblas.so")
if os.path.exists(_openblas):
    _core.use_blas(_openblas, "scipy_")

from ._errors import (  # noqa: E402
    DataError,
    FileError,
    InternalError,
    NoFileError,
    NotConvergedWarning,
    OutOfMemoryError,
    PolyakError,
    PolyakWarning,
    UsageError,
)
from ._report import Report  # noqa: E402
from ._solve import solve  # noqa: E402

if TYPE_CHECKING:
    from . import generate, sklearn, theory, tomography
    from ._bounded import lsq_linear, nnls
    from ._krylov import lsmr, lsqr
    from ._plan import Plan, memory, plan
    from ._reproduce import reproduce

__version__ = _core.version
__all__ = ["solve", "Report", "PolyakError", "UsageError", "DataError", "NoFileError", "FileError",
           "OutOfMemoryError", "InternalError", "PolyakWarning", "NotConvergedWarning", "methods",
           "lsqr", "lsmr", "nnls", "lsq_linear", "plan", "Plan", "memory", "reproduce"]

# Names of other modules, which are imported when they are asked for.
_LATER = {"lsqr": "._krylov", "lsmr": "._krylov", "nnls": "._bounded", "lsq_linear": "._bounded",
          "plan": "._plan", "memory": "._plan", "Plan": "._plan", "reproduce": "._reproduce",
          "sklearn": ".sklearn", "theory": ".theory", "generate": ".generate", "tomography": ".tomography"}


def methods() -> list[dict[str, Any]]:
    """The methods of solve(): name, what it is, and what it can do.

    >>> import polyak
    >>> [m["name"] for m in polyak.methods()][:3]
    ['gd', 'hbm', 'nag']
    """
    return _core.methods()


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module = importlib.import_module(_LATER[name], __name__)
        value = module if _LATER[name] == "." + name else getattr(module, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'polyak' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LATER))
