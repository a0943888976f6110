"""What the command says is the reference: tests compare the package with it."""
import json
import locale
import os
import subprocess

import pytest

if "TEST_LOCALE" in os.environ:  # a decimal comma, in which I is no capital of i: tests/locale
    os.environ["LOCPATH"] = os.environ["TEST_LOCALE"]
    locale.setlocale(locale.LC_ALL, "comma.iso88599")
    assert locale.localeconv()["decimal_point"] == ","
    del os.environ["LOCPATH"]

CYCLOTRON = os.environ.get("CYCLOTRON", "build/cyclotron")
GAN = "traces/3dgan.trace.zst"


@pytest.fixture(scope="session")
def command():
    def run(*words):
        done = subprocess.run([CYCLOTRON, *words], capture_output=True, text=True, check=True)
        return done.stdout
    return run


@pytest.fixture(scope="session")
def reference(command):
    return json.loads(command("replay", GAN, "-m", "tpu-v3-8", "--format", "json"))
