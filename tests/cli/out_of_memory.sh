# The i-th allocation fails, alone or with all that follow, for i = 1, 2, ... until
# none does: exit code 71 and one line, soon, and every file whole or not there.
# POLYAK_EVERY_FAULT=1 leaves none out; as it stands, they get sparser.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
faults_to_be_had || exit 0
build_faults
small_problem
"$POLYAK" convert p/A.npy A.csv --quiet
"$POLYAK" generate sampling --rows 60 --cols 5 --output s --quiet
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell
seconds=5

# fails OUTPUT COMMAND...: COMMAND writes OUTPUT.
fails() {
  local output=$1 mode i code
  shift
  rm -f "$output"
  "$@" >out 2>err || [ $? -eq 3 ] || fail "without a fault: $*"
  mv "$output" whole
  for mode in FAULT_ONCE=1 FAULT_FOR_GOOD=1; do
    for ((i = 1, refusals = 0; ; i += 1 + (${POLYAK_EVERY_FAULT:-0} ? 0 : i / 10))); do
      code=0
      timeout -s KILL $seconds env LD_PRELOAD="$PWD/faults.so" FAULT_MALLOC=$i $mode \
        FAULT_UNREACHED=unreached "$@" >out 2>err || code=$?
      [ $code -eq 0 ] || [ $code -eq 3 ] || [ $code -eq 71 ] || fail "exit code $code, $mode, allocation $i: $*"
      [ ! -e "$output" ] || same "$output" whole
      no_leftovers
      [ ! -e unreached ] || break
      rm -f "$output"
      if [ $code -eq 71 ]; then
        refusals=$((refusals + 1))
        [ "$(grep -c '^polyak: ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "not one line, $mode, allocation $i: $*"
      fi
    done
    rm -f unreached "$output"
    [ $refusals -gt 10 ] || fail "only $refusals refusals: $*"
    echo "$mode, $i allocations, $refusals refusals: $*"
  done
}

fails x.npy "$POLYAK" solve p/A.npy p/b.npy --method minibatch-hbm --batch 50 --max-iterations 20 \
  --threads 2 --output x.npy --report r.json --history h.csv --quiet
fails x.csv "$POLYAK" solve A.csv --rhs-column 1 --method direct --output x.csv --quiet
gzip -k A.csv
fails x.csv "$POLYAK" solve A.csv.gz --rhs-column 1 --storage stream --threads 2 --output x.csv --quiet
fails x.npy "$POLYAK" solve s/A.mtx s/b.npy --output x.npy --checkpoint run.ckpt --quiet
fails y.mtx.gz "$POLYAK" convert A.csv y.mtx.gz --quiet
