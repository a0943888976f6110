"""What the command says is the reference: tests compare the package with it."""
import json
import os
import subprocess

import pytest

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
