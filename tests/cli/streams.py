"""Rows that are read once: pipes, several files, text that does not fit into memory."""

import glob
import json
import os
import random
import re
import signal
import subprocess
import time

try:
    import numpy as np
except ImportError:  # is not among what the program needs
    np = None

POLYAK = os.environ["POLYAK"]
SANITIZED = "fsanitize" in os.environ.get("POLYAK_FLAGS", "")
THREADS = "fsanitize=thread" in os.environ.get("POLYAK_FLAGS", "")
NAMES = ["size", "rooms", "age", "price"]


def run(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, text=True, timeout=300, **options)


def solved(*arguments, code=0, **options):
    done = run("solve", *arguments, "--report", "r.json", **options)
    assert done.returncode == code, (arguments, done)
    with open("r.json") as file:
        return json.load(file)


def refused(code, said, *arguments, **options):
    done = run("solve", *arguments, "--output", "never.npy", **options)
    assert done.returncode == code, (arguments, done)
    assert re.search(said, done.stderr) and done.stderr.count("\n") == 1, (arguments, done.stderr)
    assert not os.path.exists("never.npy")


def x_of(name):
    with open(name) as file:
        return [float(line.split(",")[-1]) for line in file if not line.startswith("name")]


def near(a, b, tolerance=1e-9):
    assert len(a) == len(b) and all(abs(x - y) <= tolerance * max(map(abs, b)) for x, y in zip(a, b)), (a, b)


def write_tables(rows, parts):
    """all.csv, and the same rows in parts; price = 3 size - 2 rooms + age + 50 + noise."""
    source = random.Random(5)
    lines = []
    for _ in range(rows):
        size, rooms, age = source.uniform(30, 200), source.randrange(1, 9), 1900 + source.uniform(0, 120)
        price = 3 * size - 2 * rooms + age + 50 + source.gauss(0, 10)
        lines.append(f"{size:.6g},{rooms},{age:.7g},{price:.8g}\n")
    head = ",".join(NAMES) + "\n"
    with open("all.csv", "w") as file:
        file.writelines([head, *lines])
    for part in range(parts):
        with open(f"part-{part}.csv", "w") as file:
            file.writelines([head, *lines[rows * part // parts:rows * (part + 1) // parts]])


TABLE = ["--rhs-column", "price", "--intercept", "--quiet"]


def one_table_however_it_comes():
    write_tables(30000, 7)
    in_memory = solved("all.csv", *TABLE, "--method", "direct", "--output", "memory.csv", "--statistics")
    streamed = solved("all.csv", *TABLE, "--storage", "stream", "--output", "x.csv", "--statistics")
    near(x_of("x.csv"), x_of("memory.csv"))
    assert streamed["method"] == "direct" and streamed["status"] == "converged", streamed
    assert streamed["rows"] == 30000 and streamed["cols"] == 4 and streamed["passes"] == 1
    assert streamed["stream"]["backward_error_bound"] < 1e-8, streamed["stream"]
    assert streamed["stream"]["checked_rows"] == 1024
    assert 0.8 < streamed["stream"]["checked_residual"] < 1.2
    assert abs(streamed["residual_norm"] / in_memory["residual_norm"] - 1) < 1e-9
    for name in ("r_squared", "residual_variance"):
        assert abs(streamed["statistics"][name][0] / in_memory["statistics"][name][0] - 1) < 1e-9
    expected = open("x.csv").read()

    def same(*arguments, **options):
        solved(*arguments, *TABLE, "--storage", "stream", "--output", "y.csv", **options)
        assert open("y.csv").read() == expected, arguments

    parts = sorted(glob.glob("part-*.csv"))
    for threads in ("1", "2", "5"):
        same("all.csv", "--threads", threads)
    same("part-*.csv")
    same(*parts)
    same("-", stdin=open("all.csv"))
    for command in ("cat part-*.csv", "dd if=all.csv bs=611 status=none", "cat part-*.csv | gzip -c"):
        with subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE) as feeder:
            same("-", stdin=feeder.stdout)
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    with subprocess.Popen(["bash", "-c", "for f in part-*.csv; do cat $f; sleep 0.01; done"], stdout=writes):
        os.close(writes)
        same("-", stdin=reads)
    os.close(reads)
    os.mkfifo("pipe.csv")
    with subprocess.Popen(["bash", "-c", "cat part-*.csv >pipe.csv"]):
        same("pipe.csv")
    subprocess.run("gzip -k part-0.csv part-1.csv && rm part-0.csv part-1.csv", shell=True, check=True)
    same("part-*.csv*")
    subprocess.run("gunzip part-*.csv.gz", shell=True, check=True)
    # What is short is read into memory, as a file is.
    solved("part-*.csv", *TABLE, "--output", "y.csv")
    solved("all.csv", *TABLE, "--output", "z.csv")
    assert open("y.csv").read() == open("z.csv").read()
    with subprocess.Popen(["bash", "-c", "cat part-*.csv"], stdout=subprocess.PIPE) as feeder:
        report = solved("-", *TABLE, "--output", "y.csv", stdin=feeder.stdout)
    assert open("y.csv").read() == open("z.csv").read() and "stream" not in report


def b_and_weights_from_files():
    with open("all.csv") as file:
        rows = [line.strip().split(",") for line in file][1:]
    with open("A.csv", "w") as file:
        file.writelines(",".join(row[:3]) + "\n" for row in rows)
    with open("b.csv", "w") as file:
        file.writelines(row[3] + "\n" for row in rows)
    with open("w.csv", "w") as file:
        file.writelines(f"{1 + i % 3}\n" for i in range(len(rows)))
    options = ["--intercept", "--weights", "w.csv", "--ridge", "2", "--quiet"]
    solved("A.csv", "b.csv", *options, "--method", "direct", "--output", "memory.csv")
    solved("A.csv", "b.csv", *options, "--storage", "stream", "--output", "x.csv")
    near(x_of("x.csv"), x_of("memory.csv"))
    with open("short.csv", "w") as file:
        file.write("1\n" * (len(rows) - 1))
    for arguments in (["A.csv", "short.csv"], ["A.csv", "b.csv", "--weights", "short.csv"]):
        refused(65, "not have the same number of rows", *arguments, "--storage", "stream")


def holes():
    with open("all.csv") as file:
        lines = file.readlines()
    with open("holes.csv", "w") as file:
        file.writelines([*lines[:5000], "1,2,,4\n", *lines[5000:9000], "nan,1,2,3\n", *lines[9000:]])
    refused(65, r"holes.csv:5001: a value is missing.* in column 3 \(age\)", "holes.csv", *TABLE,
            "--storage", "stream")
    report = solved("holes.csv", *TABLE[:-1], "--storage", "stream", "--drop-nonfinite-rows",
                    "--output", "y.csv")
    assert report["rows"] == 30000 and report["stream"]["dropped_rows"] == 2
    assert "2 rows with NaN" in report["warnings"][-1], report["warnings"]
    solved("all.csv", *TABLE, "--storage", "stream", "--output", "x.csv")
    near(x_of("y.csv"), x_of("x.csv"), 1e-12)


def what_cannot_be_done_is_told():
    stream = [*TABLE, "--storage", "stream"]
    open("x0.csv", "w").write("1\n1\n1\n1\n")
    for option in (["--method", "minibatch-hbm"], ["--method", "lsqr"], ["--x0", "x0.csv"],
                   ["--checkpoint", "c.ckpt"], ["--lower", "0"], ["--max-passes", "0.5"],
                   ["--precision", "single"], ["--batch", "100"], ["--max-iterations", "0"]):
        refused(2, f"{option[0]}.*: rows are read once here .*needs them again", "all.csv", *stream, *option)
    open("A-1.npy", "w").close()
    with open("other.csv", "w") as file:
        file.write("size,rooms,years,price\n1,2,3,4\n")
    refused(65, r"other.csv, column 3: the column has another name \(found 'years', expected 'age', as in "
                r"all.csv\)", "all.csv", "other.csv", *stream)
    refused(66, "no file matches this pattern", "nothing-*.csv", *TABLE)
    refused(66, r"A-\*.npy: cannot open", "A-*.npy", "b.csv")
    refused(2, "there is no such column", "all.csv", "--rhs-column", "cost", "--storage", "stream")
    refused(2, "there is no right-hand side", "all.csv", "--storage", "stream")
    refused(2, "only text tables", "A.npy", "b.csv", "--storage", "stream")
    refused(2, "one argument too many", "part-0.csv", "part-1.csv", "part-2.csv")
    refused(2, "would replace the input", "part-*.csv", *TABLE, "--report", "part-3.csv")
    for text, said in (("", "holds no data"), ("a,b\n", "a header line but no rows"),
                       ("a,b\n1,2\n3", "wrong number of cells .*cut off")):
        refused(65, said, "-", "--rhs-column", "2", "--storage", "stream", input=text)
    # A pipe that needs an option like these is read into memory as before.
    with subprocess.Popen(["cat", "all.csv"], stdout=subprocess.PIPE) as feeder:
        solved("-", *TABLE, "--x0", "x0.csv", stdin=feeder.stdout)


def write_rows(name, *columns):
    with open(name, "w") as file:
        for row in np.column_stack(columns):
            file.write(",".join(repr(float(v)) for v in row) + "\n")


def forward_bound(A, b, z, factor=4):
    """Of |z - z*| for two solutions that are exact for data with relative errors of eps = factor d sqrt(n) u each
    (Wedin): eps (k |z| + k |b|/s + k^2 |r|/s), s the largest singular value of A and k its condition."""
    n, d = A.shape
    values = np.linalg.svd(A, compute_uv=False)
    s, k = values[0], values[0] / values[-1]
    eps = 2 * factor * d * np.sqrt(n) * 2.0**-53
    r = np.linalg.norm(A @ z - b)
    return eps * (k * np.linalg.norm(z) + k * np.linalg.norm(b) / s + k * k * r / s)


def agrees_with_numpy():
    """numpy.linalg.lstsq, on columns of norm 1, centred by their means where there is an intercept."""
    if np is None:
        return
    source = np.random.default_rng(11)
    n, d = 20000, 6

    def check(A, b, *options, weights=None, ridge=0.0, intercept=False, proved=1e-8):
        write_rows("np.csv", A, b)
        arguments = ["np.csv", "--rhs-column", str(A.shape[1] + 1), "--storage", "stream", "--output", "x.csv",
                     "--quiet", *options]
        if weights is not None:
            write_rows("npw.csv", weights)
            arguments += ["--weights", "npw.csv"]
        if ridge:
            arguments += ["--ridge", repr(ridge)]
        if intercept:
            arguments += ["--intercept"]
        report = solved(*arguments)
        assert report["status"] == "converged" and report["stream"]["backward_error_bound"] < proved, report
        root = np.ones(len(b)) if weights is None else np.sqrt(weights)
        means, mean = np.zeros(A.shape[1]), 0.0
        if intercept:
            means, mean = np.average(A, axis=0, weights=root**2), np.average(b, weights=root**2)
        M, r = (A - means) * root[:, None], (b - mean) * root
        if ridge:
            M, r = np.vstack([M, np.sqrt(ridge) * np.eye(A.shape[1])]), np.concatenate([r, np.zeros(A.shape[1])])
        size = np.linalg.norm(M, axis=0)
        z = np.linalg.lstsq(M / size, r, rcond=None)[0]
        x = np.array(x_of("x.csv"))
        away = np.linalg.norm(x[:A.shape[1]] * size - z)
        assert away <= forward_bound(M / size, r, z), (away, forward_bound(M / size, r, z))
        if intercept:
            c = mean - means @ (z / size)
            terms = abs(mean) + np.sum(np.abs(means * z / size))
            slack = np.sum(np.abs(means) / size) * forward_bound(M / size, r, z)
            assert abs(x[-1] - c) <= slack + 4 * np.sqrt(n) * 2.0**-53 * terms, (x[-1], c)
        return x

    A = source.standard_normal((n, d))
    b = A @ np.arange(1.0, d + 1) + source.standard_normal(n)
    check(A, b)
    check(A * 10.0**np.arange(-9, 9, 3), b)
    check(A, b, weights=source.integers(1, 5, n).astype(float), ridge=50.0)
    check(A * [1e6, 1, 1, 1e-3, 1, 1] + [1e7, 0, 5, 1, 0, 0], b, intercept=True)
    slopes = check(A, b, intercept=True)[:d]
    near(list(check(A, b + 1e9, intercept=True)[:d]), list(slopes), 1e-9)  # b + 1e9 has a spacing of 1e-7
    close = A.copy()
    close[:, 3] = A[:, 1] + 1e-6 * A[:, 3]
    check(close, b, proved=1e-6)  # |a_j||x_j| is a million times |r|
    check(A[:, :1], b)
    check(A[:7], b[:7])


def small_and_odd_inputs():
    stream = ["--storage", "stream", "--quiet", "--output", "x.csv"]

    def x(text, *options, column="1"):
        report = solved("-", "--rhs-column", column, *stream, *options, input=text)
        return x_of("x.csv"), report

    assert x("6,2\n")[0] == [3.0]  # one row
    near(x("3,1\r\n6,2\r\n10,3\r\n")[0], [45 / 14])
    near(x("2,1,1,1,1\n")[0], [0.5] * 4)  # fewer rows than columns: the least norm
    near(x("b,a\n3,1\n\n# a comment\nb,a\n6,2\n")[0], [3.0])
    near(x("1;2\n2;4\n")[0], [0.5])
    # The end of a line that is missing.
    found, report = x("3,1\n6,2")
    near(found, [3.0])
    assert "no newline ends the last row of standard input" in report["warnings"][0], report["warnings"]
    assert "no newline" not in str(x("3,1\n6,2\n")[1]["warnings"])
    # Columns that depend on others are named.
    rows = "".join(f"{i % 7},{i},{i * i % 11},{3 * i}\n" for i in range(1, 3000))
    found, report = x(rows)
    assert report["used"]["rank"] == 2, report["used"]
    assert {report["dependent_columns"][0]["column"], *report["dependent_columns"][0]["on"]} in ({1, 3}, {0, 2}), report
    assert "column" in report["warnings"][0] and "rank 2 of 3" in report["warnings"][0], report["warnings"]
    # A producer that dies.
    for command, said in (("cat missing.csv 2>&-", "holds no data"), ("head -c 400 all.csv", "may have been cut off")):
        with subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE) as feeder:
            refused(65, said, "-", "--rhs-column", "1", "--storage", "stream", stdin=feeder.stdout)
    refused(65, "standard input:2: .*inf", "-", "--rhs-column", "1", "--storage", "stream", input="1,2\n3,inf\n")
    refused(66, "never.csv: cannot open", "all.csv", "never.csv", *TABLE, "--storage", "stream")


def nothing_comes():
    """A pipe that gives nothing, or the beginning of a line."""
    for storage in ("auto", "stream"):
        for text in (b"", b"1,2\n3,"):
            for arguments, number, code in (([], signal.SIGTERM, 143), ([], signal.SIGINT, 130),
                                            (["--time-limit", "0.5"], None, 3)):
                if number and THREADS:
                    continue  # that sanitizer holds signals back until read() returns
                process = subprocess.Popen([POLYAK, "solve", "-", "--rhs-column", "1", "--storage", storage, "--output",
                                            "never.npy", *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
                process.stdin.write(text)
                process.stdin.flush()
                time.sleep(0.5)
                began = time.monotonic()
                if number:
                    process.send_signal(number)
                assert process.wait(60) in (code, 128 - code), (storage, text, arguments, process.returncode)
                late = time.monotonic() - began
                assert late < (30 if SANITIZED else 2), late
                if not number:
                    assert b"the time limit of 0.5 s was reached while reading" in process.stderr.read()
                assert not os.path.exists("never.npy")


LINES = 1 << 16


def block():
    """Lines of a table of twelve columns, about 7 MB."""
    source = random.Random(7)
    out = []
    for _ in range(LINES):
        row = [source.gauss(0, 1) for _ in range(11)]
        row.append(sum(row) + source.gauss(0, 1))
        out.append(",".join(f"{v:.7f}" for v in row))
    return ("\n".join(out) + "\n").encode()


def memory_does_not_grow():
    """160 MB through a pipe: the peak is that of a fortieth of it."""
    if SANITIZED:
        return
    text = block()
    peaks = {}
    for times in (2, 22):
        process = subprocess.Popen([POLYAK, "solve", "-", "--rhs-column", "12", "--memory", "1e8", "--storage",
                                    "stream", "--report", "r.json", "--output", "x.csv", "--quiet"],
                                   stdin=subprocess.PIPE)
        for _ in range(times):
            process.stdin.write(text)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        peaks[times] = usage.ru_maxrss * 1024
        with open("r.json") as file:
            assert json.load(file)["rows"] == times * LINES
        near(x_of("x.csv"), [1.0] * 11, 0.05)
    assert peaks[22] < peaks[2] + 1.5e7, peaks
    assert peaks[22] < 1.5e8, peaks
    # In as little address space as the program needs to start.
    script = f"ulimit -v 1500000; exec '{POLYAK}' solve - --rhs-column 12 --memory 1e8 --quiet --threads 2"
    process = subprocess.Popen(["bash", "-c", script], stdin=subprocess.PIPE)
    for _ in range(22):
        process.stdin.write(text)
    process.stdin.close()
    assert process.wait(300) == 0
    # A file that does not fit is read once by itself, and so is a compressed one.
    with open("large.csv", "wb") as file:
        for _ in range(3):
            file.write(text)
    subprocess.run("gzip -1 -k large.csv", shell=True, check=True)
    for name in ("large.csv", "large.csv.gz"):
        report = solved(name, "--rhs-column", "12", "--memory", "1e7", "--quiet")
        assert report["stream"]["inputs"] == 1 and report["rows"] == 3 * LINES, report
        refused(2, "--method: rows are read once here .about .* do not fit into the 10 MB of memory", name,
                "--rhs-column", "12", "--memory", "1e7", "--method", "lsqr")
        refused(71, "more memory than there is|do.* not fit into memory", name, "--rhs-column", "12", "--memory", "1e4")
        done = run("solve", name, "--rhs-column", "12", "--memory", "1e7", "--dry-run")
        assert done.returncode == 0 and "reads the rows once" in done.stdout, done
    assert "stream" not in solved("large.csv", "--rhs-column", "12", "--memory", "1e8", "--quiet")
    # A pipe that does not fit and may not become a stream.
    with open("large.csv", "rb") as file:
        refused(2, "--x0: rows are read once here .the input does not fit into memory", "-", "--rhs-column",
                "12", "--memory", "5e6", "--x0", "x.csv", stdin=file)


def stopped_in_the_middle():
    text = block()
    for arguments, number, code in (([], signal.SIGTERM, 143), ([], signal.SIGINT, 130),
                                    (["--time-limit", "1.5"], None, 3)):
        for stalls in (False, True):
            if stalls and THREADS:
                continue  # that sanitizer holds signals back until read() returns
            process = subprocess.Popen([POLYAK, "solve", "-", "--rhs-column", "12", "--storage", "stream",
                                        "--output", "never.npy", *arguments], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            began = time.monotonic()
            sent = None
            try:
                while process.poll() is None and time.monotonic() - began < 60:
                    if not stalls or time.monotonic() - began < 0.3:
                        process.stdin.write(text[:200000].rsplit(b"\n", 1)[0] + b"\n")
                        process.stdin.flush()
                    else:
                        time.sleep(0.01)
                    if number and not sent and time.monotonic() - began > 1.0:
                        process.send_signal(number)
                        sent = time.monotonic()
            except BrokenPipeError:
                pass
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
            assert process.wait(60) == code, (arguments, process.returncode, process.stderr.read())
            late = time.monotonic() - (sent or began + 1.5)
            assert late < (30 if SANITIZED else 2), late
            said = process.stderr.read().decode()
            rows = re.search(r"while reading -, after (\d+) rows: there is no x yet, and nothing is written\n$", said)
            assert rows and int(rows[1]) > 0, said
            assert not os.path.exists("never.npy")


def faults():
    if SANITIZED:
        return
    source = os.path.join(os.environ["POLYAK_SOURCE"], "tests/cli/lib/faults.c")
    if subprocess.run(["cc", "-shared", "-fPIC", "-O1", source, "-o", "faults.so"]).returncode != 0:
        return
    environment = {**os.environ, "LD_PRELOAD": os.path.abspath("faults.so")}
    stream = [*TABLE, "--storage", "stream"]
    refused(74, "all.csv: cannot read the input .found Input/output error", "all.csv", *stream,
            env={**environment, "FAULT_READ": "all.csv"})
    with open("all.csv") as file:
        refused(74, "standard input: cannot read the input .found Input/output error", "-", *stream, stdin=file,
                env={**environment, "FAULT_READ": "-"})


def a_file_that_changes_is_told():
    text = block()
    with open("large.csv", "wb") as file:
        for _ in range(8):
            file.write(text)
    process = subprocess.Popen([POLYAK, "solve", "large.csv", "--rhs-column", "12", "--storage", "stream",
                                "--output", "never.npy"], stderr=subprocess.PIPE, text=True)
    while int(re.search(r"rchar: (\d+)", open(f"/proc/{process.pid}/io").read())[1]) < 3_000_000:
        time.sleep(0.001)
    os.utime("large.csv")
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 74, (process.returncode, said)
    assert "large.csv: the input was written to while it was read" in said, said
    assert not os.path.exists("never.npy")


one_table_however_it_comes()
b_and_weights_from_files()
holes()
what_cannot_be_done_is_told()
agrees_with_numpy()
small_and_odd_inputs()
nothing_comes()
memory_does_not_grow()
stopped_in_the_middle()
faults()
a_file_that_changes_is_told()
