"""One training step of the Exa-TrkX graph network, which finds tracks among hits [ju-2020].

    scripts/compile traces/programs/exatrkx.py -t v3:2x2 -o exatrkx.hlo.zst
    scripts/compile traces/programs/exatrkx.py -t v3:2x2 model=vary2 -o vary2.hlo.zst
    scripts/compile traces/programs/exatrkx.py -t v4:2x2x1 graphs=1 nodes=37000 edges=680000 remat=1

Nodes are hits, edges are pairs of them that may belong to one track.  Edges learn from their nodes
and nodes from their edges, eight times over; after each time every edge is judged.  Two models:
that of April 2020, which trained on four of the 24 regions of an event a step, and `vary2` of June
2020 on whole events [exatrkx-iml2020].  Graphs are padded to `nodes` and `edges`.
"""
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import NamedSharding, PartitionSpec as P

SIZES = {"2020-04": {"graphs": 4, "nodes": 3500, "edges": 56500, "epoch": 2664},
         "vary2": {"graphs": 1, "nodes": 58112, "edges": 417664, "epoch": None}}
# inputs, hidden columns, outputs of each network
LAYERS = {"2020-04": {"encode_nodes": (5, 128, 128), "encode_edges": (5, 128, 128),
                      "nodes": (384, 128, 128), "edges": (768, 128, 128), "judge": (128, 128, 128)},
          "vary2": {"encode_nodes": (3, 128, 64), "encode_edges": (128, 128, 64),
                    "nodes": (384, 128, 64), "edges": (256, 128, 64)}}
REAL_WEIGHT = 2.0  # of an edge that belongs to a track, in the loss
RATE = {"2020-04": 1e-4, "vary2": 5e-4}


# --- variables ---------------------------------------------------------------------------------

def init_layer(key, inputs, outputs):
    return {"w": random.normal(key, (inputs, outputs)) * (2 / inputs) ** 0.5,
            "b": jnp.zeros(outputs)}


def init(key, model="2020-04"):
    """Variables, Adam's two means of their gradients, and the number of the step."""
    v = {}
    for i, (name, (inputs, hidden, outputs)) in enumerate(LAYERS[model].items()):
        k = random.split(random.fold_in(key, i))
        v[name] = [init_layer(k[0], inputs, hidden), init_layer(k[1], hidden, outputs)]
    v["out"] = init_layer(random.fold_in(key, 99), outputs, 1)
    mean, square = (jax.tree.map(jnp.zeros_like, v) for _ in range(2))
    return {"v": v, "mean": mean, "square": square, "count": jnp.ones(())}


# --- the network -------------------------------------------------------------------------------

def mlp(layers, *parts):
    x = jnp.concatenate(parts, 1)
    for layer in layers:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x


def judge(v, edges):
    """Of each edge, the logit that it belongs to a track."""
    with jax.named_scope("judge"):
        if "judge" in v:
            edges = mlp(v["judge"], edges)
        return (edges @ v["out"]["w"] + v["out"]["b"])[:, 0]


def pass_2020(v, first, latest, to, sender):
    """One message pass of April: edges first, then nodes from the edges that end in them."""
    with jax.named_scope("edges"):
        nodes = jnp.concatenate([first[0], latest[0]], 1)
        edges = mlp(v["edges"], first[1], latest[1], nodes[to], nodes[sender])
    with jax.named_scope("nodes"):
        received = jax.ops.segment_sum(edges, to, nodes.shape[0])
        return mlp(v["nodes"], received, nodes), edges


def pass_vary2(v, first, latest, to, sender):
    """One message pass of June: nodes first, from the edges that end or begin in them."""
    with jax.named_scope("nodes"):
        edges = jnp.concatenate([first[1], latest[1]], 1)
        received = jax.ops.segment_sum(edges, to, first[0].shape[0])
        sent = jax.ops.segment_sum(edges, sender, first[0].shape[0])
        nodes = mlp(v["nodes"], received, sent, first[0], latest[0])
    with jax.named_scope("edges"):
        return nodes, mlp(v["edges"], edges, nodes[to], nodes[sender])


def judge_edges(v, graph, model, iterations, remat):
    """Logits of all edges after each of the message passes."""
    to, sender = graph["to"], graph["from"]
    with jax.named_scope("encode"):
        nodes = mlp(v["encode_nodes"], graph["nodes"])
        edges = mlp(v["encode_edges"], *([graph["edges"]] if model == "2020-04"
                                         else [nodes[to], nodes[sender]]))
    first = latest = nodes, edges
    message_pass = pass_2020 if model == "2020-04" else pass_vary2
    if remat:  # keep what passes between iterations, compute the rest again
        message_pass = jax.checkpoint(message_pass)
    logits = []
    for i in range(iterations):
        with jax.named_scope(f"pass_{i}"):
            latest = message_pass(v, first, latest, to, sender)
            logits.append(judge(v, latest[1]))
    return logits


# --- training ----------------------------------------------------------------------------------

def loss(v, graph, *how):
    """Cross entropy, in which edges of tracks weigh more, averaged over the edges, padding too."""
    y, total = graph["is_track"], 0
    for logit in judge_edges(v, graph, *how):
        with jax.named_scope("loss"):
            weight = 1 + (REAL_WEIGHT - 1) * y
            total += ((1 - y) * logit + weight * jax.nn.softplus(-logit)).mean()
    return total / how[1]


def adam(state, gradient, rate):
    with jax.named_scope("update"):
        n = state["count"]
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state["square"], gradient)
        rate = rate * jnp.sqrt(1 - 0.999 ** n) / (1 - 0.9 ** n)
        v = jax.tree.map(lambda v, m, s: v - rate * m / (jnp.sqrt(s) + 1e-7),
                         state["v"], mean, square)
        return {"v": v, "mean": mean, "square": square, "count": n + 1}


def program(mesh, model="2020-04", graphs=None, nodes=None, edges=None, iterations=8, remat=0):
    """The step on all devices of the mesh, each with `graphs` graphs joined into one."""
    size = SIZES[model]
    graphs, nodes, edges = graphs or size["graphs"], nodes or size["nodes"], edges or size["edges"]

    def step(state, graph):
        """One step of one device, on its own graph."""
        value, gradient = jax.value_and_grad(loss)(state["v"], graph, model, iterations, remat)
        gradient = lax.pmean(gradient, "data")
        return adam(state, gradient, RATE[model]), lax.pmean(value, "data")

    def divided(*shape, dtype=jnp.float32):
        return jax.ShapeDtypeStruct((mesh.size * graphs * shape[0], *shape[1:]), dtype,
                                    sharding=NamedSharding(mesh, P("data")))

    graph = {"nodes": divided(nodes, LAYERS[model]["encode_nodes"][0]),
             "to": divided(edges, dtype=jnp.int32), "from": divided(edges, dtype=jnp.int32),
             "is_track": divided(edges)}
    if model == "2020-04":
        graph["edges"] = divided(edges, 5)
    state = jax.eval_shape(lambda: init(random.key(0), model))
    whole = jax.shard_map(step, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(),
                          check_vma=False)
    return (jax.jit(whole, donate_argnums=0), (state, graph),
            {"samples": graphs, "epoch": size["epoch"]})
