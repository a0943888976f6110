# Text -> zst -> text gives the same bytes; generators give the same bytes each time.
cyclotron trace cat tiny.trace | cmp - tiny.trace && echo "the tiny trace is canonical"
cyclotron trace pack tiny.trace -o tiny.zst
cyclotron trace cat tiny.zst | cmp - tiny.trace && echo "packed and back"
zstd -dqc tiny.zst | cmp - tiny.trace && echo "zstd reads it too"
cyclotron trace pack - <tiny.trace | cmp - tiny.zst && echo "standard input is as good"
cyclotron trace pack tiny.zst | cmp - tiny.zst && echo "packing twice changes nothing"
cyclotron trace gen 3dgan batch=2 >a.trace
cyclotron trace gen 3dgan batch=2 -o b.trace
cyclotron trace gen 3dgan batch=2 -o c.trace.zst
cyclotron trace gen 3dgan batch=2 -o - | cmp - a.trace && echo "generated twice"
cmp a.trace b.trace && zstd -dqc c.trace.zst | cmp - a.trace && echo "the same, packed or not"
cyclotron trace cat c.trace.zst | cmp - a.trace && echo "generated text is canonical"
printf '# a comment\n\n' | cat tiny.trace - >comment.trace
cyclotron trace cat comment.trace | cmp - tiny.trace && echo "comments are dropped"
for w in 3dgan exatrkx mlpf; do
    cyclotron trace gen $w | cyclotron trace check - | sed 's/[0-9][0-9]* operations.*/N operations/'
done
