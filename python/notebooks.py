#!/usr/bin/python3
"""Execute the notebooks of python/notebooks, two at a time, each in a kernel of its own; the first cell that fails ends it.

Notebooks are kept without outputs: one that has some is refused."""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).resolve().parent / "notebooks"


def execute(path: Path) -> str:
    notebook = nbformat.read(path, as_version=4)
    if any(cell.get("outputs") for cell in notebook.cells):
        raise SystemExit(f"{path.name}: it holds outputs; clear them")
    began = time.monotonic()
    try:
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    except CellExecutionError as error:  # it does not pickle on its way back
        raise RuntimeError(f"{path.name}: {error}") from None
    return f"{path.name}: {time.monotonic() - began:.1f} s"


def main(names: list[str]) -> int:
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    # the longest, which_law, begins first
    paths = [path for path in sorted(FOLDER.glob("*.ipynb"), reverse=True) if not names or path.stem in names]
    with ProcessPoolExecutor(2) as pool:
        for line in pool.map(execute, paths):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
