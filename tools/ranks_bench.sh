#!/usr/bin/env bash
# ranks_bench.sh BUILD OUTPUT [small]: measures the scaling over ranks on this machine by
# BUILD/bench/ranks_bench and BUILD/bench/race (built by make mpi) and writes one JSON
# file, which tools/plots/scaling.py reads.
set -euo pipefail
build=$1 output=$2 small=${3:-}
ranks=${RANKS:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OPENBLAS_NUM_THREADS=1

start() {  # start RANKS PROGRAM...
  local n=$1
  shift
  ${MPIEXEC:-mpirun} --allow-run-as-root ${MPIEXEC_FLAGS:---bind-to core} -n "$n" "$@"
}

sizes=() race_sizes=()
if [ "$small" = small ]; then
  sizes=(-rows 20000 -cols 20 -rounds 1 -band 20000 -draws 100000)
  race_sizes=(-rows 20000 -cols 20 -sparse_cols 500 -rounds 1)
fi
start "$ranks" "$build/bench/ranks_bench" "${sizes[@]}" >"$folder/scaling.json"
if [ -e "$build/bench/race" ]; then
  race=("$build/bench/race" -skip_petscrc "${race_sizes[@]}")
  start "$ranks" "${race[@]}" -json "$folder/race.json"
  start 1 "${race[@]}" -overhead -json "$folder/overhead.json"
fi

"${PYTHON:-python3}" - "$folder" "$("$build/bin/polyak" --version | head -1)" >"$folder/all.json" <<'PY'
import datetime, json, os, re, sys
folder, version = sys.argv[1:]
cpu = next((re.sub(r".*: ", "", line).strip() for line in open("/proc/cpuinfo", encoding="utf-8")
            if line.startswith("model name")), "unknown")
out = {"schema": 1, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
       "build": version, "machine": {"cpu": cpu, "cores": os.cpu_count()}}
for name in ("scaling", "race", "overhead"):
    file = os.path.join(folder, name + ".json")
    if os.path.exists(file):
        out[name] = json.load(open(file, encoding="utf-8"))
print(json.dumps(out, indent=1))
PY
mkdir -p "$(dirname "$output")"
mv "$folder/all.json" "$output"
echo "wrote $output"
