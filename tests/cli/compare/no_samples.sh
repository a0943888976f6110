# A Chakra trace that states no samples: no command prints samples, prices of them or epochs; what is unknown stands beside each figure.
printf '\007\012\0050.0.4S\010\001\022\024ampere_sgemm_128x128\030\0048\254\002R\016\012\011is_cpu_op\330\001\000R\020\012\007num_opsH\200\200\200\200\200\004R\022\012\013tensor_sizeH\200\200\2000\134\010\002\022\035vectorized_elementwise_kernel\030\004\052\001\0018\050R\016\012\011is_cpu_op\330\001\000R\016\012\007num_opsH\200\200\200\010R\022\012\013tensor_sizeH\200\200\200\040' >gemm.0.et
counts='samples_per_second\|global_batch\|_epoch"\|usd_per_million\|samples_per_usd'
no_samples() { grep -n "samples/s\|sample of\|USD/M\|million\|/epoch" | grep -v 'samples/s   error\|batch: samples\|error: to expect'; }
echo "--- replay"
for m in tpu-v3-8 a100x1 xeon-6148; do
    cyclotron replay gemm.0.et -m $m | no_samples
    cyclotron replay gemm.0.et -m $m --format json -o $m.json
    grep "$counts" $m.json | sort | uniq
    cyclotron replay gemm.0.et -m $m --format csv | sed -n 's/^\([^,]*\),.*,\(bounds\|data\|models\|measured\),\([^,]*\),.*/\1 \2 \3/p'
done
echo "--- scaled"
cyclotron replay gemm.0.et -m tpu-v3-8 --scale 8,32 | tr -s ' ' | sed -n '4,5p' | cut -d' ' -f6,7
cyclotron replay gemm.0.et -m tpu-v3-8 --scale 8,32 --format json | grep -o '"samples_per_second": [^,]*\|"known": [^,]*\|"error": [^,]*'
echo "--- compared"
cyclotron compare gemm.0.et -m a100x1 -m v100x1 | no_samples
cyclotron compare gemm.0.et -m a100x1 -m v100x1 | grep '^open\|may be' | sed 's/\(, \(at least \)\{0,1\}\)[0-9][^;]*;/\1N;/'
cyclotron compare gemm.0.et -m a100x1 --format json | grep -o '"[a-z_]*\(samples\|epoch\|batch\)[a-z_]*": [^{},]*'
cyclotron diff tpu-v3-8.json a100x1.json | grep 'samples\|^open'
echo "--- swept"
cyclotron sweep gemm.0.et -m a100x1 -m v100x1 --axis hbm.efficiency=0.7,0.9 --db x.db | grep 'sample\|not known\|open'
cyclotron sweep export csv x.db | sed 1q | tr , '\n' | grep 'sample\|epoch\|million'
cyclotron sweep export json x.db | grep -o "\($counts\)[^,]*" | sort | uniq -c
echo "--- tried side by side"
cyclotron scan gemm.0.et -m tpu-v3-8 --trials 8
echo "--- exported to others"
cyclotron replay gemm.0.et -m a100x1 --format hepscore | grep -o '"gemm.0": null'
