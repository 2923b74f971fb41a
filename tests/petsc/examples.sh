# PETSc's own examples, as the distribution ships them: every x that a KSP computes in them is
# that of KSPLSQR. In most of them the matrix or the right-hand side changes between two solves.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)

# xs FILE RANKS PREFIX NAME OPTION...: x of all solves, one below the other, in FILE.txt.
xs() {
  local file=$1 n=$2 prefix=$3 example
  example=$(program ${4//\//_})
  shift 4
  rm -f $file.m
  ranks $n "$example" -skip_petscrc -${prefix}pc_type none -${prefix}ksp_rtol 1e-12 \
    -${prefix}ksp_max_it 5000 -${prefix}ksp_view_solution ascii:$file.m:ascii_matlab "$@" >$file.out 2>$file.err ||
    { cat $file.err >&2 && fail "exit code $?: $n $example $*"; }
  grep -E '^ *-?[0-9][0-9.e+-]*$' $file.m >$file.txt
}

# compare COUNT RANKS PREFIX NAME OPTION...: COUNT numbers in all. Both solvers at once.
compare() {
  local count=$1 n=$2 prefix=$3 name=$4 job
  shift 4
  OMPI_MCA_orte_tmpdir_base=$sessions/lsqr xs lsqr $n "$prefix" $name "$@" -${prefix}ksp_type lsqr &
  job=$!
  xs polyak $n "$prefix" $name "$@" -dll_append "$plugin" -${prefix}ksp_type polyak
  wait $job || fail "$name with KSPLSQR"
  [ "$(wc -l <lsqr.txt)" -eq "$count" ] || fail "$name $*: $(wc -l <lsqr.txt) numbers"
  near polyak.txt lsqr.txt 1e-9
}

ksp=ksp/ksp/tutorials
program ksp_ksp_tutorials_ex2 >/dev/null
mkdir "$sessions/lsqr"
compare 12 1 "" $ksp/ex5                                     # two matrices, one KSP
compare 24 2 "" $ksp/ex5
compare 36 3 "" $ksp/ex5 -mat_nonsym
compare 12 1 "" $ksp/ex5 -mat_type dense
compare 24 2 "" $ksp/ex5 -mat_type dense -test_newMat
compare 24 2 "" $ksp/ex5 -mat_type baij
compare 36 2 "" $ksp/ex9 -t 3                                # two systems in turn, three times
compare 42 1 "" $ksp/ex13                                    # new values for every call
compare 168 2 "" $ksp/ex16 -ntimes 3                         # three right-hand sides
compare 56 2 "" $ksp/ex2
compare 36 3 "" $ksp/ex3                                     # finite elements
compare 93 2 "" $ksp/ex81                                    # MATNEST
compare 100 2 "" ksp/ksp/tests/ex7                           # MATSHELL
compare 64 1 "" snes/tutorials/ex5                           # Newton: a Jacobian a step
compare 64 2 "" snes/tutorials/ex5
compare 600 2 "" ts/tutorials/ex2 -ts_max_steps 5 -nox       # implicit time steps
compare 27 1 tao_brgn_subsolver_tao_bnk_ tao/leastsquares/tutorials/chwirut1 -tao_type brgn
grep -qF "0.190278" polyak.out || fail "another solution"     # Gauss-Newton, with MATSHELL

# At a loose tolerance x is no worse than that of KSPLSQR.
error_of() { expect 0 "$(program ${ksp//\//_}_ex2)" -skip_petscrc -m 30 -n 30 -ksp_rtol 1e-3 "$@"; sed -n 's/^Norm of error \([^ ]*\).*/\1/p' out; }
lsqr=$(error_of -ksp_type lsqr -pc_type none)
for method in auto lsqr cgls; do
  ours=$(error_of -dll_append "$plugin" -ksp_type polyak -ksp_polyak_method $method)
  python -c "import sys; sys.exit(0 if float('$ours') <= 2 * float('$lsqr') else 1)" || fail "$method: error $ours, KSPLSQR $lsqr"
done
