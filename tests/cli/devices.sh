# --device and info --devices on a machine without a GPU: one line that says why.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem

# Devices that do not exist; the files are not looked at.
expect 2 "$POLYAK" solve none.npy none.npy --device tpu
stderr_is "polyak: --device: there is no such device (found tpu, expected auto, cpu, cuda[:N])"
for name in cuda: cuda:x cuda:-1 cuda:0x CUDA; do
  expect 2 "$POLYAK" solve p/A.npy p/b.npy --device "$name"
  stderr_is "polyak: --device: there is no such device (found $name, expected auto, cpu, cuda[:N])"
done

# A program without libpolyak_cuda.so beside it.
mkdir bin && cp "$POLYAK" bin/polyak
expect 2 bin/polyak solve p/A.npy p/b.npy --device cuda
stderr_is "polyak: --device: there is no libpolyak_cuda.so, which CUDA devices need (found cuda); \
make cuda builds it"
expect 0 bin/polyak info --devices
grep -q '^cpu: ' out || fail "the cpu is not listed"
grep -qx 'no cuda: there is no libpolyak_cuda.so, which CUDA devices need; make cuda builds it' out ||
  fail "no reason"
expect 0 bin/polyak info --devices --json
python -c 'import json
list = json.load(open("out"))
assert [d["name"] for d in list["devices"]] == ["cpu"] and "libpolyak_cuda.so" in list["no_cuda"]'

# Files beside it that are not that library, in both folders that are searched.
mkdir lib && echo "no library" >lib/libpolyak_cuda.so
expect 2 bin/polyak solve p/A.npy p/b.npy --device cuda:1
grep -q '^polyak: --device: .*lib/libpolyak_cuda.so cannot be loaded: ' err || fail "another reason"
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
mv lib/libpolyak_cuda.so bin/
expect 2 bin/polyak solve p/A.npy p/b.npy --device cuda
grep -q '^polyak: --device: .*bin/libpolyak_cuda.so cannot be loaded: ' err || fail "another reason"

# The cpu by name; the report says which device was used.
expect 0 "$POLYAK" solve p/A.npy p/b.npy --device cpu --report r.json
python -c 'import json; assert json.load(open("r.json"))["used"]["device"] == "cpu"'
expect 2 "$POLYAK" info
grep -q 'FILE is missing' err || fail "FILE is not asked for"

# The library itself, where it was built and there is no driver.
cuda=$(dirname "$POLYAK")/../lib/libpolyak_cuda.so
if [ -e "$cuda" ] && ! [ -e /dev/nvidia0 ]; then
  expect 2 "$POLYAK" solve p/A.npy p/b.npy --device cuda
  grep -qE '^polyak: --device: there is no (NVIDIA driver|CUDA device) on this machine$' err ||
    fail "another reason: $(cat err)"
  expect 0 "$POLYAK" info --devices
  grep -qE '^no cuda: there is no (NVIDIA driver|CUDA device) on this machine$' out || fail "no reason"
fi
