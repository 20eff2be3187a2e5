"""The guide's code runs as it stands, and the reference is what the docstrings say."""

import re
import subprocess
import sys

import pytest

from conftest import TOP


def test_guide(tmp_path, monkeypatch):
    text = (TOP / "docs" / "guide" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    assert len(blocks) > 6
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)


def test_reference():
    done = subprocess.run([sys.executable, str(TOP / "docs" / "make-python-reference")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (TOP / "docs" / "guide" / "python-reference.md").read_text(), \
        "run PYTHONPATH=build/python docs/make-python-reference >docs/guide/python-reference.md"


def test_docstrings_run():
    doctest = pytest.importorskip("doctest")
    import numpy
    import carom
    for module in (carom._laws, carom._own_law, carom._world):
        assert doctest.testmod(module, extraglobs={"np": numpy}).failed == 0
