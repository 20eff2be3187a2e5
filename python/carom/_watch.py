"""Looking after long computations: Ctrl-C is noticed, progress is shown after a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Callable, Sequence

from ._carom import ffi, lib
from ._errors import text

_here = threading.local()  # .stop: set when the work this thread does for another is no longer wanted


def _shows() -> bool:
    """Is there somebody to read it: a terminal or a notebook?"""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))


class Watch:
    """What C asks now and then. An exception in a callback waits here until C has returned."""

    def __init__(self, what: str, start: float = 0.0, until: float = 0.0):
        self.what, self.start, self.until = what, start, until
        self.began, self.said, self.shown = time.monotonic(), 0.0, False
        self.error: BaseException | None = None
        self.stop: threading.Event | None = getattr(_here, "stop", None)
        self.handle = ffi.new_handle(self)

    @property
    def stopped(self) -> bool:
        """Is the work no longer wanted?"""
        return self.stop is not None and self.stop.is_set()

    def c(self):
        """A carom_watch that asks some twenty times a second."""
        self._c = ffi.new("bridge_watch *")
        lib.bridge_watch_begin(self._c, self.handle)
        return ffi.addressof(self._c, "watch")

    def show(self, line: str) -> None:
        """Progress, for work over a second, ten times a second. Work for another thread is its part."""
        now = time.monotonic()
        if now - self.began < 1 or now - self.said < 0.1 or self.stop is not None or not _shows():
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


def spread(what: str, work: Callable[[Any], Any], tasks: Sequence[Any], threads: int) -> list:
    """The results of all tasks, over threads (0: all processors). Ctrl-C, or an exception of one of them, ends
    those that are at work too."""
    stop, watch = threading.Event(), Watch(what)

    def one(task):
        if stop.is_set():
            return None
        _here.stop = stop
        return work(task)

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        given = [pool.submit(one, task) for task in tasks]
        left = set(given)
        try:
            while left:
                done, left = wait(left, timeout=0.1, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                watch.show(f"{len(given) - len(left)} of {len(given)} cells")
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        finally:
            watch.finish()
    return [future.result() for future in given]


def keep_error(kind, value, trace) -> None:
    """For callbacks whose first argument is `python`, the handle of a Watch or of another keeper."""
    ffi.from_handle(trace.tb_frame.f_locals["python"]).error = value


# Python's signal handlers have run when these begin.

@ffi.def_extern(error=1, onerror=keep_error)
def bridge_progress(python, t, steps):
    watch = ffi.from_handle(python)
    part = (t - watch.start) / (watch.until - watch.start) if watch.until > watch.start else 1.0
    watch.show(f"{100 * part:3.0f} %  t = {t:<10.6g} {steps} steps")
    return int(watch.stopped)


@ffi.def_extern(error=False, onerror=keep_error)
def bridge_go_on(python, what, done):
    watch = ffi.from_handle(python)
    watch.show(f"{text(what)} {100 * done:3.0f} %")
    return not watch.stopped


@ffi.def_extern(error=False, onerror=keep_error)
def bridge_iterates(python, iterations, residual):
    watch = ffi.from_handle(python)
    watch.show(f"{iterations} iterations, residual {residual:.1e}")
    return not watch.stopped
