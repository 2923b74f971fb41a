# Gradients of large sparse problems: ranks tell each other the columns they share,
# where that is less than all of them, and x is the same to the last bit.
. "$POLYAK_SOURCE/tests/petsc/lib/ranks.bash"
plugin=$(plugin_for petsc)
build_c petsc "$POLYAK_SOURCE/tests/petsc/driver.c" ./driver
polyak=(-skip_petscrc -dll_append "$plugin" -ksp_type polyak -ksp_view)

# 1 to 4 ranks, by all and by ghosts. Rows of a band meet at the borders of ranks:
# four columns there, five where both have rows of one diagonal; a rank in the middle
# has two borders, and sends and receives each twice.
steps=("${polyak[@]}" -n 40000 -d 20000 -band 2 -ksp_max_it 20 -ksp_norm_type none)
for method in "minibatch-hbm -ksp_polyak_batch 4000" "nag -ksp_polyak_ridge 0.5"; do
  for n in 1 2 3 4; do
    expect 0 ranks $n ./driver "${steps[@]}" -ksp_polyak_method $method -ksp_polyak_exchange ghosts -out ghosts$n.txt
    [ $n = 1 ] || stdout_has "sums of ghosts: "
    expect 0 ranks $n ./driver "${steps[@]}" -ksp_polyak_method $method -ksp_polyak_exchange all -out all$n.txt
    [ $n = 1 ] || stdout_has "sums of all: "
    same ghosts$n.txt all$n.txt
    near ghosts$n.txt ghosts1.txt 1e-12
  done
done

# By itself: what the busiest rank says and hears, beside 4d(P-1)/P numbers.
expect 0 ranks 4 ./driver "${steps[@]}" -ksp_polyak_method nag
stdout_has "sums of ghosts: 16 numbers a gradient and rank (all: 60000)"
expect 0 ranks 3 ./driver "${polyak[@]}" -n 40000 -d 20000 -band 2 -ksp_polyak_batch 4000 -ksp_rtol 1e-9 -ksp_monitor -out x3.txt
stdout_has CONVERGED_RTOL
stdout_has "sums of ghosts: 18 numbers a gradient and rank (all: 53336)"
expect 0 ./driver "${polyak[@]}" -n 40000 -d 20000 -band 2 -ksp_polyak_batch 4000 -ksp_rtol 1e-9 -out x1.txt
near x3.txt x1.txt 1e-12

# Rows that touch everything, few columns, dense rows: sums of all.
expect 0 ranks 2 ./driver "${polyak[@]}" -n 2000 -d 600 -ksp_max_it 2 -ksp_norm_type none
stdout_has "sums of all: 1200 numbers a gradient and rank (ghosts: 1200)"
expect 0 ranks 2 ./driver "${polyak[@]}" -d 12 -ksp_max_it 2 -ksp_norm_type none
stdout_has "sums of all: 12 columns are few"
expect 0 ranks 2 ./driver "${polyak[@]}" -mat dense -n 900 -d 600 -ksp_max_it 2 -ksp_norm_type none
stdout_has "sums of all: the rows are dense"
# Where it is asked for, also there; and where ranks have no rows.
for d in 12 2; do
  for kind in dense shell aij; do
    expect 0 ranks 4 ./driver "${polyak[@]}" -mat $kind -n 3 -d $d -ksp_max_it 200 -ksp_norm_type none -ksp_polyak_exchange ghosts -out x4.txt
    stdout_has "sums of ghosts: "
    expect 0 ranks 4 ./driver "${polyak[@]}" -mat $kind -n 3 -d $d -ksp_max_it 200 -ksp_norm_type none -ksp_polyak_exchange all -out all4.txt
    near x4.txt all4.txt 1e-14
  done
done
ranks 2 ./driver "${polyak[@]}" -ksp_polyak_exchange some >out 2>err && fail "an exchange of any name"
stderr_has "there is no exchange of that name (found some, expected auto, all or ghosts)"

# The program: chosen by itself, told in the report, saved and gone on with.
python - <<'PY'
import random
random.seed(5)
n, d = 30000, 20000
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
go=(solve A.mtx b.csv --method minibatch-hbm --batch 3000 --ridge 0.1 --tol 1e-12 --seed 5 --quiet)
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
