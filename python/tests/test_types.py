"""A type checker accepts right calls and finds wrong ones."""

import os
import subprocess
import sys

import pytest

RIGHT = """
import numpy as np
import polyak

A, b = np.ones((3, 1)), np.ones(3)
report: polyak.Report = polyak.solve(A, b, method="lsqr", tol=1e-9, max_iterations=None, batch=None)
polyak.solve("A.npy", "b.npy", intercept=True, progress=False)

def callback(x: np.ndarray, m: "polyak._solve.Measurement") -> None:
    print(m.iteration + 1, m.residual_norm)

polyak.solve(A, b, callback=callback)
print(polyak.plan(A), polyak.theory.parameters(1.0, 2.0), polyak.generate.gaussian(3, 2).A)
"""
WRONG = ['tol="small"', 'method="fast"', "max_iterations=1.5", "nothing=1"]


def check(tmp_path, text):
    (tmp_path / "example.py").write_text(text)
    environment = {**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}
    return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir",
                           str(tmp_path / "cache"), "example.py"], cwd=tmp_path, capture_output=True, text=True, env=environment)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    run = check(tmp_path, RIGHT)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = ["import numpy as np, polyak"] + [f"polyak.solve(np.ones((3, 1)), np.ones(3), {bad})" for bad in WRONG]
    run = check(tmp_path, "\n".join(lines))
    assert run.stdout.count("error:") == len(WRONG), run.stdout


def test_the_stub_has_the_options_of_the_table():
    import pathlib

    import polyak

    stub = pathlib.Path(polyak._core.__file__).with_name("_solve.pyi").read_text()
    for option in polyak._core.option_table():
        assert f"    {option['name']}: " in stub
