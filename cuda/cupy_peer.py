"""cupy_peer.py FILE.json: adds to the results of bench_gpu_solver what CuPy takes for sparse rows
of the same size: its lsmr per iteration (from 6 and 2 of them), and its two products (cuSPARSE)."""

import json
import statistics
import sys
import time

import cupy
import cupyx.scipy.sparse as sparse
from cupyx.scipy.sparse.linalg import lsmr


def seconds(call, repeats=7):
    times = []
    for _ in range(repeats + 2):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[2:])


def measured(n, d, per_row):
    cupy.random.seed(4)
    starts = cupy.arange(0, n * per_row + 1, per_row, dtype=cupy.int32)
    part = d // per_row
    columns = (cupy.random.randint(0, part, n * per_row).reshape(n, per_row)
               + cupy.arange(per_row) * part).ravel().astype(cupy.int32)
    values = cupy.random.rand(n * per_row) * 2 - 1
    A = sparse.csr_matrix((values, columns, starts), shape=(n, d))
    transposed = A.T.tocsr()
    x, y = cupy.random.rand(d), cupy.random.rand(n)
    few, more = (seconds(lambda k=k: lsmr(A, y, atol=0, btol=0, conlim=0, maxiter=k))
                 for k in (2, 6))
    return {"n": n, "d": d, "entries": n * per_row,
            "lsmr_iteration_us": (more - few) / 4 * 1e6,
            "multiply_us": seconds(lambda: A @ x) * 1e6,
            "multiply_transposed_us": seconds(lambda: transposed @ y) * 1e6}


def main(path):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    rows = [measured(case["n"], case["d"], case["entries"] // case["n"])
            for case in results["sparse_passes"]]
    results["cupy"] = {"version": cupy.__version__, "rows": rows}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    for row in rows:
        print("CuPy ", row)


if __name__ == "__main__":
    main(sys.argv[1])
