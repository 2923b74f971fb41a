# Matrices and vectors written by PETSc itself, with .info files beside them.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin_for petsc >/dev/null

# From a program, with indices of either width; -mat_view and -vec_view are PETSc's own options.
# One and two processes write the same bytes, so that the files of one are read from here on.
lsqr=(-skip_petscrc -noise 0.1 -ksp_type lsqr -pc_type none -ksp_lsqr_exact_mat_norm -ksp_rtol 1e-14)
for module in petsc petsc64; do
  case $module in petsc) driver=driver ;; *) driver=driver64 ;; esac
  [ -e "$POLYAK_BUILD/tests/petsc/bin/$driver" ] || continue
  for n in 1 2; do
    for kind in aij dense; do
      echo "-mat $kind -mat_view binary:$kind$n.petsc -vec_view binary:b-$kind$n.petsc -out $kind$n.txt"
    done | cases $n "$(program $driver)" "${lsqr[@]}"
  done
  for kind in aij dense; do
    same ${kind}1.petsc ${kind}2.petsc
    same b-${kind}1.petsc b-${kind}2.petsc
    cp ${kind}1.petsc A.petsc
    cp b-${kind}1.petsc b.petsc
    # Options in .info files beside the data are ignored.
    printf -- '-log_view ascii:info-was-here\n-matload_block_size 7\n' | tee A.petsc.info >b.petsc.info
    "$POLYAK" info A.petsc >out
    stdout_has "500 x 12"
    for p in 1 2 3; do
      expect 0 ranks $p "$POLYAK" solve A.petsc b.petsc --method direct --output x$p.npy --quiet
    done
    near x1.npy ${kind}1.txt 1e-9 x2.npy ${kind}1.txt 1e-9 x3.npy ${kind}1.txt 1e-9 ${kind}2.txt ${kind}1.txt 1e-9
    absent info-was-here
    "$POLYAK" convert A.petsc $module-$kind.npy --quiet
    same $module-$kind.npy petsc-$kind.npy
  done
done

# From Python: every bit is kept.
/usr/bin/python3 -c 'import petsc4py' 2>/dev/null || exit 0
[[ $POLYAK_FLAGS != *sanitize* ]] || exit 0
cat >write.py <<'PY'
import struct, sys
import petsc4py
petsc4py.init(["write.py", "-skip_petscrc"])
from petsc4py import PETSc
rows, cols = 7, 4
value = lambda i, j: (i + 1) / 3.0 - j * 1e-300 + (1e200 if i == j else 0)
def view(thing, name):
    viewer = PETSc.Viewer().createBinary(name, "w")
    viewer.pushFormat(PETSc.Viewer.Format.NATIVE)
    thing.view(viewer)
    viewer.destroy()
dense = PETSc.Mat().createDense([rows, cols])
sparse = PETSc.Mat().createAIJ([rows, cols], nnz=cols)
for A in dense, sparse:
    A.setUp()
    for i in range(rows):
        for j in range(cols):
            if A is dense or (i + j) % 2:
                A[i, j] = value(i, j)
    A.assemble()
view(dense, "dense.petsc")
view(sparse, "sparse.petsc")
x = PETSc.Vec().createSeq(rows)
for i in range(rows):
    x[i] = value(i, 2)
x.assemble()
view(x, "x.petsc")
def npy(name, shape, values):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (117 - len(header)) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%dd" % len(values), *values))
npy("dense.npy", (rows, cols), [value(i, j) for i in range(rows) for j in range(cols)])
npy("sparse.npy", (rows, cols), [value(i, j) if (i + j) % 2 else 0.0 for i in range(rows) for j in range(cols)])
npy("x.npy", (rows, 1), [value(i, 2) for i in range(rows)])
PY
/usr/bin/python3 write.py
for name in dense sparse x; do
  "$POLYAK" convert $name.petsc got.npy --quiet
  same got.npy $name.npy
done
