"""Sweeps: a scene over a grid of parameters, on all processors."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Mapping

import numpy as np

from . import _plot
from ._arrays import finite, numbers
from ._errors import CaromError

_LEDGER = ("initial", "final", "impacts", "friction", "forces")


class Sweep(Mapping):
    """Results over a grid: `sweep["x"]` is an array with an axis for each parameter that varies.

    `sweep.axes` are the parameters with their values; `sweep.status` says `ok`, or why a cell has no result.
    `sweep.motions` are the motions, where they were kept.
    """

    def __init__(self, axes: dict[str, np.ndarray], columns: dict[str, np.ndarray], status: np.ndarray,
                 motions: np.ndarray | None):
        self.axes, self._columns, self.status, self.motions = axes, columns, status, motions

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._columns:
            return self._columns[name]
        if name in self.axes:
            return np.broadcast_to(self._grid(name), self.status.shape)
        raise KeyError(f"{name!r}: there are {', '.join(self)}")

    def _grid(self, name: str) -> np.ndarray:
        place = list(self.axes).index(name)
        return self.axes[name].reshape([-1 if k == place else 1 for k in range(len(self.axes))])

    def __iter__(self):
        return iter([*self.axes, *self._columns])

    def __len__(self) -> int:
        return len(self.axes) + len(self._columns)

    def plot(self, name: str, ax: Any = None) -> Any:
        """A column over the first parameter, a curve for each value of the second. Needs matplotlib."""
        return _plot.sweep(self, name, ax)

    def __repr__(self) -> str:
        good = int(np.count_nonzero(self.status == "ok"))
        axes = ", ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        return f"<Sweep over {axes}: {good} of {self.status.size} cells ok; {', '.join(self._columns)}>"


def sweep(scene, values: Mapping[str, Any], law: Any, keep: str, threads: int, options: Mapping[str, Any]) -> Sweep:
    """The scene at every point of the grid: run, or its impact decided by one law."""
    axes = {}
    for name, given in values.items():
        array = finite(name, numbers(name, given))
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"{name}: shape {array.shape}; it must be a list of values")
        axes[name] = array
    if not axes:
        raise ValueError("sweep: nothing varies; name a parameter and its values, as in sweep(e=[0.1, 0.2])")
    if keep not in ("final", "motions"):
        raise ValueError(f"keep: {keep!r}; there are final, motions")
    shape = tuple(len(array) for array in axes.values())
    cells = [{name: array[i] for (name, array), i in zip(axes.items(), index)} for index in np.ndindex(*shape)]
    scene.set(cells[0])  # a name that does not exist is an error, not a thousand failed cells
    moves = scene.moves and scene.runs

    def cell(one: dict[str, float]) -> tuple[str, dict[str, float], Any]:
        try:
            made = scene.set(one)
            return _motion(made, law, keep, options) if moves else _impact(made, law)
        except (CaromError, ArithmeticError) as error:
            return str(error), {}, None

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        found = list(pool.map(cell, cells))
    names = list(dict.fromkeys(name for _, row, _ in found for name in row))
    columns = {name: np.array([row.get(name, np.nan) for _, row, _ in found]).reshape(shape) for name in names}
    motions = None
    if keep == "motions" and moves:
        motions = np.empty(len(found), dtype=object)
        motions[:] = [motion for _, _, motion in found]
        motions = motions.reshape(shape)
    return Sweep(axes, columns, np.array([status for status, _, _ in found]).reshape(shape), motions)


def _motion(scene, law: Any, keep: str, options: Mapping[str, Any]):
    options = {"every": 0, **options} if keep == "final" else dict(options)
    motion = scene.run(law=law, **options)
    row = {"t": motion.t[-1], **dict(zip(motion.coordinates, motion.q[-1])), **dict(zip(motion.velocities, motion.u[-1])),
           "impacts": float(motion.impact_count), "accumulations": float(len(motion.accumulations)),
           **{f"energy_{name}": getattr(motion.ledger, name) for name in _LEDGER},
           "balance_error": motion.ledger.balance_error, "max_penetration": motion.max_penetration}
    return ("ok" if motion.complete else motion.end), row, (motion if keep == "motions" else None)


def _impact(scene, law: Any):
    outcomes = scene.impact([law])
    one = next(iter(outcomes.values()))
    if not one:
        return one.status, {}, None
    row = {**dict(zip(outcomes.coordinates, one.velocity)), "energy_change": one.energy_change,
           "kinematic": float(one.verdict.kinematic), "kinetic": float(one.verdict.kinetic),
           "energetic": float(one.verdict.energetic)}
    return one.status, row, None
