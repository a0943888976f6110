"""One training step of a transformer that predicts the next token, of the size of GPT-2 small.

    scripts/compile traces/programs/gpt.py -t v4:2x2x1 -o gpt.hlo.zst
    scripts/compile traces/programs/gpt.py -t v5e:4x4 layers=24 width=1024 heads=16 batch=4

Weights are f32 and multiplied in bf16; attention is written out; AdamW.  A sample is a text of
`tokens` tokens.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

WORDS = 50257


# --- variables ---------------------------------------------------------------------------------

def init_dense(key, inputs, outputs):
    return {"w": random.normal(key, (inputs, outputs)) * 0.02, "b": jnp.zeros(outputs)}


def init_norm(width):
    return {"scale": jnp.ones(width), "shift": jnp.zeros(width)}


def init(key, layers=12, width=768, tokens=1024):
    """Variables, AdamW's two means of their gradients, and the number of the step."""
    v = {"words": random.normal(random.fold_in(key, 0), (WORDS, width)) * 0.02,
         "places": random.normal(random.fold_in(key, 1), (tokens, width)) * 0.02,
         "norm": init_norm(width), "blocks": []}
    for i in range(layers):
        k = random.split(random.fold_in(key, i + 2), 4)
        v["blocks"].append({"norm": [init_norm(width), init_norm(width)],
                            "qkv": init_dense(k[0], width, 3 * width),
                            "join": init_dense(k[1], width, width),
                            "widen": init_dense(k[2], width, 4 * width),
                            "narrow": init_dense(k[3], 4 * width, width)})
    mean, square = (jax.tree.map(jnp.zeros_like, v) for _ in range(2))
    return {"v": v, "mean": mean, "square": square, "count": jnp.ones(())}


# --- the network -------------------------------------------------------------------------------

def dense(v, x):
    return x @ v["w"].astype(x.dtype) + v["b"].astype(x.dtype)


def normalise(v, x):
    y = x.astype(jnp.float32)
    y = y - y.mean(-1, keepdims=True)
    y = y * lax.rsqrt(jnp.square(y).mean(-1, keepdims=True) + 1e-5)
    return (y * v["scale"] + v["shift"]).astype(x.dtype)


def attend(v, x, heads):
    """Each token takes from those before it."""
    texts, tokens, width = x.shape
    q, k, value = jnp.split(dense(v["qkv"], x).reshape(texts, tokens, heads, -1), 3, -1)
    score = jnp.einsum("bthd,bshd->bhts", q, k) * (width // heads) ** -0.5
    before = jnp.tril(jnp.ones((tokens, tokens), bool))
    weight = jax.nn.softmax(jnp.where(before, score.astype(jnp.float32), -1e9)).astype(x.dtype)
    return dense(v["join"], jnp.einsum("bhts,bshd->bthd", weight, value).reshape(x.shape))


def attend_eagerly(v, x, heads):
    """As attend, operation by operation as programs write it that know no einsum: heads first, and
    weights in numbers of x."""
    texts, tokens, width = x.shape
    q, k, value = (t.reshape(texts, tokens, heads, -1).swapaxes(1, 2)
                   for t in jnp.split(dense(v["qkv"], x), 3, -1))
    score = q @ k.swapaxes(2, 3) * jnp.asarray((width // heads) ** -0.5, x.dtype)
    before = jnp.tril(jnp.ones((tokens, tokens), bool))
    weight = jax.nn.softmax(jnp.where(before, score, jnp.finfo(x.dtype).min), -1)
    return dense(v["join"], (weight @ value).swapaxes(1, 2).reshape(x.shape))


def predict(v, text, heads, attend=attend, logits=jnp.float32):
    """Logits of the next word after each."""
    with jax.named_scope("words"):
        x = (v["words"][text] + v["places"][:text.shape[1]]).astype(jnp.bfloat16)
    for i, block in enumerate(v["blocks"]):
        with jax.named_scope(f"block_{i}"):
            with jax.named_scope("attend"):
                x = x + attend(block, normalise(block["norm"][0], x), heads)
            with jax.named_scope("mlp"):
                y = jax.nn.gelu(dense(block["widen"], normalise(block["norm"][1], x)))
                x = x + dense(block["narrow"], y)
    with jax.named_scope("logits"):
        x = normalise(v["norm"], x)
        return jnp.einsum("btd,wd->btw", x, v["words"].astype(x.dtype),
                          preferred_element_type=logits)


def forward(layers=12, width=768, heads=12, tokens=1024, batch=1):
    """Logits of `batch` texts on one device, weights and all else in bf16: the pass alone."""
    v = jax.eval_shape(lambda: init(random.key(0), layers, width)["v"])
    v = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, jnp.bfloat16), v)
    return (lambda v, text: predict(v, text, heads, attend_eagerly, jnp.bfloat16),
            (v, jax.ShapeDtypeStruct((batch, tokens), jnp.int32)))


# --- training ----------------------------------------------------------------------------------

def loss(v, text, heads):
    logits = predict(v, text[:, :-1], heads)
    with jax.named_scope("loss"):
        right = jnp.take_along_axis(logits, text[:, 1:, None], -1)[..., 0]
        return (jax.nn.logsumexp(logits, -1) - right).mean()


def adamw(state, gradient):
    with jax.named_scope("update"):
        n = state["count"]
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], gradient)
        square = jax.tree.map(lambda s, g: 0.95 * s + 0.05 * g * g, state["square"], gradient)
        rate = 6e-4 * jnp.sqrt(1 - 0.95 ** n) / (1 - 0.9 ** n)
        v = jax.tree.map(lambda v, m, s: v - rate * m / (jnp.sqrt(s) + 1e-8)
                         - (6e-5 * v if v.ndim > 1 else 0), state["v"], mean, square)
        return {"v": v, "mean": mean, "square": square, "count": n + 1}


def program(mesh, layers=12, width=768, heads=12, tokens=1024, batch=8):
    """The step on all devices of the mesh, `batch` texts on each."""
    def step(state, text):
        """One step of one device, on its part of the texts."""
        value, gradient = jax.value_and_grad(loss)(state["v"], text, heads)
        return adamw(state, lax.pmean(gradient, "data")), lax.pmean(value, "data")

    text = jax.ShapeDtypeStruct((batch * mesh.size, tokens + 1), jnp.int32,
                                sharding=NamedSharding(mesh, P("data")))
    state = jax.eval_shape(lambda: init(random.key(0), layers, width, tokens))
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(),
                          check_vma=False)
    return jax.jit(whole, donate_argnums=0), (state, text), {"samples": batch}
