"""Certificates: what can be said about a scene for all velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Iterator

import numpy as np

from . import _html
from ._arrays import copied
from ._carom import ffi, lib
from ._errors import check, new_error, text
from ._watch import Watch


@dataclass(frozen=True)
class Certificate:
    """A condition of theory: whether it is met here, by how much, and what that means."""

    name: str
    holds: bool | None
    """None: undecided within rounding, or it does not apply"""
    scope: str
    """`this velocity`, `approaching velocities` or `all velocities`"""
    value: float
    bound: float
    counterexample: np.ndarray | None
    """a velocity u⁻ for which it fails"""
    applies: bool
    reference: str
    text: str

    def __bool__(self) -> bool:
        return self.holds is True


@dataclass(frozen=True)
class ContactSolution:
    """One motion that satisfies the laws of contact at this instant."""

    force: np.ndarray
    tangential_force: np.ndarray
    acceleration: np.ndarray
    """of the gaps"""
    coordinate_acceleration: np.ndarray
    mode: tuple[str, ...]
    force_unique: bool


@dataclass(frozen=True)
class ContactProblem:
    """The contact problem of a system at its initial state: `unique`, `none` (Painlevé), `several`, ..."""

    kind: str
    solutions: tuple[ContactSolution, ...]
    continuum: bool
    message: str


@dataclass(frozen=True)
class CriticalFriction:
    """The friction at which the contact problem stops having one solution for all forces."""

    common: float
    """infinite: none"""
    lower: float
    """proved: below it there is none"""
    per_contact: np.ndarray
    exact: bool


@dataclass(frozen=True)
class Margins:
    """How far the restitution is from the limit of energy."""

    scale_all: float
    scale_approaching: float
    box_all: float
    box_approaching: float


class Check(Mapping):
    """Certificates by name, with the contact problem, critical friction and margins as attributes."""

    title: str | None
    """of the scene"""
    contact_problem: Any
    """at the state, of a system with friction"""
    critical_friction: Any
    """where friction first makes the contact problem doubtful"""
    margins: Any
    """how far the coefficients are from those without a certificate"""
    stopped: bool
    """was it stopped? What is known is there"""
    limited: bool
    """did it reach the limit on its work?"""

    def __init__(self, title, certificates, contact_problem, critical_friction, margins, stopped, limited):
        self.title: str | None = title
        self._certificates: dict[str, Certificate] = certificates
        self.contact_problem: ContactProblem | None = contact_problem
        self.critical_friction: CriticalFriction | None = critical_friction
        self.margins: Margins | None = margins
        self.stopped: bool = stopped
        self.limited: bool = limited

    def __getitem__(self, name: str) -> Certificate:
        if name not in self._certificates:
            raise KeyError(f"{name!r}: there are {', '.join(self)}")
        return self._certificates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._certificates)

    def __len__(self) -> int:
        return len(self._certificates)

    def _repr_html_(self) -> str:
        return _html.check(self)

    def __repr__(self) -> str:
        sign = {True: "✓", False: "✗", None: "–"}
        lines = [f"  {sign[c.holds]} {c.name:28} {c.scope}" for c in self.values()]
        head = f"<Check: {self.title or 'scene'}"
        if self.contact_problem:
            head += f", contact problem {self.contact_problem.kind}"
        if self.critical_friction:
            head += f", critical friction {self.critical_friction.common:g}"
        return "\n".join([head + ">", *lines])


def _certificate(c, n: int) -> Certificate:
    decided = c.applies and c.holds != lib.CAROM_UNDECIDED
    return Certificate(text(c.name), c.holds == lib.CAROM_TRUE if decided else None,
                       text(lib.carom_validity_text(c.scope)), c.value, c.bound, copied(c.counterexample, n),
                       bool(c.applies), text(c.reference), text(c.text))


def _problem(found, geometry) -> ContactProblem | None:
    if not found.has_problem:
        return None
    problem, n, p, s = found.problem, geometry.impact.n, geometry.impact.p, geometry.s
    solutions = tuple(
        ContactSolution(copied(x.force, p), copied(x.tangential_force, s), copied(x.acceleration, p), copied(x.du, n),
                        tuple(text(lib.carom_mode_text(x.mode[i])) for i in range(p)), bool(x.force_unique))
        for x in (problem.solutions[k] for k in range(problem.count)))
    return ContactProblem(text(lib.carom_painleve_text(problem.kind)), solutions, bool(problem.continuum),
                          text(problem.message))


def run_check(title, geometry, law, system, state, closed, effort: float, arena) -> Check:
    """Everything the library can say about an impact."""
    watch = Watch("check")
    request = ffi.new("carom_check_request *", {"geometry": geometry, "law": law, "effort": effort, "watch": watch.c()})
    if state is not None:
        request.system, request.state, request.closed = system, state, closed
    found, error = ffi.new("carom_check_answer *"), new_error()
    status = lib.carom_check(request, arena, found, error)
    watch.finish()
    check(status, error)
    n, p, c = geometry.impact.n, geometry.impact.p, found.critical
    certificates = (_certificate(found.certificates.list[k], n) for k in range(found.certificates.count))
    critical = CriticalFriction(c.common, c.lower, copied(c.per_contact, p), bool(c.exact)) if found.has_critical else None
    m = found.margins
    margins = (Margins(m.scale_all, m.scale_approaching, m.box_all, m.box_approaching)
               if found.has_coefficients else None)
    return Check(title, {c.name: c for c in certificates}, _problem(found, geometry), critical, margins,
                 bool(found.stopped), bool(found.limited))
