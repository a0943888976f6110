# Traffic on HBM alone: of a machine, of a part, in text and JSON; folded and walked give the same bytes.
cyclotron op hbm pattern=copy bytes=1MiB -m tpu-v3-8
cyclotron op hbm pattern=seq bytes=65536 size=4096 write=yes part=hbm2-dramsim3 -f json
for p in seq copy triad strided; do
    cyclotron op hbm pattern=$p bytes=16MiB -m tpu-v2-8 >folded
    cyclotron op hbm pattern=$p bytes=16MiB -m tpu-v2-8 --exact | cmp - folded
done
cyclotron op hbm pattern=random bytes=1TB -m tpu-v2-8 | grep -c "a statistical estimate"
cyclotron op hbm pattern=seq bytes=100GB -m tpu-v2-8 | sed -n 3,4p
for bad in pattern=copi byte=1 size=100 size= size=-1 bytes=some "pattern=copy write=yes" \
    "pattern=strided stride=100" "bytes=1GB size=3000000000"; do
    # shellcheck disable=SC2086
    try cyclotron op hbm $bad -m tpu-v2-8
done
try cyclotron op hbm -m tpu-v2-8 -s "dram.map=ro xx"
try cyclotron op hbm -m tpu-v2-8 -s "dram.map=ro ba bg co"
try cyclotron op hbm -m tpu-v2-8 -s dram.banks=16 -s dram.groups=16
try cyclotron op hbm -m tpu-v2-8 --dump=tasks
try cyclotron op hbm
try cyclotron op hbm part=hbm2-ramulatr
try cyclotron op hbm part=hbm2-ramulator -m tpu-v3-8
# as waves, which change nothing; an operation of a core has them too
cyclotron op hbm pattern=copy bytes=1MiB -m tpu-v3-8 >plain
for how in "" --exact; do
    # shellcheck disable=SC2086
    cyclotron op hbm pattern=copy bytes=1MiB -m tpu-v3-8 $how --trace 'channel2.*' --to 1us --vcd hbm.vcd | cmp - plain
done
ls hbm.*
grep 'comment' hbm.vcd
grep -c '^#' hbm.vcd
sed -n '$p' hbm.states2.txt
cyclotron op hbm pattern=copy bytes=1MiB -m tpu-v3-8 --trace 'channel2.bank0.*' -o hbm.vcd.zst
zstd -dcq hbm.vcd.zst | grep -c '^\$var'
rm hbm.*
cyclotron op matmul m=256 n=256 k=256 -m tpu-v3-1 --trace '*mxu*.phase' -o matmul.vcd
grep -c '^\$var' matmul.vcd
try cyclotron op hbm -m tpu-v3-8 --vcd a.vcd --trace 'chanel0.*'
try cyclotron op hbm -m tpu-v3-8 --vcd a.vcd --limit 100kB
try cyclotron op hbm -m tpu-v3-8 --vcd a.vcd --from 1s
try cyclotron op hbm -m tpu-v3-8 --trace 'channel0.*'
try cyclotron op matmul m=8 n=8 k=8 -m tpu-v3-1 -o a.vcd --dump=tasks
ls
