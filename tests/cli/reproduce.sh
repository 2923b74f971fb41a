# polyak reproduce: all figures small, own specs, interruption, faults.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

expect 0 "$POLYAK" reproduce all --rows 2000 --trials 4 --out all
stdout_has "The page is all/index.html"
stdout_has "0 kept from earlier runs"
for figure in fig1 fig2 fig3 fig4 fig5 fig6 table1; do
  exists all/$figure.csv
  grep -q "id=\"$figure\"" all/index.html || fail "$figure is not on the page"
done
exists all/claims.json
holds all/claims.json 'all({"figure", "claim", "expected", "measured", "pass"} <= set(c) for c in r)'
holds all/claims.json 'all(c["pass"] in (True, False) or c["not_applicable"] for c in r)'
holds all/claims.json 'any("more than the 2000 rows" in c.get("not_applicable", "") for c in r)'
# Addresses: none, but for those inside the page.
! grep -qE '(https?|wss?|ftp):|//[a-z]+\.|@import|<script|url\(' all/index.html ||
  fail "the page names another host"
# Images are there with and without gnuplot: six of each scan.
exists all/fig6-1-0-planted.png all/fig6-2-5-b-0.1-b.png
[ "$(grep -c 'src="data:image/png;base64,' all/index.html)" -eq 12 ] || fail "not twelve images"
if command -v gnuplot >/dev/null; then
  for figure in fig1 fig2 fig3 fig4 fig5 fig6; do
    exists all/$figure.svg all/$figure.png
  done
  [ "$(grep -c '<svg' all/index.html)" -eq 6 ] || fail "not six pictures on the page"
fi
no_leftovers all

# The same bytes for any number of threads; nothing is run twice.
for threads in 1 3; do
  expect 0 "$POLYAK" reproduce fig5 --rows 2000 --trials 4 --threads $threads --out t$threads --quiet
  silent
done
same t1/fig5.csv t3/fig5.csv
same t1/fig5.csv all/fig5.csv
expect 0 "$POLYAK" reproduce fig5 --rows 2000 --trials 4 --out t1
stdout_has "0 configurations run, 4 kept from earlier runs"
expect 0 "$POLYAK" reproduce fig5 --rows 2000 --trials 4 --force --out t1
stdout_has "4 configurations run, 0 kept from earlier runs"
expect 0 "$POLYAK" reproduce fig5 --rows 2000 --trials 4 --seed 7 --out t1 --quiet
! cmp -s t1/fig5.csv t3/fig5.csv || fail "another seed, the same numbers"

# Interrupted, it goes on later to the same end.
"$POLYAK" reproduce all --rows 2000 --trials 4 --out stopped --quiet 2>err &
job=$!
for _ in $(seq 200); do
  [ "$(find stopped/.runs -name '*.json' 2>/dev/null | wc -l)" -lt 5 ] || break
  sleep 0.05
done
kill -TERM $job 2>/dev/null || true
code=0
wait $job || code=$?
[ "$code" -eq 75 ] || fail "exit code $code instead of 75"
absent stopped/index.html
no_leftovers stopped
expect 0 "$POLYAK" reproduce all --rows 2000 --trials 4 --out stopped
! grep -q " 0 kept from earlier runs" out || fail "nothing was kept"
for figure in fig1 fig2 fig3 fig4 fig5 fig6 table1; do same stopped/$figure.csv all/$figure.csv; done

# Without gnuplot: numbers, claims and page, and one line that says so.
mkdir bare
for tool in env bash; do ln -s "$(command -v $tool)" bare/$tool; done
expect 0 env PATH="$PWD/bare" "$POLYAK" reproduce fig5 --rows 2000 --trials 4 --out plain
stderr_is "polyak: warning: gnuplot is not installed: the numbers and claims are written, the \
pictures are not"
exists plain/fig5.csv plain/claims.json plain/index.html
absent plain/fig5.svg
same plain/fig5.csv t3/fig5.csv

# A user's own spec, run by the same code.
cp "$POLYAK_SOURCE/examples/reproduce/my.toml" .
"$POLYAK" generate gaussian --rows 4000 --cols 40 --noise 0.1 --output mine --quiet
expect 0 "$POLYAK" reproduce my.toml --trials 4 --out own
exists own/mine.csv own/index.html
stdout_has "Claims: 1 hold, 0 fail"

# Faults are one line and leave nothing behind.
printf 'name = "x"\ntrials = "many"\n' >bad.toml
refuses 2 "bad.toml:2: trials: this must be a number (found 'many', expected a number); \
see docs/reproduce.md for the keys of a spec" reproduce bad.toml --out none
refuses 66 "nowhere.toml: there is no such spec" reproduce nowhere.toml --out none
refuses 2 "reproduce: there is no such figure (found 'fig7', expected fig1, fig2, fig3, fig4, \
fig5, fig6, table1, all or a spec file); did you mean fig1?" reproduce fig7 --out none
printf 'name = "x"\n[[panel]]\ntitle = "p"\nproblem = { kind = "tomography", spacing = -1 }\n' >scan.toml
refuses 2 "scan.toml:4: spacing: the detector spacing must be positive (found -1, expected pixels, a \
number above 0); see docs/reproduce.md for the keys of a spec" reproduce scan.toml --out none
refuses 2 "reproduce: the folder to write to is missing (expected --out DIR)" reproduce fig1
touch file
absent none
refuses 74 "file: the folder cannot be made (found Not a directory, expected a folder, or a \
name that is free)" reproduce fig1 --out file
sed 's/mine\/A.npy/mine\/none.npy/' my.toml >lost.toml
expect 66 "$POLYAK" reproduce lost.toml --out lost
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
expect 2 "$POLYAK" reproduce fig3 --rows 50 --out few
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line"
