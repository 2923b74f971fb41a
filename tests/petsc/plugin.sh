# KSP type polyak in a program that knows nothing of it.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
build_c petsc "$POLYAK_SOURCE/tests/petsc/driver.c" ./driver
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak)

# Every kind of matrix, 1 to 4 ranks.
for kind in aij dense shell; do
  for method in minibatch-hbm lsqr direct; do
    batch=()
    [ $method != minibatch-hbm ] || batch=(-ksp_polyak_batch 300)
    solve=("${polyak[@]}" -mat $kind -ksp_polyak_method $method "${batch[@]}" -ksp_rtol 1e-10)
    for n in 1 2 3 4; do
      expect 0 ranks $n ./driver "${solve[@]}" -out x$n.txt
      stdout_has CONVERGED_RTOL
      near x$n.txt x1.txt 1e-12
    done
    expect 0 ranks 4 ./driver "${solve[@]}" -out again.txt
    same again.txt x4.txt
  done
done
# One process may hold a matrix that is meant for several.
for kind in aij mpiaij mpidense; do
  expect 0 ./driver "${polyak[@]}" -mat $kind -ksp_polyak_method direct -ksp_rtol 1e-10 -out $kind.txt
  stdout_has CONVERGED_RTOL
done
same mpiaij.txt aij.txt
near mpidense.txt aij.txt 1e-12
expect 0 ranks 4 ./driver "${polyak[@]}" -n 3 -d 2 -ksp_rtol 1e-10 -out x4.txt
grep -qE "CONVERGED_(RTOL|ATOL)" out || fail "not converged"  # some BLAS kernels leave r = 0

# The answer of PETSc's own LSQR, where no x fits all rows.
expect 0 ./driver -skip_petscrc -noise 0.1 -ksp_type lsqr -pc_type none -ksp_lsqr_exact_mat_norm -ksp_rtol 1e-14 -out lsqr.txt
for method in lsqr cgls normal direct auto; do
  expect 0 ranks 2 ./driver "${polyak[@]}" -noise 0.1 -ksp_polyak_method $method -ksp_rtol 1e-13 -out x2.txt
  stdout_has CONVERGED_RTOL_NORMAL
  near x2.txt lsqr.txt 1e-10
done

# Without a word it chooses by itself, on any number of ranks alike; with what only
# sampled steps heed, those are meant.
for n in 1 2; do
  expect 0 ranks $n ./driver "${polyak[@]}" -ksp_rtol 1e-10 -ksp_view -out x$n.txt
  stdout_has "asked: method auto,"
  grep -qE "used: (direct|normal)" out || fail "neither direct nor normal"
  stdout_has CONVERGED_RTOL
done
near x2.txt x1.txt 1e-12
expect 0 ranks 2 ./driver "${polyak[@]}" -mat shell -n 60000 -d 40 -ksp_rtol 1e-10 -ksp_view
stdout_has "used: subset-direct"
stdout_has CONVERGED_RTOL

# What a user sees and sets.
expect 0 ./driver "${polyak[@]}" -ksp_monitor -ksp_view -ksp_converged_reason -log_view -ksp_polyak_batch 100 -ksp_polyak_check_interval 5
stdout_has "  5 KSP Residual norm"
stdout_has "method minibatch-hbm, sampling row-norm, seed 0"
stdout_has "batch 100"
for event in PolyakSetUp PolyakSolve PolyakSums; do stdout_has $event; done
expect 0 ./driver "${polyak[@]}" -help
for option in method batch step momentum sampling seed check_interval ridge lambda_min lambda_max gamma exchange; do
  stdout_has "-ksp_polyak_$option "
done
expect 0 ./driver "${polyak[@]}" -ksp_polyak_batsh 3 -options_left
stdout_has "-ksp_polyak_batsh"
expect 0 ./driver "${polyak[@]}" -ksp_max_it 2 -ksp_polyak_method minibatch-hbm
stdout_has DIVERGED_ITS
expect 0 ./driver "${polyak[@]}" -ksp_max_it 2 -ksp_norm_type none
stdout_has CONVERGED_ITS
expect 0 ./driver "${polyak[@]}" -ksp_polyak_batch 20 -ksp_polyak_step 100
stdout_has DIVERGED_

# What cannot be is told in a sentence, and the program ends.
complains() {
  local line=$1 n=$2 code=0
  shift 2
  ranks "$n" ./driver "${polyak[@]}" "$@" >out 2>err || code=$?
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
