"""Frictional contact problems: from files, and from arrays."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _html
from ._arrays import finite, number, numbers, pointer, vector, whole
from ._carom import ffi, lib
from ._errors import check, encoded, new_error, text
from ._watch import Watch
from ._work import Arena, Serial

_STATUS = {lib.CAROM_FRICTION_SOLVED: "solved", lib.CAROM_FRICTION_LIMIT: "limit",
           lib.CAROM_FRICTION_INFEASIBLE: "infeasible", lib.CAROM_FRICTION_CANCELLED: "stopped"}


@dataclass(frozen=True)
class FrictionSolution:
    """The solution of a frictional contact problem: u = W r + q, r in its cones, Signorini and Coulomb."""

    status: str
    """`solved`, `limit` (the best point found) or `infeasible` (`certificate` proves it)"""
    reaction: np.ndarray
    """(contacts, dimension), normal first"""
    velocity: np.ndarray
    """(contacts, dimension)"""
    certificate: np.ndarray | None
    """y ≥ 0 for each contact with W'y = 0 and q'y < 0"""
    residual: float
    method: str
    iterations: int
    seconds: float
    title: str = ""

    def _repr_html_(self) -> str:
        told = ("status", "residual", "method", "iterations", "seconds", "reaction", "velocity")
        return _html.pairs(self.title or "friction problem", {name: getattr(self, name) for name in told})

    def __repr__(self) -> str:
        contacts, dimension = self.reaction.shape
        return (f"<FrictionSolution: {self.status}, {contacts} contacts in {dimension} dimensions, residual "
                f"{self.residual:.1e}, {self.method}, {self.seconds:.3g} s>")


def solve(path: Any, *, tolerance: float = 0.0) -> FrictionSolution:
    """Solve a problem from a file: FCLIB (HDF5) or the text format of Siconos."""
    name = os.fspath(path)
    with Arena() as arena, Serial():
        file, error = ffi.new("carom_fclib *"), new_error()
        check(lib.carom_fclib_read(encoded("path", name), arena, file, error), error, name)
        problem = ffi.addressof(file, "problem")
        return _solve(problem, arena, tolerance, text(file.title) or "")


def solve_friction(W: Any, q: Any, friction: Any, dimension: int = 3, *, start: Any = None,
                   tolerance: float = 0.0) -> FrictionSolution:
    """Solve u = W r + q with Coulomb friction for arrays: W (n, n), q (n,), n = contacts × dimension.

    Rows of a contact: its normal, then its tangents (dimension 1, 2 or 3). friction: a number or one for each
    contact. start: reactions to start from.
    """
    dimension = whole("dimension", dimension, 1, 3)
    matrix, right = numbers("W", W), finite("q", numbers("q", q))
    if right.ndim != 1 or right.size % dimension or right.size == 0:
        raise ValueError(f"q: shape {right.shape}; it must be (n,) with n a multiple of dimension = {dimension}")
    n = right.size
    if matrix.shape != (n, n):
        raise ValueError(f"W: shape {matrix.shape}; it must be ({n}, {n}) for q of shape {right.shape}")
    columns = np.ascontiguousarray(finite("W", matrix).T)
    right = np.ascontiguousarray(right)
    mu = vector("friction", friction, n // dimension)
    problem = ffi.new("carom_friction_problem *", {
        "contacts": n // dimension, "dimension": dimension, "mu": pointer(mu), "form": lib.CAROM_FRICTION_DENSE,
        "W": pointer(columns), "q": pointer(right)})
    begin = None if start is None else np.ascontiguousarray(finite("start", numbers("start", start))).reshape(-1)
    if begin is not None and begin.shape != (n,):
        raise ValueError(f"start: {begin.size} numbers; there must be {n}")
    with Arena() as arena, Serial():
        return _solve(problem, arena, tolerance, "", begin)


def _solve(problem, arena, tolerance: float, title: str, start: np.ndarray | None = None) -> FrictionSolution:
    n, dimension = lib.carom_friction_problem_rows(problem), problem.dimension
    r, u, ray = np.zeros(n), np.zeros(n), np.zeros(n)
    watch = Watch(title or "solve")
    options = ffi.new("carom_friction_options *", {"tolerance": number("tolerance", tolerance, 0),
                                                   "watch": lib.bridge_iterates, "self": watch.handle})
    if start is not None:
        options.start = pointer(start)
    info, error, began = ffi.new("carom_friction_info *"), new_error(), time.perf_counter()
    status = lib.carom_friction_problem_solve(problem, options, arena, pointer(r), pointer(u), pointer(ray), info,
                                              error)
    seconds = time.perf_counter() - began
    watch.finish()
    check(status, error)
    shape = (-1, dimension) if problem.rows == ffi.NULL else (n, 1)
    infeasible = info.outcome == lib.CAROM_FRICTION_INFEASIBLE
    return FrictionSolution(_STATUS[info.outcome], r.reshape(shape), u.reshape(shape),
                            ray.reshape(shape)[:, 0] if infeasible else None, info.residual,
                            text(lib.carom_friction_method_name(info.method)), info.iterations, seconds, title)
