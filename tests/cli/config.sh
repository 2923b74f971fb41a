# A config file holds options; the command line wins.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
solve=("$POLYAK" solve p/A.npy p/b.npy --report r.json)

cat >run.toml <<'END'
# an experiment
method = "minibatch-hbm"
batch = 100
tol = 1e-6
max_passes = 50.5     # underscores do as well
seed = 11
quiet = true
END
expect 0 "${solve[@]}" --config run.toml
silent
holds r.json 'r["method"] == "minibatch-hbm" and r["used"]["batch"] == 100 and r["seed"] == 11'
holds r.json 'r["asked"]["tol"] == 1e-6 and r["asked"]["max_passes"] == 50.5'
expect 0 "${solve[@]}" --batch 200 --config=run.toml --seed 12 --quiet=false
stdout_has "batch 200"
holds r.json 'r["used"]["batch"] == 200 and r["seed"] == 12 and r["asked"]["tol"] == 1e-6'
expect 0 "${solve[@]}" --config run.toml --batch auto
holds r.json 'r["asked"]["batch"] == "auto"'

# refused LINE TEXT...: that config is refused so.
refused() {
  local line=$1
  shift
  printf '%s\n' "$@" >bad.toml
  depth=2 refuses 2 "bad.toml:$line" solve p/A.npy p/b.npy --config bad.toml
}
refused '2: bacth: there is no such option; did you mean batch?' 'tol = 1e-3' 'bacth = 3'
refused '1: config: there is no such option; see polyak solve --help' 'config = "run.toml"'
refused "1: batch: the value does not fit the option (found '0', expected a whole number of \
at least 1 and at most 1099511627776)" 'batch = 0'
refused "1: tol: the value does not fit the option (found 'true', expected a number of at \
least 0 and below 1)" 'tol = true'
refused "1: intercept: the value does not fit the option (found '1', expected true or false)" \
  'intercept = 1'
refused '1: batch: an option takes one value (found a list or a date, expected a text, a number, true or false)' 'batch = [1, 2]'
refused '1: solve: there is no such option; see polyak solve --help' '[solve]' 'tol = 1e-3'
refused '2: max_passes: the option is given twice' 'max-passes = 1' 'max_passes = 2'
printf 'tol = \n' >bad.toml
expect 2 "${solve[@]}" --config bad.toml
stderr_has "polyak: bad.toml:1: the config file is not valid TOML (found "
expect 66 "${solve[@]}" --config p
stderr_has "polyak: p: the config file cannot be read (found Is a directory"
: >empty.toml
expect 0 "${solve[@]}" --config empty.toml

# An option the method ignores is an error from a file as well.
printf 'batch = 5\nmethod = "rk"\n' >bad.toml
expect 2 "${solve[@]}" --config bad.toml
stderr_has "--batch: the method rk does not use this option"

printf 'rows = 50\ncols = 3\nkappa = 5\noutput = "g"\n' >generate.toml
expect 0 "$POLYAK" generate spectrum --config generate.toml --cols 4
holds g/problem.json 'r["rows"] == 50 and r["cols"] == 4 and r["parameters"]["kappa"] == 5'
