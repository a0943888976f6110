# A step that keeps less: which way is taken, and plans that cannot be.
cyclotron trace gen exatrkx iterations=2 -o event.trace
cyclotron trace remat event.trace -o least.trace
cyclotron trace remat event.trace fit=7GiB -o fits.trace
cyclotron trace remat event.trace segments=phases -o phases.trace
# of the ways that fit the one with the least work, which keeps products
cyclotron trace remat event.trace fit=9GiB -o roomy.trace
for t in event least fits roomy phases; do
    grep -o 'rematerialised.*"' $t.trace
    cyclotron trace check $t.trace | sed 's/, checksum.*//'
done
cyclotron trace remat least.trace -o never.trace
cyclotron trace remat event.trace segments=4 fit=1GiB -o never.trace
cyclotron trace remat event.trace keep=none fit=1GiB -o never.trace
cyclotron trace remat event.trace fit=30GiB -o never.trace
cyclotron trace remat event.trace segment=3 -o never.trace
cyclotron trace shard event.trace edges=8 | cyclotron trace remat - segments=6 | cyclotron trace check - | sed 's/, checksum.*//'
ls
echo "--- for a machine: what its kernels and processes need counts too"
for m in v100x1 tpu-v2-8; do
    cyclotron trace remat event.trace fit=$m -o on.trace
    cyclotron replay on.trace -m $m --no-trials | grep -o '^  memory   fits\|^  memory   DOES NOT FIT'
done
cyclotron trace remat event.trace fit=a100x1 -o never.trace
cyclotron trace remat event.trace fit=v100x -o never.trace
cyclotron trace remat event.trace fit=v100x1 segments=3 -o never.trace
cyclotron trace cat event.trace | cyclotron trace remat - fit=v100x1 -o never.trace
echo "--- remedies of memory are made before they are said to fit"
cyclotron trace gen 3dgan batch=256 -o gan.trace
cyclotron replay event.trace -m v100x1 | grep -o 'rematerialise (.*\|shard .*'
cyclotron replay event.trace -m v100x1 --no-trials | grep -o 'rematerialise (.*'
cyclotron replay gan.trace -m tpu-v2-1 --set hbm.capacity=4GiB | grep -o 'use a batch .*\|shard .*'
cyclotron replay gan.trace -m tpu-v2-1 --set hbm.capacity=4GiB --no-trials | grep -o 'use a batch .*'
