# timelines and reports of a step on a GPU: the step takes the same time with them
cyclotron replay tiny.trace -m v100x1 >plain
cyclotron replay tiny.trace -m v100x1 --html=r.html --perfetto=r.pftrace --vcd=r.vcd >seen
# a page tries what it advises, which its text says
grep -v '^  trials ' seen | cmp plain - && echo same
grep -c '</html>' r.html
test -s r.pftrace && echo perfetto
for m in v100x1 xeon-6148 tpu-v3-1; do
    cyclotron replay tiny.trace -m $m --perfetto=d.pftrace >/dev/null
    grep -ao '/device:[A-Z]*:0' d.pftrace
done
# no word of a TPU in what is said of a GPU or a node
cyclotron replay tiny.trace -m v100x1 | grep -n 'TPU\|chips\| a core\|slice\|matrix unit'
cyclotron compare tiny.trace -m v100x1 | grep -n 'TPU\|chip\| core\|slice'
cyclotron compare tiny.trace -m xeon-6148 | grep -n 'TPU\|chip\| core\|slice'
grep -oE '(var|wire|reg) .* grid ' r.vcd | wc -l
# what takes no time waits for no unit of a TPU
cyclotron replay tiny.trace -m v100x4 --format=csv | grep -c ',mxu,'
