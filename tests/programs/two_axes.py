"""Small steps on a mesh of two axes, data and model; test_two_axes.c holds them against their compiler.

    scripts/compile tests/programs/two_axes.py:fsdp -t v5e:4x2 -o tests/programs/fsdp.tpu-v5e-8.hlo.zst

Each is what a large model does, in small: FSDP with tensor parallelism, ring attention, experts.
"""
import jax
import jax.numpy as jnp
from jax import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

BF16, F32 = jnp.bfloat16, jnp.float32


def make_mesh(mesh, model):
    """A mesh of two axes, and a function that makes arguments divided over them."""
    two = Mesh(mesh.devices.reshape(-1, model), ("data", "model"))
    return two, lambda shape, dtype, *axes: jax.ShapeDtypeStruct(
        shape, dtype, sharding=NamedSharding(two, P(*axes)))


def make_step(loss):
    """One step of gradient descent."""
    def step(w, x):
        error, gradient = jax.value_and_grad(loss)(w, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g.astype(p.dtype), w, gradient), error
    return jax.jit(step, donate_argnums=0)


def run_layers(w, x):
    for into, out in jax.tree.map(lambda p: p.astype(BF16), w):
        x = x + jax.nn.gelu(x @ into) @ out
    return x


def fsdp(mesh, model=4, width=256, hidden=512, batch=256, layers=2):
    """Weights divided over data and gathered to use, products divided over model."""
    two, argument = make_mesh(mesh, model)
    w = [(argument((width, hidden), F32, "data", "model"),
          argument((hidden, width), F32, "model", "data")) for _ in range(layers)]
    x = argument((batch * two.shape["data"], width), BF16, "data", None)
    step = make_step(lambda w, x: (run_layers(w, x).astype(F32) ** 2).mean())
    return step, (w, x), {"samples": batch}


def ring(mesh, model=4, heads=2, rows=128, depth=128):
    """Attention whose blocks of keys and values go around a ring of devices."""
    two, argument = make_mesh(mesh, model)
    place = P("data", None, "model", None)

    def hop(carry, _):
        q, k, v, out, top, total = carry
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=F32) * depth ** -0.5
        new = jnp.maximum(top, scores.max(-1, keepdims=True))
        p, old = jnp.exp(scores - new), jnp.exp(top - new)
        out = out * old + jnp.einsum("bhqk,bhkd->bhqd", p.astype(BF16), v,
                                     preferred_element_type=F32)
        total = total * old + p.sum(-1, keepdims=True)
        k, v = (jax.lax.ppermute(t, "model", [(i, (i + 1) % model) for i in range(model)])
                for t in (k, v))
        return (q, k, v, out, new, total), None

    def attend(q, k, v):
        zero = jax.lax.pcast(jnp.zeros(q.shape, F32), ("data", "model"), to="varying")
        one = zero[..., :1]
        carry, _ = jax.lax.scan(hop, (q, k, v, zero, one - 1e9, one), None, length=model)
        return (carry[3] / carry[5]).astype(BF16)

    def loss(w, x):
        heads = (jnp.einsum("bhsd,de->bhse", x, p) for p in w)
        return (shard_map(attend, mesh=two, in_specs=(place,) * 3, out_specs=place)(
            *heads).astype(F32) ** 2).mean()

    w = [argument((depth, depth), BF16) for _ in range(3)]
    x = argument((two.shape["data"], heads, rows * model, depth), BF16, *place)
    return make_step(loss), (w, x), {"samples": 1}


def experts(mesh, model=4, width=128, hidden=256, tokens=256, n=8):
    """A mixture of experts over model: tokens go to theirs and back."""
    two, argument = make_mesh(mesh, model)
    room = tokens // n

    def layer(x, route, into, out):
        gate = jax.nn.softmax((x @ route).astype(F32))
        hot = jax.nn.one_hot(jnp.argmax(gate, -1), n)
        place = (jnp.cumsum(hot, 0) * hot).sum(-1).astype(jnp.int32) - 1
        send = (hot[:, :, None] * jax.nn.one_hot(place, room)[:, None, :]).astype(BF16)
        y = jax.lax.all_to_all(jnp.einsum("tec,td->ecd", send, x), "model", 0, 1, tiled=True)
        y = jnp.einsum("ech,ehd->ecd", jax.nn.gelu(jnp.einsum("ecd,edh->ech", y, into)), out)
        y = jax.lax.all_to_all(y, "model", 1, 0, tiled=True)
        return x + jnp.einsum("tec,ecd->td", send, y) * gate.max(-1, keepdims=True).astype(BF16)

    rows, slots = P(("data", "model"), None), P("model", None, None)
    divided = shard_map(layer, mesh=two, in_specs=(rows, P(), slots, slots), out_specs=rows)
    w = [argument((width, n), BF16), argument((n, width, hidden), BF16, *slots),
         argument((n, hidden, width), BF16, *slots)]
    x = argument((tokens * mesh.devices.size, width), BF16, *rows)
    return make_step(lambda w, x: (divided(x, *w).astype(F32) ** 2).mean()), (w, x), \
        {"samples": tokens}
