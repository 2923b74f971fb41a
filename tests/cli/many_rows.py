"""Thirty million rows in a quarter of a gigabyte.

A, b and the weights are files with holes: a few thousand rows in each million are
not zero. A number of eight bytes for each row would take 240 MB; methods that draw
all rows with the same probability, and those that do not sample, keep none, and
have the bits of a run on mapped files.
"""

import json
import os
import struct
import subprocess
import sys

POLYAK = os.environ["POLYAK"]
ROWS, EVERY, USED = 30_000_000, 1_000_000, 5000
LIMIT = 250e6  # bytes
PROGRAM = 60e6  # of which it and its libraries take about so many
MEMORY = "3e8"
failed = []


def create(name, kind, size):
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({ROWS}, 1), }}"
    header = header.ljust(117) + "\n"
    file = open(name, "wb+")
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    file.truncate(128 + size * ROWS)
    return file


def write(file, code, row, values):
    file.seek(128 + struct.calcsize(code) * row)
    file.write(struct.pack(f"<{len(values)}{code}", *values))


def make_files():
    """a_i from 1 to 2, b = 3a + something, weights from 1 to 4."""
    with create("A.npy", "f4", 4) as A, create("b.npy", "f8", 8) as b, \
            create("w.npy", "f8", 8) as w:
        for start in range(EVERY // 2, ROWS, EVERY):
            a = [1.0 + (i * 7919 % 4096) / 4096.0 for i in range(USED)]
            write(A, "f", start, a)
            write(b, "d", start, [3.0 * v + 0.01 * ((i * 31) % 17 - 8) for i, v in enumerate(a)])
            write(w, "d", start, [1.0 + (i % 7) / 2.0 for i in range(USED)])


def solve(*arguments):
    """Exit code, peak memory and messages."""
    process = subprocess.Popen([POLYAK, "solve", "A.npy", "b.npy", *arguments, "--quiet",
                                "--threads", "2"], stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, 1024.0 * usage.ru_maxrss, message


def expect(what, true):
    if not true:
        failed.append(what)
        print("FAILED:", what)


def foretold(*arguments):
    run = subprocess.run([POLYAK, "solve", "A.npy", "b.npy", *arguments, "--dry-run",
                          "--threads", "2", "--log-format", "json"], capture_output=True)
    return json.loads(run.stdout)["memory"]["needed"]


def contents(name):
    with open(name, "rb") as file:
        return file.read()


def compare(*options):
    """The same bits on the disk, in little memory."""
    told = " ".join(options)
    code, peak, message = solve(*options, "--storage", "disk", "--memory", MEMORY, "--output",
                                "disk.npy", "--report", "r.json")
    expect(f"{told}: exit code {code}, {message}", code in (0, 3))
    if code not in (0, 3):
        return
    print(f"{told}: {peak / 1e6:.0f} MB")
    expect(f"{told}: {peak / 1e6:.0f} MB", peak < LIMIT)
    needed = foretold(*options, "--storage", "disk", "--memory", MEMORY)
    expect(f"{told}: {needed / 1e6:.0f} MB foretold", (peak - PROGRAM) / 2 < needed < LIMIT)
    with open("r.json") as file:
        report = json.load(file)
    expect(f"{told}: {report['zero_rows']} zero rows", "sampled" in options or
           report["zero_rows"] == ROWS - USED * (ROWS // EVERY))
    code, _, _ = solve(*options, "--storage", "memory", "--output", "memory.npy")
    expect(f"{told}: exit code {code} in memory", code in (0, 3))
    expect(f"{told}: other bits", contents("disk.npy") == contents("memory.npy"))
    x = struct.unpack("<d", contents("disk.npy")[-8:])[0]
    expect(f"{told}: x is {x}", "sampled" in options or abs(x - 3.0) < 0.02)


def main():
    if "sanitize" in os.environ.get("POLYAK_FLAGS", ""):
        return  # whose shadow memory is no part of the limit
    make_files()
    uniform = ["--sampling", "uniform", "--max-passes", "0.01"]
    for batch in ("minibatch-hbm", "minibatch-sgd", "minibatch-nag"):
        compare("--method", batch, "--batch", "500", *uniform)
    compare("--method", "minibatch-hbm", "--batch", "500", "--weights", "w.npy", *uniform)
    compare("--method", "sgd", *uniform)
    compare("--method", "hbm", "--max-passes", "10")
    compare("--method", "cg", "--weights", "w.npy")
    compare("--method", "normal")
    compare("--method", "normal", "--weights", "w.npy")
    compare()
    compare("--certify", "sampled")

    # What needs a number for each row is refused, with a way that does not.
    for method in ("minibatch-hbm", "sgd"):
        code, _, message = solve("--method", method, "--storage", "disk", "--memory", MEMORY)
        expect(f"{method}: {code}, {message}", code == 71 and "; --sampling uniform needs about" in message)
    code, _, message = solve("--method", "rk", "--storage", "disk", "--memory", MEMORY)
    expect(f"rk: {code}, {message}",
           code == 71 and "; --method sgd --sampling uniform needs about" in message)

    # A value that is not finite, in the middle.
    with open("A.npy", "rb+") as A:
        write(A, "f", 20_000_003, [float("nan")])
    code, _, message = solve("--method", "minibatch-hbm", "--batch", "500", *uniform, "--storage",
                             "disk", "--memory", MEMORY)
    expect(f"NaN: {code}, {message}", code == 65 and "A, row 20000004, column 1" in message)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
