# A rank spends memory on its own rows: norms, b and the table of draws are as long
# as them, not as all rows.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
case $POLYAK_FLAGS in *sanitize*) echo "passed over: sanitizers have memory of their own" >&2; exit 77 ;; esac
"$POLYAK" generate gaussian --rows 6000000 --cols 2 --noise 10 --seed 3 --output p --quiet
cat >peak.py <<'PY'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open("peak." + os.environ["OMPI_COMM_WORLD_RANK"], "w") as f:
    f.write("%d\n" % peak)
sys.exit(0 if code == 3 else code)  # of another code mpirun would end the others at once
PY
for n in 1 4; do
  rm -f peak.?
  ranks $n python3 peak.py "$POLYAK-mpi" solve p/A.npy p/b.npy --method minibatch-hbm --batch 5000 \
    --max-iterations 20 --tol 1e-14 --output x$n.npy --quiet 2>err || fail "$n ranks"
  [ "$(cat peak.? | wc -l)" -eq $n ] || fail "not $n peaks"
  sort -n peak.? | tail -1 >most$n
  echo "$n ranks: $(cat most$n) KiB at most"
done
near x4.npy x1.npy 1e-12
[ $((10 * $(cat most4))) -lt $((4 * $(cat most1))) ] || fail "four ranks: more than four tenths of one each"
