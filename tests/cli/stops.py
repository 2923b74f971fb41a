"""Signals and time limits at random moments of every phase: the end comes within a second, with
the right exit code and what was known written. POLYAK_STOPS says how many tries each way gets."""

import json
import os
import random
import re
import signal
import struct
import subprocess
import threading
import time

POLYAK = os.environ["POLYAK"]
FLAGS = os.environ.get("POLYAK_FLAGS", "")
TRIES = int(os.environ.get("POLYAK_STOPS", "1"))
SEED = int(os.environ.get("POLYAK_STOPS_SEED", "19"))
# A second, and what a machine that does other things as well may add.
MOST_S = float(os.environ.get("POLYAK_STOPS_MOST", "20" if "fsanitize" in FLAGS else "2.5"))
SMALL = "fsanitize" in FLAGS
chance = random.Random(SEED)
worst = (0.0, "nothing")


def defaults():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)


def ended(process, since, what):
    """Its exit code; in time."""
    global worst
    try:
        _, said = process.communicate(timeout=max(0.1, since + 60 - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"{what}: still running a minute later")
    took = time.monotonic() - since
    worst = max(worst, (took, what))
    assert took <= MOST_S, f"{what}: took {took:.2f} s to end"
    return process.returncode, said


def start(arguments):
    return subprocess.Popen([POLYAK, *arguments], preexec_fn=defaults, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finite_x(name, length):
    data = open(name, "rb").read()
    values = struct.unpack(f"<{length}d", data[-8 * length:])
    assert len(data) == 128 + 8 * length, (name, len(data))
    assert all(v == v and abs(v) < 1e300 for v in values), name


def check_outputs(code, status_of, length, what):
    """x and a report, where there was an answer to give."""
    report = json.load(open("r.json"))
    assert report["status"] in status_of[code], (what, code, report["status"])
    finite_x("x.npy", length)


ENDS = {0: ("converged",), 3: ("limit", "stagnated"), 4: ("diverged",), 75: ("interrupted",),
        130: ("interrupted",), 143: ("interrupted",)}


def signalled(arguments, length, latest_s, saved):
    number = chance.choice((signal.SIGINT, signal.SIGTERM))
    moment = chance.uniform(0.0, latest_s)
    what = f"{' '.join(arguments)}, signal {int(number)} after {moment:.3f} s"
    remove("x.npy", "r.json", "c.ckpt", "c.ckpt.previous")
    process = start([*arguments, "--output", "x.npy", "--report", "r.json",
                     *(("--checkpoint", "c.ckpt", "--checkpoint-every", "0.1s") if saved else ())])
    time.sleep(moment)
    process.send_signal(number)
    code, said = ended(process, time.monotonic(), what)
    if code == -number:  # while it was reading: nothing to write, and nothing written
        assert not os.path.exists("x.npy") and not os.path.exists("r.json"), what
        return
    assert code in (0, 3, 4, 75, 128 + number), (what, code, said)
    if "there is no x yet" in said:
        assert code == 128 + number and not os.path.exists("x.npy"), (what, said)
        return
    assert code != 75 or os.path.exists("c.ckpt"), what
    check_outputs(code, ENDS, length, what)


def limited(arguments, length, latest_s):
    limit = chance.uniform(0.01, latest_s)
    what = f"{' '.join(arguments)}, time limit {limit:.3f} s"
    remove("x.npy", "r.json")
    process = start([*arguments, "--time-limit", f"{limit:.3f}", "--output", "x.npy", "--report",
                     "r.json"])
    began = time.monotonic()
    code, said = ended(process, began + limit, what)
    assert code in (0, 3, 4), (what, code, said)
    if "there is no x yet" in said:
        assert code == 3 and not os.path.exists("x.npy"), (what, said)
        return
    check_outputs(code, ENDS, length, what)


def methods():
    text = subprocess.run([POLYAK, "solve", "--help"], capture_output=True, text=True).stdout
    block = text[text.index("\nMethods:\n"):text.index("\nExit code")]
    found = re.findall(r"^  (\S+) +\S", block, re.MULTILINE)
    assert len(found) >= 17, found
    return ["auto", *found]


ALWAYS = ("auto", "direct", "normal", "minibatch-hbm")


def every_method():
    rows, cols = (600, 60) if SMALL else (6000, 2000)
    subprocess.run([POLYAK, "generate", "gaussian", "--rows", str(rows), "--cols", str(cols),
                    "--noise", "1", "--output", "p", "--quiet"], check=True)
    # A few in the ordinary tests: those that factor, and a third of the others.
    some = [m for m in methods() if TRIES > 1 or m in ALWAYS or chance.random() < 0.3]
    for method in some:
        run = ["solve", "p/A.npy", "p/b.npy", "--method", method, "--tol", "1e-15"]
        if method in ("active-set", "bounded-cg"):
            run += ["--lower", "0"]
        for _ in range(TRIES):
            way = chance.choice(("signal", "signal and checkpoint", "limit"))
            if way == "limit":
                limited(run, cols, 1.0)
            else:
                signalled(run, cols, 2.0, saved=way != "signal")
    signalled(["solve", "p/A.npy", "p/b.npy", "--statistics"], cols, 3.0, saved=False)


def every_image():
    size = 64 if SMALL else 512
    subprocess.run([POLYAK, "tomography", "project", "walnut", "--size", str(size), "--detectors",
                    str(size), "--angles", str(size), "--output", "s.npy", "--quiet"], check=True)
    for method in ("tv", "sirt", "sart", "rk", "minibatch-hbm", "cgls", "fbp")[:: 1 if TRIES > 1 else 3]:
        run = ["tomography", "reconstruct", "s.npy", "--size", str(size), "--angles", str(size),
               "--method", method]
        for _ in range(TRIES):
            image_stopped(run, size * size)


def image_stopped(run, pixels):
    image_limited(run, pixels) if chance.random() < 0.5 else image_signalled(run)


def image_limited(run, pixels):
    limit = f"{chance.uniform(0.05, 1.5):.3f}"
    what = f"{' '.join(run)}, time limit {limit} s"
    remove("i.npy")
    process = start([*run, "--output", "i.npy", "--time-limit", limit])
    code, said = ended(process, time.monotonic() + float(limit), what)
    assert code in (0, 3), (what, code, said)
    if os.path.exists("i.npy"):
        finite_x("i.npy", pixels)
    else:
        assert "there is no" in said, (what, said)


def image_signalled(run):
    number = chance.choice((signal.SIGINT, signal.SIGTERM))
    moment = chance.uniform(0.0, 2.0)
    remove("i.npy")
    process = start([*run, "--output", "i.npy"])
    time.sleep(moment)
    process.send_signal(number)
    code, said = ended(process, time.monotonic(), f"{' '.join(run)}, signal after {moment:.3f} s")
    assert code in (0, 3, -number, 128 + number), (run, moment, code, said)
    if os.path.exists("i.npy"):
        assert code != -number, (run, moment, "an image after a signal that was not caught")
        finite_x("i.npy", int(run[run.index("--size") + 1]) ** 2)


def other_commands():
    """Commands without a result to save end at once, and leave no part of one."""
    size = "40" if SMALL else "256"
    runs = [["plan", "p/A.npy", "p/b.npy"], ["theory", "--matrix", "p/A.npy"],
            ["generate", "spectrum", "--rows", "20000", "--cols", "200", "--output", "g"],
            ["convert", "p/A.npy", "copy.csv"], ["convert", "p/A.npy", "copy.mtx.gz"],
            ["tomography", "project", "shapes", "--size", size, "--finer", "4", "--detectors", size, "--output", "t.npy"],
            ["tomography", "matrix", "--size", size, "--detectors", size, "--output", "m.npz"],
            ["reproduce", "fig1", "--rows", "3000", "--trials", "50", "--out", "fig"],
            ["bench", "iterations", "--rows", "20000", "--seconds", "5", "--json", "bench.json"],
            ["info", "p/A.npy"]]
    for run in runs if TRIES > 1 else chance.sample(runs, 4):
        for _ in range(TRIES):
            number = chance.choice((signal.SIGINT, signal.SIGTERM))
            moment = chance.uniform(0.0, 1.5)
            remove("copy.csv", "copy.mtx.gz", "t.npy", "m.npz", "bench.json")
            process = start(run)
            time.sleep(moment)
            process.send_signal(number)
            code, said = ended(process, time.monotonic(), f"{' '.join(run)}, signal after {moment:.3f} s")
            assert code in (0, -number, 75, 128 + number), (run, moment, code, said)
            for name in ("copy.csv", "copy.mtx.gz", "t.npy", "m.npz", "bench.json"):
                assert code == 0 or not os.path.exists(name), (run, moment, name)
            no_leftovers()
            no_leftovers("g")


def rows_on_a_disk():
    """Rows that stay in their file, on a disk that takes a tenth of a second for every read."""
    environment = {}
    if "fsanitize" not in FLAGS:
        source = os.path.join(os.environ["POLYAK_SOURCE"], "tests/cli/lib/faults.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", source, "-o", "faults.so"], check=True)
        environment = {"LD_PRELOAD": os.path.abspath("faults.so"), "FAULT_READ_SLOW": "100"}
    subprocess.run([POLYAK, "generate", "gaussian", "--rows", "60000", "--cols", "50", "--noise", "1",
                    "--output", "d", "--quiet"], check=True)
    os.environ.update(environment)
    try:
        for method, batch in (("minibatch-hbm", "1000"), ("lsqr", None), ("auto", None)):
            run = ["solve", "d/A.npy", "d/b.npy", "--method", method, "--tol", "1e-15", "--storage",
                   "disk", "--disk-reader", "threads", "--memory", "2e7", "--threads", "2"]
            run += ["--batch", batch] if batch else []
            for _ in range(TRIES):
                limited(run, 50, 3.0)
                signalled(run, 50, 3.0, saved=True)
    finally:
        for name in environment:
            del os.environ[name]


def a_slow_input():
    """A file that never comes to its end, as one on a server that does not answer."""
    if "fsanitize=thread" in FLAGS:
        return  # that sanitizer holds signals back until read() returns, which it never does
    os.mkfifo("slow.csv")
    done = threading.Event()

    def feed():
        with open("slow.csv", "w") as pipe:
            pipe.write("1,2\n" * 10)
            pipe.flush()
            done.wait(60)

    for arguments, code in ((["--time-limit", "0.5"], 3), ([], -signal.SIGTERM)):
        done.clear()
        feeder = threading.Thread(target=feed)
        feeder.start()
        process = start(["solve", "slow.csv", "--rhs-column", "2", *arguments, "--output", "x.csv"])
        time.sleep(0.5)
        began = time.monotonic()
        if not arguments:
            process.send_signal(signal.SIGTERM)
        found, said = ended(process, began, f"reading a slow file {arguments}")
        done.set()
        feeder.join()
        assert found == code, (arguments, found, said)
        assert not os.path.exists("x.csv")
        assert arguments == [] or "while reading slow.csv: there is no x yet" in said, said


def a_resumed_run_keeps_its_answer():
    """Stopped again before it has measured anything: x and checkpoint are as they were."""
    run = ["solve", "p/A.npy", "p/b.npy", "--method", "minibatch-hbm", "--spectrum", "exact",
           "--tol", "0", "--checkpoint", "k.ckpt", "--output", "k.npy"]
    first = start([*run, "--max-iterations", "20"])
    assert first.wait(300) == 3, first.stderr.read()
    before = open("k.npy", "rb").read(), open("k.ckpt", "rb").read()
    again = start([*run, "--max-iterations", "40", "--resume", "auto", "--time-limit", "0.02"])
    code, said = ended(again, time.monotonic() + 0.02, "resumed")
    assert code == 3, (code, said)
    if "left as it was" in said:  # set-up took longer than the limit and its grace of 0.4 s
        assert (open("k.npy", "rb").read(), open("k.ckpt", "rb").read()) == before
    last = start([*run, "--max-iterations", "40", "--resume", "auto"])
    assert last.wait(300) == 3, last.stderr.read()
    os.rename("k.npy", "resumed.npy")
    remove("k.ckpt", "k.ckpt.previous")
    whole = start([*run, "--max-iterations", "40"])
    assert whole.wait(300) == 3
    assert open("k.npy", "rb").read() == open("resumed.npy", "rb").read()


def nobody_reads_what_it_says():
    """Standard error is a pipe that is full: the run stands still in the middle of a line."""
    if "fsanitize=thread" in FLAGS:
        return  # as above, until write() returns
    inlet, outlet = os.pipe()
    os.set_blocking(outlet, False)
    try:
        while True:
            os.write(outlet, bytes(4096))
    except BlockingIOError:
        os.set_blocking(outlet, True)
    process = subprocess.Popen([POLYAK, "solve", "p/A.npy", "p/b.npy", "--method", "gd", "--tol", "0",
                                "--log-format", "json"], stderr=outlet, stdout=subprocess.DEVNULL,
                               preexec_fn=defaults)
    time.sleep(2)
    process.send_signal(signal.SIGTERM)
    code = process.wait(60)
    os.close(outlet)
    os.close(inlet)
    assert code in (143, -signal.SIGTERM), code


def no_leftovers(folder="."):
    left = [name for name in os.listdir(folder) if name.startswith(".polyak-")] if os.path.isdir(folder) else []
    assert not left, left


every_method()
a_resumed_run_keeps_its_answer()
every_image()
other_commands()
rows_on_a_disk()
a_slow_input()
nobody_reads_what_it_says()
no_leftovers()
print(f"the longest: {worst[0]:.2f} s, {worst[1]}")
