# A damaged trace is one line that names the file, and exit 1; nothing crashes.
cyclotron trace pack tiny.trace -o good.zst
size=$(wc -c <good.zst)

: >empty.trace
try cyclotron trace check empty.trace
try cyclotron trace check missing.trace
try cyclotron trace check .
printf 'PK\003\004 not a trace' >other.trace
try cyclotron trace check other.trace
head -c 4 good.zst >magic.zst
try cyclotron trace check magic.zst
head -c $((size / 2)) good.zst >half.zst
try cyclotron trace check half.zst
head -c 300 tiny.trace >half.trace
try cyclotron trace check half.trace
zstd -qc tiny.trace | head -c 300 >plain.zst
try cyclotron trace check plain.zst
zstd -qc tiny.trace >twice.zst
zstd -qc tiny.trace >>twice.zst
try cyclotron trace check twice.zst
sed 's/^}$//' tiny.trace >open.trace
try cyclotron trace check open.trace
