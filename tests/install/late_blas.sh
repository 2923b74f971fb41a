# late_blas.sh PROGRAM CXX: OpenBLAS is loaded with kernels that suit the processor.
set -euo pipefail
program=$1 cxx=$2
. "$POLYAK_SOURCE/tests/install/checks.bash"
"$program" | tee out
grep -q kernels out || fail "the OpenBLAS of this machine was not loaded"

"$cxx" -x c -shared -fPIC -Wl,-soname,libopenblas.so.0 "$POLYAK_SOURCE/tests/install/late_blas.c" -o libopenblas.so.0
export LD_LIBRARY_PATH=$PWD
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS
"$program" >out 2>err
if grep -qw avx512vl /proc/cpuinfo; then
  wanted=SkylakeX
elif grep -qw avx2 /proc/cpuinfo; then
  wanted=Haswell
else
  wanted=Prescott
fi
grep -q "^OpenBLAS 0.0, $wanted kernels$" out || fail "$(cat out err)"
grep -q "loaded with Prescott and 1 thread" err || fail "$(cat err)"

# What the user asks for is left alone.
OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=7 "$program" >out 2>err
grep -q "^OpenBLAS 0.0, Nehalem kernels$" out || fail "$(cat out)"
[ "$(grep -c loaded err)" -eq 1 ] || fail "$(cat err)"

# A library that the caller names, with a prefix before its names; the one of the system stays out.
"$cxx" -x c -shared -fPIC '-DNAME(name)=other_##name' "$POLYAK_SOURCE/tests/install/late_blas.c" -o other.so
"$program" "$PWD/other.so" other_ >out 2>err
grep -q "^OpenBLAS 0.0, $wanted kernels$" out || fail "$(cat out err)"
if "$program" "$PWD/none.so" other_ >out 2>err; then fail "a library that does not exist was loaded"; fi
grep -q 'cannot be loaded' err || fail "$(cat err)"
