# What `trace export` writes comes back as it was, and replays alike; files of other tools are known by their first bytes.
cyclotron trace export tiny.trace -o tiny.0.et
cyclotron trace export --chakra tiny.trace --json -o same.et
cmp tiny.0.et same.et
cyclotron trace import tiny.0.et -o back.trace.zst
cyclotron trace cat tiny.trace | cksum
cyclotron trace cat back.trace.zst | cksum
cyclotron replay tiny.trace -m tpu-v3-8 --format json | grep -v '"trace"' | cksum
cyclotron replay tiny.0.et -m tpu-v3-8 --format json | grep -v '"trace"' | cksum
cyclotron trace import - <tiny.0.et | cksum

printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nConv1, 224, 224, 11, 11, 3, 96, 4,\n' >alexnet.csv
cyclotron trace import alexnet.csv --samples 2 --json
printf 'Layer, M, N, K,\nL0, 196, 192, 384,\n' >gemm.csv
cyclotron trace import gemm.csv -o gemm.trace
cyclotron trace check gemm.trace

# GlobalMetadata 0.0.4; an all-gather of 8 bytes
printf '\007\012\0050.0.4\042\010\003\030\007\122\015\012\011comm_type\110\002\122\015\012\011comm_size\110\010' >gather.et
try cyclotron trace import gather.et
try cyclotron trace import gather.et --ranks 4

try cyclotron trace import tiny.trace
try cyclotron trace import missing.et
gzip -c tiny.0.et >tiny.et.gz
try cyclotron trace import tiny.et.gz
printf 'Layer, M, N, K,\nL0, 196, x, 384,\n' >bad.csv
try cyclotron trace import bad.csv
head -c 1000 tiny.0.et >cut.et
try cyclotron trace import cut.et
try cyclotron trace import tiny.0.et --ranks 0
try cyclotron trace import
try cyclotron trace import gemm.csv -o gemm.json
try cyclotron trace export tiny.trace --step 2
try cyclotron trace export tiny.trace --rank 8 --ranks 8 -o x.et
try cyclotron trace export tiny.trace -o x.trace
groups() { # a step of all-reduces in groups of such sizes, $1 apart
    printf 'cyclotron-trace 1\ntensor %%x f32[1024] input\nstep {\n'
    apart=$1
    shift
    for size; do printf '  %%r%d f32[1024] = all-reduce(%%x) group=%d group-stride=%s\n' "$size" "$size" "$apart"; done
    echo '}'
}
# ranks of groups are listed: not beyond 2^31 - 1, and not more than 1,000,000
groups 1000000000 3 >far.trace
try cyclotron trace export far.trace -o far.0.et
grep -ao 'ranks": [^}]*' far.0.et
groups 9223372036854775807 3 >far.trace
try cyclotron trace export far.trace -o x.et
groups 1 600000 600001 >large.trace
try cyclotron trace export large.trace -o x.et
echo "--- a program that cannot be read, asked for its machine: bad input, not bad usage; its line and a caret"
printf 'HloModule m\nENTRY %%main {\n  ROOT %%a = f32[2] parameter(zero)\n}\n' > damaged.hlo
try cyclotron replay damaged.hlo
try cyclotron compare damaged.hlo
