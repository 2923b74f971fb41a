# PETSc with 64-bit indices has its own plugin; each plugin refuses the other PETSc.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
plugin64=$(plugin_for petsc64)
driver=$(program driver)
driver64=$(program driver64)

# The same bits; with 64 bits also if the rows of a rank have more entries than 32 bits count.
for n in 1 2; do
  expect 0 ranks $n "$driver" -skip_petscrc -dll_append "$plugin" -ksp_type polyak -out x.txt
  cases $n "$driver64" -skip_petscrc -dll_append "$plugin64" -ksp_type polyak <<'CASES'
-out x64.txt
-claim 3e9
CASES
  same x.txt x64.txt
done

refused() {
  local code=0
  "$@" -skip_petscrc -ksp_type polyak >out 2>err || code=$?
  [ $code -ne 0 ] && [ $code -ne 139 ] && [ $code -ne 59 ] || fail "exit code $code: $*"
}
refused "$driver64" -dll_append "$plugin"
stderr_has "this plugin is for PETSc with 32-bit indices and the program's PETSc has 64-bit ones; load libpolyak_petsc64.so instead"
refused "$driver" -dll_append "$plugin64"
stderr_has "this plugin is for PETSc with 64-bit indices and the program's PETSc has 32-bit ones; load libpolyak_petsc.so instead"

# The 32-bit plugin refuses so many entries.
for n in 1 2; do
  refused ranks $n "$driver" -dll_append "$plugin" -claim 3e9
  stderr_has "polyak: A: the rows of one rank hold more entries than PETSc's 32-bit indices count (found 3000000000 entries, expected at most 2147483647); take more ranks, or build the program with petsc64 and load libpolyak_petsc64.so"
done

# A PETSc of another version, simulated.
cat >other.c <<'C'
int PetscGetVersionNumber(int *major, int *minor, int *subminor, int *release) {
  *major = 3;
  *minor = 17;
  if (subminor) *subminor = 0;
  if (release) *release = 1;
  return 0;
}
C
if [[ $POLYAK_FLAGS != *sanitize* ]]; then  # sanitizers must be loaded first
  gcc -shared -fPIC other.c -o other.so
  refused env LD_PRELOAD="$PWD/other.so" "$driver" -dll_append "$plugin"
  stderr_has "polyak: this plugin is for PETSc $(pkg-config --modversion petsc | cut -d. -f1,2) and the program's is 3.17; build the plugin against that one"
fi
