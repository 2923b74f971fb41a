"""plan, memory, theory, generate, tomography."""

import copy
import json
import os
import pickle
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

import polyak
from polyak.tomography import Projector


def test_plans_are_those_of_the_program(rng, tmp_path):
    A, b = rng.standard_normal((3000, 8)), rng.standard_normal(3000)
    plan = polyak.plan(A, b, tol=1e-6)
    assert plan.tol == 1e-6 and plan.rows == 3000 and "lsqr" in repr(plan) and "<table>" in plan._repr_html_()
    eigenvalues = np.linalg.eigvalsh(A.T @ A)
    assert plan.lambda_max == pytest.approx(eigenvalues[-1], rel=1e-9)
    with pytest.raises(polyak.UsageError):
        polyak.plan(A, tol=2)
    with pytest.raises(AttributeError):
        plan.nothing
    np.save(tmp_path / "A.npy", A)
    printed = subprocess.run([os.environ["POLYAK"], "plan", "A.npy", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    fields = json.loads(printed.stdout)
    own = polyak.plan(A).to_dict()
    assert set(own) <= set(fields) and fields["lambda_min"] == own["lambda_min"]


def test_memory_grows_with_the_method():
    A = np.ones((20000, 200))
    assert polyak.memory(A, method="lsqr") < polyak.memory(A, method="direct")


def test_theory_agrees_with_its_formulas(rng):
    l, L = 2.0, 450.0
    step, momentum = polyak.theory.parameters(l, L)
    kappa = L / l
    assert momentum == pytest.approx(((np.sqrt(kappa) - 1) / (np.sqrt(kappa) + 1)) ** 2)
    assert step == pytest.approx(4 / (np.sqrt(L) + np.sqrt(l)) ** 2)
    assert polyak.theory.contraction(step, momentum, l, L) == pytest.approx(np.sqrt(momentum), rel=1e-6)
    A = rng.standard_normal((400, 5))
    facts = polyak.theory.facts(A)
    np.testing.assert_allclose(np.sort(facts["eigenvalues"]), np.linalg.eigvalsh(A.T @ A), rtol=1e-9)
    assert facts["probabilities"].sum() == pytest.approx(1.0)
    energy = facts["eta"] * facts["frobenius2"]
    best = polyak.theory.tune(100, facts["eigenvalues"], energy)
    rate = polyak.theory.rate_for_batch(best["step_size"], best["momentum"], 100, facts["eigenvalues"], energy)
    assert rate == pytest.approx(best["rate"], rel=1e-6)
    assert polyak.theory.smallest_batch(1e-9, facts["eigenvalues"], energy) is None
    with pytest.raises(polyak.UsageError):
        polyak.theory.parameters(1.0, 2.0, method="adam")
    with pytest.raises(ValueError):
        polyak.theory.heavy_ball(-1.0, 2.0, 3.0, 2)


def test_generated_problems(rng):
    problem = polyak.generate.spectrum(500, 6, kappa=30.0, noise=0.1, seed=5)
    again = polyak.generate.spectrum(500, 6, kappa=30.0, noise=0.1, seed=5, threads=3)
    assert (problem.A == again.A).all() and (problem.b == again.b).all()
    assert np.linalg.cond(problem.A) ** 2 == pytest.approx(30.0)
    np.testing.assert_allclose(problem.x, np.linalg.lstsq(problem.A, problem.b, rcond=None)[0], rtol=1e-9)
    sparse = polyak.generate.sampling(300, 20, seed=1)
    assert sp.issparse(sparse.A) and sparse.A.shape == (300, 20)
    np.testing.assert_allclose(sparse.A @ sparse.x_planted, sparse.b, atol=1e-9)
    assert not isinstance(polyak.generate.sampling(300, 20, dense=True).A, sp.csr_array)
    with pytest.raises(polyak.UsageError):
        polyak.generate.spectrum(3, 6)


def test_a_generated_matrix_outlives_its_problem():
    import gc

    A = polyak.generate.gaussian(200, 5, seed=9).A
    copy = A.copy()
    gc.collect()
    junk = [np.full(1000, np.nan) for _ in range(50)]
    assert (A == copy).all() and len(junk) == 50


@pytest.mark.parametrize("model", ["line", "linear", "strip"])
def test_the_projector_is_its_matrix(rng, model):
    scan = Projector(np.linspace(0, np.pi, 40, endpoint=False), 30, 20, 24, model=model)
    M = scan.matrix()
    x, y = rng.random(480), rng.random(1200)
    np.testing.assert_allclose(scan @ x, M @ x, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(scan.T @ y, M.T @ y, rtol=1e-10, atol=1e-10)
    X = np.column_stack([x, 2 * x])
    np.testing.assert_allclose(scan @ X, M @ X, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(scan.rmatmat(np.column_stack([y, -y])), M.T @ np.column_stack([y, -y]), rtol=1e-10, atol=1e-9)
    ours = scipy.sparse.linalg.lsqr(scan, y, iter_lim=5)[0]
    np.testing.assert_allclose(ours, scipy.sparse.linalg.lsqr(M, y, iter_lim=5)[0], rtol=1e-6)


def test_the_projector_takes_every_method_and_reconstructs(rng):
    scan = Projector(np.linspace(0, np.pi, 60, endpoint=False), 40, 24, 24)
    image = np.zeros((24, 24))
    image[5:15, 8:20] = 1.0
    sinogram = (scan @ image.ravel()).reshape(60, 40)
    with pytest.warns(polyak.NotConvergedWarning):
        report = polyak.solve(scan, sinogram.ravel(), method="rk", max_passes=100)
    assert np.linalg.norm(report.x - image.ravel()) < 0.1 * np.linalg.norm(image)
    found = scan.reconstruct(sinogram, max_passes=200)
    assert found.image.shape == (24, 24) and np.linalg.norm(found.image - image) < 0.1 * np.linalg.norm(image)
    assert found.report.method and "smoothing" in found.more
    stack = scan.reconstruct(np.stack([sinogram, 2 * sinogram]), method="sirt", max_iterations=30)
    assert stack.image.shape == (2, 24, 24)
    np.testing.assert_allclose(stack.image[1], 2 * stack.image[0], rtol=1e-6, atol=1e-9)
    assert scan.back_projection(sinogram).shape == (24, 24)
    with pytest.raises(TypeError, match="unexpected keyword"):
        scan.reconstruct(sinogram, fast=True)
    with pytest.raises(ValueError):
        scan.reconstruct(sinogram[:, :-1])


@pytest.mark.parametrize("beam", [{}, {"beam": "fan", "source_distance": 30.0, "detector_distance": 10.0, "model": "line"}])
def test_a_projector_can_be_pickled_and_copied(rng, beam):
    options = {"offset": np.linspace(0, 0.5, 9), "pixel": 0.5, "spacing": 0.7, "model": "strip", "threads": 1, **beam}
    scan = Projector(np.linspace(0, 2, 9), 12, 8, 10, **options)
    x = rng.random(80)
    for other in (pickle.loads(pickle.dumps(scan)), copy.copy(scan), copy.deepcopy(scan)):
        assert other.shape == scan.shape and (other @ x == scan @ x).all()
        assert (other.matrix() != scan.matrix()).nnz == 0


class NamedScan(Projector):
    def __init__(self, name):
        super().__init__(np.linspace(0, 2, 5), 12, 8, 10)
        self.name = name


def test_a_pickled_projector_keeps_its_class_and_attributes():
    scan = pickle.loads(pickle.dumps(NamedScan("tooth")))
    assert type(scan) is NamedScan and scan.name == "tooth" and scan.shape == (60, 80)


def test_numbers_of_reproduce_are_checked(tmp_path):
    for wrong in ({"rows": 0}, {"trials": 0}, {"seed": -1}, {"threads": -1}):
        with pytest.raises(polyak.UsageError, match="does not fit the option"):
            polyak.reproduce("fig1", tmp_path, **wrong)
    with pytest.raises(TypeError):
        polyak.reproduce("fig1", tmp_path, rows=2.5)
    assert not list(tmp_path.iterdir())


def test_vectors_of_a_scan_are_not_flattened():
    for wrong in ({"angles": np.ones((2, 2))}, {"offset": np.ones((2, 2))}):
        with pytest.raises(polyak.DataError, match=r"another shape .*\(2, 2\)"):
            Projector(**{"angles": np.ones(4), "detectors": 5, "rows": 3, "cols": 3, **wrong})
    scan = Projector(np.arange(4.0), 5, 3, 3)
    sinogram = np.ones((4, 5))
    options = {"method": "cgls", "max_iterations": 2}
    weighted = scan.reconstruct(sinogram, weights=np.full((4, 5), 2.0), **options).image
    assert (weighted == scan.reconstruct(sinogram, weights=np.full(20, 2.0), **options).image).all()
    with pytest.raises(polyak.DataError, match=r"found \(5, 4\), expected \(4, 5\)"):
        scan.reconstruct(sinogram, weights=np.ones((5, 4)), **options)


def test_reproduce_is_that_of_the_program(tmp_path):
    made = polyak.reproduce("fig1", tmp_path / "own", rows=200, trials=2)
    assert made.runs_made > 0 and made.runs_kept == 0 and all(os.path.exists(name) for name in made.files)
    subprocess.run([os.environ["POLYAK"], "reproduce", "fig1", "--rows", "200", "--trials", "2", "--out", "other", "--quiet"],
                   cwd=tmp_path, check=True)
    assert (tmp_path / "own/fig1.csv").read_bytes() == (tmp_path / "other/fig1.csv").read_bytes()
    claims = json.loads((tmp_path / "own/claims.json").read_text())
    assert claims == json.loads((tmp_path / "other/claims.json").read_text()) and made.claims
    again = polyak.reproduce("fig1", tmp_path / "own", rows=200, trials=2)
    assert again.runs_made == 0 and again.runs_kept == made.runs_made and again.claims == made.claims
    with pytest.raises(polyak.PolyakError):
        polyak.reproduce("fig9", tmp_path / "none")
    with pytest.raises(polyak.PolyakError):
        polyak.reproduce("fig1", tmp_path / "none", rows=0)


def test_images_of_reproduce_are_those_of_the_program(tmp_path, capsys):
    images = pytest.importorskip("matplotlib.image")
    made = polyak.reproduce("fig6", tmp_path / "own", rows=1500, trials=1, progress=True)
    assert "%, fig6" in capsys.readouterr().err
    subprocess.run([os.environ["POLYAK"], "reproduce", "fig6", "--rows", "1500", "--trials", "1", "--out", "other", "--quiet"],
                   cwd=tmp_path, check=True)
    pictures = [name for name in map(os.path.basename, made.files) if name.startswith("fig6-")]
    assert pictures
    for name in pictures:
        assert (images.imread(tmp_path / "own" / name) == images.imread(tmp_path / "other" / name)).all()


def test_a_sinogram_of_another_shape_is_refused():
    scan = Projector([0.0, 1.0, 2.0], detectors=4, rows=3, cols=3)
    for call in (scan.reconstruct, scan.back_projection):
        for wrong in (np.ones((4, 3)), np.ones(12)):
            with pytest.raises(ValueError, match="3 views of 4 detectors"):
                call(wrong)
        with pytest.raises(TypeError, match="complex"):
            call(np.ones((3, 4)) * 1j)
    assert scan.back_projection(np.ones((3, 4))).shape == (3, 3)


def test_an_operator_takes_a_method_of_products_where_none_is_named(rng=np.random.default_rng(3)):
    A = rng.standard_normal((40, 3))
    b = A @ np.ones(3)
    operator = scipy.sparse.linalg.aslinearoperator(A)
    assert polyak.solve(operator, b, method=None).method == polyak.solve(operator, b).method == "lsqr"


def test_a_plan_reads_what_a_solve_reads_and_refuses_what_it_does_not_use(rng, tmp_path):
    A, b = rng.standard_normal((300, 4)), rng.standard_normal(300)
    table = tmp_path / "table.csv"
    np.savetxt(table, np.column_stack([A, b]), delimiter=",", header="p,q,r,s,price", comments="", fmt="%.17g")
    plan = polyak.plan(table, rhs_column="price")
    assert plan.cols == 4 and plan.relative_residual == pytest.approx(polyak.plan(A, b).relative_residual)
    with pytest.raises(polyak.UsageError, match=r"batch: plan\(\) does not use this option .*expected .*tol"):
        polyak.plan(A, batch=3)
    with pytest.raises(TypeError, match=r"plan\(\) got an unexpected keyword argument 'weights'"):
        polyak.plan(A, weights=b)
    with pytest.raises(TypeError, match=r"memory\(\) got an unexpected keyword argument 'nothing'"):
        polyak.memory(A, nothing=1)
    with pytest.raises(polyak.UsageError, match="a plan needs single rows of A"):
        polyak.plan(scipy.sparse.linalg.aslinearoperator(A), b)


def test_phantoms():
    polyak_names = ("shepp-logan", "disc", "rectangle", "shapes", "walnut")
    images = [polyak.tomography.phantom(name, 32, 48) for name in polyak_names]
    assert all(image.shape == (32, 48) and np.isfinite(image).all() and image.max() > 0 for image in images)
    for name, differs in (("disc", False), ("shapes", True), ("walnut", True)):
        one, other = (polyak.tomography.phantom(name, 32, seed=seed) for seed in (1, 2))
        assert (one != other).any() == differs
    with pytest.raises(polyak.UsageError, match="there is no such phantom .*found 'moon'.*walnut"):
        polyak.tomography.phantom("moon", 32)
    with pytest.raises(polyak.UsageError, match="cols: .*found 0, expected at least 1"):
        polyak.tomography.phantom("disc", 32, 0)


def test_the_report_of_a_reconstruction_has_a_history():
    scan = Projector(np.linspace(0, np.pi, 40, endpoint=False), 24, 16, 16)
    sinogram = (scan @ polyak.tomography.phantom("disc", 16).ravel()).reshape(40, 24)
    found = scan.reconstruct(sinogram, method="cgls", max_iterations=10)
    report = found.report
    assert report.history["iteration"][-1] == report.iterations == 10
    assert (np.diff(report.history["residual_norm"]) <= 0).all()
    np.testing.assert_array_equal(report.x, found.image.ravel())
    stack = scan.reconstruct(np.stack([sinogram, -sinogram]), method="cgls", max_iterations=10)
    np.testing.assert_array_equal(stack.report.x, stack.image.reshape(2, -1).T)
    again = pickle.loads(pickle.dumps(found))
    assert (again.image == found.image).all() and again.report.history.dtype == report.history.dtype
