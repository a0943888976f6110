# Every example of every help text runs.  Traces of that name are small ones, and what takes minutes has
# a short form below; all else is typed as it stands.
mkdir -p traces/programs docs/reference bin
zstd -q "$root/tests/cli/programs/layers.tpu-v3-8.hlo" -o traces/programs/gan3d.tpu-v3-8.hlo.zst
zstd -q "$root/tests/cli/programs/layers.tpu-v5e-4.hlo" -o traces/programs/gan3d.tpu-v2-8.hlo.zst
PATH=$PWD/bin:$PATH
printf '#!/bin/sh\nexec cat\n' >bin/less # may not be installed
chmod +x bin/less
cyclotron trace gen 3dgan batch=8 epoch=8000 -o traces/3dgan.trace.zst
cyclotron trace gen exatrkx nodes=2048 edges=8192 hidden=32 -o traces/exatrkx.trace.zst
cp "$root/docs/examples/step.json.gz" .
cp tiny.trace mine.trace
cyclotron trace gen fc layers=2 width=256 batch=64 cores=2 epoch=6400 -o small.trace
cyclotron trace gen fc layers=2 width=512 batch=64 cores=2 epoch=6400 -o big.trace
cyclotron machine show tpu-v3-8 --set mxu.count=4 -o mine.ini
cyclotron trace export tiny.trace -o chakra.0.et 2>/dev/null
printf 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nConv1, 224, 224, 11, 11, 3, 96, 4,\n' >alexnet.csv
mkdir site
cp "$root/tests/cli/programs/layers.tpu-v3-8.hlo" site/step.hlo
cyclotron profile site/step.hlo --export site/step.hlo_stats.csv
printf 'HloModule step\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n' | zstd -q >step.hlo.zst
cat >night.ini <<'END'
[sweep]
trace = tiny.trace
machine = tpu-v3-8
axis = mxu.count=2,4
END
for i in 1 2; do cyclotron sweep --plan night.ini --db night.db --shard $i/2 -j 1 >/dev/null; done
cyclotron sweep traces/3dgan.trace.zst -m tpu-v3-8 -m tpu-v3-32 --axis "ici.bandwidth=50,100 GB/s" --db ici.db -j 1 >/dev/null

# what is run in place of an example
shorten() {
    sed -e 's/^  cyclotron validate$/& --only prices/' \
        -e 's/^  cyclotron validate --only [a-z0-9-]*$/timeout 1 & || [ $? -eq 124 ]/' \
        -e 's/^  cyclotron validate --format json/& --only prices/' \
        -e 's/ fit=16GiB / fit=40MiB /' \
        -e 's/sobol:64/sobol:2/' -e '/gen:/s/$/ -j 1/' \
        -e 's/gen:mlpf/gen:fc/' -e 's/gen mlpf/gen mlpf batch=1/' \
        -e 's/radix=4x4x4 \(.*--saturate\)/radix=2x2x2 warmup=100 cycles=500 \1/'
}
for page in $(cyclotron --man); do
    $(echo "$page" | tr - ' ') --help | sed -n '/^Examples:/,/^$/p' | sed '1d; /^$/d' |
        sed -e ':a' -e '/\\$/N; s/\\\n *//; ta'
done >all
failed=0
while IFS= read -r example; do
    short=$(printf '%s\n' "$example" | shorten)
    sh -c "$short" >/dev/null 2>err </dev/null && continue
    echo "failed:$example"
    [ "$short" = "$example" ] || echo "   as:$short"
    head -n 2 err
    failed=1
done <all
[ "$(wc -l <all)" -ge 80 ] && echo "at least 80 examples were found"
[ $failed -eq 0 ] && echo "all of them ran"
