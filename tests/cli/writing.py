"""Signals and the time limit while results are written; outputs and inputs that block."""

import os
import random
import signal
import struct
import subprocess
import time

POLYAK = os.environ["POLYAK"]
THREADS = "fsanitize=thread" in os.environ.get("POLYAK_FLAGS", "")  # holds signals back in open()
SOLVE = ["solve", "p/A.npy", "p/b.npy", "--quiet"]
SCAN = ["tomography", "reconstruct", "s.npy", "--size", "16", "--angles", "12", "--method", "cgls",
        "--max-iterations", "3", "--quiet"]


def run(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, text=True, timeout=60, **options)


def ended(process, since):
    """The exit code, and the seconds that the end took."""
    error = process.communicate(timeout=60)[1].decode()
    return process.returncode, time.monotonic() - since, error


def outputs():
    yield SOLVE + ["--output", "out.npy"]
    yield SOLVE + ["--report", "out.json"]
    yield SOLVE + ["--history", "out.csv"]
    yield SCAN + ["--output", "out.npy"]


def a_pipe_that_nobody_reads():
    for name in ("out.npy", "out.json", "out.csv"):
        os.mkfifo(name)
    for arguments in outputs():
        start = time.monotonic()
        code, seconds, error = ended(subprocess.Popen([POLYAK, *arguments, "--time-limit", "0.5"],
                                                      stderr=subprocess.PIPE), start)
        assert code == 74 and "while the results were written" in error, (arguments, code, error)
        assert seconds < 10, (arguments, seconds)
        if THREADS:
            continue
        process = subprocess.Popen([POLYAK, *arguments], stderr=subprocess.PIPE)
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        code, seconds, error = ended(process, start)
        assert code == 143 and seconds < 10, (arguments, code, seconds, error)
    for name in ("out.npy", "out.json", "out.csv"):
        os.remove(name)


def standard_output_that_nobody_reads():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))  # until it is full
    except BlockingIOError:
        os.set_blocking(writer, True)
    start = time.monotonic()
    process = subprocess.Popen([POLYAK, *SOLVE[:-1], "--time-limit", "0.5"], stdout=writer, stderr=subprocess.PIPE)
    code, seconds, error = ended(process, start)
    assert code == 74 and seconds < 10, (code, seconds, error)
    os.close(reader), os.close(writer)


def a_reader_gets_all_of_it():
    """Also where it is slow to begin, and a limit has passed meanwhile."""
    process = subprocess.Popen(f"'{POLYAK}' solve p/A.npy p/b.npy --quiet --output - | (sleep 0.3; cat) >piped.csv", shell=True)
    assert process.wait(60) == 0
    assert len(open("piped.csv").read().split()) == 10


def closed_outputs():
    for arguments in (["info", "p/A.npy", "--json"], ["plan", "p/A.npy"], ["solve", "p/A.npy", "p/b.npy", "--dry-run"],
                      ["theory", "--decay", "algebraic", "--rho", "1", "--kappa", "100", "--cols", "100"]):
        done = subprocess.run(["bash", "-c", '"$@" >&-', "-", POLYAK, *arguments], capture_output=True, text=True)
        assert done.returncode == 74 and "standard output: writing failed" in done.stderr, (arguments, done)


def pipes_as_inputs():
    os.mkfifo("in.npy")
    for arguments, source in ((["info", "in.npy"], "p/A.npy"), (["solve", "in.npy", "p/b.npy", "--quiet"], "p/A.npy"),
                              (["convert", "in.npy", "copy.csv"], "p/A.npy"),
                              ([*SCAN[:2], "in.npy", *SCAN[3:], "--output", "i.npy"], "s.npy")):
        feeder = subprocess.Popen(["bash", "-c", f"cat {source} >in.npy"])
        done = run(*arguments)
        assert done.returncode in (0, 3), (arguments, done)
        assert feeder.wait(10) == 0
    for name in ("in.h5", "in.mat", "in.tif", "in.h5:/A"):
        if ":" not in name:
            os.mkfifo(name)
        done = run("solve", name, "p/b.npy")
        assert done.returncode == 66 and "pipe or device" in done.stderr, (name, done)


def streams_without_end():
    for source in ("/dev/zero", "-"):
        with open("/dev/zero", "rb") as zeros:
            done = run("solve", source, "p/b.npy", "--memory", "1e7", stdin=zeros)
        assert done.returncode == 71 and "more than 10000000 bytes" in done.stderr, done


def what_does_not_fit_is_told_before():
    for arguments in (["generate", "sampling", "--rows", "1e10", "--cols", "100", "--output", "g"],
                      ["theory", "--decay", "algebraic", "--rho", "0.5", "--kappa", "1e10", "--cols", "1e12"]):
        done = run(*arguments)
        assert done.returncode == 71 and "no memory for" in done.stderr, (arguments, done)
    assert not os.path.exists("g")


def inputs_that_change():
    """A text file that is written to while it is read."""
    if THREADS:
        return  # too slow
    row = b"0.25,0.5,0.75,1.5\n"
    with open("table.csv", "wb") as file:
        file.write(b"a,b,c,d\n" + row * 6_000_000)
    process = subprocess.Popen([POLYAK, "convert", "table.csv", "table.npy"], stderr=subprocess.PIPE)
    for _ in range(200):
        time.sleep(0.01)
        if process.poll() is not None:
            break
        with open("table.csv", "r+b") as file:
            file.seek(8)
            file.write(row)
    code, _, error = ended(process, 0.0)
    assert code == 74 and "written to while it was read" in error, (code, error)
    os.remove("table.csv"), os.remove("table.npy")


def sparse_npy(name, rows, cols):
    """Random numbers in the first hundred rows, then a hole."""
    with open(name, "wb") as file:
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
        file.write(struct.pack("<%dd" % (100 * cols), *(random.random() for _ in range(100 * cols))))
        file.truncate(128 + 8 * rows * cols)


def control_bytes_in_the_last_line():
    """The message of a handler that may not use the usual functions."""
    name = "a\x1b[31mX\nY\u0085.npy"
    sparse_npy(name, 4_000_000, 10)
    sparse_npy("b.npy", 4_000_000, 1)
    process = subprocess.Popen([POLYAK, "solve", name, "b.npy", "--method", "gd", "--tol", "0", "--quiet", "--time-limit", "30"],
                               stderr=subprocess.PIPE)
    time.sleep(1.0)
    os.truncate(name, 4096)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 74 and b"shortened" in error, (process.returncode, error)
    assert b"\x1b" not in error and b"\xc2\x85" not in error and error.count(b"\n") == 1, error
    os.remove(name), os.remove("b.npy")


def main():
    assert run("generate", "gaussian", "--rows", "400", "--cols", "10", "--noise", "1", "--output", "p", "--quiet").returncode == 0
    assert run("tomography", "project", "walnut", "--size", "16", "--detectors", "24", "--angles", "12", "--output", "s.npy",
               "--quiet").returncode == 0
    a_pipe_that_nobody_reads()
    standard_output_that_nobody_reads()
    a_reader_gets_all_of_it()
    closed_outputs()
    pipes_as_inputs()
    streams_without_end()
    what_does_not_fit_is_told_before()
    inputs_that_change()
    control_bytes_in_the_last_line()
    left = [name for name in os.listdir(".") if name.startswith(".polyak-")]
    assert not left, left


main()
