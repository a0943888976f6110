#!/bin/sh
# A program that JAX compiles for two slices of TPUs says that it has the partitions of one, and sums between them by a transfer to the host.
#
# jax 0.10.2, libtpu 0.0.42.1.  `get_topology_desc(..., num_slices=2)` of v5e:2x2 has 8 devices, and a sum over all of them compiles
# to a module with num_partitions=4, whose replica groups have 4 members.  No all-reduce is in it: a reduce-scatter and an all-gather
# within the slice, and between them a send and a recv with is_host_transfer=true, whose attributes alone tell that they are an
# all-reduce of both slices.  Who reads num_partitions and collectives takes it for a program of 4 devices that talks to its host.
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

cat >"$work/slices.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

topology = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2", chips_per_host_bounds=(2, 2, 1), num_slices=2)
devices = sorted(topology.devices, key=lambda d: (d.slice_index, d.id))
mesh = Mesh(np.array(devices).reshape(2, 4), ("slice", "chip"))
x = jax.ShapeDtypeStruct((8, 1024, 1024), jnp.float32, sharding=NamedSharding(mesh, PartitionSpec(("slice", "chip"))))
whole = NamedSharding(mesh, PartitionSpec())
text = jax.jit(lambda x: x.sum(0), out_shardings=whole).lower(x).compile().as_text()
print(len(devices), "devices, num_partitions", *re.findall(r"num_partitions=(\d+)", text))
for kind in ("all-reduce", "reduce-scatter", "all-gather", "send", "recv"):
    print(kind, len(re.findall(rf" {kind}\(", text)) + len(re.findall(rf" {kind}-start\(", text)), end=" ")
print("groups", *sorted(set(re.findall(r"replica_groups=(\{\{.*?\}\})", text))))
send = next(line for line in text.splitlines() if " send(" in line)
print(*re.findall(r'is_host_transfer=\w+|_xla_\w*(?:handler_name|transfer_type|target)="[^"]*"', send))
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/slices.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
8 devices, num_partitions 4
all-reduce 0 reduce-scatter 1 all-gather 1 send 1 recv 1 groups {{0,1,2,3}}
is_host_transfer=true _xla_host_transfer_handler_name="xla_megascale_runtime" _xla_megascale_target="{1,2}x{0:3}" _xla_megascale_transfer_type="ALL_REDUCE"
EOF
diff "$work/expected" "$work/seen"
