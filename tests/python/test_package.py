"""Does the package give the figures of the command, and its errors as exceptions?"""
import os
import signal
import subprocess
import sys
import threading

import cyclotron
import pytest

GAN = "traces/3dgan.trace.zst"


@pytest.fixture(scope="module")
def gan():
    return cyclotron.replay(GAN, "tpu-v3-8")


def test_is_the_installed_one():
    assert "site-packages" in cyclotron.__file__


def test_replay_is_what_the_command_prints(gan, command, reference):
    assert gan.dict == reference
    assert str(gan) == command("replay", GAN, "-m", "tpu-v3-8", "--no-trials")
    assert gan.csv() == command("replay", GAN, "-m", "tpu-v3-8", "--format", "csv")


@pytest.mark.parametrize("made", [cyclotron.Machine, cyclotron.Program])
def test_what_is_refused_can_be_looked_at(made):
    half = object.__new__(made)
    with pytest.raises(cyclotron.CyclotronError):
        half.__init__("nothing")
    with pytest.raises(AttributeError):
        repr(half)  # as a debugger does


def test_a_recording_of_pytorch_runs_elsewhere():
    step = "docs/examples/step.json.gz"
    h100, h200 = (cyclotron.replay(step, machine) for machine in ("h100x1", "h200x1"))
    assert 4.8376e-3 * 0.85 < h100.dict["seconds_per_step"] < 4.8376e-3 * 1.15  # as measured
    assert h200.dict["seconds_per_step"] < h100.dict["seconds_per_step"]


def test_figures(gan):
    assert gan.cycles_per_step == 3125060080  # as the report of README.md shows
    assert round(gan.seconds_per_step, 3) == 3.325
    assert gan.samples_per_second == gan["samples_per_second"]
    assert gan.fits is True
    assert gan.bound_by == "mxu"
    assert gan.expected_error == 0.035  # of the 4 measured steps of 3DGAN on TPUs
    assert gan.known == 1
    assert sum(gan.dict["account"]["seconds"].values()) == pytest.approx(gan.seconds_per_step)
    assert round(gan.usd_per_epoch, 4) == 0.9011
    assert gan["utilization.mxu"] == gan.dict["utilization"]["mxu"]
    assert gan.unit("seconds_per_step") == "s"
    with pytest.raises(KeyError, match="did you mean 'utilization.mxu'"):
        gan["utilization.mxus"]


def test_tables(gan):
    ops = gan.to_pandas()
    assert len(ops) == len(gan.dict["ops"])
    # rows are counted as often as they run
    assert (ops["seconds"]).sum() == pytest.approx(3.325, abs=0.01)
    assert list(gan.to_pandas("phases")["name"]) == [p["name"] for p in gan.dict["phases"]]
    assert "time_by_cause.mxu" in ops
    with pytest.raises(ValueError, match="expected one of operations"):
        gan.to_pandas("kernels")


def test_html_is_a_page_with_lanes(gan, tmp_path):
    assert "bin_seconds" in gan.html()
    assert gan._repr_html_().startswith("<iframe")
    gan.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == gan.html()
    with pytest.raises(ValueError, match=".pdf"):
        gan.save(tmp_path / "run.pdf")


def test_compare(gan):
    more = cyclotron.replay(GAN, "tpu-v3-8", set={"mxu.count": 4})
    table = gan.compare(more)
    row = table.loc["seconds_per_step"]
    assert row["this"] == gan.seconds_per_step and row["other"] == more.seconds_per_step
    assert row["ratio"] == more.seconds_per_step / gan.seconds_per_step < 1
    assert "slice.cores" not in table.index  # equal
    assert gan.compare(gan).empty


def test_machines():
    assert {"tpu-v3-8", "tpu-v4-8", "xeon-6148"} <= set(cyclotron.machines())
    m = cyclotron.Machine("tpu-v3-8", set={"mxu.count": 4})
    assert "4 chips" in m.summary and "4 chips" in repr(m)
    assert "count = 4" in m.text
    assert cyclotron.replay(GAN, m)["slice.mxus_per_core"] == 4
    with pytest.raises(ValueError, match="set= is of a machine by its name"):
        cyclotron.replay(GAN, m, set={"mxu.count": 2})


@pytest.mark.parametrize("call, code, message", [
    (lambda: cyclotron.Machine("tpu-v3-9"), "unknown", "tpu-v3-8"),
    (lambda: cyclotron.Machine("tpu-v3-8", set={"mxu.count": 0}), "range", "mxu.count"),
    (lambda: cyclotron.Program("/nowhere.trace"), "io", "nowhere"),
    (lambda: cyclotron.Program(b"nonsense", name="mine"), "format", "mine"),
    (lambda: cyclotron.replay(GAN, "tpu-v3-8", steps=0), "range", "steps = 0"),
    (lambda: cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.cuont": [1]}), "unknown", "mxu.count"),
])
def test_errors_are_exceptions(call, code, message):
    with pytest.raises(cyclotron.CyclotronError, match=message) as e:
        call()
    assert e.value.code == code


def test_an_error_of_a_later_library_has_a_code_too():
    from cyclotron._library import Error
    assert Error(1, b"it refused").exception().code == "io"
    later = Error(8, b"a.ini:1: no reason of ours").exception()
    assert (later.code, str(later)) == ("other", "a.ini:1: no reason of ours")


def test_bytes_are_a_program(command, gan):
    text = command("trace", "gen", "3dgan").encode()
    r = cyclotron.replay(cyclotron.Program(text, name="mine"), "tpu-v3-8")
    assert r.cycles_per_step == gan.cycles_per_step
    with pytest.raises(ValueError, match="for no machine"):
        cyclotron.replay(GAN)


def test_a_compiled_program_knows_its_machine():
    p = cyclotron.Program("traces/programs/gan3d.tpu-v3-8.hlo.zst")
    assert p.machine == "tpu-v3-8"
    assert round(cyclotron.replay(p).seconds_per_step, 3) == 3.407


def test_sweep(gan):
    table = cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.count": [1, 2, 4], "price.on_demand": ["8 USD/h"]},
                            workers=2)
    assert list(table["mxu.count"]) == [1, 2, 4]
    assert table["error"].isna().all()
    assert table["seconds_per_step"].is_monotonic_decreasing
    assert table["seconds_per_step"][1] == gan.seconds_per_step
    one = cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.count": [1, 2, 4], "price.on_demand": ["8 USD/h"]},
                          workers=1)
    assert one.equals(table)


def test_a_sweep_takes_several_machines_and_programs(gan):
    files = [GAN, "traces/tiny/tiny.trace"]
    table = cyclotron.sweep(files, ["tpu-v2-8", "tpu-v3-8"], {"mxu.count": [1, 2]}, workers=2)
    assert len(table) == 8 and table["error"].isna().all()
    at = (table["trace"] == GAN) & (table["machine"] == "tpu-v3-8") & (table["mxu.count"] == 2)
    assert table["seconds_per_step"][at].tolist() == [gan.seconds_per_step]


@pytest.mark.parametrize("name", ["#mxu.count", "[axis]", " ", "mxu.count=1,", 7])
def test_what_is_no_name_of_a_parameter_is_refused(name):
    with pytest.raises(ValueError, match="not the name of a parameter"):
        cyclotron.sweep(GAN, "tpu-v3-8", {name: [1]})


@pytest.mark.parametrize("workers,error", [(-1, ValueError), (0, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_workers_are_a_count(workers, error):
    with pytest.raises(error):
        cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.count": [1]}, workers=workers)


def test_points_that_cannot_run_say_why():
    table = cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.count": [2, 0]}, workers=2)
    assert table["error"].isna().tolist() == [True, False]
    assert "mxu.count" in table["error"][1]


def test_progress_is_a_bar(capfd):
    cyclotron.sweep(GAN, "tpu-v3-8", {"mxu.count": [1, 2]}, workers=1, progress=True)
    cyclotron.replay("traces/exatrkx.trace.zst", "tpu-v3-8", progress=True)
    assert capfd.readouterr().out == ""


def test_an_interrupt_stops_the_replay():
    def alive():
        return [t.name for t in threading.enumerate() if t.is_alive()]

    before = alive()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cyclotron.replay(GAN, "tpu-v3-8", steps=100000, progress=False)  # an hour of it
    timer.join()
    assert alive() == before  # nothing goes on in the background


def test_objects_are_given_back():
    script = ("import cyclotron, resource\n"
              "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
              f"def work(n):\n  for _ in range(n): cyclotron.replay({GAN!r}, 'tpu-v3-8').text()\n"
              "work(4); a = peak(); work(12); print(peak() - a)\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env=dict(os.environ, MALLOC_ARENA_MAX="1"))
    assert int(done.stdout) < 20000  # KiB; a result kept is some 2 MiB, its lanes more
