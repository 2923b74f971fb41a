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
small='Gpu/Columns.*/d3:Gpu/Columns.*/d100:Gpu/Columns.*/d255:GpuEngine.Draws*'
for tool in memcheck racecheck; do
  echo "test-gpu: $tool"
  compute-sanitizer --tool "$tool" --error-exitcode 1 "$program" --gtest_brief=1 \
    --gtest_filter="$small"
done
