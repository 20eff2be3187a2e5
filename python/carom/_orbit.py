"""Periodic motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _html
from ._arrays import copied, number, whole
from ._carom import ffi, lib
from ._errors import check, new_error, text
from ._watch import Watch


@dataclass(frozen=True)
class Segment:
    """An impact or event on an orbit, and the time since the one before."""

    event: str
    """the name of the event; `impact`"""
    contacts: tuple[str, ...]
    duration: float


@dataclass(frozen=True)
class Orbit:
    """A periodic motion, at its section. Where none was found it is false, holds the last state, and says why."""

    found: bool
    position: np.ndarray
    velocity: np.ndarray
    t: float
    period: float | None
    segments: tuple[Segment, ...]
    multipliers: np.ndarray
    """of the return map, complex, largest modulus first"""
    stable: bool
    residual: float
    message: str

    def __bool__(self) -> bool:
        return self.found

    def _repr_html_(self) -> str:
        told = {"period": self.period, "stable": self.stable, "position": self.position, "velocity": self.velocity,
                "multipliers": ", ".join(f"{one:.6g}" for one in self.multipliers), "residual": self.residual}
        return _html.pairs("periodic motion" if self.found else "no periodic motion", told, self.message)

    def __repr__(self) -> str:
        if not self.found:
            return f"<Orbit: none found: {self.message}>"
        return (f"<Orbit: {'stable' if self.stable else 'unstable'}, period {self.period:.10g}, multipliers "
                f"{np.array2string(self.multipliers, precision=6)}>")


@dataclass(frozen=True, repr=False)
class Lyapunov:
    """How fast neighbouring motions part: exponents per time, largest first, with their standard errors."""

    exponents: np.ndarray
    error: np.ndarray
    time: float
    """over which they were taken"""
    points: int
    """section points, or periods, in it"""
    section: np.ndarray | None
    """exponents per section point, without that of the flow; None without points"""
    restarts: int
    """events without a derivative (an accumulation, a grazing), after which the frame started again"""
    message: str

    def _repr_html_(self) -> str:
        return _html.table("Lyapunov exponents", ["per time", "error"], zip(self.exponents, self.error), self.message)

    def __repr__(self) -> str:
        told = ", ".join(f"{value:.6g} ± {error:.1g}" for value, error in zip(self.exponents, self.error))
        return f"<Lyapunov: {told} over a time of {self.time:g}>"


def lyapunov(content, law, options, skip: float, arena, file: str | None) -> Lyapunov:
    """The exponents along the motion from the scene's start."""
    watch = Watch("lyapunov", content.initial.t, options.until)
    problem = problem_of(content, law, options, 1, watch, needs_section=False)
    found, error = ffi.new("carom_orbit_lyapunov *"), new_error()
    span = options.until - content.initial.t
    if not 0 <= number("skip", skip) < span:
        raise ValueError(f"skip: {skip!r}; it must leave time of the {span:g} until the end")
    status = lib.carom_orbit_exponents(problem, ffi.addressof(content.initial), options.until, skip, 0.0, arena, found,
                                       error)
    watch.finish()
    check(status, error, file)
    return Lyapunov(copied(found.exponents, found.count), copied(found.error, found.count), found.time, found.points,
                    copied(found.section, found.section_count) if found.section_count else None, found.restarts, text(found.message))


def problem_of(content, law, options, periods: int, watch: Watch, needs_section: bool = True):
    """The search for motions that return, as the scene's section and period say."""
    if needs_section and content.section == ffi.NULL and not content.period > 0:
        raise ValueError("the scene has neither `section` nor `period`, so that nothing says when a motion returns")
    if options.method != lib.CAROM_FLOW_EVENT_DRIVEN:
        raise ValueError("method: only event-driven motions have derivatives")
    span = options.until - content.initial.t
    problem = ffi.new("carom_orbit_problem *", {
        "system": content.system, "law": law.c, "options": options[0], "contact": -1, "event": -1,
        "period": content.period, "symmetry": content.symmetry, "ignore": content.ignore,
        "periods": whole("periods", periods, 1, 1e6), "horizon": max(span if span > 0 else 100.0, content.period),
        "progress": ffi.addressof(lib, "bridge_searches"), "self": watch.handle})
    if content.section != ffi.NULL and content.section.kind == lib.CAROM_SCENE_SECTION_CONTACT:
        problem.contact = content.section.index
    elif content.section != ffi.NULL:
        problem.event = content.section.index
    return problem


def orbit(content, law, options, periods: int, arena, contacts, file: str | None) -> Orbit:
    """Newton's method on the return map, from the next section point after the scene's start."""
    watch = Watch("orbit")
    problem = problem_of(content, law, options, periods, watch)
    found, error = ffi.new("carom_orbit *"), new_error()
    status = lib.carom_orbit_guess(problem, ffi.addressof(content.initial), arena, found, error)
    if status == lib.CAROM_OK:
        status = lib.carom_orbit_solve(problem, arena, found, error)
    watch.finish()
    check(status, error, file)
    return read_orbit(found, lib.carom_system_get_shape(content.system), contacts)


def read_orbit(found, shape, contacts: tuple[str, ...]) -> Orbit:
    """A carom_orbit as Python keeps it."""
    good = bool(found.found)
    count = found.multiplier_count if good else 0
    segments = tuple(Segment(text(shape.events[s.event].name) if s.event >= 0 else "impact",
                             (contacts[s.contact],) if s.contact >= 0 else (), s.duration)
                     for s in (found.segments[k] for k in range(found.segment_count if good else 0)))
    multipliers = copied(found.re, count) + 1j * copied(found.im, count) if count else np.empty(0, complex)
    return Orbit(good, copied(found.q, shape.nq), copied(found.u, shape.n), found.t, found.period if good else None,
                 segments, multipliers, good and bool(found.stable), found.residual, text(found.message))
