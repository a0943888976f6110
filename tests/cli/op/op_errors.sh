# What is wrong with an operation is one line and exit 1; a usage error exits 2.
try cyclotron op matmull m=1 n=1 k=1 -m tpu-v2-1
try cyclotron op matmul m=1 n=1 -m tpu-v2-1
try cyclotron op matmul m=1 n=1 kk=1 -m tpu-v2-1
try cyclotron op matmul m=1 n=1 k=0 -m tpu-v2-1
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v22-1
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 --set mxu.cont=2
try cyclotron op matmul m=4096 n=4096 k=4096 resident=rhs -m tpu-v2-1
try cyclotron op conv in=2x3x9 filter=5x3x11 -m tpu-v2-1 -o never
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 -o no/such/folder
ls
try cyclotron op matmul m=1 n=1 k=1
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 -m tpu-v3-1
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 --format csv
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 --dump=task
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 --dump=tasks --format json
try cyclotron op matmul m=1 n=1 k=1 -m tpu-v2-1 --exakt
try cyclotron op matmul m=1 n=1 k=1 precision=hi -m tpu-v2-1
try cyclotron op matmul m=8 n=8 k=8 dtype=s8 -m tpu-v2-1
try cyclotron op matmul m=8 n=8 k=8 dtype=f16 -m tpu-v2-1
try cyclotron op matmul m=8 n=8 k=8 dtype=f64 -m tpu-v5e-1
try cyclotron op add shape=8x128 dtype=f64 -m tpu-v2-1
try cyclotron op all-reduce bytes=4096 dtype=s64 -m tpu-v2-8
try cyclotron op hbm bytes=1MiB bytes=2MiB -m tpu-v2-1
try cyclotron op hbm part=hbm2 -m tpu-v2-1
