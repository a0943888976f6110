# The same as JSON, which is the same for the same seed.
cyclotron network radix=4x4x4 rate=0.1 warmup=200 cycles=500 --format json -o a
cyclotron network radix=4x4x4 rate=0.1 warmup=200 cycles=500 --format json -o b
cmp a b && cat a
cyclotron network radix=4x4 pattern=transpose warmup=500 cycles=1000 -S -f json
