# The memory of a compiled program: who owns it, the compiler's figure, what lies on chip.
memory() { sed -n '/^  memory/,/^  checked/p' | sed '/^  checked/d'; }
cp "$root/docs/examples/compiled.trace" .
trace=compiled.trace

echo "--- as it is"
cyclotron replay $trace -m tpu-v4-8 >text && memory <text
sed -n '/scopes* at the peak/,$p;/source lines* at the peak/,$p' text | sort -u

echo "--- in JSON"
cyclotron replay $trace -m tpu-v4-8 --format json | sed -n '/^  "memory"/,/^  ]},/p'

echo "--- the compiler reports another peak"
sed 's/peak=43794944/peak=45000000/' $trace >more.trace
cyclotron replay more.trace -m tpu-v4-8 | memory
sed 's/peak=43794944/peak=43577058/' $trace >near.trace
sed 's/peak=43794944/peak=43577059/' $trace >nearer.trace
for f in near nearer; do
    cyclotron replay $f.trace -m tpu-v4-8 | grep -i "the compiler says"
done

echo "--- less CMEM and HBM than it takes"
cyclotron replay $trace -m tpu-v4-8 --set cmem.capacity=1MiB --set hbm.capacity=32MiB --set hbm.reserved=0B | memory
