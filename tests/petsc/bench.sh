# The benchmark of ranks and the plot of its model, on tiny problems.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin_for petsc >/dev/null
export MPIEXEC=$POLYAK_MPIEXEC MPIEXEC_FLAGS=--oversubscribe
expect 0 bash "$POLYAK_SOURCE/tools/ranks_bench.sh" "$POLYAK_BUILD" out.json small
stdout_has "KSPLSQR"
stdout_has "wrote out.json"
python - <<'PY' || fail "out.json is not complete"
import json
result = json.load(open("out.json", encoding="utf-8"))
scaling = result["scaling"]
assert scaling["ranks"] == 2 and len(scaling["sums"]) == 6
assert len(scaling["columns"]) == 4
for line in scaling["columns"]:
    assert line["told"].startswith("ghosts: ") and 0 < line["ghosts"] < 10 and line["all"] > 0, line
for line in scaling["scaling"]:
    for what in ("alone", "at_once", "weak", "strong_alone", "strong"):
        assert 0 < line[what]["min"] <= line[what]["median"] < 10, (what, line)
for race in result["race"]["races"]:
    names = [solver["name"] for solver in race["solvers"]]
    assert names == ["KSPLSQR", "KSPCGLS", "polyak"], names
    for solver in race["solvers"]:
        assert solver["error"] <= 1e-8 and solver["seconds"] > 0, (race["problem"], solver)
over = result["overhead"]["overhead"]
assert all(over[what] > 0 for what in ("library", "rows", "dense", "shell")), over
assert all(over["sparse"][what] > 0 for what in ("library", "aij")), over
PY
expect 0 "$POLYAK_SOURCE/tools/plots/scaling.py" out.json
stdout_has "batch a rank"
