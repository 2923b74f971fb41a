# One KSP used again: its matrix has changed, in place or in its pattern, on one process or on
# all, or is another one. Every x is that of a new KSPLSQR.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
reuse=$(program reuse)
habits=$(program habits)
driver=$(program driver)
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak)

for n in 1 2 3; do
  { for kind in aij dense; do echo "-mat $kind"; done
    [ $n -ne 2 ] || {
      echo "-ksp_polyak_method hbm -ksp_polyak_exchange ghosts"
      # Matrices that have products only.
      for kind in baij nest transpose shell normal; do echo "-mat $kind"; done
      for method in cgls cg hbm; do echo "-mat shell -ksp_polyak_method $method"; done
    }
  } | cases $n "$reuse" "${polyak[@]}"
  all_cases_have "after KSPLSQR"
done
# More processes than rows.
expect 0 ranks 4 "$reuse" "${polyak[@]}" -mat shell -rows 3 -largest_error 1e-6

# What programs do with a KSP, and the errors they get.
all_habits="test history matsolve scaled given_back nan zero view"
for habit in $all_habits; do echo "-try $habit"; done | cases 2 "$habits" "${polyak[@]}"
cp all_cases out
for habit in $all_habits; do stdout_has "$habit holds"; done
refused() { # HABIT LINE
  local code=0
  ranks 2 "$habits" "${polyak[@]}" -try "$1" >out 2>err || code=$?
  [ $code -ne 0 ] || fail "$1 was accepted"
  [ "$(grep -c 'PETSC ERROR: polyak: ' err)" -eq 1 ] || fail "$1: not one line: $(cat err)"
  stderr_has "$2"
}
refused transpose "KSPSolveTranspose() is not there; give the transposed matrix as operator"
refused pc "-pc_type: KSP polyak uses no preconditioner (found jacobi, expected none); say -pc_type none"
refused layout "b: the vector is not laid out like the matrix"
refused length "b: the vector is not laid out like the matrix"

# -ksp_rtol, -ksp_atol and -ksp_divtol have the meaning of PETSc; monitors get the current x.
cgls="-ksp_polyak_method cgls"
steep="-ksp_polyak_method gd -ksp_polyak_step 0.05 -ksp_polyak_check_interval 1 -ksp_max_it 8"
cases 2 "$driver" "${polyak[@]}" <<CASES
$cgls -ksp_rtol 1e-30 -ksp_atol 1e-3
$cgls -noise 0.1 -ksp_rtol 1e-30 -ksp_atol 1e-6
$cgls -noise 0.1 -ksp_rtol 1e-6
$cgls -ksp_converged_maxits -ksp_max_it 3 -ksp_rtol 1e-30
$cgls -ksp_polyak_norm backward -ksp_rtol 1e-8 -ksp_view
$steep -ksp_divtol 1e9
$steep -ksp_divtol 3
$cgls -ksp_polyak_check_interval 1 -ksp_rtol 1e-10 -ksp_monitor_true_residual
CASES
case_has() { # NUMBER TEXT
  of_case $1
  depth=2 stdout_has "$2"
}
case_has 1 "CONVERGED_ATOL after"
case_has 2 "CONVERGED_ATOL_NORMAL after"
case_has 3 "CONVERGED_RTOL_NORMAL after"
case_has 4 "CONVERGED_ITS after 3 "
case_has 5 "norm backward"
case_has 5 "(sum |a_j||x_j| + |b|)"
case_has 6 "DIVERGED_ITS after 8 "
case_has 7 "DIVERGED_DTOL after"
of_case 8
python - <<'PY' || fail "monitors do not get the true residual"
rows = [line.split() for line in open("out") if "true resid norm" in line]
printed, true = [float(row[5]) for row in rows], [float(row[9]) for row in rows]
assert len(rows) > 5 and true[-1] <= 1e-10 * true[0], rows
assert all(abs(a - b) <= 1e-12 * true[0] for a, b in zip(printed, true)), rows
PY
