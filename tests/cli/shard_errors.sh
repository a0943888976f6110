# A plan that cannot be, or changes nothing, is one line and exit 1.
cyclotron trace gen fc layers=2 width=64 input=64 output=10 batch=64 cores=1 -o fc.trace
try cyclotron trace shard fc.trace data=2 data=4
try cyclotron trace shard fc.trace mdoel=2
try cyclotron trace shard fc.trace data=
try cyclotron trace shard fc.trace model=2 edges=2
try cyclotron trace shard fc.trace edges=2
try cyclotron trace shard fc.trace server=1 data=2
# 7 parts neither 64 nor 10, 2 does
try cyclotron trace shard fc.trace model=7 -o never.trace
try cyclotron trace shard fc.trace model=2 -o fc2.trace
# what was cut is not cut again
try cyclotron trace shard fc2.trace model=2
try cyclotron trace shard fc.trace server=1 -o served.trace
try cyclotron trace shard served.trace server=1
try cyclotron trace shard served.trace model=2
try cyclotron trace shard fc.trace server=0
try cyclotron trace shard fc.trace halo=0.5
ls
