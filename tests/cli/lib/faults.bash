# Faults on order: lib/faults.c, to be preloaded. Sanitizers want to come first,
# and take the same calls.
faults_to_be_had() { [[ ${POLYAK_FLAGS:-} != *sanitize* ]]; }

build_faults() {
  local compiler
  compiler=$(command -v gcc || command -v clang)
  "$compiler" -shared -fPIC -O1 "$POLYAK_SOURCE/tests/cli/lib/faults.c" -o faults.so
}

# with_fault NAME=VALUE... COMMAND...
with_fault() { env LD_PRELOAD="$PWD/faults.so" "$@"; }

# until_it_measures FILE PID: the run has read its rows at least once.
until_it_measures() {
  for _ in $(seq 600); do
    ! grep -q '"event":"measure"' "$1" || return 0
    kill -0 "$2" 2>/dev/null || fail "it ended before it measured"
    sleep 0.05
  done
  fail "it does not measure"
}
