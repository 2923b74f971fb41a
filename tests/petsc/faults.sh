# One rank's misfortune ends all ranks, with one line and the right exit code.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
small_problem
start_up=$(start_up_of_ranks)
# soon CODE COMMAND...: `expect`, within the time that a job has to end.
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

# A file that one rank alone does not find; an option that all get wrong.
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

# Without polyak-mpi beside it there is one line, too.
cp "$POLYAK" ./alone
expect 2 ranks 2 ./alone solve p/A.npy p/b.npy
one_line "is not in the folder of polyak"
expect 0 ranks 2 "$POLYAK" --version

# An error that only one rank meets while the others wait for its sums.
cat >few.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" -ne 1 ] || ulimit -v "$1"
shift
exec "$@"
SH
if [[ $POLYAK_FLAGS != *sanitize* ]]; then
  "$POLYAK" generate gaussian --rows 4000 --cols 1500 --output wide --quiet
  limit=300000  # kB: the least that a small problem gets by with
  until ranks 2 bash few.sh $limit "$POLYAK-mpi" solve p/A.npy p/b.npy --quiet >out 2>err; do
    limit=$((limit + 50000))
    [ $limit -lt 4000000 ] || fail "no limit is enough"
  done
  soon 71 ranks 2 bash few.sh $limit "$POLYAK-mpi" solve wide/A.npy wide/b.npy --method sketch-hbm --quiet
  one_line "there is not enough memory"
fi

# kill -9 of one rank.
"$POLYAK" generate spectrum --rows 20000 --cols 50 --output big --quiet
"$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n 3 "$POLYAK-mpi" solve big/A.npy big/b.npy \
  --method gd --tol 0 --max-iterations 100000000 --output x.npy >out 2>err &
job=$!
for _ in $(seq 100); do
  [ "$(pgrep -c -P $job || true)" -ge 3 ] && break
  sleep 0.1
done
sleep 1
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

# SIGTERM to one rank: all of them stop, saved.
"$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n 2 "$POLYAK-mpi" solve big/A.npy big/b.npy \
  --method gd --tol 0 --max-iterations 100000000 --checkpoint term.ckpt --quiet >out 2>err &
job=$!
for _ in $(seq 100); do
  [ "$(pgrep -c -P $job || true)" -ge 2 ] && break
  sleep 0.1
done
sleep 2
kill -TERM "$(pgrep -P $job | tail -1)"
code=0
wait $job || code=$?
[ $code -eq 75 ] || fail "exit code $code instead of 75"
exists term.ckpt

# SIGUSR1 to one rank: it is saved, and goes on.
"$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n 2 "$POLYAK-mpi" solve big/A.npy big/b.npy \
  --method gd --tol 0 --time-limit 5 --checkpoint usr.ckpt --checkpoint-every 1h --log-format json >out 2>err &
job=$!
for _ in $(seq 200); do
  ! grep -q '"event":"measure"' err || break
  sleep 0.05
done
absent usr.ckpt
kill -USR1 "$(pgrep -P $job | tail -1)"
for _ in $(seq 60); do [ -e usr.ckpt ] && break || sleep 0.05; done
exists usr.ckpt
kill -0 $job || fail "it does not go on"
code=0
wait $job || code=$?
[ $code -eq 3 ] || fail "exit code $code instead of 3"
# Saved when asked for, and at the limit; a rank that does not answer for 0.4 s, on a loaded
# machine, is ended within its step, where nothing is saved.
saves=$(grep -c '"event":"checkpoint"' err)
[ "$saves" -eq 2 ] || { [ "$saves" -eq 1 ] && grep -q "in the middle of a long step" out; } ||
  fail "saved $saves times instead of 2: asked for, and at the limit"

# A run that was killed goes on, also with another number of ranks.
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
