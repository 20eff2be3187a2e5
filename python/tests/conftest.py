"""What the tests share: the program, to compare with."""

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
PROGRAM = TOP / "build" / "carom"


@pytest.fixture(scope="session")
def program():
    """Ask the program: the JSON document it prints (None when it prints none)."""
    def ask(*arguments):
        done = subprocess.run([str(PROGRAM), *map(str, arguments), "--json"], capture_output=True, text=True,
                              env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
        return json.loads(done.stdout) if done.stdout else None
    return ask


@pytest.fixture(scope="session")
def scenes_folder():
    return TOP / "scenes"
