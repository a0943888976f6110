"""Do the example notebooks run, and show the figures of the report?"""
import importlib.util

import nbclient
import nbformat
import pytest


def run(notebook):
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": "."}}).execute()
    return [c for c in notebook.cells if c.cell_type == "code"]


def test_notebook(reference):
    code = run(nbformat.read("docs/examples/notebook.ipynb", as_version=4))
    lines = sum(len([x for x in c.source.splitlines() if x.strip()]) for c in code)
    assert lines <= 10
    said = "".join(o.text for o in code[0].outputs if o.get("name") == "stdout")
    assert said == (f"{reference['seconds_per_step']:.3f} s a step, "
                    f"{reference['usd_per_epoch']['on_demand']:.4f} USD an epoch, fits: True\n")
    assert "<iframe" in code[0].outputs[-1].data["text/html"]
    phases = code[1].outputs[-1].data["text/plain"]
    assert all(p["name"] in phases for p in reference["phases"])
    assert "0.050019" in code[2].outputs[-1].data["text/plain"]  # utilization of 2 MXUs


def row(cell, name):
    """Values of a row of the table that a cell shows."""
    lines = cell.outputs[-1].data["text/plain"].splitlines()
    return next(line.split()[-2:] for line in lines if line.startswith(name))


def test_gpu_and_tpu(command):
    notebook = nbformat.read("docs/examples/gpu_and_tpu.ipynb", as_version=4)
    compilers = all(importlib.util.find_spec(m) for m in ("jax", "libtpu", "jax_cuda12_plugin"))
    if not compilers:
        del notebook.cells[2:]
    code = run(notebook)
    for machine, ms in zip(("h100x1", "tpu-v6e-1"), row(code[0], "ms")):
        said = command("replay", "docs/examples/step.json.gz", "-m", machine, "--no-trials")
        assert float(ms) == pytest.approx(float(said.split()[2]), rel=1e-3)
    if compilers:
        # three products of 4096 x 1024 x 1024 in each of 8 layers but the first, which has two
        flops = 2 * 4096 * 1024 * 1024 * 23
        gpu, tpu = (float(ms) / 1e3 for ms in row(code[1], "ms"))
        assert 1.2 < gpu / (flops / 989e12) < 4 and 1.2 < tpu / (flops / 918e12) < 4
