#!/usr/bin/env bash
# python_env.sh DIR: makes a virtual environment with what the Python package is built and tested
# with (python/requirements-test.txt), from the Python package index. Quick if it is ready.
# Where none can be made (an old Python, no network), DIR/why-not says why, the package is not
# built and its tests are skipped. PYTHON names the interpreter.
set -euo pipefail
dir=$1
requirements=$(dirname "$0")/../python/requirements-test.txt

usable() { # can make environments, and has the headers
  "$1" -c 'import sys, sysconfig, pathlib, ensurepip
sys.exit(sys.version_info < (3, 11) or not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())' \
    2>/dev/null
}

give_up() {
  echo "$1" >"$dir/why-not"
  echo "setup: no Python package: $1" >&2
  exit 0
}

mkdir -p "$dir"
if [ -e "$dir/ready" ] && cmp -s "$requirements" "$dir/ready"; then exit 0; fi
rm -f "$dir/ready" "$dir/why-not"
python=
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if usable "$candidate"; then python=$candidate && break; fi
done
[ -n "$python" ] || give_up "there is no Python from 3.11 on with its headers and ensurepip"
echo "setup: making $dir"
"$python" -m venv "$dir" || give_up "$python -m venv failed"
"$dir/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r "$requirements" ||
  give_up "packages of python/requirements-test.txt cannot be installed from the package index"
cp "$requirements" "$dir/ready"
