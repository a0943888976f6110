"""Small steps for GPUs; test_compiled_for_gpus.c holds them against counts made by hand.

    scripts/compile tests/programs/gpu_steps.py:convnet -t v100 -o tests/programs/convnet.v100x1.hlo.zst

convnet: a convolution, a product, and the all-reduce of their gradients.  table: rows of an embedding,
by indices that are sorted first.
"""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def make_step(loss):
    """One step of gradient descent."""
    def step(w, x):
        error, gradient = jax.value_and_grad(loss)(w, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, w, gradient), error
    return jax.jit(step, donate_argnums=0)


def convnet(mesh, batch=32):
    """8 channels of 16 x 16, 16 filters of 3 x 3, a layer of 10."""
    def loss(w, x):
        image, label = x
        y = jax.lax.conv_general_dilated(image, w["filter"], (1, 1), "VALID")
        y = jax.nn.relu(y).reshape(-1, 16 * 14 * 14) @ w["dense"]
        return ((y - label) ** 2).mean()

    def divided(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P("data")))
    n = batch * mesh.size
    w = {"filter": jax.ShapeDtypeStruct((16, 8, 3, 3), jnp.float32),
         "dense": jax.ShapeDtypeStruct((16 * 14 * 14, 10), jnp.float32)}
    return make_step(loss), (w, (divided(n, 8, 16, 16), divided(n, 10))), {"samples": batch}


def table(mesh, rows=1000, width=64, picks=65536):
    """The rows of a table whose keys are smallest, each 64 wide."""
    def loss(w, keys):
        order = jnp.argsort(keys)
        return (w[order % rows] ** 2).mean()
    return make_step(loss), (jax.ShapeDtypeStruct((rows, width), jnp.float32),
                             jax.ShapeDtypeStruct((picks,), jnp.float32)), {"samples": 1}
