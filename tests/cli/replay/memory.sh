# 60,000 operations take 4 kB each at most, of 8 cores; with a timeline, which has all 8 simulated, 8 kB.
grep -q __asan_init "$(command -v cyclotron)" && { echo "sanitizers take more memory than the limit"; exit 77; }
{
    printf 'cyclotron-trace 1\nworkload "large"\nsamples step=8 epoch=800\n'
    printf 'dtype tensors=f32 matmul=bf16 activations=narrow\ntensor %%a f32[8,8] input\n'
    printf 'step {\n  repeat l=1..60000 {\n    %%x f32[8,8] = elementwise(%%a) flops=64\n  }\n}\n'
} >large.trace
within() { (ulimit -v "$1" && shift && "$@" -o out.txt) && echo "enough"; }
within 240000 cyclotron replay large.trace -m tpu-v3-8
within 480000 cyclotron replay large.trace -m tpu-v3-8 --perfetto=line.pf
