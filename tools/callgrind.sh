#!/usr/bin/env bash
# callgrind.sh PROGRAM OUTPUT [BEFORE]: counts the instructions of three small
# runs, which do not depend on the load of the machine, and compares them with those in
# BEFORE. Counting starts in main and excludes the loading of libraries. The counts are valid for
# one compiler and one set of libraries.
set -euo pipefail
program=$1 output=$2 before=${3:-}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# valgrind does not support AVX-512; the number of threads is fixed.
export POLYAK_SIMD=avx2 OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1
"$program" generate spectrum --decay algebraic --rho 1 --kappa 100 --rows 2000 --cols 50 --seed 1 \
  --output "$folder/p" --quiet

# count NAME OPTION...
count() {
  local name=$1 counted
  shift
  # These runs end at their limits, with exit code 3.
  valgrind --tool=callgrind --toggle-collect=main --callgrind-out-file="$folder/out" "$program" solve "$folder/p/A.npy" \
    "$folder/p/b.npy" --threads 1 --seed 1 --tol 1e-14 --quiet "$@" 2>"$folder/err" || [ $? -eq 3 ]
  counted=$(sed -n 's/.*Collected : //p' "$folder/err")
  [ -n "$counted" ] || { cat "$folder/err" >&2; exit 1; }
  printf '%s %s\n' "$name" "$counted"
}

{
  "$program" --version | sed 's/^/# /'
  echo "# instructions of 2000 x 50 runs: minibatch-hbm B=100, 500 iterations; rk, 50000; cgls, 50"
  count minibatch-hbm --method minibatch-hbm --batch 100 --lambda-min 1 --lambda-max 100 \
    --max-iterations 500
  count rk --method rk --max-iterations 50000
  count cgls --method cgls --max-iterations 50
} >"$folder/counts"

mkdir -p "$(dirname "$output")"
mv "$folder/counts" "$output"
cat "$output"
[ -n "$before" ] && [ -f "$before" ] || exit 0
echo "against $before:"
join <(grep -v '^#' "$before" | sort) <(grep -v '^#' "$output" | sort) |
  awk '{ printf "  %-14s %12d -> %12d  %+.2f %%\n", $1, $2, $3, 100 * ($3 - $2) / $2 }'
