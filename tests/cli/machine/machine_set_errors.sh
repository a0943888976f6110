# --set is checked like a machine file.
for s in mxu.count=0 mxu.cuont=4 mxx.count=4 count=4 mxu.count mxu.count= =4 mxu.count=4k \
    hbm.capacity=16 core.clock=1kg hbm.capacity=1GiB; do
    try cyclotron replay tiny.trace -m tpu-v3-1 --set "$s"
done
try cyclotron replay tiny.trace -m tpu-v8i-64 --set slice.mesh_y=4 --set slice.cores=32
try cyclotron replay tiny.trace -m tpu-v33
try cyclotron replay tiny.trace -m ./missing.ini
try cyclotron compare tiny.trace -m tpu-v3-1 -m tpu-v9-1
try cyclotron machine show tpv-v3-1
try cyclotron replay tiny.trace -m tpu-v3-1 --set machine.base=tpu-v2-1
echo "--- blanks stand for nothing"
cyclotron machine show tpu-v3-1 --set ' dram . refresh = bank ' | grep '^refresh'
echo "--- the name of a file without its ending"
printf '[machine]\nbase = tpu-v3-1\n' >mine.ini
try cyclotron replay tiny.trace -m mine
