# Matrices that polyak makes for PETSc: a scan, and dense rows in place.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin_for petsc >/dev/null
rows=$(program rows)

# The scan is that of the program: the sums of its rows are equal.
scans="parallel 0:180:40 24 16 line
parallel 0:180:7 24 16x12 strip
fan 0:360:50 30 12 linear"
number=0
while read -r beam angles detectors size model; do
  number=$((number + 1))
  distances=() mat_distances=""
  if [ "$beam" = fan ]; then
    distances=(--source-distance 60 --detector-distance 30)
    mat_distances="-mat_polyak_source_distance 60 -mat_polyak_detector_distance 30"
  fi
  expect 0 "$POLYAK" tomography matrix --beam $beam --angles $angles --detectors $detectors \
    --size $size --projector $model "${distances[@]}" --output A$number.mtx --quiet
  echo "-mat_polyak_beam $beam -mat_polyak_angles $angles -mat_polyak_detectors $detectors" \
    "-mat_polyak_size $size -mat_polyak_projector $model $mat_distances" \
    "-ksp_type lsqr -pc_type none -ksp_rtol 1e-2" >>scan_options
done <<<"$scans"
python - <<'PY'
import math
for number in (1, 2, 3):
    sums = {}
    with open(f"A{number}.mtx") as f:
        lines = [line.split() for line in f if not line.startswith("%")]
    for i, _, value in lines[1:]:
        sums[int(i)] = sums.get(int(i), 0.0) + float(value)
    with open(f"sums{number}.txt", "w") as f:
        for i in range(int(lines[0][0])):
            f.write("%r\n" % sums.get(i + 1, 0.0))
with open("dense_sums.txt", "w") as f:
    for i in range(700):
        f.write("%r\n" % (sum(math.sin(1 + i * (j + 1)) for j in range(9)) + 1))
PY

# On 1 to 4 processes: KSPLSQR and polyak on a scan, also with more processes than views; dense
# rows in the order of the caller. A duplicate keeps its rows after the original is destroyed.
scan="-mat_polyak_angles 0:180:60 -mat_polyak_detectors 24 -mat_polyak_size 16"
direct="-ksp_type polyak -ksp_polyak_method direct -ksp_rtol 1e-10"
sampled="-ksp_type polyak -ksp_polyak_method minibatch-hbm -ksp_polyak_batch 300 -ksp_rtol 1e-12"
copy="-copy -largest_error 1e-6 $direct -ksp_view"
lines_for() { # PROCESSES
  local n=$1
  case $n in 1 | 3) awk -v n=$n '{ print $0 " -ones ones" NR "-" n ".txt" }' scan_options ;; esac
  echo "$scan $direct -out x$n.txt"
  [ $n = 3 ] ||
    echo "-dense 700 $sampled -largest_error 1e-9 -ksp_view -out dense$n.txt -ones dense_ones$n.txt"
  case $n in
    1) echo "$scan -ksp_type lsqr -pc_type none -ksp_rtol 1e-13 -ksp_max_it 2000 -out lsqr.txt" ;;
    2)
      echo "$scan -ksp_type polyak -ksp_polyak_batch 400 -ksp_rtol 1e-4 -ksp_max_it 4000 -ksp_view"
      echo "-dense 700 $copy"
      echo "$scan $copy"
      echo "-dense 700 -largest_error 1e-9 -ksp_type cgls -pc_type none -ksp_rtol 1e-13" ;;
    4)
      echo "$scan -mat_polyak_angles 0:180:3 -ksp_type polyak -ksp_rtol 1e-10"
      for count in 12 10; do
        echo "-dense $count -largest_error 1e-9 -ksp_type polyak -ksp_rtol 1e-12"
      done ;;
  esac
}
pairs=()
for n in 1 2 3 4; do
  lines_for $n | cases $n "$rows" -skip_petscrc
  pairs+=(x$n.txt x1.txt 1e-12 x$n.txt lsqr.txt 1e-6)
  case $n in 1 | 3) for i in 1 2 3; do pairs+=(ones$i-$n.txt sums$i.txt 1e-13); done ;; esac
  [ $n = 3 ] || pairs+=(dense_ones$n.txt dense_sums.txt 1e-14 dense$n.txt dense1.txt 1e-12)
  for i in $(grep -nF -- "$direct" cases.txt | cut -d: -f1); do
    of_case $i
    stdout_has CONVERGED_RTOL
  done
  for i in $(grep -nF -- "$sampled" cases.txt | cut -d: -f1); do
    of_case $i
    stdout_has "used: minibatch-hbm, dense, double"
  done
  if [ $n = 2 ]; then
    of_case 3
    stdout_has "type: polyakscan"
    stdout_has "used: minibatch-hbm, projector"
  fi
  if [ $n = 4 ]; then
    of_case 3
    stdout_has CONVERGED_RTOL
  fi
done
near "${pairs[@]}"

# Operations that would change the rows are refused.
refused() { # TEXT OPTION...
  local text=$1 code=0
  shift
  ranks 2 "$rows" -skip_petscrc "$@" >out 2>err || code=$?
  [ "$code" -ne 0 ] || fail "accepted: $*"
  depth=2 stderr_has "$text"
}
refused "" -dense 700 -scale -ksp_type polyak
refused "" $scan -scale -ksp_type polyak
refused "found 700 rows, expected 600" -dense 700 -claim 600

# A wrong option is one line with its name; -help lists all options.
for wrong in "angles 0:180" "angles 0:180:x" "size 16x" "size ax4" "beam cone" "projector thick" "detectors 0"; do
  read -r option value <<<"$wrong"
  refused "polyak: " $scan -mat_polyak_$option $value
  [ "$(grep -c 'polyak: ' err)" -eq 1 ] || fail "$wrong: not one line: $(cat err)"
  case $option in detectors | projector) ;; *) stderr_has "-mat_polyak_$option" ;; esac
done
expect 0 "$rows" -skip_petscrc $scan -ksp_type polyak -help
for option in beam angles detectors spacing offset size pixel source_distance detector_distance projector; do
  stdout_has "-mat_polyak_$option <"
done
