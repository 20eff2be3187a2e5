"""Scenes: read, decide their impact, run them."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterable, Mapping

import numpy as np

from . import _html, _laws
from ._arrays import copied, copied_columns, number, pointer, whole
from ._carom import ffi, lib
from ._errors import (CaromError, NoContactError, SceneError, SceneWarning, check, encoded, new_error, text)
from ._basins import Basins, basins
from ._check import Check, run_check
from ._follow import Branch, follow
from ._gradient import Gradient, gradient, with_sides
from ._inspection import Inspection, look
from ._motion import Motion, read_result
from ._orbit import Lyapunov, Orbit, lyapunov, orbit
from ._outcomes import Before, Outcome, Outcomes, read_outcome
from ._own_law import OwnLaw
from ._points import KINDS, Points, collect, names_of, table
from ._possible import Possible, possible
from ._sweep import Sweep, sweep
from ._watch import Watch
from ._work import Arena, InUse, check_room
from ._world import written

USUAL_ROWS = 1000


def load(path: Any, set: Mapping[str, Any] | None = None, *, any_restitution: bool = False) -> "Scene":
    """Read a scene file. `set` overrides parameters and initial values: {"e": 0.5, "initial.x": 0.1}."""
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    with open(name, "rb") as file:
        content = file.read()
    return Scene(content, set, any_restitution=any_restitution, file=name)


class Scene:
    """A scene in memory: an impact in numbers, or a system in formulas.

    `Scene(text)` reads a text in the format of scene files, or the same as a mapping; `carom.load(path)` a file;
    `carom.scenes.cradle()` a bundled one; `World.scene` makes one of bodies. A scene does not change: `scene.set(e=0.5)` makes another. It may be used from any thread, one
    at a time; threads that work at once take scenes of their own. It pickles as its text.
    """

    file: str | None
    """that it was read from"""

    def __init__(self, text: str | bytes | Mapping[str, Any], set: Mapping[str, Any] | None = None, *, any_restitution: bool = False,
                 file: str | None = None):
        if isinstance(text, Mapping):
            text = written(text)
        if not isinstance(text, (str, bytes)):
            raise ValueError(f"text: {type(text).__name__} given; it must be a text or a mapping (a file is read by carom.load)")
        if isinstance(text, str) and text.endswith((".yaml", ".yml")) and "\n" not in text:
            raise ValueError(f"text: {text!r} is the name of a file; a file is read by carom.load")
        if set is not None and not isinstance(set, Mapping):
            raise ValueError(f"set: {type(set).__name__} given; it must be a mapping of names to values")
        self._text = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        self._set = dict(set or {})
        self._any, self.file = bool(any_restitution), file
        self._use = InUse("scene")
        self._read()
        for line, column, note in self.notes:
            warnings.warn(f"{file or 'scene'}:{line}:{column}: {note}", SceneWarning, stacklevel=2)

    def _read(self) -> None:
        self._c = self._make()
        self._content = lib.carom_scene_get(self._c)
        self._laws: dict[str, Any] = {}
        self._exact = None

    def _make(self, derivatives: bool = False):
        """The scene in C."""
        sets = [encoded("set", f"{key}={_setting(key, value)}") for key, value in self._set.items()]
        kept = [ffi.new("char[]", one) for one in sets]
        options = ffi.new("carom_scene_options *")
        pointers = ffi.new("char *[]", kept) if kept else ffi.NULL
        options.sets, options.set_count, options.any_restitution = pointers, len(kept), self._any
        options.derivatives = derivatives
        folder = ffi.new("char[]", os.fsencode(os.path.join(os.path.dirname(self.file), ""))) if self.file else None
        if folder is not None and len(folder) > 1:
            options.folder = folder
        error, made = new_error(), ffi.new("carom_scene **")
        check(lib.carom_scene_read_text(self._text, len(self._text), options, made, error), error, self.file)
        return ffi.gc(made[0], lib.carom_scene_destroy)

    def __reduce__(self):
        return _remake, (self._text, self._set, self._any, self.file)

    # ---- what it says ----

    @property
    def text(self) -> str:
        """The text it was read from."""
        return self._text.decode("utf-8", "surrogateescape")

    @property
    def title(self) -> str | None:
        """Its title."""
        return text(self._content.title)

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with their values, overrides included."""
        c = self._content
        return {text(c.parameters[k].name): c.parameters[k].value for k in range(c.parameter_count)}

    @property
    def notes(self) -> tuple[tuple[int, int, str], ...]:
        """Warnings of the reader: line, column, text."""
        c = self._content
        return tuple((c.notes[k].line, c.notes[k].column, text(c.notes[k].text)) for k in range(c.note_count))

    @property
    def moves(self) -> bool:
        """Is it a system, that can be run?"""
        return self._content.system != ffi.NULL

    @property
    def runs(self) -> bool:
        """Does it say how to run (`run:`)?"""
        return self.moves and self._content.run != ffi.NULL

    @property
    def period(self) -> float:
        """The time between samples, or the time modulus; 0 where it says none."""
        return self._content.period

    @property
    def section(self) -> bool:
        """Does it say where samples are taken (`section:`)?"""
        return self._content.section != ffi.NULL

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates of a system."""
        shape = self._shape()
        return tuple(text(shape.coordinates[k]) for k in range(shape.nq)) if shape else ()

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities of a system."""
        shape = self._shape()
        return tuple(text(shape.velocities[k]) for k in range(shape.n)) if shape else ()

    @property
    def contacts(self) -> tuple[str, ...]:
        """Names of all contacts."""
        shape = self._shape()
        owner, count = (shape, shape.p) if shape else (self._content.impact, self._content.impact.p)
        return contact_names(owner.contacts, count)

    def _shape(self):
        return lib.carom_system_get_shape(self._content.system) if self.moves else None

    def set(self, values: Mapping[str, Any] | None = None, /, **names: Any) -> "Scene":
        """The scene with other parameters or initial values: scene.set(e=0.5), scene.set({"initial.x": 1})."""
        return Scene(self._text, self._set | dict(values or {}) | names, any_restitution=self._any, file=self.file)

    def _repr_html_(self) -> str:
        told = {"coordinates": ", ".join(self.coordinates), "contacts": ", ".join(self.contacts[:40])} | self.parameters
        return _html.pairs(self.title or self.file or "scene", told)

    def __repr__(self) -> str:
        kind = "system" if self.moves else "impact"
        parameters = ", ".join(f"{key}={value:g}" for key, value in list(self.parameters.items())[:8])
        return f"<Scene: {self.title or self.file or 'untitled'}, {kind}, contacts {', '.join(self.contacts[:6])}" + (
            " ..." if len(self.contacts) > 6 else "") + (f", {parameters}>" if parameters else ">")

    # ---- laws ----

    def _law(self, written: Any, method: int = lib.CAROM_FLOW_EVENT_DRIVEN):
        """A law for C: asked for by text or object; None: the one that decides the impacts of the scene."""
        if isinstance(written, OwnLaw):
            return written.parsed(0, 0)
        if written is not None and not isinstance(written, str):
            raise ValueError(f"law: {type(written).__name__} given; it must be a text or a law made by carom.own_law")
        key = written, method
        if key in self._laws:
            return self._laws[key]
        if len(self._laws) > 1000:
            self._read()  # values of laws belong to the scene; thousands of them go with it
        error, made, unused = new_error(), ffi.new("carom_law *"), ffi.new("char **")
        asked = ffi.NULL if written is None else encoded("law", written)
        check(lib.carom_scene_choose_motion_law(self._c, asked, method, made, ffi.NULL, unused, error), error,
              self.file if written is None else None)
        if unused[0] != ffi.NULL:
            warnings.warn(f"law {text(unused[0])} is not used: boundary layers decide how contacts rebound", SceneWarning,
                          stacklevel=2)
        self._laws[key] = _laws.HeldLaw(made)
        return self._laws[key]

    # ---- impact ----

    def impact(self, law: Any = None, *, at: float | None = None, at_impact: int | None = None,
               closed: float = 1e-9) -> Outcomes:
        """The outcome of every law (or of `law`: one, or a list of them) for the impact of the scene.

        Of a system the contacts with a gap up to `closed` at its initial state collide; at: those at that time of its
        motion; at_impact: those of its impact with that number (from 1).
        """
        instant = self._instant(at, at_impact)
        with self._use, Arena() as arena:
            held = self._asked(law)
            geometry, kept = self._geometry(arena, number("closed", closed, 0), instant)
            made = self._decide(held, geometry, arena)
            return Outcomes(self.title, self._velocity_names(geometry.impact),
                            contact_names(geometry.impact.contacts, geometry.impact.p), before_of(geometry), made)

    def _asked(self, law: Any) -> list:
        """Laws for C: one, a list of them, or (None) every variant."""
        asked = [law] if isinstance(law, (str, OwnLaw)) else law
        if asked is not None and not isinstance(asked, Iterable):
            raise ValueError(f"law: {type(law).__name__} given; it must be a text or a list of texts")
        return [self._law(one) for one in (_laws.variants() if asked is None else asked)]

    def _decide(self, held: list, geometry, arena) -> list[Outcome]:
        made = [apply_law(one.c, label, geometry, arena)
                for one, label in zip(held, _laws.labels([one.c for one in held]))]
        _laws.raise_pending(*held)
        return made

    def outcomes(self, *, levels: Iterable[float] = (0, 0.25, 0.5, 0.75, 1), measured: Any = None, samples: int = 2000,
                 seed: int = 0, tolerance: float = 1e-6, law: Any = None, at: float | None = None,
                 at_impact: int | None = None, closed: float = 1e-9) -> Possible:
        """Everything the impact can lead to: the set of velocities that no requirement forbids, with ranges that are
        proved, what every order of impulses leads to, and where a measured velocity lies: in the set, and how far
        from every law (or from `law`, as in `impact`). at, at_impact: as in `impact`."""
        instant = self._instant(at, at_impact)
        with self._use, Arena() as arena:
            held = self._asked(law)
            geometry, kept = self._geometry(arena, number("closed", closed, 0), instant)
            return possible(geometry, levels, measured, samples, seed, tolerance,
                            lambda: self._decide(held, geometry, arena), arena)

    def inspect(self, *, at: float | None = None, at_impact: int | None = None, closed: float = 1e-9) -> Inspection:
        """What is derived from the scene at its initial state, or at an instant of its motion (at, at_impact: as in
        `impact`): mass matrix, forces, gaps, normals, slips, joints, and the geometry of the closed contacts."""
        instant = self._instant(at, at_impact)
        with self._use, Arena() as arena:
            geometry, kept = self._geometry(arena, number("closed", closed, 0), instant, some=False)
            return look(self, geometry, *kept, arena)

    def check(self, *, at: float | None = None, at_impact: int | None = None, closed: float = 1e-9,
              effort: float = 1.0) -> Check:
        """Certificates of the scene's restitution and friction for all velocities, with proofs and counter-examples;
        for a system also the contact problem at its initial state, or at an instant of its motion (at, at_impact: as
        in `impact`). effort: times the usual limit on the work."""
        instant = self._instant(at, at_impact)
        with self._use, Arena() as arena:
            geometry, (impact, state, numbers) = self._geometry(arena, number("closed", closed, 0), instant)
            return run_check(self.title, geometry, self._content.law, self._content.system, state, numbers,
                             number("effort", effort, 0), arena)

    def _velocity_names(self, impact) -> tuple[str, ...]:
        if self.moves:
            return self.velocities
        given = impact.coordinates
        return tuple(text(given[k]) if given != ffi.NULL and given[k] != ffi.NULL else f"u{k + 1}"
                     for k in range(impact.n))

    def _instant(self, at: float | None, at_impact: int | None):
        """t, q, u and the struck contacts at an instant of the motion; None: none is asked for."""
        if at is None and at_impact is None:
            return None
        if at is not None and at_impact is not None:
            raise ValueError("at, at_impact: one of them, not both")
        if not self.moves:
            raise ValueError("at, at_impact: an impact in numbers has no motion")
        if at is not None:
            at = number("at", at, self._content.initial.t)
            motion = self._run_from(None, at, 0, None, {})
            if not motion.complete:
                raise CaromError(f"ended at t = {motion._last[0]:.10g}, before t = {at:g}: {motion.message or motion.end}")
            return at, motion.q[-1], motion.u[-1], ()
        wanted = whole("at_impact", at_impact, 1)
        motion = self._run_from(None, None, 0, None, {})
        found, k = motion.impacts, wanted - 1
        if k >= len(found):
            raise CaromError(f"there are {len(found)} impacts up to t = {motion._last[0]:.10g}, at_impact {k + 1} is beyond"
                             + (f"; {motion.message}" if motion.message else ""))
        return float(found.t[k]), found.position[k], found.before[k], np.flatnonzero(~np.isnan(found.impulse[k]))

    def _geometry(self, arena, closed: float, instant=None, some: bool = True):
        """The geometry of the scene's impact, in an arena; what must be kept alive with it. some: no closed contact
        is an error."""
        error, impact = new_error(), ffi.new("carom_impact *")
        state = None
        shape = self._shape() or self._content.impact
        check_room(shape.n, shape.p)
        if self.moves:
            state = self._state(arena, closed, instant)
            for i in instant[3] if instant else ():  # what takes part is closed, to the rounding of its place
                closed = max(closed, state.g[int(i)])
            numbers = ffi.new("int[]", self._shape().p + 1)
            check(lib.carom_impact_from_system(self._content.system, state, closed, arena, impact, numbers, error),
                  error, self.file)
            if impact.p == 0 and some:
                raise NoContactError(self._nearest(state))
        else:
            impact[0] = self._content.impact[0]
            numbers = None
        if self._any:
            impact.flags |= lib.CAROM_IMPACT_ANY_RESTITUTION
        geometry = ffi.new("carom_geometry *")
        status = lib.carom_impact_derive(impact, arena, geometry, error)
        if status == lib.CAROM_ERROR_ARGUMENT:
            raise SceneError(text(error.text), file=self.file)
        check(status, error, self.file)
        return geometry, (impact, state, numbers)

    def _state(self, arena, closed: float, instant=None):
        """The system at its initial state, or at an instant of its motion, evaluated."""
        system, shape, start = self._content.system, self._shape(), self._content.initial
        state, error = ffi.new("carom_state *"), new_error()
        check(lib.carom_state_create(system, arena, state, error), error)
        if instant is not None:
            kept = [np.ascontiguousarray(one) for one in instant[1:3]]
            start = ffi.new("carom_flow_start *", {"t": instant[0], "q": pointer(kept[0]), "u": pointer(kept[1])})
        state.t = start.t
        ffi.memmove(state.q, start.q, 8 * shape.nq)
        ffi.memmove(state.u, start.u, 8 * shape.n)
        check(lib.carom_system_check(system, closed, arena, state, error), error, self.file)
        check(lib.carom_system_evaluate(system, lib.CAROM_WANT_ALL, state, error), error, self.file)
        return state

    def _nearest(self, state) -> str:
        gaps = copied(state.g, len(self.contacts))
        if not len(gaps):
            return "no contact is closed: the system has no contacts"
        k = int(np.argmin(gaps))
        return f"no contact is closed: the nearest is {self.contacts[k]}, its gap is {gaps[k]:g}"

    # ---- motion ----

    def run(self, until: float | None = None, every: float | None = None, law: Any = None, *,
            method: str | None = None, step: float | None = None, **options: Any) -> Motion:
        """Simulate. What is not given is the scene's.

        until: end time; every: interval of rows (a thousandth of the motion; 0: only the first and the last);
        law: the law that decides impacts; method: `event-driven`, `time-stepping` or `boundary-layer`; step: of
        time-stepping. More options by the names of `carom_flow_options`: tolerance, theta, max_events, ... A
        motion that cannot go on is no error: `motion.end` and `motion.message` tell. Ctrl-C stops the run; the
        KeyboardInterrupt carries what was computed as `.motion`.
        """
        if not self.moves:
            raise SceneError("an impact in numbers does not move: it needs `system`", 1, 1, self.file)
        return self._run_from(None, until, every, law, options | {"method": method, "step": step})

    def _until(self, until: float | None) -> float:
        """The end time that is meant."""
        return self._run_options(until, 0, None, None, {}).until

    def _run_from(self, start, until, every, law: Any, options: Mapping[str, Any]) -> Motion:
        """A run from t, q, u; None: from the scene's initial state."""
        with self._use:
            chosen = self._run_options(until, every, None, None, options)
            begin = self._content.initial
            if start is not None:
                q, u = (np.ascontiguousarray(one, dtype=np.float64) for one in start[1:])
                begin = ffi.new("carom_flow_start *", {"t": start[0], "q": pointer(q), "u": pointer(u)})[0]
            check_room(self._shape().n, self._shape().p, chosen.method != lib.CAROM_FLOW_TIME_STEPPING)
            decides = self._law(law, chosen.method)
            return run_system(self._content.system, self._c, decides, begin, chosen, self._use,
                              self.title or "run", lambda error: self._place(error, chosen, decides.c, law),
                              self.file)

    def points(self, until: float | None = None, law: Any = None, *, keep: str = "section", skip: int = 0,
               **options: Any) -> Points:
        """Where the motion passes its `section`, or its state once a `period` (keep `section`), or after every impact
        (`impacts`); the first `skip` are left out."""
        if keep not in KINDS:
            raise ValueError(f"keep: {keep!r}; there are {', '.join(KINDS)}")
        skip = whole("skip", skip)
        return Points(table(collect(self, keep, None, law, until, options)[0], skip, names_of(self)))

    def sweep(self, values: Mapping[str, Any] | None = None, /, *, law: Any = None, keep: str = "final",
              skip: int = 0, follow: str | None = None, together: bool = False, threads: int = 0,
              options: Mapping[str, Any] | None = None, **names: Any) -> Sweep:
        """The scene over a grid of parameters or initial values: sweep(e=np.linspace(0, 1, 101), mu=[0, 0.1]).

        A system with `run` is run, with `options` as in `run`; otherwise the impact is decided by one law. law: a
        list of several makes an axis. keep: `final` (states, counts, energies at the end), `motions` as well,
        `section` or `impacts` (`sweep.points`, without the first `skip` of each motion). follow: `up`, `down`,
        `both`: along the last name each motion starts where the one before it ended. together: values that belong
        together, one cell each, as `carom.sample` makes them. Names that are no Python names go in a mapping:
        sweep({"initial.x": [0, 1]}). All processors work.
        """
        return sweep(self, dict(values or {}) | names, law, keep, whole("skip", skip), follow, bool(together),
                     whole("threads", threads, 0, 4096), options or {})

    def gradient(self, of: Any, wrt: Any, until: float | None = None, law: Any = None, *, at_impact: int | None = None,
                 at_accumulation: bool = False, **options: Any) -> Gradient:
        """The derivative of formulas `of` (of coordinates, velocities, t, parameters) at the end of the motion, or at
        its impact number `at_impact` (from 1), or of `t` at the limit of its first accumulation, with respect to
        parameters and initial values: gradient(of="x", wrt=["e", "initial.x"]). Exact, through impacts, friction and
        events; where it does not exist `exists` is false, `reason` names the event and `one_sided` has the derivatives
        from the left and from the right."""
        at = at_impact, at_accumulation

        def beside(name: str, value: float) -> Gradient:
            most = lib.carom_orbit_neighbour_events(found.events)
            bound = dict(options, max_events=min(options.get("max_events") or most, most))
            return self.set({name: value})._gradient(of, name, until, law, at, bound, arena)[0]

        with self._use, Arena() as arena:
            found, values = self._gradient(of, wrt, until, law, at, options, arena)
            return found if found.exists else with_sides(found, values, beside, arena)

    def _gradient(self, of: Any, wrt: Any, until, law: Any, at: tuple, options: Mapping[str, Any], arena):
        content, chosen, held = self._differentiable(until, law, options)
        return gradient(self._exact, content, held, chosen, of, wrt, *at, until is not None, arena,
                        self.file)

    def orbit(self, periods: int = 1, law: Any = None, *, until: float | None = None, **options: Any) -> Orbit:
        """A periodic motion: the scene says when it returns (`section`, `period`); the search starts at the next
        section point from its initial state. periods: how many section points, or periods, until it returns."""
        with self._use, Arena() as arena:
            content, chosen, held = self._differentiable(until, law, options)
            return orbit(content, held, chosen, periods, arena, self.contacts, self.file)

    def follow(self, values: Mapping[str, Any] | None = None, /, *, periods: int = 1, law: Any = None, points: int = 0,
               step: float = 0.0, until: float | None = None, options: Mapping[str, Any] | None = None,
               **names: Any) -> Branch:
        """A branch of periodic motions along a parameter, from the orbit at the first value towards the second, round
        folds: follow(gamma=(0.01, 0.02)). points: at most this many (1000); step: the largest, as a part of the
        branch (0.02)."""
        given = dict(values or {}) | names
        if len(given) != 1:
            raise ValueError(f"follow: {len(given)} parameters given; one varies, as in follow(gamma=(0.01, 0.02))")
        (name, ends), = given.items()
        with self._use:
            chosen = self._differentiable(until, law, options or {})[1]
            return follow(self, name, ends, law, chosen, periods, points, step)

    def lyapunov(self, until: float | None = None, law: Any = None, *, skip: float = 0.0, **options: Any) -> Lyapunov:
        """Lyapunov exponents of the motion until `until`, after a transient of `skip`."""
        with self._use, Arena() as arena:
            content, chosen, held = self._differentiable(until, law, options)
            return lyapunov(content, held, chosen, skip, arena, self.file)

    def basins(self, values: Mapping[str, Any], /, *, skip: int = 200, same: float = 1e-6, law: Any = None,
               until: float | None = None, threads: int = 0, **options: Any) -> Basins:
        """Attractors, and which start goes to which, on a plane of two initial values:
        basins({"x": np.linspace(-1, 1, 50), "x'": np.linspace(-1, 1, 50)}). skip: section points of the transient;
        same: points that differ by less of their size repeat."""
        return basins(self, values, skip, same, law, until, threads, options)

    def _differentiable(self, until, law: Any, options: Mapping[str, Any]):
        """The scene read with derivatives, the options of its run, its law."""
        if not self.moves:
            raise SceneError("an impact in numbers does not move: it needs `system`", 1, 1, self.file)
        held = self._law(law)
        if self._exact is None:
            self._exact = self._make(derivatives=True)
        return lib.carom_scene_get(self._exact), self._run_options(until, 0, None, None, options), held

    def _run_options(self, until, every, method, step, options):
        given = self._content.run
        if given == ffi.NULL and until is None:
            raise SceneError("the scene lacks `run` (at least `run: {until: T}`), and until was not given", 1, 1,
                             self.file)
        made = ffi.new("carom_flow_options *", given[0] if given != ffi.NULL else lib.carom_flow_options_default())
        made.any_restitution = self._any
        return fill_options(made, self._content.initial.t, until, every, method, step, options)

    def _place(self, error, options, law, asked: Any) -> None:
        """What a run refuses stands somewhere in the scene: say where."""
        if error.status != lib.CAROM_ERROR_INPUT or error.line > 0:
            return
        c, shape = self._content, self._shape()
        bodies = lib.carom_bodies_of(c.system)
        at = c.system_at if bodies != ffi.NULL else c.initial_at
        if bodies != ffi.NULL and options.method != lib.CAROM_FLOW_TIME_STEPPING and \
                lib.carom_bodies_check_smooth(bodies, ffi.NULL) != lib.CAROM_OK:
            at = c.run_at
        for i in range(shape.p):
            own = shape.contacts[i].law
            if not np.isfinite(shape.contacts[i].friction_static) or (
                    own != ffi.NULL and not lib.carom_flow_takes_law(options.method, own)):
                at = c.system_at
        if not lib.carom_flow_takes_law(options.method, law):
            if asked is not None:
                return
            at = c.law_at
        error.line, error.column = at.line, at.column


_METHODS = {text(lib.carom_flow_method_text(k)): k for k in
            (lib.CAROM_FLOW_EVENT_DRIVEN, lib.CAROM_FLOW_TIME_STEPPING, lib.CAROM_FLOW_BOUNDARY_LAYER)}
_SCHEMES = {text(lib.carom_flow_scheme_text(k)): k for k in
            (lib.CAROM_FLOW_MOREAU_JEAN, lib.CAROM_FLOW_SCHATZMAN_PAOLI)}
_WORDS = {"method": _METHODS, "scheme": _SCHEMES,
          "paradox": {"stop": lib.CAROM_FLOW_PARADOX_STOP, "impact": lib.CAROM_FLOW_PARADOX_IMPACT}}
_WHOLE = {"accumulation_impacts": 2**31 - 1, "max_events": 2**62, "keep_impacts": 2**62}
_OPTIONS = {name for name, _ in ffi.typeof("carom_flow_options").fields} - {"until", "output", "any_restitution"}


def fill_options(made, start: float, until, every, method, step, options: Mapping[str, Any]):
    """Options of a run, checked by name and value."""
    options = {"method": method, "step": step} | dict(options)
    for name, value in options.items():
        if name not in _OPTIONS:
            raise ValueError(f"{name}: no option of a run; there are {', '.join(sorted(_OPTIONS))}")
        if value is None:
            continue
        if name in _WORDS:
            if not isinstance(value, str) or value not in _WORDS[name]:
                raise ValueError(f"{name}: {value!r}; there are {', '.join(_WORDS[name])}")
            setattr(made, name, _WORDS[name][value])
        elif name in _WHOLE:
            setattr(made, name, whole(name, value, 0, _WHOLE[name]))
        elif name == "project":
            made.project = bool(value)
        else:
            setattr(made, name, number(name, value))
    if until is not None:
        made.until = number("until", until)
    if every is not None:
        made.output = number("every", every, 0)
    elif not made.output > 0 and made.until > start:
        made.output = (made.until - start) / USUAL_ROWS
    if made.method == lib.CAROM_FLOW_TIME_STEPPING and np.isnan(made.step):
        raise ValueError("time-stepping needs a step: step=H")
    return made


def run_system(system, scene, law, start, options, use, what: str, place=None, file: str | None = None,
               function_error=None) -> Motion:
    """Run a C system; Ctrl-C is watched. Exceptions carry the motion up to there. function_error: tells the one that
    waits for functions of the system."""
    watch = Watch(what, start.t, options.until)
    error, made = new_error(), ffi.new("bridge_motion **")
    status = lib.bridge_run(system, scene, law.c, ffi.addressof(start), options, watch.handle, made, error)
    motion = None
    if made[0] != ffi.NULL:
        owner = ffi.gc(made[0], lib.bridge_motion_destroy)
        motion = Motion(owner.trace, owner)
        if status >= 0:
            read_result(motion, owner, lib.carom_system_get_shape(system))
        motion._source = (system, scene, use)
    for pending in (watch.error, law.error, function_error() if function_error else None):
        if pending is not None:
            pending.motion = motion
    watch.finish()
    _laws.raise_pending(law)
    if status < 0 and place is not None:
        place(error)
    check(status, error, file)
    return motion


def apply_law(law, label: str, geometry, arena) -> Outcome:
    """One law. Where it fails by the numbers or by memory that is its own answer, as on the command line."""
    error, one, promise = new_error(), ffi.new("carom_outcome *"), ffi.new("carom_promise *")
    parameters = _laws.values_of(law)
    status = lib.carom_law_apply(law, geometry, arena, one, error)
    certificate = None
    if status == lib.CAROM_OK and one.answer in (lib.CAROM_ANSWER_OK, lib.CAROM_ANSWER_SEVERAL):
        status = lib.carom_law_promise(law, geometry, arena, promise, error)
        if status == lib.CAROM_OK and lib.carom_law_keeps(promise, one, ffi.NULL):
            certificate = text(promise.text)
    if status:
        return Outcome(text(law.ops.name), label, parameters, "failed", text(error.text), None)
    return read_outcome(one, geometry, law, label, parameters, certificate)


def before_of(geometry) -> Before:
    n, p = geometry.impact.n, geometry.impact.p
    angles = np.empty((p, p))
    lib.carom_geometry_angles(geometry, ffi.cast("double *", angles.ctypes.data))
    return Before(copied(geometry.impact.u, n), copied(geometry.gamma, p), geometry.energy,
                  copied_columns(geometry.D, p, p), angles, copied(geometry.b, n), bool(geometry.approaching),
                  bool(geometry.dependent))


def contact_names(contacts, count: int) -> tuple[str, ...]:
    named = contacts != ffi.NULL
    return tuple(text(contacts[k].name) if named and contacts[k].name != ffi.NULL else str(k + 1)
                 for k in range(count))


def _setting(key: Any, value: Any) -> str:
    """The value of an override: a number, or a formula as text."""
    if not isinstance(key, str):
        raise ValueError(f"set: {key!r} is no name")
    return value if isinstance(value, str) else _laws.print_number(number(key, value))


def _remake(content: bytes, set: dict, any_restitution: bool, file: str | None) -> Scene:
    """Unpickle a scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        return Scene(content, set, any_restitution=any_restitution, file=file)
