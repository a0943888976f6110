# One screen for one operation: the verdict, its causes, the units that had work.
cyclotron op matmul m=300 n=200 k=100 -m tpu-v2-1 --set 'core.clock=1 GHz'
echo ---
cyclotron op all-reduce bytes=4MiB dtype=f32 -m tpu-v3-8
echo ---
cyclotron op add shape=100000x100000 -m tpu-v2-1 | grep -A 2 memory
echo ---
# Products of its dtype that were measured on the chip; f32 in tensor cores is TF32.
for set in 'dtype=f16 -m v100x1' 'dtype=f32 -m v100x1' 'dtype=f32 precision=high -m h100x8' 'dtype=bf16 -m h200x1'; do
    echo "$set"
    cyclotron op matmul m=512 n=512 k=512 $set | grep -o 'products of GPUs.*: [0-9]* figures' || echo none
done
