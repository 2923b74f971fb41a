# One KSP used again: its matrix has changed, in place or in its pattern, on one process or on
# all, or is another one. Every x is that of a KSPLSQR made for it alone.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
build_c petsc "$POLYAK_SOURCE/tests/petsc/reuse.c" ./reuse
build_c petsc "$POLYAK_SOURCE/tests/petsc/habits.c" ./habits
build_c petsc "$POLYAK_SOURCE/tests/petsc/driver.c" ./driver
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak)

for n in 1 2 3; do
  for kind in aij dense; do expect 0 ranks $n ./reuse "${polyak[@]}" -mat $kind; done
done
expect 0 ranks 2 ./reuse "${polyak[@]}" -ksp_polyak_method hbm -ksp_polyak_exchange ghosts
# Matrices that are known by their products only; with more processes than rows, too.
for kind in baij nest transpose shell normal; do expect 0 ranks 2 ./reuse "${polyak[@]}" -mat $kind; done
for method in cgls cg hbm; do
  expect 0 ranks 2 ./reuse "${polyak[@]}" -mat shell -ksp_polyak_method $method
done
expect 0 ranks 4 ./reuse "${polyak[@]}" -mat shell -rows 3 -most 1e-6

# What programs do with a KSP, and what they are told.
for habit in test history matsolve scaled given_back nan zero view; do
  expect 0 ranks 2 ./habits "${polyak[@]}" -try $habit
  stdout_has "$habit holds"
done
refused() { # HABIT LINE
  local code=0
  ranks 2 ./habits "${polyak[@]}" -try "$1" >out 2>err || code=$?
  [ $code -ne 0 ] || fail "$1 was taken"
  [ "$(grep -c 'PETSC ERROR: polyak: ' err)" -eq 1 ] || fail "$1: not one line: $(cat err)"
  stderr_has "$2"
}
refused transpose "KSPSolveTranspose() is not there; give the transposed matrix as operator"
refused pc "-pc_type: KSP polyak uses no preconditioner (found jacobi, expected none); say -pc_type none"
refused layout "b: the vector is not laid out like the matrix"
refused length "b: the vector is not laid out like the matrix"

# -ksp_rtol, -ksp_atol and -ksp_divtol as PETSc means them.
tolerances=("${polyak[@]}" -ksp_polyak_method cgls)
expect 0 ranks 2 ./driver "${tolerances[@]}" -ksp_rtol 1e-30 -ksp_atol 1e-3
stdout_has "CONVERGED_ATOL after"
expect 0 ranks 2 ./driver "${tolerances[@]}" -noise 0.1 -ksp_rtol 1e-30 -ksp_atol 1e-6
stdout_has "CONVERGED_ATOL_NORMAL after"
expect 0 ranks 2 ./driver "${tolerances[@]}" -noise 0.1 -ksp_rtol 1e-6
stdout_has "CONVERGED_RTOL_NORMAL after"
expect 0 ranks 2 ./driver "${tolerances[@]}" -ksp_converged_maxits -ksp_max_it 3 -ksp_rtol 1e-30
stdout_has "CONVERGED_ITS after 3 "
expect 0 ranks 2 ./driver "${tolerances[@]}" -ksp_polyak_norm backward -ksp_rtol 1e-8 -ksp_view
stdout_has "norm backward"
stdout_has "(sum |a_j||x_j| + |b|)"
steep=("${polyak[@]}" -ksp_polyak_method gd -ksp_polyak_step 0.05 -ksp_polyak_check_interval 1 -ksp_max_it 8)
expect 0 ranks 2 ./driver "${steep[@]}" -ksp_divtol 1e9
stdout_has "DIVERGED_ITS after 8 "
expect 0 ranks 2 ./driver "${steep[@]}" -ksp_divtol 3
stdout_has "DIVERGED_DTOL after"

# Monitors see the x of the moment.
expect 0 ranks 2 ./driver "${tolerances[@]}" -ksp_polyak_check_interval 1 -ksp_rtol 1e-10 -ksp_monitor_true_residual
python - <<'PY' || fail "the true residual is another"
rows = [line.split() for line in open("out") if "true resid norm" in line]
told, true = [float(row[5]) for row in rows], [float(row[9]) for row in rows]
assert len(rows) > 5 and true[-1] <= 1e-10 * true[0], rows
assert all(abs(a - b) <= 1e-12 * true[0] for a, b in zip(told, true)), rows
PY
