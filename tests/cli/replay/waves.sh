# a window as waves: what is written beside the report, and what is refused
cyclotron replay tiny.trace -m tpu-v3-1 >plain
cyclotron replay tiny.trace -m tpu-v3-1 --trace 'chip0.core0.sequencer.*' --from 1.47ms --to 1.5ms --vcd run.vcd >traced
cmp plain traced && echo the report is the same
ls
grep -c 'sequencer' run.vcd
head -9 run.gtkw
head -3 run.states.txt
grep '^#' run.vcd | sed -n '1p;$p'
# the name of the output tells
try cyclotron replay tiny.trace -m tpu-v3-1 --trace '*op' --from 1.47ms --to 1.5ms -o packed.vcd.zst >/dev/null
zstd -dq packed.vcd.zst && sed -n '$p' packed.vcd
sed -n 2p packed.gtkw
# errors, and nothing is left behind
rm -f run.* packed.* plain traced
try cyclotron replay tiny.trace -m tpu-v3-1 --trace 'chip9.*' -o a.vcd
try cyclotron replay tiny.trace -m tpu-v3-1 --from 1ms
try cyclotron replay tiny.trace -m tpu-v3-1 --from 2ms --to 1ms -o a.vcd
try cyclotron replay tiny.trace -m tpu-v3-1 --from 2 -o a.vcd
# how long the run is may change
figures() { sed 's/[0-9.]* ms/N ms/; s/about [0-9.]* KiB/about N KiB/'; }
try cyclotron replay tiny.trace -m tpu-v3-1 --from 1s -o a.vcd 2>&1 | figures
try cyclotron replay tiny.trace -m tpu-v3-1 --limit 2kB --trace '*state' -o a.vcd 2>&1 | figures
try cyclotron replay tiny.trace -m tpu-v3-1 -o nowhere/a.vcd
ls
# a run that fails leaves what an earlier one wrote
echo earlier >a.states.txt
cyclotron replay tiny.trace -m tpu-v3-1 --limit 2kB --trace '*state' -o a.vcd 2>/dev/null
cat a.states.txt
rm a.states.txt
# two outputs in one place
try cyclotron replay tiny.trace -m tpu-v3-1 --vcd a.vcd --perfetto a.vcd
try cyclotron replay tiny.trace -m tpu-v3-1 --vcd -
try cyclotron replay tiny.trace -m tpu-v3-1 --html a.html -o a.html
try cyclotron replay tiny.trace -m tpu-v3-1 --vcd a.vcd --from 1e30s
cyclotron replay tiny.trace -m tpu-v3-1 --vcd - --trace '*.step' -o report | sed -n 1p
ls
