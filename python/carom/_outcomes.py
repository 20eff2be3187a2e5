"""The outcome of laws for one impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Iterator

import numpy as np

from . import _html, _plot
from ._arrays import copied
from ._carom import ffi, lib
from ._errors import text


@dataclass(frozen=True)
class Verdict:
    """The three requirements on any outcome, with the numbers behind them."""

    kinematic: bool
    """contacts do not close: γ⁺ ≥ 0"""
    kinetic: bool
    """impulses push and stay in the friction cone"""
    energetic: bool
    """no energy is gained as seen from the contacts"""
    least_velocity: float
    """smallest γ⁺"""
    least_impulse: float
    """smallest impulse, or distance from the border of the friction cone"""
    energy_gain: float
    """½‖u⁺−b‖² − ½‖u⁻−b‖²"""
    momentum_error: float
    """what the impulses leave unexplained, relative to the speed"""

    def __str__(self) -> str:
        return " ".join("✓" if good else "✗" for good in (self.kinematic, self.kinetic, self.energetic))


@dataclass(frozen=True, repr=False)
class Outcome:
    """What one law says. Arrays are None where the law has no outcome."""

    law: str
    label: str
    """the name with the parameters that tell it from others"""
    parameters: dict[str, Any]
    status: str
    """`ok`, `none`, `several`, `inapplicable` or `failed`"""
    message: str
    certificate: str | None
    """what theory promises for this law here"""
    velocity: np.ndarray | None = None
    """u⁺ (n)"""
    normal_velocity: np.ndarray | None = None
    """γ⁺ (p)"""
    impulse: np.ndarray | None = None
    """Λ (p)"""
    impulse_unique: bool | None = None
    slip: np.ndarray | None = None
    """slip velocities, contact after contact (s)"""
    tangential_impulse: np.ndarray | None = None
    """(s)"""
    spread_impulse: np.ndarray | None = None
    """reaction of second-order cones beside Λ"""
    bilateral_impulse: np.ndarray | None = None
    permanent_impulse: np.ndarray | None = None
    mode: tuple[str, ...] | None = None
    """`open`, `closed`, `stick`, `slip+`, `slip-`, `slip` for each contact"""
    energy: float | None = None
    energy_change: float | None = None
    verdict: Verdict | None = None
    details: dict[str, Any] = field(default_factory=dict)
    alternatives: tuple["Outcome", ...] = ()
    """the other outcomes where there are several"""

    def __bool__(self) -> bool:
        """Has the law an outcome?"""
        return self.velocity is not None

    def _repr_html_(self) -> str:
        v = self.verdict
        told = {"status": self.status, "velocity": self.velocity, "impulse": self.impulse,
                "modes": ", ".join(self.mode or ()), "energy change": self.energy_change,
                "kinematic": v and v.kinematic, "kinetic": v and v.kinetic, "energetic": v and v.energetic}
        return _html.pairs(self.label, told, self.message)

    def __repr__(self) -> str:
        if not self:
            return f"<Outcome {self.label}: {self.status}: {self.message}>"
        velocity = np.array2string(self.velocity, precision=6, threshold=8)
        return f"<Outcome {self.label}: {self.status}, velocity {velocity}, {self.verdict}>"


def read_outcome(one, geometry, law, label: str, parameters: dict, certificate: str | None) -> Outcome:
    """A carom_outcome as Python keeps it."""
    def value(detail):
        if detail.vector != ffi.NULL:
            return np.array(ffi.unpack(detail.vector, geometry.impact.n))
        return text(detail.text) if detail.text != ffi.NULL else detail.value

    details = {text(one.details[k].name): value(one.details[k]) for k in range(one.detail_count)}
    about = {"law": text(law.ops.name), "label": label, "parameters": parameters,
             "status": text(lib.carom_answer_text(one.answer)), "message": text(one.message),
             "certificate": certificate or None, "details": details}
    if one.answer not in (lib.CAROM_ANSWER_OK, lib.CAROM_ANSWER_SEVERAL):
        return Outcome(**about)
    impact = geometry.impact
    n, p, s = impact.n, impact.p, geometry.s
    v = one.verdict
    joints = copied(one.joint_impulse, impact.m + impact.a)
    others = tuple(read_outcome(one.alternatives[k], geometry, law, label, parameters, None)
                   for k in range(one.alternative_count))
    return Outcome(
        **about, velocity=copied(one.u, n), normal_velocity=copied(one.gamma, p), impulse=copied(one.impulse, p),
        impulse_unique=bool(one.impulse_unique), slip=copied(one.slip, s),
        tangential_impulse=copied(one.tangential_impulse, s),
        spread_impulse=copied(one.spread_impulse, geometry.spread_start[p]),
        bilateral_impulse=None if joints is None else joints[:impact.m],
        permanent_impulse=None if joints is None else joints[impact.m:],
        mode=tuple(text(lib.carom_mode_text(one.mode[i])) for i in range(p)), energy=one.energy,
        energy_change=one.energy_change,
        verdict=Verdict(bool(v.kinematic), bool(v.kinetic), bool(v.energetic), v.least_velocity, v.least_impulse,
                        v.energy_gain, v.momentum_error),
        alternatives=others)


@dataclass(frozen=True)
class Before:
    """An impact before any law: velocities and energy, contacts, geometry."""

    velocity: np.ndarray
    normal_velocity: np.ndarray
    energy: float
    delassus: np.ndarray
    """W'M⁻¹W, within the joints"""
    kinetic_angles: np.ndarray
    frame_velocity: np.ndarray
    """b, the velocity of the moving contacts"""
    approaching: bool
    dependent: bool


class Outcomes(Mapping):
    """Outcomes by the label of their law, in the order asked for; the bare name of a law gives its first.

    >>> outcomes["newton"].velocity, outcomes["path:stop=stronge"].impulse       # doctest: +SKIP
    """

    title: str | None
    """of the scene"""
    coordinates: tuple[str, ...]
    """names of the velocities"""
    contacts: tuple[str, ...]
    """those that collide"""
    before: Before
    """the impact before any law"""

    def __init__(self, title: str | None, coordinates: tuple[str, ...], contacts: tuple[str, ...], before: Before,
                 outcomes: list[Outcome]):
        self.title, self.coordinates, self.contacts, self.before = title, coordinates, contacts, before
        self._outcomes = tuple(outcomes)

    def __getitem__(self, label: str) -> Outcome:
        for one in self._outcomes:
            if one.label == label:
                return one
        for one in self._outcomes:
            if one.law == label:
                return one
        raise KeyError(f"{label!r}: there are {', '.join(self)}")

    def __iter__(self) -> Iterator[str]:
        return (one.label for one in self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)

    def _repr_html_(self) -> str:
        return _html.outcomes(self)

    def plot(self, ax: Any = None) -> Any:
        """Velocities after the impact by law. Needs matplotlib; returns the axes."""
        return _plot.outcomes(self, ax)

    def __repr__(self) -> str:
        lines = [f"<Outcomes: {self.title or 'impact'}, contacts {', '.join(self.contacts)}>"]
        width = max((len(label) for label in self), default=0)
        for one in self._outcomes:
            if one:
                numbers = " ".join(f"{value:12.6g}" for value in one.velocity[:8])
                lines.append(f"  {one.label:{width}}  {one.verdict}  {numbers}{' ...' if len(one.velocity) > 8 else ''}")
            else:
                lines.append(f"  {one.label:{width}}  {one.status}: {one.message}")
        return "\n".join(lines)
