# polyak tomography: matrix, project, reconstruct, and what they refuse.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

scan=(--size 32 --angles 0:180:60 --detectors 48)
expect 0 "$POLYAK" tomography matrix --angles 0:360:720 --detectors 128 --size 64 --report m.json
stdout_has "92160 x 4096, 3754632 entries; 33480 of the rays meet no pixel, 29340 repeat"
holds m.json 'r["zero_rays"] == 33480 and r["duplicate_rays"] == 29340'
expect 0 "$POLYAK" tomography matrix "${scan[@]}" --output A.mtx
expect 0 "$POLYAK" tomography matrix "${scan[@]}" --output A.npz
python -c 'import zipfile; assert zipfile.ZipFile("A.npz").testzip() is None'
if /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
  /usr/bin/python3 - <<'PY' || fail "SciPy sees another matrix"
import scipy.io, scipy.sparse
A, B = scipy.sparse.load_npz("A.npz"), scipy.io.mmread("A.mtx").tocsr()
assert A.format == "csr" and A.shape == B.shape == (2880, 1024) and A.has_canonical_format
assert A.nnz == B.nnz and (A != B).nnz == 0
PY
fi
expect 0 "$POLYAK" info A.mtx
stdout_has "2880"

# The matrix and the projector agree: solve and reconstruct see one problem.
expect 0 "$POLYAK" tomography project walnut "${scan[@]}" --seed 3 --output s.npy \
  --save-image x.npy
stdout_has "Wrote s.npy: 60 views x 48 elements"
for output in i.npy i.png i.tif i.csv; do
  expect 0 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --reference x.npy --output $output \
    --report r.json --history h.csv --residual res.npy
  stdout_has "held-out rays"
  exists $output
done
holds r.json 'r["status"] == "converged" and r["error"] < 0.2 and r["rows"] == 2880'
holds r.json 'r["method"] == "tv" and r["tomography"]["views"] == 60'
holds r.json 'r["tomography"]["noise"] > 0 and r["tomography"]["held_out_rays"] > 100'
[ "$(head -c 4 i.png | tail -c 3)" = PNG ] || fail "no picture"
[ "$(head -c 2 i.tif)" = II ] || fail "no TIFF"
[ "$(wc -l <i.csv)" -eq 32 ] || fail "not 32 rows"
cp i.npy one.npy
for threads in 1 2 3; do
  expect 0 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --output i.npy --threads $threads
  same i.npy one.npy
done
for method in minibatch-hbm minibatch-nag rk kaczmarz hbm cgls lsqr sirt sart; do
  expect 3 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --reference x.npy --method $method \
    --max-passes 30 --report r.json
  holds r.json 'r["error"] < 0.6'
done
expect 0 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --method fbp --filter hann
expect 3 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --method sirt --plateau 0.02
stdout_has "stagnated"
expect 0 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --method auto --output i.npy
same i.npy one.npy

# A number is so many views, over half a turn or, for a fan, a whole one.
expect 0 "$POLYAK" tomography reconstruct s.npy --size 32 --angles 60 --output i.npy
same i.npy one.npy
expect 0 "$POLYAK" tomography matrix --beam fan --source-distance 80 --detector-distance 40 \
  --angles 90 --detectors 48 --size 32 --output count.mtx
expect 0 "$POLYAK" tomography matrix --beam fan --source-distance 80 --detector-distance 40 \
  --angles 0:360:90 --detectors 48 --size 32 --output turn.mtx
same count.mtx turn.mtx

# A finer grid: other data, the same phantom, whose pixels are means.
expect 0 "$POLYAK" tomography project walnut "${scan[@]}" --seed 3 --finer 4 --output fine.npy \
  --save-image xf.npy
if cmp -s fine.npy s.npy; then fail "a finer grid makes no difference"; fi
expect 0 "$POLYAK" tomography reconstruct fine.npy "${scan[@]}" --reference x.npy --report r.json
holds r.json 'r["error"] < 0.2'
expect 0 "$POLYAK" tomography project shapes "${scan[@]}" --exact --output shapes.npy

# Several slices, images on the way, noise, weights, a mask that hides a NaN.
expect 0 "$POLYAK" tomography project shepp-logan "${scan[@]}" --exact --photons 1e4 \
  --attenuation 0.05 --output noisy.npy
python - <<'PY'
import struct
def load(name):
    data = open(name, "rb").read()
    return data[128:]
def save(name, rows, cols, body):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n" + body)
a, b = load("s.npy"), load("noisy.npy")
save("stack.npy", 120, 48, a + b)
values = bytearray(a)
values[80:88] = struct.pack("<d", float("nan"))
save("nan.npy", 60, 48, bytes(values))
save("mask.npy", 60, 48, struct.pack("<2880d", *[float(k != 10) for k in range(2880)]))
save("ones.npy", 60, 48, struct.pack("<2880d", *[1.0] * 2880))
PY
expect 3 "$POLYAK" tomography reconstruct stack.npy "${scan[@]}" --max-passes 5 --output st.npy
expect 3 "$POLYAK" tomography reconstruct stack.npy "${scan[@]}" --max-passes 5 --slices 1:2 \
  --output st1.npy
expect 3 "$POLYAK" tomography reconstruct stack.npy "${scan[@]}" --max-passes 5 --memory 1 \
  --output apart.npy --residual apart.tif --report r.json --images way.npy --image-every 5
stdout_has "2 slices in 2 groups"
same apart.npy st.npy
holds r.json 'r["tomography"]["slice_groups"] == 2 and "2 groups of slices" in r["reason"]'
exists way-5-slice0.npy way-5-slice1.npy
expect 3 "$POLYAK" tomography reconstruct stack.npy "${scan[@]}" --max-passes 5 --output st.tif
python - <<'PY' || fail "a stack is not what it should be"
import struct
def npy(name):
    data = open(name, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return eval(data[10:start])["shape"], data[start:]
def pages(name):  # of a TIFF: the sizes in its directories, one after the other
    data, out = open(name, "rb").read(), []
    at = struct.unpack("<I", data[4:8])[0]
    while at:
        count = struct.unpack("<H", data[at:at + 2])[0]
        tags = {}
        for k in range(count):
            tag, kind, _, value = struct.unpack("<HHII", data[at + 2 + 12 * k:at + 14 + 12 * k])
            tags[tag] = value & 0xffff if kind == 3 else value
        out.append((tags[257], tags[256]))
        at = struct.unpack("<I", data[at + 2 + 12 * count:at + 6 + 12 * count])[0]
    return out
shape, stack = npy("st.npy")
alone, second = npy("st1.npy")
assert shape == (2, 32, 32) and alone == (32, 32), (shape, alone)
assert stack[len(stack) // 2:] == second
assert pages("st.tif") == [(32, 32)] * 2, pages("st.tif")
assert pages("apart.tif") == [(60, 48)] * 2, pages("apart.tif")
PY
expect 3 "$POLYAK" tomography reconstruct stack.npy "${scan[@]}" --max-passes 5 --reference st.npy
expect 3 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --images on.png --image-every 20 \
  --max-iterations 60
exists on-20.png on-40.png on-60.png
expect 3 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --max-passes 5 --page page.html
grep -q "</html>" page.html || fail "the page is not whole"
! grep -qE "https?:|<script" page.html || fail "the page asks for something"
expect 0 "$POLYAK" tomography reconstruct noisy.npy "${scan[@]}" --weights transmission --lower 0 \
  --attenuation 0.05
expect 0 "$POLYAK" tomography reconstruct noisy.npy "${scan[@]}" --weights ones.npy --noise 0.6
expect 0 "$POLYAK" tomography reconstruct nan.npy "${scan[@]}" --mask mask.npy
expect 3 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --b-star 407 --momentum 0.95 \
  --max-iterations 50 --report r.json
holds r.json 'abs(r["tomography"]["b_star"] - 407) < 1e-6 and r["used"]["batch"] == 407'
fan=(--beam fan --source-distance 80 --detector-distance 40 --spacing 1.5 --angles 0:360:90)
expect 0 "$POLYAK" tomography project disc "${fan[@]}" --size 32 --detectors 48 --output f.npy \
  --save-image d.npy
# Values that are no attenuations have no transmissions: exp would leave no weight.
expect 0 "$POLYAK" tomography project walnut --finer 2 --size 96 --angles 40 --detectors 136 \
  --photons 1e5 --attenuation 0.02 --output thick.npy --save-image thick-x.npy
thick=(thick.npy --size 96 --angles 40 --weights transmission)
expect 65 "$POLYAK" tomography reconstruct "${thick[@]}"
stderr_has "--weights transmission: the values are too large for attenuations"
stderr_has "give --attenuation"
expect 0 "$POLYAK" tomography reconstruct "${thick[@]}" --attenuation 0.02 --reference thick-x.npy \
  --report r.json
holds r.json 'r["error"] < 0.2'
expect 2 "$POLYAK" tomography reconstruct s.npy "${scan[@]}" --attenuation 0.02
expect 0 "$POLYAK" tomography reconstruct f.npy "${fan[@]}" --size 32 --reference d.npy --report r.json
holds r.json 'r["error"] < 0.2'

# Bad input: one line, nothing written.
rm -f bad.npy
bad() {
  local want=$1
  shift
  expect "$want" "$POLYAK" tomography reconstruct "$@" --output bad.npy
  [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $*"
  absent bad.npy
}
bad 65 s.npy --size 32 --angles 0:180:61
stderr_has "s.npy: the sinogram does not fit the geometry (found 60 x 48, expected 61 angles x 48 detectors)"
bad 65 nan.npy "${scan[@]}"
stderr_has "sinogram, view 1, element 11 (counted from 1): a value is not finite"
bad 65 s.npy --size 0 --angles 0:180:60
stderr_has "the image has no pixels"
bad 65 s.npy "${scan[@]}" --offset 500
stderr_has "the object lies off the detector"
bad 65 s.npy "${scan[@]}" --mask x.npy
bad 65 s.npy "${scan[@]}" --reference s.npy
bad 66 nowhere.npy "${scan[@]}"
bad 2 s.npy "${scan[@]}" --method magic
bad 2 s.npy "${scan[@]}" --angles 0:180
bad 2 s.npy "${scan[@]}" --angles 30.5
bad 2 s.npy "${scan[@]}" --angles -3
bad 2 s.npy "${scan[@]}" --method tv --batch 10
bad 2 s.npy "${scan[@]}" --method sirt --smoothing 0.1
bad 2 s.npy "${scan[@]}" --slices 0:2
bad 2 s.npy "${scan[@]}" --image-every 3
bad 2 s.npy "${scan[@]}" --memory 0
bad 2 s.npy "${scan[@]}" --page page.txt
bad 74 s.npy "${scan[@]}" --page nowhere/page.html
bad 2 s.npy "${scan[@]}" --center 3 --offset 1
for unused in "sirt --momentum 0.5" "sart --sampling uniform" "fbp --batch 10" "fbp --noise 1"; do
  bad 2 s.npy "${scan[@]}" --method $unused
  stderr_has "does not use this option"
done
bad 2 s.npy "${scan[@]}" --source-distance 5
expect 2 "$POLYAK" tomography recostruct
stderr_has "did you mean reconstruct?"
expect 2 "$POLYAK" tomography project walnut "${scan[@]}" --exact --output e.npy
expect 2 "$POLYAK" tomography project disc "${scan[@]}" --exact --finer 4 --output e.npy
expect 2 "$POLYAK" tomography project x.npy "${scan[@]}" --finer 4 --output e.npy
for word in "" matrix project reconstruct; do
  expect 0 "$POLYAK" tomography $word --help
  stdout_has "Usage: polyak tomography"
done
no_leftovers
