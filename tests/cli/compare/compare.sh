# One row for each machine, the verdict first; what does not fit is said with the factor.
sub='s/[um]s.\(step\|epoch\)/s per \1/g; s/[0-9][0-9.]*/N/g; s/  */ /g; s/ [a-z]* N KiB/ CAUSE N KiB/'
cyclotron compare tiny.trace -m tpu-v3-1 -m tpu-v3-8 | sed 1d | sed "$sub"
cyclotron compare tiny.trace -m tpu-v3-8 --format json |
    sed 's/: [0-9][0-9.e-]*/: N/g; s/"bound_by": "[a-z]*"/"bound_by": CAUSE/'
sed 's/^tensor %edges.*/&\ntensor %huge f32[65536,131072] constant/' tiny.trace >huge.trace
cyclotron compare huge.trace -m tpu-v2-8 -m tpu-v3-8 | sed -n 's/.* \([0-9.]* GiB of .*\)/\1/p; 1,3p; $p'
cyclotron compare huge.trace -m tpu-v2-8 --format json | grep -o '"fits": [a-z]*'
cyclotron replay huge.trace -m tpu-v2-8 | grep -o 'DOES NOT FIT.*per core ([0-9.]* %)\|use tpu.*'
# a trace from a pipe is lowered for other machines as well
cyclotron replay - -m tpu-v2-8 <huge.trace | grep -o 'use tpu.*'
cyclotron compare huge.trace -m tpu-v2-8 --format json | grep smallest_of_all
# cut for 8 cores, it has no slice of fewer
sed 's/^samples.*/& cores=8/' huge.trace >cut.trace
cyclotron replay cut.trace -m tpu-v2-8 | grep -o 'use tpu.*'
cyclotron compare tiny.trace -m 'tpu-v3-[18]' -m tpu-v2-8 --deadline 1h | sed -n '/^$/q;s/[0-9][0-9.]* \(USD\|samples\)/N \1/g;p'
cyclotron compare tiny.trace -m 'tpu-v3-?' --deadline 90min --format json | sed -n '3,9p'
# patterns match what `machine list` names: slices and boxes, single GPUs, CPUs
cyclotron compare tiny.trace -m 'xeon-*' -m '*-pcie-80gb' -f json | grep -o '"machine": "[^"]*"'
try cyclotron compare tiny.trace -m 'gpu-*'
try cyclotron compare tiny.trace -m tpu-v3-8 --deadline soon
cyclotron replay tiny.trace -m tpu-v3-8 --epochs 1000000 | grep -c '^  run      1000000 epochs in'
try cyclotron replay tiny.trace -m tpu-v3-8 --epochs 0
# each machine once, whatever names it; without samples of an epoch no deadline can be met
cyclotron compare tiny.trace -m tpu-v3-8 -m 'tpu-v3-[18]' -m tpu-v3-8 --format json | grep -o '"machine": "[^"]*"'
sed 's/ epoch=[0-9]*//' tiny.trace >endless.trace
cyclotron compare endless.trace -m tpu-v3-8 --deadline 1h | sed -n '/^$/q;$!s/[0-9][0-9.]* \(USD\|samples\)/N \1/g;p'
for c in "replay tiny.trace" "compare tiny.trace" "op copy shape=8" "scan tiny.trace"; do
    # shellcheck disable=SC2086
    try cyclotron $c -m tpu-v3-8 --set proxy.overhead=2
done
echo "--- that a machine is too large to simulate is its answer"
sed 's/^step {/&\n  repeat 30000 {\n    %again f32[8] = rng() flops=8\n  }/' tiny.trace >long.trace
cyclotron compare long.trace -m tpu-v3-1 -m tpu-v3-2048 --set 'fault.slow_chip=0' --set 'fault.chip_times=2' |
    grep -v tpu-v3-1
# one page to decide on; the text goes to standard output as well
cyclotron compare tiny.trace -m tpu-v3-8 -m v100x1 >plain
cyclotron compare tiny.trace -m tpu-v3-8 -m v100x1 -o page.html | cmp - plain && grep -o '<title>\|"comparison":{\|"verdict":\["tiny.trace' page.html
echo "--- a run of some epochs takes and costs on each machine what a replay says"
for m in tpu-v3-8 v100x1; do
    cyclotron replay tiny.trace -m $m --epochs 1000000 | sed -n "s/^  run     /run on $m:/p"
done >runs
cyclotron compare tiny.trace -m tpu-v3-8 -m v100x1 --epochs 1000000 | grep '^run on' | cmp - runs && wc -l <runs
cyclotron replay tiny.trace -m tpu-v3-8 --epochs 3 -f json | grep -o '"run": {.*}' >run
cyclotron compare tiny.trace -m tpu-v3-8 --epochs 3 -f json | grep -cF "$(cat run)"
cyclotron batch endless.trace -m tpu-v3-8 --epochs 3 | grep '^run on'
cyclotron compare endless.trace -m tpu-v3-8 --epochs 3 -f json | grep -o '"run": [a-z]*'
