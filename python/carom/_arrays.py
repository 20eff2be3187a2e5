"""Numbers from the caller to C and back. What is wrong with an argument is told with its name and shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._carom import ffi


def numbers(name: str, value: Any) -> np.ndarray:
    """Real numbers as an array of doubles; no copy where it is one."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name}: shape {np.shape(value)}, with masked entries; say what stands there, as by filled()")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: its rows differ in length; it must be an array of numbers") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: dtype {array.dtype} and shape {array.shape}; it must be an array of real numbers")
    return array.astype(np.float64, copy=False)


def vector(name: str, value: Any, size: int) -> np.ndarray:
    """Exactly `size` finite numbers, contiguous; a single one stands for all of them."""
    array = numbers(name, value)
    if array.shape not in ((), (size,)):
        raise ValueError(f"{name}: shape {array.shape}; it must be a number or have shape ({size},)")
    return np.ascontiguousarray(np.broadcast_to(finite(name, array), (size,)))


def finite(name: str, array: np.ndarray) -> np.ndarray:
    """The array, if all its numbers are finite."""
    bad = ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"{name}: shape {array.shape}, entry {where} is {array[where]}; numbers must be finite")
    return array


def number(name: str, value: Any, low: float = -np.inf, high: float = np.inf) -> float:
    """One finite number between limits."""
    try:
        one = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {value!r} is not a number") from None
    if not np.isfinite(one) or not low <= one <= high:
        raise ValueError(f"{name}: {value!r}; it must be a finite number"
                         + (f", at least {low}" if low > -np.inf else "")
                         + (f", at most {high}" if high < np.inf else ""))
    return one


def whole(name: str, value: Any, low: int = 0, high: float = 2**62) -> int:
    """A whole number between limits."""
    one = number(name, value, low, high)
    if one != int(one):
        raise ValueError(f"{name}: {value!r}; it must be a whole number")
    return int(one)


def pointer(array: np.ndarray):
    """Where the numbers of a contiguous array are. The array must be kept alive."""
    return ffi.cast("double *", array.ctypes.data)


def copied(source, *shape: int) -> np.ndarray | None:
    """A copy of numbers in C, row after row; None for NULL."""
    if source == ffi.NULL:
        return None
    count = math.prod(shape)
    if count == 0:
        return np.empty(shape)
    return np.frombuffer(ffi.buffer(source, 8 * count), dtype=np.float64).reshape(shape).copy()


def copied_columns(source, rows: int, columns: int) -> np.ndarray | None:
    """A copy of a matrix that C keeps column after column."""
    array = copied(source, columns, rows)
    return None if array is None else np.ascontiguousarray(array.T)


def viewed(source, owner: Any, *shape: int) -> np.ndarray:
    """Numbers in C seen as an array that keeps their owner alive, read-only."""
    count = math.prod(shape)
    if count == 0 or source == ffi.NULL:
        return np.empty(shape)
    array = np.asarray(_Memory(int(ffi.cast("intptr_t", source)), shape, owner))
    array.flags.writeable = False
    return array


class _Memory:
    """Memory of C with its owner, in the way numpy asks for it."""

    def __init__(self, address: int, shape: tuple[int, ...], owner: Any):
        self._owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": "<f8", "version": 3}
