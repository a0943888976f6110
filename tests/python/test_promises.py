"""Does the package keep its word in any process: interrupts, full disks, long plans, workers that do not begin,
other libraries?"""
import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import cyclotron
import pytest
from cyclotron.plan import Plan

GAN = "traces/3dgan.trace.zst"
TINY = "traces/tiny/tiny.trace"


def test_figures_have_a_point_in_any_locale():
    r = cyclotron.replay(TINY, "tpu-v3-8")
    assert r.seconds_per_step == pytest.approx(0.001707, abs=5e-7)
    table = cyclotron.sweep(TINY, "tpu-v3-8", {"hbm.efficiency": "0.5,0.625,0.75"},
                            where="hbm.efficiency >= 0.6", workers=1)
    assert list(table["hbm.efficiency"]) == [0.625, 0.75]


def test_a_plan_may_be_longer_than_the_words_of_a_command():
    where = ["mxu.count * mxu.size <= 512"] * 6000
    assert sum(map(len, where)) > 131072
    table = cyclotron.sweep(TINY, "tpu-v3-8", {"mxu.count": [1, 2]}, where=where, workers=1)
    assert len(table) == 2 and table["error"].isna().all() and table["seconds_per_step"].notna().all()


@pytest.mark.parametrize("call", [
    lambda: cyclotron.Machine("tpu-v3-8\0"),
    lambda: cyclotron.Machine("tpu-v3-8", set=["mxu.count=4\0"]),
    lambda: cyclotron.Program(TINY + "\0"),
    lambda: cyclotron.Program(b"x", name="a\0b"),
    lambda: cyclotron.sweep(TINY, "tpu-v3-8", {"mxu.count": ["1\0"]}),
])
def test_a_nul_is_refused(call):
    with pytest.raises(ValueError, match="NUL"):
        call()


def test_steps_beyond_64_bits_are_refused():
    with pytest.raises(cyclotron.CyclotronError, match="steps = 18446744073709551617"):
        cyclotron.replay(TINY, "tpu-v3-8", steps=2**64 + 1)
    with pytest.raises(cyclotron.CyclotronError, match="epochs = -1"):
        cyclotron.replay(TINY, "tpu-v3-8", epochs=-1)


def test_a_worker_that_does_not_begin_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="a worker did not begin: the worker died: status 1"):
        cyclotron.sweep(TINY, "tpu-v3-8", {"mxu.count": [1, 2]}, workers=2)


def test_a_full_disk_leaves_the_old_file(tmp_path):
    old = tmp_path / "run.json"
    old.write_text("old")
    script = ("import cyclotron, resource, signal\n"
              "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
              f"r = cyclotron.replay({TINY!r}, 'tpu-v3-8')\n"
              "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
              f"try:\n  r.save({str(old)!r})\nexcept OSError:\n  print('refused')\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"
    assert old.read_text() == "old" and os.listdir(tmp_path) == ["run.json"]
    cyclotron.replay(TINY, "tpu-v3-8").save(old)
    assert old.read_text().startswith("{")


def test_an_interrupt_leaves_no_short_result(monkeypatch):
    swallowed = []  # in a callback of Python's own, which cannot raise it
    monkeypatch.setattr(sys, "unraisablehook", swallowed.append)
    r = cyclotron.replay(TINY, "tpu-v3-8")
    whole = len(r.paths())
    raised = 0
    try:
        for n in range(200):
            r.__dict__.pop("_values", None)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + n * 0.00001)
                found = len(r.paths())
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert found == whole
            except KeyboardInterrupt:
                raised += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert raised > 0
    assert not swallowed


@pytest.fixture(autouse=True)
def alarms_interrupt():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGALRM, before)


def test_an_interrupt_ends_the_making_of_points():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    axes = {"mxu.issue": "0.3:0.9:0.0006", "hbm.efficiency": "0.3:0.9:0.0006", "core.hand_wait": "0:1000:1"}
    with pytest.raises(KeyboardInterrupt):
        cyclotron.sweep(TINY, "tpu-v3-8", axes, where="mxu.count > 1000")  # 10^9 combinations
    assert time.monotonic() - begun < 5
    timer.join()


def test_another_library_is_told_of():
    done = subprocess.run([sys.executable, "-c", "import cyclotron"], capture_output=True, text=True,
                          env=dict(os.environ, CYCLOTRON_LIBRARY="libm.so.6"))
    assert "ImportError: cyclotron: libm.so.6 has no cyclotron_version: it is another version" in done.stderr


def test_copies_share_what_the_library_made():
    """A copy that frees what the other one uses takes the process along."""
    machine, program = cyclotron.Machine("tpu-v3-8"), cyclotron.Program(TINY)
    result = cyclotron.replay(program, machine)
    for made in (machine, program, result):
        for copied in (copy.copy(made), copy.deepcopy(made)):
            assert repr(copied) == repr(made)
            del copied
            gc.collect()
        with pytest.raises(TypeError, match="of this process alone"):
            pickle.dumps(made)
    assert cyclotron.replay(program, machine).seconds_per_step == result.seconds_per_step


def test_numbers_that_the_library_would_see_cut_are_refused():
    plan = Plan(f"[sweep]\ntrace = {TINY}\nmachine = tpu-v3-8\n[axis]\nmxu.count = 1,2\n")
    for point in (2, -1, 2**64):
        with pytest.raises(IndexError):
            plan.values(point)
        with pytest.raises(IndexError):
            plan.run(point)
    with pytest.raises(TypeError):
        cyclotron.Result(4096)
    assert plan.values(1) == {"mxu.count": "2"}
