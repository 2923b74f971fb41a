# Inputs that fail while several ranks read them: all ranks end, with one line.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
small_problem
"$POLYAK" convert p/A.npy A.csv --quiet

# A read error on one rank, or on all.
if faults_to_be_had; then
  build_faults
  for A in p/A.npy A.csv; do
    for rank in 0 1; do
      expect 74 ranks 2 env LD_PRELOAD="$PWD/faults.so" FAULT_READ="${A##*/}" FAULT_RANK=$rank \
        "$POLYAK-mpi" solve $A p/b.npy --output x.npy
      one_line "polyak: $A: cannot read the input (found Input/output error)"
    done
    expect 74 ranks 2 env LD_PRELOAD="$PWD/faults.so" FAULT_READ="${A##*/}" "$POLYAK-mpi" solve $A p/b.npy
    one_line "polyak: $A: cannot read the input (found Input/output error)"
  done
  absent x.npy
fi

# A file that is shortened during the run: the rows of both ranks are missing, or those of one.
"$POLYAK" generate gaussian --rows 20000 --cols 50 --noise 1 --output big --quiet
start_up=$(start_up_of_ranks)
for left in 4096 6000000; do
  cp big/A.npy short.npy
  : >err  # that of the run before has measurements, too
  ranks 2 "$POLYAK-mpi" solve short.npy big/b.npy --method gd --tol 0 --time-limit 100 \
    --measure-every 0.01 --log-format json --output x.npy >out 2>err &
  job=$!
  until_it_measures err $job
  truncate -s $left short.npy
  ends_soon $job 74 "$start_up"
  [ "$(grep -c '"event":"error"' err)" -eq 1 ] || fail "not one line"
  stderr_has "short.npy: the input was shortened while it was read (found $left bytes, expected"
  absent x.npy
  no_leftovers
done
