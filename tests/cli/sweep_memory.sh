# Want of memory is no fault of a point: it stays open, the exit status tells, and the same command goes on.
{
    printf 'cyclotron-trace 1\nworkload "large"\nsamples step=8 epoch=800\n'
    printf 'dtype tensors=f32 matmul=bf16 activations=narrow\ntensor %%a f32[8,8] input\n'
    printf 'step {\n  repeat l=1..50000 {\n    %%x f32[8,8] = elementwise(%%a) flops=64\n  }\n}\n'
} >large.trace
with_little() { ulimit -v 250000; "$@"; }
(try with_little cyclotron replay large.trace -m tpu-v3-1 -o never.txt) 2>said
sweep="cyclotron sweep large.trace -m tpu-v3-1 -a mxu.count=1,2 -j 1 --db m.db -o report.txt"
(try with_little $sweep) 2>>said
cyclotron sweep status m.db | sed -n 2p
try $sweep
cyclotron sweep status m.db | sed -n 2p
# sanitizers say it in their own words
uniq said
# nothing but failures is no success, said by the report
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1000000 --db f.db -o f.txt
grep -c '^failed' f.txt
# a worker that is killed twice leaves its point open
plan='gen:fc layers=2 width=512 input=512 output=64 batch=512 cores=8 -m tpu-v3-8 --exact --set mxu.size=64'
cyclotron sweep $plan --db k.db -j 1 -o /dev/null 2>said &
pid=$!
for i in 1 2; do
    while child=$(cat /proc/$pid/task/$pid/children 2>/dev/null); [ -z "$child" ] || [ "$child" = "${old:-}" ]; do sleep 0.02; done
    kill -9 $child
    old=$child
done
wait $pid
echo "exit $?"
cat said
# only what can be read again is a trace of a sweep
mkfifo pipe.trace
try cyclotron sweep pipe.trace -m tpu-v3-1
try cyclotron sweep /dev/zero -m tpu-v3-1
try cyclotron sweep tiny.trace -m /dev/zero
# a limit on files is told of
(ulimit -f 1; try cyclotron replay tiny.trace -m tpu-v3-1 -f json -o r.json)
