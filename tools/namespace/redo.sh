#!/bin/bash
# redo.sh WORKTREE: script, formatting; the result is one commit. Then: git apply -3 hand.patch
set -euo pipefail
here=$(dirname "$(realpath "$0")")
cd "$1"
nice -n 19 python3 "$here/transform.py" "$PWD"
xargs -a <(grep -E '\.(cpp|hpp|cu|cuh)$' "$here/changed.txt") nice -n 19 clang-format -i
git add -A
git commit -qm "Internal names in namespaces of their own (by script)"
