#!/usr/bin/env bash
# setup.sh [dev|page|petsc|python]: installs missing Debian packages; with "dev"
# also those of `make sanitize`, `format`, `bench` and `callgrind`, with "page" the
# browser of `make page-check`, with "petsc" MPI and PETSc for petsc/ and its tests, with "python"
# what python/ is built with.
# Ends quickly when all are installed.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config python3 git gnuplot-nox
  libopenblas-dev libhwy-dev librandom123-dev libfmt-dev zlib1g-dev libpng-dev libtiff-dev
  libhdf5-dev libmatio-dev liburing-dev libzstd-dev
  nlohmann-json3-dev libtomlplusplus-dev libxxhash-dev
  libgtest-dev librapidcheck-dev libeigen3-dev
)
if [ "${1:-}" = dev ]; then
  packages+=(clang libclang-rt-14-dev clang-format valgrind python3-numpy python3-scipy)
fi
if [ "${1:-}" = page ]; then packages+=(chromium); fi
if [ "${1:-}" = petsc ]; then
  packages+=(libopenmpi-dev openmpi-bin libpetsc-real-dev libpetsc64-real-dev python3-petsc4py
    libpetsc3.18-dev-examples)
fi
if [ "${1:-}" = python ]; then packages+=(python3-venv python3-dev); fi

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; install the equivalents of these packages: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null; }
apt update
apt install -y --no-install-recommends "${missing[@]}" >/dev/null
