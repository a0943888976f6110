# Progress goes to a terminal, or where --progress asks for it; to output never.
hide() { sed "/^runs: /d" | sed 's/[0-9.]* s$/N s/; s/[0-9][0-9]* %/N %/; s/, [0-9.]* [a-z]* left/, N left/'; }
# both COMMAND...: says nothing when it is not asked, a line when it is, and prints the same
both() {
    "$@" >quiet 2>quiet.err || echo "failed: $*"
    "$@" --progress >loud 2>loud.err || echo "failed: $*"
    cmp quiet loud && [ ! -s quiet.err ] && hide <loud.err
}
cyclotron trace gen fc layers=4 width=128 batch=64 epoch=640 -o fc.trace
both cyclotron replay tiny.trace -m tpu-v3-1
both cyclotron replay fc.trace -m tpu-v3-8 --scale 8,32
both cyclotron compare tiny.trace -m tpu-v3-1 -m tpu-v2-1
both cyclotron op matmul m=128 n=128 k=128 -m tpu-v3-1
both cyclotron op hbm pattern=random bytes=32MB -m tpu-v3-1 --exact
both cyclotron network radix=2x2 rate=0.1 warmup=100 cycles=1000
both cyclotron network radix=2x2 warmup=100 cycles=1000 --saturate
both cyclotron scan fc.trace -m tpu-v3-8 --trials 2
both cyclotron validate --only prices
cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,2 --db s.db -j 1 --progress 2>&1 >/dev/null | hide
cyclotron sweep tiny.trace -m tpu-v3-1 --axis mxu.count=1,4 --db t.db -j 1 2>&1 >/dev/null
echo "--- a terminal gets a line that is written over, and wiped at the end"
script -qec 'cyclotron op matmul m=16384 n=8192 k=4096 -m tpu-v3-1 --exact -o result' /dev/null </dev/null >line
tr "\\r" "\\n" <line | hide | sed "s/, N left//" | sort -u | sed 's/\x1b/ESC/'
head -n 1 result | cut -c 1-7
