#!/usr/bin/env bash
# test_gpu.sh FOLDER: the tests that need a GPU; then a part of them under
# compute-sanitizer, where it is installed.
set -euo pipefail
program=$1/test_gpu
"$program" --gtest_brief=1
if ! command -v compute-sanitizer >/dev/null; then
  echo "test-gpu: compute-sanitizer is not installed; memcheck and racecheck left out"
  exit 0
fi
check() {
  echo "test-gpu: $1 of $2"
  compute-sanitizer --tool "$1" --error-exitcode 1 "$program" --gtest_brief=1 --gtest_filter="$2"
}
check memcheck 'Gpu/Columns.*/d3:Gpu/Columns.*/d100:Gpu/Columns.*/d255:GpuEngine.Draws*'
# Under racecheck a launch takes seconds: only a few tests.
check racecheck 'Gpu/Columns.FullGradient*/d3:Gpu/Columns.FullGradient*/d100:GpuEngine.Draws*'
check racecheck 'Gpu/Columns.OneStepWith*/d3'
