"""Errors of the C library as exceptions."""

from __future__ import annotations

import os
from typing import NoReturn

from ._carom import ffi, lib


class CaromError(Exception):
    """What every exception of the package that is not a plain ValueError or OSError derives from."""


class SceneError(CaromError, ValueError):
    """A scene that says something wrong.

    `line` and `column` count from 1 and are None where there is no place to point at; `file` is the file's
    name, or None. The text is what the command line prints: place, what is wrong, the value, what is allowed.
    """

    def __init__(self, text: str, line: int | None = None, column: int | None = None, file: str | None = None):
        place = [str(part) for part in (file, line, column) if part is not None]
        super().__init__(f"{':'.join(place)}: {text}" if place else text)
        self.text, self.line, self.column, self.file = text, line, column, file

    def __reduce__(self):
        return type(self), (self.text, self.line, self.column, self.file)


class NoContactError(CaromError):
    """There is no impact to decide: no contact is closed."""


class NumericError(CaromError, ArithmeticError):
    """A computation met numbers that are not finite, or did not reach its accuracy."""


class UnsupportedError(CaromError, NotImplementedError):
    """Something the method or law asked for cannot do; the text says why."""


class SceneWarning(UserWarning):
    """Something in a scene that was accepted but is worth telling."""


def new_error():
    """A carom_error to be filled by a call."""
    return ffi.new("carom_error *")


def text(pointer) -> str | None:
    """A C text, None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def encoded(name: str, value: str) -> bytes:
    """A text for C, which ends at a zero byte and so may not hold one."""
    if not isinstance(value, str):
        raise ValueError(f"{name}: {type(value).__name__} given; it must be a text")
    if "\0" in value:
        raise ValueError(f"{name}: the text holds a zero character")
    return value.encode("utf-8", "surrogateescape")


def fail(error, file: str | None = None) -> NoReturn:
    """Raise what a carom_error says."""
    status = error.status
    message = text(error.text) or text(lib.carom_status_text(status))
    if status == lib.CAROM_ERROR_INPUT:
        raise SceneError(message, error.line or None, error.column or None, file)
    if status == lib.CAROM_ERROR_FILE and file is not None and not os.path.exists(file):
        raise FileNotFoundError(2, message, file)
    for kind, cause in ((MemoryError, lib.CAROM_ERROR_MEMORY), (OSError, lib.CAROM_ERROR_FILE),
                        (OSError, lib.CAROM_ERROR_OUTPUT), (NumericError, lib.CAROM_ERROR_NUMERIC),
                        (UnsupportedError, lib.CAROM_ERROR_UNSUPPORTED)):
        if status == cause:
            raise kind(message)
    raise ValueError(message)


def check(status: int, error, file: str | None = None) -> int:
    """The status, unless it is an error."""
    if status < 0:
        fail(error, file)
    return status
