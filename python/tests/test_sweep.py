"""Points, following, samples and instants: the rows of `carom sweep` and `carom impact --at-impact`, to the last bit."""

import csv
import io

import numpy as np
import pytest

import carom


def rows(program, *options):
    return list(csv.DictReader(io.StringIO(program("sweep", *options, json=False))))


def same_points(points, listed):
    listed = [row for row in listed if row.get("point")]
    assert points.count == len(listed) > 0
    for name in points:
        if name in ("law", "follow"):
            assert list(points[name]) == [row[name] for row in listed]
        else:
            assert np.array_equal(points[name], [float(row[name]) for row in listed]), name


@pytest.mark.parametrize("keep, skip, follow", [("section", 3, None), ("impacts", 0, None), ("section", 0, "up"),
                                                ("section", 0, "down"), ("section", 2, "both")])
def test_points(keep, skip, follow, program, scenes_folder):
    path = scenes_folder / "impact_oscillator.yaml"
    w = [0.7, 0.8, 0.9, 1.5]
    told = rows(program, path, "--vary", "w=0.7,0.8,0.9,1.5", "--keep", keep, "--skip", skip,
                *(["--follow", follow] if follow else []))
    mine = carom.load(path).sweep(w=w, keep=keep, skip=skip, follow=follow)
    same_points(mine.points, told)
    assert mine.status.shape == ((2, 4) if follow == "both" else (4,))
    assert {row["status"] for row in told} == set(mine.status.ravel())


def test_event_section(program, scenes_folder):
    """A section at an event, with what it keeps; a scene's own points are those of its cell."""
    path = scenes_folder / "simplest_walker.yaml"
    mine = carom.load(path).sweep(slope=[0.009, 0.01], keep="section")
    same_points(mine.points, rows(program, path, "--vary", "slope=0.009,0.01", "--keep", "section"))
    alone = carom.load(path, {"slope": 0.01}).points(skip=1)
    assert np.array_equal(alone["t"], mine.points["t"][mine.points["slope"] == 0.01][1:])


def test_final_and_laws(program, scenes_folder):
    path = scenes_folder / "bouncing_ball.yaml"
    told = rows(program, path, "--vary", "e=0.5,0.9", "--vary", "g=1,9.81", "--law", "newton", "--law", "poisson",
                "--follow", "up")
    mine = carom.load(path).sweep(e=[0.5, 0.9], g=[1, 9.81], law=["newton", "poisson"], follow="up")
    assert list(mine.axes) == ["law", "e", "g"]
    for row in told:
        k = ("newton", "poisson").index(row["law"]), [0.5, 0.9].index(float(row["e"])), [1, 9.81].index(float(row["g"]))
        assert mine["t"][k] == float(row["t"]) and mine["impacts"][k] == float(row["impacts"])


def test_samples(program, scenes_folder):
    path = scenes_folder / "bouncing_ball.yaml"
    told = rows(program, path, "--sample", "e=normal(0.8,0.02)", "--sample", "g=uniform(1,2)", "--count", 16, "--seed", 5)
    values = carom.sample(16, 5, e="normal(0.8, 0.02)", g="uniform(1, 2)")
    mine = carom.load(path).sweep(values, together=True)
    for name in ("e", "g"):
        assert np.array_equal(values[name], [float(row[name]) for row in told])
    assert np.array_equal(mine["impacts"], [float(row["impacts"]) for row in told])
    with pytest.raises(ValueError, match="no distribution"):
        carom.sample(3, e="nrmal(1, 2)")


@pytest.mark.parametrize("k", [1, 3, 6])
def test_at_impact(k, program, scenes_folder):
    path = scenes_folder / "disc_corner_motion.yaml"
    told = program("impact", path, "--at-impact", k)
    mine = carom.load(path).impact(at_impact=k)
    assert list(mine.contacts) == told["contacts"]
    for one, other in zip(mine.values(), told["outcomes"]):
        assert one.status == other["status"] and (not one or np.array_equal(one.velocity, other["velocity"]))


def test_at(program, scenes_folder):
    path = scenes_folder / "belt.yaml"
    told = program("impact", path, "--at", 1)
    assert np.array_equal(carom.load(path).impact("coulomb", at=1).before.velocity, told["before"]["velocity"])
    ball = carom.scenes.bouncing_ball()
    with pytest.raises(carom.NoContactError, match="the nearest is floor"):
        ball.impact(at=0.2)
    with pytest.raises(carom.CaromError, match="there are 154 impacts up to t = 10, at_impact 1000 is beyond"):
        ball.impact(at_impact=1000)


def test_wrong():
    ball = carom.scenes.bouncing_ball()
    for words, match in [({"keep": "section"}, "neither `section` nor `period`"), ({"follow": "sideways"}, "up, down, both"),
                         ({"keep": "all"}, "final, motions, section, impacts"), ({"law": []}, "empty list"),
                         ({"q0": [1.0], "together": True}, "e has 2 values, q0 has 1 values")]:
        with pytest.raises(ValueError, match=match):
            ball.sweep(e=[0.1, 0.2], **words)
    with pytest.raises(ValueError, match="need a motion"):
        carom.scenes.cradle().sweep(e=[0.5], keep="impacts")


LIGHT = """carom: 1
parameters: {p: 1}
system: {coordinates: [x], kinetic: "p*x'^2/2", contacts: {floor: {gap: x, restitution: 0.5}}}
initial: {x: 1, x': 1}
run: {until: 1}
"""


def test_cell_that_ends_at_its_start(program, tmp_path):
    """A mass that is not positive ends its own cell, not the sweep."""
    (tmp_path / "light.yaml").write_text(LIGHT)
    told = list(csv.DictReader(io.StringIO(program("sweep", tmp_path / "light.yaml", "--vary", "p=1,-1", json=False))))
    mine = carom.Scene(LIGHT).sweep(p=[1, -1])
    assert list(mine.status) == [row["status"] for row in told] == ["ok", "bad-force"]
    for name in ("t", "x", "x'", "impacts"):
        assert np.array_equal(mine[name], [float(row[name]) for row in told]), name
    motion = carom.Scene(LIGHT).set(p=-1).run()
    assert not len(motion) and "bad-force" in repr(motion) and "positive definite" in repr(motion)


def test_wrong_everywhere_or_somewhere(program, scenes_folder):
    """What is wrong with all cells is an error; values that are wrong make the status of their cells."""
    scene = carom.scenes.bouncing_ball()
    told = list(csv.DictReader(io.StringIO(program("sweep", scenes_folder / "bouncing_ball.yaml", "--vary", "e=0.5,2",
                                                   "--until", "0.1", json=False))))
    with pytest.raises(ValueError, match="`zz` is unknown"):
        scene.sweep(e=[0.5], law="zz")
    with pytest.raises(ValueError, match="until: -1"):
        scene.sweep(e=[0.5], options={"until": -1})
    with pytest.raises(ValueError, match="no option of a run"):
        scene.sweep(e=[0.5], options={"untill": 1})
    for values in ([2, 0.5], [0.5, 2]):
        swept = scene.sweep(e=values, options={"until": 0.1})
        assert [one == "ok" for one in swept.status] == [e == 0.5 for e in values]
        assert swept.status[values.index(2)] == told[1]["status"]
