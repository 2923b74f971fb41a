#!/usr/bin/env python3
"""crash_loop.py PROGRAM [TIMES]: kills runs (-9) at random moments and resumes them, some of them
on a disk that is full for a while or slow, or with a second run that saves to the same file. Each
must end with the bits of an uninterrupted run, and no other file may change."""

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 200
FAULTS_C = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/cli/lib/faults.c")
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# The commands; each writes its solution to x.npy.
RUNS = {
    "minibatch-hbm": ["solve", "p/A.npy", "p/b.npy", "--method", "minibatch-hbm", "--batch", "64",
                      "--tol", "0", "--max-iterations", "60000"],
    "rows on the disk": ["solve", "p/A.npy", "p/b.npy", "--method", "minibatch-hbm", "--batch", "64",
                         "--tol", "0", "--max-iterations", "20000", "--storage", "disk",
                         "--memory", "1e6"],
    "lsqr": ["solve", "p/A.npy", "p/b.npy", "--method", "lsqr", "--tol", "0",
             "--max-iterations", "3000"],
    "auto": ["solve", "s/A.npy", "s/b.npy", "--tol", "1e-15", "--max-passes", "400"],
    "sart": ["tomography", "reconstruct", "t.npy", "--size", "96", "--method", "sart",
             "--max-passes", "150"],
}

TROUBLES = ("none", "slow disk", "full disk", "two writers")
OURS = ("c", "c.previous", "c.tmp", "x.npy", "other.npy")


def run(words):
    return subprocess.run([PROGRAM, *words], **QUIET).returncode


def start(words, **faults):
    """Starts a process; `faults` are injected by the preloaded library."""
    environment = dict(os.environ, **faults)
    if faults:
        environment["LD_PRELOAD"] = os.path.abspath("faults.so")
    return subprocess.Popen([PROGRAM, *words], env=environment, **QUIET)


def prepare():
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", FAULTS_C, "-o", "faults.so"], check=True)
    # Otherwise the program executes itself again for faster BLAS kernels, and faults are counted twice.
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
    run(["generate", "spectrum", "--rows", "2000", "--cols", "20", "--kappa", "1e6", "--output", "p"])
    run(["generate", "spectrum", "--rows", "1500", "--cols", "1200", "--kappa", "1e4",
         "--decay", "algebraic", "--noise", "0.1", "--output", "s"])
    run(["tomography", "project", "walnut", "--size", "96", "--detectors", "138", "--output", "t.npy"])


def answer(words):
    """The exit code, the bits and the seconds of an uninterrupted run."""
    start = time.monotonic()
    code = run([*words, "--output", "x.npy"])
    seconds = time.monotonic() - start
    with open("x.npy", "rb") as file:
        return code, file.read(), seconds


def begin(saved, trouble):
    if trouble == "slow disk":
        return [start(saved, FAULT_SLOW="20")]
    if trouble == "full disk":
        return [start(saved, FAULT_WRITE=str(random.randint(1, 60)), FAULT_FOR_GOOD="1")]
    if trouble == "two writers":
        other = [word if word != "x.npy" else "other.npy" for word in saved]
        return [start(saved), start(other)]
    return [start(saved)]


def stop(processes):
    for process in processes:
        process.kill()
        process.wait()


def contents():
    """Hashes of all files that the runs must not change."""
    out = {}
    for folder in ("p", "s", "."):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and name not in OURS:
                with open(path, "rb") as file:
                    out[path] = hashlib.sha256(file.read()).hexdigest()
    return out


def crash(words, expected, trouble):
    code, bits, seconds = expected
    for name in OURS:
        if os.path.exists(name):
            os.remove(name)
    saved = [*words, "--checkpoint", "c", "--checkpoint-every", "0.01s", "--resume", "auto",
             "--output", "x.npy"]
    kills = 0
    while kills < 3:  # a resumed run may be killed again
        processes = begin(saved, trouble)
        end = time.monotonic() + random.uniform(0.0, 1.2 * seconds)
        while any(p.poll() is None for p in processes) and time.monotonic() < end:
            time.sleep(0.002)
        if processes[0].poll() is not None and trouble != "full disk":
            stop(processes)
            break
        stop(processes)
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
        # Rows on the disk have the bits of rows in memory.
        expected = {name: answer(["memory" if word == "disk" else word for word in words])
                    for name, words in RUNS.items()}
        before = contents()
        for attempt in range(TIMES):
            name = list(RUNS)[attempt % len(RUNS)]
            trouble = TROUBLES[attempt // len(RUNS) % len(TROUBLES)]
            good, killed = crash(RUNS[name], expected[name], trouble)
            kills += killed
            if not good:
                failures += 1
                print(f"crash {attempt} of {name}, {trouble}: other bits, or another end")
        lost = {path for path in before if contents().get(path) != before[path]}
        left = set(contents()) - set(before)
        os.chdir("/")
    print(f"{TIMES} runs, {kills} kills, {failures} with other bits, {len(lost)} files lost, "
          f"{len(left)} left over {sorted(left) or ''}")
    sys.exit(1 if failures or lost or left else 0)


main()
