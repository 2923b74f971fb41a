# The paper's methods and the classical ones find the planted solution.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

expect 0 "$POLYAK" generate spectrum --decay algebraic --rho 1 --kappa 100 \
  --rows 20000 --cols 100 --seed 7 --output p
stdout_has "Try: polyak solve p/A.npy p/b.npy --reference p/x.npy"
exists p/A.npy p/b.npy p/x.npy p/problem.json
holds p/problem.json 'all(abs(v - j) < 1e-9 for j, v in enumerate(r["squared_singular_values"], 1))'

solves() {
  local method=$1
  shift
  expect 0 "$POLYAK" solve p/A.npy p/b.npy --reference p/x.npy --tol 1e-10 --method "$method" \
    --report "$method.json" --output "$method.npy" "$@"
  holds "$method.json" 'r["status"] == "converged" and r["error"] <= 1e-7'
  holds "$method.json" "r['method'] == '$method' and r['rows'] == 20000 and r['cols'] == 100"
  exists "$method.npy"
}
for method in hbm nag rk ark cgls lsqr direct; do solves $method; done
for method in minibatch-hbm minibatch-nag; do
  solves $method --batch 8000
  holds $method.json 'r["used"]["batch"] == 8000'
done
[ "$(value ark.json 'r["row_products"]')" -lt "$(value rk.json 'r["row_products"]')" ] ||
  fail "ark reads no fewer rows than rk"
no_leftovers
