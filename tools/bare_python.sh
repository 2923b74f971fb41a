#!/usr/bin/env bash
# bare_python.sh WHEELS: tests the wheel for this Debian's Python where nothing but the base system
# and Python is: a tree made by debootstrap, without the libraries that polyak is built with. Needs
# root and the network; the tree stays in build/bare for the next time.
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
work=$root/build/bare
tree=$work/tree
version=$(/usr/bin/python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
wheel=$(ls "$(realpath "$1")"/polyak-*-cp"$version"-cp"$version"-*.whl)

stop() {
  echo "bare_python.sh: $1" >&2
  exit 1
}

make_tree() { # the release and the mirror of this system
  command -v debootstrap >/dev/null || stop "there is no debootstrap; apt-get install debootstrap"
  local release mirror
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  rm -rf "$tree"
  debootstrap --variant=minbase --include=python3 "$release" "$tree" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    stop "debootstrap failed, $work/debootstrap.log says why"
  touch "$work/ready"
}

[ "$(id -u)" = 0 ] || stop "chroot needs root"
mkdir -p "$work"
[ -e "$work/ready" ] || make_tree

# pip of this system, as the tree has none. What it installs is what pip in the tree would.
rm -rf "$tree/packages"
[ -x "$work/pip/bin/pip" ] || /usr/bin/python3 -m venv "$work/pip"
"$work/pip/bin/pip" install -q --disable-pip-version-check --only-binary :all: --target "$tree/packages" "$wheel"
cp "$root/python/tests/installed.py" "$tree/installed.py"

# A mount of its own, which ends with the process.
inside='mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/env -i PATH=/usr/bin:/bin PYTHONPATH=/packages PYTHONDONTWRITEBYTECODE=1 sh -ec "$2"'
in_tree() { unshare --mount --fork sh -ec "$inside" - "$tree" "$1"; }

in_tree 'python3 installed.py'
missing=$(in_tree 'for file in $(find /packages/polyak* -name "*.so*"); do ldd $file; done' | grep 'not found' || true)
[ -z "$missing" ] || stop "libraries are missing: $missing"
echo "$(basename "$wheel") works in a bare tree of $(in_tree 'dpkg-query -W | wc -l') packages"
