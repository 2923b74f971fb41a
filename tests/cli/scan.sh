# polyak tomography reconstruct on what detectors write: counts with flat and
# dark fields in several formats, the rotation axis unknown; and polyak info,
# convert and solve on the same kinds of files.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
files=$POLYAK_SOURCE/tests/data/files

# A scan of two slices, off centre, as counts: 20 + 4000 exp(-p/20), the flat
# field being 4020 and the dark one 20, one element dead, one ray without light.
scan=(--size 64 --angles 0:180:90)
expect 0 "$POLYAK" tomography project shepp-logan "${scan[@]}" --detectors 96 --center 44.7 \
  --projector strip --output p0.npy --save-image x.npy
expect 0 "$POLYAK" tomography project walnut "${scan[@]}" --detectors 96 --center 44.7 \
  --projector strip --output p1.npy
cat >make.py <<'PY'
import math, struct
V, D = 90, 96
def load(name):
    return struct.unpack("<%dd" % (V * D), open(name, "rb").read()[128:])
def save(name, shape, values, code="d", descr="<f8"):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s}" % (descr, tuple(shape))
    body = struct.pack("<%d%s" % (len(values), code), *values)
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n" + body)
p = [load("p0.npy"), load("p1.npy")]
count = lambda s, v, k: 20 + 4000 * math.exp(-p[s][v * D + k] / 20)
projections = [count(s, v, k) for v in range(V) for s in range(2) for k in range(D)]
sinograms = [count(s, v, k) for s in range(2) for v in range(V) for k in range(D)]
x = struct.unpack("<4096d", open("x.npy", "rb").read()[128:])
save("x20.npy", (64, 64), [v / 20 for v in x])
save("counts.npy", (V, 2, D), projections)
save("sinograms.npy", (2, V, D), sinograms)
save("whole.npy", (V, 2, D), [round(c) for c in projections], "H", "<u2")
save("flat.npy", (3, 2, D), [f for f in (4019, 4020, 4021) for _ in range(2 * D)])
save("dark.npy", (1, 2, D), [20] * (2 * D))
save("off.npy", (3, 2, D), [20] * (6 * D))
save("dead.npy", (1, 2, D), [20 if k == 30 else 4020 for _ in range(2) for k in range(D)])
blind = list(projections); blind[40] = 3; save("blind.npy", (V, 2, D), blind)
bad = list(projections); bad[2 * D * 5 + 7] = -1; save("negative.npy", (V, 2, D), bad)
bad[2 * D * 5 + 7] = float("nan"); save("nan.npy", (V, 2, D), bad)
save("theta.npy", (V,), [2.0 * v for v in range(V)])
save("short.npy", (V - 1,), [2.0 * v for v in range(V - 1)])
save("cube.npy", (D, D, D), [0.0] * D ** 3)
save("empty.npy", (V, 0, D), [])
PY
python make.py
fields=(--flat flat.npy --dark dark.npy)
run() { expect "${code:-0}" "$POLYAK" tomography reconstruct "$@" --report r.json; }

# centered_at C: the centre that was told lies within a twentieth of that.
centered_at() {
  awk -v want="$1" '$1 == "center" && $4 == 96 { d = $2 - want; found = d * d < 0.0025 }
    END { exit !found }' err || fail "not centered at $1"
}

# The axis is found, and the image is as good as that of the line integrals.
run p0.npy "${scan[@]}" --center 44.7 --reference x.npy
plain=$(value r.json 'r["error"]')
run counts.npy "${scan[@]}" "${fields[@]}" --center auto --slices 0:1 --reference x20.npy
centered_at 44.7
holds r.json "r['error'] < 1.1 * $plain and r['rows'] == 90 * 96"
run sinograms.npy --size 64 --angles theta.npy "${fields[@]}" --center auto --slices 0:1 --output a.npy
run counts.npy "${scan[@]}" "${fields[@]}" --center auto --slices 0:1 --output b.npy
same a.npy b.npy
run whole.npy "${scan[@]}" "${fields[@]}" --center auto --output two.tif
expect 0 "$POLYAK" info two.tif
stdout_has "shape 2 x 64 x 64"

# Joined elements: spacing, centre and pixels follow.
run counts.npy --size 32 --angles 0:180:90 "${fields[@]}" --center auto --bin 2 --slices 0:1
centered_at 44.7
holds r.json 'r["tomography"]["detectors"] == 48 and r["tomography"]["pixel"] == 2'
run counts.npy --size 20 --angles 0:180:90 "${fields[@]}" --center auto --bin 5 --slices 0:1
centered_at 44.7
holds r.json 'r["tomography"]["detectors"] == 19'

# Rays that hold nothing are left out, and said so.
run blind.npy "${scan[@]}" "${fields[@]}" --center 44.7 --slices 0:1 --reference x20.npy
stderr_has "warning: 1 rays of 8640 have no positive transmission and are left out"
holds r.json "r['tomography']['masked_rays'] == 1 and r['error'] < 1.1 * $plain"
run counts.npy "${scan[@]}" --flat dead.npy --dark dark.npy --center 44.7 --slices 0:1 --reference x20.npy
stderr_has "1 elements, over all slices, have a flat field not above the dark field"
holds r.json "r['tomography']['masked_rays'] == 90 and r['error'] < 1.3 * $plain"
run blind.npy "${scan[@]}" "${fields[@]}" --center 44.7 --method fbp

# TIFF: one page, and a folder of projections by number.
expect 0 "$POLYAK" tomography project disc --size 32 --angles 0:180:12 --detectors 40 --output s.tif
run s.tif --size 32 --angles 0:180:12 --output t.npy
mkdir pages
for k in 8 9 10 11; do
  expect 0 "$POLYAK" tomography project disc --size 16 --angles $k:180:2 --detectors 20 \
    --output pages/view_$k.tif
done
run pages --size 16 --angles 0:180:4 --order projections --slices 1:2 --method fbp
run 'pages/view_*.tif' --size 16 --angles 0:180:2 --order sinograms --method fbp

# Layouts that are known, angles included.
run "$files/exchange.h5" --size 4 --method fbp --slices 1:2
holds r.json 'r["tomography"]["views"] == 3'
run "$files/tomo.nxs" --size 4 --method fbp
holds r.json 'r["tomography"]["views"] == 3'
run "$files/exchange.h5:/exchange/data" --angles 0:180:3 --size 4 --log no --method fbp

# Bad input: one line, exit code 65, nothing written.
rm -f bad.npy
bad() {
  local want=$1
  shift
  expect "$want" "$POLYAK" tomography reconstruct "$@" --output bad.npy
  [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $*"
  absent bad.npy
}
bad 65 counts.npy --size 64 --angles short.npy "${fields[@]}"
stderr_has "the stack does not fit the geometry (found 90 x 2 x 96, expected 89 angles, 96 detectors)"
bad 65 "$files/exchange.h5" --size 4 --angles 0:180:4
stderr_has "there is not one angle for each view (found 4 angles, expected 3 views)"
bad 65 negative.npy "${scan[@]}" "${fields[@]}"
stderr_has "negative.npy, slice 1, view 6, element 8 (counted from 1): a count is negative (found -1"
bad 65 nan.npy "${scan[@]}" "${fields[@]}"
stderr_has "slice 1, view 6, element 8 (counted from 1): a count is not finite"
bad 65 counts.npy "${scan[@]}" --flat off.npy --dark dark.npy
stderr_has "the flat field is nowhere above the dark field"
bad 65 counts.npy "${scan[@]}" --flat x.npy
stderr_has "the field does not fit the scan"
bad 65 empty.npy "${scan[@]}"
bad 65 counts.npy --size 0 --angles 0:180:90 "${fields[@]}"
stderr_has "the image has no pixels"
bad 65 counts.npy "${scan[@]}" "${fields[@]}" --center 5000
stderr_has "the object lies off the detector"
bad 65 "$files/v7.mat" --size 4
stderr_has "the layout of the file is not known (found A (4 x 3, float), S (4 x 3, sparse double)"
bad 65 cube.npy --size 64 --angles 0:180:96
stderr_has "give --order projections or --order sinograms"
bad 65 p0.npy --size 64 --angles 0:90:90 --center auto
stderr_has "--center auto: the views do not go round far enough"
head -c 2000 "$files/exchange.h5" >cut.h5
bad 65 cut.h5 --size 4
stderr_has "not an HDF5 file, or truncated"
bad 66 nowhere.h5 --size 4
bad 66 'pages/none_*.tif' --size 4
bad 2 counts.npy "${scan[@]}" "${fields[@]}" --slices 1:3
bad 2 counts.npy "${scan[@]}" "${fields[@]}" --log no
bad 2 counts.npy "${scan[@]}" "${fields[@]}" --bin 97
bad 2 counts.npy "${scan[@]}" "${fields[@]}" --beam fan --center auto
expect 2 "$POLYAK" tomography matrix "${scan[@]}" --detectors 96 --center auto
stderr_has "the axis can be found only in a scan"

# info, convert and solve.
expect 0 "$POLYAK" info "$files/exchange.h5"
stdout_has "/exchange/data (3 x 2 x 4, uint16)"
expect 0 "$POLYAK" info "$files/v5.mat" --json
stdout_has '"name": "S"'
expect 0 "$POLYAK" convert "$files/packed.h5:/x/y" y.csv
[ "$(head -1 y.csv)" = "-8,-6,-4" ] || fail "not what h5py wrote"
expect 0 "$POLYAK" convert "$files/v7.mat:S" S.mtx
grep -qx "3 1 2" S.mtx || fail "not what SciPy wrote"
expect 0 "$POLYAK" solve "$files/system.h5" --output x1.csv --quiet
expect 0 "$POLYAK" solve "$files/v5.mat" --output x2.csv --quiet
expect 0 "$POLYAK" solve "$files/v5.mat:A" "$files/system.h5:/b" --output x3.csv --quiet
same x1.csv x2.csv
same x1.csv x3.csv
expect 65 "$POLYAK" convert "$files/v7.mat" y.csv
stderr_has "name one: $files/v7.mat:A"
expect 65 "$POLYAK" convert "$files/v5.mat:z" z.csv
stderr_has "complex"
absent z.csv
expect 2 "$POLYAK" convert y.csv y.h5
no_leftovers
