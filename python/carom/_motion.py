"""Motions: what a run leaves, as arrays."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, fields
from typing import Any, Iterator, Sequence

import numpy as np

from . import _html, _plot
from ._arrays import copied, viewed
from ._carom import ffi, lib
from ._errors import check, encoded, new_error, text
from ._view import View, show_page


@dataclass(frozen=True)
class MotionImpact:
    """One impact of a motion."""

    t: float
    contacts: tuple[str, ...]
    """those that were closed"""
    position: np.ndarray
    before: np.ndarray
    """u⁻"""
    after: np.ndarray
    """u⁺"""
    impulse: np.ndarray
    """of those contacts"""
    energy_change: float
    t_before: float
    """when the velocity was `before`: t, but for a passage through a boundary layer, which takes from here ..."""
    t_after: float
    """... to here; its t and position are those of the turning point"""


class MotionImpacts(Sequence):
    """The impacts of a motion: a sequence of `MotionImpact`, and arrays over all of them."""

    names: tuple[str, ...]
    """of all contacts"""
    t: np.ndarray
    """(impacts)"""
    position: np.ndarray
    """(impacts, coordinates)"""
    before: np.ndarray
    """(impacts, velocities), u⁻"""
    after: np.ndarray
    """(impacts, velocities), u⁺"""
    impulse: np.ndarray
    """(impacts, contacts); NaN where a contact was open"""
    energy_change: np.ndarray
    """(impacts)"""
    t_before: np.ndarray
    """(impacts), entries of passages through boundary layers; else as t"""
    t_after: np.ndarray
    """(impacts), their exits"""

    def __init__(self, names: tuple[str, ...], t, position, before, after, impulse, energy_change, t_before=None,
                 t_after=None):
        self.names = names
        self.t, self.position, self.before, self.after = t, position, before, after
        self.impulse, self.energy_change = impulse, energy_change
        self.t_before = t if t_before is None else t_before
        self.t_after = t if t_after is None else t_after

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        k = range(len(self))[k]
        closed = ~np.isnan(self.impulse[k])
        names = tuple(name for name, is_closed in zip(self.names, closed) if is_closed)
        return MotionImpact(float(self.t[k]), names, self.position[k], self.before[k], self.after[k],
                            self.impulse[k][closed], float(self.energy_change[k]), float(self.t_before[k]),
                            float(self.t_after[k]))

    def __repr__(self) -> str:
        return f"<MotionImpacts: {len(self)} impacts>"


@dataclass(frozen=True)
class Accumulation:
    """Infinitely many impacts before `t_limit`."""

    contact: str
    t_first: float
    t_last: float
    t_limit: float
    ratio: float
    impacts: int


@dataclass(frozen=True)
class Instant:
    """An event of the system that happened, with the state before and after what it sets."""

    t: float
    event: str
    position_before: np.ndarray
    velocity_before: np.ndarray
    position: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True)
class Ledger:
    """Where the energy went: final = initial + impacts + events + friction + forces + projection + balance_error."""

    initial: float
    final: float
    kinetic: float
    potential: float
    impacts: float
    events: float
    friction: float
    forces: float
    constraints: float
    projection: float
    balance_error: float
    largest_balance: float
    impact_loss: np.ndarray
    friction_loss: np.ndarray


def _names(table) -> tuple[str, ...]:
    return tuple(text(table.names[k]) if table.names != ffi.NULL else str(k + 1) for k in range(table.columns))


class Motion:
    """A motion: rows over time, impacts, and what is left at the end.

    `t` (rows), `q` (rows, coordinates), `u` (rows, velocities), `gap`, `force`, `friction`, `mode` by contact;
    `motion["x"]` is a column by its name, also `"t"`, `"x'"`. Arrays are read-only and are not copies.
    """

    title: str | None
    """of the scene"""
    law: str
    """that decided the impacts"""
    method: str
    """`event-driven`, `time-stepping` or `boundary-layer`"""
    end: str | None
    """`reached`, or why the motion ended before (None: a trace that was cut off)"""
    message: str | None
    """more about its end"""
    text: str | None
    """of the scene that was run"""
    parameters: dict[str, float]
    """of that scene, with their values"""
    coordinates: tuple[str, ...]
    """names of the columns of `q`"""
    velocities: tuple[str, ...]
    """names of the columns of `u`"""
    contacts: tuple[str, ...]
    """names of the columns of `gap`, `force`, `mode`"""
    t: np.ndarray
    """(rows)"""
    q: np.ndarray
    """(rows, coordinates)"""
    u: np.ndarray
    """(rows, velocities)"""
    gap: np.ndarray
    """(rows, contacts)"""
    force: np.ndarray
    """(rows, contacts), normal; of time-stepping: impulse by step"""
    friction: np.ndarray
    """(rows, slip directions)"""
    mode: np.ndarray
    """(rows, contacts), numbers of the words of `modes`"""
    impacts: MotionImpacts
    """impacts, and passages through boundary layers"""
    impact_count: int
    """of all impacts; steps of many bodies list some of them only"""
    accumulations: tuple[Accumulation, ...]
    """infinitely many impacts in a finite time"""
    changes: tuple[tuple[float, str, str, str], ...]
    """time, contact, mode before, mode after"""
    instants: tuple[Instant, ...]
    """events of the system that happened; none in a trace"""
    ledger: Ledger | None
    """where the energy went; None in a trace"""
    steps: int | None
    """of the method; None in a trace"""
    max_penetration: float | None
    """largest negative gap at any step; None in a trace"""
    warnings: tuple[str, ...]
    """of the run"""
    hash: str | None
    """of all rows and impacts: equal motions have equal ones"""

    def __init__(self, trace, owner: Any):
        self.title, self.law, self.method = text(trace.title), text(trace.law), text(trace.method)
        self.end, self.message = text(trace.end), text(trace.message)
        self.text = text(trace.scene)
        self.parameters = {text(trace.parameter_names[k]): trace.parameters[k] for k in range(trace.parameter_count)}
        rows, impacts = trace.rows, trace.impacts
        self.t = viewed(trace.t, owner, rows)
        for name, table in (("q", trace.position), ("u", trace.velocity), ("gap", trace.gap), ("force", trace.force),
                            ("friction", trace.friction), ("_energy", trace.energy)):
            setattr(self, name, viewed(table.values, owner, rows, table.columns))
        self.mode = viewed(trace.mode.values, owner, rows, trace.mode.columns).astype(np.uint8)
        self.coordinates, self.velocities = _names(trace.position), _names(trace.velocity)
        self.contacts, self._energies = _names(trace.gap), _names(trace.energy)
        self.impacts = MotionImpacts(
            self.contacts, viewed(trace.impact_t, owner, impacts),
            *(viewed(table.values, owner, impacts, table.columns)
              for table in (trace.impact_position, trace.impact_before, trace.impact_after, trace.impulse)),
            viewed(trace.impact_energy, owner, impacts))
        marks = viewed(trace.accumulation.values, owner, trace.accumulations, trace.accumulation.columns)
        self.accumulations = tuple(Accumulation(self.contacts[int(a[0])], *map(float, a[1:5]), int(a[5]))
                                   for a in marks)
        changes = viewed(trace.change.values, owner, trace.changes, trace.change.columns)
        self.changes = tuple((float(c[0]), self.contacts[int(c[1])], text(lib.carom_mode_text(int(c[2]))),
                              text(lib.carom_mode_text(int(c[3])))) for c in changes)
        self.ledger = None
        self.instants = ()
        self.steps = None
        self.impact_count = trace.all_impacts
        self.warnings = ()
        self.max_penetration = None
        self.hash = None
        self._last = (float(self.t[-1]), self.q[-1], self.u[-1]) if rows else None  # t, q, u where it ended
        self._owner = owner
        self._source: Any = None  # the C system, the C scene, how they are used

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Energies over time by name: `kinetic`, `potential`, `total`, and what went where until then."""
        table = dict(zip(self._energies, self._energy.T))
        table["total"] = table["kinetic"] + table["potential"]
        return table

    @property
    def complete(self) -> bool:
        """Did it reach the end time?"""
        return self.end == "reached"

    @property
    def modes(self) -> np.ndarray:
        """What each contact does in each row, in words."""
        words = np.array([text(lib.carom_mode_text(k)) for k in range(6)])
        return words[self.mode]

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "t":
            return self.t
        for names, table in ((self.coordinates, self.q), (self.velocities, self.u)):
            if name in names:
                return table[:, names.index(name)]
        raise KeyError(f"{name!r}: there are t, {', '.join(self.coordinates + self.velocities)}")

    def __len__(self) -> int:
        return len(self.t)

    def __iter__(self) -> Iterator:
        raise TypeError("a motion is no sequence; its rows are motion.t, motion.q, motion.u")

    def __repr__(self) -> str:
        early = "" if self.complete else f", ended early ({self.end}: {self.message})"
        if not len(self):
            return f"<Motion: {self.title or 'untitled'}, {self.method}, law {self.law}, no rows{early}>"
        return (f"<Motion: {self.title or 'untitled'}, {self.method}, law {self.law}, t = {self.t[0]:g} ... "
                f"{self.t[-1]:g} in {len(self)} rows, {len(self.impacts)} impacts{early}>")

    def _repr_html_(self) -> str:
        return _html.motion(self)

    def plot(self, what: str = "position", names: Sequence[str] | None = None, ax: Any = None) -> Any:
        """Curves over time: `position`, `velocity`, `energy`, or `phase`. Needs matplotlib; returns the axes."""
        return _plot.motion(self, what, names, ax)

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write the motion as a trace, HDF5 or (named .csv) CSV, for `carom view`, h5py and others. An existing file is
        refused unless force."""
        name = os.fspath(path)
        if not isinstance(name, str) or not name.endswith((".h5", ".hdf5", ".csv")):
            raise ValueError(f"path: {path!r}; a trace is a file named .h5, .hdf5 or .csv")
        if not force and os.path.exists(name):
            raise FileExistsError(errno.EEXIST, "it exists already; force=True writes over it", name)
        if self._source is None:
            raise ValueError("this motion was read from a file or unpickled: its system is not here to describe it")
        header = ffi.new("carom_trace_header *", {"system": self._source[0], "scene": self._source[1]})
        kept = [ffi.new("char[]", (word or "").encode()) for word in (self.title, self.law, self.method)]
        header.title = kept[0] if self.title is not None else ffi.NULL
        header.law, header.method = kept[1], kept[2]
        error = new_error()
        with self._source[2]:
            check(lib.carom_trace_save(self._trace(), encoded("path", name), bool(force), header, ffi.NULL, error), error)

    def view(self, path: Any = None) -> View:
        """The browser page of the motion: shown inline in a notebook, else opened in a browser. path: where the page
        is written (else in a temporary folder)."""
        return show_page([self], path)

    def _trace(self):
        if self._owner is None:
            raise ValueError("this motion was unpickled: its trace is not here; run it again")
        kept = ffi.typeof(self._owner) is ffi.typeof("bridge_motion *")
        return ffi.addressof(self._owner, "trace") if kept else self._owner

    def __getstate__(self):
        return self.__dict__ | {"_owner": None, "_source": None}


def read_result(motion: Motion, made, shape) -> Motion:
    """What a run tells beside its trace."""
    r, p = made.result, shape.p
    motion._last = r.t, copied(r.q, shape.nq), copied(r.u, shape.n)  # also where not even the start is a row
    ledger = r.ledger
    parts = {name: copied(getattr(ledger, name), p) for name in ("impact_loss", "friction_loss")}
    motion.ledger = Ledger(**parts, **{field.name: getattr(ledger, field.name) for field in fields(Ledger)
                                       if field.name not in parts})
    motion.instants = tuple(
        Instant(i.t, text(shape.events[i.event].name), copied(i.q_before, shape.nq), copied(i.u_before, shape.n),
                copied(i.q, shape.nq), copied(i.u, shape.n))
        for i in (r.instants[k] for k in range(r.instant_kept)))
    kept = min(r.warning_count, lib.CAROM_FLOW_WARNINGS)
    motion.warnings = tuple(text(r.warnings[k]) for k in range(kept))
    motion.impact_count = r.impact_count  # steps of many bodies count impacts that they do not list
    if motion.method == "boundary-layer":
        motion.impacts = _passages(r, shape, motion.contacts)
    motion.steps, motion.max_penetration, motion.hash = r.steps, r.max_penetration, f"{made.hash:016x}"
    return motion


def _passages(result, shape, names: tuple[str, ...]) -> MotionImpacts:
    """Passages through boundary layers, which a trace tells by its rows only: nothing jumps in them."""
    found = [result.impacts[k] for k in range(result.impact_kept)]
    impulse = np.full((len(found), shape.p), np.nan)
    for row, one in zip(impulse, found):
        row[ffi.unpack(one.contacts, one.contact_count)] = ffi.unpack(one.impulse, one.contact_count)

    def table(name: str, *columns: int) -> np.ndarray:
        values = [copied(getattr(one, name), *columns) if columns else getattr(one, name) for one in found]
        return np.array(values, dtype=float).reshape(len(found), *columns)

    return MotionImpacts(names, table("t"), table("q", shape.nq), table("before", shape.n), table("after", shape.n),
                         impulse, table("energy_change"), table("t_before"), table("t_after"))


def read_trace(path: Any) -> Motion:
    """A motion from a trace that `carom run -o` or `Motion.save` wrote (HDF5 or CSV)."""
    name = os.fspath(path)
    trace, error = ffi.new("carom_trace *"), new_error()
    check(lib.carom_trace_read(encoded("path", name), ffi.NULL, trace, error), error, name)
    return Motion(trace, ffi.gc(trace, lib.carom_trace_destroy))
