# Any number of threads prints the same bytes; what is no number is refused.
same() {
    cyclotron replay tiny.trace "$@" -j 1 --format json -o one.json
    for j in 2 3 8; do
        cyclotron replay tiny.trace "$@" -j $j --format json -o some.json && cmp one.json some.json && echo "same by $j: $*"
    done
}
same -m tpu-v3-64 -s fault.slow_chip=3 -s fault.chip_times=1.3
same -m tpu-v2-32 -s 'fault.jitter=2 us' -n 2
same -m tpu-v3-32 --exact
cyclotron compare tiny.trace -m tpu-v3-32 -m tpu-v3-64 -s fault.slow_chip=0 -s fault.chip_times=2 -j 1 >one.txt
cyclotron compare tiny.trace -m tpu-v3-32 -m tpu-v3-64 -s fault.slow_chip=0 -s fault.chip_times=2 -j 4 | cmp one.txt && echo same
try cyclotron replay tiny.trace -m tpu-v3-8 -j 0
try cyclotron replay tiny.trace -m tpu-v3-8 --jobs=many
