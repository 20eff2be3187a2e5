"""Branches of periodic motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _html
from ._arrays import number, whole
from ._carom import ffi, lib
from ._errors import CaromError, check, encoded, new_error, text
from ._orbit import Orbit, problem_of, read_orbit
from ._watch import Watch, keep_error
from ._work import Arena


@dataclass(frozen=True)
class BranchEvent:
    """What happens on a branch: fold, period-doubling, neimark-sacker, grazing, mode, coincidence, end."""

    kind: str
    parameter: float
    orbit: Orbit | None
    message: str


class Branch:
    """Periodic motions along a parameter: `parameter`, `period`, `stable`, `orbits`, and `events` on the way."""

    name: str
    """of the parameter"""
    parameter: np.ndarray
    """(points)"""
    orbits: tuple[Orbit, ...]
    """at the points"""
    period: np.ndarray
    """(points)"""
    stable: np.ndarray
    """(points)"""
    position: np.ndarray
    """(points, coordinates), at the section"""
    velocity: np.ndarray
    """(points, velocities), at the section"""
    events: tuple[BranchEvent, ...]
    """folds, period doublings and others on the way"""

    def __init__(self, name: str, parameters: list[float], orbits: list[Orbit], events: list[BranchEvent]):
        self.name = name
        self.parameter = np.array(parameters)
        self.orbits = tuple(orbits)
        self.period = np.array([orbit.period for orbit in orbits])
        self.stable = np.array([orbit.stable for orbit in orbits])
        self.position = np.array([orbit.position for orbit in orbits])
        self.velocity = np.array([orbit.velocity for orbit in orbits])
        self.events = tuple(events)

    def __len__(self) -> int:
        return len(self.orbits)

    def _repr_html_(self) -> str:
        rows = [[event.kind, event.parameter, event.message] for event in self.events]
        return _html.table(f"{len(self)} orbits over {self.name}", ["event", self.name, ""], rows)

    def __repr__(self) -> str:
        if not len(self):
            return f"<Branch over {self.name}: empty>"
        events = ", ".join(f"{event.kind} at {event.parameter:.6g}" for event in self.events)
        return (f"<Branch over {self.name}: {len(self)} orbits, {self.parameter[0]:g} ... {self.parameter[-1]:g}"
                + (f"; {events}>" if events else ">"))


class _Family:
    """The scene at a value of the parameter, asked for by C; an exception waits in `error`."""

    def __init__(self, scene, name: str, law: Any, options, periods: int, watch: Watch):
        self.scene, self.name, self.law = scene, name, law
        self.options, self.periods, self.watch = options, periods, watch
        self.error: BaseException | None = None
        self.handle = ffi.new_handle(self)
        self.parameters: list[float] = []
        self.orbits: list[Orbit] = []
        self.events: list[BranchEvent] = []
        self.shape, self.contacts = None, scene.contacts
        self.value, self.kept = None, None

    def at(self, value: float):
        """The problem there, with its derivatives by the parameter. What it points to is kept until the next."""
        if self.value != value:
            made = self.scene.set({self.name: value})
            exact = made._make(derivatives=True)
            content, arena = lib.carom_scene_get(exact), Arena()
            direction, error = ffi.new("carom_scene_direction *"), new_error()
            self.value, old, self.kept = None, self.kept, (made, exact, arena)
            if old is not None:
                old[2].__exit__()
            check(lib.carom_scene_direction_create(exact, encoded("name", self.name), arena.c, direction, error), error)
            held = made._law(self.law)
            problem = problem_of(content, held, self.options, self.periods, self.watch)
            problem.parameters, problem.contacts = direction.parameters, direction.contacts
            problem.period_change = direction.period
            self.problem, self.held, self.value = problem, held, value
            self.shape = lib.carom_system_get_shape(content.system)
        return self.problem

    def read(self, orbit) -> Orbit | None:
        return None if orbit == ffi.NULL or orbit.q == ffi.NULL else read_orbit(orbit, self.shape, self.contacts)

    def close(self) -> None:
        if self.kept is not None:
            self.kept[2].__exit__()


def follow(scene, name: str, ends: Any, law: Any, options, periods: int, points: int, step: float) -> Branch:
    """Follow the orbit at the first end towards the other."""
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise ValueError(f"{name}: {ends!r}; it must be a pair (from, to)")
    start, stop = number(name, ends[0]), number(name, ends[1])
    if start == stop:
        raise ValueError(f"{name}: {ends!r}; the two ends must differ")
    watch = Watch("follow")
    family = _Family(scene, name, law, options, periods, watch)
    try:
        with Arena() as arena:
            return _follow(family, start, stop, points, step, watch, arena)
    finally:
        family.close()


def _follow(family: _Family, start: float, stop: float, points: int, step: float, watch: Watch, arena) -> Branch:
    problem, first, error = family.at(start), ffi.new("carom_orbit *"), new_error()
    initial = lib.carom_scene_get(family.kept[1]).initial
    status = lib.carom_orbit_guess(problem, ffi.addressof(initial), arena, first, error)
    if status == lib.CAROM_OK:
        status = lib.carom_orbit_solve(problem, arena, first, error)
    if watch.error is None and status != lib.CAROM_OK:
        check(status, error)
        raise CaromError(f"no periodic motion was found at {family.name} = {start:g}: {text(first.message)}")
    c_family = ffi.new("carom_orbit_family *", {"self": family.handle, "at": lib.bridge_family})
    branch = ffi.new("carom_orbit_branch *", {
        "from": start, "to": stop, "most": whole("points", points, 0, 1e6), "step": number("step", step, 0),
        "self": family.handle, "point": lib.bridge_point, "event": lib.bridge_event})
    if watch.error is None:
        status = lib.carom_orbit_follow(c_family, first, branch, arena, error)
    if family.error is not None:
        watch.error = family.error
    watch.finish()
    check(status, error)
    return Branch(family.name, family.parameters, family.orbits, family.events)


@ffi.def_extern(error=lib.CAROM_ERROR_CALLBACK, onerror=keep_error)
def bridge_family(python, parameter, problem, error):
    problem[0] = ffi.from_handle(python).at(parameter)[0]
    return lib.CAROM_OK


@ffi.def_extern(error=lib.CAROM_STOPPED, onerror=keep_error)
def bridge_point(python, parameter, orbit, error):
    family = ffi.from_handle(python)
    family.parameters.append(parameter)
    family.orbits.append(family.read(orbit))
    family.watch.show(f"{len(family.orbits)} points, {family.name} = {parameter:.8g}")
    return lib.CAROM_OK


@ffi.def_extern(error=lib.CAROM_STOPPED, onerror=keep_error)
def bridge_event(python, kind, parameter, orbit, message, error):
    family = ffi.from_handle(python)
    family.events.append(BranchEvent(text(lib.carom_orbit_event_text(kind)), parameter, family.read(orbit),
                                     text(message) or ""))
    return lib.CAROM_OK
