# Every collective, its groups and algorithms: read, printed again, run on one chip for all and on all.
cat >c.trace <<'END'
cyclotron-trace 1
workload "t"
tensor %x f32[80] input
step {
  %r f32[10] = reduce-scatter(%x) group=8 group-stride=1 algorithm=ring
  %p f32[80] = collective-permute(%x) shift=2
  %t f32[80] = all-to-all(%x) group=4 group-stride=2
  collective-broadcast(%x) algorithm=tree
  barrier()
  %h u32[] = all-to-all-start(%x)
  %v f32[80] = all-to-all-done(%h)
  all-reduce(%x) algorithm=line combine=4096
}
END
cyclotron trace cat c.trace
cyclotron replay c.trace -m tpu-v3-8 --format json >folded
cyclotron replay c.trace -m tpu-v3-8 --format json --exact >walked
cmp folded walked && echo same
sed -i 's/algorithm=tree/algorithm=tre/' c.trace
cyclotron trace check c.trace; echo "exit $?"
cyclotron op all-to-all bytes=4096 group=4 group-stride=3 -m tpu-v3-8; echo "exit $?"
cyclotron op all-reduce bytes=4096 algorithm=rings -m tpu-v3-8; echo "exit $?"
cyclotron op all-reduce bytes=4096 algorithm=halving -m tpu-v3-8; echo "exit $?"
cyclotron op all-to-all bytes=4096 algorithm=halving -m tpu-v3-8; echo "exit $?"
cyclotron op all-to-all bytes=4096 algorithm=ring -m tpu-v3-8; echo "exit $?"
