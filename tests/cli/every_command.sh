# Every command that computes or writes: memory that is refused and writes that fail, at one moment
# after the other until none does; writes that take only half. One line, the right exit code, and
# every file whole or as it was. POLYAK_EVERY_FAULT=1 leaves no moment out.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"
. "$POLYAK_SOURCE/tests/cli/lib/faults.bash"
faults_to_be_had || exit 0
build_faults
small_problem
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell
seconds=20

# What a command writes goes to a folder of its own; `whole` has it as it should be. Figures of
# time differ from run to run, so reports and pages are only looked at for their ends.
check_files() {
  local file
  for file in $(cd new && find . -type f ! -name '.polyak-*'); do
    case $file in
    *.png) [ "${gnuplot:-no}" = yes ] || same "new/$file" "whole/$file" ;;  # its faults are not ours
    *.npy | *.csv | *.mtx | *.tif) same "new/$file" "whole/$file" ;;
    *.json) python -m json.tool "new/$file" >/dev/null || fail "$file is torn" ;;
    *.html) tail -c 20 "new/$file" | grep -q '</html>' || fail "$file is torn" ;;
    esac
  done
  no_leftovers new
}

# once WANTED FAULT... -- COMMAND...: the exit code, checked, in $code.
once() {
  local wanted=$1 faults=()
  shift
  while [ "$1" != -- ]; do faults+=("$1") && shift; done
  shift
  rm -rf new unreached && mkdir new
  code=0
  timeout -s KILL $seconds env LD_PRELOAD="$PWD/faults.so" FAULT_UNREACHED=unreached "${faults[@]}" \
    "$POLYAK" "$@" >out 2>err || code=$?
  [[ " 0 3 $wanted " == *" $code "* ]] || fail "exit code $code, ${faults[*]}: $*"
  [ "$code" != "$wanted" ] || [ "$(grep -c '^polyak: ' err)" -eq 1 ] || fail "not one line, ${faults[*]}: $*"
  check_files
}

# endures COMMAND...
endures() {
  local kind i step refusals
  rm -rf whole new && mkdir new
  "$POLYAK" "$@" >out 2>err || [ $? -eq 3 ] || fail "without a fault: $*"
  mv new whole
  once none FAULT_SHORT=1 -- "$@"
  for kind in "71 FAULT_MALLOC" "74 FAULT_WRITE"; do
    for mode in FAULT_ONCE=1 FAULT_FOR_GOOD=1; do
      for ((i = 1, refusals = 0; ; i += 1 + (${POLYAK_EVERY_FAULT:-0} ? 0 : i / ${sparser:-2}))); do
        once "${kind% *}" "${kind#* }=$i" $mode -- "$@"
        [ "$code" != "${kind% *}" ] || refusals=$((refusals + 1))
        [ ! -e unreached ] || break
      done
      [ $refusals -gt 0 ] || [ "${writes:-yes}" = no ] || fail "no refusals, ${kind#* } $mode: $*"
    done
  done
  echo "endured: $*"
}

endures generate gaussian --rows 30 --cols 3 --output new --quiet
endures generate varied --seed 3 --output new --quiet
endures convert p/A.npy new/A.mtx --quiet
endures convert p/A.npy new/A.csv --quiet
endures solve p/A.npy p/b.npy --statistics --output new/x.npy --output-statistics new/s.csv --quiet
endures solve p/A.npy p/b.npy --model new/m.json --fitted new/f.npy --residuals new/r.csv --quiet
"$POLYAK" solve p/A.npy p/b.npy --model m.json --quiet
endures predict m.json p/A.npy --output new/y.csv --quiet
endures tomography project disc --size 8 --detectors 12 --angles 9 --output new/s.npy --quiet
"$POLYAK" tomography project disc --size 8 --detectors 12 --angles 9 --output s.npy --quiet
endures tomography reconstruct s.npy --size 8 --angles 9 --method sirt --max-iterations 5 \
  --output new/i.tif --report new/r.json --page new/p.html --quiet
endures tomography matrix --size 8 --detectors 12 --angles 9 --output new/A.mtx --quiet
sparser=1 seconds=60 gnuplot=yes
endures reproduce fig1 --rows 200 --trials 2 --out new --quiet
writes=no
endures bench sampling --quick --json new/b.json --quiet
sparser=2
endures plan p/A.npy p/b.npy
endures score m.json p/A.npy p/b.npy
endures theory --matrix p/A.npy --batch 4
endures info p/A.npy
