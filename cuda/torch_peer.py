"""torch_peer.py FILE.json: adds to bench_gpu's results the microseconds of an iteration in
PyTorch: draw B rows of 10^6 by 100 uniformly, gather them, two matrix-vector products,
step. No look-up by norms and no deterministic sum: less work than bench_gpu's iterations.
Also A'A by one product of matrices (cuBLAS), for the sizes of bench_gpu_solver."""

import json
import statistics
import sys

import torch

N, D = 10**6, 100


def iteration(A, b, x, batch):
    rows = torch.randint(0, N, (batch,), device="cuda")
    chosen = A[rows]
    return x - 1e-9 * (chosen.T @ (chosen @ x - b[rows]))


def microseconds(call, repeats=7, inner=20):
    times = []
    for _ in range(repeats + 2):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        for _ in range(inner):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / inner)
    return statistics.median(times[2:])


def gram(n, d):
    A = torch.rand(n, d, dtype=torch.float64, device="cuda") - 0.5
    return {"n": n, "d": d, "us": microseconds(lambda: A.T @ A, inner=2)}


def main(path):
    torch.manual_seed(5)
    A = torch.rand(N, D, dtype=torch.float64, device="cuda") * 2 - 1
    b, x = A.sum(1), torch.zeros(D, dtype=torch.float64, device="cuda")
    rows = [{"n": N, "d": D, "batch": batch, "us": microseconds(lambda: iteration(A, b, x, batch))}
            for batch in (1, 16, 128, 1024, 10**4, 10**5, 4 * 10**5)]
    grams = [gram(n, d) for n, d in ((10**6, 100), (8 * 10**6, 100), (4 * 10**6, 200),
                                     (1600000, 500), (8 * 10**5, 1000))]
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    results["pytorch"] = {"version": torch.__version__, "rows": rows, "grams": grams}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    for row in rows:
        print(f"PyTorch  B {row['batch']}  {row['us']:.1f} us")
    for row in grams:
        print(f"PyTorch  A'A {row['n']} x {row['d']}  {row['us']:.1f} us")


if __name__ == "__main__":
    main(sys.argv[1])
