# shared.sh BUILD CXX
#
# The shared libraries of BUILD: what they export and what they need. A static
# build has them too, for this test, in BUILD/shared.
set -euo pipefail
build=$1 cxx=$2
consumer=$POLYAK_SOURCE/tests/install
. "$consumer/checks.bash"
libraries=$build/shared
[ -e "$libraries" ] || libraries=$build/src
export LD_LIBRARY_PATH=$libraries

"$cxx" -std=c++20 -I"$POLYAK_SOURCE/include" -I"$build/include" "$consumer/solver.cpp" \
  -L"$libraries" -lpolyak -o solver
"$cxx" -std=c++20 -I"$POLYAK_SOURCE/include" -I"$build/include" "$consumer/everything.cpp" \
  -L"$libraries" -lpolyak_lab -lpolyak_io -lpolyak -o everything
./solver
./everything
needs_no_files ./solver "$libraries/libpolyak.so"

# The name of a library changes with each minor version.
version=$("$POLYAK" --version | sed -n '1s/^polyak \([0-9]*\.[0-9]*\).*/\1/p')
for name in polyak polyak_io polyak_lab; do
  readelf -d "$libraries/lib$name.so" | grep -q "SONAME.*lib$name.so.$version\]" || fail "$name: SONAME"
  python3 "$consumer/exports.py" "$libraries/lib$name.so" "$POLYAK_SOURCE/include/polyak" \
    "$build/include/polyak" || fail "lib$name exports internals"
done

# An exported internal name is found, also where a public function has the same name.
echo 'namespace polyak::internal { void solve() {} }' >internal.cpp
"$cxx" -std=c++20 -shared -fPIC internal.cpp -o internal.so
! python3 "$consumer/exports.py" ./internal.so "$POLYAK_SOURCE/include/polyak" || fail "exports.py sees no internals"
