"""What is derived from a scene at one state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _html
from ._arrays import copied, copied_columns
from ._carom import ffi, lib
from ._errors import check, new_error, text

_MOST_AFFINITIES = 12  # degrees of freedom: n³ numbers
_MOST_EDGES = 12  # contacts: a cone may have very many edges


@dataclass(frozen=True)
class QuasiVelocities:
    """Velocities along the unit normals of the closed contacts, and along tangents orthogonal to them in the kinetic
    metric."""

    v_n: np.ndarray
    """(p), normal velocities of unit normals"""
    v_t: np.ndarray
    """(tangents)"""
    G: np.ndarray
    """(p, p), inner products of the unit normals"""
    D_n: np.ndarray
    """(p, p), inverse of G"""
    n_q: np.ndarray
    """(n, p), unit normals"""
    t_q: np.ndarray
    """(n, tangents)"""
    n_H: np.ndarray
    """(p, s), coupling of normals and slips"""
    t_H: np.ndarray
    """(tangents, s)"""
    energy_normal: float
    energy_tangent: float


@dataclass(frozen=True)
class QuasiForces:
    """v_n' + F_n = G λ̄ + n'H λ_T, v_t' + F_t = t'H λ_T."""

    F_n: np.ndarray
    F_t: np.ndarray
    c: np.ndarray
    """−F_n: normal accelerations without contact forces"""
    error: float
    """estimated; 0: exact but for rounding"""


@dataclass(frozen=True)
class BoundaryGeometry:
    """The gap of one contact as a coordinate: the geometry of its boundary layer."""

    contact: str
    g_upper: float
    g_lower: float
    B: np.ndarray
    ghat: float
    affinity: float
    metric: np.ndarray | None


@dataclass(frozen=True)
class JointEquation:
    """A constraint as an equation of its own error."""

    inertia: float
    damping: float
    stiffness: float
    reaction: float


@dataclass(frozen=True, repr=False)
class Inspection:
    """A scene at one state: its equations in numbers, and the geometry of its closed contacts. Arrays are None, and
    numbers NaN, where an impact in numbers has none."""

    title: str | None
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    contacts: tuple[str, ...]
    """all of them; p"""
    closed: tuple[str, ...]
    """those that are closed"""
    t: float
    position: np.ndarray | None
    velocity: np.ndarray
    M: np.ndarray
    """(n, n), mass matrix"""
    h: np.ndarray | None
    """(n), M u' = h + contact forces"""
    gaps: np.ndarray | None
    """(p)"""
    W: np.ndarray
    """(n, p), column i = dg_i/dq"""
    w_hat: np.ndarray | None
    """(p), dg/dt"""
    H_T: np.ndarray | None
    """(n, s), slip directions"""
    slip_motion: np.ndarray | None
    B: np.ndarray | None
    """(n, m), bilateral constraints"""
    b_hat: np.ndarray | None
    A: np.ndarray | None
    """(n, a), permanent constraints"""
    a_hat: np.ndarray | None
    kinetic_energy: float
    potential_energy: float
    normal_velocity: np.ndarray
    """of the closed contacts, as all that follows"""
    slip: np.ndarray
    delassus: np.ndarray
    """W'M⁻¹W, within the joints"""
    kinetic_angles: np.ndarray
    frame_velocity: np.ndarray
    """b, the velocity of the moving contacts"""
    quasi_velocities: QuasiVelocities | None
    quasi_forces: QuasiForces | None
    power: np.ndarray | None
    """of the contact forces: normal, coupling, tangential"""
    boundary: tuple[BoundaryGeometry, ...]
    """of all contacts"""
    joints: tuple[JointEquation, ...]
    virtual_edges: np.ndarray | None
    """(n, edges): extreme rays of the velocities that close no contact, within the span of the gradients"""
    affinities: np.ndarray | None
    """(n, n, n), [K, I, J]: u'^K + Λ^K_IJ u^I u^J = ...; None beyond 12 velocities"""
    tex: str | None
    """equations of motion, gaps and slips as LaTeX"""

    def _repr_html_(self) -> str:
        told = {name: getattr(self, name) for name in
                ("t", "position", "velocity", "kinetic_energy", "potential_energy", "gaps", "normal_velocity", "M", "h",
                 "W", "delassus")}
        return _html.pairs(self.title or "scene", told, f"closed: {', '.join(self.closed) or 'no contact'}")

    def __repr__(self) -> str:
        n = len(self.velocity)
        return (f"<Inspection: {self.title or 'scene'}, {n} velocities, {len(self.contacts)} contacts, "
                f"{len(self.closed)} closed>")


def look(scene, geometry, impact, state, numbers, arena) -> Inspection:
    """The inspection of a scene; state None: an impact in numbers."""
    closed, error = geometry.impact.p, new_error()
    source = impact if state is None else state
    shape = scene._shape()
    n, p, m, a = (shape.n, shape.p, shape.m, shape.a) if shape else (impact.n, impact.p, impact.m, impact.a)
    s = shape.s if shape else geometry.s
    angles = np.empty((closed, closed))
    lib.carom_geometry_angles(geometry, ffi.cast("double *", angles.ctypes.data))
    mass = np.diag(copied(source.M, n)) if impact.mass_is_diagonal else copied_columns(source.M, n, n)
    quasi = _make_quasi(geometry, arena, error) if closed else None
    forces, power = _forces(scene, geometry, state, numbers, quasi, arena, error) if state and closed else (None, None)
    names = scene.contacts
    labels = [text(geometry.impact.contacts[k].name) or str(k + 1) for k in range(closed)]
    return Inspection(
        title=scene.title, coordinates=scene.coordinates if shape else scene._velocity_names(impact),
        velocities=scene._velocity_names(impact), contacts=names, closed=tuple(labels),
        t=state.t if state else np.nan, position=copied(state.q, shape.nq) if state else None,
        velocity=copied(impact.u, n), M=mass, h=copied(state.h, n) if state else None,
        gaps=copied(state.g, p) if state else None, W=copied_columns(source.W, n, p), w_hat=copied(source.w_hat, p),
        H_T=copied_columns(source.H, n, s), slip_motion=copied(source.slip_motion, s),
        B=copied_columns(source.B, n, m), b_hat=copied(source.b_hat, m), A=copied_columns(source.A, n, a),
        a_hat=copied(source.a_hat, a), kinetic_energy=state.kinetic if state else geometry.energy,
        potential_energy=state.potential if state else np.nan, normal_velocity=copied(geometry.gamma, closed),
        slip=copied(geometry.slip, geometry.s), delassus=copied_columns(geometry.D, closed, closed),
        kinetic_angles=angles, frame_velocity=copied(geometry.b, n), quasi_velocities=_read_quasi(quasi),
        quasi_forces=forces, power=power, boundary=_boundaries(scene, impact, source, state, n, p, names, arena, error),
        joints=_joints(scene, geometry, state, m + a, arena, error), virtual_edges=_edges(geometry, n, arena, error),
        affinities=_affinities(scene, state, n, arena, error), tex=text(scene._content.tex))


def _make_quasi(geometry, arena, error):
    made = ffi.new("carom_quasi *")
    check(lib.carom_quasi_make(geometry, arena, made, error), error)
    return made


def _read_quasi(q) -> QuasiVelocities | None:
    if q is None:
        return None
    v = copied(q.v, q.p + q.tangents)
    return QuasiVelocities(v[:q.p], v[q.p:], copied_columns(q.G, q.p, q.p), copied_columns(q.D_n, q.p, q.p),
                           copied_columns(q.n_q, q.n, q.p), copied_columns(q.t_q, q.n, q.tangents),
                           copied_columns(q.n_H, q.p, q.s), copied_columns(q.t_H, q.tangents, q.s), q.energy_normal,
                           q.energy_tangent)


def _forces(scene, geometry, state, numbers, quasi, arena, error) -> tuple[QuasiForces | None, np.ndarray | None]:
    """Quasi-forces, and the power of the forces that the contact problem gives."""
    system, p, power = scene._content.system, geometry.impact.p, None
    problem = ffi.new("carom_painleve *")
    check(lib.carom_painleve_solve(system, state, geometry, numbers, arena, problem, error), error)
    if problem.count > 0:
        first, power = problem.solutions[0], np.empty(3)
        scaled = ffi.new("double[]", [geometry.norm[i] * first.force[i] for i in range(p)])
        lib.carom_quasi_power(quasi, quasi.v, scaled, first.tangential_force, ffi.cast("double *", power.ctypes.data))
    found = ffi.new("carom_quasi_forces *")
    if lib.carom_quasi_forces_find(quasi, system, state, numbers, arena, found, new_error()):
        return None, power  # contacts that become dependent on the way have none
    return QuasiForces(copied(found.F_n, p), copied(found.F_t, quasi.tangents), copied(found.c, p), found.error), power


def _boundaries(scene, impact, source, state, n: int, p: int, names, arena, error) -> tuple[BoundaryGeometry, ...]:
    run = scene._content.run
    layered = run != ffi.NULL and run.method == lib.CAROM_FLOW_BOUNDARY_LAYER
    made = []
    for i in range(p):
        one = ffi.new("carom_boundary *")
        check(lib.carom_boundary_make(n, source.M, impact.mass_is_diagonal, source.W + i * n,
                                      state.g[i] if state else np.nan, run.width if layered else np.nan, arena, one,
                                      error), error)
        made.append(BoundaryGeometry(names[i], one.g_upper, one.g_lower, copied(one.B, n), one.ghat, one.affinity,
                                     copied_columns(one.metric, n, n)))
    return tuple(made)


def _joints(scene, geometry, state, count: int, arena, error) -> tuple[JointEquation, ...]:
    if state is None or count == 0:
        return ()
    run, found = scene._content.run, ffi.new("carom_joint_equation[]", count)
    check(lib.carom_joint_equations_find(geometry, state, arena, found, error), error)
    damping, stiffness = (run.joint_damping, run.joint_stiffness) if run != ffi.NULL else (np.nan, np.nan)
    return tuple(JointEquation(one.inertia, one.inertia * damping, one.inertia * stiffness, one.reaction + 0.0)
                 for one in found)


def _edges(geometry, n: int, arena, error) -> np.ndarray | None:
    """The cone of virtual velocities { y : W'y ≥ 0 }: a facet of the kinetic part is a ray of it."""
    impact, found = geometry.impact, ffi.new("carom_admissible *")
    if not 0 < impact.p <= _MOST_EDGES or impact.region != ffi.NULL or geometry.spread_start[impact.p] > 0:
        return None
    status = lib.carom_admissible_make(geometry, arena, found, error)
    if status == lib.CAROM_ERROR_UNSUPPORTED:
        return None
    check(status, error)
    rays = copied(found.facet, found.facets, found.k)[found.kinematic:]
    edges = np.zeros((n, len(rays)))
    for l, column in enumerate(copied(found.basis, found.k, n)):  # in the program's order: the same bits
        edges += column[:, None] * rays[:, l]
    return edges


def _affinities(scene, state, n: int, arena, error) -> np.ndarray | None:
    if state is None or n > _MOST_AFFINITIES:
        return None
    out = np.empty((n, n, n))  # C's order: J, I, K
    check(lib.carom_boundary_affinities(scene._content.system, state, arena, ffi.cast("double *", out.ctypes.data),
                                        error), error)
    return np.ascontiguousarray(out.transpose(2, 1, 0)) + 0.0
