#!/usr/bin/env bash
# test_gpu.sh FOLDER: the tests that need a GPU; then a part of them under
# compute-sanitizer, where it is installed.
set -euo pipefail
"$1/test_gpu" --gtest_brief=1
"$1/test_gpu_solver" --gtest_brief=1
if ! command -v compute-sanitizer >/dev/null; then
  echo "test-gpu: compute-sanitizer is not installed; memcheck and racecheck left out"
  exit 0
fi
folder=$1
check() {  # TOOL PROGRAM FILTER
  echo "test-gpu: $1 of $3"
  compute-sanitizer --tool "$1" --error-exitcode 1 "$folder/$2" --gtest_brief=1 --gtest_filter="$3"
}
check memcheck test_gpu 'Gpu/Columns.*/d3:Gpu/Columns.*/d100:Gpu/Columns.*/d255:GpuEngine.Draws*'
# Under racecheck a launch takes seconds: only a few tests.
check racecheck test_gpu 'Gpu/Columns.FullGradient*/d3:Gpu/Columns.FullGradient*/d100:GpuEngine.Draws*'
check racecheck test_gpu 'Gpu/Columns.OneStepWith*/d3'
check memcheck test_gpu_solver 'Gpu/Operations.*/*_d3:Gpu/Operations.*/*_d100:Gpu/Sums.*/*_d3:Gpu/Sums.*/*_d100:Gpu/Operations.full*/*d1000:Gpu/Operations.row*/*d1000:Gpu/GpuMethod.is_near_the_cpu_on_ragged*'
check racecheck test_gpu_solver 'Gpu/Sums.*/dense_d3:Gpu/Sums.gram*/dense_d100:Gpu/Operations.full*/*_d3:Gpu/Operations.products*/*_d3:Gpu/Operations.full*/dense_d100:Gpu/Operations.row_steps*/*_d3:Gpu/Operations.gradients*/*_d3'
