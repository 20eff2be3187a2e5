"""Gradients, orbits and branches: against differences, and against the program."""

import numpy as np
import pytest

import carom
from test_scene import BALL


def test_gradient(program, scenes_folder):
    scene = carom.scenes.bouncing_ball()
    found = scene.gradient(of=["q", "q'"], wrt=["e", "initial.q"], until=1.0)
    answer = program("gradient", scenes_folder / "bouncing_ball.yaml", "--of", "q", "--of", "q'", "--wrt", "e", "--wrt",
                     "initial.q", "--until", "1")
    assert found.exists and found.events == answer["events"]
    assert np.array_equal(found.gradient, answer["gradient"]) and np.array_equal(found.value, answer["value"])
    h = 1e-6
    differences = [(scene.set(e=0.9 + h).run(until=1, every=0).q[-1, 0]
                    - scene.set(e=0.9 - h).run(until=1, every=0).q[-1, 0]) / (2 * h)]
    assert abs(found.gradient[0, 0] - differences[0]) < 1e-7


def test_an_end_that_is_given_does_not_move_with_the_scene():
    scene = carom.Scene("""
carom: 1
parameters: {T: 0.7}
system: {coordinates: [x], kinetic: "x'^2/2", potential: 2*x}
initial: {x': 1}
run: {until: 2*T}
""")
    assert scene.gradient(["t", "x"], wrt="T").gradient[:, 0] == pytest.approx([2, 2 * (1 - 2 * 1.4)])
    assert not np.any(scene.gradient(["t", "x"], wrt="T", until=5).gradient)


def test_gradient_of_one_formula():
    scene = carom.Scene(BALL)
    found = scene.gradient("t", wrt="initial.x", at_impact=1)     # t = sqrt(2 x / g)
    assert found.value == pytest.approx(np.sqrt(2 / 9.81)) and found.gradient.shape == (1,)
    assert found.gradient[0] == pytest.approx(np.sqrt(2 / 9.81) / 2, rel=1e-10)
    with pytest.raises(ValueError, match="zz"):
        scene.gradient("x", wrt="zz")
    with pytest.raises(ValueError, match="of: zz"):
        scene.gradient("zz", wrt="e")
    with pytest.raises(ValueError, match="wrt: 3"):
        scene.gradient("x", wrt=3)
    with pytest.raises(carom.CaromError, match="impacts"):
        scene.gradient("x", wrt="e", at_impact=100000, until=0.1)


TOGETHER = """carom: 1
system:
  coordinates: [x, y]
  kinetic: x'^2/2 + y'^2/2
  contacts: {a: {gap: x, restitution: 0.5}, b: {gap: y - x/2, restitution: 0.5}}
initial: {x: 1, y: 1, x': -1, y': -1}
run: {until: 3}
"""


def test_gradient_that_does_not_exist():
    """Two contacts close at one instant: which is first depends on the direction."""
    found = carom.Scene(TOGETHER).gradient("x", wrt="initial.x")
    assert not found and found.gradient is None and "a and b close at one instant" in found.reason
    assert found.one_sided.left.shape == found.one_sided.right.shape == (1,)


def test_gradient_of_a_formula_without_a_derivative():
    scene = carom.scenes.bouncing_ball()
    found = scene.gradient("q/0", wrt="e", until=1)
    assert not found and found.reason == "q/0 is not a finite number at t = 1"
    assert np.isnan(found.one_sided.left).all() and np.isnan(found.one_sided.right).all()
    found = scene.gradient("abs(q - q + e - 0.9)", wrt="e", until=1)
    assert not found and "has a kink or a jump at t = 1" in found.reason
    assert found.one_sided.left == -1 and found.one_sided.right == 1


KINK = """carom: 1
parameters: {p: 0}
system:
  coordinates: [x, y]
  kinetic: x'^2/2 + y'^2/2
  contacts: {a: {gap: 1 - x, restitution: 0.5}, b: {gap: 1 + p - y, restitution: 0.2}}
initial: {x': 1, y': 1}
run: {until: 2}
"""


def test_gradient_from_either_side(program, tmp_path):
    """Contacts that know nothing of each other: both sides agree. Shared bodies: as the program says."""
    found = carom.Scene(KINK).gradient(["x*y", "y"], wrt="p")
    assert found.exists and "at one instant" in found.reason and found.gradient.ravel() == pytest.approx([0.6, 1.2])
    text = KINK.replace("1 + p - y", "1 + p - x - y/3").replace("y': 1", "y': 0")
    (tmp_path / "kink.yaml").write_text(text)
    found = carom.Scene(text).gradient(["x", "y"], wrt=["p", "initial.x'"])
    answer = program("gradient", tmp_path / "kink.yaml", "--of", "x", "--of", "y", "--wrt", "p", "--wrt", "initial.x'")
    for side in ("left", "right"):
        other = np.array(answer["one_sided"][side], dtype=float)
        assert np.array_equal(getattr(found.one_sided, side), other, equal_nan=True)


def test_orbit(program, scenes_folder):
    found = carom.scenes.simplest_walker().orbit()
    answer = program("orbit", scenes_folder / "simplest_walker.yaml")
    assert found and found.period == answer["period"] and found.stable == answer["stable"]
    assert np.array_equal(found.position, answer["position"])
    assert np.array_equal(found.multipliers, [complex(*pair) for pair in answer["multipliers"]])
    assert found.segments[0].event == "strike" and "stable" in repr(found)
    with pytest.raises(ValueError, match="neither `section` nor `period`"):
        carom.Scene(BALL).orbit()


def test_follow(program, scenes_folder):
    walker = carom.scenes.simplest_walker()
    branch = walker.follow(slope=(0.009, 0.012))
    answer = program("follow", scenes_folder / "simplest_walker.yaml", "--vary", "slope=0.009:0.012")
    assert len(branch) == len(answer["points"]) > 3
    assert np.array_equal(branch.parameter, [point["parameter"] for point in answer["points"]])
    assert np.array_equal(branch.period, [point["period"] for point in answer["points"]])
    assert [event.kind for event in branch.events] == [event["kind"] for event in answer["events"]]
    with pytest.raises(ValueError, match="pair"):
        walker.follow(slope=0.01)
    with pytest.raises(ValueError, match="2 parameters"):
        walker.follow(a=(0, 1), b=(0, 1))
    with pytest.raises(carom.SceneError, match="zz"):
        walker.follow(zz=(0, 1))


def test_lyapunov(program, scenes_folder):
    found = carom.scenes.impact_oscillator().lyapunov(until=60, skip=10)
    answer = program("lyapunov", scenes_folder / "impact_oscillator.yaml", "--until", "60", "--skip", "10")
    assert np.array_equal(found.exponents, answer["exponents"]) and found.time == answer["time"]
    assert found.restarts == answer["restarts"] and np.array_equal(found.section, answer["section"]["exponents"])
    assert carom.scenes.bouncing_ball().lyapunov(until=1).section is None
    with pytest.raises(ValueError, match="skip"):
        carom.scenes.impact_oscillator().lyapunov(until=60, skip=100)


def test_basins(program, scenes_folder):
    scene = carom.scenes.impact_oscillator()
    found = scene.basins({"x": [-1, 0.5], "x'": [-0.5, 0.5, 1]}, skip=50)
    answer = program("basins", scenes_folder / "impact_oscillator.yaml", "--vary", "x=-1:0.5:2", "--vary", "x'=-0.5:1:3",
                     "--skip", "50")
    other = np.array(answer["cells"])[:, 0], len(answer["attractors"])
    assert found.cells.shape == (2, 3) and sum(a.fraction for a in found.attractors) == pytest.approx(1)
    assert (found.cells[:, 0] == np.array(answer["cells"])[0]).all() and other[1] >= 1
    with pytest.raises(ValueError, match="two names"):
        scene.basins({"x": [0]})


def test_basins_with_starts_in_penetration(program, scenes_folder):
    """A start below the table goes nowhere; the others are told."""
    answer = program("basins", scenes_folder / "ball_on_table.yaml", "--vary", "y=-1:2:2", "--vary", "y'=2:4:1", "--skip", "20")
    found = carom.scenes.ball_on_table().basins({"y": [-0.25, 1.25], "y'": [3]}, skip=20)
    assert [one.kind for one in found.attractors] == [one["kind"] for one in answer["attractors"]]
    assert found.cells.T.tolist() == answer["cells"] and found.attractors[found.cells[0, 0]].kind == "none"
    for mine, theirs in zip(found.attractors, answer["attractors"]):
        assert mine.fraction == theirs["fraction"] and list(mine.interval) == theirs["interval"]
        assert np.array_equal(np.ravel(mine.points), np.ravel(theirs["points"]))


def test_lyapunov_largest_first(program, scenes_folder):
    mine = carom.scenes.simplest_walker().lyapunov(until=30)
    assert np.all(np.diff(mine.exponents) <= 0)
    told = program("lyapunov", scenes_folder / "simplest_walker.yaml", "--until", "30")["exponents"]
    assert [x if np.isfinite(x) else None for x in mine.exponents] == told  # the last direction is lost at every strike
