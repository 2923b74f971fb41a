# From Python: ksp.setType("polyak").
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
/usr/bin/python3 -c 'import petsc4py' 2>/dev/null || { echo "skipped: petsc4py is not installed" >&2; exit 77; }
[[ $POLYAK_FLAGS != *sanitize* ]] || { echo "skipped: Python runs without the sanitizer" >&2; exit 77; }
cat >solve.py <<'PY'
import sys
import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc

def table():
    A = PETSc.Mat().createAIJ([300, 5], nnz=5)
    first, last = A.getOwnershipRange()
    for i in range(first, last):
        for j in range(5):
            A[i, j] = ((i * 7 + j * 13) % 17 - 8) / 8 + (i % 5 == j)
    A.assemble()
    return A

def scan():
    A = PETSc.Mat().create()
    A.setType("polyakscan")  # sizes by options
    return A

A = scan() if "-scan" in sys.argv else table()
x, b = A.createVecs()
x.set(2.0)
A.mult(x, b)
x.set(0.0)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("polyak")
ksp.setFromOptions()
ksp.setTolerances(rtol=1e-12)
ksp.solve(b, x)
x.shift(-2.0)
error = x.norm()
PETSc.Sys.Print(f"{A.getSize()}, reason {ksp.getConvergedReason()}, error {error:.1e}")
sys.exit(0 if ksp.getConvergedReason() > 0 and error < 1e-7 else 1)
PY
for n in 1 2; do
  expect 0 ranks $n /usr/bin/python3 solve.py -skip_petscrc -dll_append "$plugin" -ksp_polyak_batch 100
  stdout_has "reason 2, error"
  expect 0 ranks $n /usr/bin/python3 solve.py -skip_petscrc -dll_append "$plugin" -scan \
    -mat_polyak_angles 0:180:40 -mat_polyak_detectors 24 -mat_polyak_size 16
  stdout_has "(960, 256), reason 2, error"
done
