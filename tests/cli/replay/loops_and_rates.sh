# Turns that are left out beside products of 8 bits, which have twice the rate: ten times the turns take ten times as long
for turns in 20000 200000; do
    cat >mixed.trace <<EOF
cyclotron-trace 1
workload "mixed"
samples step=1
dtype tensors=bf16 matmul=bf16
tensor %x bf16[4096,4096] input
tensor %w bf16[4096,4096] weight
tensor %p s8[2048,2048] input
tensor %q s8[2048,2048] weight
step {
  %r s32[2048,2048] = matmul(%p, %q)
  repeat $turns {
    %y bf16[4096,4096] = matmul(%x, %w)
  }
  %s s32[2048,2048] = matmul(%p, %q)
}
EOF
    cyclotron replay mixed.trace -m tpu-v5e-1 --no-trials >out.txt || exit 1
    head -1 out.txt
    grep -c '^  loops' out.txt
done
