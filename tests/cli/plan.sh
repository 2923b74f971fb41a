# plan shows what solve does by itself.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

"$POLYAK" generate spectrum --decay algebraic --rho 1 --kappa 100 --rows 60000 --cols 64 --noise 0.1 \
  --seed 3 --output noisy --quiet
expect 0 "$POLYAK" plan noisy/A.npy noisy/b.npy --json
cp out plan.json
expect 0 "$POLYAK" solve noisy/A.npy noisy/b.npy --report r.json --quiet
python - <<'PY'
import json
plan, run = json.load(open("plan.json"))["automatic"], json.load(open("r.json"))
look, first = run["stages"][0], run["stages"][1]
assert look["method"] == "subset-direct" and first["method"] == plan["steps"][0]["method"], plan
assert first["predicted_seconds"] == plan["steps"][0]["predicted_seconds"]
assert abs(look["predicted_seconds"] / plan["look_seconds"] - 1) < 1e-12
assert first["why"] == plan["steps"][0]["why"]
assert not plan["look"]["consistent"] and plan["look"]["rank"] == 64
assert f'condition about {plan["look"]["condition"]:.1e}' in look["outcome"], look
seconds = [s["predicted_seconds"] for s in plan["steps"]]
assert seconds == sorted(seconds) and plan["steps"][-1]["memory_bytes"] > 0
assert {m["method"] for m in plan["ruled_out"]} == {"rk"}, plan["ruled_out"]
PY
expect 0 "$POLYAK" plan noisy/A.npy noisy/b.npy
stdout_has "With --method auto, after a look at 144 rows: inconsistent, |r| is"
grep -qE '^  1 normal .*A.A in one pass' out || fail "normal is not first"
stdout_has "Each method, to a tolerance of 1e-08:"
stdout_has "Recommended of these (*):  polyak solve noisy/A.npy noisy/b.npy --method"

# Consistent data are solved by the look alone; without b nobody knows.
"$POLYAK" generate spectrum --decay algebraic --rho 1 --kappa 100 --rows 60000 --cols 64 \
  --seed 3 --output exact --quiet
expect 0 "$POLYAK" plan exact/A.npy exact/b.npy
stdout_has "after a look at 144 rows: consistent, rank 64"
grep -qE '^  1 subset-direct .*every row is checked' out || fail "the look is not first"
expect 0 "$POLYAK" plan exact/A.npy exact/b.npy --certify sampled
grep -qE '^  1 subset-direct +0 .*others confirm it' out || fail "the sample is not enough"
expect 0 "$POLYAK" plan exact/A.npy
stdout_has "after a look at 144 rows: rank 64, condition about"
grep -qE '^  1 normal ' out || fail "normal is not first without b"

# Rank and dependent columns are told, also where auto looks at no rows.
cat >levels.mtx <<'END'
%%MatrixMarket matrix array real general
6 4
1
0
1
0
1
1
0
1
0
1
0
0
1
1
1
1
1
1
5
6
8
1
4
7
END
expect 0 "$POLYAK" plan levels.mtx
grep -qE '^  rank +3 of 4 columns; x[123] depends on x[123], x[123]$' out || fail "the rank is not told"
"$POLYAK" plan levels.mtx --json >levels.json
holds levels.json 'r["rank"] == 3 and 0 < r["rank_threshold"] < 1e-12'
holds levels.json 'sorted(r["dependent_columns"][0]["on"] + [r["dependent_columns"][0]["column"]]) == [0, 1, 2]'

# What cannot be taken is named with the reason.
small_problem
expect 0 "$POLYAK" plan p/A.npy p/b.npy
grep -qE '^  [12] direct .*small enough to factor at once' out || fail "direct is not there"
grep -qE '^  - cg +a small problem is factored at once' out || fail "no word about cg"

# Where the spectrum comes from can be asked for, and a sketch shows its error bars.
expect 0 "$POLYAK" plan exact/A.npy exact/b.npy --spectrum sketch
grep -qE 'lambda_min [0-9.]+ \([0-9.]+ to [0-9.]+\), lambda_max [0-9.]+ \([0-9.]+ to [0-9.]+\), kappa [0-9.]+ \(sketch of 4096 rows, probability 0.999\)' out ||
  fail "no error bars"
expect 0 "$POLYAK" plan exact/A.npy exact/b.npy --spectrum exact
stdout_has "lambda_min 1, lambda_max 100, kappa 100 (exact)"
