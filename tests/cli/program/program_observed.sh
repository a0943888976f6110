# Who looks at a compiled program changes none of its figures, though no step warms up before it.
trace=$root/docs/examples/compiled.trace
run() { cyclotron replay "$trace" -m tpu-v4-8 --format json "$@"; }

run >alone.json
for look in "--perfetto run.pftrace" "--html run.html" "--vcd run.vcd" --exact; do
    echo "--- ${look%% *}"
    # shellcheck disable=SC2086
    run $look >seen.json && cmp alone.json seen.json && echo the same figures
done
