"""Rows that are read once: the answers beside those of numpy.linalg.lstsq, and small or odd inputs."""

import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:  # is not among what the program needs
    np = None

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["POLYAK_SOURCE"], "tests/cli/lib"))
from solving import TABLE, near, refused, solved, write_tables, x_of  # noqa: E402


def write_rows(name, *columns):
    with open(name, "w") as file:
        for row in np.column_stack(columns):
            file.write(",".join(repr(float(v)) for v in row) + "\n")


def forward_bound(A, b, z, factor=4):
    """Of |z - z*| for two solutions that are exact for data with relative errors of eps = factor d sqrt(n) u each
    (Wedin): eps (k |z| + k |b|/s + k^2 |r|/s), s the largest singular value of A and k its condition."""
    n, d = A.shape
    values = np.linalg.svd(A, compute_uv=False)
    s, k = values[0], values[0] / values[-1]
    eps = 2 * factor * d * np.sqrt(n) * 2.0**-53
    r = np.linalg.norm(A @ z - b)
    return eps * (k * np.linalg.norm(z) + k * np.linalg.norm(b) / s + k * k * r / s)


def agrees_with_numpy():
    """numpy.linalg.lstsq, on columns of norm 1, centred by their means where there is an intercept."""
    if np is None:
        return
    source = np.random.default_rng(11)
    n, d = 20000, 6

    def check(A, b, *options, weights=None, ridge=0.0, intercept=False, proved=1e-8):
        write_rows("np.csv", A, b)
        arguments = ["np.csv", "--rhs-column", str(A.shape[1] + 1), "--storage", "stream", "--output", "x.csv",
                     "--quiet", *options]
        if weights is not None:
            write_rows("npw.csv", weights)
            arguments += ["--weights", "npw.csv"]
        if ridge:
            arguments += ["--ridge", repr(ridge)]
        if intercept:
            arguments += ["--intercept"]
        report = solved(*arguments)
        assert report["status"] == "converged" and report["stream"]["backward_error_bound"] < proved, report
        root = np.ones(len(b)) if weights is None else np.sqrt(weights)
        means, mean = np.zeros(A.shape[1]), 0.0
        if intercept:
            means, mean = np.average(A, axis=0, weights=root**2), np.average(b, weights=root**2)
        M, r = (A - means) * root[:, None], (b - mean) * root
        if ridge:
            M, r = np.vstack([M, np.sqrt(ridge) * np.eye(A.shape[1])]), np.concatenate([r, np.zeros(A.shape[1])])
        size = np.linalg.norm(M, axis=0)
        z = np.linalg.lstsq(M / size, r, rcond=None)[0]
        x = np.array(x_of("x.csv"))
        away = np.linalg.norm(x[:A.shape[1]] * size - z)
        assert away <= forward_bound(M / size, r, z), (away, forward_bound(M / size, r, z))
        if intercept:
            c = mean - means @ (z / size)
            terms = abs(mean) + np.sum(np.abs(means * z / size))
            slack = np.sum(np.abs(means) / size) * forward_bound(M / size, r, z)
            assert abs(x[-1] - c) <= slack + 4 * np.sqrt(n) * 2.0**-53 * terms, (x[-1], c)
        return x

    A = source.standard_normal((n, d))
    b = A @ np.arange(1.0, d + 1) + source.standard_normal(n)
    check(A, b)
    check(A * 10.0**np.arange(-9, 9, 3), b)
    check(A, b, weights=source.integers(1, 5, n).astype(float), ridge=50.0)
    check(A * [1e6, 1, 1, 1e-3, 1, 1] + [1e7, 0, 5, 1, 0, 0], b, intercept=True)
    slopes = check(A, b, intercept=True)[:d]
    near(list(check(A, b + 1e9, intercept=True)[:d]), list(slopes), 1e-9)  # b + 1e9 has a spacing of 1e-7
    close = A.copy()
    close[:, 3] = A[:, 1] + 1e-6 * A[:, 3]
    check(close, b, proved=1e-6)  # |a_j||x_j| is a million times |r|
    check(A[:, :1], b)
    check(A[:7], b[:7])


def small_and_odd_inputs():
    stream = ["--storage", "stream", "--quiet", "--output", "x.csv"]

    def x(text, *options, column="1"):
        report = solved("-", "--rhs-column", column, *stream, *options, input=text)
        return x_of("x.csv"), report

    assert x("6,2\n")[0] == [3.0]  # one row
    near(x("3,1\r\n6,2\r\n10,3\r\n")[0], [45 / 14])
    near(x("2,1,1,1,1\n")[0], [0.5] * 4)  # fewer rows than columns: the least norm
    near(x("b,a\n3,1\n\n# a comment\nb,a\n6,2\n")[0], [3.0])
    near(x("1;2\n2;4\n")[0], [0.5])
    # The end of a line that is missing.
    found, report = x("3,1\n6,2")
    near(found, [3.0])
    assert "no newline ends the last row of standard input" in report["warnings"][0], report["warnings"]
    assert "no newline" not in str(x("3,1\n6,2\n")[1]["warnings"])
    # Columns that depend on others are named.
    rows = "".join(f"{i % 7},{i},{i * i % 11},{3 * i}\n" for i in range(1, 3000))
    found, report = x(rows)
    assert report["used"]["rank"] == 2, report["used"]
    assert {report["dependent_columns"][0]["column"], *report["dependent_columns"][0]["on"]} in ({1, 3}, {0, 2}), report
    assert "column" in report["warnings"][0] and "rank 2 of 3" in report["warnings"][0], report["warnings"]
    # A producer that dies.
    for command, said in (("cat missing.csv 2>&-", "holds no data"), ("head -c 400 all.csv", "may have been cut off")):
        with subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE) as feeder:
            refused(65, said, "-", "--rhs-column", "1", "--storage", "stream", stdin=feeder.stdout)
    refused(65, "standard input:2: .*inf", "-", "--rhs-column", "1", "--storage", "stream", input="1,2\n3,inf\n")
    refused(66, "never.csv: cannot open", "all.csv", "never.csv", *TABLE, "--storage", "stream")


write_tables(300, 1)
agrees_with_numpy()
small_and_odd_inputs()
