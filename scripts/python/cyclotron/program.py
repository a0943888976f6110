"""Programs: traces, and training steps as XLA compiled them."""
from __future__ import annotations

import ctypes
import os

from ._files import write_whole
from ._library import Error, Handle, encode, library


class Program:
    """A training step in a file that ``cyclotron replay`` reads, or its bytes.

    ``Program("step.hlo.zst")``, ``Program(b"...", name="mine")``.  With `allow_unknown` operations of
    unknown kind count as memory traffic instead of being refused.  A file is read again by each replay.
    Raises CyclotronError with file and line.
    """

    def __init__(self, source: str | os.PathLike | bytes, name: str = "program",
                 allow_unknown: bool = False):
        error = Error()
        self.data = source if isinstance(source, bytes) else None
        self.allow_unknown = allow_unknown = bool(allow_unknown)
        if self.data is not None:
            self.name = name
            pointer = library.program_parse(encode(name), self.data, len(self.data), allow_unknown,
                                            ctypes.byref(error))
        else:
            self.name = os.fspath(source)
            pointer = library.program_load(encode(source), allow_unknown, ctypes.byref(error))
        if not pointer:
            raise error.exception()
        self._pointer = Handle(pointer, library.program_free)

    @property
    def machine(self) -> str:
        """The machine that a compiled program was compiled for; empty for a trace."""
        return library.program_machine(self._pointer).decode()

    def save(self, path: str | os.PathLike) -> None:
        """Write the bytes of a program that is no file.  ValueError if it is one."""
        if self.data is None:
            raise ValueError(f"{self.name} is a file already")
        write_whole(path, self.data)

    def __repr__(self) -> str:
        return f"<Program {self.name}{f' for {self.machine}' if self.machine else ''}>"


def program_of(source) -> Program:
    """A Program as it is, else the program in the file of that name."""
    return source if isinstance(source, Program) else Program(source)
