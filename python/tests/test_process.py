"""What a process with Python does around a solve: its end, lack of memory, subinterpreters."""

import multiprocessing
import pickle
import subprocess
import sys

import pytest

import polyak
from polyak._errors import refused


def run(code, *arguments, timeout=60):
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout)


DAEMONS = """
import sys, threading, time
import numpy as np, polyak
rng = np.random.default_rng(0)
rows, seconds = int(sys.argv[1]), float(sys.argv[2])
A, b = rng.standard_normal((rows, 30)), rng.standard_normal(rows)
started = threading.Semaphore(0)
def solves():
    while True:
        started.release()
        polyak.solve(A, b, method="gd", tol=0, max_passes=1e9, time_limit=seconds)
for _ in range(2):
    threading.Thread(target=solves, daemon=True).start()
for _ in range(2):
    started.acquire()
time.sleep(0.2)
print("the end", flush=True)
"""


@pytest.mark.parametrize("rows", [300, 30000], ids=["in this thread", "in a second thread"])
@pytest.mark.parametrize("seconds", [0.01, 100.0])
def test_python_ends_in_order_while_daemon_threads_solve(rows, seconds):
    for _ in range(3):
        ended = run(DAEMONS, rows, seconds)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the end\n", "")


# The same in calls that are no solves.
OTHER_DAEMONS = """
import sys, threading, time
import numpy as np, polyak
from polyak.tomography import Projector
scan = Projector(np.linspace(0, 3, 60), 128, 96, 96)
sinogram = np.ones((60, 128))
A = np.random.default_rng(0).standard_normal((20000, 40))
calls = {
    "reconstruct": lambda: scan.reconstruct(sinogram, method="cgls", max_iterations=50),
    "products": lambda: scan @ np.ones(96 * 96),
    "plan": lambda: polyak.plan(A),
    "generate": lambda: polyak.generate.spectrum(20000, 40, kappa=10.0, seed=1),
}
def repeat(call):
    while True:
        call()
threading.Thread(target=repeat, args=[calls[sys.argv[1]]], daemon=True).start()
time.sleep(0.3)
print("the end", flush=True)
"""


@pytest.mark.parametrize("call", ["reconstruct", "products", "plan", "generate"])
def test_python_ends_in_order_while_daemon_threads_do_other_work(call):
    for _ in range(3):
        ended = run(OTHER_DAEMONS, call)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "the end\n", "")


# The copy of x for a callback finds no memory, between the start of the run and its end.
MEMORY = """
import resource
import numpy as np, polyak, scipy.sparse as sp
n, d = 2000, 6_000_000
rng = np.random.default_rng(0)
A = sp.csr_array((np.ones(20000), rng.integers(0, d, 20000), np.arange(0, 20001, 10)), shape=(n, d))
b = np.ones(n)
calls = []
def callback(x, m):
    calls.append(m.iteration)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 20 * 2**20, resource.RLIM_INFINITY))
try:
    polyak.solve(A, b, method="lsqr", tol=0, callback=callback)
except MemoryError:
    print("no memory", calls)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(polyak.solve(np.eye(3), np.ones(3)).x)
"""


def test_a_callback_that_finds_no_memory_is_an_error_and_not_the_end():
    ended = run(MEMORY)
    assert (ended.returncode, ended.stdout) == (0, "no memory [0]\n[1. 1. 1.]\n"), ended.stderr


SUBINTERPRETER = """
import sys
for name in ("_interpreters", "_xxsubinterpreters"):
    try:
        interpreters = __import__(name)
        break
    except ImportError:
        pass
if sys.argv[1] == "after":
    import polyak
inside = '''
try:
    import polyak
except ImportError as error:
    print(error, flush=True)
'''
made = interpreters.create()
interpreters.run_string(made, inside)
interpreters.destroy(made)
import numpy as np, polyak
print(polyak.solve(np.eye(3), np.ones(3)).x)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_subinterpreter_refuses_the_import_and_the_main_one_goes_on(when):
    ended = run(SUBINTERPRETER, when)
    assert ended.returncode == 0, ended.stderr
    error, x = ended.stdout.splitlines()
    assert "polyak" in error and "subinterpreter" in error and x == "[1. 1. 1.]"


def solve_in_child(A_and_b):
    return polyak.solve(*A_and_b, method="direct")


def test_a_pool_of_forked_processes_solves_after_a_solve(rng):
    A, b = rng.standard_normal((3000, 20)), rng.standard_normal(3000)
    here = solve_in_child((A, b))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        reports = pool.map(solve_in_child, [(A, b)] * 4)
        assert all((report.x == here.x).all() and report.status == "converged" for report in reports)
        with pytest.raises(polyak.DataError) as caught:
            pool.apply(solve_in_child, [(A, b[:3])])
    assert (caught.value.where, caught.value.expected) == ("b", "3000 rows in b")


@pytest.mark.parametrize("kind", ["UsageError", "DataError", "NoFileError", "FileError", "OutOfMemoryError", "InternalError"])
def test_errors_can_be_pickled(kind):
    error = refused(getattr(polyak, kind), "what is wrong", "there", "this", "that", "do so")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) == "there: what is wrong (found this, expected that); do so"
    assert vars(copy) == vars(error) and copy.hint == "do so"


ABSENT = """
import sys
sys.modules[sys.argv[1]] = None
import polyak
try:
    getattr(polyak, sys.argv[2])
except ModuleNotFoundError as error:
    print(error)
import numpy as np
print(polyak.solve(np.eye(2), np.ones(2)).x)
"""


@pytest.mark.parametrize("absent, module, needs", [("sklearn", "sklearn", "polyak.sklearn needs scikit-learn>=1.6"),
                                                   ("scipy", "tomography", "polyak.tomography needs scipy>=1.11")])
def test_a_package_that_is_not_installed_is_named(absent, module, needs):
    ended = run(ABSENT, absent, module)
    assert ended.returncode == 0, ended.stderr
    message, x = ended.stdout.splitlines()
    assert message.startswith(needs) and "pip install" in message and x == "[1. 1.]"
