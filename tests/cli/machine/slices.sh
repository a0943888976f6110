# Machines of several slices, joined over the data centre's network.
cyclotron op all-reduce bytes=64MB -m tpu-v4-8 -s dcn.slices=4 | sed 's/-\{0,1\}[0-9]*\.[0-9]\{1,\}/N/g; s/ \{2,\}/  /g' | grep -E 'dcn|takes|cores|collectives '
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=2 --format json | grep -o '"slices": [0-9]*'
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=2 | grep -E 'hosts, |hottest' | sed 's/[0-9]*\.[0-9]*/N/g; s/; .*//'
cyclotron compare tiny.trace -m tpu-v4-8 -m tpu-v5e-8 -s dcn.slices=2 --format json | sed 's/"switched": {[^}]*}//' | grep -o '"fits": [a-z]*'
cyclotron compare tiny.trace -m tpu-v4-8 -m tpu-v5e-8 -s dcn.slices=2 -s 'dcn.bandwidth=1 MB/s' --format json | grep -o '"bound_by": "[a-z]*"'
cyclotron compare tiny.trace -m tpu-v4-8 -m tpu-v5e-8 -s 'dcn.bandwidth=1 MB/s' --format json | grep -o '"bound_by": "[a-z]*"'
cyclotron op all-to-all bytes=1MB -m tpu-v4-8 -s dcn.slices=2; echo "exit $?"
cyclotron op all-to-all bytes=1MB group=4 -m tpu-v4-8 -s dcn.slices=2 > /dev/null; echo "exit $?"
cyclotron op all-reduce bytes=1MB group=2 group-stride=4 -m tpu-v4-8 -s dcn.slices=2 > /dev/null; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=0; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v4-8192 -s dcn.slices=1000; echo "exit $?"
cyclotron sweep tiny.trace -m tpu-v4-8 --axis dcn.slices=1,2,4 --db sweep.db > /dev/null 2>&1; echo "exit $?"
cyclotron sweep report sweep.db 2> /dev/null | grep -c 'dcn.slices'
# A twisted torus, and what is none.
v4='-m tpu-v4-8 -s slice.cores=128 -s slice.mesh_x=4 -s slice.mesh_y=4 -s slice.mesh_z=8 -s slice.twisted=yes'
cyclotron op all-reduce bytes=16MB $v4 | sed -n 's! takes.* for all-reduce.*! takes N for all-reduce!p'
cyclotron network $v4 cycles=2000 warmup=2000 rate=0.01 -s 'ici.latency=10 ns' | sed -n '1p'
cyclotron op barrier -m tpu-v4-8 -s slice.twisted=yes; echo "exit $?"
cyclotron op barrier -m tpu-v4-8 -s slice.cores=64 -s slice.mesh_x=4 -s slice.mesh_y=4 -s slice.mesh_z=4 -s slice.twisted=yes; echo "exit $?"
