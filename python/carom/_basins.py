"""Attractors and their basins on a plane of initial values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from ._arrays import copied, finite, number, numbers
from ._carom import ffi, lib
from ._errors import check, new_error
from ._orbit import problem_of
from ._watch import Watch, spread
from ._work import Arena

_FATES = {lib.CAROM_ORBIT_PERIODIC: "periodic", lib.CAROM_ORBIT_APERIODIC: "aperiodic", lib.CAROM_ORBIT_LOST: "none"}
ALIKE = 1e-3  # orbits that are found from different starts agree to this part of their size, as in the program


@dataclass(frozen=True)
class Attractor:
    """Where motions go: `periodic`, `aperiodic`, or `none` (no section points, or the motion ended)."""

    kind: str
    points: np.ndarray
    """(points, numbers): coordinates that must return, velocities, the phase where a section has a period"""
    fraction: float
    """of the starts that go there"""


@dataclass(frozen=True)
class Basins:
    """`cells[i, j]` is the number of the attractor that the start with the i-th value of the first and the j-th of
    the second name goes to."""

    axes: dict[str, np.ndarray]
    attractors: tuple[Attractor, ...]
    cells: np.ndarray


def basins(scene, values: Mapping[str, Any], skip: int, same: float, law: Any, until, threads: int,
           options: Mapping[str, Any]) -> Basins:
    """Follow the motion from every start of the plane."""
    axes = {name: finite(name, numbers(name, given)) for name, given in dict(values).items()}
    if len(axes) != 2 or any(array.ndim != 1 or array.size == 0 for array in axes.values()):
        raise ValueError("basins: two names with a list of values each are needed, as in {\"x\": [...], \"x'\": [...]}")
    names = [name if name.startswith("initial.") else f"initial.{name}" for name in axes]
    first, second = axes.values()
    starts = [{names[0]: a, names[1]: b} for a in first for b in second]
    skip, same = int(number("skip", skip, 0, 1e9)), number("same", same, 0)

    def fate(start: Mapping[str, float]) -> tuple[int, np.ndarray]:
        made = scene.set(start)
        with made._use, Arena() as arena:
            content, chosen, held = made._differentiable(until, law, options)
            watch, found, error = Watch("basins"), ffi.new("carom_orbit_attractor *"), new_error()
            problem = problem_of(content, held, chosen, 1, watch)
            status = lib.carom_orbit_settle(problem, ffi.addressof(content.initial), skip, same, arena, found, error)
            watch.finish()
            check(status, error, scene.file)
            points = copied(found.points, found.count, found.size)
            return found.fate, np.empty((0, 0)) if points is None else points

    return _classify(scene, axes, spread(fate, starts, int(number("threads", threads, 0))))


def _classify(scene, axes: dict[str, np.ndarray], fates: list) -> Basins:
    """Starts whose orbits are the same, from one of their points on, share an attractor."""
    found: list[tuple[int, np.ndarray]] = []
    cells = np.empty(len(fates), dtype=int)
    modulus = scene.period if scene.section else 0.0
    for k, one in enumerate(fates):
        matches = (i for i, other in enumerate(found) if _same(other, one, modulus))
        cells[k] = next(matches, len(found))
        if cells[k] == len(found):
            found.append(one)
    counts = np.bincount(cells, minlength=len(found))
    attractors = tuple(Attractor(_FATES[kind], points, float(count / len(fates)))
                       for (kind, points), count in zip(found, counts))
    return Basins(axes, attractors, cells.reshape([len(array) for array in axes.values()]))


def _same(a: tuple[int, np.ndarray], b: tuple[int, np.ndarray], modulus: float) -> bool:
    if a[0] != b[0] or a[0] != lib.CAROM_ORBIT_PERIODIC:
        return a[0] == b[0]
    if a[1].shape != b[1].shape:
        return False
    size = np.abs(a[1]).max(initial=0.0)
    for shift in range(len(a[1])):
        off = np.abs(np.roll(a[1], -shift, axis=0) - b[1])
        if modulus > 0:
            off[:, -1] = np.minimum(off[:, -1], modulus - off[:, -1])
        if (off <= ALIKE * size).all():
            return True
    return False
