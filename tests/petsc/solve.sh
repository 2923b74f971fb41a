# polyak solve under mpirun: x is that of one process, for any number of ranks.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"

! ldd "$POLYAK" | grep -qi 'libmpi\|libpetsc' || fail "polyak is linked to MPI"
"$POLYAK" generate spectrum --rows 900 --cols 20 --noise 0.1 --seed 3 --output p --quiet
"$POLYAK" convert p/A.npy A.csv
"$POLYAK" generate sampling --rows 900 --cols 20 --seed 3 --output s --quiet

# Iterative methods stop after few iterations: with more ranks than cores an allreduce is slow.
for method in minibatch-hbm hbm lsqr cgls normal sketch-hbm direct auto; do
  case $method in
    minibatch-*) limits="--batch 300 --max-iterations 25 --tol 1e-12" ;;
    hbm) limits="--max-iterations 20 --tol 1e-12" ;;
    lsqr | cgls) limits="--max-iterations 4 --tol 1e-14" ;;  # rounding errors grow in them
    *) limits="--tol 1e-10" ;;
  esac
  pairs=()
  for data in s/A.mtx,s/b.npy,3 p/A.npy,p/b.npy,1,2,3,4; do
    IFS=, read -r A b numbers <<<"$data"
    solve=(solve $A $b --method $method $limits --seed 5 --quiet)
    "$POLYAK" "${solve[@]}" --output ${A%%/*}.npy || [ $? -eq 3 ] || fail "$method, $A"
    for n in ${numbers//,/ }; do
      ranks $n "$POLYAK" "${solve[@]}" --output ${A%%/*}$n.npy 2>err || [ $? -eq 3 ] || fail "$method, $A, $n ranks"
      pairs+=(${A%%/*}$n.npy ${A%%/*}.npy 1e-12)
    done
  done
  near "${pairs[@]}"
  ranks 3 "$POLYAK-mpi" "${solve[@]}" --output again.npy 2>err || [ $? -eq 3 ] || fail "$method again"
  same again.npy p3.npy
done

# Ranks share the work of drawing a large batch, and draw the rows that one process draws.
solve=(solve p/A.npy p/b.npy --method minibatch-hbm --batch 20000 --max-iterations 40 --tol 1e-12 --quiet)
"$POLYAK" "${solve[@]}" --output x.npy || [ $? -eq 3 ] || fail "a large batch"
for n in 2 4 5; do
  ranks $n "$POLYAK" "${solve[@]}" --output x$n.npy 2>err || [ $? -eq 3 ] || fail "a large batch, $n ranks"
  near x$n.npy x.npy 1e-12
done

# Reports and exit codes are those of one process; only rank 0 prints and writes.
expect 0 ranks 2 "$POLYAK" solve p/A.npy p/b.npy --method lsqr --output x.npy --report r.json --history h.csv
[ "$(grep -c Converged out)" -eq 1 ] || fail "the summary is not printed once"
holds r.json 'r["status"] == "converged" and r["rows"] == 900 and r["threads"] == 1 and r["nnz"] == 18000'
exists h.csv
no_leftovers
expect 3 ranks 2 "$POLYAK" solve p/A.npy p/b.npy --method gd --max-iterations 2 --output x.npy
expect 0 ranks 2 "$POLYAK" solve A.csv p/b.npy --method direct --output x2.npy
"$POLYAK" solve p/A.npy p/b.npy --method direct --output x.npy --quiet
near x2.npy x.npy 1e-12

# More ranks than rows.
printf '1,2\n3,4\n5,7\n' >small.csv
printf '1\n2\n4\n' >b.csv
for method in lsqr direct minibatch-hbm; do
  "$POLYAK" solve small.csv b.csv --method $method --output x.npy --quiet --tol 1e-6 || [ $? -eq 3 ]
  ranks 4 "$POLYAK" solve small.csv b.csv --method $method --output x4.npy --quiet --tol 1e-6 2>err || [ $? -eq 3 ] || fail "$method on 4 ranks"
  near x4.npy x.npy 1e-9
done
