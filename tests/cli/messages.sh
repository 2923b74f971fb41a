# What is said where: text, JSON, nothing.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
solve=("$POLYAK" solve p/A.npy p/b.npy)

# Short runs say nothing on standard error, and the answer when it is small.
expect 0 "${solve[@]}"
[ ! -s err ] || fail "standard error is not empty"
grep -qE '^  x8 +-?[0-9.]+' out || fail "x is not shown"
expect 0 "${solve[@]}" --output x.npy
if grep -q '^  x8' out; then fail "x is shown though it was written"; fi
if grep -q $'\x1b' out err; then fail "escape sequences outside a terminal"; fi

expect 0 "${solve[@]}" --quiet --report r.json
silent
expect 3 "${solve[@]}" --quiet --method gd --max-iterations 1
silent

# JSON: every line of standard error is an object; standard output the report.
expect 0 "${solve[@]}" --method rk --log-format json --reference p/x.npy --report r.json
same out r.json
python - <<'PY'
import json
events = [json.loads(line) for line in open("err")]
kinds = [e["event"] for e in events]
assert kinds[0] == "start" and kinds[-1] == "finish" and set(kinds[1:-1]) == {"measure"}, kinds
assert events[0]["rows"] == 500 and events[1]["iteration"] == 0 and "error" in events[1]
assert events[-1]["status"] == "converged" and events[-1]["exit_code"] == 0
PY
expect 0 "${solve[@]}" --log-format=json --history /dev/full --quiet=false
python - <<'PY'
import json
events = [json.loads(line) for line in open("err")]
assert [e["event"] for e in events].count("warning") == 1, events
PY
expect 0 "${solve[@]}" --log-format json --quiet
silent
expect 0 "${solve[@]}" --log-format json --output - 2>err
python -c 'assert len([float(line) for line in open("out")]) == 8'

# Errors too, whatever went wrong and wherever the option stands.
for arguments in "--log-format json --bacth 3" "--bacth 3 --log-format=json" \
  "--log-format json --quiet --max-iterations x" "--log-format json --output no/x.npy"; do
  "${solve[@]}" $arguments >out 2>err && fail "no error for $arguments"
  [ ! -s out ] || fail "standard output is not empty"
  python - <<'PY'
import json
event, = [json.loads(line) for line in open("err")]
assert event["event"] == "error" and event["exit_code"] in (2, 74) and event["where"], event
PY
done
printf 'log-format = "json"\n' >run.toml
expect 66 "$POLYAK" solve none.npy none.npy --config run.toml
python -c 'import json; assert json.load(open("err"))["exit_code"] == 66'
expect 4 "${solve[@]}" --log-format json --method gd --step-size 10
python -c 'import json; assert json.loads(list(open("err"))[-1])["status"] == "diverged"'

# A name with control characters stays one line.
expect 66 "$POLYAK" solve $'bad\nname\x1b.npy' p/b.npy
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
