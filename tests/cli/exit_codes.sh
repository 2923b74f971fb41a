# Each way a run can end has its exit code, and an answer where there is one.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
solve=("$POLYAK" solve p/A.npy p/b.npy)

expect 0 "${solve[@]}" --output x.npy
stdout_has "Converged: "

# 3: a limit, with the answer so far.
expect 3 "${solve[@]}" --method gd --max-iterations 2 --output limit.npy --report limit.json
stdout_has "Not converged: iteration limit of 2 reached"
holds limit.json 'r["status"] == "limit" and r["iterations"] == 2'
exists limit.npy
expect 3 "${solve[@]}" --method gd --tol 0 --time-limit 0.05 --report time.json
stdout_has "Not converged: time limit of 0.05 s reached"
expect 3 "${solve[@]}" --method rk --tol 1e-14 --max-passes 0.5
stdout_has "Not converged: limit of 0.5 passes reached"

# 3: stagnated, on noise that single rows cannot average out.
"$POLYAK" generate spectrum --rows 500 --cols 8 --noise 1 --output noisy --quiet
expect 3 "$POLYAK" solve noisy/A.npy noisy/b.npy --method rk --report horizon.json --output h.npy
stdout_has "Stagnated: convergence horizon"
holds horizon.json 'r["status"] == "stagnated"'
exists h.npy

# 4: diverged; x is the best finite iterate.
expect 4 "${solve[@]}" --method gd --step-size 10 --output far.csv --report far.json
stdout_has "Diverged: "
holds far.json 'r["status"] == "diverged"'
python -c 'import math; assert all(math.isfinite(float(line)) for line in open("far.csv"))'
expect 4 "${solve[@]}" --method gd --step-size 10 --quiet
stderr_has "polyak: diverged: "

# 65: bad data.
refuses 65 "b: A and b do not have the same number of rows (found A 500 x 8 and b 8 x 1, expected \
500 rows in b)" solve p/A.npy p/x.npy
refuses 65 "x0: the vector does not fit the problem (found 500 x 1, expected 8 x 1)" \
  solve p/A.npy p/b.npy --x0 p/b.npy
# The x of one unknown and several right-hand sides is a row, which is read again as a start.
printf '1\n2\n4\n' >one.csv
printf '1,2,3\n2,5,6\n4,8,11\n' >three.csv
expect 0 "$POLYAK" solve one.csv three.csv --output one_x.npy --quiet
expect 0 "$POLYAK" solve one.csv three.csv --x0 one_x.npy --reference one_x.npy --quiet
printf 'a,b\n1,2\n3,nan\n' >nan.csv
expect 65 "$POLYAK" solve nan.csv --rhs-column b
stderr_has "nan.csv"
head -c 1000 p/A.npy >cut.npy
expect 65 "$POLYAK" solve cut.npy p/b.npy
stderr_has "cut.npy"

# A header that claims the world in a few bytes is refused before memory is.
printf '%%%%MatrixMarket matrix coordinate real general\n4611686018427387904 2 1\n1 1 1\n' >huge.mtx
expect 65 "$POLYAK" solve huge.mtx p/b.npy
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"

# 66: no such input.
refuses 66 "none.npy: cannot open the input (found No such file or directory)" solve none.npy p/b.npy
refuses 66 "none.npy: cannot open the input (found No such file or directory)" solve p/A.npy none.npy
expect 66 "${solve[@]}" --config none.toml
stderr_has "none.toml: the config file cannot be read (found No such file or directory"

no_leftovers
