# generate, info and convert.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

for kind in spectrum sampling stacked gaussian; do
  size="--rows 2000 --cols 30"
  [ $kind != stacked ] || size=""
  expect 0 "$POLYAK" generate $kind $size --output "deep/er/$kind" --noise 0.1 --seed 4
  ls "deep/er/$kind" | tr '\n' ' ' >names
  grep -qE '^A\.(npy|mtx) b\.npy problem\.json x\.npy x_ls\.npy $' names || fail "$(cat names)"
  holds deep/er/$kind/problem.json "r['kind'] == '$kind' and r['seed'] == 4"
  holds deep/er/$kind/problem.json 'r["parameters"]["noise"] == 0.1 and 0 < r["residual_norm"] <= 0.1'
  # The command it suggests works, and finds what it should.
  sed -n 's/^Try: polyak //p' out >try
  expect 0 "$POLYAK" $(cat try) --report r.json --tol 1e-10
  holds r.json 'r["error"] < 1e-6'
done
exists deep/er/sampling/A.mtx deep/er/spectrum/A.npy
expect 0 "$POLYAK" generate sampling --rows 100 --cols 10 --dense --output dense
exists dense/A.npy
absent dense/x_ls.npy
expect 0 "$POLYAK" generate gaussian --rows 20 --cols 3 --output "it's here"
stdout_has "Try: polyak solve 'it'\\''s here/A.npy'"

# The same seed, the same bytes; another, others.
for name in a:1 b:1 c:2; do
  "$POLYAK" generate gaussian --rows 20 --cols 3 --seed ${name#*:} --output ${name%:*} --quiet
done
same a/A.npy b/A.npy
if cmp -s a/A.npy c/A.npy; then fail "seeds 1 and 2 give the same"; fi

# Varied: all from the seed.
expect 0 "$POLYAK" generate varied --seed 16 --output v
holds v/problem.json 'r["kind"] == "varied" and r["text"].startswith("polynomial, 63565 x 8")'
exists v/A.npy v/b.npy v/x.npy
absent v/x_ls.npy
expect 0 "$POLYAK" generate varied --seed 18 --output w
exists w/x_ls.npy
refuses 2 "--noise: the kind varied does not use this option; leave it out" \
  generate varied --noise 1 --output q
refuses 2 "--rows: the kind varied does not use this option; leave it out" \
  generate varied --rows 10 --output q

refuses 2 "generate: there is no such kind of problem (found 'spectrm', expected spectrum, \
sampling, stacked, gaussian, varied); did you mean spectrum?" generate spectrm --output q
refuses 2 "--output: the folder to write to is missing (expected DIR)" generate spectrum
expect 2 "$POLYAK" generate spectrum --rows 10 --cols 20 --output q
absent q
: >file
expect 74 "$POLYAK" generate gaussian --output file
stderr_has "polyak: --output file: the folder cannot be created"
expect 74 "$POLYAK" generate gaussian --output file/below
[ ! -s file ] || fail "the file was touched"

expect 0 "$POLYAK" info a/A.npy
stdout_has "shape      20 x 3"
"$POLYAK" info deep/er/sampling/A.mtx --json >info.json
holds info.json 'r["rows"] == 2000 and r["cols"] == 30 and 0 < r["nonzeros"] < 60000'
"$POLYAK" info - <a/A.npy >out
stdout_has "20 x 3"
refuses 66 "none.npy: cannot open the input (found No such file or directory)" info none.npy

# There and back again.
for ending in mtx mtx.gz csv csv.gz; do
  expect 0 "$POLYAK" convert a/A.npy A.$ending
  stdout_has "Wrote A.$ending"
  expect 0 "$POLYAK" convert A.$ending back.npy --quiet
  silent
  same a/A.npy back.npy
done
"$POLYAK" convert a/A.npy - | "$POLYAK" convert - piped.npy --quiet
same a/A.npy piped.npy
expect 0 "$POLYAK" convert a/A.npy single.npy --precision single
"$POLYAK" info single.npy | grep -q float || fail "not single"
printf '1,2\n3,nan\n5,6\n' >holes.csv
expect 0 "$POLYAK" convert holes.csv whole.csv --drop-nonfinite-rows
[ "$(wc -l <whole.csv)" -eq 2 ] || fail "the row was not dropped"
refuses 2 "OUT A.txt: the ending of the file name does not name a known format (expected .npy, .mtx, \
.mtx.gz, .csv, .csv.gz, .svm, .svm.gz)" convert a/A.npy A.txt
refuses 2 "a/A.npy: the output would replace the input; name another file" convert a/A.npy a/A.npy
no_leftovers
