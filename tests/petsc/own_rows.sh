# The memory of a rank is that of its own rows: norms, b and the table of draws have their
# length, not the length of all rows.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
case $POLYAK_FLAGS in *sanitize*) echo "skipped: sanitizers use additional memory" >&2; exit 77 ;; esac
"$POLYAK" generate gaussian --rows 6000000 --cols 2 --noise 10 --seed 3 --output p --quiet
cat >peak.py <<'PY'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open("peak." + os.environ["OMPI_COMM_WORLD_RANK"], "w") as f:
    f.write("%d\n" % peak)
sys.exit(0 if code == 3 else code)  # with another code mpirun would end the other ranks at once
PY
for n in 1 4; do
  rm -f peak.?
  ranks $n python3 peak.py "$POLYAK-mpi" solve p/A.npy p/b.npy --method minibatch-hbm --batch 5000 \
    --max-iterations 20 --tol 1e-14 --output x$n.npy --quiet 2>err || fail "$n ranks"
  [ "$(cat peak.? | wc -l)" -eq $n ] || fail "not $n peaks"
  sort -n peak.? | tail -1 >largest$n
  echo "$n ranks: $(cat largest$n) KiB at most"
done
near x4.npy x1.npy 1e-12
[ $((10 * $(cat largest4))) -lt $((4 * $(cat largest1))) ] || fail "four ranks: more than four tenths of one each"
