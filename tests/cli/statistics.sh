# --statistics: what regression users ask for, on NIST's Longley data.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

cat >longley.csv <<'END'
y,deflator,gnp,unemployed,forces,population,year
60323,83.0,234289,2356,1590,107608,1947
61122,88.5,259426,2325,1456,108632,1948
60171,88.2,258054,3682,1616,109773,1949
61187,89.5,284599,3351,1650,110929,1950
63221,96.2,328975,2099,3099,112075,1951
63639,98.1,346999,1932,3594,113270,1952
64989,99.0,365385,1870,3547,115094,1953
63761,100.0,363112,3578,3350,116219,1954
66019,101.2,397469,2904,3048,117388,1955
67857,104.6,419180,2822,2857,118734,1956
68169,108.4,442769,2936,2798,120445,1957
66513,110.8,444546,4681,2637,121950,1958
68655,112.6,482704,3813,2552,123366,1959
69564,114.2,502601,3931,2514,125368,1960
69331,115.7,518173,4806,2572,127852,1961
70551,116.9,554894,4007,2827,130081,1962
END
data=(longley.csv --rhs-column y --intercept)
expect 0 "$POLYAK" solve "${data[@]}" --output-statistics s.csv --report r.json
[ ! -s err ] || fail "something on standard error"
stdout_has "R squared 0.995479 about the mean, residual variance 92936, 9 degrees of freedom"
grep -qE '^ +estimate +standard error +t value +p value +95 % interval$' out || fail "no heads"
grep -qE '^  gnp +-0.0358192 +0.033491 +-1.06952 +0.313 +-0.11158[0-9]* +0.0399[0-9]*$' out || fail "no line for gnp"
grep -qE '^  intercept +-3.48226e\+06 +890420 +-3.9108 +0.00356 +-5.49653e\+06 +-1.46799e\+06$' out ||
  fail "no line for the intercept"
python - <<'PY'
import csv, json
# Certified by NIST (StRD, Longley): estimate and its standard deviation.
certified = {
    "intercept": (-3482258.63459582, 890420.383607373),
    "deflator": (15.0618722713733, 84.9149257747669),
    "gnp": (-0.358191792925910E-01, 0.334910077722432E-01),
    "unemployed": (-2.02022980381683, 0.488399681651699),
    "forces": (-1.03322686717359, 0.214274163161675),
    "population": (-0.511041056535807E-01, 0.226073200069370),
    "year": (1829.15146461355, 455.478499142212),
}
rows = {row["name"]: row for row in csv.DictReader(open("s.csv"))}
assert rows.keys() == certified.keys(), rows
for name, (x, error) in certified.items():
    for key, true in (("estimate", x), ("standard_error", error), ("t_value", x / error)):
        assert abs(float(rows[name][key]) / true - 1) < 1e-9, (name, key, rows[name])
s = json.load(open("r.json"))["statistics"]
assert s["degrees_of_freedom"] == 9 and s["rank"] == 7 and s["observations"] == 16, s
assert s["r_squared_about"] == "mean" and abs(s["r_squared"][0] - 0.995479004577296) < 1e-12, s
assert abs(s["residual_variance"][0] ** 0.5 / 304.854073561965 - 1) < 1e-10, s
assert len(s["standard_errors"][0]) == 7 and s["distance"] < 0.01, s
# Certified as well: F, from which the adjusted R squared follows.
assert abs(s["f_statistic"][0] / 330.285339234588 - 1) < 1e-9, s
assert abs(s["adjusted_r_squared"][0] - (1 - (1 - 0.995479004577296) * 15 / 9)) < 1e-12, s
# statsmodels 0.14 on the same data.
assert abs(s["f_p_value"][0] / 4.984030528700946e-10 - 1) < 1e-6, s
assert abs(s["aic"][0] - 233.2349) < 1e-3 and abs(s["bic"][0] - 238.6430) < 1e-3, s
PY

# Not asked for, not there; nothing is made up where a formula does not hold.
expect 0 "$POLYAK" solve "${data[@]}" --report r.json
holds r.json '"statistics" not in r and r["asked"]["statistics"] is False'
expect 0 "$POLYAK" solve "${data[@]}" --ridge 1 --statistics --report r.json --output-statistics s.csv
stderr_has "polyak: warning: statistics: no residual variance and no standard errors: the classical \
formulas do not hold with a ridge term"
holds r.json '"standard_errors" not in r["statistics"] and "residual_variance" not in r["statistics"]'
holds r.json 'r["statistics"]["residual_sum_of_squares"][0] > 0 and r["asked"]["statistics"]'
grep -qE '^gnp,[-0-9.e]+,,,,,$' s.csv || fail "an empty cell should stand for what is not known"
head -8 longley.csv >short.csv
expect 0 "$POLYAK" solve short.csv --rhs-column y --intercept --statistics
stderr_has "7 observations leave nothing beside 7 unknowns to estimate them from"

# Weights count rows.
printf '2\n1\n3\n' >w.csv
printf '1,1\n2,3\n3,4\n' >few.csv
printf '1,1\n1,1\n2,3\n3,4\n3,4\n3,4\n' >many.csv
expect 0 "$POLYAK" solve few.csv --rhs-column 2 --intercept --weights w.csv --output-statistics a.csv
expect 0 "$POLYAK" solve many.csv --rhs-column 2 --intercept --output-statistics b.csv
python - <<'PY'
import csv
for a, b in zip(csv.DictReader(open("a.csv")), csv.DictReader(open("b.csv"))):
    for key in ("estimate", "standard_error", "t_value"):
        assert abs(float(a[key]) / float(b[key]) - 1) < 1e-12, (a, b)
PY

# On standard output the summary goes away; other endings are refused.
expect 0 "$POLYAK" solve "${data[@]}" --output-statistics - --quiet
[ "$(head -1 out)" = "name,estimate,standard_error,t_value,p_value,lower,upper" ] || fail "no header line"
expect 2 "$POLYAK" solve "${data[@]}" --output-statistics s.npy
refuses 2 "s.csv: two outputs go to the same place; name another file" \
  solve "${data[@]}" --output s.csv --output-statistics s.csv
