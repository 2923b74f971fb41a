# --dry-run tells what a solve would do; what does not fit into memory is refused.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

# A matrix of holes, two gigabytes that take no room on the disk and must not be read.
python - <<'PY'
def npy(name, rows, cols, order=False):
    header = f"{{'descr': '<f8', 'fortran_order': {order}, 'shape': ({rows}, {cols}), }}"
    header = header.ljust(117) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        f.truncate(f.tell() + 8 * rows * cols)
npy("A.npy", 1 << 21, 128)
npy("b.npy", 1 << 21, 1)
npy("F.npy", 1 << 21, 128, True)
npy("wide.npy", 10, 1000000)
npy("wide_b.npy", 10, 1)
PY
data=(A.npy b.npy)
expect 0 "$POLYAK" solve "${data[@]}" --dry-run --output x.npy
stdout_has "A          2097152 x 128, 268435456 entries, dense, double, mapped: 2.15 GB"
stdout_has "With --method auto: a look at "
grep -qE '^  1 normal +[0-9.]+ +[0-9.]+ MB  ' out || fail "no first method"
grep -qE '^  - rk  ' out || fail "no word about rk"
absent x.npy
expect 0 "$POLYAK" solve "${data[@]}" --dry-run --log-format json
cp out dry.json
holds dry.json 'r["rows"] == 2097152 and r["memory"]["A"] == 8 * 2**28 and r["mapped"]'
holds dry.json 'r["memory"]["needed"] < 2**28 and r["memory"]["fits"]'
holds dry.json '[s["method"] for s in r["automatic"]["steps"]][0] == "normal"'
holds dry.json 'all(s["memory_bytes"] > 0 for s in r["automatic"]["steps"])'
# In memory where it cannot be used as it lies.
expect 0 "$POLYAK" solve F.npy b.npy --dry-run --log-format json
cp out dry.json
holds dry.json 'not r["mapped"] and r["memory"]["needed"] > 8 * 2**28'
expect 0 "$POLYAK" solve "${data[@]}" --dry-run --method lsqr --precision single
stdout_has "dense, single: 1.07 GB"
stdout_has "method     lsqr"

# The same mistakes are mistakes in a dry run.
expect 2 "$POLYAK" solve "${data[@]}" --dry-run --method hbm --batch 3
expect 66 "$POLYAK" solve nothing.npy b.npy --dry-run
refuses 65 "b: A and b do not have the same number of rows (found A 2097152 x 128 and b 10 x 1, \
expected 2097152 rows in b)" solve A.npy wide_b.npy --dry-run
refuses 2 "--dry-run: standard input can be read only once, and a dry run would use it up; give a \
file" solve - b.npy --dry-run

# Refused before anything is read; nothing is left behind.
expect 71 "$POLYAK" solve F.npy b.npy --memory 1e9 --output x.npy
stderr_is "polyak: F.npy: the problem needs more memory than there is (found about 2.16 GB, expected at \
most 1 GB); polyak convert makes an .npy file, which is not read into memory; --dry-run shows the details, --memory \
BYTES sets another limit"
expect 71 "$POLYAK" solve wide.npy wide_b.npy --method normal --output x.npy
stderr_has "the problem needs more memory than there is (found about 32 TB"
stderr_has "--method lsqr needs the least"
expect 0 "$POLYAK" solve wide.npy wide_b.npy --method normal --dry-run
stdout_has "The problem does not fit into memory: solve refuses it unless --memory allows more."
absent x.npy
no_leftovers
# A limit that holds what is needed changes nothing.
small_problem
expect 0 "$POLYAK" solve p/A.npy p/b.npy --output one.npy --quiet
expect 0 "$POLYAK" solve p/A.npy p/b.npy --output two.npy --quiet --memory 1e7
same one.npy two.npy
expect 71 "$POLYAK" solve p/A.npy p/b.npy --output x.npy --memory 1000

# An HDF5 file with arrays A and b is a system by itself.
cp "$POLYAK_SOURCE/tests/data/files/system.h5" .
expect 0 "$POLYAK" solve system.h5 --dry-run --log-format json
cp out dry.json
expect 0 "$POLYAK" solve system.h5 --report r.json --quiet
[ "$(value dry.json 'r["rows"], r["cols"]')" = "$(value r.json 'r["rows"], r["cols"]')" ] ||
  fail "another shape than the run had"

# A table with a header line: the right-hand side leaves A, the ones join it.
printf 'a,b,c\n1,2,3\n4,5,7\n6,8,9\n' >t.csv
expect 0 "$POLYAK" solve t.csv --rhs-column c --intercept --dry-run --log-format json
cp out dry.json
holds dry.json 'r["rows"] == 3 and r["cols"] == 3 and r["memory"]["A"] == 72'
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 1\n2 2 1\n' >s.mtx
expect 0 "$POLYAK" solve s.mtx t.csv --dry-run --log-format json
cp out dry.json
holds dry.json 'r["nnz"] == 2 and r["right_hand_sides"] == 3 and r["memory"]["A"] == 2 * 12 + 4 * 8'
