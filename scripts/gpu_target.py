"""gpu_target.py - GPUs that scripts/compile compiles for, by the machine files of cyclotron.

XLA:GPU compiles for a chip that is not there, if it is told what chip that is: a GpuTargetConfig in
the text format of protocol buffers.  Sizes and rates come from model/machines; what CUDA says of an
architecture stands here [cuda-guide], table "Technical specifications per compute capability".
"""
import os
import re

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))),
                        "model", "machines")
# shared memory of an SM and of a block at most, KiB; threads of an SM; by ten times the compute capability
CAPABILITIES = {70: (96, 96, 2048), 75: (64, 64, 1024), 80: (164, 163, 2048), 89: (100, 99, 1536),
                90: (228, 227, 2048), 100: (228, 227, 2048), 103: (228, 227, 2048)}
DNN = (9, 8)  # the oldest cuDNN that jax 0.10.2 runs with [jax-install]
UNITS = {"": 1, "MAC/cycle": 1, "Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9, "GB/s": 1e9, "TB/s": 1e12,
         "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def parse(lines):
    """Values of a machine file by "section.key", as text."""
    values, section = {}, ""
    for line in lines:
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line:
            key, _, value = line.partition("=")
            values[f"{section}.{key.strip()}"] = re.sub(r"\s*\[.*", "", value.strip())
    return values


def read_file(name):
    """Values of a machine file, with those of the files that it builds on below."""
    with open(os.path.join(MACHINES, f"{name}.ini"), encoding="utf-8") as f:
        values = parse(f)
    base = values.pop("machine.base", None)
    return {**read_file(base), **values} if base else values


def number(values, key):
    amount, _, unit = values[key].partition(" ")
    return float(amount) * UNITS[unit]


def names():
    """Files of machines with GPUs: chips, and generations ("v100") whose boxes have names by rule."""
    found = []
    for file in sorted(os.listdir(MACHINES)):
        name, ending = os.path.splitext(file)
        if ending == ".ini" and name != "prices" and not name.startswith("tpu-") and \
                read_file(name).get("machine.kind") == "gpu":
            found.append(name)
    return found


def generations():
    return [name for name in names() if "boxes.1" in read_file(name)]


def read_box(name):
    """Values of the box of that name ("v100x4"), or None if no rule knows it."""
    generation, _, digits = name.rpartition("x")
    if generation not in generations() or not re.fullmatch("[1-9][0-9]{0,5}", digits):
        return None
    v, gpus = read_file(generation), int(digits)
    if f"boxes.{gpus}" in v:
        return {**v, "slice.cores": str(gpus)}
    largest = max(int(key[6:]) for key in v if re.fullmatch("boxes[.][0-9]+", key))
    if gpus % largest or gpus > number(v, "boxes.most"):
        return None
    return {**v, "slice.cores": str(largest), "dcn.slices": str(gpus // largest)}


def read_machine(name):
    """Values of a machine with GPUs, or None: v100x4, v100-sxm2-16gb."""
    return read_box(name) or (read_file(name) if name in names() else None)


def find(text):
    """The machine that -t names, or None: v100 (one of it), a100x4, v100-sxm2-16gb."""
    name = text.lower()
    if name in generations():
        name += "x1"
    return name if read_machine(name) else None


def read_target(name):
    """Target of a machine with GPUs by its name."""
    return target_of(read_machine(name))


def target_of(v):
    """A machine with GPUs by its values: its nodes, devices of a node, and the GpuTargetConfig of a device."""
    capability = int(number(v, "sm.capability"))
    shared, block, threads = CAPABILITIES[capability]
    fields = {
        "threads_per_block_limit": 1024, "threads_per_warp": 32, "threads_per_core_limit": threads,
        "shared_memory_per_block": 48 << 10, "shared_memory_per_core": shared << 10,
        "shared_memory_per_block_optin": block << 10,
        "registers_per_core_limit": 65536, "registers_per_block_limit": 65536,
        "block_dim_limit_x": 2**31 - 1, "block_dim_limit_y": 65535, "block_dim_limit_z": 65535,
        "core_count": int(number(v, "sm.count")),
        "fpus_per_core": int(number(v, "sm.f32")),
        "memory_bandwidth": int(number(v, "hbm.bandwidth")),
        "l2_cache_size": int(number(v, "l2.capacity")),
        "device_memory_size": int(number(v, "hbm.capacity") - (number(v, "hbm.reserved") if "hbm.reserved" in v else 0)),
        "clock_rate_ghz": number(v, "gpu.clock") / 1e9}
    device = "\n".join(f"  {key}: {value}" for key, value in fields.items())
    chip = re.sub(r"^.*?(NVIDIA \w+ ?\w*).*", r"\1", v["machine.summary"]).strip()
    target = (f"gpu_device_info {{\n{device}\n  cuda_compute_capability {{ major: {capability // 10} minor: {capability % 10} }}\n}}\n"
              f'platform_name: "CUDA"\ndnn_version_info {{ major: {DNN[0]} minor: {DNN[1]} }}\n'
              f'device_description_str: "{chip}"\n')
    nodes = int(float(v.get("dcn.slices", "1")))
    return nodes, int(number(v, "slice.cores")), target
