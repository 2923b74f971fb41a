# Tables: a right-hand side among the columns, names, labels, standard input.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

# price = 1 + 2 size - 3 rooms, exactly.
cat >houses.csv <<'END'
size,rooms,price
50,2,95
60,3,112
80,3,152
100,4,189
40,1,78
END
expect 0 "$POLYAK" solve houses.csv --rhs-column price --intercept --output x.csv --report r.json
stdout_has "size"
grep -qE '^  intercept +1$' out || fail "no table of coefficients"
holds r.json 'r["rows"] == 5 and r["cols"] == 3 and r["seconds"]["read"] > 0'
holds r.json 'r["seconds"]["total"] >= r["seconds"]["read"] + r["seconds"]["solve"]'
python - <<'PY'
import csv
rows = list(csv.DictReader(open("x.csv")))
assert [r["name"] for r in rows] == ["size", "rooms", "intercept"], rows
for row, true in zip(rows, (2, -3, 1)):
    assert abs(float(row["value"]) - true) < 1e-9, row
PY

# Columns that depend on each other are told by name, the intercept among them.
cat >levels.csv <<'END'
east,west,size,feet,price
1,0,50,164,95
0,1,60,196.8,112
1,0,80,262.4,152
0,1,100,328,189
1,0,40,131.2,78
1,0,70,229.6,130
END
expect 0 "$POLYAK" solve levels.csv --rhs-column price --intercept
grep -qE '^  dependent  (east|west) depends on intercept, (east|west); (size|feet) depends on (size|feet)$' out ||
  fail "the dependent columns are not named"

# By number, without a header line, from standard input: the same numbers.
sed 1d houses.csv >plain.csv
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --intercept --output plain.npy --quiet
silent
"$POLYAK" solve - --rhs-column price --intercept --output stdin.npy --quiet <houses.csv
same plain.npy stdin.npy
refuses 2 "houses.csv: there is no such column (found 'prize', expected the name of a column \
or a number from 1 to 3); did you mean 'price'?" solve houses.csv --rhs-column prize
expect 0 "$POLYAK" info houses.csv
stdout_has "columns    size, rooms, price"

# Columns that are no numbers are left out by name, by number or by pattern; the message says which.
cat >mixed.csv <<'END'
id,city,size,rooms,sold,price
a1,Berlin,50,2,2020-01-01,95
a2,"Rome, Italy",60,3,2021-05-05,112
a3,,80,3,,152
a4,Oslo,100,4,2022-02-02,189
a5,Bern,40,1,2022-02-03,78
END
refuses 65 "mixed.csv:2: not a number in column 1 (id) (found 'a1', expected a number); \
--drop id,city,sold leaves out what is not a number in this line" \
  solve mixed.csv --rhs-column price --intercept
for options in "--drop id,city,sold" "--columns size,rooms" "--columns 3,4" "--columns s*,rooms --drop sold"; do
  expect 0 "$POLYAK" solve mixed.csv --rhs-column price --intercept $options --output chosen.csv --quiet
  same chosen.csv x.csv
  cat mixed.csv | "$POLYAK" solve - --rhs-column price --intercept $options --output chosen.csv --quiet
  same chosen.csv x.csv
done
expect 0 "$POLYAK" solve mixed.csv --rhs-column price --drop id,city,sold --dry-run
stdout_has "5 x 2"
expect 0 "$POLYAK" convert mixed.csv sizes.npy --columns size,rooms --quiet
expect 0 "$POLYAK" info sizes.npy
stdout_has "5 x 2"
refuses 2 "mixed.csv: no column has such a name (found --columns z*); polyak info lists the columns" \
  solve mixed.csv --rhs-column price --columns 'z*'
refuses 2 "mixed.csv: no column is left" solve mixed.csv --rhs-column price --columns price
expect 2 "$POLYAK" solve sizes.npy sizes.npy --columns 1
stderr_has "--columns does not apply to this file"

# What was written with names is read without them: start there, and be done.
expect 0 "$POLYAK" solve houses.csv --rhs-column price --intercept --x0 x.csv --reference x.csv \
  --method cgls --report r.json
holds r.json 'r["iterations"] == 0 and r["error"] == 0'

# x on standard output moves the summary away.
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --output -
[ "$(wc -l <out)" -eq 2 ] || fail "more than x on standard output"
stderr_has "Converged: "
refuses 2 "-: two outputs go to the same place; name another file" \
  solve plain.csv --rhs-column 3 --output - --report -

# Rows with holes are refused, or dropped and counted; with them b and weights.
printf '60,,112\n70,2,inf\n' | cat plain.csv - >holes.csv
expect 65 "$POLYAK" solve holes.csv --rhs-column 3
stderr_has "polyak: holes.csv:6: "
expect 0 "$POLYAK" solve holes.csv --rhs-column 3 --intercept --drop-nonfinite-rows \
  --output dropped.npy --report r.json
stderr_is "polyak: warning: 2 rows with NaN, Inf or an empty cell dropped"
holds r.json 'r["rows"] == 5 and "2 rows" in r["warnings"][0]'
same plain.npy dropped.npy
cut -d, -f1,2 holes.csv >A.csv
cut -d, -f3 holes.csv >b.csv
printf '1\n1\n1\n1\nnan\n1\n1\n' >w.csv
expect 0 "$POLYAK" solve A.csv b.csv --intercept --drop-nonfinite-rows --weights w.csv --report r.json
holds r.json 'r["rows"] == 4 and r["relative_residual"] < 1e-12'

# Weights, ridge, bounds.
printf '1\n1\n1\n1\n1\n' >ones.csv
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --weights ones.csv --ridge 0.5 --output - --quiet
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --lower 0 --upper 1.5 --output bounded.csv --quiet
python -c 'assert all(0 <= float(line) <= 1.5 for line in open("bounded.csv"))'
printf '0\n-1\n' >lower.csv
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --lower lower.csv --output bounded.csv --quiet
python -c 'a, b = open("bounded.csv"); assert float(a) >= 0 and float(b) >= -1'

# SVMlight: labels are b.
printf '95 1:50 2:2\n112 1:60 2:3\n152 1:80 2:3\n189 1:100 2:4\n78 1:40 2:1\n' >houses.svm
expect 0 "$POLYAK" solve houses.svm --intercept --output svm.npy --quiet
expect 0 "$POLYAK" convert houses.svm labels.csv
expect 0 "$POLYAK" solve labels.csv --rhs-column 3 --intercept --reference svm.npy --report r.json
holds r.json 'r["error"] < 1e-10'

# Single precision is a choice; so is what repeated entries do.
expect 0 "$POLYAK" solve plain.csv --rhs-column 3 --precision single --report r.json
holds r.json 'r["matrix"] == "dense, single"'
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 3\n1 1 1\n2 1 1\n2 1 1\n' >twice.mtx
printf '1\n2\n' >rhs.csv
expect 0 "$POLYAK" solve twice.mtx rhs.csv --output - --quiet
python -c 'x, = open("out"); assert abs(float(x) - 1) < 1e-12'
expect 65 "$POLYAK" solve twice.mtx rhs.csv --duplicates error
