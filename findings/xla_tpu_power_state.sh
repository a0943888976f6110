#!/bin/sh
# XLA:TPU takes a power state for every generation, but checks it for TPU v7 alone, and its estimates do not depend on it.
#
# jax 0.10.2, libtpu 0.0.42.1.  `--xla_tpu_dvfs_p_state=N` sets the power state of a TPU, 0 to 7 on v7.  State 9 is refused for
# v7 and accepted without a word for v6e and v5p; whether any state has an effect there cannot be seen without a chip.  The
# estimates in cycles of a program for v7 are the same in states 0 and 7.  So a time that was measured on v7 belongs to a state that
# the estimates do not tell, and a recipe for v6e or v5p may name a state that does not exist.
#
# Seen: "v5p 0 accepted", "v5p 9 accepted", "v6e 0 accepted", "v6e 9 accepted", "v7 0 accepted", "v7 7 accepted", "v7 9 refused",
#       "v7: states 0 and 7 have the same estimates"
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/product.py" <<'EOF'
import re
import sys

import jax
import jax.numpy as jnp
from jax.experimental import topologies

name, shape, state = sys.argv[1:4]
shape = tuple(map(int, shape.split("x")))
topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=shape)
sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
x = jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16, sharding=sharding)
try:
    text = jax.jit(lambda a, b: a @ b).lower(x, x).compile({"xla_tpu_dvfs_p_state": state}).as_text()
except jax.errors.JaxRuntimeError as e:
    print("refused", e, file=sys.stderr)
    print("refused")
else:
    print("accepted", *re.findall(r'"estimated_cycles":"(\d+)"', text))
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
try() {
    "$packages/bin/python" "$work/product.py" "$1" 1x1x1 "$2" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
}
: >"$work/seen"
for state in 0 9; do
    echo "v5p $state $(try v5p:1x1x1 $state | cut -d' ' -f1)" >>"$work/seen"
    echo "v6e $state $(try v6e:1x1 $state | cut -d' ' -f1)" >>"$work/seen"
done
zero=$(try tpu7x:1x1x1 0) seven=$(try tpu7x:1x1x1 7) nine=$(try tpu7x:1x1x1 9)
echo "v7 0 ${zero%% *}" >>"$work/seen"
echo "v7 7 ${seven%% *}" >>"$work/seen"
echo "v7 9 ${nine%% *}" >>"$work/seen"
[ "$zero" = "$seven" ] && echo "v7: states 0 and 7 have the same estimates" >>"$work/seen"
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v5p 0 accepted
v6e 0 accepted
v5p 9 accepted
v6e 9 accepted
v7 0 accepted
v7 7 accepted
v7 9 refused
v7: states 0 and 7 have the same estimates
EOF
diff "$work/expected" "$work/seen"
