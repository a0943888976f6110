#!/bin/sh
# XLA:TPU copies a whole table to gather 64 rows of it, unless rows of 128 lanes make it 128 MiB larger and more than twice as large.
#
# jax 0.10.2, libtpu 0.0.42.1.  A table that is an argument and has no multiple of 128 columns lies with its rows along the lanes,
# which pads less.  To gather a few of its rows the program copies all of it into rows of 128 lanes first, in every step: 2.0 times
# its bytes of temporaries for 64 columns.  Only where that adds at least 128 MiB and more than doubles it, are rows taken from where
# they lie: so the larger table is the cheaper one.  600,000 rows of bf16 are not copied with 16 columns, but with 32; a million
# rows not with 56 columns, but with 57 (padded to 64).  A scatter-add to a table that is given away is in place from twice on:
# 1,048,576 x 64, not 1,000,000 x 64, whose padding to 7,813 tiles makes it a little less than half.  The same on v3, v5e and v5p.
# Where the rows of lanes fit in VMEM, no temporaries are seen, but the table is copied there (65,536 x 64 on v5e).
#
# Seen: the lines at the end of this script; temporaries are in units of the table
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/table.py" <<'EOF'
import jax
import jax.numpy as jnp
from jax.experimental import topologies

PICKED = 64
MILLION, POWER = 1000000, 1 << 20


def add(table, at, rows):
    return table.at[at].add(rows)


SHAPES = [(524288, 8), (600000, 16), (600000, 32), (MILLION, 48), (MILLION, 56), (MILLION, 57), (MILLION, 64), (POWER, 64),
          (MILLION, 96), (MILLION, 128), (MILLION, 192)]

for chip, name in (("v3", "v3:1x1"), ("v5e", "v5e:1x1"), ("v5p", "v5p:1x1x1")):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    for shape in SHAPES:
        table = jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=sharding)
        at = jax.ShapeDtypeStruct((PICKED,), jnp.int32, sharding=sharding)
        rows = jax.ShapeDtypeStruct((PICKED, shape[1]), jnp.bfloat16, sharding=sharding)
        gather = jax.jit(lambda table, at: table[at]).lower(table, at).compile().memory_analysis()
        scatter = jax.jit(add, donate_argnums=0).lower(table, at, rows).compile().memory_analysis()
        unit = shape[0] * shape[1] * 2
        print(f"{chip} {shape[0]} x {shape[1]}: gather {gather.temp_size_in_bytes / unit:.1f},"
              f" scatter-add {scatter.temp_size_in_bytes / unit:.1f}")
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/table.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v3 524288 x 8: gather 16.0, scatter-add 16.0
v3 600000 x 16: gather 0.0, scatter-add 0.0
v3 600000 x 32: gather 4.0, scatter-add 4.0
v3 1000000 x 48: gather 0.0, scatter-add 0.0
v3 1000000 x 56: gather 0.0, scatter-add 0.0
v3 1000000 x 57: gather 2.2, scatter-add 2.2
v3 1000000 x 64: gather 2.0, scatter-add 2.0
v3 1048576 x 64: gather 2.0, scatter-add 0.0
v3 1000000 x 96: gather 1.3, scatter-add 1.3
v3 1000000 x 128: gather 0.0, scatter-add 0.0
v3 1000000 x 192: gather 1.3, scatter-add 1.3
v5e 524288 x 8: gather 16.0, scatter-add 16.0
v5e 600000 x 16: gather 0.0, scatter-add 0.0
v5e 600000 x 32: gather 4.0, scatter-add 4.0
v5e 1000000 x 48: gather 0.0, scatter-add 0.0
v5e 1000000 x 56: gather 0.0, scatter-add 0.0
v5e 1000000 x 57: gather 2.2, scatter-add 2.2
v5e 1000000 x 64: gather 2.0, scatter-add 2.0
v5e 1048576 x 64: gather 2.0, scatter-add 0.0
v5e 1000000 x 96: gather 1.3, scatter-add 1.3
v5e 1000000 x 128: gather 0.0, scatter-add 0.0
v5e 1000000 x 192: gather 1.3, scatter-add 1.3
v5p 524288 x 8: gather 16.0, scatter-add 16.0
v5p 600000 x 16: gather 0.0, scatter-add 0.0
v5p 600000 x 32: gather 4.0, scatter-add 4.0
v5p 1000000 x 48: gather 0.0, scatter-add 0.0
v5p 1000000 x 56: gather 0.0, scatter-add 0.0
v5p 1000000 x 57: gather 2.2, scatter-add 2.2
v5p 1000000 x 64: gather 2.0, scatter-add 2.0
v5p 1048576 x 64: gather 2.0, scatter-add 0.0
v5p 1000000 x 96: gather 1.3, scatter-add 1.3
v5p 1000000 x 128: gather 0.0, scatter-add 0.0
v5p 1000000 x 192: gather 1.3, scatter-add 1.3
EOF
diff "$work/expected" "$work/seen"
