# two runs of replay --format json side by side, as text and as one HTML file
cyclotron replay tiny.trace -m tpu-v3-1 --format json -o a.json
cyclotron replay tiny.trace -m tpu-v3-1 --set 'host.infeed_overhead=1 us' --format json -o b.json
try cyclotron diff a.json a.json | head -4
cyclotron diff a.json b.json >text
sed -n 1p text | sed 's/[0-9.]* times/N times/'
grep -c 'time by cause' text
try cyclotron diff a.json b.json --html -o d.html
try cyclotron diff a.json b.json -o e.html
cmp d.html e.html && grep -c '</html>' d.html
# slices with other global batches are compared by the time of a sample: 4 cores of 8 samples, and 8
sed '/^workload/s/tiny/cores/' tiny.trace >cores.trace
cyclotron replay cores.trace -m tpu-v3-8 --format json -o eight.json
cyclotron replay cores.trace -m tpu-v4-8 --format json -o four.json
cyclotron diff eight.json four.json >text
sed -n 1p text | sed 's/takes [0-9.]* times/takes N times/'
awk '/^  time of a sample/ { s = $6; t = $7 }
    /^  time of a step/ { a = s / $6 * 64; b = t / $7 * 32; print (a > 0.999 && a < 1.001), (b > 0.999 && b < 1.001) }' text
grep -o '^  global batch.*' text
grep -c 'time by cause, s a sample' text
grep -o 'operations that changed most.*' text
cyclotron diff eight.json four.json --html | grep -c '"global_batch":32,'
# a TPU and a GPU, which have neither all causes nor matrix units alike
cyclotron replay tiny.trace -m v100x1 --format json -o gpu.json
cyclotron diff a.json gpu.json >text
grep -c 'time by cause' text
grep -oE '^  (vpu|cuda|launch) ' text
cyclotron diff gpu.json a.json --html | grep -c '</html>'
# and a CPU, which has no HBM
cyclotron replay tiny.trace -m xeon-6148 --format json -o cpu.json
cyclotron diff a.json cpu.json >text
grep -oE '^  (mxu|hbm|cores|memory|numa) ' text
cyclotron diff cpu.json cpu.json | head -1
cyclotron diff cpu.json gpu.json --html | grep -c '</html>'
# what is inside cannot end the script element it stands in
sed 's/"workload": "tiny"/"workload": "<\/script><b>"/' a.json >evil.json
cyclotron diff evil.json a.json --html | grep -c '</script><b>'
# errors
try cyclotron diff a.json
try cyclotron diff a.json b.json a.json
try cyclotron diff a.json nothing.json
try cyclotron diff a.json .
try cyclotron diff a.json tiny.trace
echo '{' >broken.json
try cyclotron diff a.json broken.json
echo '{"machine": "m"}' >short.json
try cyclotron diff short.json a.json
sed 's/"seconds_per_step": [0-9.e-]*/"seconds_per_step": "soon"/' a.json >wrong.json
try cyclotron diff a.json wrong.json
for figure in -1 1e200 1e-200; do
    sed "s/\"seconds_per_step\": [0-9.e-]*/\"seconds_per_step\": $figure/" a.json >wrong.json
    try cyclotron diff wrong.json a.json
done
sed 's/"time_by_cause": {"mxu": [0-9.e-]*/"time_by_cause": {"mxu": -5/' a.json >wrong.json
try cyclotron diff wrong.json a.json
try cyclotron diff a.json b.json -o nowhere/d.html
# what is not known, or no time, is divided by nothing
sed 's/"samples_per_second": [0-9.e-]*/"samples_per_second": null/; s/"global_batch": [0-9]*/"global_batch": 7/' a.json >unknown.json
cyclotron diff a.json unknown.json | sed -n '1p; /inf\|nan/p'
sed 's/"seconds_per_step": [0-9.e-]*/"seconds_per_step": 0/' a.json >none.json
cyclotron diff none.json a.json | sed -n '1s/takes [0-9.]*/takes N/p; /inf\|nan/p'
echo "--- other work"
sed '/^workload/s/tiny/other/; s/^samples step=[0-9]*/samples step=1/' tiny.trace >other.trace
cyclotron replay other.trace -m tpu-v3-1 --format json -o other.json
cyclotron diff a.json other.json | sed -n '1p' | sed 's/[0-9.e+]* and [0-9.e+]* FLOP/N and N FLOP/'
sed '/^workload/s/tiny/same/' tiny.trace >same.trace
cyclotron replay same.trace -m tpu-v3-1 --format json -o same.json
cyclotron diff a.json same.json | sed -n '1p'
cyclotron compare tiny.trace other.trace -m tpu-v3-1 | sed -n '1,3p'
# of the same name, but each sample of one is as much work as many of the other
sed 's/^samples step=[0-9]*/samples step=1/' tiny.trace >events.trace
cyclotron replay events.trace -m tpu-v3-1 --format json -o events.json
cyclotron diff events.json a.json | sed -n '1p' | sed 's/[0-9.e+]* and [0-9.e+]* FLOP/N and N FLOP/'
cyclotron compare tiny.trace events.trace -m tpu-v3-1 | sed -n '1,3p'
