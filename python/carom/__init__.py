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
from ._basins import Attractor, Basins
from ._batch import Impacts, impact
from ._carom import ffi as _ffi, lib as _lib
from ._check import Certificate, Check, ContactProblem, ContactSolution, CriticalFriction, Margins
from ._device import DeviceInfo, devices
from ._errors import CaromError, NoContactError, NumericError, SceneError, SceneWarning, UnsupportedError
from ._follow import Branch, BranchEvent
from ._gradient import Gradient
from ._inspection import BoundaryGeometry, Inspection, JointEquation, QuasiForces, QuasiVelocities
from ._laws import LawInfo, LawParameter, law, laws
from ._motion import Accumulation, Instant, Ledger, Motion, MotionImpact, MotionImpacts, read_trace
from ._orbit import Lyapunov, Orbit, Segment
from ._outcomes import Before, Outcome, Outcomes, Verdict
from ._own_law import ImpactData, OwnLaw, own_law
from ._points import Points
from ._possible import Level, Measured, Orders, Possible
from ._rods import RodContact, RodRegion, Rods, rods
from ._scene import Scene, load
from ._solve import FrictionSolution, solve, solve_friction
from ._sweep import Sweep, sample
from ._system import System, system
from ._view import View, view
from ._world import World

__version__ = _ffi.string(_lib.CAROM_VERSION).decode()

__all__ = [
    "Accumulation", "Attractor", "Basins", "Before", "BoundaryGeometry", "Branch", "BranchEvent", "CaromError",
    "Certificate", "Check", "ContactProblem", "ContactSolution", "CriticalFriction", "DeviceInfo", "FrictionSolution", "Gradient",
    "ImpactData", "Impacts", "Inspection", "Instant", "JointEquation", "LawInfo", "LawParameter", "Ledger", "Level",
    "Lyapunov", "Margins", "Measured", "Motion", "MotionImpact", "MotionImpacts", "NoContactError", "NumericError",
    "Orbit", "Orders", "Outcome", "Outcomes", "OwnLaw", "Points", "Possible", "QuasiForces", "QuasiVelocities",
    "RodContact", "RodRegion", "Rods", "Scene", "SceneError", "SceneWarning", "Segment", "Sweep", "System",
    "UnsupportedError", "Verdict", "View", "World", "devices", "impact", "law", "laws", "load", "own_law", "read_trace",
    "rods", "sample", "scenes", "solve", "solve_friction", "system", "view",
]
