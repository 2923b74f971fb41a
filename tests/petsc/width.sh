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

# More entries in a rank's rows than 32 bits count: refused by one, not by the other.
for n in 1 2; do
  refused ranks $n ./driver -dll_append "$plugin" -claim 3e9
  stderr_has "polyak: A: the rows of one rank hold more entries than PETSc's 32-bit indices count (found 3000000000 entries, expected at most 2147483647); take more ranks, or build the program with petsc64 and load libpolyak_petsc64.so"
  expect 0 ranks $n ./driver64 -skip_petscrc -dll_append "$plugin64" -ksp_type polyak -claim 3e9
done

# A PETSc of another version, or one that says so.
cat >other.c <<'C'
int PetscGetVersionNumber(int *major, int *minor, int *subminor, int *release) {
  *major = 3;
  *minor = 17;
  if (subminor) *subminor = 0;
  if (release) *release = 1;
  return 0;
}
C
if [[ $POLYAK_FLAGS != *sanitize* ]]; then  # sanitizers want to be loaded first
  gcc -shared -fPIC other.c -o other.so
  refused env LD_PRELOAD="$PWD/other.so" ./driver -dll_append "$plugin"
  stderr_has "polyak: this plugin is for PETSc $(pkg-config --modversion petsc | cut -d. -f1,2) and the program's is 3.17; build the plugin against that one"
fi
