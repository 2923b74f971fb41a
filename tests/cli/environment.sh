# Where, in what language and into what the program runs makes no difference.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
here=$PWD
# With other kernels of OpenBLAS the step, which comes from A'A, may differ in its last bits.
unset OPENBLAS_CORETYPE
solve=("$POLYAK" solve "$here/p/A.npy" "$here/p/b.npy" --method minibatch-hbm --batch 50)
"${solve[@]}" --output x.csv --quiet

for setting in LC_ALL=de_DE LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Kolkata NO_COLOR=1 TERM= \
  OPENBLAS_NUM_THREADS=3 HOME=/nowhere; do
  env "$setting" "${solve[@]}" --output y.csv --quiet
  same x.csv y.csv
done
# OpenBLAS is loaded with kernels of its own choice, or with those that the user names.
env OPENBLAS_CORETYPE=Haswell "${solve[@]}" --output y.csv --quiet
env -i "${solve[@]}" --output y.csv --quiet
same x.csv y.csv

mkdir "a folder" && cd "a folder"
cp -r ../p "p q"
expect 0 "$POLYAK" solve "p q/A.npy" "p q/b.npy" --method minibatch-hbm --batch 50 \
  --output "x y.csv" --report "r s.json"
same "x y.csv" "$here/x.csv"
no_leftovers
cd "$here"

# A folder that nothing can be written to, with or without something to write.
cd /proc
"${solve[@]}" --quiet
code=0
"${solve[@]}" --output x.npy --quiet 2>"$here/err" || code=$?
cd "$here"
[ $code -eq 74 ] || fail "exit code $code"
stderr_has "polyak: --output x.npy: no file can be written there"

# Readers that go away, and streams that were never there.
code=0
"${solve[@]}" | true || code=$?
[ $code -eq 0 ] || fail "the summary's reader went away: $code"
echo 0 >code
{ "${solve[@]}" --log-format json --measure-every 0.01 2>&1 >/dev/null || echo $? >code; } |
  head -1 >/dev/null
[ "$(cat code)" -eq 0 ] || fail "the log's reader went away: $(cat code)"
{ "$POLYAK" convert p/A.npy - 2>/dev/null || echo $? >code; } | true
[ "$(cat code)" -lt 128 ] || fail "killed by a signal: $(cat code)"
for closed in '>&-' '2>&-' '<&-' '>&- 2>&- <&-'; do
  rm -f y.csv
  (eval "\"\${solve[@]}\" --output y.csv $closed") >/dev/null || fail "with $closed"
  same x.csv y.csv
done
expect 74 bash -c '"$POLYAK" info p/A.npy >/dev/full'
stderr_is "polyak: standard output: writing failed (found No space left on device)"
expect 74 bash -c '"$POLYAK" solve p/A.npy p/b.npy --output z.npy >/dev/full'
exists z.npy
no_leftovers
