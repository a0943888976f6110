try cyclotron sweep
try cyclotron sweep tiny.trace
try cyclotron sweep tiny.trace -m tpu-v3-9
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.cont=1
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1 -w 'mxu.count<'
try cyclotron sweep tiny.trace -m tpu-v3-1 --shard 3/2
try cyclotron sweep tiny.trace -m tpu-v3-1 --shard 4294967297/4
try cyclotron sweep tiny.trace -m tpu-v3-1 -j 0
try cyclotron sweep nowhere.trace -m tpu-v3-1
try cyclotron sweep - -m tpu-v3-1
try cyclotron sweep gen:fc wdth=1 -m tpu-v3-1 --db g.db
try cyclotron sweep --plan nowhere.ini
printf '[sweep]\ntrce = x\n' >bad.ini
try cyclotron sweep --plan bad.ini
try cyclotron sweep status nowhere.db
try cyclotron sweep status tiny.trace
try cyclotron sweep export xml g.db
try cyclotron sweep merge g.db
cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 --db h.db >/dev/null
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=4,8 --db h.db
try cyclotron sweep report h.db --best mxu.cout
try cyclotron sweep report h.db --where 'mxu.count <'
try cyclotron sweep merge -o h.db g.db
try cyclotron sweep merge -o h.db h.db
ln -s h.db i.db
try cyclotron sweep merge -o i.db h.db
try cyclotron sweep report h.db --html x.html -o x.html
try cyclotron sweep report h.db --html -
try cyclotron sweep report h.db --top 0
# text is no number, and nothing is divided by 0
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 --db n.db -w "mxu.count == 'x'"
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 --db n.db -w 'machine > 3'
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 --db n.db -w 'mxu.size / 0 > 1'
# a point outside a range fails, also where it is of the price
try cyclotron sweep tiny.trace -m tpu-v3-1 -a proxy.share=0.5,2 --db p.db | grep 'p.db\|outside'
# the trace must stay what it was
echo "# more" >>tiny.trace
try cyclotron sweep tiny.trace -m tpu-v3-1 -a mxu.count=1,2 --db h.db
try cyclotron sweep --plan /dev/zero
tr '\0' x </dev/zero | cyclotron sweep --plan /dev/stdin
echo "exit $?"
echo "--- a report that cannot be written is told of before the work"
try cyclotron sweep tiny.trace -m tpu-v3-1 -o no/such/report --db never.db
try test -e never.db
echo "--- merging opens what the plan of a shard names, if it is a regular file"
cp "$root/traces/tiny/tiny.trace" s.trace
cyclotron sweep s.trace -m tpu-v3-1 -a mxu.count=1,2 --shard 1/2 --db s.db -o s.txt
ln -sf /dev/zero s.trace
try timeout 20 cyclotron sweep merge -o m.db s.1-of-2.db
