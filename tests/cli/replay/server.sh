# A parameter server, all cores together and one by one: what a replay says of it.
cyclotron trace gen fc layers=2 width=512 batch=8192 cores=8 loop=0 -o fc.trace
cyclotron trace shard fc.trace server=sync -o sync.trace
cyclotron trace shard fc.trace server=async staleness=0 -o zero.trace
cmp sync.trace zero.trace && echo "without staleness it is the same step"
cyclotron trace shard fc.trace server=async staleness=1 -o async.trace
grep 'server.update' sync.trace async.trace | sed 's/(.*)/(...)/'
cyclotron replay sync.trace -m tpu-v3-8 --format json >sync.json
cyclotron replay async.trace -m tpu-v3-8 --format json >async.json
grep '"server": {' sync.json || echo "no server in the other"
grep '"limited_by"\|"server": {' async.json
grep -o '"server_[a-z]*": [0-9.]*' async.json
cyclotron replay async.trace -m tpu-v3-8 | grep 'takes\|  server  '
cyclotron replay async.trace -m tpu-v3-8 --exact --format json | cmp - async.json && echo "walked, it is the same"
cyclotron compare async.trace -m tpu-v3-8 | grep 'tpu-v3-8  '
