"""One training step of ResNet-50 v1.5, as MLPerf trains it: images of 224 x 224, LARS, bf16.

    scripts/compile traces/programs/resnet50.py -t v3:2x2 -o resnet50.hlo.zst
    scripts/compile traces/programs/resnet50.py -t v4:2x2x1 batch=256 -o resnet50-v4.hlo.zst

Activations are bf16, weights and their updates f32.  Batch norm takes the means of one device.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

STAGES = [(3, 64), (4, 128), (6, 256), (3, 512)]  # blocks, channels of their inner convolutions
CLASSES = 1000
SMOOTHING, DECAY, MOMENTUM, RATE, TRUST = 0.1, 2e-4, 0.9, 31.2, 0.001


# --- variables ---------------------------------------------------------------------------------

def blocks():
    """Name, input and inner channels and stride of each of the 16 blocks."""
    channels = 64
    for s, (count, inner) in enumerate(STAGES):
        for b in range(count):
            yield f"block_{s}_{b}", channels, inner, 2 if b == 0 and s > 0 else 1
            channels = 4 * inner


def init_conv(key, size, inputs, outputs):
    fan_in = size * size * inputs
    return {"w": random.normal(key, (size, size, inputs, outputs)) * (2 / fan_in) ** 0.5,
            "scale": jnp.ones(outputs), "shift": jnp.zeros(outputs)}


def init(key):
    """Variables, the momentum of each, and the moving averages of batch norm."""
    v = {"stem": init_conv(random.fold_in(key, 0), 7, 3, 64)}
    for i, (name, channels, inner, _) in enumerate(blocks()):
        k = random.split(random.fold_in(key, i + 1), 4)
        v[name] = {"a": init_conv(k[0], 1, channels, inner), "b": init_conv(k[1], 3, inner, inner),
                   "c": init_conv(k[2], 1, inner, 4 * inner)}
        if name.endswith("_0"):  # the shape changes
            v[name]["skip"] = init_conv(k[3], 1, channels, 4 * inner)
    moving = jax.tree.map(lambda c: {"mean": jnp.zeros_like(c["shift"]),
                                     "var": jnp.ones_like(c["shift"])},
                          v, is_leaf=lambda c: "w" in c)
    v["classes"] = {"w": random.normal(key, (2048, CLASSES)) * 0.01, "b": jnp.zeros(CLASSES)}
    return {"v": v, "momentum": jax.tree.map(jnp.zeros_like, v), "moving": moving}


# --- the network -------------------------------------------------------------------------------

def convolve(v, x, stride=1, relu=True):
    """Convolution, batch norm, ReLU; and the statistics of the batch."""
    pad = v["w"].shape[0] // 2
    y = lax.conv_general_dilated(x, v["w"].astype(x.dtype), (stride, stride), [(pad, pad)] * 2,
                                 dimension_numbers=("NHWC", "HWIO", "NHWC")).astype(jnp.float32)
    mean = y.mean((0, 1, 2))
    var = jnp.square(y).mean((0, 1, 2)) - mean * mean
    y = ((y - mean) * (lax.rsqrt(var + 1e-5) * v["scale"]) + v["shift"]).astype(x.dtype)
    return jax.nn.relu(y) if relu else y, {"mean": mean, "var": var}


def classify(v, x):
    """Logits of the classes, and the statistics of all batch norms."""
    seen = {}
    with jax.named_scope("stem"):
        x, seen["stem"] = convolve(v["stem"], x, 2)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1),
                              ((0, 0), (1, 1), (1, 1), (0, 0)))
    for name, _, _, stride in blocks():
        with jax.named_scope(name):
            skip, seen[name], b = x, {}, v[name]
            if "skip" in b:
                skip, seen[name]["skip"] = convolve(b["skip"], x, stride, relu=False)
            x, seen[name]["a"] = convolve(b["a"], x)
            x, seen[name]["b"] = convolve(b["b"], x, stride)
            x, seen[name]["c"] = convolve(b["c"], x, relu=False)
            x = jax.nn.relu(x + skip)
    with jax.named_scope("classes"):
        x = x.mean((1, 2)) @ v["classes"]["w"].astype(x.dtype)
        return x.astype(jnp.float32) + v["classes"]["b"], seen


# --- training ----------------------------------------------------------------------------------

def loss(v, x, label):
    logits, seen = classify(v, x)
    with jax.named_scope("loss"):
        truth = jax.nn.one_hot(label, CLASSES) * (1 - SMOOTHING) + SMOOTHING / CLASSES
        return -(truth * jax.nn.log_softmax(logits)).sum(-1).mean(), seen


def lars(w, m, g):
    """A layer's rate is proportional to the norm of its weights over that of its gradient."""
    rate = RATE
    if w.ndim > 1:  # not of scales, shifts and biases
        size, slope = jnp.linalg.norm(w), jnp.linalg.norm(g)
        rate = RATE * jnp.where(slope > 0, TRUST * size / (slope + DECAY * size + 1e-9), 1)
        g = g + DECAY * w
    m = MOMENTUM * m + rate * g
    return w - m, m


def step(state, x, label):
    """One step of one device, on its part of the images."""
    (value, seen), gradient = jax.value_and_grad(loss, has_aux=True)(state["v"], x, label)
    gradient, seen = lax.pmean((gradient, seen), "data")
    with jax.named_scope("update"):
        pairs = jax.tree.map(lars, state["v"], state["momentum"], gradient)
        v, momentum = jax.tree.transpose(jax.tree.structure(state["v"]), None, pairs)
        moving = jax.tree.map(lambda m, s: 0.9 * m + 0.1 * s, state["moving"], seen)
    return {"v": v, "momentum": momentum, "moving": moving}, lax.pmean(value, "data")


def program(mesh, batch=128):
    """The step on all devices of the mesh, `batch` images on each."""
    divided, n = NamedSharding(mesh, P("data")), batch * mesh.size
    args = (jax.eval_shape(init, random.key(0)),
            jax.ShapeDtypeStruct((n, 224, 224, 3), jnp.bfloat16, sharding=divided),
            jax.ShapeDtypeStruct((n,), jnp.int32, sharding=divided))
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(),
                          check_vma=False)
    return jax.jit(whole, donate_argnums=0), args, {"samples": batch, "epoch": 1281167}
