#!/usr/bin/env bash
# demo.sh POLYAK FOLDER: makes a problem, solves it in several ways, and draws
# how each got there on one page.
set -euo pipefail
polyak=$(realpath "$1") folder=$2
methods=(minibatch-hbm minibatch-sgd rk lsqr)
mkdir -p "$folder"
cd "$folder"

"$polyak" generate spectrum --rows 10000 --cols 200 --kappa 1000 --seed 1 \
  --output A.npy --rhs b.npy --solution x.npy
plot=""
for method in "${methods[@]}"; do
  # Exit code 3, a limit reached, is an answer too: the page shows how far it got.
  "$polyak" solve A.npy b.npy --method "$method" --reference x.npy --max-passes 300 --seed 1 \
    --output "x-$method.npy" --report "$method.json" --history "$method.csv" || [ $? -eq 3 ]
  plot+="'$method.csv' using 'row_products':'gradient_norm' with linespoints title '$method',"
done

gnuplot <<END
set terminal svg size 800,500 background "white"; set output "methods.svg"
set datafile separator ","; set logscale y; set format y "%.0e"
set xlabel "row products"; set ylabel "norm of the gradient"; set grid
plot $plot
END
{
  echo '<!doctype html><meta charset="utf-8"><title>polyak</title><h1>Four ways down</h1>'
  sed -n '/<svg/,$p' methods.svg
} >index.html
echo "The page is $PWD/index.html"
