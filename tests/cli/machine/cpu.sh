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
# a program that no compiler has seen: its kernels are told to CPUs as well; sums of rows, a gather and a sort are priced as such
cat >rows.hlo <<'END'
HloModule rows, entry_computation_layout={(f32[65536,64]{1,0}, s32[4096,1]{1,0})->f32[4096,64]{1,0}}

ENTRY main {
  table = f32[65536,64]{1,0} parameter(0)
  index = s32[4096,1]{1,0} parameter(1)
  picked = f32[4096,64]{1,0} gather(table, index), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
  ROOT twice = f32[4096,64]{1,0} add(picked, picked)
}
END
cyclotron replay rows.hlo -m xeon-6148 | sed -n 's/^\(xeon-6148 takes\) [0-9.]* [mu]*s/\1/; 1p; /^  expect/p'
cyclotron compare rows.hlo -m xeon-6148 -m v100x1 -m tpu-v3-8 | sed -n 's/^\([a-z0-9-]*  *[a-z]*  *[0-9]*\) .*/\1/; /^[xvt][epa-z0-9-]*[0-9-]*  *yes/p'
