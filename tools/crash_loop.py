#!/usr/bin/env python3
"""crash_loop.py PROGRAM [TIMES]: runs are killed (-9) at random moments and
resumed; each must end with the bits of the run that was left alone."""

import os
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 200
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# What is run, and the file its answer goes to.
RUNS = {
    "minibatch-hbm": ["solve", "p/A.npy", "p/b.npy", "--method", "minibatch-hbm", "--batch", "64",
                      "--tol", "0", "--max-iterations", "60000"],
    "lsqr": ["solve", "p/A.npy", "p/b.npy", "--method", "lsqr", "--tol", "0",
             "--max-iterations", "3000"],
    "auto": ["solve", "s/A.npy", "s/b.npy", "--tol", "1e-15", "--max-passes", "400"],
    "sart": ["tomography", "reconstruct", "t.npy", "--size", "96", "--method", "sart",
             "--max-passes", "150"],
}


def run(words):
    return subprocess.run([PROGRAM, *words], **QUIET).returncode


def prepare():
    run(["generate", "spectrum", "--rows", "2000", "--cols", "20", "--kappa", "1e6", "--output", "p"])
    run(["generate", "spectrum", "--rows", "1500", "--cols", "1200", "--kappa", "1e4",
         "--decay", "algebraic", "--noise", "0.1", "--output", "s"])
    run(["tomography", "project", "walnut", "--size", "96", "--detectors", "138", "--output", "t.npy"])


def answer(words):
    """The exit code, the bits and the seconds of a run left alone."""
    start = time.monotonic()
    code = run([*words, "--output", "x.npy"])
    seconds = time.monotonic() - start
    with open("x.npy", "rb") as file:
        return code, file.read(), seconds


def crash(words, expected):
    code, bits, seconds = expected
    for name in ("c", "c.previous", "x.npy"):
        if os.path.exists(name):
            os.remove(name)
    saved = [*words, "--checkpoint", "c", "--checkpoint-every", "0.01s", "--resume", "auto",
             "--output", "x.npy"]
    kills = 0
    while kills < 3:  # the run that goes on may be killed as well
        process = subprocess.Popen([PROGRAM, *saved], **QUIET)
        try:
            process.wait(random.uniform(0.0, 1.2 * seconds))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    ended = run(saved)
    with open("x.npy", "rb") as file:
        same = file.read() == bits
    return same and ended == code, kills


def main():
    random.seed(1964)
    failures = kills = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        expected = {name: answer(words) for name, words in RUNS.items()}
        for attempt in range(TIMES):
            name = list(RUNS)[attempt % len(RUNS)]
            good, killed = crash(RUNS[name], expected[name])
            kills += killed
            if not good:
                failures += 1
                print(f"crash {attempt} of {name}: other bits, or another end")
        os.chdir("/")
    print(f"{TIMES} runs, {kills} kills, {failures} with other bits")
    sys.exit(1 if failures else 0)


main()
