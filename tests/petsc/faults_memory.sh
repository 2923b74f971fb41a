# One rank runs out of memory, at any moment: all end soon, with 71 and one line.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
faults_to_be_had || { echo "passed over: sanitizers take the same calls" >&2; exit 77; }
build_faults
small_problem
export OPENBLAS_CORETYPE=Haswell  # or the program would start anew
start_up=$(start_up_of_ranks)

# The i-th allocation of this rank, counted once MPI has started; MPI's own left out.
# POLYAK_EVERY_FAULT=1 tries more of them.
for mode in FAULT_ONCE=1 FAULT_FOR_GOOD=1; do
  refusals=0
  for ((i = 1; ; i += i < 3 ? 1 : ${POLYAK_EVERY_FAULT:-0} ? i * 3 / 4 : i * 3 / 2)); do
    rm -f x.npy unreached
    ranks 2 env LD_PRELOAD="$PWD/faults.so" FAULT_MALLOC=$i $mode FAULT_RANK=$((i % 2)) \
      FAULT_UNREACHED=unreached "$POLYAK-mpi" solve p/A.npy p/b.npy --method minibatch-hbm \
      --batch 50 --max-iterations 20 --output x.npy --quiet >out 2>err &
    ends_soon $! any "$start_up"
    no_leftovers
    [ ! -e unreached ] || break
    if [ $code -eq 71 ]; then
      refusals=$((refusals + 1))
      [ "$(grep -c '^polyak: ' err)" -eq 1 ] || fail "not one line, $mode, allocation $i"
    else
      [ $code -eq 0 ] || [ $code -eq 3 ] || fail "exit code $code, $mode, allocation $i"
    fi
  done
  [ $refusals -ge 4 ] || fail "only $refusals refusals"
  echo "$mode: $i allocations, $refusals refusals"
done
