# Matrices that polyak makes for PETSc: a scan, and dense rows where they lie.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
build_c petsc "$POLYAK_SOURCE/tests/petsc/rows.c" ./rows -I"$POLYAK_SOURCE/petsc" "$plugin" -Wl,-rpath,"$(dirname "$plugin")"

# The scan is that of the program: its rows have the same sums.
for scan in "parallel 0:180:40 24 16 line" "parallel 0:180:7 24 16x12 strip" "fan 0:360:50 30 12 linear"; do
  read -r beam angles detectors size model <<<"$scan"
  distances=() mat_distances=()
  if [ "$beam" = fan ]; then
    distances=(--source-distance 60 --detector-distance 30)
    mat_distances=(-mat_polyak_source_distance 60 -mat_polyak_detector_distance 30)
  fi
  expect 0 "$POLYAK" tomography matrix --beam $beam --angles $angles --detectors $detectors \
    --size $size --projector $model "${distances[@]}" --output A.mtx --quiet
  python - <<'PY'
rows = {}
with open("A.mtx") as f:
    lines = [line.split() for line in f if not line.startswith("%")]
for i, _, value in lines[1:]:
    rows[int(i)] = rows.get(int(i), 0.0) + float(value)
with open("sums.txt", "w") as f:
    for i in range(int(lines[0][0])):
        f.write("%r\n" % rows.get(i + 1, 0.0))
PY
  mat=(-skip_petscrc -mat_polyak_beam $beam -mat_polyak_angles $angles -mat_polyak_detectors $detectors
    -mat_polyak_size $size -mat_polyak_projector $model "${mat_distances[@]}")
  for n in 1 3; do
    expect 0 ranks $n ./rows "${mat[@]}" -ksp_type lsqr -pc_type none -ksp_rtol 1e-2 -ones ones.txt
    near ones.txt sums.txt 1e-13
  done
done

# KSPLSQR and polyak on it, also with more processes than views.
scan=(-skip_petscrc -mat_polyak_angles 0:180:60 -mat_polyak_detectors 24 -mat_polyak_size 16)
expect 0 ./rows "${scan[@]}" -ksp_type lsqr -pc_type none -ksp_rtol 1e-13 -ksp_max_it 2000 -out lsqr.txt
for n in 1 2 3 4; do
  expect 0 ranks $n ./rows "${scan[@]}" -ksp_type polyak -ksp_polyak_method direct -ksp_rtol 1e-10 -out x$n.txt
  stdout_has CONVERGED_RTOL
  near x$n.txt x1.txt 1e-12
  near x$n.txt lsqr.txt 1e-6
done
expect 0 ranks 2 ./rows "${scan[@]}" -ksp_type polyak -ksp_polyak_batch 400 -ksp_rtol 1e-4 -ksp_max_it 4000 -ksp_view
stdout_has "type: polyakscan"
stdout_has "used: minibatch-hbm, projector"
expect 0 ranks 4 ./rows "${scan[@]}" -mat_polyak_angles 0:180:3 -ksp_type polyak -ksp_rtol 1e-10
stdout_has CONVERGED_RTOL

# Dense rows where they lie, in the order of the caller.
python -c 'import math
for i in range(700):
    print(repr(sum(math.sin(1 + i * (j + 1)) for j in range(9)) + 1))' >sums.txt
for n in 1 2 4; do
  expect 0 ranks $n ./rows -skip_petscrc -dense 700 -ksp_type polyak -ksp_polyak_method minibatch-hbm -ksp_polyak_batch 300 -ksp_rtol 1e-12 -most 1e-9 -ksp_view -out x$n.txt -ones ones.txt
  stdout_has "used: minibatch-hbm, dense, double"
  near ones.txt sums.txt 1e-14
  near x$n.txt x1.txt 1e-12
done
expect 0 ranks 2 ./rows -skip_petscrc -dense 700 -most 1e-9 -ksp_type cgls -pc_type none -ksp_rtol 1e-13
expect 0 ranks 4 ./rows -skip_petscrc -dense 12 -most 1e-9 -ksp_type polyak -ksp_rtol 1e-12
expect 0 ranks 4 ./rows -skip_petscrc -dense 10 -most 1e-9 -ksp_type polyak -ksp_rtol 1e-12

# A duplicate lives on, with its rows; what would change them behind our back is refused.
for kind in "-dense 700" "${scan[*]}"; do
  expect 0 ranks 2 ./rows -skip_petscrc $kind -copy -most 1e-6 -ksp_type polyak -ksp_polyak_method direct -ksp_rtol 1e-10 -ksp_view
  stdout_has CONVERGED_RTOL
  code=0
  ranks 2 ./rows -skip_petscrc $kind -scale -ksp_type polyak >out 2>err || code=$?
  [ "$code" -ne 0 ] || fail "a matrix was scaled that polyak reads unscaled"
done
code=0
ranks 2 ./rows -skip_petscrc -dense 700 -claim 600 >out 2>err || code=$?
[ "$code" -ne 0 ] || fail "700 rows were taken for 600"
grep -qF "found 700 rows, expected 600" err || fail "$(cat err)"

# What is wrong is said once, with the option; what can be said is listed.
for wrong in "angles 0:180" "angles 0:180:x" "size 16x" "size ax4" "beam cone" "projector thick" "detectors 0"; do
  read -r option value <<<"$wrong"
  code=0
  ranks 2 ./rows "${scan[@]}" -mat_polyak_$option $value >out 2>err || code=$?
  [ "$code" -ne 0 ] || fail "$wrong was taken"
  [ "$(grep -c 'polyak: ' err)" -eq 1 ] || fail "$wrong: not said once: $(cat err)"
  case $option in detectors | projector) ;; *) grep -qF -- "-mat_polyak_$option" err || fail "$wrong: $(cat err)" ;; esac
done
expect 0 ./rows "${scan[@]}" -ksp_type polyak -help
for option in beam angles detectors spacing offset size pixel source_distance detector_distance projector; do
  stdout_has "-mat_polyak_$option <"
done
