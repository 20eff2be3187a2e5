"""Many impacts of one structure at once, from arrays to arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _html, _laws
from ._arrays import finite, numbers, pointer, vector, whole
from ._carom import ffi, lib
from ._device import Device, opened
from ._errors import fail, new_error, text
from ._own_law import OwnLaw
from ._watch import Watch
from ._work import Serial


@dataclass(frozen=True)
class Impacts:
    """The outcomes of many impacts, along the leading axes of what was given.

    Numbers are NaN where the law has no outcome; `ok` tells where it has one, `status` says more.
    """

    law: str
    velocity: np.ndarray
    """u⁺, (..., n)"""
    normal_velocity: np.ndarray
    """γ⁺, (..., p)"""
    impulse: np.ndarray
    """Λ for the normals as given, (..., p)"""
    slip: np.ndarray
    """slip velocities after the impact, (..., s)"""
    tangential_impulse: np.ndarray
    """(..., s)"""
    energy_change: np.ndarray
    """kinetic energy after minus before, (...)"""
    answer: np.ndarray
    """numbers of the words of `status`, (...)"""
    verdict: np.ndarray
    """bits 1 kinematic, 2 kinetic, 4 energetic, (...)"""

    @property
    def ok(self) -> np.ndarray:
        """Where there is an outcome (one, or several of which the default choice is shown)."""
        return (self.answer == lib.CAROM_ANSWER_OK) | (self.answer == lib.CAROM_ANSWER_SEVERAL)

    @property
    def status(self) -> np.ndarray:
        """`ok`, `none`, `several`, `inapplicable` or `failed` for each impact."""
        words = [text(lib.carom_answer_text(k)) for k in range(lib.CAROM_ANSWER_FAILED + 1)]
        return np.array(words)[self.answer]

    @property
    def kinematic(self) -> np.ndarray:
        """Where no contact closes after the impact."""
        return (self.verdict & lib.CAROM_BATCH_KINEMATIC) != 0

    @property
    def kinetic(self) -> np.ndarray:
        """Where impulses push and stay in the friction cone."""
        return (self.verdict & lib.CAROM_BATCH_KINETIC) != 0

    @property
    def energetic(self) -> np.ndarray:
        """Where no energy is gained, as seen from the contacts."""
        return (self.verdict & lib.CAROM_BATCH_ENERGETIC) != 0

    def __len__(self) -> int:
        return len(self.answer)

    def _repr_html_(self) -> str:
        return _html.impacts(self)

    def __repr__(self) -> str:
        good = int(np.count_nonzero(self.ok))
        return f"<Impacts: law {self.law}, shape {self.answer.shape}, {good} of {self.answer.size} with an outcome>"


def impact(mass: Any, velocity: Any, normals: Any, restitution: Any = 0.0, law: Any = "newton", *,
           motion: Any = None, slips: Any = None, slip_motion: Any = None, friction: Any = None,
           tangential_restitution: Any = 0.0, stiffness: Any = 1.0, exponent: Any = 1.5,
           diagonal: bool | None = None, any_restitution: bool = False, threads: int = 0,
           device: str | None = None) -> Impacts:
    """Decide one impact, or many of one structure, by one law.

    mass (..., n) of diagonal matrices or (..., n, n); velocity (..., n) before the impact; normals (..., n, p),
    column i is w_i; restitution a number, (p,) or (..., p). Leading axes broadcast against each other. slips
    (..., n, s) are the columns of H, s = p (planar) or 2p (spatial); friction like restitution; motion (..., p)
    is ŵ, slip_motion (..., s) that of the slips. tangential_restitution, stiffness and exponent are numbers or
    (p,). A mass of shape (n, n) is a matrix; diagonal=True takes its rows as n diagonal ones. law is a text (see
    `carom.law`) or a law made by `carom.own_law`. threads: 0 means all processors. device: an accelerator by a part of
    its name, or "any" (see `carom.devices`); it decides by newton and inelastic, up to 16 velocities and 8 contacts,
    and by coulomb, up to 4 planar contacts, and its numbers agree with the processor's but for rounding.

    Arrays of doubles are read where they are, whatever their strides. The GIL is released.
    """
    inputs = _Inputs(mass, velocity, normals, motion, slips, slip_motion, restitution, friction, diagonal)
    contacts = inputs.contacts(tangential_restitution, stiffness, exponent)
    shared = ffi.new("carom_impact *", {"n": inputs.n, "p": inputs.p, "contacts": contacts,
                                        "mass_is_diagonal": inputs.diagonal})
    shared.flags = lib.CAROM_IMPACT_ANY_RESTITUTION if any_restitution else 0
    if not isinstance(law, (str, OwnLaw)):
        raise ValueError(f"law: {type(law).__name__} given; it must be a text or a law made by carom.own_law")
    chosen = law.parsed(inputs.n, inputs.p) if isinstance(law, OwnLaw) else _laws.parse(law, inputs.n, inputs.p)
    batch = ffi.new("carom_batch *", {"impact": shared, "law": chosen.c})
    batch.threads = whole("threads", threads, 0, 4096)
    shape = inputs.fill(batch)
    if device is not None and not isinstance(device, str):
        raise ValueError(f"device: {type(device).__name__} given; it must be a text: a part of a name, or any")
    return _apply(batch, inputs, shape, law if isinstance(law, str) else law.name, chosen,
                  None if device is None else opened(device))


def _apply(batch, inputs: _Inputs, shape: tuple[int, ...], label: str, chosen, device: Device | None) -> Impacts:
    n, p, s = inputs.n, inputs.p, inputs.s
    made = Impacts(label, np.empty(shape + (n,)), np.empty(shape + (p,)), np.empty(shape + (p,)),
                   np.empty(shape + (s,)), np.empty(shape + (s,)), np.empty(shape),
                   np.empty(shape, np.uint8), np.empty(shape, np.uint8))
    output = ffi.new("carom_batch_output *")
    for name in ("velocity", "normal_velocity", "impulse", "slip", "tangential_impulse", "energy_change"):
        setattr(output, name, pointer(getattr(made, name)))
    for name in ("answer", "verdict"):
        setattr(output, name, ffi.cast("unsigned char *", getattr(made, name).ctypes.data))
    if made.answer.size == 0:
        return made
    error, watch = new_error(), Watch("impact")
    batch.watch = watch.c()
    if device is None:
        with Serial():
            status = lib.carom_batch_apply(batch, output, error)
    else:
        if inputs.s == 0:
            output.slip = output.tangential_impulse = ffi.NULL
        with device.lock:
            status = lib.carom_device_apply(device.c, batch, output, ffi.NULL, error)
    watch.finish()
    _laws.raise_pending(chosen)
    if status < 0:
        inputs.explain()
        fail(error)
    return made


class _Inputs:
    """The arrays of a batch, checked against each other."""

    def __init__(self, mass, velocity, normals, motion, slips, slip_motion, restitution, friction, diagonal):
        W = numbers("normals", normals)
        if W.ndim == 1:
            W = W[:, None]
        if W.ndim < 2 or 0 in W.shape[-2:]:
            raise ValueError(f"normals: shape {W.shape}; it must be (..., n, p) with n and p at least 1")
        self.n, self.p = int(W.shape[-2]), int(W.shape[-1])
        n, p = self.n, self.p
        M = numbers("mass", mass)
        square = M.ndim >= 2 and M.shape[-2:] == (n, n) and not diagonal
        self.diagonal = not square
        if not square and (M.ndim < 1 or M.shape[-1] != n or diagonal is False):
            raise ValueError(f"mass: shape {M.shape}; it must be (..., {n}) or (..., {n}, {n}) for normals of shape "
                             f"{W.shape}")
        self.arrays = {"mass": (M, 2 if square else 1), "velocity": (self._fit("velocity", velocity, n), 1),
                       "normals": (W, 2)}
        self.s = 0
        if slips is not None:
            H = numbers("slips", slips)
            H = H[:, None] if H.ndim == 1 else H
            if H.ndim < 2 or H.shape[-2] != n or H.shape[-1] not in (p, 2 * p):
                raise ValueError(f"slips: shape {H.shape}; it must be (..., {n}, {p}), a direction for each contact, "
                                 f"or (..., {n}, {2 * p}), two for each")
            self.s = int(H.shape[-1])
            self.arrays["slips"] = (H, 2)
        if slip_motion is not None and slips is None:
            raise ValueError("slip_motion: it needs slips, the directions that it is of")
        for name, value, size in (("motion", motion, p), ("slip_motion", slip_motion, self.s),
                                  ("restitution", restitution, p), ("friction", friction, p)):
            if value is None:
                continue
            array = numbers(name, value)
            if array.ndim == 0 or array.shape[-1] == 1:
                array = np.broadcast_to(array, array.shape[:-1] + (size,))
            self.arrays[name] = (self._fit(name, array, size), 1)

    @staticmethod
    def _fit(name: str, value: Any, size: int) -> np.ndarray:
        array = numbers(name, value)
        if array.ndim < 1 or array.shape[-1] != size:
            raise ValueError(f"{name}: shape {array.shape}; its last axis must have {size} entries"
                             + (" (one number for each impact: x[..., None])" if array.ndim else ""))
        return array

    def contacts(self, tangential_restitution, stiffness, exponent):
        """Contacts with what does not vary."""
        made = ffi.new("carom_contact[]", self.p)
        e_t, k, eta = (vector(name, value, self.p) for name, value in
                       (("tangential_restitution", tangential_restitution), ("stiffness", stiffness),
                        ("exponent", exponent)))
        for i in range(self.p):
            made[i] = lib.carom_contact_default()
            made[i].slip_count = self.s // self.p
            made[i].tangential_restitution, made[i].stiffness, made[i].exponent = e_t[i], k[i], eta[i]
        return made

    def fill(self, batch) -> tuple[int, ...]:
        """Point the batch at the arrays; the shape of the leading axes."""
        try:
            lead = np.broadcast_shapes(*(a.shape[:a.ndim - own] for a, own in self.arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {a.shape}" for name, (a, _) in self.arrays.items())
            raise ValueError(f"leading axes do not broadcast: {shapes}") from None
        self.kept = {}
        flat = len(lead) > lib.CAROM_BATCH_AXES
        for name, (array, own) in self.arrays.items():
            array = np.broadcast_to(array, lead + array.shape[array.ndim - own:])
            if flat:
                array = np.reshape(array, (-1,) + array.shape[array.ndim - own:])
            if not array.flags.aligned or any(step % 8 for step in array.strides):
                array = np.ascontiguousarray(array)
            self._point(getattr(batch, name), array, own)
            self.kept[name] = array
        axes = (int(np.prod(lead, dtype=np.int64)),) if flat else lead
        batch.axes = len(axes)
        for k, size in enumerate(axes):
            batch.size[k] = size
        return lead

    @staticmethod
    def _point(place, array: np.ndarray, own: int) -> None:
        steps = [step // 8 for step in array.strides]
        place.data = pointer(array)
        for k, step in enumerate(steps[:array.ndim - own]):
            place.step[k] = step
        place.row = steps[-own]
        place.column = steps[-1] if own == 2 else 0

    def explain(self) -> None:
        """Name the argument to blame for a refusal, if it holds a number that is not finite."""
        for name, (array, _) in self.arrays.items():
            finite(name, np.where(np.isinf(array), 0, array) if name == "friction" else array)
