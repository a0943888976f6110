"""JAX functions compiled by the real XLA compilers, which need no TPU and no GPU."""
from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import json
import os
import re
import sys
from collections.abc import Iterable

from . import gpu_target, tpu_slice
from ._library import CyclotronError
from .machine import Machine
from .program import Program

# no search for a TPU, no lock on the compiler's library, no log; where the user says otherwise, that
QUIET = {"TPU_SKIP_MDS_QUERY": "1", "TPU_ACCELERATOR_TYPE": "v4-8", "TPU_WORKER_HOSTNAMES": "localhost",
         "ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_LOG_DIR": "disabled", "TPU_MIN_LOG_LEVEL": "3",
         "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_SKIP_CUDA_CONSTRAINTS_CHECK": "1"}
# of each kind of device: packages that hold its compiler, of which one will do; what installs it
COMPILERS = {"tpu": (("libtpu",), "compile"),
             "cuda": (("jax-cuda12-pjrt", "jax-cuda13-pjrt"), "compile-gpu")}


def compiler_of(platform: str) -> str:
    """The package that holds a compiler, with its version.  PackageNotFoundError if none is installed."""
    names = COMPILERS[platform][0]
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return f"{name} {importlib.metadata.version(name)}"
    raise importlib.metadata.PackageNotFoundError(" or ".join(names))


def import_jax(platform: str = "tpu"):
    """jax, with a compiler that keeps quiet.  ImportError if jax or the compiler is not installed."""
    for key, value in QUIET.items():
        os.environ.setdefault(key, value)
    try:
        with no_log() if platform == "cuda" else contextlib.nullcontext():
            import jax
        compiler_of(platform)
    except (ImportError, importlib.metadata.PackageNotFoundError) as e:
        raise ImportError(f"{e}; the compiler comes with: pip install "
                          f"'cyclotron[{COMPILERS[platform][1]}]'") from None
    return jax


@contextlib.contextmanager
def no_log():
    """The compiler for GPUs says on stderr that there is none; its errors are exceptions."""
    sys.stderr.flush()
    kept, none = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(none, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(none)


def read_slice(name: str) -> dict:
    """What a compiler has to be told of a machine: a dict as tpu_slice.read() gives it.

    "machine" is None where a file describes the machine, which a program cannot name."""
    if ":" in name or re.match(r"(tpu-)?v\d\w*-\d", name.lower()):
        return tpu_slice.read(name)
    if re.fullmatch("[a-z]+[0-9]+[a-z]?", name.lower()):  # v100, as scripts/compile takes it
        with contextlib.suppress(CyclotronError):
            return read_slice(f"{name.lower()}x1")
    values = gpu_target.parse(Machine(name).text.splitlines())
    kind = values["machine.kind"]
    if kind == "TPU":
        return tpu_slice.read(name)
    if kind != "GPU":
        raise ValueError(f"{name}: a {kind}; XLA compiles for TPUs and GPUs that are not there")
    nodes, devices, target = gpu_target.target_of(values)
    return {"platform": "cuda", "topology": name, "generation": name, "sides": (nodes, devices),
            "machine": None if name.endswith(".ini") else name, "target": target}


def find_topology(slice_: dict):
    """The devices of a machine, as its compiler describes them."""
    jax = import_jax(slice_["platform"])
    from jax.experimental import topologies
    if slice_["platform"] == "tpu":
        bounds = tpu_slice.host(slice_)
        options = {"chips_per_host_bounds": list(bounds)} if bounds else {}
        if slice_["generation"] == "v4":
            options["chip_config_name"] = "megacore"
        return topologies.get_topology_desc(platform="tpu", topology_name=slice_["topology"], **options)
    nodes, devices = slice_["sides"]
    options = {"target_config": slice_["target"], "topology": f"1x{nodes}x{devices}"}
    with no_log():
        jax.devices("cpu")  # finds what is installed
        try:
            return topologies.get_topology_desc(platform="cuda", topology_name="", **options)
        except NotImplementedError:  # JAX was in use before, and put the compiler aside: no CUDA
            plugin = compiler_of("cuda").partition("-pjrt")[0].replace("jax-", "xla_")
            importlib.import_module(f"jax_plugins.{plugin}").initialize()
            return topologies.get_topology_desc(platform="cuda", topology_name="", **options)


@functools.lru_cache
def sorted_devices(facts: tuple) -> tuple:
    """Devices of a machine in the order of their numbers, made once for all meshes over it."""
    return tuple(sorted(find_topology(dict(facts)).devices, key=lambda d: d.id))


def slice_devices(machine: str):
    """What the compiler is told of a machine, and its devices."""
    slice_ = read_slice(machine)
    return slice_, sorted_devices(tuple(slice_.items()))


def mesh(machine: str):
    """A jax Mesh of all devices of a machine ("tpu-v4-8", "v5e:2x2", "h100x4"), in one dimension called
    "data".

    The devices are those of the compiler: they hold shapes, no numbers."""
    slice_, devices = slice_devices(machine)
    jax = import_jax(slice_["platform"])
    import numpy
    return jax.sharding.Mesh(numpy.array(devices), ("data",))


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
    """Compile a training step for TPUs or GPUs; arguments as in predict().  Returns a Program, which
    ``save("step.hlo")`` writes as ``scripts/compile`` would.

    Raises ImportError without the compiler, ValueError for a machine that there is not or for a wrong
    ``batch_argnums``; what JAX and the compiler refuse are their own exceptions."""
    slice_, devices = slice_devices(machine)
    jax = import_jax(slice_["platform"])
    if not slice_["machine"] and slice_["platform"] == "tpu":
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
    memory, cost = compiled.memory_analysis(), {}
    if slice_["platform"] == "tpu":  # that for GPUs counts no cost
        cost = compiled.cost_analysis() or {}
    sizes = {k: getattr(memory, f"{k}_size_in_bytes", None)
             for k in ("argument", "output", "alias", "temp")}
    sizes["peak"] = getattr(memory, "peak_memory_in_bytes", None)
    versions = " ".join([*(f"{n} {importlib.metadata.version(n)}" for n in ("jax", "jaxlib")),
                         compiler_of(slice_["platform"])])
    name = getattr(function, "__name__", "step")
    return {"workload": name, "compiler": versions, "topology": slice_["topology"],
            "machine": slice_["machine"], "devices": len(devices),
            "megacore": slice_["generation"] in ("v4", "v5p"), "device_order": "id",
            "samples": samples, "epoch": epoch, "memory": sizes,
            "flops": int(cost.get("flops", 0)) or None, "source": name}
