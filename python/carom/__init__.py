"""Carom: impacts and contact in mechanical systems.

    import carom
    scene = carom.load("cradle.yaml")
    scene.impact()["newton"].velocity
    motion = scene.run(until=5, every=0.01)
    carom.impact(mass=[1, 1, 1], velocity=U, normals=W, restitution=1.0)

Scenes are read by `load`, `Scene`, `scenes`; impacts of arrays are decided by `impact`; `laws` tells which laws
there are. Matrices are numpy arrays with rows and columns as in the equations; units are any consistent ones.
"""

from . import scenes
from ._batch import Impacts, impact
from ._carom import ffi as _ffi, lib as _lib
from ._errors import CaromError, NoContactError, NumericError, SceneError, SceneWarning, UnsupportedError
from ._laws import LawInfo, LawParameter, law, laws
from ._motion import Accumulation, Instant, Ledger, Motion, MotionImpact, MotionImpacts, read_trace
from ._outcomes import Before, Outcome, Outcomes, Verdict
from ._scene import Scene, load

__version__ = _ffi.string(_lib.CAROM_VERSION).decode()

__all__ = [
    "Accumulation", "Before", "CaromError", "Impacts", "Instant", "LawInfo", "LawParameter", "Ledger", "Motion",
    "MotionImpact", "MotionImpacts", "NoContactError", "NumericError", "Outcome", "Outcomes", "Scene", "SceneError",
    "SceneWarning", "UnsupportedError", "Verdict", "impact", "law", "laws", "load", "read_trace", "scenes",
]
