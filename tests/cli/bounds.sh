# Bounds: numbers, files, inf, and what is refused.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

# x = (7/6, 0) with x2 >= 0; without bounds x2 is negative.
printf '1,0,1\n0,1,-2\n1,1,0\n2,1,3\n' >t.csv
data=(t.csv --rhs-column 3)
expect 0 "$POLYAK" solve "${data[@]}" --lower 0 --output x.csv --report r.json
stdout_has "active-set"
holds r.json 'r["method"] == "active-set" and r["iterations"] == 1 and r["used"]["rank"] == 2'
python -c 'a, b = map(float, open("x.csv")); assert abs(a - 7 / 6) < 1e-14 and b == 0'

# -inf and inf are no bound, in files and as numbers, with and without a sign.
printf -- '-inf\n0\n' >lower.csv
printf 'inf\n+Inf\n' >upper.csv
printf '%%%%MatrixMarket matrix array real general\n2 1\n-inf\n0\n' >lower.mtx
for lower in lower.csv lower.mtx; do
  expect 0 "$POLYAK" solve "${data[@]}" --lower $lower --upper upper.csv --output y.csv --quiet
  python -c 'a, b = map(float, open("y.csv")); assert abs(a - 7 / 6) < 1e-14 and b == 0'
done
expect 0 "$POLYAK" solve "${data[@]}" --output free.npy --quiet
expect 0 "$POLYAK" solve "${data[@]}" --lower -inf --upper inf --method normal --output none.npy --quiet
same free.npy none.npy
expect 0 "$POLYAK" solve "${data[@]}" --lower -inf --upper 0.5 --output - --quiet

# Several right-hand sides, weights of zero, a ridge, a start, single precision.
printf '1,1\n-2,0\n0,-1\n3,1\n' >b.csv
printf '1,0\n0,1\n1,1\n2,1\n' >A.csv
printf '1\n0\n2\n1\n' >w.csv
printf '5,5\n-5,5\n' >x0.csv
for method in active-set bounded-cg auto; do
  expect 0 "$POLYAK" solve A.csv b.csv --lower 0 --upper 1 --weights w.csv --ridge 0.25 --x0 x0.csv \
    --method $method --output x-$method.npy --quiet
  expect 0 "$POLYAK" solve A.csv b.csv --lower 0 --upper 1 --weights w.csv --ridge 0.25 \
    --method active-set --reference x-$method.npy --report r.json --quiet
  holds r.json 'r["error"] < 1e-7'
done
expect 0 "$POLYAK" solve A.csv b.csv --lower 0 --precision single --quiet --output -

# Columns that depend on each other are told.
printf '1,1,1\n2,2,2\n3,3,1\n' >equal.csv
expect 0 "$POLYAK" solve equal.csv --rhs-column 3 --lower 0 --report r.json --quiet
holds r.json 'any("rank 1 of 2" in w and "bounds" in w for w in r["warnings"])'

# Refused: what no x can meet, what is no number, and methods that know no bounds.
refuses 65 "bounds, column 1: no number lies between the bounds (found inf and inf, expected a lower bound below inf and an upper bound above -inf)" \
  solve "${data[@]}" --lower inf
refuses 65 "bounds, column 1: the lower bound is not below the upper one (found 1.000000 and 0.000000, expected lower <= upper)" \
  solve "${data[@]}" --lower 1 --upper 0
printf '0\nnan\n' >bad.csv
refuses 65 "bounds, column 2: a bound is not a number (found nan and inf, expected numbers, or -inf and inf for none)" \
  solve "${data[@]}" --lower bad.csv
refuses 2 "--method: the method lsqr cannot handle bounds; try active-set or bounded-cg" \
  solve "${data[@]}" --lower 0 --method lsqr
expect 0 "$POLYAK" solve "${data[@]}" --lower 0 --dry-run
stdout_has "active-set"
