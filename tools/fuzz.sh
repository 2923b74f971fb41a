#!/usr/bin/env bash
# fuzz.sh SECONDS [TARGET...]: runs each file reader on mutated files for SECONDS, under the
# address and undefined-behaviour sanitizers. An input that causes a failure is kept in build/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)" --target fuzzers
cd build/fuzz
if [ $# -eq 0 ]; then
  for program in tests/*_fuzz; do
    name=${program##*/}
    set -- "$@" "${name%_fuzz}"
  done
fi
for target; do
  corpus=../../tests/fuzz/corpus/$target
  mkdir -p "found-$target"
  echo "== $target, $seconds s"
  leaks=1
  case $target in h5 | mat) leaks=0 ;; esac  # libhdf5 and matio leak memory on invalid files
  ASAN_OPTIONS=detect_leaks=$leaks "tests/${target}_fuzz" -max_total_time="$seconds" \
    -rss_limit_mb=2048 -max_len=8192 -timeout=10 -print_final_stats=1 -detect_leaks=$leaks \
    -artifact_prefix="$target-" "found-$target" "$corpus" >"$target.log" 2>&1 ||
    { tail -40 "$target.log" && echo "$target: a finding" >&2 && exit 1; }
  grep number_of_executed_units "$target.log"
done
