"""JAX functions compiled by the real XLA:TPU compiler, which needs no TPU."""
from __future__ import annotations

import functools
import importlib.metadata
import json
import os
import re
from collections.abc import Iterable

from . import tpu_slice
from .program import Program

# no search for a TPU, no lock on the compiler's library, no log; where the user says otherwise, that
QUIET = {"TPU_SKIP_MDS_QUERY": "1", "TPU_ACCELERATOR_TYPE": "v4-8", "TPU_WORKER_HOSTNAMES": "localhost",
         "ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_LOG_DIR": "disabled", "TPU_MIN_LOG_LEVEL": "3",
         "TF_CPP_MIN_LOG_LEVEL": "3"}


def import_jax():
    """jax, with a compiler that keeps quiet.  ImportError if jax or libtpu is not installed."""
    for key, value in QUIET.items():
        os.environ.setdefault(key, value)
    try:
        import jax
        importlib.metadata.version("libtpu")
    except (ImportError, importlib.metadata.PackageNotFoundError) as e:
        raise ImportError(f"{e}; the compiler comes with: pip install 'cyclotron[compile]'") from None
    return jax


@functools.lru_cache
def slice_devices(machine: str):
    """The slice, and its devices in the order of their numbers."""
    import_jax()
    from jax.experimental import topologies
    slice_ = tpu_slice.read(machine)
    bounds = tpu_slice.host(slice_)
    options = {"chips_per_host_bounds": list(bounds)} if bounds else {}
    if slice_["generation"] == "v4":
        options["chip_config_name"] = "megacore"
    found = topologies.get_topology_desc(platform="tpu", topology_name=slice_["topology"], **options)
    return slice_, tuple(sorted(found.devices, key=lambda d: d.id))


def mesh(machine: str):
    """A jax Mesh of all devices of a slice ("tpu-v4-8", "v5e:2x2"), in one dimension called "data".

    The devices are those of the compiler: they hold shapes, no numbers."""
    jax = import_jax()
    import numpy
    return jax.sharding.Mesh(numpy.array(slice_devices(machine)[1]), ("data",))


def place(jax, x, divided, whole):
    """An argument as an array on the devices of the slice, which holds no numbers."""
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        import numpy
        x = numpy.asarray(x)
    sharding = getattr(x, "sharding", None) if isinstance(x, jax.ShapeDtypeStruct) else None
    dtype = x.dtype
    if not jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
        dtype = jax.dtypes.canonicalize_dtype(dtype)
    if sharding is None:
        sharding = divided if divided is not None and len(x.shape) else whole
    sharding.shard_shape(x.shape)  # raises where the shape cannot be divided so
    return jax.ShapeDtypeStruct(x.shape, dtype, sharding=sharding)


def compile_step(function, *args, machine: str, samples: int | None = None, epoch: int | None = None,
                 batch_argnums: int | Iterable[int] = ()) -> Program:
    """Compile a training step for a TPU slice; arguments as in predict().  Returns a Program, which
    ``save("step.hlo")`` writes as ``scripts/compile`` would.

    Raises ImportError without the compiler, ValueError for a slice that no machine is or for a wrong
    ``batch_argnums``; what JAX and the compiler refuse are their own exceptions."""
    jax = import_jax()
    slice_, devices = slice_devices(machine)
    if not slice_["machine"]:
        raise ValueError(f"no machine of cyclotron is {slice_['topology']}")
    batch = {batch_argnums} if isinstance(batch_argnums, int) else set(batch_argnums)
    if any(n not in range(len(args)) for n in batch):
        raise ValueError(f"batch_argnums={batch_argnums}: the step has {len(args)} arguments, from 0")
    over = mesh(machine)
    whole = jax.sharding.NamedSharding(over, jax.sharding.PartitionSpec())
    divided = jax.sharding.NamedSharding(over, jax.sharding.PartitionSpec("data"))
    shapes = [jax.tree_util.tree_map(
        lambda x, i=i: place(jax, x, divided if i in batch else None, whole), a)
        for i, a in enumerate(args)]
    pattern = "jax_hlo_source_file_canonicalization_regex"
    before = getattr(jax.config, pattern)
    jax.config.update(pattern, f"^({re.escape(os.getcwd())}|.*/site-packages)/")
    try:
        step = function if hasattr(function, "lower") else jax.jit(function)
        compiled = step.lower(*shapes).compile()
    finally:
        jax.config.update(pattern, before)
    return Program(f"// cyclotron: {json.dumps(header_of(function, slice_, devices, compiled, samples, epoch))}\n"
                   f"{compiled.as_text()}".encode(), getattr(function, "__name__", "step"))


def header_of(function, slice_, devices, compiled, samples, epoch) -> dict:
    """What a program does not say of itself, as scripts/compile writes it."""
    memory, cost = compiled.memory_analysis(), compiled.cost_analysis() or {}
    sizes = {k: getattr(memory, f"{k}_size_in_bytes", None)
             for k in ("argument", "output", "alias", "temp")}
    sizes["peak"] = getattr(memory, "peak_memory_in_bytes", None)
    versions = " ".join(f"{n} {importlib.metadata.version(n)}" for n in ("jax", "jaxlib", "libtpu"))
    name = getattr(function, "__name__", "step")
    return {"workload": name, "compiler": versions, "topology": slice_["topology"],
            "machine": slice_["machine"], "devices": len(devices),
            "megacore": slice_["generation"] in ("v4", "v5p"), "device_order": "id",
            "samples": samples, "epoch": epoch, "memory": sizes,
            "flops": int(cost.get("flops", 0)) or None, "source": name}
