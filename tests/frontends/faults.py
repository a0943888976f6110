"""Programs with one fault each, which scripts/compile is to report by this file's lines."""
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def jets(mesh, batch, *axes):
    return jax.ShapeDtypeStruct((batch, 64), jnp.float32, sharding=NamedSharding(mesh, P(*axes)))


def step(w, x):
    return x @ w


def indivisible(mesh, batch=7):
    return step, (jnp.zeros((64, 64)), jets(mesh, batch, "data"))


def axis(mesh, batch=8):
    return step, (jnp.zeros((64, 64)), jets(mesh, batch, "model"))


def shapes(mesh, batch=8):
    return step, (jnp.zeros((65, 64)), jets(mesh, batch, "data"))


def mismatch(mesh, batch=8):
    divided = jax.jit(step, in_shardings=(NamedSharding(mesh, P("data")), NamedSharding(mesh, P())))
    return divided, (jnp.zeros((64, 64)), jets(mesh, batch, "data"))


def facts(mesh, batch=8):
    return step, (jnp.zeros((64, 64)), jets(mesh, batch, "data")), {"sampels": batch}


def count(mesh, batch=8):
    return step, (jnp.zeros((64, 64)), jets(mesh, 8, "data")), {"samples": batch}
