# Trials side by side: how long they take, what they cost, what is refused.
sub='s/\(seconds[a-z_]*": \)[0-9][0-9]*\([,}]\)/\1X\2/g; s/[0-9][0-9]*\.[0-9][0-9.e-]*/X/g; s/  */ /g'
fc='layers=1 width=64 input=64 output=8 batch=64 cores=1'
cyclotron trace gen fc $fc epoch=6400 -o fc.trace
cyclotron scan fc.trace -m tpu-v3-8 --trials 24 --epochs 100000 | sed "$sub"
cyclotron scan fc.trace tiny.trace -m tpu-v3-8 --trials 3 --cores 4 --epochs 100000 -f json | sed "$sub"
# three trials of equal length on two places take two of them: 3 / 4 of the places' time
cyclotron scan tiny.trace -m tpu-v3-8 --trials 3 --cores 4 -f json | grep -o '"occupancy": [0-9.]*'
cyclotron trace gen fc $fc -o endless.trace
try cyclotron scan endless.trace -m tpu-v3-8
try cyclotron scan fc.trace -m tpu-v3-8 --cores 3
try cyclotron scan fc.trace
try cyclotron scan -m tpu-v3-8
try cyclotron scan fc.trace -m tpu-v3-8 --trials 0
# what a machine has: GPUs and nodes are no cores, the price says where it comes from, or that there is none
for machine in v100x4 xeon-6148 v100-pcie-32gb; do
    cyclotron scan fc.trace -m $machine --trials 2 --epochs 100000 | sed "$sub"
done
cyclotron scan fc.trace -m xeon-6148 --epochs 100000 -f json | grep -o '"price_[^,]*'
try cyclotron scan fc.trace -m v100x4 --cores 3
# a compiled program runs on as many cores as it was compiled for, unless another number is asked for
program=$(cd "$(dirname "$2")/../../.." && pwd)/traces/programs/mlpf.tpu-v3-8.hlo.zst
cyclotron scan "$program" -m tpu-v3-32 --trials 8 | sed -n "s|$program|mlpf|; $sub; 1,3p"
cyclotron scan "$program" -m tpu-v3-32 --trials 8 -f json | grep -o '"cores_per_trial": 8\|"one_by_one_seconds": null\|"whole_slice_trust": null'
try cyclotron scan "$program" -m tpu-v3-32 --cores 4 2>&1 | sed "s|$program|mlpf|"
# each trace is read several times
try cyclotron scan - -m tpu-v3-8 <tiny.trace
