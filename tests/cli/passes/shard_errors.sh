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
# a pipeline
try cyclotron trace shard fc.trace pipeline=2
try cyclotron trace shard fc.trace microbatches=2
try cyclotron trace shard fc.trace pipeline=2 microbatches=2 model=2
try cyclotron trace shard fc.trace pipeline=2 microbatches=2 schedule=2f2b
try cyclotron trace shard fc.trace pipeline=2 microbatches=3
try cyclotron trace shard fc.trace pipeline=7 microbatches=2
try cyclotron trace shard fc.trace pipeline=2 microbatches=2 -o p.trace
try cyclotron trace shard p.trace pipeline=2 microbatches=2
try cyclotron replay p.trace -m tpu-v3-8
many() { # a step of $2 samples and 1 + $1 operations
    printf 'cyclotron-trace 1\nsamples step=%d\nstep {\n  %%a[0] f32[%d,8] = infeed()\n' "$2" "$2"
    printf '  repeat l=1..%d {\n    %%a[l] f32[%d,8] = elementwise(%%a[l-1]) flops=64\n  }\n}\n' "$1" "$2"
}
many 8000 64 >many.trace
limit=60 # seconds; sanitizers take their own time
grep -q __asan_init "$(command -v cyclotron)" && limit=300
try timeout $limit cyclotron trace shard many.trace pipeline=1000 microbatches=2 -o stages.trace
grep -c ' = elementwise.* stage=999 ' stages.trace # 8 for each micro-batch
try timeout $limit cyclotron trace shard many.trace pipeline=65536 microbatches=2 -o never.trace
try timeout $limit cyclotron trace shard many.trace pipeline=8000 microbatches=32 -o never.trace
try timeout $limit cyclotron trace shard many.trace pipeline=900 microbatches=32 -o never.trace
many 50000 64 >many.trace
try timeout $limit cyclotron trace shard many.trace pipeline=3000 microbatches=2 -o never.trace
many 20 65536 >many.trace
try timeout $limit cyclotron trace shard many.trace pipeline=8 microbatches=65536 -o never.trace
rm -f many.trace stages.trace
cyclotron trace gen exatrkx graph=region graphs=2 nodes=16 edges=16 -o tied.trace
try cyclotron trace shard tied.trace pipeline=40 microbatches=2 -o never.trace
cyclotron trace gen 3dgan batch=2 -o gan.trace
try cyclotron trace shard gan.trace pipeline=2 microbatches=2 -o never.trace
cyclotron trace gen fc item=yes -o item.trace
try cyclotron trace shard item.trace pipeline=2 microbatches=2 -o never.trace
