"""peers.py ROWS COLS THREADS SEED: NumPy, SciPy and ASTRA, measured for `polyak bench`.

Each line on standard input requests a short run, "NAME [SIZE] CALLS"; the reply
is the seconds of one call. Every call uses rows that were drawn before, and
sorted, as in polyak; output arrays are allocated before. `take` gets mode="clip", because
the default copies through a buffer. ASTRA is used where it is installed, also by
`make peers`: its CPU algorithms FP and BP, one after the other, which use one
thread and single precision.

peers.py file FOLDER: solves A.npy and b.npy there by normal equations into
x_numpy.npy, and prints the seconds of importing NumPy, and of the rest.
"""

import os
import signal
import sys
import time
import traceback
from pathlib import Path


def from_file(folder):
    """A whole process, as a user would write it: load, solve, save."""
    start = time.perf_counter()
    import numpy as np
    imported = time.perf_counter()
    A, b = np.load(folder / "A.npy"), np.load(folder / "b.npy")
    np.save(folder / "x_numpy.npy", np.linalg.solve(A.T @ A, A.T @ b))
    print(imported - start, time.perf_counter() - imported)


if sys.argv[1:2] == ["file"]:
    from_file(Path(sys.argv[2]))
    sys.exit(0)

try:
    import numpy as np
    import scipy
    import scipy.linalg
    import scipy.sparse
except ImportError as error:
    print(f"{error}; Debian has python3-numpy and python3-scipy", flush=True)
    sys.exit(0)

# After Debian's own NumPy, so that the other measurements stay what they are.
sys.path += map(str, (Path(__file__).resolve().parent.parent / "build/peers/lib").glob("*/site-packages"))
try:
    import astra
except ImportError:
    astra = None

ROWS, COLS, THREADS, SEED = map(int, sys.argv[1:5])
rng = np.random.default_rng(SEED)
made = {}


def once(name, make):
    """What a request needs is made when it first comes, and kept."""
    if name not in made:
        made[name] = make()
    return made[name]


def blas_core():
    """The OpenBLAS kernels in use, from the library that is loaded."""
    import ctypes
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "blas" in line}
    for path in sorted(paths):
        try:
            name = ctypes.CDLL(path).openblas_get_corename
        except (AttributeError, OSError):
            continue
        name.restype = ctypes.c_char_p
        return "OpenBLAS " + name().decode()
    return "another BLAS"


def dense():
    A = rng.random((ROWS, COLS))
    A -= 0.5
    return A, rng.random(ROWS), rng.random(COLS)


def sparse(entries=58):
    """Rows like lines through an image, as in line_matrix of the C++ side; with 20 entries a row
    more rows and fewer columns."""
    quarter = ROWS // 4
    rows = max(quarter if entries == 58 else ROWS, 1000)
    cols = max(64, min(65536 if entries == 58 else 10000, quarter))
    columns = ((np.arange(entries)[None, :] + rng.random((rows, 1))) * (cols / entries))
    A = scipy.sparse.csr_matrix(
        (np.full(rows * entries, 1.25), columns.astype(np.int32).ravel(),
         np.arange(0, rows * entries + 1, entries)), shape=(rows, cols))
    return A, rng.random(rows), rng.random(cols)


def sorted_rows(n, batch, calls):
    return [np.sort(rng.integers(0, n, batch)) for _ in range(calls)]


def buffers(batch):
    """Written once, so that no call meets a page for the first time."""
    return np.ones((batch, COLS)), np.ones(batch), np.ones(batch), np.ones(batch)


def timed(calls, call):
    start = time.perf_counter()
    for i in range(calls):
        call(i)
    return (time.perf_counter() - start) / calls


def gradient(batch, calls):
    """g = sum of w (a'x - b) a over the rows."""
    A, b, x = once("dense", dense)
    rows, g = sorted_rows(ROWS, batch, calls), np.ones(COLS)
    M, r, br, w = once(("buffers", batch), lambda: buffers(batch))

    def call(i):
        np.take(A, rows[i], axis=0, out=M, mode="clip")
        np.take(b, rows[i], out=br, mode="clip")
        np.dot(M, x, out=r)
        np.subtract(r, br, out=r)
        np.multiply(r, w, out=r)
        np.dot(r, M, out=g)
    return timed(calls, call)


def iteration(batch, calls):
    """A whole iteration of minibatch heavy ball, with a cached distribution."""
    A, b, x = once("dense", dense)

    def probabilities():
        p = np.einsum("ij,ij->i", A, A)
        p /= p.sum()
        cdf = np.cumsum(p)
        return p, cdf / cdf[-1]
    p, cdf = once("probabilities", probabilities)
    M, r, _, _ = once(("buffers", batch), lambda: buffers(batch))
    state = {"x": x.copy(), "before": x.copy()}
    alpha, beta = 1e-9, 0.9

    def call(_):
        rows = cdf.searchsorted(rng.random(batch))
        np.take(A, rows, axis=0, out=M, mode="clip")
        np.dot(M, state["x"], out=r)
        np.subtract(r, b[rows], out=r)
        np.divide(r, p[rows], out=r)
        g = np.dot(r, M) / batch
        x, before = state["x"], state["before"]
        state["x"], state["before"] = x - alpha * g + beta * (x - before), x
    return timed(calls, call)


def gram(calls):
    """A'A alone, which NumPy hands to dsyrk."""
    A, _, _ = once("dense", dense)
    return timed(calls, lambda _: A.T @ A)


def normal(calls):
    """The least squares solution by the normal equations."""
    A, b, _ = once("dense", dense)
    return timed(calls, lambda _: scipy.linalg.solve(A.T @ A, A.T @ b, assume_a="pos"))


def csr(batch, calls):
    A, b, x = once(("sparse", 58), sparse)
    rows = sorted_rows(A.shape[0], batch, calls)

    def call(i):
        M = A[rows[i]]
        return M.T @ (M @ x - b[rows[i]])
    return timed(calls, call)


def csr_full(entries, calls):
    A, b, x = once(("sparse", entries), lambda: sparse(entries))
    T = once(("transposed", entries), lambda: A.T)
    return timed(calls, lambda _: T @ (A @ x - b))


def problem(folder):
    """A and b as the other side wrote them, in memory; the last ones only."""
    import scipy.sparse.linalg  # noqa: F401
    stamp = (Path(folder) / "b.npy").stat().st_mtime_ns
    if made.get("stamp") != stamp:
        made.pop("problem", None)
        path = Path(folder)
        dense = path / "A.npy"
        A = np.load(dense) if dense.exists() else scipy.sparse.load_npz(path / "A.npz")
        made["problem"], made["stamp"] = (A, np.load(path / "b.npy").ravel()), stamp
    return made["problem"]


def solve_run(solve):
    """x from A and b; it is left beside them for its error to be told."""
    def run(folder, calls):
        A, b = problem(folder)
        answer = {}

        def call(_):
            try:
                answer["x"] = solve(A, b)
            except np.linalg.LinAlgError:  # no answer: an error of 1
                answer["x"] = np.zeros(A.shape[1])
        seconds = timed(calls, call)
        np.save(Path(folder) / "x.npy", answer["x"])
        return seconds
    return run


def tried(run):
    """A first run in a process of its own, which ends when its time is up: the
    seconds are infinite then, and where it fails."""
    def attempt(folder, allowance, calls):
        problem(folder)
        start = time.perf_counter()
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(allowance)
                run(folder, calls)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        return time.perf_counter() - start if status == 0 else float("inf")
    return attempt


def krylov(name):
    return lambda A, b: getattr(scipy.sparse.linalg, name)(A, b, atol=1e-10, btol=1e-10)[0]


def by_gels(A, b):
    return scipy.linalg.lapack.dgels(A, b)[1][:A.shape[1]]


SOLVERS = {
    "normal": lambda A, b: scipy.linalg.solve(A.T @ A, A.T @ b, assume_a="pos"),
    "lstsq": lambda A, b: np.linalg.lstsq(A, b, rcond=None)[0],
    "gels": by_gels, "lsqr": krylov("lsqr"), "lsmr": krylov("lsmr"),
    "sparse_normal": lambda A, b: scipy.linalg.solve((A.T @ A).toarray(), A.T @ b, assume_a="pos"),
    "sparse_lsqr": krylov("lsqr"), "sparse_lsmr": krylov("lsmr"),
    "dense_lstsq": lambda A, b: np.linalg.lstsq(A.toarray(), b, rcond=None)[0],
}


def astra_pair(model, side, detectors, views):
    """The algorithms FP and BP of one projector, their data in place."""
    volume = astra.create_vol_geom(side, side)
    angles = np.linspace(0, np.pi, views, endpoint=False)
    scan = astra.create_proj_geom("parallel", 1.0, detectors, angles)
    projector = astra.create_projector(model, scan, volume)
    image = astra.data2d.create("-vol", volume, rng.random((side, side), dtype=np.float32))
    back = astra.data2d.create("-vol", volume, 0)
    sinogram = astra.data2d.create("-sino", scan, 0)
    out = []
    for name, key, data in (("FP", "VolumeDataId", image), ("BP", "ReconstructionDataId", back)):
        config = astra.astra_dict(name)
        config.update({"ProjectorId": projector, "ProjectionDataId": sinogram, key: data})
        out.append(astra.algorithm.create(config))
    return out


def astra_run(model):
    def run(side, detectors, views, calls):
        pair = once(("astra", model, side), lambda: astra_pair(model, side, detectors, views))
        return timed(calls, lambda _: [astra.algorithm.run(algorithm) for algorithm in pair])
    return run


RUNS = {run.__name__: run for run in (gradient, iteration, gram, normal, csr, csr_full)}
RUNS.update({f"solve_{name}": solve_run(solve) for name, solve in SOLVERS.items()})
RUNS.update({f"try_{name}": tried(solve_run(solve)) for name, solve in SOLVERS.items()})
if astra:
    RUNS.update({f"astra_{model}": astra_run(model) for model in ("line", "linear", "strip")})


def main():
    more = f", ASTRA {astra.__version__}" if astra else ""
    print(f"ready NumPy {np.__version__}, SciPy {scipy.__version__}, {blas_core()}, "
          f"{THREADS} threads{more}", flush=True)
    for line in sys.stdin:
        name, *numbers = line.split()
        seconds = RUNS[name](*(int(n) if n.isdigit() else n for n in numbers))
        if THREADS > 1:
            time.sleep(0.04)  # until OpenBLAS's threads sleep and leave the cores to others
        print(f"{seconds:.9e}", flush=True)


if __name__ == "__main__":
    main()
