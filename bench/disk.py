#!/usr/bin/env python3
"""disk.py PROGRAM [--before OTHER_PROGRAM] [--folder DIR] [--limit MIB] [--json OUT]
        [--text GB] [--only text]

Files larger than memory: polyak beside NumPy's chunked normal equations over a memory map, each in a
control group of LIMIT MiB (1024) and on a file of 4.5 times that, with cold caches. Bytes are those
that the process read from the disk (/proc/PID/io). Without the right to make a control group the
memory is not limited, which is said. Needs NumPy, and 5 times LIMIT of disk.

And text on standard input (20 GB): a solve in one read beside the parser alone (bench_parse_table, beside
PROGRAM in ../bench), in the same group. --only text leaves the rest out."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

COLUMNS = 100
MIB = 1 << 20

NORMAL_EQUATIONS = """
import sys, numpy as np
A, b = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2], mmap_mode="r")
d, step = A.shape[1], 100_000
G, g = np.zeros((d, d)), np.zeros(d)
for i in range(0, A.shape[0], step):
    block = np.asarray(A[i:i + step])
    G += block.T @ block
    g += block.T @ np.asarray(b[i:i + step])
np.save(sys.argv[3], np.linalg.solve(G, g))
"""


def write_problem(folder, rows):
    """Normal rows and x; b consistent, and with a tenth of it as noise. In parts."""
    from numpy.lib.format import open_memmap
    A, b, noisy = (open_memmap(f"{folder}/{name}.npy", mode="w+", dtype="f8", shape=shape)
                   for name, shape in (("A", (rows, COLUMNS)), ("b", (rows,)), ("noisy", (rows,))))
    random = np.random.default_rng(1)
    x, step = random.standard_normal(COLUMNS), 200_000
    for i in range(0, rows, step):
        block = random.standard_normal((min(step, rows - i), COLUMNS))
        A[i:i + step] = block
        b[i:i + step] = block @ x
        noisy[i:i + step] = b[i:i + step] + random.standard_normal(len(block))
    for array in (A, b, noisy):
        array.flush()
    np.save(f"{folder}/x.npy", x)


class Group:
    """A control group with a limit of memory, of version 1 or 2; or none."""

    def __init__(self, limit):
        self.path, self.kind = None, "none: the memory is not limited"
        name = f"polyak-bench-{os.getpid()}"
        for root, file, kind in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "version 1"),
                                 ("/sys/fs/cgroup", "memory.max", "version 2")):
            path = f"{root}/{name}"
            try:
                os.mkdir(path)
            except OSError:
                continue
            try:
                with open(f"{path}/{file}", "w") as out:
                    out.write(str(limit))
                self.path, self.kind, self.version = path, kind, kind[-1]
                return
            except OSError:
                os.rmdir(path)

    def join(self):
        if self.path:
            with open(f"{self.path}/cgroup.procs", "w") as out:
                out.write(str(os.getpid()))

    def peak(self):
        if not self.path:
            return None
        name = "memory.max_usage_in_bytes" if self.version == "1" else "memory.peak"
        try:
            with open(f"{self.path}/{name}", "r+" if self.version == "1" else "r") as file:
                value = int(file.read())
                if self.version == "1":
                    file.write("0")
                return value
        except OSError:
            return None

    def remove(self):
        for _ in range(50):
            try:
                if self.path:
                    os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.1)


def make_cold(folder):
    os.sync()
    for name in os.listdir(folder):
        fd = os.open(f"{folder}/{name}", os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def bytes_read(pid):
    with open(f"/proc/{pid}/io") as file:
        return int(re.search(r"^read_bytes: (\d+)", file.read(), re.MULTILINE)[1])


class Bench:
    def __init__(self, folder, group):
        self.folder, self.group = folder, group

    def run(self, command, stop_after=None, most_s=600, feeder=None):
        """Seconds, bytes from the disk, the group's peak, exit code; after a SIGTERM the seconds
        until the end. `feeder`, a command outside of the group, writes standard input."""
        make_cold(self.folder)
        self.group.peak()
        source = subprocess.Popen(feeder, cwd=self.folder, stdout=subprocess.PIPE) if feeder else None
        start = time.monotonic()
        process = subprocess.Popen(command, preexec_fn=self.group.join, cwd=self.folder,
                                   stdin=source.stdout if source else None,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if source:
            source.stdout.close()
        if stop_after is not None:
            time.sleep(stop_after)
            process.send_signal(signal.SIGTERM)
            start = time.monotonic()
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() - start > most_s:
                process.kill()
            time.sleep(0.005)
        seconds, read = time.monotonic() - start, bytes_read(process.pid)
        said = process.communicate()[1].decode(errors="replace")
        if source:
            source.wait()
        return {"seconds": seconds, "bytes": read, "peak": self.group.peak(),
                "code": process.returncode, "said": said.strip()[-300:]}

    def solve(self, program, b, *options, **how):
        out = self.run([program, "solve", "A.npy", f"{b}.npy", "--quiet", "--report", "r.json",
                        "--output", "out.npy", *options], **how)
        try:
            with open(f"{self.folder}/r.json") as file:
                out["report"] = json.load(file)
            os.remove(f"{self.folder}/r.json")
        except OSError:
            out["report"] = None
        return out


def error_of(folder, name, expected):
    x = np.load(f"{folder}/{name}")
    return float(np.linalg.norm(x.ravel() - expected) / np.linalg.norm(expected))


def measure(bench, program, numpy_file, repeats):
    """The rows of the table, in one run: name -> numbers."""
    folder, size = bench.folder, os.path.getsize(f"{bench.folder}/A.npy")
    out = {}

    def put(name, runs):
        best = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
        out[name] = {key: best[key] for key in ("seconds", "bytes", "peak", "code")}
        out[name]["all_seconds"] = [run["seconds"] for run in runs]
        return best

    look, auto, peer, stream = [], [], [], []
    for _ in range(repeats):  # interleaved, because disks and machines wander
        stream.append(bench.run(["dd", "if=A.npy", "of=/dev/null", "bs=8M", "iflag=direct"]))
        look.append(bench.solve(program, "b", "--certify", "sampled"))
        auto.append(bench.solve(program, "noisy"))
        shutil.copy(f"{folder}/out.npy", f"{folder}/polyak.npy")
        peer.append(bench.run([sys.executable, numpy_file, "A.npy", "noisy.npy", "peer.npy"]))
    put("dd, direct, 8 MB at a time", stream)
    put("consistent, --certify sampled", look)
    put("noisy, auto", auto)
    out["noisy, auto"]["bytes over file size"] = out["noisy, auto"]["bytes"] / size
    put("noisy, NumPy chunked normal equations", peer)
    expected = np.load(f"{folder}/peer.npy")
    out["noisy, auto"]["difference from NumPy"] = error_of(folder, "polyak.npy", expected)

    for reader in ("io_uring", "threads"):
        hbm = ["--method", "minibatch-hbm", "--batch", "1000", "--tol", "1e-300", "--disk-reader", reader]
        runs = [bench.solve(program, "b", *hbm, "--max-iterations", "150") for _ in range(repeats)]
        one = bench.solve(program, "b", *hbm, "--max-iterations", "1")
        name = f"minibatch-hbm, B = 1000, 150 iterations, {reader}"
        best = put(name, runs)
        if best["report"] is None:
            out[name]["said"] = best["said"]
            continue
        out[name]["seconds beyond set-up"] = best["report"]["seconds"]["solve"]
        out[name]["bytes beyond set-up"] = best["bytes"] - one["bytes"]

    hbm = ["--method", "minibatch-hbm", "--batch", "1000", "--tol", "1e-300"]
    for limit in (3.0, 10.0):
        run = bench.solve(program, "noisy", *hbm, "--time-limit", str(limit))
        out[f"--time-limit {limit:g}"] = {"seconds late": run["seconds"] - limit, "code": run["code"]}
    for moment in (1.0, 4.0, 12.0):
        run = bench.solve(program, "noisy", *hbm, stop_after=moment)
        out[f"SIGTERM after {moment:g} s"] = {"seconds late": run["seconds"], "code": run["code"]}
    return out


def write_text(folder):
    """50 000 rows of text of seven digits, 50 MB; b is the sum of a row, and noise of a tenth of it."""
    random = np.random.default_rng(2)
    with open(f"{folder}/block.csv", "w") as file:
        for row in random.standard_normal((50_000, COLUMNS)).tolist():
            row.append(sum(row) + random.standard_normal())
            file.write(",".join(f"{v:.7g}" for v in row) + "\n")
    return os.path.getsize(f"{folder}/block.csv")


def measure_text(bench, program, gigabytes, repeats):
    """Text on standard input, by turns with the parser alone: name -> numbers."""
    size = write_text(bench.folder)
    times = max(1, round(gigabytes * 1e9 / size))
    feeder = ["bash", "-c", f"for ((i = 0; i < {times}; ++i)); do cat block.csv || exit; done"]
    parser = os.path.join(os.path.dirname(program), "..", "bench", "bench_parse_table")
    command = [program, "solve", "-", "--rhs-column", str(COLUMNS + 1), "--storage", "stream", "--quiet",
               "--report", "t.json"]
    rows = {"text on standard input, one read": [], "the parser alone": []}
    for _ in range(repeats):
        rows["text on standard input, one read"].append(bench.run(command, feeder=feeder, most_s=3600))
        rows["the parser alone"].append(bench.run([parser], feeder=feeder, most_s=3600))
    out = {"text": {"gigabytes": times * size / 1e9, "columns": COLUMNS}}
    for name, runs in rows.items():
        middle = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
        out[name] = {key: middle[key] for key in ("seconds", "peak", "code")}
        out[name]["all_seconds"] = [run["seconds"] for run in runs]
        out[name]["MB per second"] = times * size / 1e6 / middle["seconds"]
    with open(f"{bench.folder}/t.json") as file:
        report = json.load(file)
    out["text on standard input, one read"]["times the parser"] = (
        out["text on standard input, one read"]["seconds"] / out["the parser alone"]["seconds"])
    out["text on standard input, one read"]["report"] = {key: report[key] for key in ("rows", "verified", "stream")}
    return out


def before(bench, program, most_s):
    """Of a program that maps the file: how far it comes in the time."""
    run = bench.solve(program, "b", "--method", "minibatch-hbm", "--batch", "1000", "--tol", "1e-300",
                      "--max-iterations", "150", most_s=most_s)
    return {key: run[key] for key in ("seconds", "bytes", "peak", "code")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--before")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--limit", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--text", type=float, default=20.0, help="gigabytes of text")
    parser.add_argument("--only", choices=["text"])
    parser.add_argument("--json")
    asked = parser.parse_args()
    program = os.path.abspath(asked.program)
    group = Group(asked.limit * MIB)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        try:
            bench = Bench(folder, group)
            out = {"limit_bytes": asked.limit * MIB, "control_group": group.kind, "results": {}}
            out["results"].update(measure_text(bench, program, asked.text, asked.repeats))
            if asked.only != "text":
                rows = int(4.5 * asked.limit * MIB / (8 * COLUMNS))
                write_problem(folder, rows)
                with open(f"{folder}/peer.py", "w") as file:
                    file.write(NORMAL_EQUATIONS)
                out.update({"rows": rows, "cols": COLUMNS, "file_bytes": os.path.getsize(f"{folder}/A.npy")})
                out["results"].update(measure(bench, program, "peer.py", asked.repeats))
            if asked.before:
                out["results"]["before: minibatch-hbm, B = 1000, 150 iterations"] = before(
                    bench, os.path.abspath(asked.before), 200)
        finally:
            group.remove()
    text = json.dumps(out, indent=2)
    print(text)
    if asked.json:
        with open(asked.json, "w") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
