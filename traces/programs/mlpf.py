"""One training step of MLPF, machine-learned particle flow, the benchmark model of [cuba-2022].

    scripts/compile traces/programs/mlpf.py -t v3:2x2 -o mlpf.hlo.zst
    scripts/compile traces/programs/mlpf.py -t v3:2x2 batch=4 elements=3200 bins=5 -o small.hlo.zst

An event is a list of tracks and calorimeter clusters, padded to `elements`.  A graph layer sorts
them into bins by a hash, weighs all pairs of a bin by their distance, and passes messages.  Six
heads then say of each element which particle it belongs to: class, charge, eta, phi, energy, pt.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

INPUTS, TYPES, CLASSES = 12, 3, 6
ENCODED = TYPES + INPUTS - 1
WIDTH, DISTANCE, MAX_BINS = 256, 128, 100  # columns of a message and of the place of an element
COMMON, ENERGY = 3, 3  # graph layers that all heads read, and those of energy and pt alone
NORMED = ENCODED + COMMON * WIDTH
REGRESSED = NORMED + CLASSES
ALL = REGRESSED + 2 * ENERGY * WIDTH + CLASSES  # each energy layer counts twice, as in their code
HEADS = {"class": (NORMED, 256, 128, 64, 32, CLASSES), "charge": (NORMED, 256, 128, 1),
         "eta": (REGRESSED, 256, 128, 64, 2), "phi": (REGRESSED, 256, 128, 64, 4),
         "energy": (ALL, 256, 128, 64, CLASSES), "pt": (ALL, 256, 128, 64, 2)}


# --- variables ---------------------------------------------------------------------------------

def init_matrix(key, inputs, outputs):
    return random.normal(key, (inputs, outputs)) * (1 / inputs) ** 0.5


def init_dense(key, *sizes):
    return [{"w": init_matrix(random.fold_in(key, i), sizes[i], sizes[i + 1]),
             "b": jnp.zeros(sizes[i + 1])} for i in range(len(sizes) - 1)]


def init_graph_layer(key, inputs):
    k = random.split(key, 4)
    return {"place": init_dense(k[0], inputs, DISTANCE, DISTANCE),
            "theta": init_matrix(k[1], inputs, WIDTH), "straight": init_matrix(k[2], inputs, WIDTH),
            "gate": init_dense(k[3], inputs, WIDTH)[0]}


def init(key):
    """Variables, Adam's two means of their gradients, the number of the step, and the hashes."""
    k = random.split(key, 9)
    v = {name: init_dense(k[i], *sizes) for i, (name, sizes) in enumerate(HEADS.items())}
    v["norm"] = {"scale": jnp.ones(NORMED), "shift": jnp.zeros(NORMED)}
    v["graph"] = [init_graph_layer(random.fold_in(k[6], i), ENCODED if i in (0, COMMON) else WIDTH)
                  for i in range(COMMON + ENERGY)]
    mean, square = (jax.tree.map(jnp.zeros_like, v) for _ in range(2))
    hashes = random.normal(k[7], (COMMON + ENERGY, DISTANCE, MAX_BINS // 2))
    return {"v": v, "mean": mean, "square": square, "count": jnp.ones(()), "hashes": hashes}


# --- the network -------------------------------------------------------------------------------

def dense(layers, x):
    for layer in layers[:-1]:
        x = jax.nn.elu(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def sort_into_bins(place, hashes, mask, bins):
    """The order in which elements fill the bins: by their hash, padding in the last bin."""
    side = place @ hashes[:, :(bins + 1) // 2]
    number = jnp.argmax(jnp.concatenate([side, -side], -1)[..., :bins], -1)
    return jnp.argsort(jnp.where(mask, number, number + bins - 1), axis=-1)


def weigh_pairs(place, mask):
    """Of each pair in a bin exp(-0.1 distance), 0 where one of them is padding."""
    place = place * mask
    norm = jnp.square(place).sum(-1)
    square = norm[..., :, None] - 2 * jnp.einsum("...id,...jd->...ij", place, place) \
        + norm[..., None, :]
    weight = jnp.clip(jnp.exp(-0.1 * jnp.sqrt(jnp.maximum(square, 1e-6))), 0, 1)
    return weight * mask * jnp.swapaxes(mask, -1, -2)


def graph_layer(v, x, hashes, mask, bins):
    events, elements, _ = x.shape
    with jax.named_scope("hash"):
        place = dense(v["place"], x)
        order = sort_into_bins(place, hashes, mask, bins)

        def binned(t):
            rows = jax.vmap(lambda t, i: t[i])(t, order)
            return rows.reshape(events, bins, elements // bins, -1)

        x, place, mask = binned(x), binned(place), binned(mask[..., None].astype(x.dtype))
    with jax.named_scope("pairs"):
        weight = weigh_pairs(place, mask)
        degree = jnp.clip(jnp.abs(weight).sum(-1, keepdims=True), 0, 1000)
        norm = mask * lax.rsqrt(degree + 1e-6)
    with jax.named_scope("messages"):
        message = norm * jnp.einsum("...ij,...jf->...if", weight, (x * mask) @ v["theta"] * norm)
        gate = jax.nn.sigmoid(x @ v["gate"]["w"] + v["gate"]["b"])
        y = jax.nn.elu(gate * message + (1 - gate) * (x @ v["straight"])) * mask
        y = y.reshape(events, elements, WIDTH)
        return jax.vmap(lambda y, i: jnp.zeros_like(y).at[i].set(y, unique_indices=True))(y, order)


def normalise(v, x):
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-3) * v["scale"] + v["shift"]


def reconstruct(v, hashes, x, bins):
    """Logits of the classes, and charge, pt, eta, sin phi, cos phi and energy, of each element."""
    mask = x[..., 0] != 0
    kind = jax.nn.one_hot(x[..., 0].astype(jnp.int32), TYPES)
    encoded = jnp.concatenate([kind, x[..., 1:]], -1)
    layers = []
    for i, layer in enumerate(v["graph"]):
        with jax.named_scope(f"graph_{i}" if i < COMMON else f"graph_energy_{i - COMMON}"):
            before = encoded if i in (0, COMMON) else layers[-1]
            layers.append(graph_layer(layer, before, hashes[i], mask, bins))
    with jax.named_scope("heads"):
        common = normalise(v["norm"], jnp.concatenate([encoded, *layers[:COMMON]], -1))
        logits = dense(v["class"], common)
        charge = dense(v["charge"], common)[..., 0]
        fixed = lax.stop_gradient(logits)
        regressed = jnp.concatenate([common, fixed], -1)
        eta, phi = dense(v["eta"], regressed), dense(v["phi"], regressed)
        twice = [layer for layer in layers[COMMON:] for _ in range(2)]
        everything = jnp.concatenate([regressed, *twice, fixed], -1)
        energy, pt = dense(v["energy"], everything), dense(v["pt"], everything)
        eta = x[..., 2] * eta[..., 0] + eta[..., 1]
        pt = jnp.exp(jnp.clip(x[..., 1] * pt[..., 0] + pt[..., 1], -6, 8))
        factor = jnp.exp(jnp.clip((jax.nn.softmax(logits) * energy).sum(-1), -6, 8))
        values = [charge, pt, eta, x[..., 3] * phi[..., 0] + phi[..., 1],
                  x[..., 4] * phi[..., 2] + phi[..., 3], factor * pt * jnp.cosh(eta)]
        real = mask[..., None].astype(x.dtype)
        return logits * real, jnp.stack(values, -1) * real


# --- training ----------------------------------------------------------------------------------

def loss(v, hashes, event, bins):
    """Cross entropy of the class, square error of the charge, Huber loss of the rest, weighted."""
    logits, values = reconstruct(v, hashes, event["x"], bins)
    with jax.named_scope("loss"):
        wrong = -(event["class"] * jax.nn.log_softmax(logits)).sum(-1, keepdims=True)
        off = jnp.abs(values - event["targets"])
        huber = jnp.where(off < 1, 0.5 * off * off, off - 0.5)
        terms = jnp.concatenate([wrong, jnp.square(off[..., :1]), huber[..., 1:]], -1)
        return (terms * event["weights"]).sum(-1).mean()


def adam(state, gradient):
    with jax.named_scope("update"):
        n = state["count"]
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state["square"], gradient)
        rate = 1e-4 * jnp.sqrt(1 - 0.999 ** n) / (1 - 0.9 ** n)
        v = jax.tree.map(lambda v, m, s: v - rate * m / (jnp.sqrt(s) + 1e-7),
                         state["v"], mean, square)
        return {**state, "v": v, "mean": mean, "square": square, "count": n + 1}


def program(mesh, batch=16, elements=6400, bins=10):
    """The step on all devices of the mesh, `batch` events on each."""
    def step(state, event):
        """One step of one device, on its part of the events."""
        value, gradient = jax.value_and_grad(loss)(state["v"], state["hashes"], event, bins)
        return adam(state, lax.pmean(gradient, "data")), lax.pmean(value, "data")

    def divided(columns):
        return jax.ShapeDtypeStruct((batch * mesh.size, elements, columns), jnp.float32,
                                    sharding=NamedSharding(mesh, P("data")))

    event = {"x": divided(INPUTS), "class": divided(CLASSES), "targets": divided(6),
             "weights": divided(7)}
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(),
                          check_vma=False)
    return (jax.jit(whole, donate_argnums=0), (jax.eval_shape(init, random.key(0)), event),
            {"samples": batch, "epoch": 1100})
