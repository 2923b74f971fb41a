# An error on one rank ends all ranks, with one line and the right exit code.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
small_problem
start_up=$(start_up_of_ranks)
# soon CODE COMMAND...: like `expect`, within the time limit of ends_soon.
soon() {
  local want=$1
  shift
  "$@" >out 2>err &
  ends_soon $! "$want" "$start_up"
}

# NaN in the rows of one rank.
python - <<'PY'
import struct
data = bytearray(open("p/A.npy", "rb").read())
start = 10 + struct.unpack("<H", data[8:10])[0]
data[start + 8 * (400 * 8 + 3):start + 8 * (400 * 8 + 4)] = struct.pack("<d", float("nan"))
open("bad.npy", "wb").write(data)
PY
soon 65 ranks 3 "$POLYAK" solve bad.npy p/b.npy --method lsqr --output x.npy
one_line "A, row 401, column 4 (counted from 1): a value is not finite"
absent x.npy

# A file that only one rank does not find; a wrong option on all ranks.
soon 66 ranks 1 "$POLYAK-mpi" solve p/A.npy p/b.npy : -n 1 "$POLYAK-mpi" solve missing.npy p/b.npy
one_line "missing.npy"
expect 2 ranks 2 "$POLYAK" solve p/A.npy p/b.npy --method rk
one_line "--method: the method rk goes row after row and cannot be shared out over several ranks (found 2 ranks); try minibatch-hbm"
expect 2 ranks 2 "$POLYAK" solve p/A.npy - </dev/null
one_line "several ranks cannot share standard input"
expect 2 ranks 2 "$POLYAK-mpi" info p/A.npy
one_line "several ranks solve together, and do nothing else"
"$POLYAK" generate spectrum --rows 90 --cols 8 --output q --quiet
soon 65 ranks 1 "$POLYAK-mpi" solve p/A.npy p/b.npy : -n 1 "$POLYAK-mpi" solve q/A.npy q/b.npy
one_line "the ranks have read problems of different sizes"
expect 65 ranks 2 "$POLYAK" solve p/A.npy q/b.npy
one_line "A and b do not have the same number of rows"
expect 74 ranks 2 "$POLYAK" solve p/A.npy p/b.npy --report /dev/full
one_line "/dev/full"

# Without polyak-mpi in the same folder there is one line, too.
cp "$POLYAK" ./alone
expect 2 ranks 2 ./alone solve p/A.npy p/b.npy
one_line "is not in the folder of polyak"
expect 0 ranks 2 "$POLYAK" --version

# An error on one rank while the others wait for it in an allreduce.
cat >few.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" -ne 1 ] || ulimit -v "$1"
shift
exec "$@"
SH
if [[ $POLYAK_FLAGS != *sanitize* ]]; then
  "$POLYAK" generate gaussian --rows 4000 --cols 1500 --output wide --quiet
  limit=300000  # kB: increased until it suffices for a small problem
  until ranks 2 bash few.sh $limit "$POLYAK-mpi" solve p/A.npy p/b.npy --quiet >out 2>err; do
    limit=$((limit + 50000))
    [ $limit -lt 4000000 ] || fail "no limit is enough"
  done
  soon 71 ranks 2 bash few.sh $limit "$POLYAK-mpi" solve wide/A.npy wide/b.npy --method sketch-hbm --quiet
  one_line "there is not enough memory"
fi

# kill -9 of one rank.
start_measuring() { # N OPTION...: a run that does not end by itself has measured once; sets $job
  local n=$1
  shift
  : >err  # an older one would have measurements, too
  "$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n $n "$POLYAK-mpi" solve big/A.npy big/b.npy \
    --method gd --tol 0 --log-format json "$@" >out 2>err &
  job=$!
  until_it_measures err $job
}
"$POLYAK" generate spectrum --rows 20000 --cols 50 --output big --quiet
start_measuring 3 --max-iterations 100000000 --output x.npy
mapfile -t children < <(pgrep -P $job)
[ ${#children[@]} -eq 3 ] || fail "${#children[@]} ranks instead of 3"
kill -9 "${children[1]}"
ends_soon $job not-0 "$start_up"
for _ in $(seq 50); do
  kill -0 "${children[0]}" 2>/dev/null || kill -0 "${children[2]}" 2>/dev/null || break
  sleep 0.1
done
! kill -0 "${children[0]}" 2>/dev/null || fail "a rank survives"
absent x.npy
no_leftovers

# SIGTERM to one rank: all ranks stop, with a checkpoint.
start_measuring 2 --max-iterations 100000000 --checkpoint term.ckpt
kill -TERM "$(pgrep -P $job | tail -1)"
code=0
wait $job || code=$?
[ $code -eq 75 ] || fail "exit code $code instead of 75"
exists term.ckpt

# SIGUSR1 to one rank: a checkpoint is written and the run continues.
start_measuring 2 --time-limit 5 --checkpoint usr.ckpt --checkpoint-every 1h
absent usr.ckpt
kill -USR1 "$(pgrep -P $job | tail -1)"
for _ in $(seq 60); do [ -e usr.ckpt ] && break || sleep 0.05; done
exists usr.ckpt
kill -0 $job || fail "the run does not continue"
code=0
wait $job || code=$?
[ $code -eq 3 ] || fail "exit code $code instead of 3"
# A checkpoint at the signal and one at the time limit. On a loaded machine a rank may need more
# than 0.4 s for a step; it is then ended within that step, without the second checkpoint.
saves=$(grep -c '"event":"checkpoint"' err)
[ "$saves" -eq 2 ] || { [ "$saves" -eq 1 ] && grep -q "in the middle of a long step" out; } ||
  fail "saved $saves times instead of 2: asked for, and at the limit"

# A run that was killed is resumed, also on another number of ranks.
go=(solve big/A.npy big/b.npy --method minibatch-hbm --batch 5000 --max-iterations 60 --tol 1e-14 --seed 3 --quiet)
ranks 3 "$POLYAK-mpi" "${go[@]}" --output straight.npy 2>err || [ $? -eq 3 ] || fail "straight"
for n in 3 2; do
  rm -f run.ckpt run.ckpt.previous
  ranks 3 "$POLYAK-mpi" "${go[@]}" --checkpoint run.ckpt --checkpoint-every 10 --output x.npy 2>err &
  job=$!
  for _ in $(seq 300); do [ -e run.ckpt ] && break || sleep 0.02; done
  starter=$(pgrep -P "$(pgrep -P $job)" || true)  # job, timeout, mpirun, ranks
  kill -9 "$(pgrep -P "$starter" | head -1)" 2>/dev/null || true
  wait $job || true
  exists run.ckpt
  ranks $n "$POLYAK-mpi" "${go[@]}" --checkpoint run.ckpt --resume auto --output x$n.npy 2>err || [ $? -eq 3 ] || fail "resumed on $n"
done
same x3.npy straight.npy
near x2.npy straight.npy 1e-12
