"""Rows that are read once: pipes, several files, text that does not fit into memory."""

import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["POLYAK_SOURCE"], "tests/cli/lib"))
from solving import POLYAK, TABLE, near, refused, run, solved, write_tables, x_of  # noqa: E402
SANITIZED = "fsanitize" in os.environ.get("POLYAK_FLAGS", "")
THREADS = "fsanitize=thread" in os.environ.get("POLYAK_FLAGS", "")


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
nothing_comes()
memory_does_not_grow()
stopped_in_the_middle()
faults()
a_file_that_changes_is_told()
