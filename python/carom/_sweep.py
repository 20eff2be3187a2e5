"""Sweeps: a scene over a grid of parameters, on all processors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np

from . import _html, _plot
from ._arrays import finite, number, numbers
from ._carom import ffi, lib
from ._errors import CaromError, SceneError, encoded, new_error, text
from ._points import KINDS, Points, collect, is_multiple, names_of, table
from ._watch import spread

_LEDGER = ("initial", "final", "impacts", "friction", "forces")


class Sweep(Mapping):
    """Results over a grid: `sweep["x"]` is an array with an axis for each parameter that varies.

    `sweep.axes` are the parameters with their values; `sweep.status` says `ok`, or why a cell has no result.
    `sweep.motions` are the motions, `sweep.points` the points on the way, where they were kept.
    """

    axes: dict[str, np.ndarray]
    """what varies, with its values"""
    status: np.ndarray
    """`ok`, or why a cell has no result"""
    motions: np.ndarray | None
    """where they were kept"""
    points: Points | None
    """on the way of the motions, where they were kept"""

    def __init__(self, axes: dict[str, np.ndarray], columns: dict[str, np.ndarray], status: np.ndarray,
                 motions: np.ndarray | None, points: Points | None = None):
        self.axes, self._columns, self.status = axes, columns, status
        self.motions, self.points = motions, points

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

    def _repr_html_(self) -> str:
        def told(name: str) -> list:
            finite = self[name][np.isfinite(self[name])] if self[name].dtype.kind == "f" else np.empty(0)
            return [name, finite.min(), finite.max()] if finite.size else [name, None, None]
        good = int(np.count_nonzero(np.char.startswith(self.status, "ok")))
        return _html.table(f"{good} of {self.status.size} cells ok", ["", "least", "largest"], map(told, self))

    def __repr__(self) -> str:
        good = int(np.count_nonzero(np.char.startswith(self.status, "ok")))
        kept = ", ".join(self._columns) if self.points is None else repr(self.points)
        axes = ", ".join(f"{name} ({len(values)})" for name, values in self.axes.items())
        return f"<Sweep over {axes}: {good} of {self.status.size} cells ok; {kept}>"


KEPT = ("final", "motions", *KINDS)


def sample(count: int, seed: int = 0, /, **distributions: str) -> dict[str, np.ndarray]:
    """Values at random, as `carom sweep --sample` takes them: sample(256, e="normal(0.8, 0.02)", mu="uniform(0, 1)").

    Points of Sobol's sequence fill the space of up to 16 names evenly; seed gives others, equally even.
    Distributions: uniform(a, b), normal(m, s), lognormal(m, s), exponential(m), triangular(a, top, b).
    """
    number("seed", seed, 0, 2**64 - 1)
    count = int(number("count", count, 1, 2**32 - 1))
    if len(distributions) > lib.CAROM_SOBOL_DIMENSIONS:
        raise ValueError(f"sample: {len(distributions)} names; the sequence has {lib.CAROM_SOBOL_DIMENSIONS} dimensions")
    values = {}
    for k, (name, given) in enumerate(distributions.items()):
        one, error = ffi.new("carom_distribution *"), new_error()
        if not isinstance(given, str):
            raise ValueError(f"{name}: {type(given).__name__} given; it must be a text such as 'normal(0.8, 0.02)'")
        if lib.carom_distribution_parse(encoded(name, given), one, error):
            raise ValueError(f"{name}: {text(error.text)}")
        values[name] = np.array([lib.carom_distribution_quantile(one, lib.carom_sobol_point(k, i, int(seed)))
                                 for i in range(count)])
    return values


@dataclass
class _Cell:
    """One scene of a sweep: where it is in the arrays, what is set, by which law."""

    place: tuple[int, ...]
    values: dict[str, float]
    law: Any
    status: str = "ok"
    row: dict[str, float] = field(default_factory=dict)
    motion: Any = None
    points: dict[str, np.ndarray] | None = None


def sweep(scene, values: Mapping[str, Any], law: Any, keep: str, skip: int, follow: str | None, together: bool,
          threads: int, options: Mapping[str, Any]) -> Sweep:
    """The scene at every point of the grid: run, or its impact decided by one law."""
    given = {name: finite(name, numbers(name, value)) for name, value in values.items()}
    laws = list(law) if isinstance(law, (list, tuple)) else None
    for name, array in given.items():
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"{name}: shape {array.shape}; it must be a list of values")
    if not given:
        raise ValueError("sweep: nothing varies; name a parameter and its values, as in sweep(e=[0.1, 0.2])")
    if together and len({array.size for array in given.values()}) != 1:
        raise ValueError("sweep: together: " + ", ".join(f"{name} has {a.size} values" for name, a in given.items())
                         + "; all must have as many")
    if laws == []:
        raise ValueError("law: an empty list; name at least one")
    if keep not in KEPT:
        raise ValueError(f"keep: {keep!r}; there are {', '.join(KEPT)}")
    if follow not in (None, "up", "down", "both"):
        raise ValueError(f"follow: {follow!r}; there are up, down, both")
    moves = scene.moves and (scene.runs or "until" in options)
    if not moves and (keep in KINDS or follow):
        raise ValueError("sweep: points and `follow` need a motion: a system with `run`, or options={'until': ...}")
    axes, chains = _plan(given, laws, law, follow, together)
    _check(scene, given, laws if laws is not None else [law], options, moves)
    if keep == "section" and not scene.section and not scene.period > 0:
        raise ValueError("the scene has neither `section` nor `period`, so that nothing says where points are taken")
    spread("sweep", lambda chain: _compute(scene, chain, moves, keep, skip, bool(follow), options), chains, threads)
    return _gather(axes, [cell for chain in chains for cell in chain], keep, given)


def _check(scene, given: dict[str, np.ndarray], laws: list, options: Mapping[str, Any], moves: bool) -> None:
    """What is wrong with every cell is an error; what is wrong with the values of some is their status."""
    for name in given:
        if not lib.carom_scene_has_value(scene._c, encoded("name", name)):
            raise SceneError(f"{name}: the scene has no such parameter; there are {', '.join(scene.parameters) or 'none'}"
                             + (", and initial.NAME" if scene.moves else ""), file=scene.file)
    with scene._use:
        for one in laws:
            if one is not None:
                scene._law(one)
    if moves:
        rest = {name: value for name, value in options.items() if name not in ("until", "every")}
        scene._run_options(options.get("until"), options.get("every"), None, None, rest)
        if options.get("until") is not None and options["until"] < scene._content.initial.t and "initial.t" not in given:
            raise ValueError(f"until: {options['until']!r}; it must be at least {scene._content.initial.t:g}, the start")


def _plan(given: dict[str, np.ndarray], laws: list | None, law: Any, follow: str | None, together: bool):
    """The axes of the result, and chains of cells: a chain goes on where the cell before it ended."""
    axes: dict[str, np.ndarray] = {"cell": np.arange(next(iter(given.values())).size)} if together else dict(given)
    last = list(axes)[-1]
    if laws is not None:
        axes = {"law": np.array([one if isinstance(one, str) else repr(one) for one in laws])} | axes
    if follow == "both":
        ends = axes.pop(last)
        axes |= {"follow": np.array(["up", "down"]), last: ends}
    names = list(axes)
    links = {last} | ({"follow"} if follow == "both" else set()) if follow else set()
    order = np.arange(len(axes[last])) if together else np.argsort(axes[last], kind="stable")

    def cell(place: dict[str, int]) -> _Cell:
        values = {name: float(array[place["cell" if together else name]]) for name, array in given.items()}
        return _Cell(tuple(place[name] for name in names), values, laws[place["law"]] if laws is not None else law)

    chains = []
    outer = [name for name in names if name not in links]
    for index in np.ndindex(*(len(axes[name]) for name in outer)):
        place = dict(zip(outer, index))
        if not follow:
            chains.append([cell(place)])
            continue
        ways = {"up": [order], "down": [order[::-1]], "both": [order, order[::-1]]}[follow]
        chains.append([cell(place | {"follow": turn, last: int(k)}) for turn, way in enumerate(ways) for k in way])
    return axes, chains


def _compute(scene, chain: list[_Cell], moves: bool, keep: str, skip: int, follows: bool,
             options: Mapping[str, Any]) -> None:
    before = None  # where the last motion ended, and the period it had
    for cell in chain:
        try:
            made = scene.set(cell.values)
            if not moves:
                cell.status, cell.row = _impact(made, cell.law)
            else:
                before = _motion(made, cell, keep, skip, before, options)
        except (CaromError, ArithmeticError) as error:
            cell.status, before = getattr(error, "text", str(error)), None  # without the place in the scene
        if not follows:
            before = None


def _start(scene, before):
    """The state at the end of the motion before, at the same phase of the period; time goes on where there is none."""
    if before is None:
        return None
    t, q, u, period = before
    if period > 0 and scene.period > 0:
        turns = t / period
        t = 0.0 if is_multiple(t, period) else scene.period * (turns - math.floor(turns))
    return t, q, u


def _motion(scene, cell: _Cell, keep: str, skip: int, before, options: Mapping[str, Any]):
    """Run one cell; the state it leaves."""
    start = _start(scene, before)
    until = scene._until(options.get("until"))
    rest = {name: value for name, value in options.items() if name != "until"}

    def run(start):
        end = until if start is None else start[0] + (until - scene._content.initial.t)
        if keep in KINDS:
            return collect(scene, keep, start, cell.law, end, rest)
        every = rest.get("every", 0) if keep == "final" else rest.get("every")
        more = {name: value for name, value in rest.items() if name != "every"}
        return None, scene._run_from(start, end, every, cell.law, more)

    try:
        points, motion = run(start)
    except SceneError:
        if start is None:
            raise
        points, motion = run(None)  # what is new forbids the state: from `initial`
        cell.status = "ok, from initial"
    if not motion.complete:
        cell.status = motion.end
    if points is not None:
        cell.points = table(points, skip, names_of(scene))
        if motion.complete and not len(cell.points["t"]):
            cell.status = "no points"
    else:
        cell.row = _row(motion)
        cell.motion = motion if keep == "motions" else None
    return (*motion._last, scene.period) if motion.complete else None


def _row(motion) -> dict[str, float]:
    """What is left of a motion."""
    t, q, u = motion._last
    return {"t": t, **dict(zip(motion.coordinates, q)), **dict(zip(motion.velocities, u)),
            "impacts": float(motion.impact_count), "accumulations": float(len(motion.accumulations)),
            **{f"energy_{name}": getattr(motion.ledger, name) for name in _LEDGER},
            "balance_error": motion.ledger.balance_error, "max_penetration": motion.max_penetration,
            **({"energy_events": motion.ledger.events} if "events" in motion._energies else {})}


def _impact(scene, law: Any) -> tuple[str, dict[str, float]]:
    outcomes = scene.impact([law])
    one = next(iter(outcomes.values()))
    if not one:
        return one.status, {}
    return one.status, {**dict(zip(outcomes.coordinates, one.velocity)), "energy_change": one.energy_change,
                        "kinematic": float(one.verdict.kinematic), "kinetic": float(one.verdict.kinetic),
                        "energetic": float(one.verdict.energetic)}


def _gather(axes: dict[str, np.ndarray], cells: list[_Cell], keep: str, given: dict[str, np.ndarray]) -> Sweep:
    shape = tuple(len(array) for array in axes.values())
    names = list(dict.fromkeys(name for cell in cells for name in cell.row))
    columns = {name: np.full(shape, np.nan) for name in names}
    status = np.empty(shape, dtype=object)
    motions = np.empty(shape, dtype=object) if keep == "motions" else None
    for cell in cells:
        status[cell.place] = cell.status
        for name, value in cell.row.items():
            columns[name][cell.place] = value
        if motions is not None:
            motions[cell.place] = cell.motion
    points = _join(axes, cells, given) if keep in KINDS else None
    return Sweep(axes, columns, status.astype(str), motions, points)


def _join(axes: dict[str, np.ndarray], cells: list[_Cell], given: dict[str, np.ndarray]) -> Points:
    """The points of all cells, with what varies in front."""
    told = [cell for cell in cells if cell.points is not None and len(cell.points["t"])]
    lengths = [len(cell.points["t"]) for cell in told]
    labels = [name for name in axes if name in ("law", "follow")]
    columns = {name: np.repeat([axes[name][cell.place[list(axes).index(name)]] for cell in told], lengths)
               for name in labels}
    columns |= {name: np.repeat([cell.values[name] for cell in told], lengths) for name in given}
    for name in told[0].points if told else ("t", "point"):
        if name not in columns:
            columns[name] = np.concatenate([cell.points[name] for cell in told]) if told else np.empty(0)
    return Points(columns)
