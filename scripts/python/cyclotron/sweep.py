"""Sweeps: one step on many machines, as a table."""
from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from operator import index

from ._library import find_library
from .machine import Machine, settings_list
from .program import Program
from .simulate import bar_of


def plan_text(traces: list[str], machines: list[str], axes: Mapping, words: list[str], where, steps,
              allow_unknown: bool) -> str:
    """A plan as `cyclotron sweep` reads it from a file.  ValueError for words that a line of one cannot hold."""
    lines = ["[sweep]"] + [f"trace = {t}" for t in traces] + [f"machine = {m}" for m in machines]
    lines += [f"set = {w}" for w in words] + [f"where = {w}" for w in where]
    lines += [f"steps = {steps}"] + (["allow-unknown = yes"] if allow_unknown else []) + ["[axis]"]
    for name, values in axes.items():
        values = [values] if isinstance(values, (str, int, float)) else values
        lines.append(f"{name} = " + ",".join(str(v) for v in values))
    for line in lines:
        if "\n" in line or "\0" in line:
            raise ValueError(f"{line!r}: a line end or a NUL character")
    for name in traces + machines:
        if name != name.strip():
            raise ValueError(f"{name!r}: a name that begins or ends with a blank")
    for name in axes:
        if not isinstance(name, str) or not name.strip() or name.strip()[0] in "#;[" or "=" in name:
            raise ValueError(f"{name!r}: not the name of a parameter")
    return "\n".join(lines) + "\n"


class Worker:
    """A process of its own that runs points: a crash or a kill costs one point.  RuntimeError where it does not
    begin, or makes other points of the plan."""

    def __init__(self, plan: str, points: int):
        env = dict(os.environ, CYCLOTRON_LIBRARY=find_library())
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        env["PYTHONPATH"] = os.pathsep.join(p for p in (package, env.get("PYTHONPATH")) if p)
        self.process = subprocess.Popen([sys.executable, "-m", "cyclotron.worker"], text=True,
                                        encoding="utf-8", stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=env)
        # a plan is longer than the words of a command may be
        answer = self.ask(json.dumps(plan))
        if answer.get("points") != points:
            self.close()
            raise RuntimeError("a worker did not begin: " + answer.get(
                "error", f"it has {answer.get('points')} points of {points}"))

    def ask(self, line: str) -> dict:
        """What it answers to a line, or {"error": line}, with "died" if the process is gone."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        try:
            return json.loads(answer)
        except ValueError:
            self.process.kill()  # nothing, or something else that it has printed
            return {"error": f"the worker died: status {self.process.wait()}", "died": True}

    def run(self, i: int) -> dict:
        """The figures of point i, or {"error": line}, with "died" if the process is gone."""
        return self.ask(str(i))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # what it did not take any more
        self.process.wait()


def run_points(plan: str, points: int, workers: int, told) -> list[dict]:
    """The outcomes of all points, in their order, whichever worker ran which.  Raises what kept a worker from
    beginning."""
    todo: queue.SimpleQueue = queue.SimpleQueue()
    outcome: list[dict] = [{} for _ in range(points)]
    stop, failed = threading.Event(), []
    for i in range(points):
        todo.put(i)

    def serve():
        worker = None
        try:
            while not stop.is_set():
                try:
                    i = todo.get_nowait()
                except queue.Empty:
                    break
                worker = worker or Worker(plan, points)
                outcome[i] = worker.run(i)
                if outcome[i].pop("died", False):
                    worker.close()
                    worker = None
                told()
        except Exception as e:
            failed.append(e)
            stop.set()
        finally:
            if worker:
                worker.close()

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(workers, points))]
    for t in threads:
        t.start()
    try:
        while any(t.is_alive() for t in threads):
            for t in threads:
                t.join(0.1)
    finally:
        stop.set()
    if failed:
        raise failed[0]
    return outcome


def sweep(program: str | os.PathLike | Program | Iterable, machine: str | Iterable[str],
          axes: Mapping[str, object], *, set: Mapping[str, object] | Iterable[str] = (),
          where: str | Iterable[str] = (), steps: int = 1, workers: int | None = None,
          progress: bool | None = None):
    """Replay a step for every combination of the values of axes.  Returns a pandas DataFrame.

    program   a file or a Program, or several files
    machine   a name or a machine file, or several
    axes      {"mxu.count": [1, 2, 4], "hbm.bandwidth": "600 GB/s,900 GB/s"}: lists, or texts as
              ``cyclotron sweep --axis`` takes them
    set       parameters of all machines: {"mxu.issue": 0.9}
    where     conditions that points must meet: "mxu.count * mxu.size <= 512"
    steps     to measure at each point, after those that warm up
    workers   processes; as many as CPUs otherwise
    progress  a progress bar; None: where somebody looks

    A row is a point: the values of the axes, then its figures by path, in the units of a Result.  Points
    that cannot run have a text in the column ``error``.  Raises CyclotronError for a plan that is wrong
    as a whole, ValueError or TypeError for arguments that make no plan, RuntimeError or OSError where no worker
    begins.
    """
    import pandas
    if not isinstance(axes, Mapping):
        raise TypeError(f"axes={axes!r}: expected a dict, as {{'mxu.count': [1, 2]}}")
    if workers is not None and index(workers) < 1:
        raise ValueError(f"workers={workers}: expected 1 or more")
    programs = [program] if isinstance(program, (str, os.PathLike, Program)) else list(program)
    machines = [machine] if isinstance(machine, (str, os.PathLike)) else list(machine)
    if any(isinstance(m, Machine) for m in machines):
        raise TypeError("machine: expected names or machine files; set= changes parameters")
    where = [where] if isinstance(where, str) else list(where)
    allow = any(isinstance(p, Program) and p.allow_unknown for p in programs)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for n, p in enumerate(programs):
            if isinstance(p, Program) and p.data is not None:
                path = os.path.join(folder, f"{n}.hlo")
                p.save(path)
                paths.append(path)
            else:
                paths.append(p.name if isinstance(p, Program) else os.fspath(p))
        text = plan_text(paths, [os.fspath(m) for m in machines], axes, settings_list(set), where,
                         steps, allow)
        from .plan import Plan
        plan = Plan(text)
        bar = bar_of(progress, "sweep")
        if bar is not None:
            bar.reset(total=len(plan))
            bar.unit = "points"
        try:
            outcome = run_points(text, len(plan), workers or os.cpu_count() or 1,
                                 bar.update if bar is not None else lambda: None)
        finally:
            if bar is not None:
                bar.close()
        rows = [{**plan.values(i), **outcome[i]} for i in range(len(plan))]
    table = pandas.DataFrame(rows)
    for name in plan.axes():
        try:
            table[name] = pandas.to_numeric(table[name])
        except (ValueError, TypeError):
            pass  # values with units stay texts
    if "error" not in table:
        table["error"] = None
    return table[[c for c in table if c != "error"] + ["error"]]
