# A generated trace whose step depends on the slice is derived again for each size; an edited one is refused.
cyclotron trace gen 3dgan loop=host batch=4 x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 -o eight.trace
cyclotron trace gen 3dgan loop=host batch=4 x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 cores=32 -o pod.trace
takes() { cyclotron replay "$@" | sed -n 's/ for a step.*//p; s/^ *written for/written for/p'; }
takes eight.trace -m tpu-v3-8
takes eight.trace -m tpu-v3-32
takes pod.trace -m tpu-v3-32
takes pod.trace -m tpu-v3-8
cyclotron replay eight.trace -m tpu-v3-8 --scale 8,16,32
cyclotron replay eight.trace -m tpu-v3-8 --scale 8,32 -f json | grep -o '"trace_[a-z_]*": [0-9a-z]*'
cyclotron trace info eight.trace | grep 'written for'
cyclotron trace info eight.trace -f json | grep -o '"written_for_cores": [0-9]*\|"derived_for_others": [a-z]*'
# a batch that the cores divide
cyclotron trace gen fc layers=1 width=64 input=64 output=8 batch=512 loop=0 -o fc.trace
cyclotron replay fc.trace -m tpu-v3-8 --scale 8,32 | head -3
cyclotron replay fc.trace -m tpu-v3-32 --exact -f json >exact.json
cyclotron replay fc.trace -m tpu-v3-32 -f json | cmp - exact.json && echo "walked, it is the same"
grep -o '"trace_written_for_cores": [0-9]*\|"trace_derived": [a-z]*' exact.json
cyclotron compare fc.trace -m tpu-v3-8 -m tpu-v2-8 -m tpu-v3-1 -m tpu-v3-32 | tail -1
cyclotron compare fc.trace -m tpu-v3-8 -m tpu-v2-8 | grep -c derived
# the loop on the device does not depend on the slice
cyclotron trace gen 3dgan batch=2 x=14 y=17 z=13 -o graph.trace
cyclotron trace info graph.trace | grep -c 'written for'
takes graph.trace -m tpu-v3-32
# changed by hand
sed 's/"2.32 ms"/"1 ms"/' eight.trace >mine.trace
takes mine.trace -m tpu-v3-8
try cyclotron replay mine.trace -m tpu-v3-32
cyclotron trace gen 3dgan batch=4 x=14 y=17 z=13 d_filters=1 g_filters=1 g_seed=1 loop=host cores=32 | cmp - pod.trace && echo "the command writes it"
# an axis of sizes is taken at its word
cyclotron sweep gen:fc layers=1 width=64 input=64 output=8 batch=512 -m tpu-v3-8 --axis gen.cores=8,32 --db c.db -o /dev/null
cyclotron sweep report c.db | sed -n '/^failed/,$p'
# four times the cores for the same batch: efficiency is a quarter of the speed-up, and the losses are the rest
cyclotron replay fc.trace -m tpu-v3-8 --scale 8,32 -f json | tr -d '\n' | sed 's/.*"size": 32//' | tr ',{}' '\n\n\n' | awk -F': ' '
/speedup/ { up = $2 } /efficiency/ { e = $2 } /"loss"/ { parts = 1; next } parts && NF > 1 { sum += $2; n++ } n && NF < 2 { parts = 0 }
END { d = e - up / 4; s = 1 - e - sum; print (d * d < 1e-12 && s * s < 1e-12 && up > 0 ? "adds up" : "does not add up: " d " " s) }'
# 25 files of 5000 images are 2 steps each: 124987 images in 50 steps of 69.32 s are 36.06 a second, the rest is padding
cyclotron trace gen 3dgan loop=host -o h.trace
cyclotron compare h.trace -m tpu-v3-8 -m tpu-v3-32 | sed -n 's/  */ /g; /^fastest/p; /padding/,$p'
