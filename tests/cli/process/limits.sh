# A few bytes can ask for work without end; what is more than usual is refused, and an option allows it.
head='cyclotron-trace 1
workload "many"
samples step=8 epoch=800
dtype tensors=f32 matmul=bf16 activations=narrow
tensor %a f32[8,8] input'
{
    echo "$head"
    yes 'step {
  %y f32[8,8] = elementwise(%a) flops=64
}' | head -n 30003
} >steps.trace
try cyclotron replay steps.trace -m tpu-v3-1
cyclotron replay steps.trace -m tpu-v3-1 --allow steps=20000 | head -n 1
# every command that reads a trace takes the option
cyclotron trace check steps.trace --allow steps=20000
for verb in check info cat 'pack -o no.zst' 'shard data=2' 'remat segments=2' 'export -o no.et'; do
    cyclotron trace ${verb%% *} tiny.trace $(expr "$verb " : '[a-z]* \(.*\)') --allow operations=3 >no || echo "exit $?"
done
try cyclotron scan tiny.trace -m tpu-v3-8 --allow operations=3
try cyclotron sweep tiny.trace -m tpu-v3-8 -a mxu.count=1,2 --allow operations=3
try cyclotron sweep tiny.trace -m tpu-v3-8 -a shard.data=8 --allow operations=3 --db cut.db
try cyclotron sweep tiny.trace -m tpu-v3-8 -a mxu.count=1,2 --allow stepz=1
try cyclotron trace cat tiny.trace --allow grid-steps=1
{
    echo "$head"
    echo 'step {'
    echo '  repeat l=1..99999 {'
    echo '    %x f32[8,8] = elementwise(%a) flops=64'
    echo '    %y f32[8,8] = elementwise(%x) flops=64'
    echo '    %z f32[8,8] = elementwise(%y) flops=64'
    echo '    %w f32[8,8] = elementwise(%z) flops=64'
    echo '  }'
    echo '}'
} >operations.trace
try cyclotron replay operations.trace -m tpu-v3-1
try cyclotron trace check operations.trace
try cyclotron replay tiny.trace -m tpu-v3-1 --allow operations=3
try cyclotron replay tiny.trace -m tpu-v3-1 --allow operands=3
try cyclotron replay tiny.trace -m tpu-v3-1 --allow lines=9
try cyclotron replay tiny.trace -m tpu-v3-1 --allow names=3
try cyclotron replay tiny.trace -m tpu-v3-1 --allow text=100
try cyclotron replay tiny.trace -m tpu-v3-1 --allow steps=0
try cyclotron replay tiny.trace -m tpu-v3-1 --allow steps=9223372036854775808
try cyclotron replay tiny.trace -m tpu-v3-1 --allow stepz=1
try cyclotron replay tiny.trace -m tpu-v3-1 --allow steps
# grid steps, and the refreshes that a kernel lasts
try cyclotron replay tiny.trace -m tpu-v3-1 --allow grid-steps=3
try cyclotron op matmul m=64 n=64 k=184467440765 -m v100 --allow grid-steps=1000000
try cyclotron op matmul m=64 n=64 k=64 -m v100 --allow steps=3
# a range is as many operands, a turn as many lines and bytes as it holds, whatever they are
printf 'cyclotron-trace 1\nrepeat l=0..99 {\n  tensor %%w f32[1] weight\n}\nstep {\n  all-reduce(%%w[0..99], %%w[99..0])\n  all-reduce(%%w[7])\n}\n' >ranges.trace
cyclotron trace check ranges.trace --allow operands=201
try cyclotron trace check ranges.trace --allow operands=200
printf 'cyclotron-trace 1\ntensor %%x f32[8] weight\nstep {\n  repeat l=0..99999 {\n    phase a\n    repeat 2 {\n    }\n  }\n  %%y f32[8] = elementwise(%%x)\n}\n' >turns.trace
cyclotron trace check turns.trace --allow lines=400006
try cyclotron trace check turns.trace --allow lines=400005
# bytes of the file are counted by themselves; a turn has 37, and 99,999 are not the first
cyclotron trace check turns.trace --allow text=3699963
try cyclotron trace check turns.trace --allow text=3699962
# stages that no slice has take no memory
printf 'cyclotron-trace 1\nsamples step=8 cores=8 stages=4294967295\ntensor %%x f32[8] weight stage=0\nstep {\n  %%y f32[8] = elementwise(%%x) stage=0\n}\n' >stages.trace
try cyclotron replay stages.trace -m tpu-v3-8
# grid steps that a kernel states: too many for any, for an hour, and for none of them
for n in 9223372036854775807 4611686018427387903 1099511627777 1099511627776; do
    printf '%s\n' 'cyclotron-trace 1' 'tensor %x f32[8] weight' 'step {' "%y f32[8] = kernel(%x) grid=$n" '}' >grid.trace
    try cyclotron replay grid.trace -m tpu-v3-8
    try cyclotron replay grid.trace -m tpu-v4-8 -s core.step_overhead=0 -s 'hbm.request_overhead=1 MiB'
done
# a frame of a kilobyte that becomes gigabytes
if command -v zstd >no; then
    { echo "$head"; yes "# $(printf %4000s)" | head -c 1200000000; } | zstd -q >text.trace.zst
    try cyclotron replay text.trace.zst -m tpu-v3-1
fi
