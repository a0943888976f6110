# The largest batch that a memory holds, and the machines that hold a batch.
cyclotron trace gen 3dgan x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 batch=4 epoch=8000 -o gan.trace
small="--set hbm.capacity=65MiB --set hbm.reserved=0B"
most() { cyclotron batch gan.trace -m "$@" $small -f json | grep -o '"batch": [0-9]*' | grep -o '[0-9]*'; }
fits() { cyclotron batch gan.trace -m tpu-v3-1 $small -b "$1" -f json | grep -o '"fits": [a-z]*' | head -n 1; }
n=$(most tpu-v3-1)
[ "$n" -gt 4 ] && echo "more than the trace has"
fits "$n"
fits $((n + 1))
# the same from above
cyclotron trace gen 3dgan x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 batch=4000 epoch=8000 -o gan.trace
[ "$(most tpu-v3-1)" = "$n" ] && echo "from above it is the same"
cyclotron batch gan.trace -m v100x1 -m xeon-6148 $small | sed -n 's/=[0-9]*/=N/g; s/[0-9.]* GB\|[0-9.]* MiB/N/g; /^[a-z0-9-]* batch/s/  *.*fits//; 1,4s/, .*//p'
# not even one sample
cyclotron batch gan.trace -m tpu-v3-1 --set hbm.capacity=1MiB --set hbm.reserved=0B | sed -n '/^tpu/s/ chips.*//; /^tpu/s/  */ /gp' | cut -d ' ' -f 1-3
# a peak of all bytes fits, of one more it does not
cyclotron trace gen 3dgan x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 batch=4 epoch=8000 -o exact.trace
peak=$(cyclotron batch exact.trace -m tpu-v3-1 -b 4 -f json | grep -o 'peak_bytes_per_core": [0-9]*' | head -n 1 | grep -o '[0-9]*$')
for bytes in $((2 * peak)) $((2 * peak - 2)); do
    cyclotron batch exact.trace -m tpu-v3-1 --set "hbm.capacity=$bytes B" --set hbm.reserved=0B -f json | grep -o '"batch": [0-9]*'
done
# no more than the workload may have
cyclotron batch exact.trace -m tpu-v3-1 --set hbm.capacity=16TiB --set hbm.reserved=0B -f json | grep -o '"batch": [0-9]*'
cyclotron batch exact.trace -m tpu-v3-1 -m tpu-v2-1 --set hbm.capacity=16TiB --set hbm.reserved=0B | grep '^the generator'
cyclotron batch exact.trace -m tpu-v3-1 --set hbm.capacity=16TiB --set hbm.reserved=0B -f json | grep -o '"batch_is_most": [a-z]*'
cyclotron batch exact.trace -m tpu-v3-1 $small | grep -c '^the generator'
try cyclotron batch exact.trace -m tpu-v3-1 -b 4097 2>&1
# the smallest of each generation, cards and nodes of CPUs
cyclotron batch gan.trace -b 8 -f json | grep -o '"machine": "[a-z0-9-]*"\|"smallest": .*'
# other traces: one for each batch
sed 's/^step/# mine\nstep/' gan.trace >edited.trace
cyclotron batch edited.trace -m tpu-v3-1 | grep '^largest'
try cyclotron batch edited.trace -m tpu-v3-1 -b 8
try cyclotron batch tiny.trace -m tpu-v3-1 -b 8
sed '/^param/d' gan.trace >big.trace
cyclotron trace gen 3dgan x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 batch=2 epoch=8000 | sed '/^param/d' >two.trace
cyclotron trace gen 3dgan x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 batch=8 epoch=8000 | sed '/^param/d' >eight.trace
cyclotron batch two.trace big.trace eight.trace -m tpu-v3-1 $small | grep '^[a-z]*.trace on' | cut -d ' ' -f 1-3
try cyclotron batch two.trace big.trace -b 4
# a compiled program has one batch: which would fit, were memory in proportion; by default on its own machine
ln -s "$root/traces/programs/mlpf.tpu-v3-8.hlo.zst" program.hlo.zst
cyclotron batch program.hlo.zst | grep -o '^largest batch.*\|^tpu[^ ]*'
cyclotron batch program.hlo.zst -f json | grep -o '"in_proportion[^}]*}'
cyclotron batch program.hlo.zst -m tpu-v3-8 --set hbm.capacity=8GiB --set hbm.reserved=0B | grep -o '^none.*\|^largest batch.*'
try cyclotron batch program.hlo.zst -b 4
# of programs for several machines each machine takes its own
ln -s "$root/traces/programs/mlpf.tpu-v4-8.hlo.zst" other.hlo.zst
cyclotron batch program.hlo.zst other.hlo.zst -m tpu-v3-8 -m tpu-v4-8 | grep -o '^[a-z.]*zst on [a-z0-9-]*  *[a-z]*'
echo "--- without -m on the machine of each program, once"
ln -s program.hlo.zst again.hlo.zst
cyclotron batch program.hlo.zst other.hlo.zst again.hlo.zst | grep -o '^[a-z.]*zst on [a-z0-9-]*  *[a-z]*'
cyclotron batch other.hlo.zst program.hlo.zst -f json | grep -o '"machine": "[^"]*"'
try cyclotron batch program.hlo.zst gan.trace
try cyclotron batch program.hlo.zst other.hlo.zst -m v100x1 | grep -v '^$'
try cyclotron batch gan.trace
try cyclotron batch - -m tpu-v3-1
try cyclotron batch gan.trace -m tpu-v3-1 -b 0
try cyclotron batch gan.trace -m tpu-v3-1 -b 5000
