# The same bits for any number of threads, whatever the method.
. "$POLYAK_SOURCE/tests/cli/lib/assert.bash"

for threads in 1 3; do
  "$POLYAK" generate spectrum --rows 3000 --cols 40 --noise 0.1 --seed 3 --threads $threads \
    --output p$threads --quiet
done
for file in A b x x_ls; do same p1/$file.npy p3/$file.npy; done
"$POLYAK" generate sampling --rows 3000 --cols 40 --seed 3 --output s --quiet

for method in gd hbm nag sgd rk minibatch-sgd minibatch-hbm minibatch-nag ark cgls lsqr direct; do
  case $method in minibatch-*) batch="--batch 700" ;; *) batch="" ;; esac
  for data in p1/A.npy,p1/b.npy s/A.mtx,s/b.npy; do
    for threads in 1 2 3 7; do
      # Exit code 3, the limit, is fine: the bits count here.
      "$POLYAK" solve ${data/,/ } --method $method $batch --max-passes 20 --tol 1e-14 --seed 5 \
        --threads $threads --output x$threads.npy --quiet || [ $? -eq 3 ] || fail "$method, $data"
    done
    for threads in 2 3 7; do cmp x1.npy x$threads.npy || fail "$method, $data, $threads threads"; done
  done
done
