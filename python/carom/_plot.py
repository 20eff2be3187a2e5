"""Pictures with matplotlib, where it is installed."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np


def _axes(ax: Any, **figure: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot() needs matplotlib: install python3-matplotlib, or pip install matplotlib") from None
    return plt.subplots(layout="constrained", **figure)[1]


def motion(one, what: str, names: Sequence[str] | None, ax: Any) -> Any:
    """Curves of a motion, with its impacts marked."""
    if what not in ("position", "velocity", "energy", "phase"):
        raise ValueError(f"what: {what!r}; there are position, velocity, energy, phase")
    ax = _axes(ax, figsize=(7, 4))
    if what == "energy":
        curves = {name: one.energy[name] for name in names or ("kinetic", "potential", "total")}
    else:
        chosen = names or (one.velocities if what == "velocity" else one.coordinates)[:8]
        curves = {name: one[name] for name in chosen}
    if what == "phase":
        for k, name in enumerate(curves):
            velocity = one.u[:, one.coordinates.index(name)]
            ax.plot(curves[name], velocity, label=name, color=f"C{k}")
        ax.set_xlabel("position")
        ax.set_ylabel("velocity")
    else:
        for name, values in curves.items():
            ax.plot(one.t, values, label=name)
        if len(one.impacts) <= 200:
            for t in one.impacts.t:
                ax.axvline(t, color="0.85", linewidth=0.8, zorder=0)
        ax.set_xlabel("t")
    ax.set_title(one.title or "")
    ax.legend(fontsize="small")
    return ax


def outcomes(found, ax: Any) -> Any:
    """Velocities after the impact by law; hollow where a verdict is bad."""
    rows = [one for one in found.values() if one]
    ax = _axes(ax, figsize=(7, 0.4 + 0.32 * max(len(rows), 2)))
    for k, name in enumerate(found.coordinates):
        ax.axvline(found.before.velocity[k], color=f"C{k % 10}", linewidth=0.8, linestyle=":", zorder=0)
        for y, one in enumerate(rows):
            v = one.verdict
            good = v.kinematic and v.kinetic and v.energetic
            ax.plot(one.velocity[k], y, "o", color=f"C{k % 10}", fillstyle="full" if good else "none",
                    label=name if y == 0 else None)
    ax.set_yticks(np.arange(len(rows)), [one.label for one in rows])
    ax.invert_yaxis()
    ax.set_xlabel("velocity after the impact (dotted: before)")
    ax.set_title(found.title or "")
    if rows:
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def points(found, x: str, y: str, ax: Any) -> Any:
    """One column of points against another."""
    ax = _axes(ax, figsize=(7, 4))
    ax.plot(found[x], found[y], ",k" if found.count > 2000 else ".k")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def sweep(found, name: str, ax: Any) -> Any:
    """A column over the first parameter, one curve for each value of a second."""
    axes = list(found.axes)
    if len(axes) > 2:
        raise ValueError(f"plot: {len(axes)} parameters vary; curves can show two")
    ax = _axes(ax, figsize=(7, 4))
    values = found[name].reshape(len(found.axes[axes[0]]), -1)
    for k in range(values.shape[1]):
        label = f"{axes[1]} = {found.axes[axes[1]][k]:g}" if len(axes) == 2 else None
        ax.plot(found.axes[axes[0]], values[:, k], ".-", label=label)
    ax.set_xlabel(axes[0])
    ax.set_ylabel(name)
    if len(axes) == 2:
        ax.legend(fontsize="small")
    return ax
