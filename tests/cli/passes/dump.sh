# The step after a pass, instead of what the command is for.
cat > t.trace <<'T'
cyclotron-trace 1
samples step=8
dtype tensors=f32 matmul=bf16 activations=narrow
tensor %w f32[128,128] weight
tensor %v f32[128,128] weight
step {
phase fwd
%x f32[8,128] = infeed()
%h f32[8,128] = matmul(%x, %w)
%r f32[8,128] = elementwise(%h)
%y f32[8,128] = matmul(%r, %v)
phase bwd
%d f32[8,128] gradient = elementwise(%y)
%dv f32[128,128] gradient = matmul(%r, %d) ta=1
all-reduce(%dv)
optimizer(%v, %dv)
}
T
for p in load narrow placement liveness footprint; do try cyclotron replay t.trace -m tpu-v3-8 --dump=$p; done
# the product puts both halves side by side itself
cat > halves.trace <<'T'
cyclotron-trace 1
samples step=8
dtype tensors=f32 matmul=bf16 activations=keep
tensor %w f32[256,128] weight
step {
phase fwd
%x f32[8,128] = infeed()
%h f32[8,128] = elementwise(%x)
%c f32[8,256] = copy(%x, %h)
%y f32[8,128] = matmul(%c, %w)
}
T
try cyclotron replay halves.trace -m tpu-v3-8 --dump=join
rm halves.trace
# what is printed is a trace
cyclotron replay t.trace -m tpu-v3-8 --dump=footprint | cyclotron trace check - | sed 's/, checksum.*//'
try cyclotron replay t.trace -m tpu-v3-8 --dump=narow
try cyclotron replay t.trace -m tpu-v3-8 --dump=narrow --format json
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --dump=narrow
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --dump=shard
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --dump=task
# cuts: the pass that runs, and the one that does not
for c in "data=2 model=2" "server=sync" "pipeline=2 microbatches=2 data=2"; do
    p=shard; [ "${c#pipe}" = "$c" ] || p=pipeline
    cyclotron trace shard t.trace $c > cut.trace
    cyclotron trace shard t.trace $c --dump=$p | cyclotron trace cat - > dumped.trace
    cyclotron trace cat cut.trace | cmp - dumped.trace && echo same
done
try cyclotron trace shard t.trace data=2 --dump=pipeline
try cyclotron trace shard t.trace data=2 --dump=lod
cyclotron trace cat t.trace > canonical.trace
cyclotron trace remat t.trace --dump=load | cmp - canonical.trace && echo same
try cyclotron trace remat t.trace --dump=remta
# a machine that keeps activations in fewer bits does so where the trace lets it
sed 's/activations=narrow/activations=keep/' t.trace > keep.trace
cyclotron replay keep.trace -m tpu-v3-8 --dump=narrow | cyclotron trace cat - > kept.trace
cyclotron trace cat keep.trace | cmp - kept.trace && echo kept
cyclotron trace shard t.trace data=2 --dump=load | cmp - canonical.trace && echo same
try cyclotron replay t.trace -m tpu-v3-8 --dump=load --html run.html
try cyclotron replay t.trace -m tpu-v3-8 --dump=load --steps 2
rm -f canonical.trace cut.trace dumped.trace keep.trace kept.trace t.trace
