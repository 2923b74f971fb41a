"""An installed package in an environment with NumPy alone: import, solve, pickle; in milliseconds what the
import takes beyond NumPy's, and which libraries of the system it uses. Run by tools/wheels.sh."""

import pickle
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def libraries():
    """Files of the shared libraries in this process, without modules of Python."""
    with open("/proc/self/maps") as maps:
        paths = {Path(line.split()[-1]) for line in maps if "/" in line}
    return {path for path in paths if re.search(r"^lib.*\.so|^ld-", path.name) and "lib-dynload" not in path.parts}


rng = np.random.default_rng(0)
A, b = rng.standard_normal((500, 8)), rng.standard_normal(500)
expected = np.linalg.lstsq(A, b, rcond=None)[0]
before = libraries()

start = time.perf_counter()
import polyak  # noqa: E402

seconds = time.perf_counter() - start

for method in ("auto", "direct", "normal", "lsqr"):
    report = polyak.solve(A, b, method=method, tol=1e-12)
    assert np.allclose(report.x, expected, rtol=1e-8), method
assert (pickle.loads(pickle.dumps(report)).x == report.x).all()
try:
    polyak.solve(A, b[:3])
except ValueError as error:
    assert error.expected == "500 rows in b"
else:
    raise AssertionError("no error")

# Of the system only what every Linux with Python has: the libraries of C and C++, and zlib.
site = Path(polyak.__file__).parent.parent
own = {path for path in libraries() if path.is_relative_to(site)}
system = {re.split(r"[.-]", path.name)[0] for path in libraries() - before - own}
assert any("openblas" in path.name and "polyak" in str(path.relative_to(site).parts[0]) for path in own)
assert system <= {"libm", "libdl", "librt", "libpthread", "libstdc++", "libgcc_s", "libz"}, system

command = [sys.executable, "-X", "importtime", "-c", "import polyak"]
lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
times = {line.split("|")[2].strip(): int(line.split("|")[1]) for line in lines if line.startswith("import time:") and "cumulative" not in line}
print(f"import of polyak: {1000 * seconds:.1f} ms beyond NumPy; with NumPy {times['polyak'] / 1000:.0f} ms")
print("libraries of the system:", ", ".join(sorted(system)) or "none beyond those of NumPy")
