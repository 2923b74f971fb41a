# run.sh cmake|pkgconfig BUILD CXX
#
# Installs BUILD beside this folder's consumer, builds the consumer against
# what was installed, and runs it.
set -euo pipefail
way=$1 build=$2 cxx=$3
consumer=$POLYAK_SOURCE/tests/install
prefix="$PWD/a prefix"
[ "$way" = cmake ] || prefix=$PWD/prefix # pkg-config's flags cannot hold spaces

cmake --install "$build" --prefix "$prefix" >install.log
if [ "$way" = cmake ]; then
  cmake -S "$consumer" -B consumer -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix"
  cmake --build consumer
  ./consumer/consumer
else
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name polyak.pc)")
  export PKG_CONFIG_PATH
  "$cxx" -std=c++20 "$consumer/main.cpp" $(pkg-config --cflags --libs polyak) -o consumer
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir polyak) ./consumer
fi
if [ -e "$POLYAK" ]; then "$prefix/bin/polyak" --version; fi
