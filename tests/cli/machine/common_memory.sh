# values in the common memory of TPU v4 run there; another machine refuses them by name, and runs a
# program that it cuts anew
cat >hand.trace <<'T'
cyclotron-trace 1
workload "t"
samples step=1
dtype tensors=f32 matmul=bf16 activations=keep
tensor %a f32[1024,1024]{1,0:T(8,128)S(3)} input
step {
  %b f32[1024,1024] = elementwise(%a) fn=add
}
T
cat >program.trace <<'T'
cyclotron-trace 1
workload "t"
samples step=1
dtype tensors=f32 matmul=bf16 activations=keep
program compiler="XLA" megacore=1 scheduled=1
tensor %a f32[1024,1024]{1,0:T(8,128)} input
step {
  %b f32[1024,1024]{1,0:T(8,128)S(3)} = kernel(%a) form=copy grid=2x1 fetch=4194304 store=0 vmem=1048576
  %c f32[1024,1024]{1,0:T(8,128)} = kernel(%b) form=vector grid=2x1 fetch=0 store=4194304 vmem=1048576 vector=add:1048576
}
T
try cyclotron replay hand.trace -m tpu-v6e-1
try cyclotron replay hand.trace -m tpu-v6e-1 --retile
try cyclotron replay program.trace -m tpu-v3-1
for t in hand program; do cyclotron replay $t.trace -m tpu-v4-8 >out.txt; echo $?; done
cyclotron replay program.trace -m tpu-v3-1 --retile >out.txt
echo $?
