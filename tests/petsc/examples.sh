# PETSc's own examples, as the distribution ships them: every x that a KSP finds in them is
# that of KSPLSQR. Most change their matrix, or their right-hand side, between two solves.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
sources=$(ls -d /usr/share/petsc/*/share/petsc/examples/src 2>/dev/null | head -1 || true)
[ -n "$sources" ] || { echo "passed over: PETSc's examples are not installed" >&2; exit 77; }

build() { # NAME...: two at a time
  local name
  for name; do
    build_c petsc "$sources/$name.c" "./${name//\//_}" &
    [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n || fail "$name was not built"
  done
  wait
  for name; do [ -x "./${name//\//_}" ] || fail "$name was not built"; done
}

# x of all solves, one below the other.
xs() { # FILE RANKS PREFIX NAME OPTION...: the KSP is among them
  local file=$1 n=$2 prefix=$3 name=$4
  shift 4
  rm -f $file.m
  expect 0 ranks $n "./${name//\//_}" -skip_petscrc -${prefix}pc_type none -${prefix}ksp_rtol 1e-12 \
    -${prefix}ksp_max_it 5000 -${prefix}ksp_view_solution ascii:$file.m:ascii_matlab "$@"
  grep -E '^ *-?[0-9][0-9.e+-]*$' $file.m >$file.txt
}

# compare COUNT RANKS PREFIX NAME OPTION...: COUNT numbers in all.
compare() {
  local count=$1 n=$2 prefix=$3 name=$4
  shift 4
  xs lsqr $n "$prefix" $name "$@" -${prefix}ksp_type lsqr
  [ "$(wc -l <lsqr.txt)" -eq "$count" ] || fail "$name $*: $(wc -l <lsqr.txt) numbers"
  xs polyak $n "$prefix" $name "$@" -dll_append "$plugin" -${prefix}ksp_type polyak
  near polyak.txt lsqr.txt 1e-9
}

ksp=ksp/ksp/tutorials
build $ksp/ex2 $ksp/ex3 $ksp/ex5 $ksp/ex9 $ksp/ex13 $ksp/ex16 $ksp/ex81 ksp/ksp/tests/ex7 \
  snes/tutorials/ex5 ts/tutorials/ex2 tao/leastsquares/tutorials/chwirut1
compare 12 1 "" $ksp/ex5                                     # two matrices, one KSP
compare 24 2 "" $ksp/ex5
compare 36 3 "" $ksp/ex5 -mat_nonsym
compare 12 1 "" $ksp/ex5 -mat_type dense
compare 24 2 "" $ksp/ex5 -mat_type dense -test_newMat
compare 24 2 "" $ksp/ex5 -mat_type baij
compare 36 2 "" $ksp/ex9 -t 3                                # two systems in turn, three times
compare 42 1 "" $ksp/ex13                                    # values anew for every call
compare 168 2 "" $ksp/ex16 -ntimes 3                         # three right-hand sides
compare 56 2 "" $ksp/ex2
compare 36 3 "" $ksp/ex3                                     # finite elements
compare 93 2 "" $ksp/ex81                                    # MATNEST
compare 100 2 "" ksp/ksp/tests/ex7                           # MATSHELL
compare 64 1 "" snes/tutorials/ex5                           # Newton: a Jacobian a step
compare 64 2 "" snes/tutorials/ex5
compare 600 2 "" ts/tutorials/ex2 -ts_max_steps 5 -nox       # implicit time steps
compare 27 1 tao_brgn_subsolver_tao_bnk_ tao/leastsquares/tutorials/chwirut1 -tao_type brgn
stdout_has "0.190278"                                        # Gauss and Newton, by MATSHELL

# At a loose tolerance x is no worse than that of KSPLSQR.
error_of() { expect 0 ./${ksp//\//_}_ex2 -skip_petscrc -m 30 -n 30 -ksp_rtol 1e-3 "$@"; sed -n 's/^Norm of error \([^ ]*\).*/\1/p' out; }
lsqr=$(error_of -ksp_type lsqr -pc_type none)
for method in auto lsqr cgls; do
  ours=$(error_of -dll_append "$plugin" -ksp_type polyak -ksp_polyak_method $method)
  python -c "import sys; sys.exit(0 if float('$ours') <= 2 * float('$lsqr') else 1)" || fail "$method: error $ours, KSPLSQR $lsqr"
done
