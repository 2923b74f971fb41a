#!/usr/bin/env bash
# fuzz.sh SECONDS: feeds the readers with mutated files for so long each, under
# the address and undefined-behaviour sanitizers. A crash leaves its input in
# build/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
mkdir -p build/fuzz
for format in csv mtx npy petsc svm; do
  clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -Iinclude -Isrc "tests/io/fuzz/${format}_fuzz.cpp" \
    $(find src/io src/matrix src/kernels src/core -name '*.cpp') \
    $(pkg-config --cflags --libs hdf5 matio libtiff-4 libpng libhwy fmt zlib) -lpthread -o "build/fuzz/$format"
  mkdir -p "build/fuzz/found-$format"
  "build/fuzz/$format" -max_total_time="$seconds" -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix="build/fuzz/$format-" "build/fuzz/found-$format" "tests/io/fuzz/corpus/$format"
done
