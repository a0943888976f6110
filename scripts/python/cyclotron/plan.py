"""The points of a sweep."""
from __future__ import annotations

import ctypes
import threading
from operator import index

from ._library import STOP, Error, Handle, aside, encode, library


class Plan:
    """A plan file's text with its points.  One thread uses it at a time.  CyclotronError names the line."""

    def __init__(self, text: str):
        error, interrupted, data = Error(), threading.Event(), encode(text)
        stop = STOP(lambda _self: interrupted.is_set())

        made: list[Handle] = []

        def make():
            pointer = library.plan_parse_until(b"plan", data, stop, None, ctypes.byref(error))
            if pointer:
                made.append(Handle(pointer, library.plan_free))

        aside(make, interrupted)
        if not made:
            raise error.exception()
        self._pointer = made[0]

    def __len__(self) -> int:
        """The number of points."""
        return library.plan_points(self._pointer)

    def axes(self) -> list[str]:
        """Names of the axes: "mxu.count"."""
        return [library.plan_axis(self._pointer, a).decode()
                for a in range(library.plan_axes(self._pointer))]

    def _check(self, point: int) -> None:
        if not 0 <= index(point) < len(self):  # the library would see another number
            raise IndexError(f"point {point} of {len(self)}")

    def values(self, point: int) -> dict[str, str]:
        """{axis: value} of a point, as texts.  IndexError if the plan has no such point."""
        self._check(point)
        return {name: library.plan_value(self._pointer, point, a).decode()
                for a, name in enumerate(self.axes())}

    def run(self, point: int) -> dict[str, float]:
        """Run a point; its figures by path, in the units of a Result.  Raises CyclotronError, IndexError."""
        self._check(point)
        error = Error()
        made = library.plan_run(self._pointer, point, ctypes.byref(error))
        if not made:
            raise error.exception()
        try:
            return {path: value for path, (value, _) in
                    library.values(library.point_visit, made).items()}
        finally:
            library.point_free(made)
