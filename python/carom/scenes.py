"""Bundled scenes: `carom.scenes.cradle()`, `carom.scenes.names()`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from ._scene import Scene, load

_FOLDER = Path(__file__).parent / "bundled"


def names() -> list[str]:
    """The names of the bundled scenes."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


def read(name: str, **values: Any) -> Scene:
    """A bundled scene, with parameters set."""
    if name not in names():
        raise ValueError(f"name: {name!r}; there are {', '.join(names())}")
    return load(_FOLDER / f"{name}.yaml", values)


def __getattr__(name: str) -> Callable[..., Scene]:
    if name.startswith("__") or name not in names():
        raise AttributeError(f"no bundled scene {name!r}; there are {', '.join(names())}")
    return lambda **values: read(name, **values)


def __dir__() -> list[str]:
    return ["names", "read", *names()]
