"""What the tests share: the program, to compare with."""

import os
import subprocess
from json import loads as read_json
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
PROGRAM = TOP / "build" / "carom"


@pytest.fixture(scope="session")
def program():
    """Ask the program: the JSON document it prints (None when it prints none), or its text."""
    def ask(*arguments, json=True):
        done = subprocess.run([str(PROGRAM), *map(str, arguments), *(["--json"] if json else [])], capture_output=True,
                              text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
        if not json:
            return done.stdout
        return read_json(done.stdout) if done.stdout else None
    return ask


@pytest.fixture(scope="session")
def scenes_folder():
    return TOP / "scenes"
