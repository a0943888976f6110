"""One training step of a fully connected network, as ParaDnn sweeps them on TPU [paradnn].

    scripts/compile traces/programs/fc.py -t v2:2x2 -o fc.hlo.zst
    scripts/compile traces/programs/fc.py -t v2:2x2 layers=16 width=1024 batch=512 -o fc-16.hlo.zst

Hidden layers of one width with ReLU, cross entropy of the softmax, RMSprop with momentum.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P


def init(key, layers=8, width=2048, inputs=2000, outputs=1000):
    """Variables, RMSprop's mean squares of their gradients, and the momentum."""
    sizes = [inputs] + [width] * layers + [outputs]
    v = [{"w": random.normal(random.fold_in(key, i), (a, b)) * (2 / a) ** 0.5, "b": jnp.zeros(b)}
         for i, (a, b) in enumerate(zip(sizes, sizes[1:]))]
    squares, momentum = (jax.tree.map(jnp.zeros_like, v) for _ in range(2))
    return {"v": v, "squares": squares, "momentum": momentum}


def classify(v, x):
    """Logits of the classes."""
    for i, layer in enumerate(v):
        with jax.named_scope(f"layer_{i}"):
            x = x @ layer["w"] + layer["b"]
            if i + 1 < len(v):
                x = jax.nn.relu(x)
    return x


def loss(v, x, label):
    logits = classify(v, x)
    with jax.named_scope("loss"):
        truth = jax.nn.one_hot(label, logits.shape[-1])
        return -(truth * jax.nn.log_softmax(logits)).sum(-1).mean()


def rmsprop(state, gradient):
    with jax.named_scope("update"):
        squares = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g * g, state["squares"], gradient)
        momentum = jax.tree.map(lambda m, s, g: 0.9 * m + 0.01 * g * lax.rsqrt(s + 1e-10),
                                state["momentum"], squares, gradient)
        v = jax.tree.map(lambda v, m: v - m, state["v"], momentum)
        return {"v": v, "squares": squares, "momentum": momentum}


def step(state, x, label):
    """One step of one device, on its part of the samples."""
    value, gradient = jax.value_and_grad(loss)(state["v"], x, label)
    return rmsprop(state, lax.pmean(gradient, "data")), lax.pmean(value, "data")


def program(mesh, layers=8, width=2048, inputs=2000, outputs=1000, batch=4096):
    """The step on all devices of the mesh, which divide `batch` samples."""
    if batch % mesh.size:
        raise ValueError(f"batch={batch}: {mesh.size} devices cannot divide it")

    divided = NamedSharding(mesh, P("data"))
    args = (jax.eval_shape(lambda: init(random.key(0), layers, width, inputs, outputs)),
            jax.ShapeDtypeStruct((batch, inputs), jnp.float32, sharding=divided),
            jax.ShapeDtypeStruct((batch,), jnp.int32, sharding=divided))
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(),
                          check_vma=False)
    return jax.jit(whole, donate_argnums=0), args, {"samples": batch // mesh.size}
