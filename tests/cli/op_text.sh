# One screen for one operation: the verdict, its causes, the units that had work.
cyclotron op matmul m=300 n=200 k=100 -m tpu-v2-1 --set 'core.clock=1 GHz'
echo ---
cyclotron op all-reduce bytes=4MiB dtype=f32 -m tpu-v3-8
echo ---
cyclotron op add shape=100000x100000 -m tpu-v2-1 | grep -A 2 memory
