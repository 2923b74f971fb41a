# PETSc with 64-bit indices: a plugin of its own, and never the other's.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
plugin64=$(plugin_for petsc64)
build_c petsc "$POLYAK_SOURCE/tests/petsc/driver.c" ./driver
build_c petsc64 "$POLYAK_SOURCE/tests/petsc/driver.c" ./driver64

for n in 1 2; do
  expect 0 ranks $n ./driver -skip_petscrc -dll_append "$plugin" -ksp_type polyak -out x.txt
  expect 0 ranks $n ./driver64 -skip_petscrc -dll_append "$plugin64" -ksp_type polyak -out x64.txt
  same x.txt x64.txt
done

refused() {
  local code=0
  "$@" -skip_petscrc -ksp_type polyak >out 2>err || code=$?
  [ $code -ne 0 ] && [ $code -ne 139 ] && [ $code -ne 59 ] || fail "exit code $code: $*"
}
refused ./driver64 -dll_append "$plugin"
stderr_has "this plugin is for PETSc with 32-bit indices and the program's PETSc has 64-bit ones; load libpolyak_petsc64.so instead"
refused ./driver -dll_append "$plugin64"
stderr_has "this plugin is for PETSc with 64-bit indices and the program's PETSc has 32-bit ones; load libpolyak_petsc.so instead"
