# Functions shared by the tests with several ranks. One thread per rank, more ranks than cores;
# leaks inside MPI are not reported.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
# Shared memory, which Open MPI would choose here too, after 0.2 s of looking for networks.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
# If a rank ends with another exit code than 0, mpirun sends SIGTERM to the others, waits 1 s and
# sends SIGKILL. All output is written by then, so that it need not wait; but a program
# that counts lines still writes its counts.
[[ ${POLYAK_FLAGS:-} == *coverage* ]] || export OMPI_MCA_odls_base_sigkill_timeout=0

# Two mpirun that start at the same time may fail to make the same folder in /tmp.
sessions=$(mktemp -d "${TMPDIR:-/tmp}/ranks-XXXXXX")
trap 'rm -rf "$sessions"' EXIT
export OMPI_MCA_orte_tmpdir_base=$sessions

# ranks N COMMAND...
ranks() {
  local n=$1
  shift
  timeout "${time_limit_s:-240}" "$POLYAK_MPIEXEC" --oversubscribe --allow-run-as-root -n "$n" "$@"
}

# near FILE FILE TOLERANCE...: |a - b| <= tolerance |b| for each pair of files, .npy or text.
near() {
  python - "$@" <<'PY' || fail "two results differ by more than the tolerance: $*"
import ast, struct, sys
def read(name):
    data = open(name, "rb").read()
    if data[:6] != b"\x93NUMPY":
        return [float(word) for word in data.split()]
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    assert head["descr"] == "<f8", head
    return list(struct.unpack("<%dd" % ((len(data) - 10 - size) // 8), data[10 + size:]))
words, far = sys.argv[1:], 0
assert words and len(words) % 3 == 0, words
for first, second, tolerance in zip(words[0::3], words[1::3], words[2::3]):
    a, b = read(first), read(second)
    assert len(a) == len(b) > 0, (first, second)
    difference = sum((u - v) ** 2 for u, v in zip(a, b)) ** 0.5
    size = sum(v * v for v in b) ** 0.5
    print(f"{first} and {second}: {difference / size:.1e}")
    far += not difference <= float(tolerance) * size
sys.exit(1 if far else 0)
PY
}

# one_line TEXT: standard error has one line of polyak, with TEXT, beside those of mpirun.
one_line() {
  [ "$(grep -c '^polyak: ' err)" -eq 1 ] || fail "not one line: $(grep '^polyak: ' err)"
  grep -qF -- "$1" err || fail "standard error lacks: $1"
}

# plugin_for petsc|petsc64: the library, or the test is skipped.
plugin_for() {
  local file="$POLYAK_BUILD/lib/libpolyak_$1.so"
  [ -e "$file" ] || { echo "skipped: $file was not built" >&2; exit 77; }
  echo "$file"
}

# program NAME: a program of tests/petsc, built with everything else; or the test is skipped.
program() {
  local file="$POLYAK_BUILD/tests/petsc/bin/$1"
  [ -e "$file" ] || { echo "skipped: $file was not built" >&2; exit 77; }
  echo "$file"
}

# cases N PROGRAM OPTION...: each line of standard input is a case, a list of further options;
# all in one start (cases.h). of_case I: ./out becomes the output of the I-th, counted from 1.
cases() {
  local n=$1
  shift
  cat >cases.txt
  time_limit_s=1200 depth=2 expect 0 ranks "$n" "$@" -cases cases.txt
  cp out all_cases
}
of_case() { awk -v wanted="$1" '/^== / { ++number } number == wanted' all_cases >out; }
# all_cases_have TEXT: the output of every case has TEXT.
all_cases_have() {
  awk -v text="$1" '/^== / { lacks += number > 0 && !found; ++number; found = 0; next }
    index($0, text) { found = 1 }
    END { exit lacks > 0 || !found }' all_cases || fail "a case does not print: $1"
}

now() { date +%s.%N; }
# start_up_of_ranks: the seconds that mpirun needs to start and end two ranks, under the present
# load of the machine; added to time limits.
start_up_of_ranks() {
  local start
  start=$(now)
  ranks 2 "$POLYAK-mpi" --version >/dev/null 2>&1
  python -c "print($(now) - $start)"
}
# ends_soon JOB CODE START_UP: within 5 s, and four times the time to start on a loaded machine.
# CODE may be "any" or "not-0"; sets $code.
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
