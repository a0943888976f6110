# Machines of several slices, joined over the data centre's network.
cyclotron op all-reduce bytes=64MB -m tpu-v4-8 -s dcn.slices=4 | sed 's/-\{0,1\}[0-9]*\.[0-9]\{1,\}/N/g; s/ \{2,\}/  /g' | grep -E 'dcn|takes|cores|collectives '
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=2 --format json | grep -o '"slices": [0-9]*'
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=2 | grep -E 'hosts, |hottest' | sed 's/[0-9]*\.[0-9]*/N/g; s/; .*//'
cyclotron compare tiny.trace -m tpu-v4-8 -m tpu-v5e-8 -s dcn.slices=2 --format json | grep -o '"fits": [a-z]*'
cyclotron op all-to-all bytes=1MB -m tpu-v4-8 -s dcn.slices=2; echo "exit $?"
cyclotron op all-to-all bytes=1MB group=4 -m tpu-v4-8 -s dcn.slices=2 > /dev/null; echo "exit $?"
cyclotron op all-reduce bytes=1MB group=2 group-stride=4 -m tpu-v4-8 -s dcn.slices=2 > /dev/null; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v4-8 -s dcn.slices=0; echo "exit $?"
cyclotron replay tiny.trace -m tpu-v4-8192 -s dcn.slices=1000; echo "exit $?"
cyclotron sweep tiny.trace -m tpu-v4-8 --axis dcn.slices=1,2,4 --db sweep.db > /dev/null 2>&1; echo "exit $?"
cyclotron sweep report sweep.db 2> /dev/null | grep -c 'dcn.slices'
