#!/bin/sh
# XLA:TPU copies a whole table of 64 columns to gather 64 rows of it, but none of 48 or 128 columns; a scatter-add depends on its rows.
#
# jax 0.10.2, libtpu 0.0.42.1.  Tables of a million rows of bf16 that are arguments lie with their rows along the lanes, which pads
# less.  A gather of 64 rows of 32 or 48 columns takes them from where they lie.  For 64 columns, whose rows are 8 KiB together, the
# program copies all 128 MB into rows of 128 lanes first: 256 MB of temporaries, in every step.  96 and 192 columns are copied
# too, 128 are not.  A scatter-add to a table of 64 columns that is given away copies it too where it has 1,000,000 rows, and is
# in place where it has 1,048,576: the larger table is the cheaper one.  v5e and v5p do the same.
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


for chip, name, shapes in (("v5e", "v5e:1x1", [(MILLION, 32), (MILLION, 48), (MILLION, 64), (POWER, 64), (MILLION, 96),
                                               (MILLION, 128), (MILLION, 192)]),
                           ("v5p", "v5p:1x1x1", [(MILLION, 48), (MILLION, 64), (POWER, 64), (MILLION, 128)])):
    topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    for shape in shapes:
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
v5e 1000000 x 32: gather 0.0, scatter-add 0.0
v5e 1000000 x 48: gather 0.0, scatter-add 0.0
v5e 1000000 x 64: gather 2.0, scatter-add 2.0
v5e 1048576 x 64: gather 2.0, scatter-add 0.0
v5e 1000000 x 96: gather 1.3, scatter-add 1.3
v5e 1000000 x 128: gather 0.0, scatter-add 0.0
v5e 1000000 x 192: gather 1.3, scatter-add 1.3
v5p 1000000 x 48: gather 0.0, scatter-add 0.0
v5p 1000000 x 64: gather 2.0, scatter-add 2.0
v5p 1048576 x 64: gather 2.0, scatter-add 0.0
v5p 1000000 x 128: gather 0.0, scatter-add 0.0
EOF
diff "$work/expected" "$work/seen"
