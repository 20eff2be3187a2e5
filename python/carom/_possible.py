"""Everything an impact can lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable

import numpy as np

from . import _html
from ._arrays import copied, finite, number, numbers, pointer, whole
from ._carom import ffi, lib
from ._errors import UnsupportedError, check, new_error, text
from ._watch import Watch


@dataclass(frozen=True)
class Level:
    """A dissipation level of the set: `e` 0 (most energy is lost) to 1 (none), its radius, its corners."""

    e: float
    radius: float
    points: np.ndarray
    """(points, n), velocities"""


@dataclass(frozen=True)
class Orders:
    """What striking one contact after the other leads to, in every order."""

    range: np.ndarray
    """(n, 2): least and largest value of each velocity"""
    extremes: np.ndarray
    """(count, n): outcomes with these values"""
    samples: int
    endless: int
    """orders that did not come to an end"""


@dataclass(frozen=True)
class Measured:
    """Where a measured velocity lies among all that is possible."""

    inside: bool | None
    """None, as `distance` and `level`, where the set has no description"""
    violated: str | None
    """`kinetic`, `kinematic` or `energetic`: the requirement that it breaks most"""
    distance: float | None
    """from the set, in the kinetic norm"""
    level: float | None
    """of dissipation, as in `Level`; negative below the least energy"""
    laws: tuple[str, ...]
    """labels of the laws that lead to it"""
    law_distance: dict[str, float]
    """how far it is from what each law leads to, in the kinetic norm; NaN where a law has no outcome"""


@dataclass(frozen=True, repr=False)
class Possible:
    """All velocities after an impact that no requirement forbids, and what every order of impulses leads to."""

    dimension: int | None
    extreme_points: np.ndarray | None
    """(points, n); None where the set has no such description: `reason` says why"""
    max_dissipation: np.ndarray | None
    """(n), the velocity with the least energy, as seen from the contacts"""
    range: np.ndarray | None
    """(n, 2): least and largest value of each velocity in the set; points of the set"""
    proved: np.ndarray | None
    """(n, 2): there is nothing beyond these"""
    levels: tuple[Level, ...]
    orders: Orders | None
    """without friction"""
    rough: Orders | None
    """with friction, where the impact has some"""
    measured: Measured | None
    reason: str | None

    def _repr_html_(self) -> str:
        ranges = self.range if self.range is not None else self.orders.range if self.orders else ()
        rows = [[f"u{k + 1}", *pair] for k, pair in enumerate(ranges)]
        return _html.table("possible velocities", ["", "least", "largest"], rows, self.reason or "")

    def __repr__(self) -> str:
        if self.range is None:
            return f"<Possible: {self.reason}>"
        ranges = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in self.range[:6])
        return f"<Possible: dimension {self.dimension}, ranges {ranges}{' ...' if len(self.range) > 6 else ''}>"


def possible(geometry, levels: Iterable[float], measured: Any, samples: int, seed: int, tolerance: float,
             outcomes: Callable[[], Iterable], arena) -> Possible:
    """The admissible set and the orders of one impact. outcomes: makes those of the laws."""
    n = geometry.impact.n
    point = None if measured is None else finite("measured", numbers("measured", measured))
    if point is not None and point.shape != (n,):
        raise ValueError(f"measured: shape {point.shape}; it must have shape ({n},)")
    if not isinstance(levels, Iterable):
        raise ValueError(f"levels: {levels!r}; it must be a list of numbers from 0 to 1")
    wanted = [number("levels", e, 0, 1) for e in levels]
    made: dict[str, Any] = dict.fromkeys(("dimension", "extreme_points", "max_dissipation", "range", "proved",
                                          "measured", "reason"))
    made["levels"] = ()
    near = number("tolerance", tolerance, 0)
    try:
        made |= _set(geometry, wanted, point, near, arena)
    except UnsupportedError as error:
        made["reason"] = str(error)
    if point is not None:
        made["measured"] = _measured(geometry, point, near, made["measured"], outcomes())
    rough = any(geometry.impact.contacts[i].friction_static > 0 and geometry.impact.contacts[i].slip_count > 0
                for i in range(geometry.impact.p)) if geometry.impact.contacts != ffi.NULL else False
    options = {"samples": whole("samples", samples, 0, 1e9), "seed": whole("seed", seed, 0, 2**63)}
    return Possible(**made, orders=_orders(geometry, options, arena),
                    rough=_orders(geometry, options | {"friction": True}, arena) if rough else None)


def _set(geometry, levels: list[float], point: np.ndarray | None, tolerance: float, arena) -> dict[str, Any]:
    n, error = geometry.impact.n, new_error()
    found, points, vertices = ffi.new("carom_admissible *"), ffi.new("carom_admissible_points *"), ffi.new("int *")
    check(lib.carom_admissible_make(geometry, arena, found, error), error)
    check(lib.carom_admissible_extremes(found, arena, points, vertices, error), error)
    extremes = copied(points.u, points.count, n)
    ranges, proved = np.empty((n, 2)), np.empty((n, 2))
    for j, weights in enumerate(np.eye(n)):
        one = ffi.new("carom_admissible_range *")
        check(lib.carom_admissible_find_range(found, pointer(weights), found.speed, arena, one, error), error)
        ranges[j], proved[j] = (one.low, one.high), (one.low_proved, one.high_proved)
    made = []
    for e in levels:
        check(lib.carom_admissible_level(found, e, lib.CAROM_READING_ENERGY, arena, points, error), error)
        made.append(Level(e, lib.carom_admissible_radius(found, e, lib.CAROM_READING_ENERGY),
                          copied(points.u, points.count, n)))
    where = None
    if point is not None:
        point = np.ascontiguousarray(point)
        place = ffi.new("carom_admissible_place *")
        check(lib.carom_admissible_locate(found, pointer(point), tolerance, arena, place, error), error)
        where = bool(place.membership.inside), text(place.membership.violated), place.distance, place.level
    return {"dimension": found.k, "extreme_points": extremes, "range": ranges, "proved": proved, "levels": tuple(made),
            "max_dissipation": copied(found.z, n) + copied(geometry.b, n), "measured": where}


def _measured(geometry, point: np.ndarray, tolerance: float, place: tuple | None, outcomes: Iterable) -> Measured:
    """The place of a measured velocity in the set (None: it has no description), and how far the laws are from it."""
    def apart(one) -> float:
        if not one:
            return np.nan
        away = np.ascontiguousarray(one.velocity - point)
        here = np.sqrt(max(0.0, lib.carom_geometry_dot(geometry, pointer(away), pointer(away))))
        return min(here, *(apart(other) for other in one.alternatives), here)

    distance = {one.label: apart(one) for one in outcomes}
    met = tuple(label for label, far in distance.items() if far <= tolerance * (geometry.speed or 1.0))
    return Measured(*(place or (None, None, None, None)), met, distance)


def _orders(geometry, options: dict[str, Any], arena) -> Orders | None:
    n, found, error, watch = geometry.impact.n, ffi.new("carom_orders *"), new_error(), Watch("outcomes")
    asked = ffi.new("carom_orders_options *", options | {"watch": watch.c()})
    status = lib.carom_orders_explore(geometry, asked, arena, found, error)
    watch.finish()
    if status == lib.CAROM_ERROR_UNSUPPORTED:
        return None
    check(status, error)
    return Orders(np.column_stack([copied(found.low, n), copied(found.high, n)]),
                  copied(found.extremes, found.extreme_count, n), found.samples, found.endless)
