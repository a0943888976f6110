# Rows that are padded: what they take of a step and what they cost; zero rows hide.
cyclotron trace gen exatrkx nodes=640 edges=5120 hidden=32 iterations=2 buckets=2 smallest=50 -o graph.trace
cyclotron trace info graph.trace | grep 'are real'
cyclotron replay graph.trace -m tpu-v3-8 --steps 2 >graph.txt
sed -n '/^padding/,/^$/p' graph.txt
cyclotron replay graph.trace -m tpu-v3-8 | sed -n '/^padding/,/^$/s/  */ /gp'
cyclotron replay graph.trace -m tpu-v3-8 --steps 2 -f json >graph.json
cyclotron replay graph.trace -m tpu-v3-8 --steps 2 -f json --exact | cmp - graph.json && echo "walked, it is the same"
grep -c '"padding": {' graph.json
# the operations add up to the rows
cyclotron replay graph.trace -m tpu-v3-8 --steps 2 -f csv | head -1 | grep -o 'padding.*'
ops=$(grep -o '"padding_seconds": [0-9.e-]*' graph.json | awk '{ sum += $2 } END { printf "%.6g\n", sum }')
all=$(tr -d '\n' <graph.json | sed 's/.*"padding": { *"seconds": \([0-9.e-]*\).*/\1/' | awk '{ printf "%.6g\n", $1 }')
[ "$ops" = "$all" ] && echo "the operations add up to all of it" || echo "$ops is not $all"
# events, samples of a step, samples of an epoch
small='common=1 energy=1 width=32 distance=16'
cyclotron trace gen mlpf batch=2 elements=100 bins=7 real=60 $small -o event.trace
cyclotron replay event.trace -m tpu-v3-8 | sed -n '/^padding/,/^$/p'
cyclotron trace gen fc layers=1 width=64 input=64 output=8 batch=100 epoch=1000 loop=0 remainder=pad -o pad.trace
cyclotron replay pad.trace -m tpu-v3-8 | sed -n '/^padding/,/^$/p; /samples\/s/p'
cyclotron trace gen 3dgan loop=host batch=32 cores=8 x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 -o file.trace
cyclotron replay file.trace -m tpu-v3-8 | sed -n '/^padding/,/^$/p'
# what a pass makes of the trace keeps its padding
cyclotron trace gen exatrkx nodes=640 edges=5120 hidden=32 iterations=2 real_edges=4096 -o edges.trace
cyclotron trace shard edges.trace edges=8 | cyclotron replay - -m tpu-v3-8 | sed -n '/^padding/,/^$/s/  */ /gp'
cyclotron trace shard pad.trace pipeline=2 microbatches=1 2>/dev/null | grep '^padding'
# a step without padding says nothing of it
cyclotron replay tiny.trace -m tpu-v3-8 -f json | grep -c '"padding"'
# less than one sample a step is one
{ sed -n 1,2p tiny.trace; echo 'padding samples real=1 padded=1000'; sed '1,2d' tiny.trace; } >one.trace
cyclotron replay one.trace -m tpu-v3-1 -o one.txt && echo replayed
