"""keras_program.py - the training step of a compiled Keras 3 model on JAX, for scripts/compile."""
import os

os.environ["KERAS_BACKEND"] = "jax"  # before keras

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402


def keras_program(mesh, model, batch):
    """The step of `model` after model.compile(...), on all devices of the mesh.

    batch: shape and dtype of x and of y for one device, as ((64, 32, 32, 3), "float32").  The
    compiler divides the step, so that batch norm takes the means of all devices.
    """
    model.optimizer.build(model.trainable_variables)
    # a first batch makes the variables of the loss and of the metrics
    model._symbolic_build(data_batch=tuple(np.zeros(*each) for each in batch))
    state = tuple([jax.ShapeDtypeStruct(v.shape, v.dtype) for v in group]
                  for group in (model.trainable_variables, model.non_trainable_variables,
                                model.optimizer.variables, model.metrics_variables))
    divided = NamedSharding(mesh, P("data"))
    data = [jax.ShapeDtypeStruct((shape[0] * mesh.size, *shape[1:]), dtype, sharding=divided)
            for shape, dtype in batch]

    def step(state, x, y):
        return model.train_step(state, (x, y))

    return (jax.jit(step, donate_argnums=0, out_shardings=NamedSharding(mesh, P())),
            (state, *data), {"samples": batch[0][0][0]})
