# run.sh cmake|pkgconfig BUILD CXX
#
# Installs BUILD beside this folder's project, builds its two programs against
# what was installed, and runs them.
set -euo pipefail
way=$1 build=$2 cxx=$3
consumer=$POLYAK_SOURCE/tests/install
. "$consumer/checks.bash"
prefix="$PWD/a prefix"
[ "$way" = cmake ] || prefix=$PWD/prefix # pkg-config's flags cannot hold spaces

cmake --install "$build" --prefix "$prefix" >install.log
if [ "$way" = cmake ]; then
  cmake -S "$consumer" -B . -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
  cmake --build . -j 2
else
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name polyak.pc)")
  export PKG_CONFIG_PATH
  "$cxx" -std=c++20 "$consumer/solver.cpp" $(pkg-config --cflags --libs polyak) -o solver
  "$cxx" -std=c++20 "$consumer/everything.cpp" $(pkg-config --cflags --libs polyak-lab) -o everything
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir polyak)
  export LD_LIBRARY_PATH
  # Flags of other packages stay with them.
  for package in polyak polyak-io polyak-lab; do
    [ "$(pkg-config --cflags $package | wc -w)" -eq 1 ] || fail "$package: $(pkg-config --cflags $package)"
    ! pkg-config --libs $package | grep -qi mpi || fail "$package: $(pkg-config --libs $package)"
  done
  ! pkg-config --libs polyak | grep -qi 'hdf5\|tiff\|matio\|png\|snappy\|zstd\|lz4' || fail "polyak: $(pkg-config --libs polyak)"
fi
./solver
./everything
needs_no_files ./solver
starts_alone ./everything "$prefix/bin/polyak"
if [ -e "$POLYAK" ]; then "$prefix/bin/polyak" --version; fi
