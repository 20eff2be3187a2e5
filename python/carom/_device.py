"""Accelerators through OpenCL: which there are, and impacts on one of them."""

from __future__ import annotations

import functools
import os
import threading
from dataclasses import dataclass

from ._carom import ffi, lib
from ._errors import check, encoded, new_error, text


@dataclass(frozen=True)
class DeviceInfo:
    """What a device says of itself."""

    name: str
    platform: str
    version: str
    double_precision: bool
    units: int
    memory: int
    """bytes"""
    gpu: bool


def devices() -> tuple[DeviceInfo, ...]:
    """The accelerators that OpenCL finds, as `carom devices` lists them; UnsupportedError where OpenCL itself is
    missing. `carom.impact(..., device=NAME)` decides impacts there."""
    found, count, error = ffi.new("carom_device_facts **"), ffi.new("int *"), new_error()
    check(lib.carom_device_list(found, count, error), error)
    made = tuple(DeviceInfo(text(one.name), text(one.platform), text(one.version), bool(one.doubles), one.units,
                            one.memory, bool(one.is_gpu)) for one in (found[0][k] for k in range(count[0])))
    lib.free(found[0])
    return made


class Device:
    """A device with the program that it compiled last: one thread at a time."""

    def __init__(self, name: str):
        made, error = ffi.new("carom_device **"), new_error()
        check(lib.carom_device_open(encoded("device", name), made, error), error)
        self.c, self.lock, self.process = ffi.gc(made[0], lib.carom_device_close), threading.Lock(), os.getpid()


@functools.lru_cache(maxsize=8)
def _kept(name: str, process: int) -> Device:
    return Device(name)


def opened(name: str) -> Device:
    """The device of this name in this process: drivers do not survive a fork."""
    return _kept(name, os.getpid())
