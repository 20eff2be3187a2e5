"""How the package is at work in C: memory for answers, one thread at a time for each object."""

from __future__ import annotations

import os
import threading

from ._carom import ffi, lib
from ._errors import check, new_error


class _Fork:
    """How often this process was forked."""

    count, lock = 0, threading.Lock()

    @classmethod
    def happened(cls):
        cls.count, cls.lock = cls.count + 1, threading.Lock()


lib.bridge_serial_prepare()
os.register_at_fork(after_in_child=_Fork.happened)


class Serial:
    """While it lasts OpenBLAS has one thread, as in the program: the same bits."""

    def __enter__(self):
        lib.bridge_serial_begin()

    def __exit__(self, *_):
        lib.bridge_serial_end()


class InUse(Serial):
    """A C object with work space of its own: one thread at a time, and not while it calls back."""

    def __init__(self, what: str):
        self.what, self._lock, self._thread, self._fork = what, threading.Lock(), None, _Fork.count

    def __enter__(self):
        if self._fork != _Fork.count:
            self._begin_here()
        if self._thread == threading.get_ident():
            raise RuntimeError(f"this {self.what} is at work: a callback cannot use it again")
        self._lock.acquire()
        self._thread = threading.get_ident()
        super().__enter__()

    def _begin_here(self) -> None:
        """The first use in a forked process. A thread that was at work on it is not here to end its work."""
        with _Fork.lock:
            if self._fork == _Fork.count:
                return
            if self._lock.locked():
                raise RuntimeError(f"this {self.what} was at work when the process was forked: make it again, as by "
                                   "carom.load, or fork before threads are at work")
            self._fork = _Fork.count

    def __exit__(self, *_):
        super().__exit__()
        self._thread = None
        self._lock.release()


class Arena:
    """Memory for the answers of some calls."""

    def __init__(self):
        made, error = ffi.new("carom_arena **"), new_error()
        check(lib.carom_arena_create(ffi.NULL, made, error), error)
        self.c = made[0]

    def __enter__(self):
        return self.c

    def __exit__(self, *_):
        lib.carom_arena_destroy(self.c)


def check_room(n: int, p: int, dense: bool = True) -> None:
    """Refuse matrices that the machine has no memory for: it would end the interpreter, not the call. What is needed
    at the peak was counted on systems of 500 to 2000 velocities, as in the program."""
    numbers = 5 * n * n + 4 * n * p + 4 * p * p if dense else 1.5 * n * p
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 8 * numbers > 0.75 * machine:
        raise MemoryError(f"{n} velocities and {p} contacts make matrices of about {8 * numbers / 2**30:.3g} GiB; the "
                          f"machine has {machine / 2**30:.3g} GiB")
