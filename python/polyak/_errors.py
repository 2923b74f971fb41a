"""Errors and warnings of polyak.

Every error of the library is a PolyakError and one of the usual Python errors as well:

    >>> import polyak
    >>> try:
    ...     polyak.solve([[1.0], [2.0]], [1.0, 2.0, 3.0])
    ... except ValueError as error:
    ...     print(error.where, "|", error.what, "|", error.expected)
    b | A and b do not have the same number of rows | 2 rows in b
"""


class PolyakError(Exception):
    """An error of polyak. The parts of its message are attributes; those that do not apply are "".

    Attributes: what (what is wrong), where (file, line, element, option), found, expected,
    hint (what you can do).
    """

    def __init__(self, message: str, what: str = "", where: str = "", found: str = "", expected: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.what = what or message
        self.where = where
        self.found = found
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        return str(self.args[0])


class UsageError(PolyakError, ValueError):
    """An option or argument is wrong."""


class DataError(PolyakError, ValueError):
    """The data are invalid or inconsistent."""


class NoFileError(PolyakError, FileNotFoundError):
    """An input file does not exist or cannot be opened."""


class FileError(PolyakError, OSError):
    """Reading or writing failed."""


class OutOfMemoryError(PolyakError, MemoryError):
    """An allocation failed."""


class InternalError(PolyakError, RuntimeError):
    """A fault of polyak itself."""


class PolyakWarning(UserWarning):
    """A warning of a solve; report.warnings holds the text too."""


class NotConvergedWarning(PolyakWarning):
    """A solve ended before its tolerance was met; report.status and report.reason say why."""


def refused(kind: type[PolyakError], what: str, where: str = "", found: str = "", expected: str = "", hint: str = "") -> PolyakError:
    """An error of this kind, with the message that the library makes of the parts."""
    line = f"{where}: {what}" if where else what
    inside = [f"found {found}"] * bool(found) + [f"expected {expected}"] * bool(expected)
    line += f" ({', '.join(inside)})" if inside else ""
    return kind(line + (f"; {hint}" if hint else ""), what, where, found, expected, hint)


def needed(missing: ImportError, what: str, package: str) -> ImportError:
    """The error of an import that needs a package which is not installed, or is too old."""
    return type(missing)(f"{what} needs {package} ({missing}); pip install '{package}'", name=missing.name)
