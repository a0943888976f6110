# The lowered loop nest: what a grid step reads, computes and writes.
cyclotron op matmul m=300 n=200 k=100 -m tpu-v3-1 --dump=tasks
cyclotron op gather rows=1000 cols=64 table=100000 -m tpu-v2-1 --dump=tasks
cyclotron op all-gather bytes=4096 -m tpu-v2-8 --dump tasks -o tasks && cat tasks
cyclotron op outfeed bytes=4096 sync=1 -m tpu-v2-8 --dump=tasks
cyclotron op host time=2ms bytes=4096 -m tpu-v2-8 --dump=tasks
