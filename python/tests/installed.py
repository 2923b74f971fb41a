"""An installed package in an environment with NumPy alone: import, solve, pickle; in milliseconds and
megabytes what the import takes beyond NumPy's. Run by tools/wheels.sh."""

import pickle
import subprocess
import sys
import time

import numpy as np

start = time.perf_counter()
import polyak  # noqa: E402

seconds = time.perf_counter() - start

rng = np.random.default_rng(0)
A, b = rng.standard_normal((500, 8)), rng.standard_normal(500)
expected = np.linalg.lstsq(A, b, rcond=None)[0]
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

# Nothing of the system but what every Linux has: libraries of the C and C++ runtime and zlib.
maps = open("/proc/self/maps").read()
loaded = {line.split()[-1] for line in maps.splitlines() if ".so" in line and "/" in line}
foreign = [path for path in loaded if any(name in path for name in ("libfmt", "libhwy", "openblas", "libhdf5", "libtiff"))]
outside = [path for path in foreign if not path.startswith(sys.prefix)]
assert not outside, outside
assert "hdf5" not in maps and "libtiff" not in maps and "matio" not in maps

command = [sys.executable, "-X", "importtime", "-c", "import polyak"]
lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
times = {line.split("|")[2].strip(): int(line.split("|")[1]) for line in lines if line.startswith("import time:") and "cumulative" not in line}
print(f"import of polyak: {1000 * seconds:.1f} ms beyond NumPy; with NumPy {times['polyak'] / 1000:.0f} ms")
