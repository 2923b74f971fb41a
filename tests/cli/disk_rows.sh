# Rows that stay in an .npy file (--storage disk): the same bits as in memory, disks that fail.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
"$POLYAK" generate spectrum --rows 3000 --cols 40 --noise 0.1 --seed 3 --output p --quiet
"$POLYAK" convert p/A.npy single.npy --precision single --quiet

# io_uring may be forbidden here; the pool of threads always works.
readers="threads auto"
if "$POLYAK" solve p/A.npy p/b.npy --storage disk --disk-reader io_uring --quiet 2>err; then
  readers="threads io_uring"
else
  stderr_has "--disk-reader threads reads by a pool of threads"
fi

for method in auto gd sgd rk minibatch-hbm ark cg lsqr normal direct; do
  case $method in minibatch-*) batch="--batch 700" ;; *) batch="" ;; esac
  for A in p/A.npy single.npy; do
    options="--method $method $batch --max-passes 5 --seed 5 --quiet"
    [ $method = auto ] || options="$options --tol 1e-14"
    "$POLYAK" solve $A p/b.npy $options --threads 1 --output x.npy || [ $? -eq 3 ] || fail "$method"
    for reader in $readers; do
      "$POLYAK" solve $A p/b.npy $options --storage disk --disk-reader $reader --threads 3 \
        --memory 1e7 --output y.npy --report r.json || [ $? -eq 3 ] || fail "$method, $reader"
      cmp x.npy y.npy || fail "$method, $A, $reader"
    done
  done
done
holds r.json 'r["disk"]["bytes"] > 0 and r["disk"]["depth"] >= 64 and r["disk"]["buffer_bytes"] < 1e7'
holds r.json '"on disk" in r["matrix"]'

expect 0 "$POLYAK" solve p/A.npy p/b.npy --dry-run --storage disk
stdout_has "dense, double, on disk"

# Rates that are given enter the report, and the lines before the run; a file this small has no others.
expect 0 "$POLYAK" solve p/A.npy p/b.npy --storage disk --disk-sweep-rate 1e8 --disk-row-rate 200 \
  --report r.json
stderr_has "A stays on the disk: 960 kB, 0.0096 s a pass at 100 MB/s, about 2e+02 single rows per second"
stderr_has "passes"
holds r.json 'r["disk"]["rates"] == {"sweep_bytes": 1e8, "single_rows": 200} and r["disk"]["sweeps"] >= 1'
"$POLYAK" solve p/A.npy p/b.npy --storage disk --quiet --report r.json
holds r.json '"rates" not in r["disk"]'
expect 2 "$POLYAK" solve p/A.npy p/b.npy --storage memory --disk-sweep-rate 1e8
stderr_has "--disk-sweep-rate does not apply to this file"
expect 2 "$POLYAK" solve p/A.npy p/b.npy --storage disk --disk-row-rate 0

# Chosen where the file is larger than half of the memory that may be used.
"$POLYAK" solve p/A.npy p/b.npy --quiet --memory 1.5e6 --method lsqr --report r.json
holds r.json '"disk" in r'
"$POLYAK" solve p/A.npy p/b.npy --quiet --memory 1e8 --method lsqr --report r.json
holds r.json '"disk" not in r'
expect 2 "$POLYAK" solve p/A.npy p/b.npy --storage floppy
"$POLYAK" convert p/A.npy A.csv --quiet
expect 2 "$POLYAK" solve A.csv p/b.npy --storage disk
stderr_has "--storage disk does not apply to this file"

# A disk that cannot read what lies behind some byte: 74, the row, and nothing is written.
echo old >x.npy
cp x.npy old.npy
if faults_to_be_had; then
  build_faults
  for method in auto minibatch-hbm lsqr; do
    expect 74 with_fault FAULT_READ=A.npy FAULT_READ_FROM=480128 "$POLYAK" solve p/A.npy p/b.npy \
      --method $method --storage disk --disk-reader threads --output x.npy --threads 1
    stderr_has "cannot read the input (found Input/output error)"
    grep -q "A.npy, row [0-9]* (byte [0-9]*)" err || fail "no row is named: $(cat err)"
    same x.npy old.npy
  done
  # Reads that return less than they were asked for change nothing.
  for method in minibatch-hbm lsqr; do
    "$POLYAK" solve p/A.npy p/b.npy --method $method --max-passes 3 --output x.npy --quiet || [ $? -eq 3 ]
    with_fault FAULT_READ_SHORT=A.npy "$POLYAK" solve p/A.npy p/b.npy --method $method \
      --max-passes 3 --storage disk --disk-reader threads --output y.npy --quiet || [ $? -eq 3 ]
    same x.npy y.npy
  done
fi

# A reader that nobody uses is refused.
"$POLYAK" convert p/A.npy q.csv --quiet
expect 2 "$POLYAK" solve p/A.npy p/b.npy --storage memory --disk-reader threads
stderr_has "disk-reader"
expect 2 "$POLYAK" solve q.csv p/b.npy --disk-reader threads
stderr_has "disk-reader"

# Memory that is refused at any moment: 71, never a hang. Once the rows are read, the methods are
# those that out_of_memory.sh tests.
if faults_to_be_had; then
  "$POLYAK" solve p/A.npy p/b.npy --method lsqr --max-passes 2 --output good.npy --quiet || [ $? -eq 3 ]
  for reader in threads auto; do
    for i in $(seq 1 150 2000); do
      code=0
      with_fault FAULT_MALLOC=$i OPENBLAS_CORETYPE=Haswell timeout 60 "$POLYAK" solve p/A.npy p/b.npy \
        --method lsqr --max-passes 2 --storage disk --disk-reader $reader --memory 1e7 --threads 2 \
        --quiet --output x.npy >out 2>err || code=$?
      case $code in 0 | 3 | 71) ;; *) fail "$reader, allocation $i: exit code $code: $(cat err)" ;; esac
      cmp -s x.npy old.npy || cmp -s x.npy good.npy || fail "$reader, allocation $i: a torn x.npy"
      cp old.npy x.npy
    done
    # From then on for good: nobody will give memory back.
    for i in $(seq 1900 40 2500); do
      code=0
      with_fault FAULT_FOR_GOOD=1 FAULT_MALLOC=$i OPENBLAS_CORETYPE=Haswell timeout 60 "$POLYAK" solve \
        p/A.npy p/b.npy --method lsqr --max-passes 20 --tol 1e-14 --storage disk --disk-reader $reader \
        --memory 1e7 --threads 1 --quiet >out 2>err || code=$?
      case $code in 0 | 3 | 71) ;; *) fail "$reader, from allocation $i: exit code $code: $(cat err)" ;; esac
    done
  done
fi

# A file that is written to during the run is told, whatever the reader.
"$POLYAK" generate gaussian --rows 20000 --cols 50 --noise 1 --output big --quiet
for reader in $readers; do
  for change in "truncate -s 4096" touch; do
    cp big/A.npy short.npy
    rm -f log
    "$POLYAK" solve short.npy big/b.npy --method gd --tol 0 --time-limit 100 --storage disk \
      --disk-reader $reader --measure-every 0.01 --log-format json --output z.npy >out 2>log &
    job=$!
    until_it_measures log $job
    $change short.npy
    code=0
    wait $job || code=$?
    [ $code -eq 74 ] || fail "$change, $reader: exit code $code instead of 74: $(tail -3 log)"
    grep -q "while it was read" log || fail "$change, $reader: $(tail -1 log)"
    absent z.npy
  done
done
