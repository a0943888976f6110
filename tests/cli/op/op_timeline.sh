# one operation over time, in each form
cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 >plain
cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 --perfetto op.pftrace --html op.html --vcd op.vcd >with
cmp plain with && ls
grep -c 'lhs' op.pftrace
grep -o '"timeline":{"bin_seconds"' op.html
cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 -o again.pftrace | cmp - plain && cmp op.pftrace again.pftrace
cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 --trace '*.op_text' --trace '*.waits' -o few.vcd >/dev/null
grep '^$var' few.vcd
try cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 --dump=tasks --perfetto a.pftrace
try cyclotron op hbm pattern=triad -m tpu-v3-1 --perfetto a.pftrace
try cyclotron op matmul m=512 n=512 k=512 -m tpu-v3-1 --trace '*.op_txt' --vcd a.vcd
