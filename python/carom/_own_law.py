"""Laws of one's own: a Python function decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ._arrays import copied, copied_columns, numbers
from ._carom import ffi, lib
from ._errors import encoded
from ._watch import keep_error


@dataclass(frozen=True)
class ImpactData:
    """What a law of one's own is given. Letters as in the theory: M (u⁺ − u⁻) = W Λ + H λ."""

    mass: np.ndarray
    """M: (n,) if diagonal, else (n, n)"""
    velocity: np.ndarray
    """u⁻ (n)"""
    normals: np.ndarray
    """W (n, p)"""
    normal_velocity: np.ndarray
    """γ⁻ (p)"""
    delassus: np.ndarray
    """W'M⁻¹W (p, p), within the joints"""
    responses: np.ndarray
    """M⁻¹W (n, p)"""
    restitution: np.ndarray
    """(p)"""
    friction: np.ndarray
    """(p)"""
    slips: np.ndarray
    """H (n, s)"""
    slip_responses: np.ndarray
    """M⁻¹H (n, s)"""

    def impulse_for(self, velocity: Any) -> np.ndarray:
        """The normal impulses that bring u⁻ to this velocity, as nearly as they can."""
        jump = numbers("velocity", velocity) - self.velocity
        return np.linalg.lstsq(self.responses, jump, rcond=None)[0]


class OwnLaw:
    """An impact law by a function, for everything that takes a law. Made by `carom.own_law`."""

    function: Callable
    """what it was made of"""
    name: str
    """in answers"""
    frictional: bool
    """does it decide tangential impulses?"""

    def __init__(self, function: Callable[[ImpactData], Any], name: str, frictional: bool):
        self.function, self.name, self.frictional = function, name, frictional

    def __call__(self, data: ImpactData) -> Any:
        return self.function(data)

    def __repr__(self) -> str:
        return f"<own law {self.name}>"

    def parsed(self, n: int, p: int) -> "BoundLaw":
        """The law for C, for one call."""
        return BoundLaw(self)


def own_law(function: Callable[[ImpactData], Any] | None = None, *, name: str | None = None,
            frictional: bool = False) -> Any:
    """A law of one's own, to be given as `law` to impact, run and sweep; also a decorator.

    The function gets an `ImpactData` and returns the normal impulses Λ (p numbers), or a pair of them and the
    tangential ones (s numbers), or None where the law has no outcome. Velocities, modes and verdicts follow.

    >>> @own_law
    ... def plastic(impact):
    ...     return np.linalg.solve(impact.delassus, -impact.normal_velocity)
    """
    if function is None:
        return lambda one: own_law(one, name=name, frictional=frictional)
    if not callable(function):
        raise ValueError(f"function: {type(function).__name__} given; it must be callable")
    return OwnLaw(function, name or getattr(function, "__name__", "own"), frictional)


class BoundLaw:
    """A law of one's own while C uses it. An exception of the function waits in `error`."""

    def __init__(self, law: OwnLaw):
        self.law, self.error = law, None
        self.handle = ffi.new_handle(self)
        made = lib.bridge_law_create(encoded("name", law.name), law.frictional, self.handle)
        if made == ffi.NULL:
            raise MemoryError
        self._made = ffi.gc(made, lib.bridge_law_destroy)
        self.c = ffi.addressof(self._made, "law")

    def decide(self, geometry, outcome) -> int:
        """Ask the function; its impulses go to the outcome."""
        answer = self.law.function(_read(geometry))
        if answer is None:
            outcome.answer = lib.CAROM_ANSWER_NONE
            return lib.CAROM_OK
        pair = answer if isinstance(answer, tuple) else (answer, None)
        if len(pair) != 2:
            raise ValueError(f"law {self.law.name}: a tuple of {len(pair)} returned; it must be (normal, tangential)")
        for what, value, place, size in (("normal", pair[0], outcome.impulse, geometry.impact.p),
                                         ("tangential", pair[1], outcome.tangential_impulse, geometry.s)):
            if value is None:
                continue
            array = np.ascontiguousarray(numbers(f"law {self.law.name}: its {what} impulses", value)).reshape(-1)
            if array.shape != (size,):
                raise ValueError(f"law {self.law.name}: {len(array)} {what} impulses returned; there must be {size}")
            if size:
                ffi.memmove(place, ffi.from_buffer(array), 8 * size)
        return lib.CAROM_OK


def _read(geometry) -> ImpactData:
    impact, s = geometry.impact, geometry.s
    n, p = impact.n, impact.p
    mass = copied(impact.M, n) if impact.mass_is_diagonal else copied_columns(impact.M, n, n)
    known = impact.contacts != ffi.NULL
    e = np.array([impact.contacts[i].restitution if known else 0.0 for i in range(p)])
    mu = np.array([impact.contacts[i].friction_dynamic if known else 0.0 for i in range(p)])
    slips = copied_columns(impact.H, n, s) if s else np.empty((n, 0))
    return ImpactData(mass, copied(geometry.u, n), copied_columns(impact.W, n, p), copied(geometry.gamma, p),
                      copied_columns(geometry.D, p, p), copied_columns(geometry.Y, n, p), e, mu, slips,
                      copied_columns(geometry.Z, n, s) if s else np.empty((n, 0)))


@ffi.def_extern(error=lib.CAROM_ERROR_CALLBACK, onerror=keep_error)
def bridge_law_decide(python, geometry, outcome, error):
    return ffi.from_handle(python).decide(geometry, outcome)
