# Reports on GPUs and CPUs have no words of TPUs: boxes and nodes are no slices, GPUs no chips.
words='slices?|chips?|lanes|megacore|vmem|mxus?|tpus?|torus'
look() { # WHAT, reads a report
    grep -ivE '^  (trace|machine|changed) |validated|checked|figures? on' | grep -niwE "$words" | sed "s/^/$1: /"
    echo "$1 looked at"
}
for machine in v100x1 v100x16 xeon-6148; do
    cyclotron replay tiny.trace -m $machine | look "replay on $machine"
    cyclotron replay tiny.trace -m $machine --set hbm.capacity=1MiB --set hbm.reserved=0B | look "no room on $machine"
    cyclotron compare tiny.trace -m $machine | look "compare on $machine"
    cyclotron batch tiny.trace -m $machine 2>&1 | look "batch on $machine"
done
cyclotron replay tiny.trace -m xeon-6148 --set dcn.slices=2 | look "two nodes"
cyclotron replay tiny.trace -m v100x1 --scale 1,4,16 | look "scale on GPUs"
cyclotron replay tiny.trace -m xeon-6148 --scale 1,2 | look "scale on CPUs"
cyclotron replay tiny.trace -m v100x8 -o x.pftrace >/dev/null && strings x.pftrace | grep -o '/device:[A-Z]*' | sort -u
cyclotron replay tiny.trace -m xeon-6148 -o x.xplane.pb >/dev/null && strings x.xplane.pb | grep -o '/device:[A-Z]*' | sort -u
# the words are there where they belong
cyclotron replay tiny.trace -m tpu-v3-8 | grep -cwE "$words"
