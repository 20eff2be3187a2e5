"""Colliding elastic rods, solved exactly by characteristics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _html
from ._arrays import copied, finite, number, numbers, vector, whole
from ._carom import ffi, lib
from ._errors import check, new_error
from ._work import Arena


@dataclass(frozen=True)
class RodContact:
    """What happened between two rods. Times are NaN for what did not happen."""

    contact_time: float
    """the force has ended for good"""
    open_time: float
    """the gap has opened for good"""
    restitution: float
    """Newton's coefficient of the mean velocities"""
    closings: int
    """how often it closed, the start included"""
    impulse: float
    force: np.ndarray
    """(steps, 2): compression, from t on"""


@dataclass(frozen=True)
class RodRegion:
    """A polygon of the x-t plane in which force, strain and velocity are constant."""

    rod: int
    """its number, from 0"""
    force: float
    strain: float
    velocity: float
    x: np.ndarray
    """of the corners, from the left end of the rod"""
    t: np.ndarray


class Rods:
    """The motion of colliding rods, from t = 0 to `end`, after which no contact carries a force."""

    contacts: tuple[RodContact, ...]
    """between rods, from left to right"""
    mass: np.ndarray
    """of each rod"""
    velocity: np.ndarray
    """mean velocity of each rod at the end"""
    energy: float
    """kinetic and strain energy"""
    energy_in_waves: float
    """energy minus the kinetic energy of the mean velocities"""
    end: float
    """time until which the waves were followed"""
    settled: bool
    """false: ended by the limit on fronts, the rods may touch again"""
    exact: bool
    """false: a force too small to be told from none was taken for none"""

    def __init__(self, length: np.ndarray, velocity: np.ndarray, modulus: np.ndarray, density: np.ndarray,
                 area: np.ndarray, until: float):
        self._given = length, velocity, modulus, density, area, until
        self._arena, error = Arena(), new_error()
        self._rods = ffi.new("carom_rod[]", [dict(zip(("length", "modulus", "density", "area", "velocity"), one))
                                             for one in zip(length, modulus, density, area, velocity)])
        stated = ffi.new("carom_rods *", {"count": len(length), "rods": self._rods, "until": until})
        self._c = m = ffi.new("carom_rods_motion *")
        check(lib.carom_rods_solve(stated, self._arena.c, m, error), error)
        self.mass, self.velocity = copied(m.mass, m.count), copied(m.velocity, m.count)
        self.energy, self.energy_in_waves, self.end = m.energy, m.energy_in_waves, m.end
        self.settled, self.exact = bool(m.settled), bool(m.exact)
        self.contacts = tuple(_contact(m.joints[k], lib.carom_rods_restitution(stated, m, k))
                              for k in range(1, m.count))

    def __del__(self):
        if hasattr(self, "_arena"):
            self._arena.__exit__()

    def __reduce__(self):
        return Rods, self._given

    def energies(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and strain energy of each rod at times from 0 to `end`: two arrays (..., rods)."""
        times = self._times(t)
        kinetic, strain = np.empty(times.shape + (self._c.count,)), np.empty(times.shape + (self._c.count,))
        pair = ffi.new("double[2]")
        for at in np.ndindex(times.shape):
            for i in range(self._c.count):
                lib.carom_rods_field_energy(self._c, i, times[at], pair, pair + 1)
                kinetic[at + (i,)], strain[at + (i,)] = pair
        return kinetic, strain

    def field(self, rod: int, x: Any, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """Force (compression) and velocity in a rod (from 0), at distances x from its left end and times t; x and t
        broadcast."""
        rod = whole("rod", rod, 0, self._c.count - 1)
        places, times = np.broadcast_arrays(finite("x", numbers("x", x)), self._times(t))
        if places.size and not (places.min() >= 0 and places.max() <= self._c.length[rod]):
            raise ValueError(f"x: it must be from 0 to {self._c.length[rod]:g}, the length of the rod")
        force, velocity, pair = np.empty(places.shape), np.empty(places.shape), ffi.new("double[2]")
        for at in np.ndindex(places.shape):
            lib.carom_rods_field_at(self._c, rod, places[at], times[at], pair, pair + 1)
            force[at], velocity[at] = pair
        return force, velocity

    def regions(self) -> tuple[RodRegion, ...]:
        """The x-t diagram: polygons of constant force, strain and velocity."""
        if not self.end > 0:
            return ()
        with Arena() as arena:
            count, found, error = ffi.new("int *"), ffi.new("carom_rods_region **"), new_error()
            check(lib.carom_rods_regions(self._c, self.end, arena, count, found, error), error)
            return tuple(RodRegion(r.rod, r.force, r.strain, r.velocity, np.array(list(r.x)[:r.corner_count]),
                                   np.array(list(r.t)[:r.corner_count])) for r in (found[0][k] for k in range(count[0])))

    def _times(self, t: Any) -> np.ndarray:
        times = finite("t", numbers("t", t))
        if times.size and not (times.min() >= 0 and times.max() <= self.end):
            raise ValueError(f"t: it must be from 0 to {self.end:g}, the end of the motion")
        return times

    def _repr_html_(self) -> str:
        rows = [[k + 1, one.contact_time, one.open_time, one.restitution, one.impulse]
                for k, one in enumerate(self.contacts)]
        return _html.table("rods", ["contact", "pressed until", "open from", "restitution", "impulse"], rows,
                           f"energy {self.energy:g}, of which in waves {self.energy_in_waves:g}")

    def __repr__(self) -> str:
        told = ", ".join(f"{one.restitution:.6g}" for one in self.contacts[:8])
        return (f"<Rods: {len(self.mass)} rods, restitution {told}{' ...' if len(self.contacts) > 8 else ''}, "
                f"{self.energy_in_waves:.6g} of the energy {self.energy:.6g} in waves>")


def rods(length: Any, velocity: Any, *, modulus: Any = 1.0, density: Any = 1.0, area: Any = 1.0,
         until: float = 0.0) -> Rods:
    """Rods in a line, end to end, that collide at t = 0; unstressed before, their outer ends free. Exact: waves are
    followed front by front.

    length: of each rod, from left to right; velocity: of each rod, or one number, that of the first towards the others
    at rest. modulus, density, area: a number or one for each rod. until: follow at least to this time (0: until no
    contact carries a force).
    """
    lengths = _positive("length", finite("length", numbers("length", length)))
    if lengths.ndim != 1 or lengths.size < 2:
        raise ValueError(f"length: shape {lengths.shape}; it must be (rods,) with at least two")
    count = lengths.size
    u = finite("velocity", numbers("velocity", velocity))
    u = np.r_[u, np.zeros(count - 1)] if u.ndim == 0 else vector("velocity", u, count)
    others = (_positive(name, vector(name, value, count))
              for name, value in (("modulus", modulus), ("density", density), ("area", area)))
    return Rods(lengths, u, *others, number("until", until, 0))


def _positive(name: str, array: np.ndarray) -> np.ndarray:
    if not (array > 0).all():
        raise ValueError(f"{name}: shape {array.shape}, its least entry is {array.min():g}; it must be positive")
    return array


def _contact(c, restitution: float) -> RodContact:
    steps = np.array([(c.force.steps[k].t, c.force.steps[k].value) for k in range(c.force.count)]).reshape(-1, 2)
    return RodContact(c.contact_time, c.open_time, restitution, c.closings, c.impulse, steps)
