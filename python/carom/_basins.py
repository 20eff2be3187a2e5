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
    axes = {name: finite(name, numbers(name, given)) for name, given in dict(values).items()}
    if len(axes) != 2 or any(array.ndim != 1 or array.size == 0 for array in axes.values()):
        raise ValueError("basins: two names with a list of values each are needed, as in {\"x\": [...], \"x'\": [...]}")
    names = [name if name.startswith("initial.") else f"initial.{name}" for name in axes]
    first, second = axes.values()
    starts = [{names[0]: a, names[1]: b} for a in first for b in second]
    skip, same = int(number("skip", skip, 0, 1e9)), number("same", same, 0)

    found = ffi.new("carom_orbit_attractor[]", len(starts))

    def follow(k: int) -> np.ndarray:
        made = scene.set(starts[k])
        with made._use, Arena() as arena:
            content, chosen, held = made._differentiable(until, law, options)
            watch, error = Watch("basins"), new_error()
            problem = problem_of(content, held, chosen, 1, watch)
            status = lib.carom_orbit_settle(problem, ffi.addressof(content.initial), skip, same, arena,
                                            ffi.addressof(found, k), error)
            watch.finish()
            check(status, error, scene.file)
            points = copied(found[k].points, found[k].count, found[k].size)
            points = np.empty((0, 0)) if points is None else points
            found[k].points = ffi.cast("double *", points.ctypes.data)  # the arena ends here
            return points

    points = spread(follow, range(len(starts)), int(number("threads", threads, 0)))
    return _sort(axes, found, points)


def _sort(axes: dict[str, np.ndarray], found, points: list[np.ndarray]) -> Basins:
    """Starts whose orbits are the same share an attractor."""
    index = np.empty(len(points), dtype=np.intc)
    basins, count, error = ffi.new("carom_orbit_basin **"), ffi.new("int *"), new_error()
    with Arena() as arena:
        status = lib.carom_orbit_basins(found, len(points), arena, ffi.cast("int *", index.ctypes.data), basins, count,
                                        error)
        check(status, error, None)
        each = [(basins[0][k], points[int(np.argmax(index == k))]) for k in range(count[0])]
        attractors = tuple(
            Attractor(ffi.string(lib.carom_orbit_fate_text(basin.attractor.fate)).decode(), own, basin.fraction,
                      (basin.interval[0], basin.interval[1])) for basin, own in each)
    return Basins(axes, attractors, index.reshape([len(array) for array in axes.values()]).astype(int))
