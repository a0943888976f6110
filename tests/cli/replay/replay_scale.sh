# One step on slices of several sizes.
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32,128 | sed 's/-\{0,1\}[0-9]*\.[0-9]*/N/g; s/ \{2,\}/  /g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --format json | sed 's/[0-9][-0-9.e]*/N/g'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,x; echo "exit $?"
cyclotron replay - -m tpu-v3-8 --scale 8; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8 --format csv; echo "exit $?"
# Nodes of CPUs; part of a box of GPUs, boxes by name, and several of the given one.
cyclotron replay tiny.trace -m xeon-6148 --scale 1,2 | sed 's/-\{0,1\}[0-9]*\.[0-9]*/N/g; s/ \{2,\}/  /g'
cyclotron replay tiny.trace -m v100x8 --scale 1,3,8,16 --format json | grep -o '"machine": "[a-z0-9]*", "cores": [0-9]*, "chips": [0-9]*, "slices": [0-9]*'
cyclotron replay tiny.trace -m a100x4 --scale 2,4,12 --scale-by slices --format json | grep -o '"machine": "[a-z0-9]*", "cores": [0-9]*, "chips": [0-9]*, "slices": [0-9]*'
cyclotron replay tiny.trace -m dgx-1v --scale 2,12; echo "exit $?"
cyclotron replay tiny.trace -m v100x8 --scale 0; echo "exit $?"
# Beyond the machine: more slices of it, if asked.
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 --scale-by slices --format json | grep -o '"chips": [0-9]*, "slices": [0-9]*'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,12 --scale-by slices; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8 --scale-by pods; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale-by slices; echo "exit $?"
echo "--- communication behind an input pipeline that sets the pace"
cat >fed.trace <<'T'
cyclotron-trace 1
samples step=32
tensor %w f32[4096,4096] weight
step {
  %x f32[32,4096], %t f32[32,4096] = infeed()
  %y f32[32,4096] = matmul(%x, %w)
  %dy f32[32,4096] gradient = elementwise(%y, %t)
  %dw f32[4096,4096] gradient = matmul(%x, %dy) ta=1
  all-reduce(%dw)
  optimizer(%w, %dw)
}
T
cyclotron replay fed.trace -m tpu-v3-8 --scale 8,32 | sed -n 's/^  below 0.05 %: //p'
for links in 82 820; do
    cyclotron replay fed.trace -m tpu-v3-32 --set "ici.bandwidth=$links GB/s" --no-trials | head -n 1 | grep -o '[0-9]* samples/s'
done
cyclotron replay fed.trace -m tpu-v3-32 | grep -o 'waits for .* at most' # of what the host does not hide
cyclotron trace gen 3dgan batch=8 -o small.trace
cyclotron replay small.trace -m tpu-v3-8 --scale 8,32 --epochs 2 | grep -c '^run on size .* 2 epochs in '
cyclotron replay small.trace -m tpu-v3-8 --scale 8,32 --epochs 2 -f json | grep -c '"run": {"epochs": 2'
cyclotron replay tiny.trace -m tpu-v3-8 --scale 1,100000; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v3-8 --scale 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; echo "exit $?"
