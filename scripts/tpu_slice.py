"""tpu_slice.py - slices of TPUs by name, and what the compiler has to be told of them."""
import difflib
import re

# TensorCores of a chip, dimensions of a slice
GENERATIONS = {"v2": (2, 2), "v3": (2, 2), "v4": (2, 3), "v5e": (1, 2), "v5p": (2, 3),
               "v6e": (1, 2), "tpu7x": (2, 3)}
ALIASES = {"v5litepod": "v5e", "v5lite": "v5e", "v7": "tpu7x", "v7x": "tpu7x", "v5": "v5p"}


def fail(*lines):
    """Errors are a ValueError: a sentence, and lines that help."""
    raise ValueError(*lines)


def nearest(word, words):
    found = difflib.get_close_matches(word, words, 1, 0.5)
    return f"; did you mean {found[0]}?" if found else ""


def usual_shape(dims, chips):
    """The arrangement of so many chips that is rented: a square or cube, or near it."""
    if dims == 2:
        sides = [(x, chips // x) for x in range(1, chips + 1) if x * x in (chips, chips / 2)]
        return sides[0] if sides else None
    small = {1: (1, 1, 1), 4: (2, 2, 1), 8: (2, 2, 2), 16: (2, 2, 4), 32: (2, 4, 4)}
    if chips in small or chips % 64:
        return small.get(chips)
    n = chips // 64
    cubes = [(a, b, n // a // b) for a in range(1, n + 1) if n % a == 0
             for b in range(a, n // a + 1) if n // a % b == 0 and b <= n // a // b]
    return tuple(4 * d for d in min(cubes, key=sum))


def check_machine(text, generation, cores, known):
    """Fail if there is no slice of so many TensorCores: `known` has the values of its machine file."""
    dims = GENERATIONS["tpu7x" if generation == "v7" else generation][1]
    sizes = {int(key[7:]): shape for key, shape in known.items()
             if re.fullmatch(r"slices\.\d+", key) and re.fullmatch(r"\d+" + (dims - 1) * r"x\d+", shape)}
    if cores in sizes or cores > max(sizes):
        return
    near = min((n for n in sizes if n % GENERATIONS.get(generation, (2,))[0] == 0), key=lambda n: (abs(n - cores), n))
    fail(f"topology {text!r}: there is no machine tpu-{generation}-{cores}; "
         f"the nearest is {generation}:{sizes[near]}, tpu-{generation}-{near}",
         "--devices N compiles for the first N devices of a slice")


def read(text, gpu_target=None):
    """A slice, `v3:2x2` or by the name of a machine: its topology, machine and shape."""
    name = text.lower()
    gpu = gpu_target and gpu_target.find(text)
    if gpu:
        nodes, devices, target = gpu_target.read_target(gpu)
        return {"platform": "cuda", "topology": gpu, "generation": gpu, "sides": (nodes, devices),
                "machine": gpu, "target": target}
    machine = re.fullmatch(r"(?:tpu-)?(v\d[a-z]*|tpu7x|v5litepod)-(\d+)", name)
    shape = re.fullmatch(r"([^:]*):(\d+(?:x\d+){1,2})", name)
    generation = machine[1] if machine else name.partition(":")[0].removeprefix("tpu-")
    generation = ALIASES.get(generation, generation)
    if generation not in GENERATIONS:
        also = (", and the GPUs of `cyclotron machine list`: " + " ".join(gpu_target.generations())
                + " v100x4 ...") if gpu_target else ""
        known = [*GENERATIONS, *(gpu_target.names() if gpu_target else ())]
        fail(f"topology {text!r}: no generation {generation!r}{nearest(generation, known)}",
             "the compiler knows " + " ".join(GENERATIONS) + also)
    cores, dims = GENERATIONS[generation]
    example = "v4:2x2x1" if dims == 3 else "v3:2x2"
    if machine:
        sides = usual_shape(dims, int(machine[2]) // cores)
        if not sides or int(machine[2]) % cores:
            fail(f"topology {text!r}: no slice has {machine[2]} TensorCores of {generation}")
    elif shape:
        sides = tuple(int(n) for n in shape[2].split("x"))
        if dims == 2 and sides[2:] == (1,):
            sides = sides[:2]
        if len(sides) != dims or 0 in sides:
            fail(f"topology {text!r}: a slice of {generation} has {dims} dimensions, as {example}")
    else:
        fail(f"topology {text!r}: expected GENERATION:XxY[xZ], as {example}, "
             "or a machine, as tpu-v3-8")
    chips = 1
    for n in sides:
        chips *= n
    by = "x".join(map(str, sides))
    called = "v7" if generation == "tpu7x" else generation
    name = f"tpu-{called}-{chips * cores}"
    usual = usual_shape(dims, chips)
    if gpu_target and usual and sorted(sides) == sorted(usual):
        check_machine(text, called, chips * cores, gpu_target.read_file(f"tpu-{called}"))
    if not usual or sorted(sides) != sorted(usual):  # other cuboids are machines, other rectangles not
        name = f"{name}:{by}" if dims == 3 and usual else None
    return {"platform": "tpu", "topology": f"{generation}:{by}", "generation": generation, "sides": sides,
            "machine": name}


def host(slice_, given=None):
    """Chips along x, y and z of a host, or None for what the compiler takes, which is 2x2x1."""
    if slice_["platform"] == "cuda":
        if given:
            fail("--chips-per-host is of TPUs; those of a machine with GPUs are its nodes")
        return None
    sides = (slice_["sides"] + (1,))[:3]
    bounds = (2, 2, 1)
    if given:
        match = re.fullmatch(r"\d+x\d+(x\d+)?", given)
        if not match or "0" in given.split("x"):
            fail(f"--chips-per-host {given}: expected XxY[xZ], as 2x2 or 4x2x1")
        bounds = (tuple(int(n) for n in given.split("x")) + (1,))[:3]
    elif sides[0] * sides[1] * sides[2] <= 2:
        bounds = sides
    if any(n % h for n, h in zip(sides, bounds)):
        fail(f"topology {slice_['topology']}: its sides are no multiples of a host's, "
             f"{'x'.join(map(str, bounds))} chips",
             "take another slice, or another host with --chips-per-host XxY[xZ]")
    return None if bounds == (2, 2, 1) else bounds
