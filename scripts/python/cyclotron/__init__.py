"""Replay training steps on cycle-level models of TPU slices, GPU boxes and CPUs.

    import cyclotron
    r = cyclotron.replay("traces/3dgan.trace.zst", "tpu-v3-8")
    r.seconds_per_step, r.fits, r.usd_per_epoch

``replay`` takes a trace or a compiled program.  ``predict`` takes a JAX function, which the real compiler
for TPUs compiles ahead of time.  ``sweep`` varies parameters of a machine.

Figures are those of the command ``cyclotron``, to the digit, in the units that ``Result.unit`` names: s, B,
FLOP, J, USD.  What the library refuses raises CyclotronError; an argument that it is never asked about
raises ValueError or TypeError.  Several threads may call the package at the same time; a Machine, a
Program and a Result do not change and may be shared.  Objects free what they hold when Python drops them.
"""
from ._library import CyclotronError, version as _version
from .compile import compile_step, mesh
from .machine import Machine, machines
from .program import Program
from .result import Result
from .simulate import predict, replay
from .sweep import sweep

__all__ = ["CyclotronError", "Machine", "Program", "Result", "compile_step", "machines", "mesh",
           "predict", "replay", "sweep"]
__version__ = _version()
