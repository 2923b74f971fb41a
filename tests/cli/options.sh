# What does not fit is refused in one line that says what would.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
data=(p/A.npy p/b.npy)

commands=$("$POLYAK" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
listed=$(echo $commands | sed 's/ /, /g')
refuses 2 "a command is missing (expected $listed); see polyak --help"
refuses 2 "there is no such command (found 'slove', expected $listed); \
did you mean solve?" slove
refuses 2 "the command must come before the options (found '--batch', expected $listed); \
see polyak --help" --batch 3
refuses 2 "solve: A is missing; see polyak solve --help" solve
refuses 2 "convert: OUT is missing; see polyak convert --help" convert p/A.npy
refuses 2 "'c': one argument too many for polyak solve; see polyak solve --help" solve a b c

# Misspelt.
refuses 2 "--bacth: there is no such option; did you mean --batch?" solve "${data[@]}" --bacth 3
refuses 2 "--iterations: there is no such option; did you mean --max-iterations?" \
  solve "${data[@]}" --iterations=3
refuses 2 "--tolerance: there is no such option; did you mean --tol?" solve "${data[@]}" --tolerance 1
refuses 2 "--zzz: there is no such option; see polyak solve --help" solve "${data[@]}" --zzz
refuses 2 "-x: there is no such option; see polyak solve --help" solve "${data[@]}" -x
expect 2 "$POLYAK" solve "${data[@]}" --method minibatch-hmb
stderr_has "did you mean minibatch-hbm?"

# Missing, twice.
refuses 2 "--batch: the option needs a value (expected N)" solve "${data[@]}" --batch
refuses 2 "--batch: the option needs a value (expected N)" solve "${data[@]}" --batch --quiet
refuses 2 "--seed: the option is given twice; leave one of them out" \
  solve "${data[@]}" --seed 1 --seed=2

# Out of range.
for bad in "batch 0" "batch 1.5" "batch -3" "momentum 1" "momentum -0.1" "step-size -1" \
  "step-size 0" "step-size 1e999" "gamma 1" "gamma nan" "tol -1" "tol 1" "max-iterations -1" \
  "time-limit -1" "seed -1" "seed x" "threads -1" "threads 5000" "ridge -1" "lambda-min 0" \
  "precision half" "duplicates drop" "log-format xml" "measure-every 0" "spectrum svd"; do
  expect 2 "$POLYAK" solve "${data[@]}" --method minibatch-hbm --${bad/ /=}
  stderr_has "polyak: --${bad% *}: the value does not fit the option (found '${bad#* }', expected "
  [ "$(wc -l <err)" -eq 1 ] || fail "more than one line for $bad"
done
refuses 2 "--sampling: the value does not fit the option (found 'given', expected row-norm, \
uniform, mixed)" solve "${data[@]}" --method sgd --sampling given
refuses 2 "--intercept: the value does not fit the option (found 'maybe', expected true or false)" \
  solve "${data[@]}" --intercept=maybe

# Ignored is an error too.
refuses 2 "--batch: the method hbm does not use this option; leave it out, or choose a method \
that uses it with --method" solve "${data[@]}" --method hbm --batch 10
expect 2 "$POLYAK" solve "${data[@]}" --method rk --momentum 0.5
expect 2 "$POLYAK" solve "${data[@]}" --method cgls --lower 0
expect 2 "$POLYAK" solve "${data[@]}" --method ark --ridge 1
refuses 2 "--rows: the kind stacked does not use this option; leave it out" \
  generate stacked --rows 3 --output q

# Contradictions.
refuses 2 "-: only one input can be standard input" solve - -
refuses 2 "--rhs-column: the right-hand side is given twice (found b = p/b.npy, expected either a \
file b or --rhs-column)" solve "${data[@]}" --rhs-column 1
expect 2 "$POLYAK" solve p/A.npy
stderr_has "there is no right-hand side"

# Written in the many ways one may.
expect 0 "$POLYAK" solve --method=minibatch-hbm p/A.npy --batch 1e2 p/b.npy --report r.json --tol=1e-6
holds r.json 'r["used"]["batch"] == 100 and r["asked"]["tol"] == 1e-6'
expect 0 "$POLYAK" solve --quiet -- "${data[@]}"
expect 0 "$POLYAK" solve "${data[@]}" --method minibatch-hbm --batch auto --report r.json
holds r.json 'r["asked"]["batch"] == "auto" and r["used"]["batch"] > 1'

# Help knows every option and is not told off by what else is there.
for command in "" $commands; do
  expect 0 "$POLYAK" $command --help
  stdout_has "Usage: polyak"
  [ ! -s err ] || fail "help on standard error"
  awk 'length > 88 { exit 1 }' out || fail "help of '$command' is too wide"
done
expect 0 "$POLYAK" solve --bacth -h
for name in method batch step-size momentum lambda-min lambda-max spectrum gamma sampling tol \
  max-iterations max-passes time-limit seed threads precision ridge weights x0 reference output \
  report history config quiet log-format rhs-column intercept lower upper; do
  stdout_has "  --$name"
done
expect 0 "$POLYAK" --version
grep -qE '^polyak [0-9]+\.[0-9]+\.[0-9]+ ' out || fail "no version"
