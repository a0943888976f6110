# Want of memory is no fault of a point: it stays open, the exit status tells, and the same command goes on.
grep -q __asan_init "$(command -v cyclotron)" && { echo "sanitizers take more memory than the limit"; exit 77; }
{
    printf 'cyclotron-trace 1\nworkload "large"\nsamples step=8 epoch=800\n'
    printf 'dtype tensors=f32 matmul=bf16 activations=narrow\ntensor %%a f32[8,8] input\n'
    printf 'step {\n  repeat l=1..99999 {\n    %%x f32[8,8] = elementwise(%%a) flops=64\n  }\n}\n'
} >large.trace
with_little() { ulimit -v 250000; "$@"; }
(try with_little cyclotron replay large.trace -m tpu-v3-1 -o never.txt) 2>said
sweep="cyclotron sweep large.trace -m tpu-v3-1 -a mxu.count=1,2 -j 1 --db m.db -o report.txt"
(try with_little $sweep) 2>>said
cyclotron sweep status m.db | sed -n 2p
try $sweep
cyclotron sweep status m.db | sed -n 2p
uniq said
