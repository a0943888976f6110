"""Does a JAX function compile for GPUs that are not there, as scripts/compile does it?"""
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("jax_plugins.xla_cuda12")
import cyclotron  # noqa: E402
import jax.numpy as jnp  # noqa: E402

WEIGHT = jax.ShapeDtypeStruct((512, 512), jnp.bfloat16)
BATCH = jax.ShapeDtypeStruct((4096, 512), jnp.bfloat16)


def step(w, x):
    return w - 0.01 * jax.grad(lambda w: jnp.mean(jnp.square(x @ w)))(w)


def test_one_gpu():
    jnp.zeros(3).block_until_ready()  # JAX looks for devices, and puts the compiler for GPUs aside
    r = cyclotron.predict(step, WEIGHT, BATCH, machine="h100x1", samples=4096, epoch=40960)
    assert r["machine"] == "h100x1" and r["steps_per_epoch"] == 10
    # 2 products of 4096 x 512 x 512 on 989 TFLOP/s at most
    assert r.seconds_per_step > 2 * 2 * 4096 * 512 * 512 / 989e12
    assert r.fits and r.usd_per_epoch > 0


def test_boxes_divide_the_batch():
    r = cyclotron.predict(step, WEIGHT, BATCH, machine="a100x4", batch_argnums=1)
    assert r["machine"] == "a100x4" and r["slice.cores"] == 4
    kinds = r.to_pandas()["kind"]
    assert kinds.str.contains("all-reduce-start").sum() == 1
    assert cyclotron.mesh("a100x16").devices.shape == (16,)  # two nodes


def test_machines_of_a_file(tmp_path):
    mine = tmp_path / "mine.ini"
    mine.write_text("[machine]\nbase = h100x1\n[sm]\ncount = 66 [mine]\n")
    few, all_ = (cyclotron.predict(step, WEIGHT, BATCH, machine=m) for m in (str(mine), "h100"))
    assert few["machine"] == str(mine)
    assert few.seconds_per_step > all_.seconds_per_step


def test_the_program_is_a_file_of_the_command(tmp_path, command):
    p = cyclotron.compile_step(step, WEIGHT, BATCH, machine="v100")
    assert p.machine == "v100x1" and b"jax-cuda1" in p.data
    p.save(tmp_path / "step.hlo")
    text = command("replay", str(tmp_path / "step.hlo"), "--no-trials")
    assert text.splitlines()[1:8] == str(cyclotron.replay(p)).splitlines()[1:8]


def test_says_what_is_wrong():
    with pytest.raises(ValueError, match="did you mean 'h100x1'"):
        cyclotron.predict(step, WEIGHT, BATCH, machine="h10x1")
    with pytest.raises(ValueError, match="the nearest are h100x2 and h100x4"):
        cyclotron.predict(step, WEIGHT, BATCH, machine="h100x3")
    with pytest.raises(ValueError, match="xeon-6148: a CPU"):
        cyclotron.predict(step, WEIGHT, BATCH, machine="xeon-6148")
