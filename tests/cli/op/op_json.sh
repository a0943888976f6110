# The keys of the JSON object in order, its numbers in range; --exact and -o give the same bytes.
cyclotron op matmul m=300 n=200 k=100 -m tpu-v2-1 --format json >out.json
sed 's/: -\{0,1\}[0-9][0-9.e-]*/: N/g; s/"[0-9a-f]\{16\}"/"HEX"/g' out.json
grep -E '"(flops|hbm_bytes)"' out.json # 2 * 300 * 200 * 100; 2 * (300*100 + 100*200 + 300*200)
cyclotron op matmul m=300 n=200 k=100 -m tpu-v2-1 --format json --exact | cmp - out.json
cyclotron op matmul k=100 n=200 m=300 dtype=bf16 -m tpu-v2-1 -f json -o two.json && cmp two.json out.json
