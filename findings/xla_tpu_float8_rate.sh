#!/bin/sh
# XLA:TPU estimates products of f8e5m2 like those of int8 on v5e and v6e, and int4 no faster than int8; JAX's table of chips says neither.
#
# jax 0.10.2, libtpu 0.0.42.1.  A product of 4096 cubed.  JAX's table (`tpu_info`) gives v5e no 8-bit floating point and v6e the rate
# of bf16.  f8e4m3fn, the format of most recipes, has indeed the estimate of bf16, but f8e5m2 has exactly the estimate of int8: half
# of that of bf16 on v5e.  int4, with twice the rate of int8 in the table, is estimated like int8.  On v7 f8e4m3fn and f8e5m2 are
# twice as fast as bf16, but int8 and int4 are not: there integers gain nothing but memory.
#
# Seen: the lines at the end of this script: estimated cycles of bf16 / those of the type; rates of the table / that of bf16
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/products.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic import tpu_info
from jax.experimental import topologies

SIZE = 4096


def estimate(topology, dtype):
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    x = jax.ShapeDtypeStruct((SIZE, SIZE), dtype, sharding=sharding)
    sums = jnp.int32 if jnp.issubdtype(dtype, jnp.integer) else jnp.float32
    text = jax.jit(lambda a, b: jax.lax.dot(a, b, preferred_element_type=sums)).lower(x, x).compile().as_text()
    return sum(map(int, re.findall(r'"estimated_cycles":"(\d+)"', text)))


for chip, name, version in (("v5e", "v5e:1x1", "TPU_V5E"), ("v6e", "v6e:1x1", "TPU_V6E"), ("v7", "tpu7x:1x1x1", "TPU_7X")):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    bf16 = estimate(topology, jnp.bfloat16)
    print(chip, *(f"{dtype.__name__} {bf16 / estimate(topology, dtype):.1f}"
                  for dtype in (jnp.int8, jnp.int4, jnp.float8_e4m3fn, jnp.float8_e5m2)))
    info = tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion[version], 1)
    print(f"{chip} table", *(f"{kind} {getattr(info, kind + '_ops_per_second') / info.bf16_ops_per_second:.1f}"
                            for kind in ("int8", "int4", "fp8")))
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/products.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v5e int8 2.0 int4 2.0 float8_e4m3fn 1.0 float8_e5m2 2.0
v5e table int8 2.0 int4 4.0 fp8 0.0
v6e int8 1.3 int4 1.3 float8_e4m3fn 0.9 float8_e5m2 1.3
v6e table int8 2.0 int4 4.0 fp8 1.0
v7 int8 1.0 int4 1.0 float8_e4m3fn 2.1 float8_e5m2 2.1
v7 table int8 0.0 int4 0.0 fp8 2.0
EOF
diff "$work/expected" "$work/seen"
