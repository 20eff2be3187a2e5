#!/usr/bin/python3
"""Execute the notebooks of python/notebooks, each in a kernel of its own; the first cell that fails ends it.

Notebooks are kept without outputs: one that has some is refused."""

import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent / "notebooks"


def main(names: list[str]) -> int:
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    for path in sorted(FOLDER.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        notebook = nbformat.read(path, as_version=4)
        if any(cell.get("outputs") for cell in notebook.cells):
            print(f"{path.name}: it holds outputs; clear them", file=sys.stderr)
            return 1
        began = time.monotonic()
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
        print(f"{path.name}: {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
