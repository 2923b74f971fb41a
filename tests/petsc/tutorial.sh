# PETSc's own tutorial on least squares, as the distribution ships it.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
ex27=$(program ksp_ksp_tutorials_ex27)

python - <<'PY'
import random, struct
random.seed(5)
n, d = 600, 20
rows = [[(j, random.uniform(-1, 1)) for j in sorted(random.sample(range(d), 5))] for _ in range(n)]
x = [random.uniform(-1, 1) for _ in range(d)]
b = [sum(v * x[j] for j, v in row) for row in rows]
entries = [pair for row in rows for pair in row]
with open("A.petsc", "wb") as f:  # PETSc binary: a matrix, then a vector
    for ints in [1211216, n, d, len(entries)], [len(r) for r in rows], [j for j, _ in entries]:
        f.write(struct.pack(f">{len(ints)}i", *ints))
    f.write(struct.pack(f">{len(entries)}d", *[v for _, v in entries]))
    f.write(struct.pack(f">2i{n}d", 1211214, n, *b))
PY
for n in 1 2 3; do
  expect 0 ranks $n "$ex27" -skip_petscrc -viewer_binary_skip_info -f A.petsc -dll_append "$plugin" \
    -ksp_type polyak -ksp_polyak_batch 200 -ksp_rtol 1e-10 -ksp_converged_reason
  stdout_has "KSP type: polyak"
  stdout_has "converged due to CONVERGED_RTOL"
  norm=$(sed -n 's/^Residual norm //p' out)
  python -c "import sys; sys.exit(0 if float('$norm') < 1e-7 else 1)" || fail "residual $norm"
done
