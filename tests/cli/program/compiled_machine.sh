# A compiled program on other machines than its own, cut anew, and asked for what only the compiler can change.
cp "$root/tests/cli/programs/layers.tpu-v5e-4.hlo" layers.hlo

try cyclotron replay layers.hlo -m tpu-v6e-4
try cyclotron replay layers.hlo -m tpu-v5e-8
try cyclotron replay layers.hlo -m tpu-v3-8
try cyclotron replay layers.hlo -m tpu-v3-8 --retile
try cyclotron replay layers.hlo -m v5e:2x2
try cyclotron replay layers.hlo batch=64
try cyclotron trace shard layers.hlo data=2
echo "--- cut anew: how many, their share, the longest"
cut() { sed -n '/^  kernels/,/^  samples/p' | grep -v '^  samples' | sed 's/[0-9]*\.[0-9]* %/N %/g'; }
cyclotron replay layers.hlo -m tpu-v6e-4 --retile | cut | head -1
cyclotron replay layers.hlo --set mxu.size=64 | cut | head -1
cyclotron replay layers.hlo | cut
cyclotron replay layers.hlo -m tpu-v6e-4 --retile -f json | sed 's/.*"share"/"share"/; s/"retiled": {/&\n/' | grep -o '"retiled": "asked"' | wc -l
cyclotron replay layers.hlo -f json -o own.json
grep -o '"retiled": {.*sparse_on_core": 0' own.json
grep -o '"name": "[^"]*".*"retiled": "unstated"' own.json | sed 's/, "phase.*"retiled"/ ... "retiled"/'
echo "--- a step that does not fit: the command that compiles a change of it"
cyclotron replay layers.hlo --set 'hbm.capacity=4 MiB' --set hbm.reserved=0B | grep 'compiled again'
echo "--- retiled.seconds is the sum of these kernels, and the share in the text is theirs"
cyclotron replay layers.hlo --set mxu.size=64 -f json -o cut.json
cyclotron replay layers.hlo --set mxu.size=64 -o cut.txt
grep '"name".*"retiled": "array"' cut.json | sed 's/.*"seconds": \([0-9.e-]*\), "scope".*/\1/' |
    awk -v all="$(sed -n 's/^  "retiled": {.*"seconds": \([0-9.e-]*\), "share": \([0-9.e-]*\).*/\1 \2/p' cut.json)" \
        -v text="$(sed -n 's/.*another size, \([0-9.]*\) %.*/\1/p' cut.txt)" \
        '{ s += $1; n++ } END { split(all, a); printf "%d %.9f %d\n", n, s / a[1], (text > 0 && (text - 100 * a[2]) ^ 2 < 0.01) }'
