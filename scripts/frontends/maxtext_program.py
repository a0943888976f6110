"""maxtext_program.py - the training step of a model of MaxText, for scripts/compile.

MaxText makes the step as its own compilation ahead of time does (train_compile.py), for the devices
of scripts/compile.  scripts/frontends/maxtext says how it is called.
"""
import contextlib
import difflib
import os
import sys
import tempfile
import types
import typing

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing of a step is fetched

import jax  # noqa: E402
from maxtext.configs.types import MaxTextConfig  # noqa: E402
from maxtext.trainers.pre_train import train_compile  # noqa: E402
from maxtext.utils.max_utils import parse_libtpu_flags_to_dict  # noqa: E402

# what MaxText sets by itself, but as a variable of a compiler that is not loaded yet
FLAGS = {"xla_tpu_spmd_rng_bit_generator_unsafe": "true"}


class Found(Exception):
    """MaxText has come to the step that it would compile: the arguments of its jit_and_compile."""


def found(*given):
    raise Found(*given)


def check_names(model, keys):
    """MaxText itself answers with all the names that it knows."""
    models = typing.get_args(MaxTextConfig.model_fields["model_name"].annotation)
    for word, words, what in [(model, models, "model")] + \
            [(key, list(MaxTextConfig.model_fields), "setting") for key in keys]:
        if word not in words:
            near = difflib.get_close_matches(word, words, 1, 0.5)
            raise ValueError(f"MaxText has no {what} {word!r}"
                             + (f"; did you mean {near[0]!r}?" if near else ""))


def find_step(mesh, settings):
    """What MaxText would compile with these settings on the devices of the mesh."""
    devices = list(mesh.devices.flat)
    train_compile.get_topology_desc = lambda **_: types.SimpleNamespace(devices=devices)
    train_compile.jit_and_compile = found
    slices = len({getattr(d, "slice_index", 0) for d in devices})
    settings |= {"internal_compile": True, "internal_compile_num_devices": len(devices),
                 "compile_topology": "tpu", "compile_topology_num_slices": slices}
    variable = os.environ.get("LIBTPU_INIT_ARGS")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        defaults = {"hardware": "tpu", "dataset_type": "synthetic", "enable_checkpointing": False,
                    "run_name": "cyclotron", "base_output_directory": folder}
        try:
            train_compile.main(["train_compile"]
                               + [f"{k}={v}" for k, v in (defaults | settings).items()])
        except Found as e:
            return e.args
        except SystemExit:
            raise ValueError("MaxText refuses these settings: see above") from None
        finally:
            os.environ.pop("LIBTPU_INIT_ARGS", None)
            if variable is not None:
                os.environ["LIBTPU_INIT_ARGS"] = variable
    raise ValueError("MaxText compiled nothing")


class Step:
    """The step as jax.jit makes it in the mesh and by the rules of MaxText."""

    def __init__(self, function, mesh, rules, **options):
        self.function, self.mesh, self.rules, self.options = function, mesh, rules, options

    def __call__(self, *args):
        return self.function(*args)

    def lower(self, *args):
        with jax.set_mesh(self.mesh), self.rules:
            return jax.jit(self.function, **self.options).lower(*args)


def place(sharding, part):
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding), part)


def program(mesh, model_name, **settings):
    """The training step of `model_name`; `settings` are MaxText's own."""
    check_names(model_name, settings)
    step, args, _, own_mesh, divided, results, static, donated, config, rules = \
        find_step(mesh, {"model_name": model_name} | settings)
    flags = FLAGS | parse_libtpu_flags_to_dict(config.compile_xla_flags)
    step = Step(step, own_mesh, rules, in_shardings=divided, out_shardings=results,
                static_argnums=static, donate_argnums=donated, compiler_options=flags)
    batch = config.per_device_batch_size * config.gradient_accumulation_steps
    return step, jax.tree.map(place, divided, tuple(args)), {
        "samples": int(batch) if batch == int(batch) else None, "workload": f"maxtext {model_name}"}
