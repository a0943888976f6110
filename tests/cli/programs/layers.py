"""The compiled programs beside this file: four layers, and a step that does not state its samples.

    scripts/compile tests/cli/programs/layers.py -t v5e:2x2 -o tests/cli/programs/layers.tpu-v5e-4.hlo
    scripts/compile tests/cli/programs/layers.py -t v3:2x2 -o tests/cli/programs/layers.tpu-v3-8.hlo
"""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def forward(weights, x):
    for i, w in enumerate(weights):
        with jax.named_scope(f"layer{i}"):
            x = jnp.tanh(x @ w)
    return (x**2).mean()


def step(weights, x):
    gradient = jax.grad(forward)(weights, x)
    return [w - 0.1 * g for w, g in zip(weights, gradient)]


def program(mesh, batch=512):
    x = jax.ShapeDtypeStruct((batch * mesh.size, 512), jnp.float32,
                             sharding=NamedSharding(mesh, P("data")))
    return jax.jit(step, donate_argnums=0), (4 * [jax.ShapeDtypeStruct((512, 512), jnp.float32)], x)
