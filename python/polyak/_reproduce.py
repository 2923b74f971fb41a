"""polyak.reproduce: the experiments of the paper, or those of a user."""

from __future__ import annotations

import operator
import os
import sys
import time
from typing import Any, NamedTuple

from . import _core
from ._errors import UsageError, refused


class Reproduction(NamedTuple):
    """What reproduce() wrote, and whether the claims of the paper hold."""

    page: str  #: the page with all figures, index.html
    claims: list[dict[str, Any]]  #: figure, panel, claim, expected, measured, holds (None: not applicable), reason
    files: list[str]
    runs_made: int  #: configurations run in this call
    runs_kept: int  #: configurations that an earlier call left in the folder
    notes: list[str]  #: what could not be done
    seconds: float


def reproduce(what: str | os.PathLike[str], out: str | os.PathLike[str], *, trials: int | None = None,
              rows: int | None = None, seed: int | None = None, threads: int = 0, force: bool = False,
              progress: bool = False) -> Reproduction:
    """Runs the paper's experiments, or your own, and writes a page about them, as `polyak reproduce`.

    Parameters
    ----------
    what : str
        A figure ("fig1" to "fig6", "table1"), "all", or the name of a spec file (.toml).
    out : str
        Folder for index.html, claims.json, and a .csv, .svg and .png of each figure (these
        need the program gnuplot). Configurations that it holds already are not run again; after
        Ctrl-C the same call continues.
    trials, rows, seed : int or None
        In place of those of the specs; the paper has 100 trials and a million rows.
    threads : int
        0 means all cores. The numbers do not depend on it.
    force : bool
        Run configurations again that the folder holds.
    progress : bool
        Lines on standard error.

    Examples
    --------
    >>> import polyak, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> made = polyak.reproduce("fig1", folder.name, rows=200, trials=2)
    >>> made.runs_made > 0 and made.page.endswith("index.html")
    True
    """
    for name, value, least, most in (("trials", trials, 1, 10**6), ("rows", rows, 1, 2**40), ("seed", seed, 0, 2**64 - 1),
                                     ("threads", threads, 0, 4096)):
        if value is not None and not least <= operator.index(value) <= most:
            raise refused(UsageError, "the value does not fit the option", name, str(value), f"{least} to {most}")
    folder = os.fspath(out)
    made = _core.reproduce(os.fspath(what), folder, trials, rows, seed, threads, force, _Lines() if progress else None)
    return Reproduction(page=os.path.join(folder, "index.html"), **made)


class _Lines:
    """A line on standard error every second."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, what: str, done: float, seconds_left: float | None) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 1.0
        left = "" if seconds_left is None else f", about {seconds_left:.0f} s left"
        print(f"polyak: {100 * done:.0f} %, {what}{left}", file=sys.stderr)
