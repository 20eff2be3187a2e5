"""Bodies by Python objects: a world that becomes a scene."""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

import numpy as np

from ._carom import ffi, lib


def joint_kinds() -> tuple[str, ...]:
    """The kinds of joints that there are, and the rope."""
    found = (lib.carom_joint_describe(k) for k in range(lib.CAROM_JOINT_KIND_COUNT))
    return (*(ffi.string(one.word).decode() for one in found), "rope")


def written(data: Mapping[str, Any]) -> str:
    """Data in the format of scene files (JSON is a part of it); numbers read back to the last bit."""
    return json.dumps(_plain(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return "inf" if value > 0 else repr(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ValueError(f"{value!r}: {type(value).__name__} cannot stand in a scene; numbers, texts, lists and mappings can")


class World:
    """Bodies, joints and what holds between them; `world.scene(...)` makes the scene.

    >>> world = World(gravity=[0, 0, -9.81], contact={"friction": 0.5})
    >>> world.body("floor", {"plane": [0, 0, 1]}, fixed=True)
    'floor'
    >>> world.body("cube", {"box": [0.1, 0.1, 0.1]}, at=[0, 0, 0.05], velocity=[6, 0, 0])
    'cube'
    """

    def __init__(self, space: int = 3, gravity: Sequence[Any] | None = None, contact: Mapping[str, Any] | None = None,
                 parameters: Mapping[str, Any] | None = None, title: str | None = None):
        if space not in (2, 3):
            raise ValueError(f"space: {space!r}; it must be 2 (the plane) or 3")
        down = [0, -9.81] if space == 2 else [0, 0, -9.81]
        self._world: dict[str, Any] = {"space": space, "gravity": down if gravity is None else gravity}
        if contact:
            self._world["contact"] = dict(contact)
        self._parameters, self._title = dict(parameters or {}), title
        self._bodies: dict[str, dict] = {}
        self._joints: dict[str, dict] = {}

    def body(self, name: str, shape: Any = None, **keys: Any) -> str:
        """Add a body; the name is given back. shape: {"sphere": r}, {"box": [...]}, a list of such, or None; keys as
        in a scene: fixed, mass, inertia, density, at, turn, velocity, spin, contact, surface, colour."""
        if name in self._bodies or name == "world":
            raise ValueError(f"name: there is a body {name!r} already")
        self._bodies[name] = ({"shape": shape} if shape is not None else {}) | keys
        return name

    def joint(self, name: str, kind: str, parent: str, child: str, **keys: Any) -> str:
        """Add a joint between two bodies (`"world"` is one): revolute, prismatic, fixed, ball, ..., rope (all:
        `carom help scene joint`); keys as in a scene: at, axis, limits, stop, motor, spring, friction, initial, ..."""
        if kind not in joint_kinds():
            raise ValueError(f"kind: {kind!r}; there are {', '.join(joint_kinds())}")
        for body in (parent, child):
            if body not in self._bodies and body != "world":
                raise ValueError(f"there is no body {body!r}; there are world, {', '.join(self._bodies)}")
        if name in self._joints:
            raise ValueError(f"name: there is a joint {name!r} already")
        self._joints[name] = {kind: [parent, child]} | keys
        return name

    def pair(self, one: str, other: str, **contact: Any) -> None:
        """What holds between two bodies: friction, restitution, ..."""
        self._world.setdefault("pairs", []).append({"between": [one, other]} | contact)

    def ignore(self, one: str, other: str) -> None:
        """These two do not collide."""
        self._world.setdefault("ignore", []).append([one, other])

    def data(self, **keys: Any) -> dict[str, Any]:
        """The scene as data: what `carom.Scene` takes."""
        made = {"carom": 1, "title": self._title, "parameters": self._parameters or None, "world": self._world,
                "bodies": self._bodies, "joints": self._joints or None}
        return {key: value for key, value in (made | keys).items() if value is not None}

    def scene(self, **keys: Any) -> Any:
        """The scene: scene(run={"until": 1}, law="coulomb")."""
        from ._scene import Scene
        return Scene(self.data(**keys))

    def __repr__(self) -> str:
        joints = f", joints {', '.join(self._joints)}" if self._joints else ""
        return f"<World: bodies {', '.join(self._bodies)}{joints}>"
