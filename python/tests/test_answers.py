"""Checks, solvers, sweeps: against the program."""

import csv
import io
import subprocess

import numpy as np
import pytest

import carom
from conftest import PROGRAM


@pytest.mark.parametrize("name", ["cradle", "three_balls", "painleve_rod", "rocking_block"])
def test_check(name, program, scenes_folder):
    if name not in carom.scenes.names():
        pytest.skip("no such scene")
    answer, mine = program("check", scenes_folder / f"{name}.yaml"), carom.scenes.read(name).check()
    assert list(mine) == [c["name"] for c in answer["certificates"]]
    for other in answer["certificates"]:
        one = mine[other["name"]]
        assert (one.holds, one.scope, one.applies, one.text) == (other["holds"], other["scope"], other["applies"],
                                                                 other["text"])
        assert (one.counterexample is None) == (other["counterexample"] is None)
        if one.counterexample is not None:
            assert list(one.counterexample) == other["counterexample"]
    if answer["contact_problem"]:
        assert mine.contact_problem.kind == answer["contact_problem"]["class"]
    assert "certificate" not in repr(mine) and "✓" in repr(mine)


def test_solve_from_arrays():
    """A block on an incline by hand: stick below the angle of friction, slip above."""
    W, q = np.eye(3), np.array([-1.0, 0.5, 0.0])
    stick = carom.solve_friction(W, q, 0.6)
    assert stick.status == "solved" and np.allclose(stick.velocity, 0) and np.allclose(stick.reaction, [[1, -0.5, 0]])
    slip = carom.solve_friction(W, q, 0.3)
    assert np.allclose(slip.reaction, [[1, -0.3, 0]]) and np.allclose(slip.velocity, [[0, 0.2, 0]])
    assert np.array_equal(carom.solve_friction(W, q, 0.3, 3.0).reaction, slip.reaction)  # a whole number of any type
    impossible = carom.solve_friction(np.zeros((2, 2)), [-1.0, 0.0], 0.3, 2)
    assert impossible.status == "infeasible" and impossible.certificate[0] > 0
    for change, match in (({"W": np.eye(4)}, r"W: shape \(4, 4\)"), ({"q": [1.0, 2.0]}, r"q: shape \(2,\)"),
                          ({"friction": -1}, "friction"), ({"friction": [1, 2]}, r"friction: shape \(2,\)"),
                          ({"dimension": 4}, "dimension"), ({"dimension": 2.5}, "dimension: 2.5; it must be a whole number"), ({"W": W * np.nan}, "W: shape.*nan"),
                          ({"start": [1]}, "start: 1 numbers")):
        with pytest.raises(ValueError, match=match):
            carom.solve_friction(**({"W": W, "q": q, "friction": 0.3} | change))


def test_solve_from_files(program):
    files = sorted((PROGRAM.parent.parent / "tests").glob("**/*.dat"))
    with pytest.raises(FileNotFoundError):
        carom.solve("none.dat")
    for file in files[:3]:
        answer = program("solve", file)
        if answer:
            assert np.array_equal(carom.solve(file).reaction.ravel(), answer["reaction"])


def test_sweep_motion(scenes_folder):
    scene = carom.scenes.bouncing_ball()
    mine = scene.sweep(e=[0.3, 0.6, 0.9], g=[1.0, 9.81])
    table = subprocess.run([PROGRAM, "sweep", scenes_folder / "bouncing_ball.yaml", "--vary", "e=0.3,0.6,0.9",
                            "--vary", "g=1,9.81"], capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert mine["t"].shape == (3, 2) and (mine.status == "ok").all()
    for name in mine:
        assert np.array_equal(mine[name].ravel(), [float(row[name]) for row in rows]), name
    assert [name for name in rows[0] if name != "status"] == list(mine)


def test_sweep_impact_and_motions():
    swept = carom.scenes.cradle().sweep(e=np.linspace(0, 1, 5))
    assert swept["energetic"].all() and swept["energy_change"][-1] == pytest.approx(0, abs=1e-12)
    kept = carom.scenes.bouncing_ball().sweep({"e": [0.5, 0.7]}, keep="motions")
    assert kept.motions[1].impacts[0].t > 0
    with pytest.raises(carom.SceneError, match="zz"):
        carom.scenes.cradle().sweep(zz=[1])
    with pytest.raises(ValueError, match=r"e: shape \(\)"):
        carom.scenes.cradle().sweep(e=1)
