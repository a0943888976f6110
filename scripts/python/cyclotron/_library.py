"""The C library by ctypes: its functions with their types, errors as exceptions."""
from __future__ import annotations

import _thread
import ctypes
import importlib.metadata
import os
import pathlib
import threading
import warnings
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

CODES = ("ok", "io", "format", "unknown", "range", "unit", "fit", "stopped")


class CyclotronError(ValueError):
    """An error of the library.  Its text is the one line that the command would print.

    ``code`` is one of
    ``io``       the operating system refused
    ``format``   a file or a text does not parse
    ``unknown``  a name that nobody declared
    ``range``    a value outside its range
    ``unit``     a value without its unit, or in another one
    ``fit``      valid, but this machine cannot run it
    ``other``    what only a later library knows
    """

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


class Error(ctypes.Structure):
    """struct cyclotron_error"""
    _fields_ = [("code", c_int), ("message", ctypes.c_char * 512)]

    def exception(self) -> CyclotronError:
        code = CODES[self.code] if self.code < len(CODES) else "other"
        return CyclotronError(code, self.message.decode(errors="replace"))


PROGRESS = CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)
STOP = CFUNCTYPE(c_int, c_void_p)
NAME = CFUNCTYPE(None, c_void_p, c_char_p)


class Options(ctypes.Structure):
    """struct cyclotron_options"""
    _fields_ = [("size", c_size_t), ("steps", c_uint64), ("epochs", c_uint64), ("exact", c_int),
                ("retile", c_int), ("lanes", c_int), ("progress", PROGRESS),
                ("progress_self", c_void_p), ("stop", STOP), ("stop_self", c_void_p)]


class Value(ctypes.Structure):
    """struct cyclotron_value"""
    _fields_ = [("path", c_char_p), ("unit", c_char_p), ("kind", c_int), ("number", c_double),
                ("text", c_char_p)]


VISIT = CFUNCTYPE(None, c_void_p, POINTER(Value))
NUMBER, FLAG, STRING, NONE = range(4)
TEXT, JSON, CSV, HTML = range(4)


def find_library() -> str:
    """CYCLOTRON_LIBRARY, the library of this package, or that of the system."""
    given = os.environ.get("CYCLOTRON_LIBRARY")
    if given:
        return given
    own = sorted(pathlib.Path(__file__).parent.glob("libcyclotron.so*"))
    return str(own[0]) if own else "libcyclotron.so.0"


# name: (result, arguments); an allocated text is a void pointer, to be taken by take_text()
FUNCTIONS = {
    "version": (c_char_p, ()),
    "free": (None, (c_void_p,)),
    "machine_load": (c_void_p, (c_char_p, POINTER(c_char_p), c_size_t, POINTER(Error))),
    "machine_free": (None, (c_void_p,)),
    "machine_summary": (c_void_p, (c_void_p,)),
    "machine_text": (c_void_p, (c_void_p,)),
    "machine_names": (None, (NAME, c_void_p)),
    "program_load": (c_void_p, (c_char_p, c_int, POINTER(Error))),
    "program_parse": (c_void_p, (c_char_p, c_char_p, c_size_t, c_int, POINTER(Error))),
    "program_free": (None, (c_void_p,)),
    "program_machine": (c_char_p, (c_void_p,)),
    "replay": (c_void_p, (c_void_p, c_void_p, POINTER(Options), POINTER(Error))),
    "result_free": (None, (c_void_p,)),
    "result_visit": (None, (c_void_p, VISIT, c_void_p)),
    "result_report": (c_void_p, (c_void_p, c_int)),
    "plan_parse_until": (c_void_p, (c_char_p, c_char_p, STOP, c_void_p, POINTER(Error))),
    "plan_free": (None, (c_void_p,)),
    "plan_points": (c_size_t, (c_void_p,)),
    "plan_axes": (c_size_t, (c_void_p,)),
    "plan_axis": (c_char_p, (c_void_p, c_size_t)),
    "plan_value": (c_char_p, (c_void_p, c_size_t, c_size_t)),
    "plan_run": (c_void_p, (c_void_p, c_size_t, POINTER(Error))),
    "point_free": (None, (c_void_p,)),
    "point_visit": (None, (c_void_p, VISIT, c_void_p)),
}


class Handle:
    """An object of the library, freed with the last reference to it.  Copies of what holds one share it, as such
    objects do not change; TypeError where one is pickled, as another process does not have its memory."""

    def __init__(self, pointer: int, free):
        self._as_parameter_ = pointer
        self.free = free

    def __del__(self):
        self.free(self._as_parameter_)

    def __copy__(self) -> Handle:
        return self

    def __deepcopy__(self, _seen) -> Handle:
        return self

    def __reduce_ex__(self, _protocol):
        raise TypeError("an object of the library is of this process alone: pickle a file's name or Result.dict")


def encode(text: str | os.PathLike) -> bytes:
    """A text as the library takes it.  ValueError for one with a NUL, where it would end."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError(f"{text!r}: a NUL character")
    return data


def aside(work, stop=None):
    """What work() returns or raises, from a thread of its own where an interrupt does not reach the functions
    that the library calls back.  An interrupt is raised here when work has ended, sooner if `stop`, a
    threading.Event, makes it end."""
    if threading.get_ident() != threading.main_thread().ident:
        return work()
    outcome: list = []
    ended = _thread.allocate_lock()
    ended.acquire()

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as e:
            outcome.append((None, e))
        ended.release()

    interrupt = None
    # a threading.Thread has weak references, whose callbacks swallow an interrupt
    _thread.start_new_thread(run, ())
    while not outcome:
        try:
            ended.acquire(timeout=0.1)
        except BaseException as e:
            interrupt = e
            if stop is not None:
                stop.set()
    if interrupt is not None:
        raise interrupt
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


class Library:
    """The functions of cyclotron.h without their prefix: ``library.replay(...)``.

    Raises ImportError where the library cannot be loaded."""

    def __init__(self, path: str):
        try:
            loaded = ctypes.CDLL(path)
        except OSError as e:
            raise ImportError(f"cyclotron: {e}; CYCLOTRON_LIBRARY may name the library") from None
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(loaded, f"cyclotron_{name}")
            except AttributeError:
                raise ImportError(f"cyclotron: {path} has no cyclotron_{name}: it is another version than "
                                  "this package") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def take_text(self, pointer: int | None) -> str:
        """A text that the library has allocated, as a str; its memory is given back.  CyclotronError if
        there is none."""
        if not pointer:
            raise CyclotronError("range", "the library has no such text")
        try:
            return ctypes.string_at(pointer).decode(errors="replace")
        finally:
            self.free(pointer)

    def values(self, visit, pointer: int) -> dict[str, tuple[object, str]]:
        """What `visit` shows of an object: {path: (value, unit)}; None is unknown."""
        found: dict[str, tuple[object, str]] = {}

        def take(_self, value):
            v = value.contents
            shown = {NUMBER: lambda: v.number, FLAG: lambda: bool(v.number),
                     STRING: lambda: v.text.decode(errors="replace"), NONE: lambda: None}[v.kind]()
            found[v.path.decode()] = shown, v.unit.decode()

        aside(lambda: visit(pointer, VISIT(take), None))
        return found


library = Library(find_library())


def version() -> str:
    """The version of the C library.  Warns where the package that is installed is of another one."""
    own = library.version().decode()
    try:
        package = importlib.metadata.version("cyclotron")
    except importlib.metadata.PackageNotFoundError:
        return own
    if package != own:
        warnings.warn(f"cyclotron: the library {find_library()} is version {own}, the package {package}",
                      stacklevel=3)
    return own
