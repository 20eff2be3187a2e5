"""Systems by Python functions: M(q, t) u' = h(q, u, t) with gaps g(q, t) ≥ 0."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import _laws
from ._arrays import finite, number, numbers, vector
from ._carom import ffi, lib
from ._check import Check, run_check
from ._derivatives import along, gradient, second_along
from ._errors import NoContactError, check, encoded, new_error
from ._motion import Motion
from ._outcomes import Outcomes
from ._own_law import OwnLaw
from ._scene import apply_law, before_of, contact_names, fill_options, run_system
from ._watch import keep_error
from ._work import Arena, InUse

MOST = 10000  # coordinates: more of them are no job for Python functions
_CONTACT_KEYS = ("name", "restitution", "friction", "tangential_restitution", "stiffness", "exponent")


def system(coordinates: int | Sequence[str], mass: Any, force: Callable | None = None,
           gaps: Callable | None = None, contacts: Sequence[Mapping[str, Any]] | None = None, *,
           normals: Callable | None = None, gap_motion: Callable | None = None, gap_bias: Callable | None = None,
           slips: Callable | None = None, potential: Callable | None = None, scale: float = 1.0,
           title: str | None = None, any_restitution: bool = False) -> "System":
    """A system whose mathematics is in Python functions.

    coordinates: their number or names. mass: M, an array (n,) or (n, n), or a function (q, t). force: h(q, u, t),
    all forces, gyroscopic ones included. gaps: g(q, t), p numbers. contacts: for each gap a mapping with any of
    name, restitution, friction, tangential_restitution, stiffness, exponent. slips: H(q, t) (n, p), the slip
    direction of each contact (needed for friction). potential: V(q, t), for the energy of the answer only.
    any_restitution: coefficients outside [0, 1] are accepted, and energy may grow.

    normals(q, t) (n, p) is the gradient of the gaps, gap_motion(q, t) = ∂g/∂t, gap_bias(q, u, t) what is left of g''
    when u' = 0. Where they are not given they are derived by differences of sixth order over `scale`, the size over
    which the functions vary; relative errors are near 1e-12. Functions get arrays they must not change.
    """
    return System(coordinates, mass, force, gaps, contacts, normals, gap_motion, gap_bias, slips, potential, scale,
                  title, any_restitution)


class System:
    """A system by Python functions; made by `carom.system`."""

    coordinates: tuple[str, ...]
    """their names"""
    title: str | None
    """of its motions"""
    error: BaseException | None
    """of a function, while it waits for C to return"""

    def __init__(self, coordinates, mass, force, gaps, contacts, normals, gap_motion, gap_bias, slips, potential,
                 scale, title, any_restitution):
        if isinstance(coordinates, (int, np.integer)):
            coordinates = [f"q{k + 1}" for k in range(int(number("coordinates", coordinates, 1, MOST)))]
        if not isinstance(coordinates, Iterable):
            raise ValueError(f"coordinates: {coordinates!r}; it must be their number, or their names")
        self.coordinates = tuple(coordinates)
        self.title, self._any = title, bool(any_restitution)
        self._n = len(self.coordinates)
        if not 1 <= self._n <= MOST or not all(isinstance(name, str) for name in self.coordinates):
            raise ValueError(f"coordinates: {self._n} given; there must be 1 to {MOST} names, or their number")
        for name, function in (("force", force), ("gaps", gaps), ("normals", normals), ("gap_motion", gap_motion),
                               ("gap_bias", gap_bias), ("slips", slips), ("potential", potential)):
            if function is not None and not callable(function):
                raise ValueError(f"{name}: {type(function).__name__} given; it must be a function")
        self._force, self._gaps, self._normals, self._gap_motion = force, gaps, normals, gap_motion
        self._gap_bias, self._slips, self._potential = gap_bias, slips, potential
        self._scale = number("scale", scale, np.finfo(float).tiny)
        self._constant_mass = None if callable(mass) else finite("mass", numbers("mass", mass))
        self._mass = mass if callable(mass) else lambda q, t: self._constant_mass
        probe = np.asarray(self._mass(np.zeros(self._n), 0.0))
        if probe.shape not in ((self._n,), (self._n, self._n)):
            raise ValueError(f"mass: shape {probe.shape}; it must be ({self._n},) or ({self._n}, {self._n})")
        self._diagonal = probe.ndim == 1
        if contacts is not None and not (isinstance(contacts, Sequence) and all(isinstance(one, Mapping) for one in contacts)):
            raise ValueError(f"contacts: {type(contacts).__name__} given; it must be a list of mappings, one for each gap")
        self._contacts = [dict(one) for one in contacts or ()]
        if bool(self._contacts) != (gaps is not None):
            raise ValueError("contacts: one mapping for each gap is needed, and gaps for them")
        self._use = InUse("system")
        self.error = None
        self._make()

    def _make(self) -> None:
        p, n = len(self._contacts), self._n
        kept = [ffi.new("char[]", encoded("coordinates", name)) for name in self.coordinates]
        made = ffi.new("carom_contact[]", max(p, 1))
        for k, one in enumerate(self._contacts):
            kept.append(self._contact(made, k, one))
        self._handle = ffi.new_handle(self)
        names = ffi.new("char *[]", kept[:n])
        shape = ffi.new("carom_system_shape *", {"nq": n, "n": n, "p": p, "s": p if self._slips else 0,
                                                 "mass_is_diagonal": self._diagonal, "kinematics_is_identity": True,
                                                 "coordinates": names, "contacts": made})
        created, error = ffi.new("carom_system **"), new_error()
        check(lib.bridge_system_create(shape, self._handle, created, error), error)
        self._c = ffi.gc(created[0], lib.carom_system_destroy)
        self._shape = lib.carom_system_get_shape(self._c)

    def _contact(self, made, k: int, given: Mapping[str, Any]):
        default = lib.carom_contact_default()
        for key in given:
            if key not in _CONTACT_KEYS:
                raise ValueError(f"contacts[{k}]: no key {key!r}; there are {', '.join(_CONTACT_KEYS)}")
        for key, value in given.items():
            if key == "friction":
                default.friction_static = default.friction_dynamic = number(f"contacts[{k}] friction", value, 0)
            elif key != "name":
                setattr(default, key, number(f"contacts[{k}] {key}", value))
        if default.friction_static > 0 and self._slips is None:
            raise ValueError(f"contacts[{k}]: friction needs slips(q, t), the directions of slip")
        default.slip_count = 1 if self._slips else 0
        name = ffi.new("char[]", encoded(f"contacts[{k}] name", str(given.get("name", k + 1))))
        default.name = name
        made[k] = default
        return name

    @property
    def contacts(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return contact_names(self._shape.contacts, self._shape.p)

    def __repr__(self) -> str:
        return f"<System: {self.title or 'untitled'}, {', '.join(self.coordinates)}, contacts {', '.join(self.contacts)}>"

    def __reduce__(self):
        raise TypeError("a system holds Python functions and a C object; it does not pickle. Make it where it is used")

    # ---- values at a state, asked for by C ----

    def _ask(self, name: str, function: Callable, shape: tuple[int, ...], *arguments) -> np.ndarray:
        array = numbers(name, function(*arguments))
        if array.shape != shape:
            if array.size != int(np.prod(shape)) or array.ndim > 1 and len(shape) > 1:
                raise ValueError(f"{name}: the function returned shape {array.shape}; it must be {shape}")
            array = array.reshape(shape)
        return array

    def _gap(self, q: np.ndarray, t: float) -> np.ndarray:
        return self._ask("gaps", self._gaps, (self._shape.p,), q, t)

    def _slip(self, q: np.ndarray, t: float) -> np.ndarray:
        return self._ask("slips", self._slips, (self._n, self._shape.p), q, t)

    def _inertia(self, q: np.ndarray, t: float) -> np.ndarray:
        return self._ask("mass", self._mass, (self._n,) if self._diagonal else (self._n, self._n), q, t)

    def _energy(self, u: np.ndarray, q: np.ndarray, t: float) -> float:
        M = self._inertia(q, t)
        kinetic = u @ (M * u if self._diagonal else M @ u) / 2
        return kinetic + (float(self._potential(q, t)) if self._potential else 0.0)

    def evaluate(self, want: int, state) -> None:
        """Fill what is wanted of a carom_state."""
        n, p, t = self._n, self._shape.p, state.t
        q, u = _seen(state.q, n).copy(), _seen(state.u, n).copy()
        q.flags.writeable = u.flags.writeable = False
        if want & lib.CAROM_WANT_GAPS and p:
            _seen(state.g, p)[:] = self._gap(q, t)
        if want & lib.CAROM_WANT_NORMALS and p:
            W = (self._ask("normals", self._normals, (n, p), q, t) if self._normals
                 else gradient(self._gap, q, t, self._scale))
            _seen(state.W, n * p)[:] = W.T.ravel()
            _seen(state.w_hat, p)[:] = (self._ask("gap_motion", self._gap_motion, (p,), q, t) if self._gap_motion
                                        else along(self._gap, q, t, np.zeros(n), self._scale))
        if want & lib.CAROM_WANT_SLIPS and self._slips:
            _seen(state.H, n * p)[:] = self._slip(q, t).T.ravel()
        if want & lib.CAROM_WANT_BIASES and p:
            _seen(state.g_bias, p)[:] = (self._ask("gap_bias", self._gap_bias, (p,), q, u, t) if self._gap_bias
                                         else second_along(self._gap, q, t, u, self._scale))
            if self._slips:
                _seen(state.slip_bias, p)[:] = along(lambda x, s: self._slip(x, s).T @ u, q, t, u, self._scale)
        if want & (lib.CAROM_WANT_MASS | lib.CAROM_WANT_FORCES | lib.CAROM_WANT_ENERGY):
            self._dynamics(want, state, q, u, t)

    def _dynamics(self, want: int, state, q: np.ndarray, u: np.ndarray, t: float) -> None:
        n = self._n
        M = self._inertia(q, t)
        h = self._ask("force", self._force, (n,), q, u, t) if self._force else np.zeros(n)
        if want & lib.CAROM_WANT_MASS:
            _seen(state.M, M.size)[:] = M.T.ravel()
        if want & lib.CAROM_WANT_FORCES:
            _seen(state.h, n)[:] = h
        if want & lib.CAROM_WANT_ENERGY:
            state.kinetic = u @ (M * u if self._diagonal else M @ u) / 2
            state.potential = float(self._potential(q, t)) if self._potential else 0.0
            moving = self._potential is not None or self._constant_mass is None
            state.power = u @ h + (float(along(lambda x, s: np.atleast_1d(self._energy(u, x, s)), q, t, u,
                                               self._scale)[0]) if moving else 0.0)

    # ---- what it does ----

    def run(self, until: float, q: Any, u: Any, every: float | None = None, law: Any = "newton", *, t: float = 0.0,
            method: str | None = None, step: float | None = None, **options: Any) -> Motion:
        """Simulate from position q and velocity u at time t. Options as in `Scene.run`."""
        with self._use:
            start, kept = self._start(q, u, t)
            chosen = ffi.new("carom_flow_options *", lib.carom_flow_options_default())
            chosen.any_restitution = self._any
            fill_options(chosen, start.t, until, every, method, step, options)
            held = self._law(law)
            with self._raised():
                return run_system(self._c, ffi.NULL, held, start, chosen, self._use, self.title or "run",
                                  function_error=lambda: self.error)

    def impact(self, q: Any, u: Any, law: Any = None, *, t: float = 0.0, closed: float = 1e-9) -> Outcomes:
        """The outcome of every law (or of those asked for) for the contacts closed at a state."""
        asked = [law] if isinstance(law, (str, OwnLaw)) else law
        with self._use, Arena() as arena, self._raised():
            geometry, kept = self._geometry(arena, q, u, t, closed)
            held = [self._law(one) for one in (_laws.variants() if asked is None else asked)]
            made = [apply_law(one.c, label, geometry, arena)
                    for one, label in zip(held, _laws.labels([one.c for one in held]))]
            _laws.raise_pending(*held)
            return Outcomes(self.title, tuple(f"{name}'" for name in self.coordinates),
                            contact_names(geometry.impact.contacts, geometry.impact.p), before_of(geometry), made)

    def check(self, q: Any, u: Any, *, t: float = 0.0, closed: float = 1e-9, effort: float = 1.0) -> Check:
        """Certificates for the contacts closed at a state, and its contact problem."""
        with self._use, Arena() as arena, self._raised():
            geometry, (_, state, numbers_) = self._geometry(arena, q, u, t, closed)
            return run_check(self.title, geometry, ffi.NULL, self._c, state, numbers_, number("effort", effort, 0), arena)

    def _law(self, law: Any):
        if isinstance(law, OwnLaw):
            return law.parsed(self._n, self._shape.p)
        return _laws.parse(text_of_law(law), self._n, max(self._shape.p, 1))

    def _start(self, q: Any, u: Any, t: float):
        position, velocity = vector("q", q, self._n), vector("u", u, self._n)
        start = ffi.new("carom_flow_start *", {"t": number("t", t), "q": ffi.from_buffer("double[]", position),
                                               "u": ffi.from_buffer("double[]", velocity)})
        return start[0], (position, velocity, start)

    def _geometry(self, arena, q: Any, u: Any, t: float, closed: float):
        state, error, impact = ffi.new("carom_state *"), new_error(), ffi.new("carom_impact *")
        check(lib.carom_state_create(self._c, arena, state, error), error)
        start, kept = self._start(q, u, t)
        state.t = start.t
        ffi.memmove(state.q, start.q, 8 * self._n)
        ffi.memmove(state.u, start.u, 8 * self._n)
        gap = number("closed", closed, 0)
        check(lib.carom_system_check(self._c, gap, arena, state, error), error)
        check(lib.carom_system_evaluate(self._c, lib.CAROM_WANT_ALL, state, error), error)
        numbers_, geometry = ffi.new("int[]", self._shape.p + 1), ffi.new("carom_geometry *")
        check(lib.carom_impact_from_system(self._c, state, gap, arena, impact, numbers_, error), error)
        if impact.p == 0:
            raise NoContactError("no contact is closed at this state")
        if self._any:
            impact.flags |= lib.CAROM_IMPACT_ANY_RESTITUTION
        check(lib.carom_impact_derive(impact, arena, geometry, error), error)
        return geometry, (impact, state, numbers_)

    def _raised(self):
        return _Raised(self)


class _Raised:
    """An exception of a function goes before what C says about it."""

    def __init__(self, owner: System):
        self.owner = owner

    def __enter__(self):
        self.owner.error = None

    def __exit__(self, *_):
        error, self.owner.error = self.owner.error, None
        if error is not None:
            raise error from None


def text_of_law(law: Any) -> str:
    """The text of a law, checked."""
    if not isinstance(law, str):
        raise ValueError(f"law: {type(law).__name__} given; it must be a text or a law made by carom.own_law")
    return law


def _seen(source, count: int) -> np.ndarray:
    """Numbers of C while it waits."""
    return np.frombuffer(ffi.buffer(source, 8 * count), dtype=np.float64)


@ffi.def_extern(error=lib.CAROM_ERROR_CALLBACK, onerror=keep_error)
def bridge_system_evaluate(python, want, state, error):
    ffi.from_handle(python).evaluate(want, state)
    return lib.CAROM_OK
