"""Looking after long computations: Ctrl-C is noticed, progress is shown after a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

from ._carom import ffi
from ._errors import text


_worker = threading.local()  # .stop: set when the work of its threads is to end


def spread(call: Callable[[Any], Any], items: Iterable, threads: int) -> list:
    """call(item) for all items, on threads (0: as many as processors). Python's signals come to the main thread, which
    only waits: what stops it there stops the work of the others too."""
    stop = threading.Event()

    def begin() -> None:
        _worker.stop = stop

    with ThreadPoolExecutor(threads or os.cpu_count(), initializer=begin) as pool:
        try:
            return list(pool.map(call, items))
        except BaseException:
            stop.set()
            raise


def _stopped() -> bool:
    stop = getattr(_worker, "stop", None)
    return stop is not None and stop.is_set()


class Watch:
    """What C asks now and then. An exception in a callback waits here until C has returned."""

    def __init__(self, what: str, start: float = 0.0, until: float = 0.0):
        self.what, self.start, self.until = what, start, until
        self.began, self.said, self.shown = time.monotonic(), 0.0, False
        self.error: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def show(self, line: str) -> None:
        """Progress on a terminal, for work over a second, ten times a second."""
        now = time.monotonic()
        if now - self.began < 1 or now - self.said < 0.1 or sys.stderr is None or not sys.stderr.isatty():
            return
        sys.stderr.write(f"\r{self.what}: {line} ")
        sys.stderr.flush()
        self.said, self.shown = now, True

    def finish(self) -> None:
        """Clear the line, and raise what a callback met."""
        if self.shown:
            sys.stderr.write("\r" + 78 * " " + "\r")
            sys.stderr.flush()
        if self.error is not None:
            raise self.error


def keep_error(kind, value, trace) -> None:
    """For callbacks whose first argument is `python`, the handle of a Watch or of another keeper."""
    ffi.from_handle(trace.tb_frame.f_locals["python"]).error = value


# Python's signal handlers have run when these begin.

@ffi.def_extern(error=1, onerror=keep_error)
def bridge_progress(python, t, steps):
    watch = ffi.from_handle(python)
    part = (t - watch.start) / (watch.until - watch.start) if watch.until > watch.start else 1.0
    watch.show(f"{100 * part:3.0f} %  t = {t:<10.6g} {steps} steps")
    return int(_stopped())


@ffi.def_extern(error=False, onerror=keep_error)
def bridge_go_on(python, what, done):
    ffi.from_handle(python).show(f"{text(what)} {100 * done:3.0f} %")
    return not _stopped()


@ffi.def_extern(error=False, onerror=keep_error)
def bridge_iterates(python, iterations, residual):
    ffi.from_handle(python).show(f"{iterations} iterations, residual {residual:.1e}")
    return not _stopped()
