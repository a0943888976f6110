# A step that PyTorch's profiler recorded: imported, replayed without that, cut and foreign files.
cp "$(dirname "$2")/../profiles/h100_mlp.kineto.json.gz" mlp.json.gz
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
