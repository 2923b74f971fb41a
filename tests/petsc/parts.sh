# Each rank reads its own lines of a .csv and its own rows of a .petsc: x is that of the whole
# file, and an error names its position in the whole file.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
"$POLYAK" generate spectrum --rows 700 --cols 9 --noise 0.1 --seed 4 --output p --quiet
python - <<'PY'
import ast, struct
def read(name):
    data = open(name, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    shape = ast.literal_eval(data[10:10 + size].decode())["shape"]
    return struct.unpack("<%dd" % ((len(data) - 10 - size) // 8), data[10 + size:]), shape
A, (n, d) = read("p/A.npy")
b, _ = read("p/b.npy")
with open("table.csv", "w") as f:  # lines of very different lengths, comments, blank lines
    f.write(",".join("u%d" % j for j in range(d)) + ",goal\r\n")
    for i in range(n):
        row = [("%r" if i < n // 2 else "   %.17e    ") % v for v in A[i * d:(i + 1) * d]]
        f.write(",".join(row) + ",%r\n" % b[i])
        if i % 50 == 3:
            f.write("# a comment\n\n")
def big(values, code): return struct.pack(">%d%s" % (len(values), code), *values)
nonzero = [[j for j in range(d) if (i + j) % 3] for i in range(n)]  # and a row without any
nonzero[5] = []
flat = [(i, j) for i in range(n) for j in nonzero[i]]
for width, code in ((32, "i"), (64, "q")):
    with open("sparse%d.petsc" % width, "wb") as f:
        f.write(big([1211216, n, d, len(flat)] + [len(r) for r in nonzero] + [j for _, j in flat], code))
        f.write(big([A[i * d + j] for i, j in flat], "d") + big([1211214, n], code) + big(b, "d"))
    with open("dense%d.petsc" % width, "wb") as f:
        f.write(big([1211216, n, d, -1], code) + big(A, "d"))
with open("b.petsc", "wb") as f:
    f.write(big([1211214, n], "i") + big(b, "d"))
PY
same_answer() { # WORDS...
  local pairs=()
  "$POLYAK" solve "$@" --method direct --output x.npy --quiet
  for n in 1 2 3 4; do
    expect 0 ranks $n "$POLYAK-mpi" solve "$@" --method direct --output x$n.npy --report r$n.json --quiet
    grep -q '^ *"rows": 700,*$' r$n.json || fail "not 700 rows on $n ranks: $*"
    pairs+=(x$n.npy x.npy 1e-12)
  done
  near "${pairs[@]}"
}
same_answer table.csv --rhs-column goal
cp x.npy of_table.npy
same_answer table.csv --rhs-column goal --intercept --precision single
same_answer p/A.npy p/b.npy
near of_table.npy x.npy 1e-12
same_answer dense32.petsc b.petsc
near x.npy of_table.npy 1e-12
same_answer dense64.petsc p/b.npy
same_answer sparse32.petsc
cp x.npy of_sparse.npy
same_answer sparse64.petsc
same x.npy of_sparse.npy

# Of a .parquet in three row groups, with missing values.
cp "$POLYAK_SOURCE/tests/fuzz/corpus/parquet/dictionary" table.parquet
parquet=(table.parquet --rhs-column single --intercept --drop-nonfinite-rows --method direct)
"$POLYAK" solve "${parquet[@]}" --output x.npy --quiet
for n in 1 2 3 4; do
  expect 0 ranks $n "$POLYAK-mpi" solve "${parquet[@]}" --output x$n.npy --report r$n.json --quiet
  near x$n.npy x.npy 1e-10
done
expect 65 ranks 3 "$POLYAK-mpi" solve table.parquet --rhs-column single
one_line "a value is missing or not finite in column 6 (holes)"

# Dropped rows are dropped with their b and weight, on any rank; a rank may be left without
# rows.
sed '100s/^[^,]*/nan/; 600s/^[^,]*/nan/' table.csv >holes.csv
"$POLYAK" solve holes.csv --rhs-column goal --drop-nonfinite-rows --method direct --output x.npy --quiet
expect 0 ranks 3 "$POLYAK-mpi" solve holes.csv --rhs-column goal --drop-nonfinite-rows --method direct --output x3.npy
stderr_has "2 rows with NaN, Inf or an empty cell dropped"
near x3.npy x.npy 1e-12
python - <<'PY'
import struct
def holed(path, name, holes):  # makes numbers of a .npy NaN or Inf
    raw = bytearray(open(path, "rb").read())
    start = 10 + struct.unpack("<H", raw[8:10])[0]
    for k in holes:
        at = start + 8 * k if k >= 0 else len(raw) + 8 * k
        raw[at : at + 8] = struct.pack("<d", float("nan") if k % 2 else float("inf"))
    open(name, "wb").write(raw)
holed("p/A.npy", "hA.npy", [5 * 9 + 1])
holed("p/A.npy", "gone.npy", range(0, 9 * 240, 9))  # all rows of rank 0, and more
holed("p/b.npy", "hb.npy", [350])
raw = bytearray(open("p/b.npy", "rb").read())
for at in range(len(raw) - 8 * 700, len(raw), 8):
    raw[at : at + 8] = struct.pack("<d", 1.0 + at % 3)
open("w.npy", "wb").write(raw)
holed("w.npy", "w.npy", [-1])
PY
# Also if A and b are in one file.
python - <<'PY'
import struct
raw = bytearray(open("sparse32.petsc", "rb").read())
rows, _, entries = struct.unpack(">3i", raw[4:16])
values = 16 + 4 * (rows + entries)
for k in (7, entries // 2, entries - 1):
    raw[values + 8 * k : values + 8 * k + 8] = struct.pack(">d", float("nan"))
raw[-8:] = struct.pack(">d", float("inf"))
open("holes.petsc", "wb").write(raw)
PY
expect 0 "$POLYAK" solve holes.petsc --drop-nonfinite-rows --method direct --output x.npy --quiet
expect 0 ranks 3 "$POLYAK-mpi" solve holes.petsc --drop-nonfinite-rows --method direct --output x3.npy
stderr_has "3 rows with NaN, Inf or an empty cell dropped"
near x3.npy x.npy 1e-12
for A in hA.npy gone.npy; do
  holed="$A hb.npy --weights w.npy --drop-nonfinite-rows --method direct"
  expect 0 "$POLYAK" solve $holed --output x.npy --report one.json
  expect 0 ranks 3 "$POLYAK-mpi" solve $holed --output x3.npy --report three.json
  stderr_has "dropped"
  near x3.npy x.npy 1e-12
  python -c 'import json; one, three = (json.load(open(f)) for f in ("one.json", "three.json"))
assert one["row_products"] == three["row_products"] < 700, (one, three)' || fail "other rows were dropped"
done

# Errors name the file, the line and the column.
for line in 2 300 729; do
  sed "${line}s/^[^,]*/oops/" table.csv >bad.csv
  grep -n oops bad.csv >/dev/null || continue
  expect 65 ranks 3 "$POLYAK-mpi" solve bad.csv --rhs-column goal
  one_line "polyak: bad.csv:$line: not a number in column 1 (u0) (found 'oops', expected a number)"
done
expect 2 ranks 3 "$POLYAK-mpi" solve table.csv
one_line "there is no right-hand side"
expect 2 ranks 3 "$POLYAK-mpi" solve table.csv --rhs-column gaol
one_line "did you mean 'goal'?"
head -c 3000 sparse32.petsc >torn.petsc
expect 65 ranks 3 "$POLYAK-mpi" solve torn.petsc b.petsc
one_line "torn.petsc: the PETSc file ends before all its values"
head -1 table.csv >names.csv
expect 65 ranks 3 "$POLYAK-mpi" solve names.csv --rhs-column goal
one_line "the file has a header line but no rows"
head -200 table.csv >shorter.csv
expect 65 ranks 1 "$POLYAK-mpi" solve table.csv --rhs-column goal : -n 1 "$POLYAK-mpi" solve shorter.csv --rhs-column goal
one_line "the ranks read files of different lengths"
# Ranks with a file that can be read in parts and ranks with one that cannot: all read the whole.
"$POLYAK" convert table.csv whole.mtx --quiet
"$POLYAK" solve table.csv p/b.npy --method direct --output x.npy --quiet
expect 0 ranks 1 "$POLYAK-mpi" solve table.csv p/b.npy --method direct --output x2.npy --quiet : \
  -n 1 "$POLYAK-mpi" solve whole.mtx p/b.npy --method direct --quiet
near x2.npy x.npy 1e-12
