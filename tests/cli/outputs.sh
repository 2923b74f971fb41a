# Files are whole or not there, and what cannot be written is told.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
small_problem
solve=("$POLYAK" solve p/A.npy p/b.npy --method cgls)

expect 0 "${solve[@]}" --output x.mtx --report r.json --history h.csv
stdout_has "files      x.mtx, h.csv, r.json"
[ "$(head -1 h.csv)" = "iteration,row_products,seconds,residual_norm,gradient_norm,\
relative_residual,relative_gradient,error" ] || fail "history header"
[ "$(sed -n 2p h.csv | cut -d, -f1)" = 0 ] || fail "no iteration 0"
holds r.json 'all(k in r for k in ("schema", "status", "reason", "method", "iterations", \
"row_products", "passes", "bytes_read", "residual_norm", "gradient_norm", "relative_residual", \
"relative_gradient", "asked", "used", "seconds", "rows", "cols", "nnz", "seed", "threads", "version"))'
holds r.json '"error" not in r and set(r["seconds"]) == {"read", "setup", "setup_norms", "setup_table", "setup_spectrum", "solve", "measure", "total"}'

# Found out before the work: unknown endings, folders that are not there.
refuses 2 "--output x.txt: the ending of the file name does not name a known format (expected .npy, .mtx, \
.mtx.gz, .csv, .csv.gz)" solve p/A.npy p/b.npy --output x.txt
for option in output report history; do
  refuses 74 "--$option none/x.csv: no file can be written there (found No such file or directory)" \
    solve p/A.npy p/b.npy --$option none/x.csv
  refuses 74 "--$option /proc/x.csv: no file can be written there (found No such file or directory)" \
    solve p/A.npy p/b.npy --$option /proc/x.csv
done
mkdir folder.npy
refuses 74 "--output folder.npy: no file can be written there (found Is a directory)" \
  solve p/A.npy p/b.npy --output folder.npy
refuses 2 "p/b.npy: the output would replace the input; name another file" \
  solve p/A.npy p/b.npy --output p/b.npy
refuses 2 "./o.csv: two outputs go to the same place; name another file" \
  solve p/A.npy p/b.npy --output o.csv --history ./o.csv

# A full disk: x or the report fail the run, a history is only missed.
full="cannot write the output, there is no room left (disk full, quota or size limit) (found No \
space left on device after 0 bytes); free some space or write elsewhere"
expect 74 "${solve[@]}" --output /dev/full --report r.json --quiet
stderr_is "polyak: /dev/full: $full"
holds r.json 'r["status"] == "converged"'
expect 74 "${solve[@]}" --report /dev/full --output x2.npy --quiet
stderr_is "polyak: /dev/full: $full"
exists x2.npy
expect 0 "${solve[@]}" --history /dev/full --output x3.npy --report r.json
stderr_is "polyak: warning: no history: /dev/full: $full"
same x2.npy x3.npy
holds r.json 'len(r["warnings"]) == 1'

# A limit on file sizes is an error, not a death; the old file stays whole.
"$POLYAK" generate gaussian --rows 300 --cols 200 --output wide --quiet
cp x2.npy old.npy
(ulimit -f 1 && expect 74 "$POLYAK" solve wide/A.npy wide/b.npy --output old.npy --quiet)
stderr_has "polyak: old.npy: cannot write the output, there is no room left"
same x2.npy old.npy

# Permissions: umask for new files, what was there for old ones; links stay.
(umask 027 && "${solve[@]}" --output new.npy --report new.json --history new.csv --quiet)
for file in new.npy new.json new.csv; do
  [ "$(stat -c %a $file)" = 640 ] || fail "mode of $file"
done
chmod 600 new.npy
ln -s new.npy link.npy
"${solve[@]}" --output link.npy --quiet
[ "$(stat -c %a new.npy)" = 600 ] && [ -L link.npy ] || fail "mode or link not kept"

no_leftovers

# Standard output that is closed: an answer asked for there is missed, a summary is not.
code=0
"$POLYAK" solve p/A.npy p/b.npy --output - >&- 2>err || code=$?
[ $code -eq 74 ] || fail "--output - to a closed descriptor: $code"
expect 0 "$POLYAK" solve p/A.npy p/b.npy --output closed.npy --quiet
code=0
"$POLYAK" solve p/A.npy p/b.npy --output closed.npy >&- 2>err || code=$?
[ $code -eq 0 ] || fail "a summary that nobody reads: $code"

# Bytes of a name that would speak to a terminal.
esc=$(printf 'a\033]0;b.npy')
cp p/A.npy "$esc"
expect 0 "$POLYAK" solve "$esc" p/b.npy --output "$esc.csv"
! grep -q "$(printf '\033')" out || fail "an escape byte on standard output"
! grep -q "$(printf '\033')" err || fail "an escape byte on standard error"
