# timelines and reports of a step on a GPU: the step takes the same time with them
cyclotron replay tiny.trace -m v100x1 >plain
cyclotron replay tiny.trace -m v100x1 --html=r.html --perfetto=r.pftrace --vcd=r.vcd >seen
cmp plain seen && echo same
grep -c '</html>' r.html
test -s r.pftrace && echo perfetto
grep -oE '(var|wire|reg) .* grid ' r.vcd | wc -l
# what takes no time waits for no unit of a TPU
cyclotron replay tiny.trace -m v100x4 --format=csv | grep -c ',mxu,'
