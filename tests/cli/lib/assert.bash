# What the tests of the program share; sourced with $POLYAK the program.
set -euo pipefail

fail() {
  echo "FAILED at line ${BASH_LINENO[${depth:-1}]}: $*" >&2
  for file in out err; do
    [ ! -s $file ] || { echo "--- std$file:" && head -20 $file; } >&2
  done
  exit 1
}

# expect CODE COMMAND...: runs it, standard output in ./out, error in ./err.
expect() {
  local want=$1 got=0
  shift
  "$@" >out 2>err || got=$?
  [ "$got" -eq "$want" ] || fail "exit code $got instead of $want: $*"
}

# refuses CODE LINE ARGUMENT...: polyak says exactly that line and no more.
refuses() {
  local want=$1 line=$2
  shift 2
  depth=2 expect "$want" "$POLYAK" "$@"
  depth=2 stderr_is "polyak: $line"
  [ ! -s out ] || fail "something on standard output: $*"
}

stderr_is() { [ "$(cat err)" = "$1" ] || fail "standard error is not: $1"; }
stderr_has() { grep -qF -- "$1" err || fail "standard error lacks: $1"; }
stdout_has() { grep -qF -- "$1" out || fail "standard output lacks: $1"; }
silent() { [ ! -s out ] && [ ! -s err ] || fail "not silent"; }
exists() { for file; do [ -f "$file" ] || fail "$file is not there"; done; }
absent() { for file; do [ ! -e "$file" ] || fail "$file should not be there"; done; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
no_leftovers() {
  local found
  found=$(find "${1:-.}" -name '.polyak-*')
  [ -z "$found" ] || fail "left behind: $found"
}

python() { /usr/bin/env -u PYTHONPATH python3 "$@"; }
# holds FILE.json CONDITION: a Python expression about the object r.
holds() {
  python - "$1" "$2" <<'PY' || fail "$1: not true: $2"
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
}
# value FILE.json EXPRESSION
value() { python -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

# A small problem in ./p: exact, well conditioned, solved in milliseconds.
small_problem() {
  "$POLYAK" generate spectrum --decay algebraic --rho 1 --kappa 10 --rows 500 --cols 8 \
    --seed 7 --output p --quiet
}
