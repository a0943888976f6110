"""Does the example notebook run, and show the figures of the report?"""
import nbclient
import nbformat


def test_notebook(reference):
    notebook = nbformat.read("docs/examples/notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": "."}}).execute()
    code = [c for c in notebook.cells if c.cell_type == "code"]
    lines = sum(len([x for x in c.source.splitlines() if x.strip()]) for c in code)
    assert lines <= 10
    said = "".join(o.text for o in code[0].outputs if o.get("name") == "stdout")
    assert said == (f"{reference['seconds_per_step']:.3f} s a step, "
                    f"{reference['usd_per_epoch']['on_demand']:.4f} USD an epoch, fits: True\n")
    assert "<iframe" in code[0].outputs[-1].data["text/html"]
    phases = code[1].outputs[-1].data["text/plain"]
    assert all(p["name"] in phases for p in reference["phases"])
    assert "0.050013" in code[2].outputs[-1].data["text/plain"]  # utilization of 2 MXUs
