"""Two-dimensional scans: projectors as operators, and images from sinograms.

    >>> import numpy as np, polyak
    >>> from polyak.tomography import Projector
    >>> scan = Projector(np.linspace(0, np.pi, 60, endpoint=False), detectors=48, rows=32, cols=32)
    >>> image = np.zeros((32, 32)); image[8:20, 10:24] = 1.0
    >>> sinogram = (scan @ image.ravel()).reshape(60, 48)
    >>> found = scan.reconstruct(sinogram, method="cgls", max_iterations=40)
    >>> bool(np.linalg.norm(found.image - image) < 0.05 * np.linalg.norm(image))
    True
"""

from __future__ import annotations

import operator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._errors import DataError, UsageError, needed, refused
from ._report import Report

try:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator
except ImportError as missing:
    raise needed(missing, "polyak.tomography", "scipy>=1.11") from None

_tomography = _core.tomography


class Reconstruction(NamedTuple):
    """An image, or a stack of them, and how it was found."""

    image: np.ndarray  #: rows x cols, or slices x rows x cols
    report: Report
    more: dict[str, Any]  #: smoothing, noise, lambda_max and others; None where they do not apply


def phantom(name: Literal["shepp-logan", "disc", "rectangle", "shapes", "walnut"], rows: int, cols: int | None = None,
            seed: int = 0) -> np.ndarray:
    """A known image, for experiments; those of "shapes" and "walnut" depend on the seed.

    >>> from polyak.tomography import phantom
    >>> phantom("disc", 64).shape
    (64, 64)
    """
    sizes = [operator.index(value) for value in (rows, rows if cols is None else cols)]
    for what, size in zip(("rows", "cols"), sizes):
        if size < 1:
            raise refused(UsageError, "the value does not fit the option", what, str(size), "at least 1")
    return _tomography.phantom(name, *sizes, operator.index(seed))


def _line(values: ArrayLike, name: str) -> np.ndarray:
    """One number, or one for each view."""
    values = np.atleast_1d(np.asarray(values))
    if values.ndim != 1:
        raise refused(DataError, "the array has another shape", name, str(values.shape), "one dimension")
    return np.ascontiguousarray(values, dtype=np.float64)


class Projector(LinearOperator):
    """The matrix of a scan: one row per ray, one column per pixel, computed when it is used.

    A SciPy LinearOperator on all cores; polyak.solve takes it with every method, since it can
    also compute single rows.

    Parameters
    ----------
    angles : array of radians, one per view
    detectors : int
        Elements of the detector.
    rows, cols : int
        Pixels of the image, centred on the rotation axis.
    spacing, pixel : float
        Sizes of an element and of a pixel, in one unit.
    offset : float, or array with one number per view
        Of the detector.
    beam : {"parallel", "fan"}
        A fan needs source_distance and detector_distance, from the axis.
    model : {"line", "linear", "strip"}
        What the entry of a ray and a pixel is: length, interpolation, area.
    threads : int
    """

    def __init__(self, angles: ArrayLike, detectors: int, rows: int, cols: int, *, spacing: float = 1.0, pixel: float = 1.0,
                 offset: ArrayLike = 0.0, beam: Literal["parallel", "fan"] = "parallel", source_distance: float = 0.0,
                 detector_distance: float = 0.0, model: Literal["line", "linear", "strip"] = "line",
                 threads: int = 0) -> None:
        self._geometry = {
            "beam": beam, "angles": _line(angles, "angles"), "detectors": int(detectors),
            "spacing": float(spacing), "offsets": _line(offset, "offset"),
            "source_distance": float(source_distance), "detector_distance": float(detector_distance),
            "rows": int(rows), "cols": int(cols), "pixel": float(pixel),
        }
        self._model, self._threads = model, threads
        self._polyak_matrix = _tomography.projector(self._geometry, model, threads)
        self._products = _core.Products(self._polyak_matrix, threads)
        super().__init__(np.float64, self._products.shape)

    def __reduce__(self):
        g = self._geometry
        sizes = {name: g[name] for name in ("angles", "detectors", "rows", "cols")}
        more = {name: g[name] for name in ("spacing", "pixel", "beam", "source_distance", "detector_distance")}
        arguments = {**sizes, **more, "offset": g["offsets"], "model": self._model, "threads": self._threads}
        rest = {name: value for name, value in vars(self).items() if name not in _MADE_BY_INIT}
        return _projector, (type(self), arguments), rest or None

    def _matvec(self, x):
        return self._products.multiply(np.ascontiguousarray(x, dtype=np.float64).reshape(-1))

    def _rmatvec(self, y):
        return self._products.transposed(np.ascontiguousarray(y, dtype=np.float64).reshape(-1))

    def _matmat(self, X):
        return self._products.multiply(np.ascontiguousarray(X, dtype=np.float64))

    def _rmatmat(self, Y):
        return self._products.transposed(np.ascontiguousarray(Y, dtype=np.float64))

    def matrix(self) -> csr_array:
        """The matrix stored as a SciPy CSR array.

        >>> from polyak.tomography import Projector
        >>> Projector([0.0], detectors=2, rows=2, cols=2).matrix().toarray()
        array([[1., 0., 1., 0.],
               [0., 1., 0., 1.]])
        """
        out = csr_array(_tomography.matrix(self._geometry, self._model, self._threads), shape=self.shape)
        out.has_canonical_format = True
        return out

    def reconstruct(self, sinograms: Any, **options: Any) -> Reconstruction:
        """The image of a sinogram (views x detectors), or one for each slice of a stack.

        The method "auto" is total variation with a smoothing chosen by held-out rays; others are
        those of polyak.solve, sirt, sart and fbp. Options: method, stored, batch, step_size,
        momentum, b_star, coverage, sampling, relaxation, filter, start, smoothing, ridge, lower,
        upper, weights, noise, tau, plateau, max_passes, max_iterations, time_limit, seed, threads
        (docs/tomography.md of the project describes them). After Ctrl-C, KeyboardInterrupt has the
        image so far in its attribute `image`, where the method had time to leave it.
        """
        sinograms = self._sinograms(sinograms)
        options.setdefault("projector", self._model)
        if options.get("weights") is not None:
            options["weights"] = self._ray_weights(options["weights"])
        one = sinograms.ndim == 2
        try:
            return _reconstruction(_tomography.reconstruct(self._geometry, sinograms, options), one)
        except BaseException as error:
            _keep_unfinished(error, one)
            raise

    def _ray_weights(self, values):
        """One for each ray: views x detectors, or as a vector."""
        shape = (len(self._geometry["angles"]), self._geometry["detectors"])
        values = np.asarray(values)
        if values.shape not in (shape, (shape[0] * shape[1],)):
            raise refused(DataError, "the array has another shape", "weights", str(values.shape), str(shape))
        return np.ascontiguousarray(values, dtype=np.float64).reshape(-1)

    def _sinograms(self, values):
        """Views x detectors, or a stack of these: the same numbers in another shape are another scan."""
        values = np.asarray(values)
        shape = (len(self._geometry["angles"]), self._geometry["detectors"])
        if values.ndim not in (2, 3) or values.shape[-2:] != shape:
            raise ValueError(f"a sinogram of shape {values.shape} does not fit {shape[0]} views of {shape[1]} detectors")
        if np.iscomplexobj(values):
            raise TypeError("a sinogram has complex numbers; real ones are needed")
        return np.ascontiguousarray(values, dtype=np.float64)

    def back_projection(self, sinograms: Any, filter: str = "ram-lak") -> np.ndarray:
        """Filtered back projection of a sinogram, or of a stack."""
        sinograms = self._sinograms(sinograms)
        images = _tomography.filtered_back_projection(self._geometry, sinograms, filter)
        return images[0] if sinograms.ndim == 2 else images


def _reconstruction(made: tuple[np.ndarray, Any, dict[str, Any]], one: bool) -> Reconstruction:
    images, result, more = made
    return Reconstruction(images[0] if one else images, Report(result, one), more)


def _keep_unfinished(error, one):
    """Ctrl-C has ended a reconstruction: its image, where there is one, stays with the exception."""
    unfinished = getattr(error, "_polyak_result", None)
    if unfinished is not None:
        error.image, error.report, _ = _reconstruction(unfinished, one)


_MADE_BY_INIT = frozenset({"_geometry", "_model", "_threads", "_polyak_matrix", "_products", "dtype", "shape"})


def _projector(kind: type[Projector], arguments: dict[str, Any]) -> Projector:
    """A Projector, or one of a subclass of it, whatever the arguments of that class are."""
    made = kind.__new__(kind)
    Projector.__init__(made, **arguments)
    return made
