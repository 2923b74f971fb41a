# Gradients of large sparse problems: ranks exchange only the columns that they share, where
# that is less than all columns, and x has the same bits.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
driver=$(program driver)
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak -ksp_view)

# 1 to 4 ranks, sums of all columns and of ghosts. The rows of a band share columns at the
# borders of ranks: four, or five where two ranks have rows of the same diagonal. A rank in the
# middle has two borders, and sends and receives at each.
band="-n 8000 -d 4000 -band 2"
steps="$band -ksp_max_it 20 -ksp_norm_type none"
both_exchanges() { # RANKS
  for method in "minibatch-hbm -ksp_polyak_batch 800" "nag -ksp_polyak_ridge 0.5"; do
    for exchange in ghosts all; do
      echo "$steps -ksp_polyak_method $method -ksp_polyak_exchange $exchange -out ${method%% *}-$exchange$1.txt"
    done
  done
}
converging="$band -ksp_polyak_batch 800 -ksp_rtol 1e-9"
# Also where rows touch all columns, and where ranks have no rows, if requested.
few_rows() {
  for d in 12 2; do
    for kind in dense shell aij; do
      for exchange in ghosts all; do
        echo "-mat $kind -n 3 -d $d -ksp_max_it 200 -ksp_norm_type none -ksp_polyak_exchange $exchange -out few-$kind-$d-$exchange.txt"
      done
    done
  done
}
further_cases() { # RANKS
  case $1 in
    1) echo "$converging -out x1.txt" ;;
    2) # Rows that touch everything, few columns, dense rows: sums of all.
      echo "-n 2000 -d 600 -ksp_max_it 2 -ksp_norm_type none"
      echo "-d 12 -ksp_max_it 2 -ksp_norm_type none"
      echo "-mat dense -n 900 -d 600 -ksp_max_it 2 -ksp_norm_type none" ;;
    3) echo "$converging -ksp_monitor -out x3.txt" ;;
    4) echo "$steps -ksp_polyak_method nag" && few_rows ;;
  esac
}
check_further_cases() { # RANKS
  case $1 in
    2)
      of_case 5
      stdout_has "sums of all: 1200 numbers a gradient and rank (ghosts: 1200)"
      of_case 6
      stdout_has "sums of all: 12 columns are few"
      of_case 7
      stdout_has "sums of all: the rows are dense" ;;
    3) # Chosen by itself: the numbers that the busiest rank sends and receives, beside 4d(P-1)/P.
      of_case 5
      stdout_has CONVERGED_RTOL
      stdout_has "sums of ghosts: 18 numbers a gradient and rank (all: 10668)" ;;
    4)
      of_case 5
      stdout_has "sums of ghosts: 16 numbers a gradient and rank (all: 12000)"
      for i in 6 8 10 12 14 16; do
        of_case $i
        stdout_has "sums of ghosts: "
      done ;;
  esac
}
for n in 1 2 3 4; do
  { both_exchanges $n && further_cases $n; } | cases $n "$driver" "${polyak[@]}"
  for i in 1 2 3 4; do
    of_case $i
    [ $n = 1 ] || stdout_has "sums of $([ $((i % 2)) = 1 ] && echo ghosts || echo all): "
  done
  check_further_cases $n
  for method in minibatch-hbm nag; do
    same $method-ghosts$n.txt $method-all$n.txt
    near $method-ghosts$n.txt $method-ghosts1.txt 1e-12
  done
done
near x3.txt x1.txt 1e-12
for d in 12 2; do
  for kind in dense shell aij; do near few-$kind-$d-ghosts.txt few-$kind-$d-all.txt 1e-14; done
done
ranks 2 "$driver" "${polyak[@]}" -ksp_polyak_exchange some >out 2>err && fail "an unknown exchange was accepted"
stderr_has "there is no exchange of that name (found some, expected auto, all or ghosts)"

# polyak-mpi: the exchange is chosen, and is in the report; a run is saved and resumed.
python - <<'PY'
import random
random.seed(5)
n, d = 6000, 4000
x = [random.gauss(0, 1) for _ in range(d)]
with open("A.mtx", "w") as f, open("b.csv", "w") as b:
    f.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (n, d, 3 * n))
    for i in range(n):
        j = min(i * d // n, d - 3)
        row = [3 * (k == 1) + random.uniform(-1, 1) for k in range(3)]
        for k in range(3):
            f.write("%d %d %.17g\n" % (i + 1, j + k + 1, row[k]))
        b.write("%.17g\n" % sum(row[k] * x[j + k] for k in range(3)))
PY
go=(solve A.mtx b.csv --method minibatch-hbm --batch 600 --ridge 0.1 --tol 1e-12 --seed 5 --quiet)
limited() { "$@" 2>err || [ $? -eq 3 ] || fail "exit code $?: $*"; }
limited "$POLYAK" "${go[@]}" --max-iterations 40 --output x.npy
for n in 2 3; do
  limited ranks $n "$POLYAK-mpi" "${go[@]}" --max-iterations 40 --output x$n.npy --report r.json
  holds r.json 'r["used"]["exchange"].startswith("ghosts: ")'
  near x$n.npy x.npy 1e-12
  limited ranks $n "$POLYAK-mpi" "${go[@]}" --max-iterations 17 --checkpoint run$n.ckpt
  limited ranks $n "$POLYAK-mpi" "${go[@]}" --max-iterations 40 --resume run$n.ckpt --output again.npy
  same again.npy x$n.npy
done
limited "$POLYAK" "${go[@]}" --max-iterations 40 --resume run3.ckpt --output again.npy
near again.npy x.npy 1e-12
