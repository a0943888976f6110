#!/bin/sh
# From v6e on, XLA:TPU divides f32 by one reciprocal and one product, unrefined; one sum of bf16 is computed in f32 even on v7.
#
# jax 0.10.2, libtpu 0.0.42.1.  Instruction words of the last dump of bundles, for each register of 8x128 numbers, of kernels over
# 256x1024 numbers.  On v5e a division of f32 is a reciprocal with a step of Newton's and tests for zero and infinity: 16 words.  On v6e
# and v7 it is `vrcp`, its pop, and `vmul`; a reciprocal root loses its refinement too.  Divisions in softmax, norms and Adam so have a
# fifth of the vector work there, whatever the clock.  A kernel that is one sum of bf16 unpacks both operands, adds in f32 and packs
# the result on all three.  Four instructions in one kernel are computed on packed bf16 on v7, half the words and no conversion, and in
# f32 on v5e and v6e.
#
# Seen: the lines at the end of this script: vector words for each register of the result, by instruction
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${FINDINGS_CACHE:-$work}/jax-tpu-0.10.2
[ -x "$packages/bin/python" ] || {
    python3 -m venv "$packages"
    "$packages/bin/pip" install -q 'jax[tpu]==0.10.2' jaxlib==0.10.2 libtpu==0.0.42.1
}

cat >"$work/words.py" <<'EOF'
import collections
import glob
import os
import re
import sys

chip, name, folder = sys.argv[1:]
os.environ["LIBTPU_INIT_ARGS"] = f"--xla_jf_dump_to={folder} --xla_jf_dump_llo_text=true"
import jax
import jax.numpy as jnp
from jax.experimental import topologies

ROWS = 256
topology = topologies.get_topology_desc(platform="tpu", topology_name=name, chips_per_host_bounds=(1, 1, 1))
sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])


def texts():
    """The last dumps of kernels, without those of the program around them."""
    return {f for f in glob.glob(folder + "/*-final_bundles.txt") if not re.search(r"analysis|<late|TLP", f)}


for what, dtype, function in (("divide", jnp.float32, lambda a, b: a / b), ("rsqrt", jnp.float32, lambda a, b: jax.lax.rsqrt(a) + b),
                              ("add", jnp.bfloat16, lambda a, b: a + b), ("chain", jnp.bfloat16, lambda a, b: (a * b + a) * b - a)):
    before = texts()
    x = jax.ShapeDtypeStruct((ROWS, 1024), dtype, sharding=sharding)
    jax.jit(function).lower(x, x).compile()
    words = collections.Counter()
    for f in texts() - before:
        words.update(re.findall(r"= (v[a-z0-9_]+)[.a-z0-9]* ", open(f).read()))
    registers = ROWS * 1024 // 1024 // (4 // jnp.dtype(dtype).itemsize)
    counted = [f"{word} {words[word] // registers}" for word in sorted(words) if word not in ("vld", "vst") and words[word] >= registers]
    print(chip, what, jnp.dtype(dtype).name, *counted)
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
for chip in v5e:v5e:1x1 v6e:v6e:1x1 v7:tpu7x:1x1x1; do
    mkdir "$work/${chip%%:*}"
    "$packages/bin/python" "$work/words.py" "${chip%%:*}" "${chip#*:}" "$work/${chip%%:*}" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
done >"$work/seen"
cat "$work/seen"
cat >"$work/expected" <<'EOF'
v5e divide float32 vadd 1 vand 2 vcmp 1 vmor 1 vmul 3 vor 1 vpop 1 vrcp 1 vsel 2 vsub 1 vweird 2
v5e rsqrt float32 vadd 1 vmor 1 vmul 4 vpop 1 vrsqrt 1 vsel 1 vsub 1 vweird 2
v5e add bfloat16 vadd 2 vpack 1 vunpack 4
v5e chain bfloat16 vadd 2 vmul 4 vpack 1 vsub 2 vunpack 4
v6e divide float32 vmul 1 vpop 1 vrcp 1
v6e rsqrt float32 vadd 1 vpop 1 vrsqrt 1
v6e add bfloat16 vadd 2 vpack 1 vunpack 4
v6e chain bfloat16 vadd 2 vmul 4 vpack 1 vsub 2 vunpack 4
v7 divide float32 vmul 1 vpop 1 vrcp 1
v7 rsqrt float32 vadd 1 vpop 1 vrsqrt 1
v7 add bfloat16 vadd 2 vpack 1 vunpack 4
v7 chain bfloat16 vadd 1 vmul 2 vsub 1
EOF
diff "$work/expected" "$work/seen"
