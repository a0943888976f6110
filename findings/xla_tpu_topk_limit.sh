#!/bin/sh
# XLA:TPU takes 216 and 257 of 32,768 keys by its top-k kernel, but 240 by two sorts; of 256 keys it sorts all to take 8.
#
# jax 0.10.2, libtpu 0.0.42.1.  `jax.lax.top_k` compiles to the kernel TopK up to a k that depends on the width of the rows: 3 of
# 256, 12 of 1,024.  Beyond it all keys of a row are sorted with their indices and k cut off, also for a router that takes 8 of 256
# experts.  A larger k does not always take the worse way: 240 of 32,768 are found in pieces of 256 keys, of which a sort leaves
# 240 each; a second sort has the 30,720 that are left.  257 are taken by the kernel again, 512 by one sort.
#
# Seen: the lines at the end of this script
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/keys.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
from jax.experimental import topologies

ROWS = 8


def find_kernels(topology, width, k):
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    x = jax.ShapeDtypeStruct((ROWS, width), jnp.float32, sharding=sharding)
    text = jax.jit(lambda x: jax.lax.top_k(x, k)).lower(x).compile().as_text()
    found = ["TopK"] * text.count('custom_call_target="TopK"')
    for keys, indices in re.findall(r" = \(f32\[(\d+,\d+)\]\S*, s32\[(\d+,\d+)\]\S*\) sort\(.*dimensions=\{1\}", text):
        assert keys == indices
        found.append("sort of " + keys.split(",")[1])
    return ", ".join(found)


for chip, name, sizes in (("v5e", "v5e:1x1", [(256, 3), (256, 8), (1024, 12), (1024, 13), (32768, 216), (32768, 240),
                                              (32768, 257), (32768, 512), (131072, 257)]),
                          ("v7", "tpu7x:1x1x1", [(256, 3), (256, 8), (32768, 216), (32768, 240), (32768, 257)])):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    for width, k in sizes:
        print(f"{chip} {k} of {width}: {find_kernels(topology, width, k)}")
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/keys.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v5e 3 of 256: TopK
v5e 8 of 256: sort of 256
v5e 12 of 1024: TopK
v5e 13 of 1024: sort of 1024
v5e 216 of 32768: TopK
v5e 240 of 32768: sort of 256, sort of 30720
v5e 257 of 32768: TopK
v5e 512 of 32768: sort of 32768
v5e 257 of 131072: TopK
v7 3 of 256: TopK
v7 8 of 256: sort of 256
v7 216 of 32768: TopK
v7 240 of 32768: sort of 256, sort of 30720
v7 257 of 32768: TopK
EOF
diff "$work/expected" "$work/seen"
