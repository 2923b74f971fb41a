"""The memory that --dry-run foretells is what a run takes.

Peak resident memory of a solve, less that of the same method on a tiny
problem and less the pages of the mapped A, is compared with the estimate of
"solving": within a factor of two. The shapes make the working memory tens of
megabytes, so that libraries and allocators (some megabytes) do not decide.
"""

import json
import os
import subprocess
import sys

POLYAK = os.environ["POLYAK"]
FACTOR = 2.0


def peak(*arguments):
    """Peak resident bytes of a run."""
    process = subprocess.Popen([POLYAK, "solve", *arguments, "--quiet", "--threads", "2"])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 3), (arguments, process.returncode)
    return 1024.0 * usage.ru_maxrss


def generate(name, rows, cols):
    subprocess.run([POLYAK, "generate", "spectrum", "--rows", str(rows), "--cols", str(cols),
                    "--kappa", "10", "--noise", "0.1", "--output", name, "--quiet"], check=True)
    return [f"{name}/A.npy", f"{name}/b.npy"]


def sparse(rows, cols):
    """Three entries in each row."""
    with open("sparse_A.mtx", "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} {cols} {3 * rows}\n")
        for i in range(rows):
            for j in sorted({(i * 7) % cols, (i * 11 + 1) % cols, (i * 13 + 2) % cols} |
                            {(i + k) % cols for k in range(3)})[:3]:
                file.write(f"{i + 1} {j + 1} {1.0 + (i * j) % 5}\n")
    with open("sparse_b.mtx", "w") as file:
        file.write(f"%%MatrixMarket matrix array real general\n{rows} 1\n")
        file.writelines(f"{i % 10}\n" for i in range(rows))
    return ["sparse_A.mtx", "sparse_b.mtx"]


def foretold(*arguments):
    run = subprocess.run([POLYAK, "solve", *arguments, "--dry-run", "--log-format", "json"],
                         check=True, capture_output=True)
    return json.loads(run.stdout)["memory"]


def main():
    if "sanitize" in os.environ.get("POLYAK_FLAGS", ""):
        return  # whose shadow memory is no part of the estimate
    many_columns = generate("many_columns", 4000, 1200)
    many_rows = generate("many_rows", 1500000, 4)
    both = generate("both", 20000, 800)
    few_entries = sparse(6000, 1800)
    tiny = generate("tiny", 200, 8)
    failed = False
    for data, options in [
        (many_columns, ["--method", "direct"]),
        (many_columns, ["--method", "normal"]),
        (many_columns, ["--method", "sketch-hbm", "--max-passes", "3"]),
        (many_columns, ["--method", "hbm", "--max-passes", "3"]),
        (many_columns, ["--method", "lsqr", "--max-passes", "3", "--statistics"]),
        (many_rows, ["--method", "lsqr", "--max-passes", "9"]),
        (many_rows, ["--method", "minibatch-hbm", "--batch", "1000", "--max-passes", "1"]),
        (many_rows, ["--method", "rk", "--max-passes", "1"]),
        (both, ["--method", "normal"]),
        (few_entries, ["--method", "normal"]),
        (few_entries, ["--method", "hbm", "--max-passes", "3"]),
        (both, []),  # foretold is the hungriest that auto may come to
    ]:
        memory = foretold(*data, *options)
        mapped = memory["A"] + memory["b"]
        taken = peak(*data, *options) - peak(*tiny, *options) - mapped
        ratio = taken / memory["solving"]
        print(f"{data[0]} {' '.join(options)}: {taken / 1e6:.1f} MB taken, "
              f"{memory['solving'] / 1e6:.1f} MB foretold")
        if ratio > FACTOR or (options and ratio < 1 / FACTOR):
            print("  not within a factor of", FACTOR)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
