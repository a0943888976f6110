# A recording of one GPU on other machines: integers of 64 bits on TPUs, devices that exchange nothing.
write() { printf 'cyclotron-trace 1\nworkload "labels"\nsamples step=8\ndtype tensors=f32\n%sprovenance "%s"\ntensor %%a s64[1024,1024] input\nstep {\n  phase fwd\n  %%b s64[1024,1024] = elementwise(%%a)\n}\n' "$1" "$2"; }
write 'framework pytorch
' "a step that PyTorch's profiler recorded on H100: 1 kernels" >recorded.trace
write '' "by hand" >hand.trace
write 'framework pytorch
' "by hand" >torch.trace
show() { try cyclotron replay "$@" >out 2>&1; sed -n 's/^\([^ ]*\) takes .* for a step.*/\1 replays/p; /^  dtypes/p; /take s32/p; /^\[/p' out; }
# 4 MiB read and written, where 64 bits are 8 MiB
cyclotron replay recorded.trace -m tpu-v5e-1 --format json | grep -o '"bytes": [0-9]*' | sort | uniq -c | head -3
for m in tpu-v4-8 h100x1; do show recorded.trace -m $m; done
show hand.trace -m tpu-v5e-1
show torch.trace -m tpu-v5e-1
echo "--- scaling"
cyclotron replay recorded.trace -m a100x8 --scale 1,8 | grep exchanges
cyclotron replay recorded.trace -m a100x1 --scale 1 | grep -c exchanges
cyclotron replay tiny.trace -m tpu-v3-8 --scale 1,4 | grep -c exchanges
echo "--- fitted"
cyclotron replay "$root/tests/validation/h100/dlrm.hlo.zst" -m h100x1 | sed -n '/^  expect/p'
