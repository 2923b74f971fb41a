# POLYAK_SIMD: with parameters given, every vector width gives the same bytes;
# what a machine does not have is refused in one line.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

"$POLYAK" generate spectrum --rows 2000 --cols 37 --kappa 20 --seed 3 --output p --quiet
for method in hbm rk minibatch-hbm minibatch-nag; do
  case $method in minibatch-*) batch="--batch 300" ;; *) batch="" ;; esac
  case $method in rk) ends="" ;; *) ends="--lambda-min 1 --lambda-max 20" ;; esac
  used=0
  for simd in plain avx2 avx512 neon; do
    POLYAK_SIMD=$simd "$POLYAK" solve p/A.npy p/b.npy --method $method $batch $ends --max-passes 3 \
      --tol 1e-14 --output $simd.npy --report $simd.json --quiet 2>errors || code=$?
    if [ "${code:-0}" -eq 2 ]; then  # not to be had here
      grep -q "POLYAK_SIMD" errors || fail "$simd: $(cat errors)"
      [ "$(wc -l <errors)" -eq 1 ] || fail "more than a line: $(cat errors)"
      unset code
      continue
    fi
    unset code
    grep -q "\"simd\": \"$simd\"" $simd.json || fail "$simd is not in the report"
    cmp plain.npy $simd.npy || fail "$method: $simd differs from plain"
    used=$((used + 1))
  done
  [ $used -ge 1 ] || fail "not even plain code ran"
done
POLYAK_SIMD=mmx "$POLYAK" info p/A.npy >/dev/null 2>errors && fail "mmx was taken"
grep -q "POLYAK_SIMD.*mmx" errors || fail "$(cat errors)"
