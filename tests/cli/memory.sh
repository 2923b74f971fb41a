# Memory that is refused: exit code 71, one line, nothing left behind.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

"$POLYAK" --version >/dev/null
# Sanitizers need more addresses than any limit allows.
limit=600000
(ulimit -v $limit && "$POLYAK" --version >/dev/null 2>&1) || exit 0

expect 71 bash -c "ulimit -v $limit && '$POLYAK' generate gaussian --rows 2000000 --output g"
stderr_is "polyak: rows: no memory for a dense matrix (found 2000000 x 100)"
absent g
expect 71 "$POLYAK" generate gaussian --rows 1e12 --cols 1e6 --output g
absent g

# A matrix of holes, a gigabyte that takes no room on the disk.
python - <<'PY'
rows, cols = 1 << 21, 64
header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
header = header.ljust(117) + "\n"
with open("A.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    f.truncate(f.tell() + 8 * rows * cols)
PY
printf '1\n2\n' >b.csv
expect 71 bash -c "ulimit -v $limit && '$POLYAK' solve A.npy b.csv --output x.npy"
stderr_is "polyak: A.npy: no address space to map the input (found Cannot allocate memory)"
absent x.npy

# Tight: enough to start, perhaps not for the buffers of BLAS. Never a hang.
"$POLYAK" generate gaussian --rows 2000 --cols 100 --output p --quiet
for tight in 100000 140000 200000 300000; do
  code=0
  (ulimit -v $tight && exec timeout -s KILL 20 "$POLYAK" solve p/A.npy p/b.npy --method hbm --quiet) \
    2>err || code=$?
  [ $code -eq 0 ] || [ $code -eq 71 ] || fail "exit code $code with $tight kB"
done
no_leftovers
