# What zstd packed and what an editor of another system wrote are traces; other files are named, with what reads them.
want=$(cyclotron trace cat tiny.trace | cksum)
same() { # FILE: it is the tiny trace
    cyclotron trace check "$1" && [ "$(cyclotron trace cat "$1" | cksum)" = "$want" ] && echo "$1: the same trace"
}
zstd -qc tiny.trace >plain.zst
same plain.zst
zstd -qc --no-check tiny.trace >unchecked.zst
same unchecked.zst
zstd -qc <tiny.trace >stream.zst
same stream.zst
sed 's/$/\r/' tiny.trace >dos.trace
same dos.trace
{ printf '\357\273\277'; cat tiny.trace; } >mark.trace
same mark.trace
cyclotron trace pack plain.zst -o packed.zst
same packed.zst
zstdcat packed.zst | cmp - tiny.trace && echo "packed as it stands"

gzip -c tiny.trace >tiny.trace.gz
try cyclotron trace check tiny.trace.gz
try cyclotron replay tiny.trace.gz -m tpu-v3-1
try cyclotron trace check - <tiny.trace.gz
cp tiny.trace.gz step.xplane.pb.gz
try cyclotron replay step.xplane.pb.gz -m tpu-v3-1
echo 'Rank,Program id,HLO op category' >hlo_stats.csv
try cyclotron replay hlo_stats.csv -m tpu-v3-1
iconv -f UTF-8 -t UTF-16 tiny.trace >wide.trace
try cyclotron trace check wide.trace
echo '{ "a": 1 }' >result.json
try cyclotron replay result.json -m tpu-v3-1
cyclotron machine show tpu-v3-8 >v3.ini
try cyclotron replay v3.ini -m tpu-v3-1
try cyclotron replay . -m tpu-v3-1

# only a trace is packed
echo 'some text' >text
try cyclotron trace pack text -o text.zst
sed 's/phase bwd/fase bwd/' tiny.trace >bad.trace
try cyclotron trace pack bad.trace -o bad.zst
zstd -qc bad.trace >bad.plain.zst
try cyclotron trace pack bad.plain.zst -o bad.zst
try cyclotron trace pack tiny.trace.gz -o gz.zst
ls text.zst bad.zst gz.zst 2>&1 | sed 's/^ls: //'
