"""Everything an impact can lead to: against the program, and against the laws."""

import numpy as np
import pytest

import carom


@pytest.mark.parametrize("name", ["cradle", "three_balls", "disc_in_corner"])
def test_possible(name, program, scenes_folder):
    scene = carom.scenes.read(name)
    found, answer = scene.outcomes(), program("outcomes", scenes_folder / f"{name}.yaml")
    assert found.dimension == answer["set"]["dimension"]
    assert np.array_equal(found.extreme_points, answer["set"]["extreme_points"])
    assert np.array_equal(found.range, answer["set"]["range"])
    assert [level.radius for level in found.levels] == [level["radius"] for level in answer["set"]["levels"]]
    assert np.array_equal((found.rough or found.orders).range, answer["orders"]["range"])
    assert np.allclose(found.proved, found.range, atol=1e-9)


def test_laws_are_inside():
    scene = carom.scenes.cradle()
    for one in scene.impact().values():
        if one and one.verdict.kinematic and one.verdict.kinetic and one.verdict.energetic:
            where = scene.outcomes(measured=one.velocity, samples=0).measured
            assert where.inside and where.distance < 1e-6, one.label
    outside = scene.outcomes(measured=[2, 0, 0, 0, 0], samples=0).measured
    assert not outside.inside and outside.violated and outside.distance > 0.1
    with pytest.raises(ValueError, match=r"measured: shape \(2,\)"):
        scene.outcomes(measured=[1, 2])


def test_measured_as_the_program_tells(program, scenes_folder):
    """Inside means at no distance, whatever rounding says."""
    for u in ([0, 0, 0, 0, 1], [0.1, 0.1, 0.2, 0.2, 0.4], [2, 0, 0, 0, 0]):
        mine = carom.scenes.cradle().outcomes(measured=u, samples=0).measured
        theirs = program("outcomes", scenes_folder / "cradle.yaml", "--measured", ",".join(map(str, u)), "--samples", "0")["measured"]
        assert (mine.inside, mine.distance, mine.level, mine.violated) == (
            theirs["inside"], theirs["distance"], theirs["level"], theirs["violated"])
        assert list(mine.laws) == theirs["laws"]
        assert {key: None if np.isnan(far) else far for key, far in mine.law_distance.items()} == theirs["law_distance"]


def test_measured_without_a_set():
    """Laws are compared also where the set has no description."""
    scene = carom.Scene({"carom": 1, "impact": {"mass": [1, 1], "velocity": [-1, -1], "region": "any",
                                    "contacts": [{"normal": [1, 0]}, {"normal": [0, 1]}]}})
    found = scene.outcomes(measured=[0, 0], samples=0, law=["moreau", "inelastic"])
    assert found.range is None and found.measured.inside is None
    assert set(found.measured.law_distance) == {"moreau", "inelastic"}
