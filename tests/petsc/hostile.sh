# A folder that wants to be obeyed: nothing in it is.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
small_problem
cat >.petscrc <<'RC'
-dll_append /nonexistent/evil.so
-options_view ascii:petsc-was-here
-log_view ascii:log-was-here
RC
cp .petscrc petscrc
cp .petscrc p/A.npy.info
cp .petscrc p/b.npy.info
export HOME=$PWD PETSC_OPTIONS="-log_view ascii:environment-was-here"
"$POLYAK" solve p/A.npy p/b.npy --method lsqr --output x.npy --quiet
expect 0 ranks 2 "$POLYAK" solve p/A.npy p/b.npy --method lsqr --output x2.npy --quiet
near x2.npy x.npy 1e-12
absent petsc-was-here log-was-here environment-was-here
! ldd "$POLYAK-mpi" | grep -qi petsc || fail "polyak-mpi reads PETSc's files"
