"""compile_xla.py - the half of scripts/compile that runs in the compiler's environment.

Its one argument is what scripts/compile read from the command line.
"""
import ast
import contextlib
import difflib
import importlib.metadata
import importlib.util
import inspect
import json
import linecache
import os
import re
import signal
import struct
import sys
import sysconfig
import time
import types

sys.dont_write_bytecode = True  # beside programs
# before jax: no search for a TPU, no lock on the compiler's library, no log
os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v4-8", JAX_PLATFORMS="cpu",
                  TPU_WORKER_HOSTNAMES="localhost", ALLOW_MULTIPLE_LIBTPU_LOAD="1",
                  TPU_LOG_DIR="disabled", TPU_MIN_LOG_LEVEL="3", TF_CPP_MIN_LOG_LEVEL="3")


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


try:
    with no_log():
        import jax
    import numpy as np
    import zstandard
    from jax.experimental import topologies
    from jax._src import source_info_util  # private, as all of _src
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
except ImportError as e:
    sys.exit(f"compile: {sys.executable}: {e}\n"
             "  it needs what scripts/requirements-compile.txt or, for GPUs, "
             "requirements-compile-gpu.txt lists")

HERE = os.path.dirname(os.path.realpath(__file__))
DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "s8": "int8",
          "u8": "uint8", "pred": "bool"} | {f"{a}{n}": f"{b}{n}" for n in (16, 32, 64)
                                            for a, b in (("i", "int"), ("s", "int"), ("u", "uint"))}


FACTS = ("samples", "epoch", "workload")


def say(text):
    print(f"compile: {text}", file=sys.stderr, flush=True)


def fail(*lines):
    sys.exit("compile: " + "\n  ".join(lines))


def nearest(word, words):
    found = difflib.get_close_matches(word, words, 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else ""


def code_of(function):
    """What Python has compiled of a function, below jax.jit and its like; None: nothing."""
    return getattr(inspect.unwrap(function), "__code__", None)


def show_line(name, number, function):
    """FILE:LINE: FUNCTION: the text of the line, with the shorter name of the file."""
    path = os.path.relpath(name)
    return (f"{name if path.startswith('..') else path}:{number}: {function}: "
            f"{linecache.getline(name, number).strip()}")


@contextlib.contextmanager
def of_user(path, *functions):
    """What goes wrong inside is the user's: print where in the files beside `path`, not in ours.

    An error that none of their lines raised, such as a sharding that does not fit, is shown with
    the lines on which `functions` begin.
    """
    try:
        yield
    except Exception as e:  # whatever a program raises
        place, frames, tb = os.path.dirname(os.path.abspath(path)), [], e.__traceback__
        while tb:
            name = tb.tb_frame.f_code.co_filename
            if name.startswith(place + os.sep) and not name.startswith((HERE, sys.prefix)):
                frames.append(show_line(name, tb.tb_lineno, tb.tb_frame.f_code.co_name))
            tb = tb.tb_next
        for function in functions if not frames else ():
            code = code_of(function)
            if code:
                frames.append(show_line(code.co_filename, code.co_firstlineno, code.co_name))
        text = str(e).strip().split("\n")  # of a program too large, a long table of what is where
        text = [line for line in text if line.strip()][:8]
        fail(f"{type(e).__name__}: {text[0]}", *text[1:], *frames[-6:])


# --- devices -----------------------------------------------------------------------------------

def find_devices(a):
    """Devices of the slice in the order of their numbers, or the first of them."""
    options = {"chips_per_host_bounds": list(a.host)} if a.host else {}
    if a.slice["generation"] == "v4" and not a.cores:
        options["chip_config_name"] = "megacore"
    if a.slices:
        options["num_slices"] = a.slices
    name = a.slice["topology"]
    if a.slice["platform"] == "cuda":  # slices, hosts of a slice, devices of a host
        nodes, devices = a.slice["sides"]
        name, options = "", {"target_config": a.slice["target"], "topology": f"1x{nodes}x{devices}"}
    try:
        with no_log():
            slice_ = topologies.get_topology_desc(platform=a.slice["platform"],
                                                  topology_name=name, **options)
    except Exception as e:  # whatever the compiler says of it
        fail(f"topology {a.slice['topology']}: {e}")
    devices = sorted(slice_.devices, key=lambda d: d.id)
    if a.devices and a.devices > len(devices):
        fail(f"--devices {a.devices}: {a.slice['topology']} has {len(devices)}")
    return devices[:a.devices]


# --- a program in Python -----------------------------------------------------------------------

def load_function(a):
    sys.path[:0] = [os.path.dirname(os.path.abspath(a.path)), os.path.join(HERE, "frontends")]
    spec = importlib.util.spec_from_file_location("program", os.path.abspath(a.path))
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    with of_user(a.path):
        spec.loader.exec_module(module)
    function = getattr(module, a.function, None)
    if not callable(function):
        fail(f"{a.path}: {a.function!r} is no function")
    return function


def read_shapes(text, divided):
    """Arguments as --args writes them: f32[8,784] or f32[1024,784]@data."""
    shapes = []
    for word in text.split():
        match = re.fullmatch(r"(\w+)\[(\d+(?:,\d+)*)?\](@data)?", word)
        if not match or match[1] not in DTYPES:
            fail(f"--args: {word!r}: expected TYPE[N,...] or TYPE[N,...]@data, as f32[8,784]",
                 "types: " + " ".join(DTYPES))
        shape = tuple(int(n) for n in (match[2] or "").split(",") if n)
        if "64" in match[1]:  # otherwise JAX computes in 32 bits, and does not say so
            jax.config.update("jax_enable_x64", True)
        shapes.append(jax.ShapeDtypeStruct(shape, jax.numpy.dtype(DTYPES[match[1]]),
                                           sharding=divided if match[3] else None))
    return tuple(shapes)


def place_argument(where, x, whole):
    """An argument as an array on the devices of the slice, which holds no numbers.

    `where` is its path in the arguments of the step, for messages."""
    given = hasattr(x, "shape") and hasattr(x, "dtype")  # else a number of Python's
    if not given:
        x = np.asarray(x)
    sharding = getattr(x, "sharding", None)
    if not isinstance(x, jax.ShapeDtypeStruct) or sharding is None:
        sharding = whole
    try:
        sharding.shard_shape(x.shape)
    except Exception as e:  # whatever JAX says of a shape that cannot be divided so
        name = f"{x.dtype.name}[{','.join(map(str, x.shape))}]"
        _, _, reason = str(e).splitlines()[0].rpartition(" implies that ")
        raise ValueError(f"args{jax.tree_util.keystr(where)} is {name} (shapes are global) with the "
                         f"sharding {getattr(sharding, 'spec', sharding)}: {reason}") from None
    dtype = x.dtype if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended) \
        else jax.dtypes.canonicalize_dtype(x.dtype)
    if given and dtype != x.dtype:
        say(f"note: args{jax.tree_util.keystr(where)} is {x.dtype.name}, which JAX takes for {dtype.name}; "
            'jax.config.update("jax_enable_x64", True) in the program keeps it')
    return jax.ShapeDtypeStruct(x.shape, dtype, sharding=sharding)


def place_of(a, function):
    """FILE:LINE of a function of the user's, FILE of one that Python did not compile."""
    code = code_of(function)
    return f"{a.path}:{code.co_firstlineno}" if code else a.path


def call_program(a, function, mesh):
    """The step, its arguments and the facts, from a function or a step with its shapes."""
    if a.args is not None:
        return function, read_shapes(a.args, NamedSharding(mesh, PartitionSpec("data"))), {}
    known = inspect.signature(function).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in known.values())
    for key in a.options:
        if key not in list(known)[1:] and not takes_any:
            fail(f"{place_of(a, function)}: {a.function}() has no {key!r}{nearest(key, list(known)[1:])}",
                 "it has " + (", ".join(list(known)[1:]) or "no options"))
    try:
        inspect.signature(function).bind(mesh, **a.options)
    except TypeError as e:
        fail(f"{place_of(a, function)}: {a.function}(mesh{''.join(f', {k}=' for k in a.options)}): {e}",
             "a function that is the step itself needs --args")
    with of_user(a.path):
        result = function(mesh, **a.options)
    if not isinstance(result, tuple) or len(result) not in (2, 3) or not callable(result[0]) \
            or not isinstance(result[1], (tuple, list)):
        fail(f"{place_of(a, function)}: {a.function}() returned {type(result).__name__}",
             "expected (step, args) or (step, args, facts), args a tuple",
             "a function that is the step itself needs --args")
    return *result[:2], check_facts(a, function, result[2] if len(result) == 3 else {})


def check_facts(a, function, facts):
    """What a program says of itself besides its step: known keys, numbers of samples."""
    where = f"{place_of(a, function)}: facts of {a.function}()"
    if not isinstance(facts, dict):
        fail(f"{where}: {type(facts).__name__}", 'expected a dict, as {"samples": 32}')
    for key, value in facts.items():
        if key not in FACTS:
            fail(f"{where}: {key!r} is unknown{nearest(str(key), FACTS)}",
                 "known are " + ", ".join(FACTS))
        if key == "workload":
            if not isinstance(value, str):
                fail(f"{where}: {key!r}: {value!r}", "expected a name")
        elif value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer))
                                    or value < 1):
            fail(f"{where}: {key!r}: {value!r}", "expected a number of samples, 1 or more")
    return {key: int(value) if isinstance(value, np.integer) else value for key, value in facts.items()}


def compile_python(a, devices):
    mesh = Mesh(np.array(devices), ("data",))
    whole = NamedSharding(mesh, PartitionSpec())
    jax.config.update("jax_hlo_source_file_canonicalization_regex",
                      f"^({re.escape(os.getcwd())}|.*/site-packages)/")
    start = time.time()
    function = load_function(a)
    step, args, facts = call_program(a, function, mesh)
    with of_user(a.path, function):
        args = jax.tree_util.tree_map_with_path(
            lambda where, x: place_argument(where, x, whole), tuple(args))
    shardings = [x.sharding for x in jax.tree.leaves(args)]
    if len(devices) > 1 and all(s.is_fully_replicated for s in shardings):
        say(f"note: no argument is divided, so each of {len(devices)} devices does the whole step")
    with of_user(a.path, function, step):
        lowered = (step if hasattr(step, "lower") else jax.jit(step)).lower(*args)
    if a.before:
        write_file(re.sub(r"\.hlo(\.zst)?$", r".before.hlo\1", a.output),
                   lowered.as_text(dialect="hlo").encode())
    announce(a, devices, time.time() - start)
    with of_user(a.path, function, step):
        compiled = lowered.compile()
    return compiled.as_text(), compiled.memory_analysis(), count_cost(compiled), facts


# --- a module of another framework -------------------------------------------------------------

def read_module(a):
    """The module in StableHLO, and its numbers of replicas and partitions where it says them."""
    from jax.extend.mlir import deserialize_portable_artifact, hlo_to_stablehlo
    from jaxlib import _hlo  # no public name for this parser
    from jaxlib.mlir import ir
    with open(a.path, "rb") as f:
        data = f.read()
    said = {}
    if a.ending in (".hlo", ".txt"):
        head = re.search(r"^HloModule.*", data.decode(), re.M)
        head = head[0] if head else ""
        if "is_scheduled=true" in head:
            fail(f"{a.path}: it is compiled already; if for a TPU, cyclotron replays it as it is")
        said = {k: int(n) for k, n in re.findall(r"\b(replica_count|num_partitions)=(\d+)", head)}
        data = _hlo.hlo_module_from_text(data.decode()).as_serialized_hlo_module_proto()
    if a.ending != ".mlir":
        data = hlo_to_stablehlo(data)
    elif data.startswith(b"ML\xefR"):
        return deserialize_portable_artifact(data), said
    module = ir.Module.parse(data)
    copies = []  # TensorFlow copies results, which the compiler does not take

    def note(op):
        if op.name == "mhlo.copy":
            copies.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    for op in copies:
        op.operation.results[0].replace_all_uses_with(op.operation.operands[0])
        op.operation.erase()
    attributes = module.operation.attributes
    for name, key in (("mhlo.num_replicas", "replica_count"),
                      ("mhlo.num_partitions", "num_partitions")):
        if name in attributes:
            said[key] = attributes[name].value
    return module, said


def compile_module(a, devices):
    from jax._src.interpreters import mlir  # private: no public name compiles foreign modules
    from jax._src.compiler import get_compile_options
    from jax._src.lib import _jax
    start = time.time()
    with mlir.make_ir_context(), of_user(a.path):
        module, said = read_module(a)
        counts = [a.replicas or said.get("replica_count", 1),
                  a.partitions or said.get("num_partitions", 1)]
        if counts[0] * counts[1] > len(devices):
            fail(f"{a.path}: {counts[0]} replicas of {counts[1]} partitions need "
                 f"{counts[0] * counts[1]} devices; there are {len(devices)}")
        devices = devices[:counts[0] * counts[1]]
        options = get_compile_options(*counts, np.array([d.id for d in devices]).reshape(counts))
        build = options.executable_build_options
        build.use_spmd_partitioning = counts[1] > 1
        build.use_shardy_partitioner = counts[1] > 1 and "sdy." in str(module)
        announce(a, devices, time.time() - start)
        result = devices[0].client.compile(module, _jax.DeviceList(tuple(devices)), options)
    return (result.hlo_modules()[0].to_string(), result.get_compiled_memory_stats(),
            count_cost(result), {"devices": len(devices)})


def count_cost(compiled):
    """FLOPs and bytes as the compiler counts them, or nothing: that for GPUs counts none."""
    try:
        cost = compiled.cost_analysis()
    except (NotImplementedError, jax.errors.JaxRuntimeError):
        return {}
    return (cost[0] if isinstance(cost, list) else cost) or {}


# --- the result --------------------------------------------------------------------------------

def announce(a, devices, seconds):
    megacore = " (megacore)" if is_megacore(a) else ""
    slices = f"{a.slices} slices of " if a.slices else ""
    say(f"{a.path} is read ({seconds:.1f} s); compiling for {len(devices)} "
        f"device{'s'[:len(devices) > 1]} of {slices}{a.slice['topology']}{megacore}: "
        "a large step takes minutes")


def is_megacore(a):
    return a.slice["generation"] == "v5p" or a.slice["generation"] == "v4" and not a.cores


def machine_of(a, devices):
    """The machine of the slice; of one device of a chip of two, the other idle, one core."""
    name = a.slice["machine"]
    if devices == 1 and a.slice["platform"] == "tpu" and a.slice["generation"] in ("v2", "v3", "tpu7x"):
        return name and re.sub(r"-\d+(:.*)?$", "-1", name)
    return name


def header_of(a, devices, memory, cost, facts):
    """What a program does not say of itself."""
    plugin = {"tpu": "libtpu", "cuda": "jax-cuda12-pjrt"}[a.slice["platform"]]
    versions = " ".join(f"{name} {importlib.metadata.version(name)}"
                        for name in ("jax", "jaxlib", plugin))
    sizes = {k: getattr(memory, f"{k}_size_in_bytes", None)
             for k in ("argument", "output", "alias", "temp")}
    sizes["peak"] = getattr(memory, "peak_memory_in_bytes", None)
    options = "".join(f" {k}={v}" for k, v in a.options.items())
    workload = facts.get("workload") or os.path.splitext(os.path.basename(a.path))[0]
    flags = os.environ.get("LIBTPU_INIT_ARGS")  # the compiler's own, of which it says nothing
    return {"workload": workload, "compiler": versions, "topology": a.slice["topology"],
            "machine": machine_of(a, len(devices)), "slices": a.slices, "devices": facts.get("devices", len(devices)),
            "megacore": is_megacore(a), "device_order": "id",
            "samples": a.samples or facts.get("samples"), "epoch": facts.get("epoch"),
            "memory": sizes, "flops": int((cost or {}).get("flops", 0)) or None,
            **({"flags": flags} if flags else {}),
            "source": (a.path if a.ending != ".py" else f"{a.path}:{a.function}") + options}


FRAME = 1 << 20  # most bytes of text of a frame
LEAST = FRAME // 2  # fewest of one that is not the last


def cut_frames(data):
    """Text in parts as docs/reference/trace-format.md, "Container", has them: whole lines, the first empty."""
    if len(data) >= FRAME:
        yield b""
    at = 0
    while at < len(data):
        end = at + FRAME
        if end <= len(data):
            line = data.rfind(b"\n", at, end) + 1
            end = line if line - at >= LEAST else end
        yield data[at:end]
        at = end


def pack(data):
    """Text as the container that `cyclotron trace pack` writes."""
    frames, table = [], []
    zstd = zstandard.ZstdCompressor(level=19, write_checksum=True)
    for part in cut_frames(data):
        frame = zstd.compress(part)
        frames.append(frame)  # it ends in the low half of the XXH64 of its text
        table.append(struct.pack("<II", len(frame), len(part)) + frame[-4:])
    table.append(struct.pack("<IBI", len(frames), 0x80, 0x8F92EAB1))
    table = b"".join(table)
    return b"".join(frames) + struct.pack("<II", 0x184D2A5E, len(table)) + table


def write_file(path, data):
    if path.endswith(".zst"):
        data = pack(data)
    try:
        with open(path + ".new", "wb") as f:
            f.write(data)
        os.replace(path + ".new", path)
    except OSError as e:
        fail(f"{path}: {e.strerror}")
    return len(data)


def write_result(a, header, text):
    return write_file(a.output, f"// cyclotron: {json.dumps(header)}\n{text}".encode())


def main():
    a = types.SimpleNamespace(**ast.literal_eval(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the compiler would not hear of it for minutes
    for path in (HERE, sysconfig.get_path("purelib")):  # source lines of the program, none of ours
        source_info_util.register_exclusion(path)
    devices = find_devices(a)
    start = time.time()
    compile_file = compile_python if a.ending == ".py" else compile_module
    text, memory, cost, facts = compile_file(a, devices)
    header = header_of(a, devices, memory, cost, facts)
    size = write_result(a, header, text)
    peak = header["memory"]["peak"]
    flops = f"{header['flops'] / 1e9:.4g} GFLOP and " if header["flops"] else ""
    say(f"{time.time() - start:.1f} s; {flops}"
        f"{(peak or 0) / 2**20:.4g} MiB a device; {a.output}, {size / 1000:.0f} kB")
    if not header["samples"]:
        say('note: nobody says how many samples a step has, so reports will give times only: '
            '--samples N, or the fact {"samples": N}')
    if not header["machine"]:
        say(f"note: no machine of cyclotron is {a.slice['topology']}")


if __name__ == "__main__":
    main()
