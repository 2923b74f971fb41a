#!/usr/bin/env bash
# demo.sh [POLYAK] [FOLDER]: makes a problem like the paper's, solves it by four
# methods, draws their convergence, reconstructs an image of a scan and writes
# self-contained pages.
set -euo pipefail
cd "$(dirname "$0")/.."
polyak=$(realpath "${1:-${POLYAK:-build/release/bin/polyak}}")
mkdir -p "${2:-build/demo}"
cd "${2:-build/demo}"
rows=${DEMO_ROWS:-100000}
methods=(rk minibatch-hbm hbm lsqr)

echo "A problem of $rows rows and 100 columns, with condition number 100 of A'A:"
"$polyak" generate spectrum --decay algebraic --rho 1 --kappa 100 --rows "$rows" --cols 100 \
  --seed 1 --output problem

# solve METHOD [OPTION...]: exit code 3 (a limit) is accepted.
solve() {
  echo "Solving by $1"
  "$polyak" solve problem/A.npy problem/b.npy --reference problem/x.npy --tol 1e-12 --seed 1 \
    --method "$@" --report "$1.json" --history "$1.csv" --quiet || [ $? -eq 3 ]
}
solve rk --measure-every 0.02
solve minibatch-hbm --measure-every 0.02
solve hbm --measure-every 2
solve lsqr --measure-every 4

echo "Simulating the scan of a walnut and reconstructing its image"
size=${DEMO_SIZE:-128}
"$polyak" tomography project walnut --finer 4 --size "$size" --detectors $((size * 182 / 128)) \
  --photons 1e5 --attenuation 0.02 --seed 1 --output scan.npy --quiet
"$polyak" tomography reconstruct scan.npy --size "$size" --seed 1 --output walnut.png \
  --page walnut.html --quiet || [ $? -eq 3 ]

# draw TERMINAL FILE
draw() {
  local plot="" number=0
  for method in "${methods[@]}"; do
    plot+="'$method.csv' using 'row_products':'error' with linespoints ls $((++number)) title '$method',"
  done
  gnuplot <<END
set terminal $1; set output "$2"
set datafile separator ","
set logscale xy; set format "1e%T"; set grid xtics ytics back lt 1 lw 1 lc rgb "#dddddd"
set xlabel "rows of A read"; set ylabel "error, relative to the true x"
set key outside right center; set border 3; set tics nomirror
set style line 1 lc rgb "#D55E00" lw 2 pt 7 ps 0.4
set style line 2 lc rgb "#0072B2" lw 2 pt 5 ps 0.4
set style line 3 lc rgb "#009E73" lw 2 pt 9 ps 0.5
set style line 4 lc rgb "#999999" lw 2 pt 13 ps 0.5
plot ${plot%,}
END
}
draw 'svg size 860,480 font "sans-serif,14" background "white"' methods.svg
draw 'pngcairo size 1290,720 font "sans,14"' methods.png

python3 - "${methods[@]}" >index.html <<'END'
import html, json, re, sys

methods = {name: json.load(open(f"{name}.json")) for name in sys.argv[1:]}
problem = json.load(open("problem/problem.json"))
svg = open("methods.svg", encoding="utf-8").read()
svg = re.sub(r'\s*xmlns(:\w+)?="[^"]*"', "", svg[svg.index("<svg"):])  # a page needs no namespaces

def number(value, form="{:.3g}"):
    return "" if value is None else form.format(value)

def row(name, r):
    used, seconds = r["used"], r["seconds"]
    cells = [name, r["status"], number(used.get("batch"), "{:,}"), number(used.get("step_size")),
             number(used.get("momentum")), f'{r["iterations"]:,}', f'{r["row_products"]:,}',
             number(r["passes"]), number(seconds["solve"], "{:.2f} s"), number(r["error"], "{:.1e}")]
    return "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>"

heads = ["method", "ended", "batch", "step size", "momentum", "iterations", "rows read", "passes",
         "solving", "error"]
momentum, kaczmarz, full = methods["minibatch-hbm"], methods["rk"], methods["hbm"]
print(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>polyak: four methods compared</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }}
table {{ border-collapse: collapse; font-size: 14px }}
td, th {{ padding: .3em .7em; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap }}
td:first-child, th:first-child {{ text-align: left; font-weight: bold }}
.wide {{ overflow-x: auto }} svg {{ max-width: 100%; height: auto }}
</style></head><body>
<h1>Four methods compared</h1>
<p>The problem is to find the x with Ax = b. A has {problem["rows"]:,} rows and {problem["cols"]}
columns, the condition number of A'A is {problem["parameters"]["kappa"]:g}, and the true x is
known, so that the error of every method can be measured.</p>
<div class="wide">{svg}</div>
<p>Left is better: fewer rows of A were read for the same error. Heavy ball momentum (hbm) reads
all of A in each of its {full["iterations"]} iterations. With batches of {momentum["used"]["batch"]:,}
rows drawn at random (minibatch-hbm) it needs {momentum["iterations"]} iterations and reads
{full["row_products"] / momentum["row_products"]:.0f} times fewer rows; the rows of a batch can be
read in parallel. Randomized Kaczmarz (rk) reads them one after the other, in
{kaczmarz["iterations"]:,} steps. LSQR is the classical method for such problems.</p>
<div class="wide"><table><tr>{"".join(f"<th>{h}</th>" for h in heads)}</tr>
{"".join(row(name, r) for name, r in methods.items())}
</table></div>
<p>The rows may also be the rays of a scan: <a href="walnut.html">an image reconstructed from a scan</a>.</p>
<p>Error is |x - true x| / |true x|. A pass is the number of rows of A. Made by polyak
{html.escape(full["version"])} from seed {full["seed"]} with {full["threads"]} threads; the same
seed gives the same numbers, except times.</p>
</body></html>""")
END
echo "The page is $PWD/index.html, the pictures $PWD/methods.png and $PWD/walnut.png"
