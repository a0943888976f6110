#!/bin/sh
# XLA:TPU's peak memory counts a result in VMEM beside the operand whose memory, as its own text says, the result takes.
#
# jax 0.10.2, libtpu 0.0.42.1.  A training step of three layers of 512 x 512 in f32, 256 rows, for one chip of v6e.  All values between kernels are
# in VMEM, layouts S(1).  A gradient fusion has aliasing_operands {0, 3} in its backend_config: its result is its first operand, which
# nobody reads afterwards.  One would guess that the peak counts that memory once, as it does for results in HBM.  From the schedule follow
# 5,505,024 bytes of values in VMEM at the peak if it does, and 6,553,600 if it does not.  memory_analysis().peak_memory_in_bytes less the
# arguments is 6,554,656.
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

cat >"$work/alias.py" <<'EOF'
import re

import jax
import jax.numpy as jnp
from jax.experimental import topologies

topology = topologies.get_topology_desc(platform="tpu", topology_name="v6e:1x1", chips_per_host_bounds=(1, 1, 1))
sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])


def shape(*sides):
    return jax.ShapeDtypeStruct(sides, jnp.float32, sharding=sharding)


def loss(weights, x):
    for w in weights:
        x = jax.nn.relu(x @ w)
    return jnp.mean(x**2)


def step(weights, x):
    value, gradient = jax.value_and_grad(loss)(weights, x)
    return [w - 1e-3 * g for w, g in zip(weights, gradient)], value


compiled = jax.jit(step, donate_argnums=0).lower([shape(512, 512)] * 3, shape(256, 512)).compile()
lines = compiled.as_text().split("\nENTRY ")[1].splitlines()[1:]

SIZE = {"f32": 4, "bf16": 2}
sizes, first, last, source, shares = {}, {}, {}, {}, {}
for at, line in enumerate(lines):
    m = re.match(r"\s+(?:ROOT )?%(\S+) = (.*?) ([\w-]+)\((.*?)\)[,\n]?", line)
    if not m:
        continue
    name, result, op, operands = m[1], m[2], m[3], re.findall(r"%([\w.-]+)", m[4])
    for o in operands:
        last[source.get(o, o)] = at
    if op in ("copy-done", "get-tuple-element"):
        source[name] = source.get(operands[0], operands[0])
        continue
    arrays = re.findall(r"(bf16|f32)\[(\d+),(\d+)\]\{([^}]*)\}", result)
    arrays = [a for a in (arrays[:1] if op == "copy-start" else arrays) if "S(1)" in a[3]]
    if arrays:
        kind, rows, columns, _ = arrays[0]
        sizes[name], first[name] = SIZE[kind] * int(rows) * int(columns), at
    alias = re.search(r'"aliasing_operands":\{"lists":\[\{"indices":\["(\d+)","(\d+)"\]', line)
    if alias and name in sizes and int(alias[2]) == len(operands):
        shares[name] = source.get(operands[int(alias[1])], operands[int(alias[1])])


def peak(sharing):
    most = 0
    for at in range(len(lines)):
        alive = [n for n in sizes if first[n] <= at <= last.get(n, at)]
        if sharing:
            alive = [n for n in alive if not (shares.get(n) in alive)]
        most = max(most, sum(sizes[n] for n in alive))
    return most


memory = compiled.memory_analysis()
print("results in VMEM with aliasing_operands:", len(shares))
print("values in VMEM at the peak, shared:", peak(True))
print("values in VMEM at the peak, side by side:", peak(False))
print("peak_memory_in_bytes less arguments:", memory.peak_memory_in_bytes - memory.argument_size_in_bytes)
EOF
export TPU_SKIP_MDS_QUERY=1 JAX_PLATFORMS=cpu ALLOW_MULTIPLE_LIBTPU_LOAD=1 TPU_ACCELERATOR_TYPE=v4-8
"$packages/bin/python" "$work/alias.py" >"$work/seen" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
cat "$work/seen"
cat >"$work/expected" <<'EOF'
results in VMEM with aliasing_operands: 2
values in VMEM at the peak, shared: 5505024
values in VMEM at the peak, side by side: 6553600
peak_memory_in_bytes less arguments: 6554656
EOF
diff "$work/expected" "$work/seen"
