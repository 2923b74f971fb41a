"""A type checker accepts right calls and finds wrong ones."""

import json
import os
import subprocess
import sys

import pytest

import polyak

RIGHT = '''
import numpy as np
import polyak
from polyak.sklearn import LeastSquares, Ridge
from polyak.tomography import Projector

A, b = np.ones((3, 1)), np.ones(3)
report: polyak.Report = polyak.solve(A, b, method="lsqr", tol=1e-9, max_iterations=None, batch=None)
polyak.solve("A.npy", "b.npy", intercept=True, progress=False)
x: np.ndarray = report.x
status: str = report.status
print(report.history["iteration"], report.passes, report.to_dict(), report.plot(x="seconds"))


def callback(x: np.ndarray, m: "polyak._solve.Measurement") -> None:
    print(m.iteration + 1, m.residual_norm)


polyak.solve(A, b, callback=callback)
print(polyak.plan(A), polyak.theory.parameters(1.0, 2.0), polyak.generate.gaussian(3, 2).A)
y, istop = polyak.lsqr(A, b)[:2]
z, rnorm = polyak.nnls(A, b)
print(polyak.lsq_linear(A, b, bounds=(0, 1)).x, polyak.lsmr(A, b, maxiter=3)[0], polyak.memory(A) + 1.0)
model = Ridge(alpha=0.1).fit(A, b)
print(model.coef_, LeastSquares(fit_intercept=False).partial_fit(A, b).predict(A))
scan = Projector(np.linspace(0, 3, 4), detectors=3, rows=2, cols=2, model="strip")
print(scan.reconstruct(np.ones((4, 3)), method="sirt").image, scan.matrix().shape)
made = polyak.reproduce("fig1", "out", rows=200)
print(made.claims[0]["holds"], made.page.upper())
try:
    polyak.solve(A, b[:2])
except polyak.DataError as error:
    print(error.where, error.expected.upper())
'''
WRONG = ['tol="small"', 'method="fast"', "max_iterations=1.5", "nothing=1"]
WRONG_CALLS = [*(f"polyak.solve(np.ones((3, 1)), np.ones(3), {bad})" for bad in WRONG),
               "polyak.lsqr(np.ones((3, 1)), np.ones(3), iter_lim=1.5)", 'polyak.theory.parameters(1.0, 2.0, method="adam")',
               'polyak.generate.spectrum(3, 2, decay="linear")', "polyak.reproduce(1, 2)", "polyak.solve(1, 2).x.nothing"]
WRONG_LINES = "\n".join(["import numpy as np, polyak", *WRONG_CALLS])
WRONG_NUMBERS = set(range(2, 2 + len(WRONG_CALLS)))


def check(tmp_path, text):
    (tmp_path / "example.py").write_text(text)
    environment = {**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}
    return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir",
                           str(tmp_path / "cache"), "example.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)


def lines_of(messages):
    return {int(line.split(":")[1]) for line in messages.splitlines() if ": error:" in line}


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    run = check(tmp_path, RIGHT)
    assert run.returncode == 0, run.stdout + run.stderr
    run = check(tmp_path, WRONG_LINES)
    assert lines_of(run.stdout) == WRONG_NUMBERS, run.stdout


def test_mypy_of_the_package(tmp_path):
    pytest.importorskip("mypy")
    run = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path), "polyak"],
                         cwd=os.environ["PYTHONPATH"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def pyright(tmp_path, text):
    """The errors by pyright, as the package basedpyright brings it with a JavaScript engine."""
    pytest.importorskip("basedpyright")
    (tmp_path / "example.py").write_text(text)
    settings = {"include": ["example.py"], "extraPaths": [os.environ["PYTHONPATH"]], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    run = subprocess.run([sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable], cwd=tmp_path,
                         capture_output=True, text=True)
    found = json.loads(run.stdout)["generalDiagnostics"]
    return [(line["range"]["start"]["line"] + 1, line["message"]) for line in found if line["severity"] == "error"]


def test_pyright(tmp_path):
    assert pyright(tmp_path, RIGHT) == []
    assert {line for line, _ in pyright(tmp_path, WRONG_LINES)} == WRONG_NUMBERS


def test_public_functions_are_annotated():
    import inspect

    from polyak import generate, sklearn, theory, tomography

    functions = [polyak.lsqr, polyak.lsmr, polyak.nnls, polyak.lsq_linear, polyak.plan, polyak.memory, polyak.reproduce, polyak.methods]
    for place in (generate, theory):
        functions += [f for n, f in vars(place).items() if inspect.isfunction(f) and f.__module__ == place.__name__ and not n.startswith("_")]
    for place in (tomography.Projector, sklearn.LeastSquares, sklearn.Ridge, polyak.Report, polyak.PolyakError):
        functions += [f for n, f in inspect.getmembers(place, inspect.isfunction) if f.__module__.startswith("polyak") and (not n.startswith("_") or n == "__init__")]
    assert {"fit", "partial_fit", "predict"} <= {f.__name__ for f in functions}
    missing = {f.__qualname__ for f in functions
               for p in inspect.signature(f).parameters.values() if p.annotation is p.empty and p.name != "self"}
    missing |= {f.__qualname__ for f in functions if inspect.signature(f).return_annotation is inspect.Signature.empty}
    assert not missing


def test_the_stub_has_the_options_of_the_table():
    import pathlib

    stub = pathlib.Path(polyak._core.__file__).with_name("_solve.pyi").read_text()
    for option in polyak._core.option_table():
        assert f"    {option['name']}: " in stub
