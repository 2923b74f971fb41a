# polyak bench runs, small, and says where; no time is judged.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

if "$POLYAK" bench --help | grep -q "Not in this build"; then
  refuses 2 "bench: this build has no benchmark; configure with -DPOLYAK_BENCH=ON" bench --quick
  exit 0
fi

expect 0 "$POLYAK" bench --quick --json all.json
stdout_has "== kernels =="
stdout_has "== iterations =="
cat >sane.py <<'PY'
import json, math, sys
r = json.load(open(sys.argv[1]))
subjects = {t["subject"] for t in r["tables"]}
assert subjects == set(sys.argv[2].split()), subjects
assert len({(t["subject"], t["title"]) for t in r["tables"]}) == len(r["tables"]), "titles repeat"
for t in r["tables"]:
    assert t["lines"], t
    for line in t["lines"]:
        s = line["seconds"]
        where = t["title"] + ": " + line["name"]
        assert all(math.isfinite(v) and v > 0 for v in s.values()), (where, s)
        assert s["low"] <= s["median"] <= s["high"], (where, s)
        assert line["rounds"] >= 3, where
        for f in line.get("figures", []):
            assert math.isfinite(f["median"]) and f["low"] <= f["median"] <= f["high"], (where, f)
            assert f["median"] > 0 or f["unit"] == "ns", (where, f)
m = r["machine"]
assert m["cpu"] and m["blas"] and m["threads"] >= 1 and m["page_bytes"] >= 4096, m
assert m["simd"] in ("avx512", "avx2", "neon", "plain"), m
assert m["huge_pages"] and r["date"] and r["build"].startswith("polyak "), r["date"]
PY
python sane.py all.json "kernels sampling replicates iterations tomography"
no_leftovers

# Whole solves are asked for by name.
expect 0 "$POLYAK" bench solve --quick --threads 1 --json solve.json
python sane.py solve.json solve
python -c '
import json
for table in json.load(open("solve.json"))["tables"]:
    error = [f["median"] for f in table["lines"][0]["figures"] if f["name"] == "error"]
    name = "polyak solve, process" if table["title"].endswith("from files") else "auto"
    assert table["lines"][0]["name"] == name and error and error[0] < 1e-4, table["title"]'
holds solve.json 'sum("from_file" in c for c in r["solved"]) == 12 and len(r["solved"]) >= 24'
holds solve.json 'all(c["converged"] and c["backward_error"] < 1e-7 for c in r["solved"])'
holds solve.json 'all(c["best_fixed"]["auto_takes"]["median"] > 0 for c in r["solved"])'
no_leftovers
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -user "$(id -un)" -name 'polyak-bench-*' -newer solve.json)" ] ||
  fail "a folder of the bench is left"

# Some of the cases, and cases from files.
mkdir given
printf '%%%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 2\n2 2 4\n3 2 3\n' >given/a.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n2\n4\n5\n' >given/a_rhs1.mtx
expect 0 "$POLYAK" bench solve --quick --cases wide,a --data given --json some.json
holds some.json '[c["case"] for c in r["solved"]] == ["wide", "a"] and r["options"]["cases"] == "wide,a"'
expect 2 "$POLYAK" bench solve --quick --cases nothing
stderr_has "--cases: there is no such case (found 'nothing', expected a part of one of: exponential"
refuses 2 "--cases: only the subjects solve, plan and python have cases (found kernels, expected polyak bench solve)" \
  bench kernels --quick --cases wide
refuses 66 "--data nowhere: there is no such folder (expected a folder with NAME.mtx and NAME_rhs1.mtx)" \
  bench solve --quick --data nowhere

# The Python package, where there is an environment that has it.
refuses 2 "--peers: the subject python needs its script (found nothing, expected bench/python.py)" \
  bench python --quick
expect 0 "$POLYAK" bench python --quick --rows 2000 --cols 8 --cases wide,sparse,heavy --peers "$POLYAK_SOURCE/bench/python.py" --json python.json
if [ "$(value python.json 'len(r.get("tables", []))')" -gt 0 ]; then
  python sane.py python.json python
  holds python.json 'len(r["tables"]) == 8 and r["machine"]["peers"].startswith("Python 3")'
  holds python.json 'all(f["median"] < 1e-6 for t in r["tables"] for l in t["lines"] for f in l["figures"]
    if l["name"] == "polyak.solve" and f["name"] == "error" and "single" not in t["title"])'
  printf 'before\n<!-- bench python -->\n<!-- end -->\nafter\n' >page.md
  python "$POLYAK_SOURCE/bench/python_table.py" python.json page.md
  [ "$(sed -n '1p;$p' page.md | tr '\n' ' ')" = "before after " ] || fail "the page was not kept"
  [ "$(grep -c '^| ' page.md)" = 10 ] || fail "the table has other lines"
  grep -q '^| wide | [0-9]' page.md || fail "no time of polyak.solve"
else
  stdout_has "without NumPy and SciPy: Python cannot import polyak and sklearn"
fi

# auto against methods by name, on problems by seed.
refuses 2 "--seeds: only the subjects auto and plan use seeds (found solve, expected polyak bench auto)" \
  bench solve --quick --seeds 1:2
expect 2 "$POLYAK" bench auto --quick --seeds 2:1
stderr_has "--seeds: these seeds cannot be used (found '2:1', expected FIRST:LAST or SEED"
expect 2 "$POLYAK" bench auto --quick --parity some
stderr_has "--parity: the value does not fit the option (found 'some', expected all, even, odd)"

expect 0 "$POLYAK" bench auto --quick --seeds 18:19 --parity even --threads 1 --json auto.json
stdout_has "AUTO ON VARIED PROBLEMS"
holds auto.json 'len(r["varied"]) == 1 and r["varied"][0]["kind"] == "lagged" and r["varied"][0]["good"]'
holds auto.json 'r["options"]["parity"] == "even" and len(r["varied"][0]["trials"]) == 8'
holds auto.json 'any(t["good"] and t["raced"] and t["error"] < 1e-6 for t in r["varied"][0]["trials"])'
expect 0 "$POLYAK" bench plan --quick --seeds 18 --threads 1 --json plan.json
stdout_has "PROMISES OF THE PLAN"
holds plan.json 'any(p["what"] == "rank" and p["kept"] for p in r["promises"])'

# One subject, JSON on standard output and nothing else there.
expect 0 "$POLYAK" bench sampling --quick --json - --threads 2
cp out one.json
python sane.py one.json sampling
holds one.json 'r["machine"]["threads"] == 2'

# The compare tool reads what it writes.
expect 0 python "$POLYAK_SOURCE/tools/bench_compare.py" all.json all.json
stdout_has "1.00"

# Peers: what is missing is told, and the rest goes on. A stand-in answers.
cat >missing.py <<'PY'
print("No module named 'numpy'", flush=True)
PY
expect 0 "$POLYAK" bench sampling --quick --peers missing.py
stdout_has "without NumPy and SciPy: No module named 'numpy'"
cat >standin.py <<'PY'
import sys
print("ready a stand-in", flush=True)
for line in sys.stdin:
    print(1e-3, flush=True)
PY
expect 0 "$POLYAK" bench kernels --quick --peers standin.py --json peers.json
holds peers.json 'r["machine"]["peers"] == "a stand-in"'
holds peers.json 'any(l["name"].startswith("NumPy") for t in r["tables"] for l in t["lines"])'
holds peers.json 'not any(l["name"].startswith("ASTRA") for t in r["tables"] for l in t["lines"])'
sed 's/a stand-in/ASTRA of nowhere/' standin.py >astra.py
expect 0 "$POLYAK" bench tomography --quick --peers astra.py --json astra.json
holds astra.json 'sum(l["name"].startswith("ASTRA") for t in r["tables"] for l in t["lines"]) == 3'
expect 0 "$POLYAK" bench tomography --quick --peers standin.py
stdout_has "without ASTRA"
printf 'print("ready", 1, flush=True)\n' >dies.py
expect 74 "$POLYAK" bench kernels --quick --peers dies.py
stderr_has "the peers' script gave no time"
if /usr/bin/python3 -c 'import numpy, scipy' 2>/dev/null; then
  expect 0 "$POLYAK" bench kernels --quick --peers "$POLYAK_SOURCE/bench/peers.py" --json real.json
  holds real.json '"NumPy" in r["machine"]["peers"]'
  expect 0 "$POLYAK" bench solve --quick --peers "$POLYAK_SOURCE/bench/peers.py" --json race.json \
    --cases "wide,sparse,heavy rows,algebraic rho=1 kappa=30"
  holds race.json 'all(c["best_peer"]["auto_takes"]["median"] > 0 for c in r["solved"])'
  holds race.json 'r["solved"][0]["from_file"]["faster_than_numpy"]["median"] > 0'
  holds race.json 'all(f["median"] < 1e-4 for t in r["tables"] for l in t["lines"]
    if l["name"].startswith(("auto", "peer", "NumPy")) for f in l.get("figures", []) if f["name"] == "error")'
fi

refuses 2 "bench: there is no such subject (found 'kernel', expected kernels, sampling, replicates, \
iterations, tomography, solve, auto, plan, python); did you mean kernels?" bench kernel
refuses 66 "--peers nowhere.py: there is no such script" bench --quick --peers nowhere.py
expect 74 "$POLYAK" bench --quick --json nowhere/bench.json
stderr_has "--json nowhere/bench.json: no file can be written there"
expect 2 "$POLYAK" bench --rows 3
stderr_has "--rows"

# Vector instructions by name, for any command.
small_problem
for simd in plain "$(value all.json 'r["machine"]["simd"]')"; do
  POLYAK_SIMD=$simd "$POLYAK" solve p/A.npy p/b.npy --method minibatch-hbm --batch 50 \
    --lambda-min 1 --lambda-max 10 --output $simd.npy --quiet
  same $simd.npy plain.npy
done
expect 2 env POLYAK_SIMD=mmx "$POLYAK" solve p/A.npy p/b.npy
stderr_has "POLYAK_SIMD: these vector instructions are not available here (found 'mmx', expected "
