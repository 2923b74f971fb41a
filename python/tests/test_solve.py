"""The report, options, callbacks, threads."""

import html
import json
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import polyak


@pytest.fixture
def problem(rng):
    A = rng.standard_normal((600, 9))
    b = A @ np.arange(9.0) + 0.3 * rng.standard_normal(600)
    return A, b


def test_the_options_are_those_of_the_table():
    names = {line["name"] for line in polyak._core.option_table()}
    assert {"method", "batch", "step_size", "tol", "max_passes", "seed", "threads"} <= names
    import inspect

    parameters = inspect.signature(polyak.solve).parameters
    for line in polyak._core.option_table():
        assert parameters[line["name"]].default == line["default"]
        assert line["name"] in polyak.solve.__doc__


def test_options_have_the_checks_of_the_table(problem):
    A, b = problem
    for options, message in [({"tol": 2}, "tol"), ({"batch": 0}, "batch"), ({"batch": 1.5}, "batch"),
                             ({"method": "fast"}, "method"), ({"seed": -1}, "seed"), ({"momentum": 1.0}, "momentum"),
                             ({"tol": "small"}, "tol"), ({"threads": 2**70}, "threads")]:
        with pytest.raises(polyak.UsageError) as caught:
            polyak.solve(A, b, **options)
        assert caught.value.where == message and isinstance(caught.value, ValueError)
        assert caught.value.found and caught.value.expected
    with pytest.raises(TypeError, match=r"solve\(\) got .*'max_iter'; here it is max_iterations"):
        polyak.solve(A, b, max_iter=3)
    with pytest.raises(TypeError, match="'sample_weight'; here it is weights"):
        polyak.solve(A, b, sample_weight=b)
    with pytest.raises(TypeError, match="did you mean weights"):
        polyak.solve(A, b, weight=b)
    with pytest.raises(TypeError, match=r"ridge is one number \(found an array of shape \(9,\)\); ridge_factors"):
        polyak.solve(A, b, ridge=np.ones(9))
    with pytest.raises(TypeError, match=r"ridge is one number \(found str\)"):
        polyak.solve(A, b, ridge="1")
    with pytest.raises(TypeError, match="did you mean max_iterations"):
        polyak.solve(A, b, max_iteration=3)
    with pytest.raises(polyak.UsageError, match="does not use this option"):
        polyak.solve(A, b, method="direct", batch=4)


def test_numbers_of_numpy_and_none_are_options(problem):
    A, b = problem
    plain = polyak.solve(A, b, method="minibatch-hbm", batch=64, seed=2**63 + 5, max_passes=3.0, tol=1e-3)
    numpy = polyak.solve(A, b, method="minibatch-hbm", batch=np.int32(64), seed=np.uint64(2**63 + 5),
                         max_passes=np.float32(3), tol=1e-3, step_size=None, max_iterations=None, sampling=None)
    assert plain.seed == 2**63 + 5 and plain.asked == numpy.asked
    assert (plain.x == numpy.x).all()


def test_the_report_holds_all_of_report_json(problem, tmp_path):
    A, b = problem
    report = polyak.solve(A, b, method="lsqr", reference=np.arange(9.0), statistics=True)
    fields = report.to_dict()
    assert fields["method"] == report.method == "lsqr"
    assert report.rows == 600 and report.cols == 9 and report.error < 0.1
    assert report.statistics["degrees_of_freedom"] == 591
    assert report.pages_read is None
    with pytest.raises(AttributeError):
        report.residualnorm
    assert "residual_norm" in dir(report)
    np.save(tmp_path / "A.npy", A), np.save(tmp_path / "b.npy", b), np.save(tmp_path / "r.npy", np.arange(9.0))
    subprocess.run([os.environ["POLYAK"], "solve", "A.npy", "b.npy", "--method", "lsqr", "--statistics", "--reference", "r.npy",
                    "--report", "r.json", "--quiet"], cwd=tmp_path, check=True)
    written = json.loads((tmp_path / "r.json").read_text())
    assert set(written) == set(fields)
    for name in ("iterations", "residual_norm", "asked", "backward_error", "statistics"):
        assert written[name] == fields[name]


def test_history(problem):
    A, b = problem
    history = polyak.solve(A, b, method="lsqr").history
    assert history["iteration"][0] == 0 and history["iteration"].dtype == np.int64
    assert (np.diff(history["residual_norm"]) <= 0).all()
    assert np.isnan(history["error"]).all()


def test_a_report_can_be_pickled(problem):
    A, b = problem
    report = polyak.solve(A, b)
    copy = pickle.loads(pickle.dumps(report))
    assert (copy.x == report.x).all() and copy.to_dict() == report.to_dict()
    for name in report.history.dtype.names:
        np.testing.assert_array_equal(copy.history[name], report.history[name])
    assert repr(copy) == repr(report) and copy.status == "converged"


def test_pictures(problem):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    report = polyak.solve(*problem, method="lsqr")
    axes = report.plot()
    assert axes.lines and axes.get_yscale() == "log"
    assert report.plot(x="row_products").get_xlabel() == "row products"
    page = report._repr_html_()
    assert "<table>" in page and "data:image/png" in page and "relative residual" in page
    assert f"<p>converged by lsqr: {html.escape(report.reason)}</p>" in page
    with pytest.raises(ValueError, match="x is 'pass', expected 'iteration', 'row_products' or 'seconds'"):
        report.plot(x="pass")


def test_a_report_is_printed_with_its_unknowns(problem):
    A, b = problem
    frame = pytest.importorskip("pandas").DataFrame(A, columns=list("abcdefghi"))
    report = polyak.solve(frame, b, intercept=True, statistics=True)
    lines = str(report).splitlines()
    assert lines[0] == f"converged by {report.method}: {report.reason}"
    error = report.statistics["standard_errors"][0][9]
    assert lines[-1].split() == ["intercept", f"{report.x[9]:.6g}", "+-", f"{error:.2g}"]
    assert [line.split()[0] for line in lines[-10:-1]] == list("abcdefghi")
    assert "x[0]" in str(polyak.solve(A, b)) and "x[0]" not in str(polyak.solve(A, np.column_stack([b, b])))


def test_warnings_are_those_of_python(problem):
    A, b = problem
    A = np.column_stack([A, A[:, 0]])
    with pytest.warns(polyak.PolyakWarning, match="rank 9 of 10"):
        polyak.solve(A, b, method="direct")
    with pytest.warns(polyak.NotConvergedWarning, match="limit") as caught:
        polyak.solve(A, b, method="lsqr", max_iterations=1)
    assert caught[0].filename == __file__


def test_problem_parts(problem):
    A, b = problem
    n, d = A.shape
    w = np.linspace(0, 2, n)
    x = polyak.solve(A, b, weights=w, ridge=3.0).x
    expected = np.linalg.solve(A.T @ (w[:, None] * A) + 3 * np.eye(d), A.T @ (w * b))
    np.testing.assert_allclose(x, expected, rtol=1e-9)
    x = polyak.solve(A, b + 5, intercept=True, ridge=2.0, ridge_factors=np.arange(9.0)).x
    wide = np.column_stack([A, np.ones(n)])
    penalty = np.diag([*(2.0 * np.arange(9.0)), 0.0])
    np.testing.assert_allclose(x, np.linalg.solve(wide.T @ wide + penalty, wide.T @ (b + 5)), rtol=1e-9)
    x = polyak.solve(A, b, lower=1.0, upper=np.full(9, 5.0)).x
    assert (x >= 1).all() and (x <= 5).all() and x[0] == 1.0 and x[8] == 5.0
    started = polyak.solve(A, b, x0=np.arange(9.0), method="lsqr")
    assert started.history["residual_norm"][0] == pytest.approx(np.linalg.norm(b - A @ np.arange(9.0)))
    given = polyak.solve(A, b, method="minibatch-hbm", sampling="given", probabilities=np.ones(n), max_passes=20, tol=0.1)
    assert given.used["sampling"] == "given"


def test_wrong_shapes_are_named(problem):
    A, b = problem
    for parts in ({"weights": np.ones(3)}, {"x0": np.ones(3)}, {"lower": np.ones(4)}, {"ridge_factors": np.ones(2), "ridge": 1}):
        with pytest.raises(polyak.DataError):
            polyak.solve(A, b, **parts)
    with pytest.raises(ValueError, match="found A 600 x 9 and b 5 x 1"):
        polyak.solve(A, b[:5])
    with pytest.raises(TypeError, match="b is missing"):
        polyak.solve(A)


@pytest.mark.parametrize("rows", [600, 60000], ids=["in this thread", "in a second thread"])
def test_a_callback_sees_each_measurement_in_the_thread_of_the_caller(rng, rows):
    A = rng.standard_normal((rows, 9))
    b = rng.standard_normal(rows)
    seen = []

    def callback(x, m):
        assert threading.current_thread() is threading.main_thread()
        seen.append((m.iteration, m.residual_norm, np.linalg.norm(b - A @ x)))

    report = polyak.solve(A, b, method="lsqr", callback=callback)
    assert [s[0] for s in seen] == list(report.history["iteration"])
    for _, told, true in seen:
        assert told == pytest.approx(true, rel=1e-6)


@pytest.mark.parametrize("rows", [600, 60000])
def test_a_callback_may_raise(rng, rows):
    A, b = rng.standard_normal((rows, 9)), rng.standard_normal(rows)

    def callback(x, m):
        if m.iteration == 2:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough") as caught:
        polyak.solve(A, b, method="lsqr", tol=0, callback=callback)
    assert caught.value.report.status == "interrupted" and caught.value.report.x.shape == (9,)

    def stop(x, m):
        raise StopIteration

    report = polyak.solve(A, b, method="lsqr", tol=0, callback=stop)
    assert report.status == "interrupted"


def test_progress_is_shown(rng, capsys):
    A, b = rng.standard_normal((40000, 40)), rng.standard_normal(40000)
    with pytest.warns(polyak.NotConvergedWarning):
        polyak.solve(A, b, method="gd", tol=0, time_limit=0.6, progress=True)
    assert "residual" in capsys.readouterr().err
    report = polyak.solve(A[:100], b[:100], method="lsqr", progress=True)  # its end, however short
    assert f"iteration {report.iterations}, " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("method", ["auto", "direct", "minibatch-hbm", "lsqr"])
def test_python_threads_solve_at_once_with_the_same_bits(rng, method):
    problems = [(rng.standard_normal((30000, 12)), rng.standard_normal(30000)) for _ in range(3)]
    options = {"method": method, "max_passes": 20, "seed": 5}
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = [polyak.solve(A, b, **options).x for A, b in problems]
        together = [None] * 3

        def run(k):
            together[k] = polyak.solve(*problems[k], **options).x

        threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for one, other in zip(alone, together):
        assert (one == other).all()


@pytest.mark.parametrize("method", ["auto", "direct", "normal", "minibatch-hbm", "rk", "sketch-hbm"])
def test_the_number_of_threads_changes_no_bit(problem, method):
    A, b = problem
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        xs = [polyak.solve(A, b, method=method, threads=t, max_passes=10, seed=1).x for t in (1, 2, 5)]
    assert (xs[0] == xs[1]).all() and (xs[0] == xs[2]).all()


def test_the_gil_is_released(rng):
    A, b = rng.standard_normal((200000, 20)), rng.standard_normal(200000)
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    with pytest.warns(polyak.NotConvergedWarning):
        polyak.solve(A, b, method="gd", tol=0, max_iterations=20, threads=1)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 1000


def test_a_process_that_forks_after_a_solve_solves_again(problem):
    A, b = problem
    before = polyak.solve(A, b, method="direct").x
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            same = all((polyak.solve(A, b, method="direct", threads=t).x == before).all() for t in (0, 1, 2))
            os.write(write, b"same" if same else b"other")
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"same"


def test_the_threads_of_numpy_are_left_alone(problem):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    polyak.solve(*problem, method="direct")
    own = {i["filepath"]: i["num_threads"] for i in threadpoolctl.threadpool_info() if "polyak" not in i["filepath"]}
    code = "import numpy, scipy.linalg, threadpoolctl, json; print(json.dumps({i['filepath']: i['num_threads'] for i in threadpoolctl.threadpool_info()}))"
    fresh = json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    for path in fresh:
        if path in own:
            assert own[path] == fresh[path]
