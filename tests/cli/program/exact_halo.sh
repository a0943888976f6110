# Cores that exchange halos ask one memory at the same moments: the shortcuts of the memory give the bytes of the walk.
cyclotron trace gen exatrkx nodes=2048 edges=8192 hidden=32 -o event.trace
cyclotron trace shard event.trace edges=8 -o halo.trace 2>/dev/null
for machine in tpu-v2-8 tpu-v3-8 tpu-v4-16; do
    cyclotron replay halo.trace -m $machine --no-trials -f csv >folded
    cyclotron replay halo.trace -m $machine --no-trials -f csv --exact | cmp - folded && echo "$machine: the same bytes"
done
