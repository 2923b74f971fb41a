# A folder with options for PETSc in files: none of them is used.
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
python - <<'PY'
import struct
with open("A.petsc", "wb") as f:  # A, then b
    f.write(struct.pack(">4i6d", 1211216, 3, 2, -1, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0))
    f.write(struct.pack(">2i3d", 1211214, 3, 1.0, 2.0, 4.0))
PY
cp .petscrc A.petsc.info
expect 0 "$POLYAK" solve A.petsc --method direct --output a.npy --quiet
expect 0 ranks 2 "$POLYAK" solve A.petsc --method direct --output a2.npy --quiet
near a2.npy a.npy 1e-12
absent petsc-was-here log-was-here environment-was-here
# A configuration file can only set options of the table.
echo 'LD_PRELOAD = "/nonexistent/evil.so"' >evil.toml
expect 2 "$POLYAK" solve p/A.npy p/b.npy --config evil.toml
stderr_has "LD_PRELOAD"
! ldd "$POLYAK-mpi" | grep -qi petsc || fail "polyak-mpi reads PETSc's files"
