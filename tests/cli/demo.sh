# The demonstration leaves a picture and a page that needs nothing from outside.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
command -v gnuplot >/dev/null || exit 0

export DEMO_ROWS=2000 DEMO_SIZE=32
expect 0 "$POLYAK_SOURCE/tools/demo.sh" "$POLYAK" "$PWD/a demo"
stdout_has "The page is $PWD/a demo/index.html"
cd "a demo"
for method in rk minibatch-hbm hbm lsqr; do
  holds $method.json 'r["status"] == "converged" and r["error"] < 1e-8'
  grep -q "<td>$method</td>" index.html || fail "$method is not in the table"
done
grep -q 'data:image/png' walnut.html && ! grep -q '://' walnut.html || fail "the scan has no page"
grep -q '<svg' index.html && ! grep -q '://' index.html || fail "the page lacks its picture or needs another"
[ "$(head -c 8 methods.png | od -An -tx1)" = " 89 50 4e 47 0d 0a 1a 0a" ] || fail "no PNG"
