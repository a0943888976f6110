#!/bin/sh
# XLA:TPU makes a convolution dearer by dividing its channels into groups: with an eighth of the FLOPs it is estimated 2 to 6 times as long.
#
# jax 0.10.2, libtpu 0.0.42.1.  A convolution of 3 x 3 over 32 images of 28 x 28, 256 channels in and out, in bf16.  With 8 groups
# of 32 channels (ResNeXt) one would guess that a TPU gains nothing, as 32 channels fill a quarter of an array's lanes; but the
# compiler's estimates, copies included, are 2.3 times those without groups on v3, 3.5 times on v5e and 5.8 times on v6e.
# 256 groups of one channel (depthwise) are estimated faster than 8, on v3 and v5e also than one.
#
# Seen: the lines at the end of this script: estimated cycles / those without groups
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/convolution.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
from jax.experimental import topologies

CHANNELS = 256


def estimate(topology, groups):
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    x = jax.ShapeDtypeStruct((32, 28, 28, CHANNELS), jnp.bfloat16, sharding=sharding)
    w = jax.ShapeDtypeStruct((3, 3, CHANNELS // groups, CHANNELS), jnp.bfloat16, sharding=sharding)

    def convolve(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                            feature_group_count=groups)

    text = jax.jit(convolve).lower(x, w).compile().as_text()
    return sum(map(int, re.findall(r'"estimated_cycles":"(\d+)"', text)))


for chip, name in (("v3", "v3:1x1"), ("v5e", "v5e:1x1"), ("v6e", "v6e:1x1")):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    dense = estimate(topology, 1)
    for groups in (8, CHANNELS):
        print(f"{chip} {groups} groups: {estimate(topology, groups) / dense:.1f}")
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/convolution.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v3 8 groups: 2.3
v3 256 groups: 0.3
v5e 8 groups: 3.5
v5e 256 groups: 0.5
v6e 8 groups: 5.8
v6e 256 groups: 1.6
EOF
diff "$work/expected" "$work/seen"
