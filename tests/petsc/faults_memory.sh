# One rank runs out of memory, at any moment: all ranks end soon, with exit code 71 and one line.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
faults_to_be_had || { echo "skipped: sanitizers replace the same calls" >&2; exit 77; }
build_faults
faults=$PWD/faults.so
small_problem
export OPENBLAS_CORETYPE=Haswell  # otherwise the program would start itself again
start_up=$(start_up_of_ranks)

# The i-th allocation of one rank fails, counted after MPI has started and without those of MPI.
# POLYAK_EVERY_FAULT=1 tries more of them.
fails_at_any_moment() { # MODE
  local mode=$1 refusals=0 i
  for ((i = 1; ; i += i < 3 ? 1 : ${POLYAK_EVERY_FAULT:-0} ? i * 3 / 4 : i * 3 / 2)); do
    rm -f x.npy unreached
    ranks 2 env LD_PRELOAD="$faults" FAULT_MALLOC=$i $mode FAULT_RANK=$((i % 2)) \
      FAULT_UNREACHED=unreached "$POLYAK-mpi" solve ../p/A.npy ../p/b.npy --method minibatch-hbm \
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
}

# Both modes at once: most of the time a rank waits 3 s for the other one.
jobs=()
for mode in FAULT_ONCE=1 FAULT_FOR_GOOD=1; do
  mkdir "${mode%=1}" "$sessions/${mode%=1}"
  (cd "${mode%=1}" && OMPI_MCA_orte_tmpdir_base=$sessions/${mode%=1} fails_at_any_moment $mode) &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job" || fail "see above"; done
