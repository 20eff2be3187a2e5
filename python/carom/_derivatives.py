"""Derivatives of functions of q and t by central differences of sixth order.

With nodes at multiples of a step s the first derivative has the error s⁶f⁽⁷⁾/140 + O(ε|f|/s), the second
s⁶f⁽⁸⁾/560 + O(ε|f|/s²). On functions that vary over lengths of `scale` the two parts balance near
s = ε^(1/7) scale and ε^(1/8) scale, and leave some 1e-13 and 1e-11 of |f|."""

from __future__ import annotations

from typing import Callable

import numpy as np

_EPSILON = np.finfo(float).eps
_FIRST = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
_SECOND = ((1, 3 / 2), (2, -3 / 20), (3, 1 / 90))


def _path(q: np.ndarray, t: float, direction: np.ndarray, scale: float, order: float) -> tuple[float, Callable]:
    """A step, and the points q + k s d, t + k s."""
    length = max(float(np.max(np.abs(direction), initial=0.0)), 1.0)
    step = _EPSILON ** (1 / order) * scale / length

    def point(k: int) -> tuple[np.ndarray, float]:
        return q + k * step * direction, t + k * step
    return step, point


def along(function: Callable, q: np.ndarray, t: float, direction: np.ndarray, scale: float) -> np.ndarray:
    """d/ds f(q + s d, t + s) at s = 0."""
    step, point = _path(q, t, direction, scale, 7)
    return sum(c * (function(*point(k)) - function(*point(-k))) for k, c in _FIRST) / step


def second_along(function: Callable, q: np.ndarray, t: float, direction: np.ndarray, scale: float) -> np.ndarray:
    """d²/ds² f(q + s d, t + s) at s = 0."""
    step, point = _path(q, t, direction, scale, 8)
    middle = function(q, t)
    return sum(c * ((function(*point(k)) - middle) + (function(*point(-k)) - middle)) for k, c in _SECOND) / step**2


def gradient(function: Callable, q: np.ndarray, t: float, scale: float) -> np.ndarray:
    """The columns ∂f_i/∂q, (n, p)."""
    rows = []
    for unit in np.eye(len(q)):
        step, point = _path(q, t, unit, scale, 7)
        rows.append(sum(c * (function(point(k)[0], t) - function(point(-k)[0], t)) for k, c in _FIRST) / step)
    return np.array(rows)
