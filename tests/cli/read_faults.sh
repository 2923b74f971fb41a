# Inputs that fail while they are read: exit code 74, one line, nothing torn.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
small_problem
echo old >x.npy
cp x.npy old.npy

# The disk says no. Whatever cannot be mapped is read.
if faults_to_be_had; then
  build_faults
  for ending in csv csv.gz mtx mtx.gz svm svm.gz; do "$POLYAK" convert p/A.npy A.$ending --quiet; done
  cp p/A.npy A.npy
  for A in A.npy A.csv A.csv.gz A.mtx A.mtx.gz A.svm A.svm.gz; do
    expect 74 with_fault FAULT_READ=$A "$POLYAK" solve $A p/b.npy --output x.npy
    stderr_is "polyak: $A: cannot read the input (found Input/output error)"
    expect 74 with_fault FAULT_READ=$A "$POLYAK" convert $A y.npy
    same x.npy old.npy
    absent y.npy
  done
  expect 74 with_fault FAULT_READ=b.npy "$POLYAK" solve p/A.npy p/b.npy --output x.npy
  stderr_is "polyak: p/b.npy: cannot read the input (found Input/output error)"
  expect 74 with_fault FAULT_READ=- "$POLYAK" solve - p/b.npy <A.csv
  stderr_is "polyak: standard input: cannot read the input (found Input/output error)"
fi
# The memory of a process has nothing at address 0, and the kernel itself says so.
if [ -r /proc/$$/mem ] && head -c 0 /proc/$$/mem 2>/dev/null; then
  expect 74 "$POLYAK" info - </proc/$$/mem
  stderr_is "polyak: standard input: cannot read the input (found Input/output error)"
fi

# A mapped file that another program shortens, in the middle of a run.
"$POLYAK" generate gaussian --rows 20000 --cols 50 --noise 1 --output big --quiet
size=$(stat -c %s big/A.npy)
shortened() { # THREADS
  cp big/A.npy short.npy
  rm -f log
  "$POLYAK" solve short.npy big/b.npy --method gd --tol 0 --time-limit 100 --threads "$1" \
    --measure-every 0.01 --log-format json --output x.npy --report r.json --checkpoint run.ckpt \
    --checkpoint-every 1 >out 2>log &
  job=$!
  until_it_measures log $job
  truncate -s 4096 short.npy
  start=$SECONDS code=0
  wait $job || code=$?
  [ $code -eq 74 ] || fail "exit code $code instead of 74: $(tail -3 log)"
  [ $((SECONDS - start)) -le 10 ] || fail "it took $((SECONDS - start)) s"
}
for threads in 1 4; do
  shortened $threads
  tail -1 log >err
  holds err 'r["event"] == "error" and r["exit_code"] == 74'
  stderr_has "short.npy: the input was shortened while it was read (found 4096 bytes, expected $size); run again when no other program writes to it"
  [ "$(grep -c '"event":"error"' log)" -eq 1 ] || fail "told more than once"
  same x.npy old.npy
  absent r.json
  no_leftovers
done
[ ! -e run.ckpt ] || [ ! -e run.ckpt.tmp ] || fail "half a checkpoint"

# While something is written: the other half of it is not left behind.
python - <<'PY'
rows, cols = 1 << 20, 64  # half a gigabyte of holes
header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}".ljust(117) + "\n"
with open("holes.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    f.truncate(f.tell() + 8 * rows * cols)
PY
"$POLYAK" convert holes.npy y.csv >out 2>err &
job=$!
for _ in $(seq 200); do
  [ -z "$(find . -name '.polyak-*' -size +100k)" ] || break
  sleep 0.02
done
truncate -s 4096 holes.npy
code=0
wait $job || code=$?
[ $code -eq 74 ] || fail "exit code $code instead of 74"
stderr_has "polyak: holes.npy: the input was shortened while it was read (found 4096 bytes, expected"
[ "$(wc -l <err)" -eq 1 ] || fail "not one line"
absent y.csv
no_leftovers

# Any other SIGBUS is none of that.
"$POLYAK" solve big/A.npy big/b.npy --method gd --tol 0 --time-limit 100 --log-format json >out 2>log &
job=$!
until_it_measures log $job
kill -BUS $job
code=0
wait $job || code=$?
[ $code -ne 74 ] && [ $code -ne 0 ] || fail "exit code $code"
