"""Attractors and their basins on a plane of initial values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from ._arrays import copied, finite, number, numbers, pointer, whole
from ._carom import ffi, lib
from ._errors import check, new_error, text
from ._orbit import problem_of
from ._watch import Watch, spread
from ._work import Arena


@dataclass(frozen=True)
class Attractor:
    """Where motions go: `periodic`, `aperiodic`, or `none` (no section points, or the motion ended)."""

    kind: str
    points: np.ndarray
    """(points, numbers): coordinates that must return, velocities, the phase where a section has a period"""
    fraction: float
    """of the starts that go there"""
    interval: tuple[float, float]
    """of the fraction, if the starts are a sample (Wilson, 95 %)"""


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
    if not isinstance(values, Mapping):
        raise ValueError(f"values: {type(values).__name__} given; two names with a list of values each are needed")
    axes = {name: finite(name, numbers(name, given)) for name, given in values.items()}
    if len(axes) != 2 or any(array.ndim != 1 or array.size == 0 for array in axes.values()):
        raise ValueError("basins: two names with a list of values each are needed, as in {\"x\": [...], \"x'\": [...]}")
    places = [_place(scene, name) for name in axes]
    if places[0] == places[1]:
        raise ValueError(f"basins: {places[0]} varies twice")
    skip, same = whole("skip", skip, 0, 1e9), number("same", same, 0)
    first, second = axes.values()
    found = ffi.new("carom_orbit_attractor[]", first.size * second.size)

    def follow(i: int) -> list[np.ndarray]:
        cells = ffi.addressof(found, i * second.size)
        return _row(scene.set(), places, first[i], second, skip, same, law, until, options, cells)

    rows = spread("basins", follow, range(first.size), whole("threads", threads, 0, 4096))
    return _sort(axes, found, [points for row in rows for points in row])


def _place(scene, name: str) -> int:
    """Where a name stands among coordinates and velocities."""
    known = scene.coordinates + scene.velocities
    plain = name[len("initial."):] if name.startswith("initial.") else name
    if plain not in known:
        raise ValueError(f"{name}: the scene has no such coordinate or velocity; there are {', '.join(known)}")
    return known.index(plain)


def _row(scene, places: list[int], a: float, others: np.ndarray, skip: int, same: float, law: Any, until,
         options: Mapping[str, Any], found) -> list[np.ndarray]:
    """Where the motions with one value of the first name go; their points. A start that no motion has goes nowhere."""
    kept = []
    with scene._use, Arena() as arena:
        content, chosen, held = scene._differentiable(until, law, options)
        watch, shape = Watch("basins"), scene._shape()
        problem = problem_of(content, held, chosen, 1, watch)
        x = np.concatenate([copied(content.initial.q, shape.nq), copied(content.initial.u, shape.n)])
        start = ffi.new("carom_flow_start *", {"t": content.initial.t, "q": pointer(x), "u": pointer(x[shape.nq:])})
        for k, b in enumerate(others):
            x[places] = a, b
            one, error = found + k, new_error()
            status = lib.carom_orbit_settle(problem, start, skip, same, arena, one, error)
            watch.finish()
            if watch.stopped:
                break
            if status == lib.CAROM_ERROR_MEMORY:
                check(status, error)
            if status:
                one.fate, one.count = lib.CAROM_ORBIT_LOST, 0
            kept.append(copied(one.points, one.count, one.size) if one.count else np.empty((0, 0)))
            one.points = pointer(kept[-1])  # the arena ends here
    return kept


def _sort(axes: dict[str, np.ndarray], found, points: list[np.ndarray]) -> Basins:
    """Starts whose orbits are the same share an attractor."""
    index = np.empty(len(points), dtype=np.intc)
    basins, count, error = ffi.new("carom_orbit_basin **"), ffi.new("int *"), new_error()
    with Arena() as arena:
        check(lib.carom_orbit_basins(found, len(points), arena, ffi.cast("int *", index.ctypes.data), basins, count,
                                     error), error)
        each = [(basins[0][k], points[int(np.argmax(index == k))]) for k in range(count[0])]
        attractors = tuple(Attractor(text(lib.carom_orbit_fate_text(basin.attractor.fate)), own, basin.fraction,
                                     (basin.interval[0], basin.interval[1])) for basin, own in each)
    return Basins(axes, attractors, index.reshape([len(array) for array in axes.values()]).astype(int))
