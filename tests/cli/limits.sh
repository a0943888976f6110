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
try cyclotron replay tiny.trace -m tpu-v3-1 --allow names=3
try cyclotron replay tiny.trace -m tpu-v3-1 --allow text=100
try cyclotron replay tiny.trace -m tpu-v3-1 --allow steps=0
try cyclotron replay tiny.trace -m tpu-v3-1 --allow stepz=1
try cyclotron replay tiny.trace -m tpu-v3-1 --allow steps
# grid steps, and the refreshes that a kernel lasts
try cyclotron replay tiny.trace -m tpu-v3-1 --allow grid-steps=3
try cyclotron op matmul m=64 n=64 k=184467440765 -m v100 --allow grid-steps=1000000
try cyclotron op matmul m=64 n=64 k=64 -m v100 --allow steps=3
# a frame of a kilobyte that becomes gigabytes
if command -v zstd >no; then
    { echo "$head"; head -c 1200000000 /dev/zero | tr '\0' '\n'; } | zstd -q >text.trace.zst
    try cyclotron replay text.trace.zst -m tpu-v3-1
fi
