#!/bin/sh
# Splash attention compiles to the same text for 7, 10 and 15 of 16 blocks of work: which blocks a mask leaves out is not in it.
#
# jax 0.10.2, libtpu 0.0.42.1.  Splash attention skips blocks of keys that its mask hides, by tables that it has as constants.
# `compile().as_text()` writes them as `constant({...})`, and the kernel is MLIR bytecode in base64 in `backend_config`.  Three masks
# of 4 x 4 blocks, the lower triangle among them, give the same text byte by byte, and cost_analysis() states no flops for any.  With
# print_large_constants the texts differ.
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

cat >"$work/mask.py" <<'EOF'
import base64
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.lib import hlo
from jax.experimental import topologies
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

LENGTH, BLOCK, HEADS = 2048, 512, 4
topology = topologies.get_topology_desc(platform="tpu", topology_name="v5e:1x1", chips_per_host_bounds=(1, 1, 1))
sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])


def attend(blocks):
    mask = masks.MultiHeadMask([masks.NumpyMask(np.kron(blocks, np.ones((BLOCK, BLOCK))).astype(bool))] * HEADS)
    sizes = splash.BlockSizes(block_q=BLOCK, block_kv=BLOCK, block_kv_compute=BLOCK)
    kernel = splash.make_splash_mha(mask, head_shards=1, q_seq_shards=1, block_sizes=sizes)
    x = jax.ShapeDtypeStruct((HEADS, LENGTH, 128), jnp.bfloat16, sharding=sharding)
    return jax.jit(lambda q, k, v: kernel(q, k, v)).lower(x, x, x).compile()


first = np.zeros((4, 4))
first[0, :] = first[:, 0] = 1
most = np.ones((4, 4))
most[3, 3] = 0
options = hlo.HloPrintOptions()
options.print_large_constants = True
default, whole = [], []
for blocks in (first, np.tril(np.ones((4, 4))), most):
    program = attend(blocks)
    default.append(program.as_text())
    whole.append(program.runtime_executable().hlo_modules()[0].to_string(options))
    body = base64.b64decode(re.search(r'"body":"([^"]*)"', default[-1]).group(1))
    print(f"{int(blocks.sum())} blocks: {default[-1].count('constant({...})')} constants left out,"
          f" kernel is {body[5:9].decode()}, flops {program.cost_analysis().get('flops')}")
print("different texts:", len(set(default)), "with large constants:", len(set(whole)))
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/mask.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
7 blocks: 2 constants left out, kernel is MLIR, flops None
10 blocks: 2 constants left out, kernel is MLIR, flops None
15 blocks: 2 constants left out, kernel is MLIR, flops None
different texts: 1 with large constants: 3
EOF
diff "$work/expected" "$work/seen"
