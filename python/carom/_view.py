"""The browser page of motions: one HTML file that loads nothing."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, Sequence

from ._carom import ffi, lib
from ._errors import check, encoded, new_error

PAGE = Path(__file__).parent / "bundled" / "page.html"


class View:
    """A page that was written to `path`; shown inline in a notebook."""

    path: Any
    """of the page"""
    height: Any
    """of the frame in a notebook, in pixels"""

    def __init__(self, path: str, height: int = 620):
        self.path, self.height = path, height

    def __repr__(self) -> str:
        return f"<View: {self.path}>"

    def _repr_html_(self) -> str:
        page = html.escape(Path(self.path).read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {self.height}px; border: 0"></iframe>'


def view(*motions: Any, path: Any = None) -> View:
    """The browser page of several motions, to compare them. path: where it is written."""
    return show_page(list(motions), path)


def show_page(motions: Sequence[Any], path: Any) -> View:
    """Write the page; outside a notebook open it, unless its place was given."""
    if not motions or not all(hasattr(one, "_trace") for one in motions):
        raise ValueError("view: it needs at least one motion, and nothing else")
    name = os.fspath(path) if path is not None else os.path.join(tempfile.mkdtemp(prefix="carom-"), "motion.html")
    traces = ffi.new("carom_trace[]", [one._trace()[0] for one in motions])
    words = [ffi.new("char[]", (one.title or f"motion {k + 1}").encode()) for k, one in enumerate(motions)]
    error = new_error()
    check(lib.carom_trace_page(encoded("path", name), PAGE.read_bytes(), len(motions), traces,
                               ffi.new("char *[]", words), ffi.NULL, error), error)
    if path is None and "ipykernel" not in sys.modules:
        webbrowser.open(Path(name).as_uri())
    return View(name)
