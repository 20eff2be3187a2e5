"""Elastic rods: against the program, and against what theory says of two of them."""

import pickle

import numpy as np
import pytest

import carom


@pytest.mark.parametrize("length, more", [([1, 2], {}), ([1, 1], {}), ([1.5, 1, 2.5], {"modulus": [1, 3, 2]}),
                                          ([3, 1], {"density": 2.5, "area": [1, 0.3]})])
def test_as_the_program(length, more, program):
    def listed(values):
        return ",".join(map(str, np.atleast_1d(values)))

    options = [word for key, value in more.items() for word in (f"--{key}", listed(value))]
    answer = program("rods", "--length", listed(length), "--speed", "0.7", "--energies", "7", "--regions", *options)
    mine = carom.rods(length, 0.7, **more)
    assert np.array_equal(mine.velocity, answer["velocity"]) and mine.energy == answer["energy"]
    assert mine.energy_in_waves == answer["energy_in_waves"] and mine.settled == answer["settled"]
    for one, other in zip(mine.contacts, answer.get("contacts", [answer]), strict=True):
        for key in ("contact_time", "restitution", "closings", "impulse"):
            assert getattr(one, key) == other[key] or np.isnan(getattr(one, key)) and other[key] is None, key
        assert np.array_equal(one.force, other["force_steps"])
    kinetic, strain = mine.energies(np.minimum([row["t"] for row in answer["energies"]], mine.end))
    assert np.array_equal(kinetic, [row["kinetic"] for row in answer["energies"]])
    assert np.array_equal(strain, [row["strain"] for row in answer["energies"]])
    assert len(mine.regions()) == len(answer["regions"])
    for one, other in zip(mine.regions(), answer["regions"]):
        assert one.rod == other["rod"] - 1 and one.force == other["force"] and np.array_equal(one.x, other["x"])


def test_two_rods():
    """A short rod into a longer one of the same material: restitution is the ratio of lengths, the short one stops."""
    mine = carom.rods([1, 3], 1.0)
    assert mine.contacts[0].restitution == pytest.approx(1 / 3, abs=1e-15)
    assert mine.velocity[0] == pytest.approx(0, abs=1e-15)
    force, velocity = mine.field(1, [0.1, 2.9], 0.5)
    assert np.array_equal(force, [0.5, 0]) and np.array_equal(velocity, [0.5, 0])
    again = pickle.loads(pickle.dumps(mine))
    assert np.array_equal(again.velocity, mine.velocity) and "1/3" not in repr(again) and "0.333333" in repr(again)


@pytest.mark.parametrize("arguments, match", [
    (([1], 1), r"length: shape \(1,\)"), (([1, -1], 1), "length: shape.*least entry is -1"),
    (([1, 1], [1, 2, 3]), r"velocity: shape \(3,\)"), (([1, np.nan], 1), "length: .*nan"), ((["a", 1], 1), "length: dtype")])
def test_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        carom.rods(*arguments)
    with pytest.raises(ValueError, match="t: it must be from 0"):
        carom.rods([1, 1], 1).energies(99)
    with pytest.raises(ValueError, match="x: it must be from 0"):
        carom.rods([1, 1], 1).field(0, 2, 0)
