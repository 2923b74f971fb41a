"""Ctrl-C: every method ends with KeyboardInterrupt, and the best x is reachable."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import sys, time, warnings
import numpy as np, polyak
rng = np.random.default_rng(0)
method, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
A, b = rng.standard_normal((n, d)), rng.standard_normal(n)
options = {} if method in ("auto", "direct", "normal", "active-set", "sketch-hbm") else {"tol": 0.0, "max_passes": 1e9}
if method in ("active-set", "bounded-cg"):
    options["lower"] = 0.0
print("ready", flush=True)
try:
    polyak.solve(A, b, method=method, **options)
    print("no interrupt", flush=True)
except KeyboardInterrupt as error:
    print("interrupted", time.time(), error.report.status, error.report.x.shape[0], flush=True)
"""


LIMIT = 2.0  # seconds, on a machine that runs other tests meanwhile; the aim is 0.5


def interrupted(code, arguments, after=0.4):
    """The words that the program prints after Ctrl-C."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(after)
    sent = time.time()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    words = out.split()
    assert words[:1] == ["interrupted"], out + err
    assert float(words[1]) - sent < LIMIT and time.time() - sent < 2 * LIMIT
    assert (process.returncode, err) == (0, "")
    return words[2:]


def interrupt(method, n, d):
    assert interrupted(PROGRAM, [method, n, d]) == ["interrupted", str(d)]


@pytest.mark.parametrize("method", ["gd", "hbm", "sgd", "rk", "minibatch-hbm", "lsqr", "cgls", "cg"])
def test_iterations_end(method):
    interrupt(method, 100000, 30)


@pytest.mark.parametrize("method", ["direct", "active-set", "sketch-hbm"])
def test_factorisations_end(method):
    interrupt(method, 3000, 2500)


def test_small_problems_end_too():
    interrupt("rk", 300, 3)


OTHER_CALLS = """
import os, sys, time
import numpy as np, polyak
from polyak.tomography import Projector
what = sys.argv[1]
B = np.random.default_rng(0).standard_normal((60000, 9))
class Slow:
    shape = B.shape
    def rows(self, indices):
        time.sleep(0.1)
        return B[indices]
A = Slow()
scan = Projector(np.linspace(0, 3, 90), 96, 64, 64)
sinogram = np.ones((90, 96))
calls = {
    "plan": lambda: polyak.plan(A),
    "facts": lambda: polyak.theory.facts(A),
    "generate": lambda: polyak.generate.spectrum(8000, 3000),
    "read": lambda: polyak.solve(sys.argv[2], np.ones(3)),
    "read b": lambda: polyak.solve(np.ones((3, 2)), sys.argv[2]),
    "reconstruct": lambda: scan.reconstruct(sinogram, method="sirt", max_iterations=10**8),
}
print("ready", flush=True)
try:
    calls[what]()
    print("no interrupt", flush=True)
except KeyboardInterrupt as error:
    print("interrupted", time.time(), *getattr(error, "image", np.empty(())).shape, flush=True)
"""


@pytest.mark.parametrize("call", ["plan", "facts", "generate"])
def test_long_calls_that_are_no_solves_end(call):
    assert interrupted(OTHER_CALLS, [call]) == []


@pytest.mark.parametrize("call", ["read", "read b"])
def test_reading_a_pipe_that_gives_nothing_ends(call, tmp_path):
    pipe = tmp_path / "slow.csv"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)
    assert interrupted(OTHER_CALLS, [call, pipe]) == []
    os.close(held)


def test_a_reconstruction_leaves_its_image():
    assert interrupted(OTHER_CALLS, ["reconstruct"]) == ["64", "64"]


def test_the_solve_after_an_interrupt_is_as_any_other(rng):
    import numpy as np

    import polyak

    A, b = rng.standard_normal((3000, 1500)), rng.standard_normal(3000)

    def interrupts(x, m):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        polyak.solve(A, b, method="direct", callback=interrupts)
    assert caught.value.report.x.shape == (1500,)
    x = polyak.solve(A[:300, :20], b[:300]).x
    np.testing.assert_allclose(x, np.linalg.lstsq(A[:300, :20], b[:300], rcond=None)[0], rtol=1e-9)


# The run that is left behind is inside a function of Python while Python ends.
ROWS = """
import signal, time
import numpy as np, polyak
B = np.random.default_rng(0).standard_normal((60000, 9))
class Slow:
    shape = (60000, 9)
    def rows(self, indices):
        time.sleep(0.02)
        return B[indices]
def interrupts(*arguments):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupts)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    polyak.solve(Slow(), B[:, 0].copy(), method="lsqr", threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_python_ends_in_order_after_an_interrupt_of_rows_made_by_python():
    ended = subprocess.run([sys.executable, "-c", ROWS], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")
