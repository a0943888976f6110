# What a loop on the host adds to a trace or a compiled program, by --host.
cyclotron trace gen fc layers=2 -o fc.trace
seconds() { cyclotron replay "$@" --no-trials -f json | grep -m 1 '"seconds_per_step"'; }
# fc's own parameters say the same
for k in fallback=yes:fallback=loss.softmax_xent shapes=1000:shapes=1000; do
    cyclotron trace gen fc layers=2 "${k%%:*}" -o own.trace
    [ "$(seconds own.trace -m tpu-v3-8)" = "$(seconds fc.trace -m tpu-v3-8 --host "${k##*:}")" ] && echo "${k##*:} is ${k%%:*}"
done
# the trace that runs, to be changed by hand: 512 x 1000 elements on each of 8 cores of a host, 27 kernels
cyclotron replay fc.trace -m tpu-v3-8 --host item=2 --host fallback='loss.soft*' --host shapes=50 --host element-time=3ns --dump=load |
    grep 'host\|compile\|every=50 ' | sed 's/(.*)/(...)/'
# a fusion goes as a whole, 2 x 8 elements on 8 cores; one with a product is refused
try cyclotron replay fc.trace -m tpu-v3-8 --host fallback=fc0.bias_relu --dump=load
sed 's/^step {/&\n  fusion %b {\n    %a f32[8] = elementwise(%fc0.b, %fc1.b) name="deep" flops=8\n    %b f32[8] = elementwise(%a, %fc0.b) flops=8\n  }/' fc.trace >fused.trace
cyclotron replay fused.trace -m tpu-v3-8 --host fallback=deep --dump=load | grep '%b \|%a '
# a program that the compiler made has no host: item, shapes, input; 100 steps of 16 us
ln -s "$root/traces/programs/exatrkx.tpu-v5e-4.hlo.zst" program.hlo.zst
cyclotron replay program.hlo.zst --no-trials | grep -c 'no host feeds'
cyclotron replay program.hlo.zst --no-trials --host input=10MB --host storage=20MB --host item=1 --host shapes=100 | grep -c 'no host feeds\|waits for XLA to compile (compile)'
cyclotron replay program.hlo.zst --no-trials --host item=1 | grep -o 'with item=1, 1 step'
# GPUs and nodes: 60 s once in 100 steps are 0.6 s a step; ten reads wait ten times
for m in v100x1 xeon-6148; do
    a=$(seconds fc.trace -m $m | grep -o '[0-9.e-]*,' | tr -d ,)
    b=$(seconds fc.trace -m $m --host shapes=100 --host compile-time=60s | grep -o '[0-9.e-]*,' | tr -d ,)
    c=$(seconds fc.trace -m $m --host item=10 | grep -o '[0-9.e-]*,' | tr -d ,)
    echo "$a $b $c" | awk '{ printf "%.2f s more, %s\n", $2 - $1, ($3 > $1) ? "slower by reading" : "as fast" }'
done
cyclotron compare fc.trace -m v100x1 -m tpu-v3-8 --host item=1 | head -n 1
try cyclotron replay fc.trace -m v100x1 --host shapes=100
try cyclotron replay fc.trace -m v100x1 --host shape=100
try cyclotron replay fc.trace -m v100x1 --host item
try cyclotron replay fc.trace -m v100x1 --host item=0
try cyclotron replay fc.trace -m v100x1 --host item=1 --host item=2
try cyclotron replay fc.trace -m v100x1 --host fallback=loss.softmax_xen
try cyclotron replay fc.trace -m v100x1 --host fallback=out.bwd_w
try cyclotron replay fc.trace -m v100x1 --host fallback=grad_allreduce
try cyclotron replay fc.trace -m v100x1 --host input=1MB
try cyclotron replay fc.trace -m v100x1 --host storage=1MB
try cyclotron replay fc.trace -m v100x1 --host element-time=1us
try cyclotron replay program.hlo.zst --host input=auto
