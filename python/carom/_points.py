"""Points on the way of a motion: where it passes its section, at multiples of its period, after impacts."""

from __future__ import annotations

import math
from typing import Any, Mapping

import numpy as np

from . import _plot
from ._arrays import pointer
from ._carom import ffi, lib
from ._errors import text

KINDS = ("section", "impacts")


class Points(Mapping):
    """Points of motions, one after the other: `points["x"]` is an array over all of them.

    Columns: what varies (in a sweep), `t`, what the section keeps (else coordinates and velocities), and `point`, the
    number in its motion, from 1.
    """

    def __init__(self, columns: dict[str, np.ndarray]):
        self._columns = columns

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._columns:
            return self._columns[name]
        raise KeyError(f"{name!r}: there are {', '.join(self)}")

    def __iter__(self):
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def count(self) -> int:
        """How many points there are."""
        return len(self._columns["t"])

    def plot(self, x: str, y: str, ax: Any = None) -> Any:
        """One column against another, as dots: a section, a bifurcation diagram. Needs matplotlib."""
        return _plot.points(self, x, y, ax)

    def __repr__(self) -> str:
        return f"<Points: {self.count}; {', '.join(self)}>"


def names_of(scene) -> tuple[str, ...]:
    """What a point holds beside its time and number."""
    section = scene._content.section
    if section != ffi.NULL and section.keep_count > 0:
        return tuple(text(section.keep[k]) for k in range(section.keep_count))
    return scene.coordinates + scene.velocities


def _kept(scene, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    section = scene._content.section
    if section == ffi.NULL or section.keep_count == 0:
        return np.concatenate([q, u])
    q, u, out = np.ascontiguousarray(q), np.ascontiguousarray(u), np.empty(section.keep_count)
    lib.carom_scene_section_evaluate(scene._c, t, pointer(q), pointer(u), pointer(out))
    return out


def is_multiple(t: float, period: float) -> bool:
    """Is a time a multiple of the period, as far as sums of steps can be?"""
    return abs(math.remainder(t, period)) <= 1e-9 * period


def collect(scene, keep: str, start, law: Any, until: float | None, options: Mapping[str, Any]):
    """The points of a motion, each with its number, and the motion (the last piece of it). start: t, q, u; None: the
    scene's."""
    content = scene._content
    section, period = content.section, content.period
    if keep == "section" and section == ffi.NULL and not period > 0:
        raise ValueError("the scene has neither `section` nor `period`, so that nothing says where points are taken")
    periods = keep == "section" and section == ffi.NULL
    points: list[tuple[float, np.ndarray]] = []

    def add(t: float, q: np.ndarray, u: np.ndarray) -> None:
        points.append((t, _kept(scene, t, q, u)))

    begin = content.initial.t if start is None else start[0]
    end = scene._until(until)
    if periods and not is_multiple(begin, period):  # rows are counted from the start of a run
        first = min(end, period * math.ceil(begin / period))
        motion = scene._run_from(start, first, 0, law, options)
        if not motion.complete or not first < end:
            return points, motion
        start = motion._last
        begin = start[0]
        add(*start)
    motion = scene._run_from(start, end, period if periods else 0, law, options)
    if periods:
        for t, q, u in zip(motion.t, motion.q, motion.u):
            if t > begin and is_multiple(t, period):
                add(float(t), q, u)
    elif keep == "section" and section.kind == lib.CAROM_SCENE_SECTION_EVENT:
        name = text(scene._shape().events[section.index].name)
        for one in motion.instants:
            if one.event == name:
                add(one.t, one.position, one.velocity)
    else:
        found = motion.impacts
        for k in range(len(found)):
            if keep == "impacts" or found.impulse[k, section.index] > 0:
                add(float(found.t[k]), found.position[k], found.after[k])
    return points, motion


def table(points, skip: int, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Columns of the points after the first `skip`."""
    left = points[skip:]
    values = np.array([row for _, row in left]).reshape(len(left), len(names))
    columns = {"t": np.array([t for t, _ in left], dtype=float)}
    columns |= {name: values[:, k] for k, name in enumerate(names)}
    return columns | {"point": np.arange(skip + 1, skip + 1 + len(left))}
