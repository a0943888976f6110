# A second value of what has only one is an error: the first would be lost in silence.
try cyclotron replay tiny.trace -m tpu-v3-1 --vcd a.vcd --vcd=b.vcd
try cyclotron replay tiny.trace -m tpu-v3-1 -oa.txt -xo b.txt
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --machine tpu-v2-1
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --set mxu.count=1 --set 'mxu.count = 2'
try cyclotron op matmul -m tpu-v3-1 $(awk 'BEGIN { while (n++ < 1001) print "-sa.b" n "=1" }')
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 --allow grid-steps=5000 --allow grid-steps=6000
try cyclotron network radix=2x2 --allow hops=1e9 --allow hops=1e8
try cyclotron trace gen fc batch=64 width=8 batch=128
try cyclotron profile tiny.trace --calibrate=a.ini --calibrate
# a sweep, whose statements come from a plan as well
set -- gen:fc -m tpu-v3-8 --axis mxu.count=1,2 --db a.db
try cyclotron sweep "$@" --seed 1 --seed 2
try cyclotron sweep "$@" --set mxu.issue=0.9 --set mxu.issue=0.8
try cyclotron sweep gen:fc batch=64 batch=128 -m tpu-v3-8 --axis mxu.count=1,2 --db a.db
printf '[sweep]\ntrace = gen:fc\nmachine = tpu-v3-8\nseed = 1\n[axis]\nmxu.count = 1,2\n' >a.ini
try cyclotron sweep --plan a.ini --seed 2
# what adds up, or says the same again
try cyclotron network radix=2x2 rate=0.1 --allow hops=1e9 --allow memory=1GB >/dev/null
try cyclotron sweep --plan a.ini --seed 1 -x -x --where 'mxu.count < 3' --where 'mxu.count > 0' --db a.db >/dev/null
try cyclotron replay tiny.trace -m tpu-v3-1 -x -x --set mxu.count=1 --set mxu.issue=0.9 >/dev/null
ls
# a parameter that is an axis too: its value is the baseline's
cyclotron sweep tiny.trace -m tpu-v3-8 --set mxu.count=1 --axis mxu.count=1,2 --db b.db | grep 'done\|baseline, '
cyclotron sweep gen:fc batch=128 -m tpu-v3-8 --axis gen.batch=64,128 --db c.db | grep 'done\|baseline, '
cyclotron sweep tiny.trace -m tpu-v3-8 --set proxy.board=1 --axis proxy.board=1,2 --db d.db | grep 'done'
# what a command sets of itself makes way for the user's
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,24 --set ici.algorithm=ring | grep -c '^ *24 '
cyclotron replay tiny.trace -m tpu-v3-8 --scale 8,16 --scale-by slices --set dcn.slices=1 | grep -c '^ *16 '
