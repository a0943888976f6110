# A prediction as an XPlane file: our own reader finds the program in it again, each kernel and its time.
for p in mlpf.tpu-v3-8 exatrkx.tpu-v5e-4 gan3d.tpu-v6e-4; do
    cyclotron replay "$root/traces/programs/$p.hlo.zst" --no-trials -o x.xplane.pb | sed -n '1s/ takes.* for/ takes N for/p' | sed 's/:.*//'
    cyclotron profile x.xplane.pb | sed -n 's/.* measured: [+-]*\([0-9.]*\) %/\1 % off/p; s/^  kernels *[0-9]* with a partner, \([0-9.]* %\).*by name, \(.*\)/\1 by name, \2/p'
done
# steps, programs and operations of a trace that is no program, on any machine
for m in tpu-v3-1 v100x1 xeon-6148; do
    cyclotron replay tiny.trace -m $m --no-trials -o t.xplane.pb >/dev/null
    grep -ao '/device:[A-Z]*:0\|Steps\|XLA Modules\|XLA Ops\|hlo_category\|Hlo Proto' t.xplane.pb | sort -u | tr '\n' ' '
    echo
done
# the same bytes again, and the text beside the file
cyclotron replay tiny.trace -m tpu-v3-1 --no-trials >plain
cyclotron replay tiny.trace -m tpu-v3-1 --no-trials -o a.xplane.pb | cmp - plain
cyclotron replay tiny.trace -m tpu-v3-1 --no-trials -o b.xplane.pb | cmp - plain
cmp a.xplane.pb b.xplane.pb && echo same
try cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,32 -o x.xplane.pb
try cyclotron replay tiny.trace -m tpu-v3-1 -f json -o x.xplane.pb
try cyclotron compare tiny.trace -m tpu-v3-1 -o x.xplane.pb
try cyclotron replay tiny.trace -m tpu-v3-1 -o nowhere/x.xplane.pb
