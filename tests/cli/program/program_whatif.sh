# What-ifs of a compiled program: another bandwidth, clock or link keeps what the compiler decided,
# and so does a larger array; a smaller array or vector memory chooses anew, and says for which kernels.
trace=$root/docs/examples/compiled.trace
run() { cyclotron replay "$trace" -m tpu-v4-8 "$@"; }
# the kernels with their FLOPs and bytes of HBM, without their times
decided() {
    run --format json "$@" | sed -n '/^  "ops"/,/^  \]/p' |
        sed 's/.*"name": "\([^"]*\)".*"flops": \([0-9]*\), "hbm_bytes": \([0-9]*\).*/\1 \2 \3/'
}
seconds() { run --format json "$@" | sed -n 's/.*"seconds_per_step": \([0-9.e-]*\),.*/\1/p'; }

# the copy w.start brings 1000 x 1024 x 2 bytes
decided | tee as-stated
before=$(seconds)
for change in hbm.bandwidth=600GB/s core.clock=525MHz ici.bandwidth=4.5GB/s; do
    echo "--- $change"
    decided --set $change | diff as-stated - && echo "as the compiler decided"
    run --set $change | grep "cut anew"
    after=$(seconds --set $change)
    awk "BEGIN { print ($after > $before * 1.01 ? \"slower\" : \"NO SLOWER: $before $after\") }"
done
for change in mxu.size=256 mxu.size=64 vmem.capacity=4MiB; do
    echo "--- $change"
    run --set $change | grep -A1 "cut anew"
    run --set $change --format json |
        sed -n 's/.*{"name": "\([^"]*\)".*"retiled": "\([a-z]*\)".*/\1 \2/p'
done
