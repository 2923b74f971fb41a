"""lsqr and lsmr with the signatures and results of scipy.sparse.linalg, on all cores.

Both are written from their papers: C. C. Paige and M. A. Saunders, LSQR: an algorithm for sparse
linear equations and sparse least squares, ACM Trans. Math. Softw. 8 (1982) 43-71; D. C.-L. Fong
and M. A. Saunders, LSMR: an iterative algorithm for sparse least-squares problems, SIAM J. Sci.
Comput. 33 (2011) 2950-2971. Names of scalars are those of the papers.
"""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._inputs import has_complex_type, matrix_of

_EPS = np.finfo(np.float64).eps
_MESSAGES = (
    "The exact solution is x = 0, or x = x0, if x0 was given",
    "Ax - b is small enough, given atol, btol",
    "The least-squares solution is good enough, given atol",
    "The estimate of cond(Abar) has exceeded conlim",
    "Ax - b is small enough for this machine",
    "The least-squares solution is good enough for this machine",
    "Cond(Abar) seems to be too large for this machine",
    "The iteration limit has been reached",
)


def _functions(A, *vectors):
    """(shape, A·x, Aᴴ·y): by the solver's kernels, or by A itself where numbers are complex or A
    is an operator."""
    if hasattr(A, "matvec") and hasattr(A, "rmatvec"):
        return A.shape, A.matvec, A.rmatvec
    if hasattr(A, "_matvec") or callable(A):
        from scipy.sparse.linalg import aslinearoperator

        operator = aslinearoperator(A)
        return operator.shape, operator.matvec, operator.rmatvec
    if any(np.iscomplexobj(v) for v in (A, *vectors) if v is not None):
        M = A if hasattr(A, "tocsr") else np.atleast_2d(np.asarray(A))
        return M.shape, lambda x: M @ x, lambda y: M.conj().T @ y
    products = _core.Products(matrix_of(A if hasattr(A, "tocsr") or hasattr(A, "ndim") else np.asarray(A)).matrix)
    return products.shape, products.multiply, products.transposed


def _start(A, b, x0):
    b = np.atleast_1d(np.asarray(b))
    b = b.squeeze() if b.ndim > 1 else b
    b = np.atleast_1d(b)
    (m, n), multiply, transposed = _functions(A, b, x0)
    if b.shape != (m,):
        raise ValueError(f"b does not fit A (found shape {b.shape}, expected ({m},))")
    complex_numbers = np.iscomplexobj(b) or np.iscomplexobj(x0) or has_complex_type(A)
    kind = np.complex128 if complex_numbers else np.float64
    u = np.array(b, dtype=kind)
    bnorm = float(np.linalg.norm(u))
    if x0 is None:
        x, beta = np.zeros(n, dtype=kind), bnorm
    else:
        x = np.array(x0, dtype=kind).reshape(n)
        u -= multiply(x)
        beta = float(np.linalg.norm(u))
    if beta > 0:
        u /= beta
        v = np.array(transposed(u), dtype=kind)
        alpha = float(np.linalg.norm(v))
    else:
        v, alpha = x.copy(), 0.0
    if alpha > 0:
        v /= alpha
    return m, n, multiply, transposed, x, u, v, alpha, beta, bnorm


def _next(multiply, transposed, u, v, alpha):
    """One step of the bidiagonalisation: u and v are changed, (alpha, beta) returned."""
    u *= -alpha
    u += multiply(v)
    beta = float(np.linalg.norm(u))
    if beta > 0:
        u /= beta
        v *= -beta
        v += transposed(u)
        alpha = float(np.linalg.norm(v))
        if alpha > 0:
            v /= alpha
    return alpha, beta


def _rotation(a, b):
    """c, s, r with c = a/r, s = b/r, r = hypot(a, b) of the sign that keeps LSQR's signs."""
    if b == 0:
        return float(np.sign(a)), 0.0, abs(a)
    if a == 0:
        return 0.0, float(np.sign(b)), abs(b)
    r = hypot(a, b)
    return a / r, b / r, r


def _stop(itn, limit, test1, test2, test3, t1, rtol, atol, ctol):
    """The reason to stop, 0 to go on; where several hold, the strongest."""
    for reason, holds in ((1, test1 <= rtol), (2, test2 <= atol), (3, test3 <= ctol), (4, 1 + t1 <= 1),
                          (5, 1 + test2 <= 1), (6, 1 + test3 <= 1), (7, itn >= limit)):
        if holds:
            return reason
    return 0


def _show(name, m, n, columns):
    print(f"\n{name}: least squares with {m} rows and {n} columns\n   Itn  " + "  ".join(f"{c:>10}" for c in columns))


def _show_line(itn, numbers):
    if itn <= 10 or itn % 10 == 0:
        print(f"{itn:6d}  " + "  ".join(f"{v:10.3e}" for v in numbers))


def lsqr(A: Any, b: ArrayLike, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8,
         iter_lim: int | None = None, show: bool = False, calc_var: bool = False, x0: ArrayLike | None = None,
         ) -> tuple[np.ndarray, int, int, float, float, float, float, float, float, np.ndarray]:
    """LSQR as scipy.sparse.linalg.lsqr: the same parameters, stopping rules and results.

    A dense or sparse A is multiplied on all cores; an operator by its own matvec and rmatvec.

    Returns
    -------
    x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
        As in SciPy.

    Examples
    --------
    >>> import numpy as np, polyak
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, itn, r1norm = polyak.lsqr(A, [1.0, 0.0, -1.0])[:4]
    >>> x.round(6), istop
    (array([ 1., -1.]), 1)
    """
    m, n, multiply, transposed, x, u, v, alpha, beta, bnorm = _start(A, b, x0)
    limit = 2 * n if iter_lim is None else iter_lim
    var = np.zeros(n)
    ctol = 1 / conlim if conlim > 0 else 0.0
    w = v.copy()
    rhobar, phibar = alpha, beta
    anorm = acond = ddnorm = res2 = xnorm = xxnorm = z = sn2 = 0.0
    cs2 = -1.0
    istop = itn = 0
    rnorm = r1norm = r2norm = beta
    arnorm = alpha * beta
    if arnorm == 0:
        if show:
            print(_MESSAGES[0])
        return x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
    if show:
        _show("LSQR", m, n, ("r1norm", "r2norm", "test1", "test2", "anorm", "acond"))
    while itn < limit:
        itn += 1
        old_alpha = alpha
        alpha, beta = _next(multiply, transposed, u, v, alpha)
        if beta > 0:
            anorm = sqrt(anorm**2 + old_alpha**2 + beta**2 + damp**2)
        # Eliminate the damping, then the subdiagonal of the bidiagonal matrix.
        psi = 0.0
        rhobar1 = rhobar
        if damp > 0:
            rhobar1 = hypot(rhobar, damp)
            psi = damp / rhobar1 * phibar
            phibar *= rhobar / rhobar1
        cs, sn, rho = _rotation(rhobar1, beta)
        theta = sn * alpha
        rhobar = -cs * alpha
        phi = cs * phibar
        phibar = sn * phibar
        tau = sn * phi
        dk = w / rho
        x += phi * dk
        w *= -theta / rho
        w += v
        ddnorm += float(np.linalg.norm(dk)) ** 2
        if calc_var:
            var += np.abs(dk) ** 2
        # The norm of x from rotations on the right.
        delta = sn2 * rho
        gambar = -cs2 * rho
        rhs = phi - delta * z
        xnorm = sqrt(xxnorm + (rhs / gambar) ** 2)
        gamma = hypot(gambar, theta)
        cs2, sn2, z = gambar / gamma, theta / gamma, rhs / gamma
        xxnorm += z**2
        # Norms and the tests.
        acond = anorm * sqrt(ddnorm)
        res2 += psi**2
        rnorm = sqrt(phibar**2 + res2)
        arnorm = alpha * abs(tau)
        # |b - Ax|; as in SciPy the damping counts where it is positive.
        r1sq = rnorm**2 - max(damp, 0.0) ** 2 * xxnorm
        r1norm = sqrt(abs(r1sq)) * (1 if r1sq >= 0 else -1)
        r2norm = rnorm
        test1 = rnorm / bnorm if bnorm else inf
        test2 = arnorm / (anorm * rnorm + _EPS)
        test3 = 1 / (acond + _EPS)
        t1 = test1 / (1 + anorm * xnorm / bnorm) if bnorm else inf
        rtol = btol + atol * anorm * xnorm / bnorm if bnorm else btol
        istop = _stop(itn, limit, test1, test2, test3, t1, rtol, atol, ctol)
        if show:
            _show_line(itn, (r1norm, r2norm, test1, test2, anorm, acond))
        if istop:
            break
    if show:
        print(f"LSQR finished after {itn} iterations: {_MESSAGES[istop]}")
    return x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var


def lsmr(A: Any, b: ArrayLike, damp: float = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8,
         maxiter: int | None = None, show: bool = False, x0: ArrayLike | None = None,
         ) -> tuple[np.ndarray, int, int, float, float, float, float, float]:
    """LSMR as scipy.sparse.linalg.lsmr: the same parameters, stopping rules and results.

    A dense or sparse A is multiplied on all cores; an operator by its own matvec and rmatvec.

    Returns
    -------
    x, istop, itn, normr, normar, norma, conda, normx
        As in SciPy.

    Examples
    --------
    >>> import numpy as np, polyak
    >>> A = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop = polyak.lsmr(A, [1.0, 0.0, -1.0])[:2]
    >>> x.round(6), istop
    (array([ 1., -1.]), 1)
    """
    m, n, multiply, transposed, x, u, v, alpha, beta, normb = _start(A, b, x0)
    limit = min(m, n) if maxiter is None else maxiter
    ctol = 1 / conlim if conlim > 0 else 0.0
    h, hbar = v.copy(), np.zeros_like(v)
    itn = istop = 0
    zetabar, alphabar = alpha * beta, alpha
    rho = rhobar = cbar = 1.0
    sbar = 0.0
    # For the estimate of |r|.
    betadd, betad = beta, 0.0
    rhodold, tautildeold, thetatilde, zeta, d = 1.0, 0.0, 0.0, 0.0, 0.0
    # For the estimates of |A| and its condition.
    norma2 = alpha**2
    maxrbar, minrbar = 0.0, 1e100
    norma, conda, normx = sqrt(norma2), 1.0, 0.0
    normr, normar = beta, alpha * beta
    if normar == 0 or normb == 0:
        x = x if normb else np.zeros_like(x)
        if show:
            print(_MESSAGES[0])
        return x, istop, itn, normr, normar, norma, conda, normx
    if show:
        _show("LSMR", m, n, ("normr", "normar", "test1", "test2", "norma", "conda"))
    while itn < limit:
        itn += 1
        alpha, beta = _next(multiply, transposed, u, v, alpha)
        # Three rotations: of the damping, of the bidiagonal matrix, and of its R factor.
        chat, shat, alphahat = _rotation(alphabar, damp)
        rhoold = rho
        c, s, rho = _rotation(alphahat, beta)
        thetanew, alphabar = s * alpha, c * alpha
        rhobarold, zetaold = rhobar, zeta
        thetabar, rhotemp = sbar * rho, cbar * rho
        cbar, sbar, rhobar = _rotation(rhotemp, thetanew)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        hbar *= -thetabar * rho / (rhoold * rhobarold)
        hbar += h
        x += zeta / (rho * rhobar) * hbar
        h *= -thetanew / rho
        h += v
        # |r|, by a QR of the R factor's transpose.
        betaacute, betacheck = chat * betadd, -shat * betadd
        betahat, betadd = c * betaacute, -s * betaacute
        thetatildeold = thetatilde
        ctildeold, stildeold, rhotildeold = _rotation(rhodold, thetabar)
        thetatilde, rhodold = stildeold * rhobar, ctildeold * rhobar
        betad = -stildeold * betad + ctildeold * betahat
        tautildeold = (zetaold - thetatildeold * tautildeold) / rhotildeold
        taud = (zeta - thetatilde * tautildeold) / rhodold
        d += betacheck**2
        normr = sqrt(d + (betad - taud) ** 2 + betadd**2)
        # |A| and its condition.
        norma2 += beta**2
        norma = sqrt(norma2)
        norma2 += alpha**2
        maxrbar = max(maxrbar, rhobarold)
        if itn > 1:
            minrbar = min(minrbar, rhobarold)
        conda = max(maxrbar, rhotemp) / min(minrbar, rhotemp)
        normar = abs(zetabar)
        normx = float(np.linalg.norm(x))
        test1 = normr / normb
        test2 = normar / (norma * normr) if norma * normr != 0 else inf
        test3 = 1 / conda
        t1 = test1 / (1 + norma * normx / normb)
        rtol = btol + atol * norma * normx / normb
        istop = _stop(itn, limit, test1, test2, test3, t1, rtol, atol, ctol)
        if show:
            _show_line(itn, (normr, normar, test1, test2, norma, conda))
        if istop:
            break
    if show:
        print(f"LSMR finished after {itn} iterations: {_MESSAGES[istop]}")
    return x, istop, itn, normr, normar, norma, conda, normx
