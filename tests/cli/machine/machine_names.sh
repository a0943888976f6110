# Any legal slice is a machine, by its name in letters of either case, with or without tpu-.
cyclotron machine show V3-8 | sed '/^$/,$d'
cyclotron machine show v4-32 | sed -n '/^#/p'
cyclotron machine show tpu7x-64 | sed -n '/^#/p'
cyclotron machine show v3-1 | grep price
cyclotron machine list | grep '^tpu-v5e\|^tpu-v4-N'
echo "--- illegal"
try cyclotron machine show v3-48
try cyclotron replay tiny.trace -m TPU-V5E-2
try cyclotron machine show v4-512:8x32
echo "--- a shape, there and back"
cyclotron machine show v4-512:16x4x4 -o mine.ini
try cyclotron machine check mine.ini
cyclotron machine show ./mine.ini | sed 1d >again
sed 1d mine.ini | cmp - again && echo "the same"
grep '^mesh' mine.ini
echo "--- as a base, and an axis of a sweep"
printf '[machine]\nbase = V5E-16\nsummary = x\n[mxu]\ncount = 8 [what-if]\n' >big.ini
cyclotron machine show big.ini | grep '^# tpu\|^# big\|^# chips\|^mesh_x\|^chip_on'
cyclotron sweep tiny.trace -m v3-8 -m tpu-v3-64 -m V5litepod-4 --db a.db >log 2>&1
echo "exit $?"
cyclotron sweep export csv a.db | cut -d, -f4 | sort
