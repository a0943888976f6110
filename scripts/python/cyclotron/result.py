"""What a replay found out."""
from __future__ import annotations

import functools
import html
import json
import os

from ._files import write_whole
from ._library import CSV, HTML, JSON, TEXT, Handle, library

ROWS = ("operations", "phases", "layers", "scopes", "sources", "links")


class Result:
    """Figures of a replay: by path, as a dict, a table, a report or a page.

    ``r["utilization.mxu"]`` is a figure by its path in ``r.dict``; ``print(r)`` is the report of
    ``cyclotron replay``; a notebook shows the HTML report.  A result does not need its program and its
    machine any more.
    """

    def __init__(self, made: Handle):
        if not isinstance(made, Handle):
            raise TypeError(f"{made!r}: a Result is what replay() gives back")
        self._pointer = made

    @functools.cached_property
    def _values(self) -> dict:
        return library.values(library.result_visit, self._pointer)

    @functools.cached_property
    def dict(self) -> dict:
        """All of the result, as ``cyclotron replay --format json`` prints it."""
        return json.loads(self.json())

    def __getitem__(self, path: str):
        """The figure at a path outside lists, in the unit that ``unit(path)`` names; None if this result does
        not know it.  KeyError with the nearest path if there is no such figure."""
        try:
            return self._values[path][0]
        except KeyError:
            import difflib
            near = difflib.get_close_matches(path, self._values, 1, 0.5)
            raise KeyError(f"no figure {path!r}" +
                           (f"; did you mean {near[0]!r}?" if near else "")) from None

    def unit(self, path: str) -> str:
        """The unit of a figure: "s", "B", "USD"; empty for a count or a text.  KeyError as for r[path]."""
        self[path]
        return self._values[path][1]

    def paths(self) -> list[str]:
        """The paths of all figures outside lists."""
        return list(self._values)

    @property
    def seconds_per_step(self) -> float:
        """Time of a step, s, on average over the measured ones."""
        return self["seconds_per_step"]

    @property
    def cycles_per_step(self) -> int:
        """Time of a step in cycles of the core clock."""
        return int(self["cycles_per_step"])

    @property
    def samples_per_second(self) -> float | None:
        """Samples of all devices a second; None where the program does not say how many a step has."""
        return self["samples_per_second"] if "samples_per_second" in self._values else None

    @property
    def fits(self) -> bool:
        """Does a step fit the memory of a core?"""
        return self["memory.fits"]

    @property
    def bound_by(self) -> str:
        """What a core waits for most: mxu, hbm, ici, host ..."""
        return self["bound_by"]

    @property
    def known(self) -> float:
        """The share of a step whose work is known: 1 where all could be read and no data decide it; where
        ``r["account.known_or_more"]`` is true the least, as some operations may take any time.  What it
        rests on, by class, reason and operation, is in ``r.dict["account"]``."""
        return self["account.known"]

    @property
    def expected_error(self) -> float | None:
        """The error to expect of its times, a factor less 1, either way: 0.26 for 26 %; None where nothing like it
        was measured.  ``r["evidence.expected.rests_on"]`` says what was."""
        return self["evidence.expected.error"]

    @property
    def usd_per_epoch(self) -> float | None:
        """Price of an epoch on demand, USD; None where the machine has no price or the program no epoch."""
        return self["usd_per_epoch.on_demand"] if "usd_per_epoch.on_demand" in self._values else None

    def to_pandas(self, rows: str = "operations"):
        """A DataFrame of ``operations`` (kernels of a compiled program), ``phases``, ``layers``,
        ``scopes``, ``sources`` or ``links``.  Groups of figures become columns with a point:
        ``time_by_cause.mxu``.  Seconds are of one step, on average over the cores.  ValueError for other
        rows.  Needs pandas.
        """
        import pandas
        if rows not in ROWS:
            raise ValueError(f"rows={rows!r}: expected one of {', '.join(ROWS)}")
        return pandas.json_normalize(self.dict.get("ops" if rows == "operations" else rows, []))

    def compare(self, other: Result):
        """A DataFrame of the numbers that both have: this, other, their ratio, unit; where the
        numbers differ."""
        import pandas
        table = []
        for path, (mine, unit) in self._values.items():
            theirs = other._values.get(path, (None, ""))[0]
            if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)) and mine != theirs:
                table.append((path, mine, theirs, theirs / mine if mine else float("nan"), unit))
        names = ["figure", "this", "other", "ratio", "unit"]
        return pandas.DataFrame(table, columns=names).set_index("figure")

    def text(self) -> str:
        """The report, 100 columns wide."""
        return library.take_text(library.result_report(self._pointer, TEXT))

    def json(self) -> str:
        """All of the result, as ``cyclotron replay --format json`` prints it."""
        return library.take_text(library.result_report(self._pointer, JSON))

    def csv(self) -> str:
        """The operations, one a line."""
        return library.take_text(library.result_report(self._pointer, CSV))

    def html(self) -> str:
        """A page that needs no network; what units do over time unless ``lanes=False``."""
        return library.take_text(library.result_report(self._pointer, HTML))

    def save(self, path: str | os.PathLike) -> None:
        """Write a report by the ending of the file: .txt .json .csv .html.  ValueError for another ending.
        A file that is there stays until the new one is whole."""
        writers = {".txt": self.text, ".json": self.json, ".csv": self.csv, ".html": self.html}
        ending = os.path.splitext(path)[1]
        if ending not in writers:
            raise ValueError(f"{path}: expected an ending of {' '.join(writers)}")
        write_whole(path, writers[ending]().encode())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Result {self.text().splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return ('<iframe style="width:100%;height:640px;border:0" title="report" '
                f'srcdoc="{html.escape(self.html())}"></iframe>')
