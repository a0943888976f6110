"""Machines: TPU slices, GPU boxes, CPUs."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping

from ._library import NAME, Error, Handle, aside, encode, library

Settings = "Mapping[str, object] | Iterable[str]"


def settings_list(settings) -> list[str]:
    """{"mxu.count": 4} or ["mxu.count=4"] as the library takes it.  TypeError for a text alone."""
    if isinstance(settings, Mapping):
        return [f"{key}={value}" for key, value in settings.items()]
    if isinstance(settings, str):
        raise TypeError(f'set={settings!r}: expected a dict or a list, as {{"mxu.count": 4}}')
    return [str(s) for s in settings]


class Machine:
    """A built-in machine, or that of a machine file, with parameters changed.

    ``Machine("tpu-v3-8", set={"mxu.count": 4, "hbm.bandwidth": "1200 GB/s"})``

    A value that has a unit is a text with it; ``cyclotron params`` lists parameters, units and ranges.
    Raises CyclotronError with the nearest name, or with the range.
    """

    def __init__(self, name: str | os.PathLike, set: Mapping[str, object] | Iterable[str] = ()):
        self.name = os.fspath(name)
        words = [encode(w) for w in settings_list(set)]
        error = Error()
        pointer = library.machine_load(encode(self.name), (ctypes.c_char_p * len(words))(*words),
                                       len(words), ctypes.byref(error))
        if not pointer:
            raise error.exception()
        self._pointer = Handle(pointer, library.machine_free)

    @property
    def summary(self) -> str:
        """One line: "TPU v3-8: 4 chips (2x2 mesh), 8 cores, 1 host"."""
        return library.take_text(library.machine_summary(self._pointer))

    @property
    def text(self) -> str:
        """The machine as a machine file: every value with its unit and its source."""
        return library.take_text(library.machine_text(self._pointer))

    def __repr__(self) -> str:
        return f"<Machine {self.summary}>"


def machines() -> list[str]:
    """Names of the built-in machines."""
    names: list[str] = []
    aside(lambda: library.machine_names(NAME(lambda _self, name: names.append(name.decode())), None))
    return names
