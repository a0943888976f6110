"""A jet tagger in JAX: 64 particles of 7 features each, 5 classes of jets.

    scripts/compile docs/examples/tagger_jax.py -t v5e:2x2 -o tagger.hlo.zst
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

PARTICLES, FEATURES, CLASSES = 64, 7, 5


def init(key, width):
    """Weights: four layers for each particle, then three for the sum over a jet."""
    sizes = [FEATURES] + 6 * [width] + [CLASSES]
    return [(random.normal(random.fold_in(key, i), (a, b)) * (2 / a) ** 0.5, jnp.zeros(b))
            for i, (a, b) in enumerate(zip(sizes, sizes[1:]))]


def tag(weights, jets):
    x = jets
    for i, (w, b) in enumerate(weights):
        if i == 4:
            x = x.sum(1)
        x = x @ w + b
        if i + 1 < len(weights):
            x = jax.nn.relu(x)
    return x


def loss(weights, jets, label):
    chance = jax.nn.log_softmax(tag(weights, jets))
    return -jnp.take_along_axis(chance, label[:, None], 1).mean()


def step(weights, velocity, jets, label):
    """One step of one device, on its part of the jets: gradient descent with momentum."""
    value, gradient = jax.value_and_grad(loss)(weights, jets, label)
    gradient = lax.pmean(gradient, "data")  # the average over all devices
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradient)
    weights = jax.tree.map(lambda w, v: w - 0.01 * v, weights, velocity)
    return weights, velocity, lax.pmean(value, "data")


def program(mesh, batch=1024, width=256):
    """What scripts/compile calls: the step on all devices of the mesh, `batch` jets on each."""
    n, divided = batch * mesh.size, NamedSharding(mesh, P("data"))
    weights = jax.eval_shape(lambda: init(random.key(0), width))  # shapes are enough
    args = (weights, weights,
            jax.ShapeDtypeStruct((n, PARTICLES, FEATURES), jnp.float32, sharding=divided),
            jax.ShapeDtypeStruct((n,), jnp.int32, sharding=divided))
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P("data"), P("data")),
                          out_specs=P(), check_vma=False)
    return jax.jit(whole, donate_argnums=(0, 1)), args, {"samples": batch}
