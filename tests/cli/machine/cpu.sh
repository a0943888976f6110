# nodes of CPUs: operations, a replay, what is compared, swept and shown, and what they refuse
cyclotron op matmul m=4096 n=4096 k=4096 dtype=f32 -m xeon-6148 | head -12
cyclotron op scatter rows=102400 cols=256 table=102400 dtype=f32 -m epyc-7742x2 | head -10
cyclotron op sort shape=16x6400 dtype=f32 -m xeon-6148 | head -2
cyclotron op elementwise shape=102400x256 dtype=f32 -m xeon-6148 --dump=tasks | grep -A9 'task 0'
cyclotron replay tiny.trace -m xeon-6148 >plain
sed -n '/^time by cause/,/^utilization/p' plain
cyclotron replay tiny.trace -m xeon-6148 --exact | grep -v '^  trace ' >exact
grep -v '^  trace ' plain | cmp - exact && echo same
cyclotron replay tiny.trace -m xeon-6148 --html=r.html --perfetto=r.pftrace --vcd=r.vcd >seen
# a page tries what it advises, which its text says
for f in plain seen; do grep -v '^  trials ' $f >$f.step; done
cmp plain.step seen.step && echo same
grep -c '</html>' r.html
test -s r.pftrace && echo perfetto
cyclotron replay tiny.trace -m xeon-6148 --format=csv | cut -d, -f1-12 | head -3
cyclotron compare tiny.trace -m xeon-6148 -m epyc-7742x2 -m v100x1 -m tpu-v3-8 | grep -E '^(machine|xeon|epyc)'
for e in eager graph xla; do
    cyclotron replay tiny.trace -m epyc-7742x2 --set framework.execution=$e | head -1
done
cyclotron sweep tiny.trace -m xeon-6148 --axis framework.fresh='0 B,32 MiB' --db s.db | grep -c MiB
cyclotron machine list | grep -E 'xeon|epyc'
cyclotron machine show epyc-7742x2 | head -12
try cyclotron replay tiny.trace -m xeon-6148 --set mxu.count=2
try cyclotron replay tiny.trace -m xeon-6149
