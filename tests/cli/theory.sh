# polyak theory: models of a matrix, what is absent, what is refused; the golden
# numbers are in theory_golden.py.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

# A matrix of some size: a model of its rows, near that of Gaussian ones.
"$POLYAK" generate spectrum --decay algebraic --rho 1 --kappa 10 --rows 30000 --cols 35 \
  --output p --quiet
for sampling in row-norm uniform; do
  expect 0 "$POLYAK" theory --matrix p/A.npy --sampling $sampling --batch 100 --json
  cp out matrix.json
  holds matrix.json 'r["model"] == "diag, from sampled rows" and abs(r["kappa"] - 10) < 1e-9'
  expect 0 "$POLYAK" theory --decay algebraic --rho 1 --kappa 10 --cols 35 --rows 30000 \
    --sampling $sampling --batch 100 --json
  rate=$(value out 'r["predicted_rate"]')
  holds matrix.json "abs(r['predicted_rate'] - $rate) < 0.02"
done
printf '1,1\n2,2\n0,0\n' >deficient.csv
expect 0 "$POLYAK" theory --matrix deficient.csv --json
holds out 'r["rank"] == 1 and r["zero_rows"] == 1 and r["kappa"] == 1 and r["lambda_min"] == 10'
holds out 'any("rank 1" in note for note in r["notes"])'

# Infinite, absent, vacuous.
decay=(theory --decay algebraic --rho 1 --cols 20)
expect 0 "$POLYAK" "${decay[@]}" --kappa 10 --gamma 0 --json
holds out 'r["M"] == r["M_bound"] == r["batch_theorem"] == r["nag"]["M"] == "inf"'
holds out '"infinite with gamma = 0" in r["notes"][0] and r["alpha"] == r["alpha_star"]'
expect 0 "$POLYAK" "${decay[@]}" --kappa 1.9 --json
holds out '"k_star" not in r and "batch_heuristic" not in r and len(r["notes"]) == 2'
expect 0 "$POLYAK" "${decay[@]}" --kappa 7 --json
holds out '"k_star" not in r and "batch_heuristic" in r and abs(r["theta"]**-2 - 7) < 1e-12'
expect 0 "$POLYAK" "${decay[@]}" --kappa 7 --k-star 3 --json
holds out 'r["k_star"] == 3 and "notes" not in r'
expect 0 "$POLYAK" "${decay[@]}" --kappa 100 --rows 1000000
stdout_has "larger than the 1000000 rows of A: the bound is vacuous here."
certified='[f for f in ("eta", "batch_theorem", "batch_vector", "batch_certified_stability",
  "certified_rate", "stability_number", "recipe") if f in r]'
ends=(theory --lambda-min 1 --lambda-max 10 --frobenius2 30 --cols 5)
expect 0 "$POLYAK" "${ends[@]}" --sampling uniform --batch 30 --residual-norm 1 --json
holds out "not $certified and 'horizon' not in r and 'batch_theorem' not in r['nag']"
expect 0 "$POLYAK" "${ends[@]}" --sampling uniform --eta 2 --batch 200 --residual-norm 1 --json
holds out "len($certified) == 7 and r['certified_rate'] < 1 and 'predicted' not in r['horizon']"
holds out 'r["stability_number"] < 1 and r["horizon"]["certified"] < 1'

# For people.
expect 0 "$POLYAK" "${decay[@]}" --kappa 100 --batch 300 --residual-norm 1
for title in "The spectrum of A'A" "The paper's parameters, gamma = 0.001" "How large a batch" \
  "For your batch of 300" "How near alpha and beta get"; do stdout_has "$title"; done
stdout_has "model: expected for Gaussian rows"
! grep -v ^Note out | grep -qE '.{81}' || fail "a line is too long"

# What is refused.
refuses 2 "theory: A is not described (expected --decay, --rho, --kappa and --cols; or \
--lambda-min, --lambda-max, --frobenius2 and --cols; or --matrix); see polyak theory --help" theory
refuses 2 "--decay, --rho, --cols: numbers are missing (expected --decay, --rho, --kappa, --cols \
together)" theory --kappa 3
refuses 2 "--kappa: the number is missing (expected --decay, --rho, --kappa, --cols together)" \
  "${decay[@]}"
refuses 2 "--lambda-min, --frobenius2: numbers are missing (expected --lambda-min, --lambda-max, \
--frobenius2, --cols together)" theory --lambda-max 3 --cols 4
for more in "--lambda-min 1" "--matrix deficient.csv"; do
  expect 2 "$POLYAK" "${decay[@]}" --kappa 3 $more
  stderr_has "polyak: --decay, ${more% *}: A is described in two ways"
done
for bad in "kappa 0.5" "rho 0" "gamma 1" "gamma -0.1" "batch 0.5" "k-star 1" "cols 0" "eta 0.5" \
  "sampling mixed" "decay linear" "residual-norm -1" "lambda-min -1"; do
  expect 2 "$POLYAK" theory --${bad/ /=}
  stderr_has "polyak: --${bad% *}: the value does not fit the option (found '${bad#* }', expected "
  [ "$(wc -l <err)" -eq 1 ] || fail "more than one line for $bad"
done
refuses 2 "--kappa: one column has one eigenvalue (expected --kappa 1)" \
  theory --decay algebraic --rho 1 --kappa 3 --cols 1
expect 2 "$POLYAK" theory --lambda-min 0 --lambda-max 10 --frobenius2 30 --cols 5
stderr_has "polyak: --lambda-min 0: the strongly convex theory does not apply"
expect 2 "$POLYAK" theory --lambda-min 20 --lambda-max 10 --frobenius2 30 --cols 5
stderr_has "kappa is below 1"
expect 2 "$POLYAK" theory --lambda-min 1 --lambda-max 10 --frobenius2 300 --cols 5
stderr_has "polyak: --frobenius2: the squared Frobenius norm is larger than cols times lambda_max"
refuses 2 "--residual-norm: the distance to the solution depends on the batch (expected --batch B)" \
  "${ends[@]}" --residual-norm 1
refuses 2 "--cols: this number is taken from the matrix; leave it out" theory --matrix deficient.csv --cols 2
refuses 2 "--precision: there is no file to read (expected --matrix FILE); or leave it out" \
  "${ends[@]}" --precision single
expect 66 "$POLYAK" theory --matrix nowhere.npy
printf '0,0\n0,0\n' >zero.csv
expect 65 "$POLYAK" theory --matrix zero.csv
expect 65 "$POLYAK" theory --matrix <(printf '1,nan\n')
