"""Bodies by objects: the scene that a file would give."""

import numpy as np
import pytest

import carom

FILE = """carom: 1
title: a cube pushed over the floor
world: {space: 3, gravity: [0, 0, -9.81], contact: {friction: 0.5, restitution: 0}}
bodies:
  floor: {fixed: true, shape: {plane: [0, 0, 1]}}
  cube:  {shape: {box: [0.1, 0.1, 0.1]}, density: 1000, at: [0, 0, 0.05], velocity: [1, 0, 0]}
run: {method: time-stepping, step: 0.001, until: 0.5}
"""


def cube():
    world = carom.World(contact={"friction": 0.5, "restitution": 0})
    world.body("floor", {"plane": np.array([0, 0, 1])}, fixed=True)
    world.body("cube", {"box": (0.1, 0.1, np.float64(0.1))}, density=1000, at=[0, 0, 0.05], velocity=[1, 0, 0])
    return world


def test_same_as_file():
    mine = cube().scene(run={"method": "time-stepping", "step": 0.001, "until": 0.5}).run()
    theirs = carom.Scene(FILE).run()
    assert mine.hash == theirs.hash and mine.coordinates == theirs.coordinates
    assert abs(mine["cube.x"][-1] - 1 / (2 * 0.5 * 9.81)) < 2e-3 and abs(mine["cube.vx"][-1]) < 1e-9


def test_impact_of_bodies():
    outcome = cube().scene().set().impact("coulomb")["coulomb"]
    assert outcome and len(outcome.impulse) == 4


def test_pendulum():
    """A joint, in the plane: the period of a physical pendulum."""
    world = carom.World(2, parameters={"l": 0.5})
    world.body("bob", None, mass=2, inertia=0.0 + 1e-9, at=[0, "-l"])
    world.joint("hinge", "revolute", "world", "bob", at=[0, 0], initial=0.001)
    motion = world.scene(run={"until": 3}).run(every=0.001)
    period = 2 * np.pi * np.sqrt(0.5 / 9.81)
    rising = np.flatnonzero((motion["hinge"][:-1] < 0) & (motion["hinge"][1:] >= 0))
    assert abs(np.diff(motion.t[rising])[0] - period) < 2e-3


def test_refusals():
    world = cube()
    with pytest.raises(ValueError, match="already"):
        world.body("cube")
    with pytest.raises(ValueError, match="no body 'arm'"):
        world.joint("j", "revolute", "world", "arm")
    with pytest.raises(ValueError, match="kind: 'bolt'"):
        world.joint("j", "bolt", "world", "cube")
    with pytest.raises(ValueError, match="cannot stand in a scene"):
        carom.Scene({"carom": 1, "title": object()})
    with pytest.raises(carom.SceneError, match="shpe"):
        world.body("ball", shpe={"sphere": 1})
        world.scene()
    assert "floor, cube" in repr(world)


def test_names_of_contacts_stay():
    """Numbers of contacts are those of the motion: neither rows nor a motion before it change them."""
    scene = carom.scenes.stack_of_boxes()
    first, again, rows = (made.run(until=0.4, every=every) for made, every in
                          ((scene, 0), (scene, 0), (carom.scenes.stack_of_boxes(), 0.002)))
    assert len(again.impacts) > 20
    for one, two, three in zip(first.impacts, again.impacts, rows.impacts):
        assert one.t == two.t == three.t and one.contacts == two.contacts == three.contacts
