# KSP type polyak in a program that was not written for it.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
driver=$(program driver)
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak)

# Every kind of matrix with three methods, on 1 to 4 ranks; the same bits when repeated.
kinds_and_methods() { # SUFFIX: of the files
  for kind in aij dense shell; do
    for method in "minibatch-hbm -ksp_polyak_batch 300" lsqr direct; do
      echo "-mat $kind -ksp_polyak_method $method -ksp_rtol 1e-10 -out $kind-${method%% *}-$1.txt"
    done
  done
}
kinds_and_methods 1 >of_one
for n in 1 2 3 4; do
  kinds_and_methods $n | cases $n "$driver" "${polyak[@]}"
  all_cases_have CONVERGED_RTOL
done
kinds_and_methods again | cases 4 "$driver" "${polyak[@]}"
pairs=()
for file in $(sed 's/.*-out //; s/-1.txt//' of_one); do
  same $file-again.txt $file-4.txt
  for n in 2 3 4; do pairs+=($file-$n.txt $file-1.txt 1e-12); done
done
[ ${#pairs[@]} -eq 81 ] || fail "${#pairs[@]} words instead of 9 files of 3 numbers of ranks"
near "${pairs[@]}"

# One process may hold a matrix of a parallel type. More ranks than rows.
for kind in aij mpiaij mpidense; do
  echo "-mat $kind -ksp_polyak_method direct -ksp_rtol 1e-10 -out $kind.txt"
done | cases 1 "$driver" "${polyak[@]}"
all_cases_have CONVERGED_RTOL
same mpiaij.txt aij.txt
near mpidense.txt aij.txt 1e-12
expect 0 ranks 4 "$driver" "${polyak[@]}" -n 3 -d 2 -ksp_rtol 1e-10 -out x4.txt
grep -qE "CONVERGED_(RTOL|ATOL)" out || fail "not converged"  # with some BLAS kernels r = 0

# The x of PETSc's own LSQR for inconsistent data.
expect 0 ranks 1 "$driver" -skip_petscrc -noise 0.1 -ksp_type lsqr -pc_type none -ksp_lsqr_exact_mat_norm -ksp_rtol 1e-14 -out lsqr.txt
pairs=()
for method in lsqr cgls normal direct auto; do
  echo "-noise 0.1 -ksp_polyak_method $method -ksp_rtol 1e-13 -out noise-$method.txt"
done | cases 2 "$driver" "${polyak[@]}"
all_cases_have CONVERGED_RTOL_NORMAL
for method in lsqr cgls normal direct auto; do pairs+=(noise-$method.txt lsqr.txt 1e-10); done
near "${pairs[@]}"

# Without options the method is chosen, the same on any number of ranks; options that only
# sampled steps use select minibatch-hbm.
for n in 1 2; do
  { echo "-ksp_rtol 1e-10 -ksp_view -out x$n.txt"
    [ $n -ne 2 ] || echo "-mat shell -n 120000 -d 40 -ksp_rtol 1e-10 -ksp_view"
  } | cases $n "$driver" "${polyak[@]}"
  all_cases_have CONVERGED_RTOL
  of_case 1
  stdout_has "asked: method auto,"
  grep -qE "used: (direct|normal)" out || fail "neither direct nor normal"
done
of_case 2
stdout_has "used: subset-direct"
near x2.txt x1.txt 1e-12

# Options and output.
expect 0 "$driver" "${polyak[@]}" -ksp_monitor -ksp_view -ksp_converged_reason -log_view -ksp_polyak_batch 100 -ksp_polyak_check_interval 5
stdout_has "  5 KSP Residual norm"
stdout_has "method minibatch-hbm, sampling row-norm, seed 0"
stdout_has "batch 100"
for event in PolyakSetUp PolyakSolve PolyakSums; do stdout_has $event; done
expect 0 "$driver" "${polyak[@]}" -help
for option in method batch step momentum sampling seed check_interval ridge lambda_min lambda_max gamma exchange; do
  stdout_has "-ksp_polyak_$option "
done
expect 0 "$driver" "${polyak[@]}" -ksp_polyak_batsh 3 -options_left
stdout_has "-ksp_polyak_batsh"
cases 1 "$driver" "${polyak[@]}" <<'CASES'
-ksp_max_it 2 -ksp_polyak_method minibatch-hbm
-ksp_max_it 2 -ksp_norm_type none
-ksp_polyak_batch 20 -ksp_polyak_step 100
CASES
of_case 1
stdout_has DIVERGED_ITS
of_case 2
stdout_has CONVERGED_ITS
of_case 3
stdout_has DIVERGED_

# An error is one line, and the program ends.
complains() {
  local line=$1 n=$2 code=0
  shift 2
  ranks "$n" "$driver" "${polyak[@]}" "$@" >out 2>err || code=$?
  [ $code -ne 0 ] || fail "exit code 0: $*"
  [ "$(grep -c "PETSC ERROR: polyak: " err)" -eq 1 ] || fail "not one line: $*"
  stderr_has "$line"
}
complains "A, row 401, column 2 (counted from 1): a value is not finite" 3 -bad_row 400
complains "cannot be shared out over several ranks (found 2 ranks); try minibatch-hbm" 2 -ksp_polyak_method rk
complains "there is no method of that name" 2 -ksp_polyak_method nosuch
complains "uses no preconditioner (found jacobi, expected none)" 1 -pc_type jacobi
complains "must be at least 1 (found -3)" 1 -ksp_polyak_batch -3
complains "needs the rows of A, and this matrix is known by its products only" 2 -mat mpibaij -ksp_polyak_method direct
complains "there is no norm of that name (found 2, expected petsc or backward)" 1 -ksp_polyak_norm 2
