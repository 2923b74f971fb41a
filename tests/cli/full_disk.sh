# A disk that fills up while a run writes to it: exit code 74, and what was there
# before is still there. A small file system of its own, where the kernel allows it.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
if [ "${1:-}" != inside ]; then
  ! unshare -rm true 2>/dev/null || exec unshare -rm bash "$0" inside
  echo "passed over: no file system can be mounted here" >&2
  exit 0
fi
mkdir disk
mount -t tmpfs -o size=256k none disk || { echo "passed over: no tmpfs" >&2; exit 0; }
"$POLYAK" generate gaussian --rows 2100 --cols 2000 --output p --quiet
solve=("$POLYAK" solve p/A.npy p/b.npy --method gd --tol 0 --max-iterations 3)

# What is there: an x and a checkpoint of the run so far; then hardly any room.
expect 3 "${solve[@]}" --output disk/x.npy --checkpoint disk/run.ckpt --quiet
cp disk/x.npy disk/run.ckpt .
head -c 300000 /dev/zero >disk/filler 2>/dev/null || true
expect 74 "${solve[@]}" --output disk/x.npy --quiet
stderr_has "polyak: disk/x.npy: cannot write the output, there is no room left (disk full, quota or size limit)"
same disk/x.npy x.npy

# Only the checkpoint: the run is not lost, and not called fine either.
expect 74 "${solve[@]}" --checkpoint disk/run.ckpt --checkpoint-every 1 --output y.npy
[ "$(grep -c 'the checkpoint was not saved' err)" -eq 1 ] || fail "warned more than once, or never"
same y.npy x.npy
same disk/run.ckpt run.ckpt

# Only the history: it is missed, no more.
expect 3 "${solve[@]}" --history disk/h.csv --output y.npy
stderr_has "warning: no history: disk/h.csv"
absent disk/h.csv
expect 74 "$POLYAK" convert p/A.npy disk/A.csv
absent disk/A.csv
no_leftovers disk

# With room again it goes on from where it was.
rm disk/filler
further=(solve p/A.npy p/b.npy --method gd --tol 0 --max-iterations 5 --quiet)
expect 3 "$POLYAK" "${further[@]}" --checkpoint disk/run.ckpt --resume auto --output y.npy
expect 3 "$POLYAK" "${further[@]}" --output z.npy
same y.npy z.npy
