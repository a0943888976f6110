# A step that PyTorch's profiler recorded: imported, replayed without that, cut and foreign files.
cp "$root/tests/profiles/h100_mlp.kineto.json.gz" mlp.json.gz
mlp=mlp.json.gz
cyclotron trace import "$mlp" -o mlp.trace
sed -n '1,5p; /^step/,/^}/p' mlp.trace | head -14
cyclotron replay "$mlp" -m h100x1 -f json | sed -n 's/.*"seconds_per_step": *\([0-9.e-]*\).*/\1/p' >direct
cyclotron replay mlp.trace -m h100x1 -f json | sed -n 's/.*"seconds_per_step": *\([0-9.e-]*\).*/\1/p' >imported
cmp direct imported
zcat "$mlp" | cyclotron replay - -m h100x1 -f json | sed -n 's/.*"seconds_per_step": *\([0-9.e-]*\).*/\1/p' | cmp - direct
head -c 3000 "$mlp" >cut.json.gz
try cyclotron replay cut.json.gz -m h100x1
zcat "$mlp" | head -c 40000 >cut.json
try cyclotron replay cut.json -m h100x1
sed 's/cpu_op/gpu_op/; s/"schemaVersion"/"cpu_op"/' >foreign.json <<END
{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"python_function","name":"f","ts":1,"dur":2}]}
END
try cyclotron replay foreign.json -m h100x1
# Ranks of a job: the one with most work is the step of all; files that are of no job, and of none.
for rank in 0 1; do
    zcat "$mlp" | sed "s/\"traceEvents\"/\"distributedInfo\":{\"rank\":$rank,\"world_size\":2},&/" >rank$rank.json
done
sed '/"cat": *"kernel"/s/\("dur": *[0-9]*\)\./\19./' rank1.json >slow1.json
cmp -s rank1.json slow1.json && echo "no kernel is slower"
cyclotron trace import rank0.json slow1.json -o job.trace 2>&1 | sed 's/.*; 2 ranks ran/2 ranks ran/'
try cyclotron trace import rank0.json rank0.json -o job.trace
try cyclotron trace import rank0.json "$mlp" -o job.trace
try cyclotron trace import rank0.json mlp.trace -o job.trace
# What was not read: the importer, the replay and tables say the same share of the recorded time.
zcat "$mlp" | sed 's/"aten::mm"/"mine::mm"/' >custom.json
zcat "$mlp" | sed 's/"cat": *"kernel"\(.*sgemm\)/"cat": "lost"\1/' >lost.json
for file in custom lost; do
    echo "--- $file"
    cyclotron trace import $file.json -o $file.trace 2>&1 | grep -o '[0-9.]* % of the recorded time'
    cyclotron replay $file.trace -m h100x1 | sed -n '1s/takes at least.*: /at least: /p; /in the recording/p'
    cyclotron replay $file.trace -m h100x1 --format json | grep -o '"share": 0[.][0-9]\{3\}'
    cyclotron compare $file.json -m a100x1 -m h100x1 | awk '/^[ah]100x1/ { print $7 }'
    cyclotron trace cat $file.trace | grep ^recorded
done
