"""Derivatives of motions with respect to parameters and initial values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _html
from ._arrays import copied, number, whole
from ._carom import ffi, lib
from ._errors import CaromError, SceneError, check, encoded, new_error, text
from ._watch import Watch, keep_error


class Sides(NamedTuple):
    """Derivatives from either side, shaped as a gradient: nan where there is none, infinite at a grazing."""

    left: np.ndarray
    right: np.ndarray


@dataclass(frozen=True)
class Gradient:
    """The derivative of a motion's end (or of an impact): exact, through impacts, friction and events."""

    of: tuple[str, ...]
    wrt: tuple[str, ...]
    value: Any
    """a number for one formula, else an array"""
    gradient: np.ndarray | None
    """(wrt) for one formula, else (of, wrt); None where it does not exist"""
    exists: bool
    reason: str | None
    """the event to blame where the motion itself does not tell it; it exists all the same where both sides agree"""
    t: float
    events: int
    """impacts, events and changes of mode on the way"""
    one_sided: Sides | None = None
    """where it does not exist: derivatives from the left and from the right"""

    def __bool__(self) -> bool:
        return self.exists

    def _repr_html_(self) -> str:
        rows = np.atleast_2d(self.gradient) if self.exists else [[None] * len(self.wrt)] * len(self.of)
        values = np.atleast_1d(self.value)
        return _html.table("gradient", ["", "value", *(f"by {name}" for name in self.wrt)],
                           ([name, value, *row] for name, value, row in zip(self.of, values, rows)), self.reason or "")

    def __repr__(self) -> str:
        if not self.exists:
            return f"<Gradient of {', '.join(self.of)}: does not exist: {self.reason}>"
        return f"<Gradient of {', '.join(self.of)} by {', '.join(self.wrt)}: {self.gradient.tolist()}>"


def names_of(name: str, given: Any) -> tuple[str, ...]:
    """One text, or several."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if not names or not all(isinstance(one, str) for one in names):
        raise ValueError(f"{name}: {given!r}; it must be a text or a list of texts")
    return names


class _Directions:
    """How the scene changes with each name, as carom_orbit_run wants it."""

    def __init__(self, scene, content, shape, names: Sequence[str], fixed_end: bool, arena, file):
        k = len(names)
        self.t, self.until = np.zeros(k), np.zeros(k)
        self.q, self.u = np.zeros((k, shape.nq)), np.zeros((k, shape.n))
        self.parameters = np.zeros((k, content.parameter_count))
        self.contacts, self.value = ffi.new("carom_contact *[]", k), []
        for j, name in enumerate(names):
            d, error = ffi.new("carom_scene_direction *"), new_error()
            check(lib.carom_scene_direction_create(scene, encoded("wrt", name), arena, d, error), error, file)
            self.t[j], self.until[j] = d.t, 0.0 if fixed_end else d.until
            self.q[j], self.u[j] = copied(d.q, shape.nq), copied(d.u, shape.n)
            self.parameters[j] = copied(d.parameters, content.parameter_count)
            self.contacts[j] = d.contacts
            self.value.append(d.value)
        self.c = ffi.new("carom_orbit_directions *", {"k": k, "contacts": self.contacts} | {
            name: ffi.cast("double *", getattr(self, name).ctypes.data)
            for name in ("t", "until", "q", "u", "parameters")})


def gradient(scene, content, law, options, of: Any, wrt: Any, at_impact: int | None, at_accumulation: bool,
             fixed_end: bool, arena, file: str | None) -> tuple[Gradient, list[float]]:
    """The derivative along one motion, and the values of `wrt`; `scene` was read with derivatives. fixed_end: the time
    of the end was given, and does not move with the scene's `until`."""
    formulas, names = names_of("of", of), names_of("wrt", wrt)
    if options.method != lib.CAROM_FLOW_EVENT_DRIVEN:
        raise ValueError("method: only event-driven motions have derivatives")
    shape = lib.carom_system_get_shape(content.system)
    directions = _Directions(scene, content, shape, names, fixed_end, arena, file)
    place = ffi.new("bridge_place *", {"impact": 0 if at_impact is None else whole("at_impact", at_impact, 1),
                                       "accumulation": bool(at_accumulation)})
    result, tangents, error = ffi.new("carom_flow_result *"), ffi.new("carom_orbit_tangents *"), new_error()
    watch = Watch("gradient", content.initial.t, options.until)
    status = lib.bridge_gradient(content.system, law.c, ffi.addressof(content.initial), options, directions.c, place,
                                 watch.handle, arena, result, tangents, error)
    watch.finish()
    check(status, error, file)
    asked = bool(place.impact) or bool(place.accumulation)
    if asked and not place.reached:
        raise CaromError(f"the motion has {result.impact_count} impacts and {result.accumulation_count} accumulations "
                         f"until t = {result.t:g}")
    if not asked and status != lib.CAROM_OK:
        raise CaromError(f"the motion ended at t = {result.t:g}: {text(result.message)}")
    if place.accumulation and tangents.limit == ffi.NULL:
        raise CaromError("the accumulation has too few impacts to tell its limit")
    t = place.t if place.accumulation else result.t
    along = ffi.new("carom_directions *", {"k": len(names), "t": tangents.limit if place.accumulation else tangents.t,
                                           "q": tangents.q, "u": tangents.u, "parameters": directions.c.parameters})
    value, rows = np.empty(len(formulas)), np.empty((len(formulas), len(names)))
    for i, formula in enumerate(formulas):
        value[i] = _evaluate(scene, formula, t, result, along, arena, rows[i])
    exists, single = bool(tangents.exists), isinstance(of, str)
    reason = None if exists else text(tangents.reason)
    for i, formula in enumerate(formulas):  # the motion has a derivative, the formula may have none
        if exists and not (np.isfinite(value[i]) and np.isfinite(rows[i]).all()):
            exists = False
            reason = (f"{formula} has a kink or a jump at t = {t:.12g} (abs, min, max, sign, if), and the direction "
                      "crosses it" if np.isfinite(value[i]) else f"{formula} is not a finite number at t = {t:.12g}")
    found = Gradient(formulas, names, float(value[0]) if single else value,
                     (rows[0] if single else rows) if exists else None, exists, reason, t, tangents.events)
    return found, directions.value


def _evaluate(scene, formula: str, t: float, result, along, arena, row: np.ndarray) -> float:
    expr, error, value = ffi.new("carom_expr **"), new_error(), ffi.new("double *")
    if lib.carom_scene_formula_create(scene, encoded("of", formula), 0, expr, error):
        raise SceneError(f"of: {formula}: {text(error.text)}")
    try:
        check(lib.carom_expr_tangent(expr[0], t, result.q, result.u, along, arena, value,
                                     ffi.cast("double *", row.ctypes.data), error), error)
    finally:
        lib.carom_expr_destroy(expr[0])
    return value[0]


class _Neighbours:
    """What carom_orbit_one_sided asks: the derivative by one name, with its number moved."""

    def __init__(self, again: Callable[[float], Gradient], value: float):
        self.again, self.value, self.error = again, value, None
        self.handle = ffi.new_handle(self)


def with_sides(found: Gradient, values: Sequence[float], again: Callable[[str, float], Gradient], arena) -> Gradient:
    """A gradient that the motion itself does not tell, from its neighbours; values: of the names."""
    here = np.ascontiguousarray(np.atleast_1d(found.value), dtype=float)
    sides, agree = np.empty((2, len(found.wrt), len(here))), True
    for j, (name, value) in enumerate(zip(found.wrt, values)):
        alone = again(name, value) if len(found.wrt) > 1 else found
        if alone.exists:  # another direction has none
            sides[:, j] = np.reshape(alone.gradient, -1)
            continue
        keeper = _Neighbours(lambda moved, name=name: again(name, moved), value)
        error, same = new_error(), ffi.new("bool *")
        c = ffi.new("carom_orbit_neighbours *", {
            "self": keeper.handle, "count": len(here), "scale": abs(value) or 1.0,
            "here": ffi.cast("double *", here.ctypes.data), "at": lib.bridge_neighbour})
        left, right = (ffi.cast("double *", sides[k, j].ctypes.data) for k in (0, 1))
        status = lib.carom_orbit_one_sided(c, arena, left, right, same, error)
        if keeper.error is not None:
            raise keeper.error
        check(status, error)
        agree = agree and same[0]
    single = np.ndim(found.value) == 0
    left, right = (one.T[0] if single else one.T.copy() for one in sides)
    return replace(found, gradient=right, exists=True) if agree else replace(found, one_sided=Sides(left, right))


@ffi.def_extern(error=lib.CAROM_ERROR_CALLBACK, onerror=keep_error)
def bridge_neighbour(python, offset, values, derivatives, exists, error):
    keeper = ffi.from_handle(python)
    try:
        near = keeper.again(keeper.value + offset)
    except CaromError:
        return lib.CAROM_STOPPED
    for i, one in enumerate(np.atleast_1d(near.value)):
        values[i] = one
        derivatives[i] = np.reshape(near.gradient, (-1,))[i] if near.exists else 0.0
    exists[0] = near.exists
    return lib.CAROM_OK
