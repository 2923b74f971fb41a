# What the tests with several ranks share. One thread a rank, more ranks than
# cores; MPI's own leaks are not ours.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1

# ranks N COMMAND...
ranks() {
  local n=$1
  shift
  timeout 240 "$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n "$n" "$@"
}

# near FILE FILE TOLERANCE: |a - b| <= tolerance |b|, of .npy or of text.
near() {
  python - "$@" <<'PY' || fail "$1 is not near $2"
import ast, struct, sys
def read(name):
    data = open(name, "rb").read()
    if data[:6] != b"\x93NUMPY":
        return [float(word) for word in data.split()]
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    assert head["descr"] == "<f8", head
    return list(struct.unpack("<%dd" % ((len(data) - 10 - size) // 8), data[10 + size:]))
a, b = read(sys.argv[1]), read(sys.argv[2])
assert len(a) == len(b) > 0
away = sum((u - v) ** 2 for u, v in zip(a, b)) ** 0.5
size = sum(v * v for v in b) ** 0.5
print(f"{sys.argv[1]} and {sys.argv[2]}: {away / size:.1e}")
sys.exit(0 if away <= float(sys.argv[3]) * size else 1)
PY
}

# One line of polyak's, whatever mpirun adds.
one_line() {
  [ "$(grep -c '^polyak: ' err)" -eq 1 ] || fail "not one line: $(grep '^polyak: ' err)"
  grep -qF -- "$1" err || fail "standard error lacks: $1"
}

# plugin_for petsc|petsc64: the library, or the test ends here.
plugin_for() {
  local file="$POLYAK_BUILD/lib/libpolyak_$1.so"
  [ -e "$file" ] || { echo "passed over: $file was not built" >&2; exit 77; }
  echo "$file"
}

# build_c MODULE SOURCE PROGRAM [FLAG...]: against the PETSc of that name.
build_c() {
  local module=$1 source=$2 program=$3
  shift 3
  case $POLYAK_CXX in *clang*) export OMPI_CC=clang ;; *) export OMPI_CC=gcc ;; esac
  # shellcheck disable=SC2046,SC2086
  mpicc $POLYAK_FLAGS -O1 "$source" -o "$program" $(pkg-config --cflags --libs "$module") "$@" -lm
}

now() { date +%s.%N; }
# start_up_of_ranks: seconds that mpirun takes for nothing, on this machine as busy
# as it is; time limits add it to what they allow.
start_up_of_ranks() {
  local start
  start=$(now)
  ranks 2 "$POLYAK-mpi" --version >/dev/null 2>&1
  python -c "print($(now) - $start)"
}
# ends_soon JOB CODE START_UP: within 5 s of this call, and four times the time to start
# (a busy machine takes its time); CODE may be "any" or "not-0". Leaves $code.
ends_soon() {
  local start took
  start=$(now) code=0
  wait "$1" || code=$?
  took=$(python -c "print('%.1f' % ($(now) - $start))")
  python -c "import sys; sys.exit(0 if $took <= 5 + 4 * $3 else 1)" || depth=1 fail "it took $took s"
  case $2 in
    any) ;;
    not-0) [ "$code" -ne 0 ] || fail "exit code 0" ;;
    *) [ "$code" -eq "$2" ] || fail "exit code $code instead of $2" ;;
  esac
}
