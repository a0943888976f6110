"""Replays: of a program on a machine, of a JAX function compiled for it."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from operator import index

from ._library import PROGRESS, STOP, CyclotronError, Error, Handle, Options, aside, library
from .machine import Machine
from .program import Program, program_of
from .result import Result


def bar_of(progress, what: str):
    """A progress bar, or None.  progress=None: only where somebody looks."""
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not progress:
        return None
    try:
        import ipywidgets  # noqa: F401  without it a notebook has bars of text
        from tqdm.auto import tqdm
    except ImportError:
        from tqdm import tqdm
    return tqdm(total=100, desc=what, unit="%", leave=False, delay=0.5)


def replay(program: str | os.PathLike | Program, machine: str | os.PathLike | Machine | None = None,
           *, set: Mapping[str, object] | Iterable[str] = (), steps: int = 1, epochs: int = 0,
           exact: bool = False, retile: bool = False, lanes: bool = True,
           progress: bool | None = None) -> Result:
    """Replay a training step on a machine.

    program   a file that ``cyclotron replay`` reads, or a Program
    machine   a name, a machine file or a Machine; a compiled program runs on the one that it was
              compiled for unless another is given
    set       parameters to change: {"mxu.count": 4}
    steps     to measure, after those that warm up
    epochs    of a whole run, whose time and cost are wanted
    exact     every shortcut off
    retile    tile the kernels of a compiled program anew, for any generation
    lanes     record what the units do over time, for the HTML report
    progress  a progress bar; None: where somebody looks

    Raises CyclotronError for what the library refuses, ValueError without a machine.  A step that does
    not fit the memory is replayed all the same: ``fits`` says so.  An interrupt stops the replay and
    raises KeyboardInterrupt.
    """
    program = program_of(program)
    if machine is None:
        machine = program.machine
        if not machine:
            raise ValueError(f"{program.name} is for no machine: expected machine=, as "
                             "machine=\"tpu-v3-8\"")
    if not isinstance(machine, Machine):
        machine = Machine(machine, set)
    elif list(set):
        raise ValueError("set= is of a machine by its name: Machine(name, set=...)")
    for name, value, least in (("steps", steps, 1), ("epochs", epochs, 0)):
        if not least <= index(value) < 1 << 64:  # the library would see another number
            raise CyclotronError("range", f"{name} = {value}: outside [{least}, 1000000000]")
    bar = bar_of(progress, "replay")

    def tell(_self, _what, done, of):
        if bar is not None and of:
            bar.n = round(100 * min(done, of) / of, 1)
            bar.refresh()

    options = Options(ctypes.sizeof(Options), steps, epochs, bool(exact), bool(retile), bool(lanes),
                      PROGRESS(tell) if bar is not None else PROGRESS(), None,
                      STOP(lambda _self: interrupted.is_set()), None)
    error, made, interrupted = Error(), [], threading.Event()

    def work():
        pointer = library.replay(program._pointer, machine._pointer, ctypes.byref(options), ctypes.byref(error))
        if pointer:
            made.append(Handle(pointer, library.result_free))

    try:
        aside(work, interrupted)
    finally:
        if bar is not None:
            bar.close()
    if not made:
        raise error.exception()
    return Result(made[0])


def predict(function, *args, machine: str, samples: int | None = None, epoch: int | None = None,
            batch_argnums: int | Iterable[int] = (), set: Mapping[str, object] | Iterable[str] = (),
            steps: int = 1, epochs: int = 0, lanes: bool = True,
            progress: bool | None = None) -> Result:
    """Compile a JAX training step for TPUs or GPUs that are not there, and replay it.

    function       a function or jax.jit of one
    args           its arguments: arrays or jax.ShapeDtypeStruct, also in dicts, lists and tuples
    machine        a slice or a box: "tpu-v4-8", "v5e:2x2", "h100x1", "a100x4"; of GPUs also a file
    samples        of a step of one device; without it the result has times and no epochs
    epoch          samples in the data set
    batch_argnums  arguments whose first dimension is divided over all devices (data parallelism);
                   arguments that carry a sharding over ``cyclotron.mesh(machine)`` keep it

    The rest is as in replay().  The compilers are the real XLA:TPU, ``pip install
    'cyclotron[compile]'``, and XLA:GPU, ``'cyclotron[compile-gpu]'``; without them ImportError.  What JAX
    and the compiler refuse are their own exceptions.  A large step takes the compiler minutes.
    """
    from .compile import compile_step
    program = compile_step(function, *args, machine=machine, samples=samples, epoch=epoch,
                           batch_argnums=batch_argnums)
    return replay(program, program.machine or machine, set=set, steps=steps, epochs=epochs, lanes=lanes,
                  progress=progress)
