"""A jet tagger in Keras 3: 64 particles of 7 features each, 5 classes of jets.

    scripts/compile docs/examples/tagger_keras.py -t v5e:2x2 --with keras -o tagger.hlo.zst
"""
from keras_program import keras_program  # before keras: it chooses JAX

import keras
from keras import layers

PARTICLES, FEATURES, CLASSES = 64, 7, 5


def make_tagger(width):
    tagger = keras.Sequential([
        keras.Input((PARTICLES, FEATURES)),
        *[layers.Dense(width, "relu") for _ in range(4)],
        layers.GlobalAveragePooling1D(),
        layers.Dense(width, "relu"), layers.Dropout(0.1), layers.Dense(width, "relu"),
        layers.Dense(CLASSES)])
    tagger.compile(optimizer=keras.optimizers.Adam(1e-3),
                   loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                   metrics=["accuracy"])
    return tagger


def program(mesh, batch=1024, width=256):
    """What scripts/compile calls: the step on all devices of the mesh, `batch` jets on each."""
    return keras_program(mesh, make_tagger(width),
                         [((batch, PARTICLES, FEATURES), "float32"), ((batch,), "int32")])
