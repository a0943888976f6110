"""Replay training steps on cycle-level models of TPU slices, GPU boxes and CPUs.

    import cyclotron
    r = cyclotron.replay("traces/3dgan.trace.zst", "tpu-v3-8")
    r.seconds_per_step, r.fits, r.usd_per_epoch

``replay`` takes a trace or a compiled program, ``predict`` a JAX function, which the real compiler of
TPUs compiles ahead of time, ``sweep`` varies parameters of a machine.  Figures are those of the
command ``cyclotron``, to the digit.
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
