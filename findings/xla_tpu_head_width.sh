#!/bin/sh
# XLA:TPU estimates the output projection of attention at twice the time where a head is 128 wide, on chips with arrays of 256.
#
# jax 0.10.2, libtpu 0.0.42.1.  The product [8192, heads, width] x [heads, width, 4096] has the same 275 GFLOP for any heads x
# width = 4096.  On TPU v6e and v7, whose arrays are 256 x 256, 32 heads of 128 are estimated at 1.9 times the cycles of one
# product with k = 4096: each head is a window of its own, which fills half of the rows.  64 heads of 64 are narrower and cost
# no more than one product: the compiler takes another emitter, which puts heads side by side.  16 heads of 256 cost no
# more either.  On v5e with arrays of 128, heads of 128 cost nothing.
#
# Seen: estimated cycles / those of k = 4096 in one piece
#       v5e 32x128 1.0, v6e 16x256 1.0, v6e 32x128 1.9, v6e 64x64 1.0, v7 16x256 1.0, v7 32x128 2.0, v7 64x64 1.0
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/heads.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
from jax.experimental import topologies


def estimate(topology, heads, width):
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    x = jax.ShapeDtypeStruct((8192, heads, width), jnp.bfloat16, sharding=sharding)
    w = jax.ShapeDtypeStruct((heads, width, 4096), jnp.bfloat16, sharding=sharding)
    text = jax.jit(lambda x, w: jnp.einsum("mhd,hdn->mn", x, w)).lower(x, w).compile().as_text()
    return sum(map(int, re.findall(r'"estimated_cycles":"(\d+)"', text)))


for chip, name, rows in (("v5e", "v5e:1x1", [(32, 128)]),
                         ("v6e", "v6e:1x1", [(16, 256), (32, 128), (64, 64)]),
                         ("v7", "tpu7x:1x1x1", [(16, 256), (32, 128), (64, 64)])):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    one = estimate(topology, 1, 4096)
    for heads, width in rows:
        print(f"{chip} {heads}x{width} {estimate(topology, heads, width) / one:.1f}")
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/heads.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v5e 32x128 1.0
v6e 16x256 1.0
v6e 32x128 1.9
v6e 64x64 1.0
v7 16x256 1.0
v7 32x128 2.0
v7 64x64 1.0
EOF
diff "$work/expected" "$work/seen"
