"""Does a JAX function compile for a slice that is not there, as scripts/compile does it?"""
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("libtpu")
import cyclotron  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def step(w, x, y):
    def loss(w):
        return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)
    gradient = jax.grad(loss)(w)
    return jax.tree.map(lambda a, g: a - 0.01 * g, w, gradient)


WEIGHTS = [jnp.zeros((1024, 4096)), jnp.zeros((4096, 16))]
BATCH = jax.ShapeDtypeStruct((8192, 1024), jnp.float32), jax.ShapeDtypeStruct((8192, 16), jnp.float32)


def test_predict():
    r = cyclotron.predict(jax.jit(step, donate_argnums=0), WEIGHTS, *BATCH, machine="tpu-v4-8",
                          batch_argnums=(1, 2), samples=2048, epoch=81920)
    assert r["machine"] == "tpu-v4-8" and r["slice.cores"] == 4  # 4 chips, megacore
    assert r["samples_per_epoch" if "samples_per_epoch" in r.paths() else "steps_per_epoch"] in (10, 81920)
    assert r.fits and r.usd_per_epoch > 0
    kernels = r.to_pandas()
    assert len(kernels) > 3 and kernels["seconds"].sum() == pytest.approx(r.seconds_per_step, rel=0.05)
    # the gradients of 1024*4096 + 4096*16 weights are summed over the slice
    assert kernels["kind"].str.contains("all-reduce").any()


def test_functions_without_jit_and_slices_by_shape():
    r = cyclotron.predict(step, WEIGHTS, *BATCH, machine="v5e:1x1")
    assert r["machine"] == "tpu-v5e-1"


def test_the_program_is_a_file_of_the_command(tmp_path, command):
    p = cyclotron.compile_step(step, WEIGHTS, *BATCH, machine="tpu-v3-8", batch_argnums=(1, 2))
    p.save(tmp_path / "step.hlo")
    text = command("replay", str(tmp_path / "step.hlo"), "--no-trials")
    assert text.splitlines()[1:8] == str(cyclotron.replay(p)).splitlines()[1:8]


def test_says_what_is_wrong():
    with pytest.raises(ValueError, match="did you mean v4"):
        cyclotron.predict(step, WEIGHTS, *BATCH, machine="v9:2")
    with pytest.raises(ValueError, match="3 arguments"):
        cyclotron.predict(step, WEIGHTS, *BATCH, machine="tpu-v4-8", batch_argnums=3)
    odd = jax.ShapeDtypeStruct((8191, 1024), jnp.float32)
    with pytest.raises(ValueError, match="8191"):
        cyclotron.predict(step, WEIGHTS, odd, BATCH[1], machine="tpu-v4-8", batch_argnums=1)
