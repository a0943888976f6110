"""One training step of 3DGAN: images of calorimeter showers, 51 x 51 x 25 cells [cardoso-2020].

    scripts/compile traces/programs/gan3d.py -t v3:2x2 -o gan3d.hlo.zst
    scripts/compile traces/programs/gan3d.py -t v3:2x2 batch=64 -o gan3d-64.hlo.zst

A generator makes images from an energy, an angle and 254 normal numbers; a discriminator tells them
from real ones and estimates energy and angle.  The step: the discriminator learns from real images,
then from fake ones; then the generator learns twice, through the discriminator.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

IMAGE = (51, 51, 25)  # cells along x, y and z
LATENT = 256          # energy, angle and normal numbers
SEED = (8, 9, 9, 8)   # channels and cells that the generator begins with; it enlarges them by 6
POWER = 0.85          # images hold energies to this power
# channels, window, zeros added on each side
GENERATOR = [(8, (6, 6, 8), (0, 0, 0)), (6, (4, 4, 6), (2, 2, 1)), (6, (4, 4, 6), (2, 2, 1)),
             (6, (4, 4, 6), (2, 2, 1)), (6, (3, 3, 5), (1, 1, 0)), (6, (3, 3, 3), (1, 1, 0)),
             (1, (2, 2, 2), (0, 0, 0))]
DISCRIMINATOR = [(16, (5, 6, 6), "SAME"), (8, (5, 6, 6), (0, 0, 1)), (8, (5, 6, 6), (0, 0, 1)),
                 (8, (5, 6, 6), (0, 0, 0))]
FLAT = 8 * 19 * 18 * 7  # what the discriminator's average pool leaves of an image


# --- variables ---------------------------------------------------------------------------------

def init_dense(key, inputs, outputs):
    return {"w": random.normal(key, (inputs, outputs)) * (2 / inputs) ** 0.5,
            "b": jnp.zeros(outputs)}


def init_convs(key, layers, channels):
    """Filters, and of batch norm scale and shift."""
    variables = []
    for i, (out, window, _) in enumerate(layers):
        fan_in = channels * window[0] * window[1] * window[2]
        w = random.normal(random.fold_in(key, i), (out, channels, *window)) * (2 / fan_in) ** 0.5
        variables.append({"w": w, "b": jnp.zeros(out)})
        channels = out
    return variables


def init_norms(channels):
    return [{"scale": jnp.ones(n), "shift": jnp.zeros(n)} for n in channels]


def init(key):
    """Variables of both networks, RMSprop's mean squares of their gradients, moving averages."""
    k = random.split(key, 5)
    g = {"dense": init_dense(k[0], LATENT, 8 * 9 * 9 * 8), "conv": init_convs(k[1], GENERATOR, 8),
         "norm": init_norms([8, 6, 6, 6, 6])}
    d = {"conv": init_convs(k[2], DISCRIMINATOR, 1), "norm": init_norms([8, 8, 8]),
         "fake": init_dense(k[3], FLAT, 1), "energy": init_dense(k[4], FLAT, 1)}
    moving = [{"mean": jnp.zeros(n), "var": jnp.ones(n)} for n in (8, 6, 6, 6, 6)]
    zeros = jax.tree.map(jnp.zeros_like, (g, d))
    return {"g": g, "d": d, "g_squares": zeros[0], "d_squares": zeros[1], "moving": moving}


# --- networks ----------------------------------------------------------------------------------

def convolve(x, v, pad):
    pad = pad if pad == "SAME" else [(p, p) for p in pad]
    y = lax.conv_general_dilated(x, v["w"], (1, 1, 1), pad,
                                 dimension_numbers=("NCDHW", "OIDHW", "NCDHW"))
    return y + v["b"][:, None, None, None]


def normalise(x, v, mean, var):
    each = (slice(None), None, None, None)  # a value for each channel
    scale = v["scale"] * lax.rsqrt(var + 1e-3)
    return (x - mean[each]) * scale[each] + v["shift"][each]


def statistics(x):
    mean = x.mean((0, 2, 3, 4))
    return {"mean": mean, "var": jnp.square(x - mean[:, None, None, None]).mean((0, 2, 3, 4))}


def drop(key, x):
    return jnp.where(random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)


def generate(v, z, moving=None):
    """Images from z, and the statistics of batch norm: those of the images, or else `moving`."""
    seen = []
    with jax.named_scope("G.dense"):
        x = (z @ v["dense"]["w"] + v["dense"]["b"]).reshape(-1, *SEED)
    with jax.named_scope("G.upsample"):
        for axis in (2, 3, 4):
            x = jnp.repeat(x, 6, axis)
    for i, (_, _, pad) in enumerate(GENERATOR):
        with jax.named_scope(f"G.conv{i + 1}"):
            x = jax.nn.relu(convolve(x, v["conv"][i], pad))
            if i < len(v["norm"]):
                seen.append(moving[i] if moving else statistics(x))
                x = normalise(x, v["norm"][i], seen[i]["mean"], seen[i]["var"])
    return x, seen


def shower(image):
    """Energy and angle of the showers, from the centres of energy of the planes along z."""
    e = jnp.power(image[:, 0], 1 / POWER)
    x, y, z = (jnp.arange(n) + 0.5 for n in IMAGE)
    total, plane = e.sum((1, 2, 3)), e.sum((1, 2))
    safe, safe_plane = jnp.maximum(total, 1e-6)[:, None], jnp.maximum(plane, 1e-6)
    centre = [(e.sum(axes) * c).sum(1, keepdims=True) / safe
              for axes, c in (((2, 3), x), ((1, 3), y), ((1, 2), z))]
    along_x = (e.sum(2) * x[:, None]).sum(1) / safe_plane
    along_y = (e.sum(1) * y[:, None]).sum(1) / safe_plane
    away = jnp.sqrt(jnp.square(along_x - centre[0]) + jnp.square(z - centre[2]) + 1e-6)
    slope = jnp.sign(z - centre[2]) * (along_y - centre[1]) / away
    weight = jnp.where(plane > 0, jnp.abs(z - centre[2]), 0)
    angle = ((jnp.pi / 2 - jnp.arctan(slope)) * weight).sum(1) / (weight.sum(1) + 1e-6)
    return total, angle


def discriminate(v, image, key):
    """How real an image is, its energy as the network sees it, energy and angle of the shower."""
    x = image
    for i, (_, _, pad) in enumerate(DISCRIMINATOR):
        with jax.named_scope(f"D.conv{i + 1}"):
            x = jax.nn.leaky_relu(convolve(x, v["conv"][i], pad), 0.3)
            if i > 0:
                x = normalise(x, v["norm"][i - 1], **statistics(x))
            x = drop(random.fold_in(key, i), x)
    with jax.named_scope("D.heads"):
        x = lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2, 2), (1, 1, 2, 2, 2), "VALID") / 8
        x = x.reshape(-1, FLAT)
        real = jax.nn.sigmoid(x @ v["fake"]["w"] + v["fake"]["b"])[:, 0]
        energy = (x @ v["energy"]["w"] + v["energy"]["b"])[:, 0]
    with jax.named_scope("D.shower"):
        total, angle = shower(image)
    return real, energy, angle, total


# --- training ----------------------------------------------------------------------------------

def loss(outputs, label, truth):
    """Weighted sum of: real or fake, energy, angle, energy of the shower; and each of them."""
    real, energy, angle, total = outputs
    real = jnp.clip(real, 1e-7, 1 - 1e-7)

    def percent(a, b):
        return 100 * jnp.mean(jnp.abs(a - b) / jnp.maximum(jnp.abs(b), 1e-7))

    terms = jnp.stack([-jnp.mean(label * jnp.log(real) + (1 - label) * jnp.log(1 - real)),
                       percent(energy, truth["energy"]),
                       jnp.mean(jnp.abs(angle - truth["angle"])),
                       percent(total, truth["total"])])
    return terms @ jnp.array([3, 0.1, 25, 0.1]), terms


def rmsprop(variables, squares, gradient):
    """Gradients are averaged over all devices; then each device does the same update."""
    with jax.named_scope("update"):
        gradient = lax.pmean(gradient, "data")
        squares = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g * g, squares, gradient)
        return jax.tree.map(lambda v, s, g: v - 1e-3 * g / (jnp.sqrt(s) + 1e-7),
                            variables, squares, gradient), squares


def step(state, image, truth, key):
    """One step of one device, on its part of the images."""
    key = random.split(random.fold_in(key, lax.axis_index("data")), 7)
    losses, s = [], dict(state)

    def noise(key):
        normal = random.normal(key, (image.shape[0], LATENT - 2))
        return jnp.concatenate([truth["energy"][:, None], truth["angle"][:, None], normal], 1)

    with jax.named_scope("fake"):
        fake, _ = generate(s["g"], noise(key[0]), s["moving"])
    for name, x, label, k in (("d_real", image, 1.0, key[1]), ("d_fake", fake, 0.0, key[2])):
        with jax.named_scope(name):
            (_, terms), gradient = jax.value_and_grad(
                lambda d: loss(discriminate(d, x, k), label, truth), has_aux=True)(s["d"])
            s["d"], s["d_squares"] = rmsprop(s["d"], s["d_squares"], gradient)
            losses.append(terms)
    for i in range(2):
        def cost(g):
            made, seen = generate(g, noise(key[3 + i]))
            total, terms = loss(discriminate(s["d"], made, key[5 + i]), 1.0, truth)
            return total, (terms, seen)

        with jax.named_scope(f"g_{i + 1}"):
            (_, (terms, seen)), gradient = jax.value_and_grad(cost, has_aux=True)(s["g"])
            s["g"], s["g_squares"] = rmsprop(s["g"], s["g_squares"], gradient)
            s["moving"] = jax.tree.map(lambda m, x: 0.99 * m + 0.01 * x,
                                       s["moving"], lax.pmean(seen, "data"))
            losses.append(terms)
    return s, lax.pmean(jnp.stack(losses), "data")


def program(mesh, batch=128):
    """The step on all devices of the mesh, `batch` images on each."""
    def divided(*shape):
        return jax.ShapeDtypeStruct((batch * mesh.size, *shape), jnp.float32,
                                    sharding=NamedSharding(mesh, P("data")))

    key = jax.eval_shape(lambda: random.key(0, impl="rbg"))  # one pass over the bits, as TensorFlow
    args = (jax.eval_shape(init, key), divided(1, *IMAGE),
            {"energy": divided(), "angle": divided(), "total": divided()}, key)
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data"), P("data"), P()),
                          out_specs=P(), check_vma=False)
    return jax.jit(whole, donate_argnums=0), args, {"samples": batch, "epoch": 124987}
