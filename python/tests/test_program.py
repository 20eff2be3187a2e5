"""The same answers as the program's, to the last bit, on every bundled scene."""

import warnings

import numpy as np
import pytest

import carom

NAMES = carom.scenes.names()


def same(array, listed):
    """Equal to the last bit; null stands for NaN and infinity."""
    if listed is None:
        return array is None
    mine = np.asarray(array, dtype=float).ravel()
    theirs = np.array([np.nan if v is None else v for v in np.ravel(np.array(listed, dtype=object))], dtype=float)
    return mine.shape == theirs.shape and all(a == b or not np.isfinite(a) and np.isnan(b)
                                              for a, b in zip(mine, theirs))


def read(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", carom.SceneWarning)
        return carom.scenes.read(name)


@pytest.mark.parametrize("name", NAMES)
def test_impact(name, program, scenes_folder):
    answer = program("impact", scenes_folder / f"{name}.yaml")
    try:
        mine = read(name).impact()
    except carom.NoContactError as error:
        assert not answer["outcomes"] and "no contact is closed" in str(error)
        return
    assert list(mine.contacts) == answer["contacts"]
    assert same(mine.before.velocity, answer["before"]["velocity"])
    assert same(mine.before.delassus, answer["geometry"]["delassus"])
    assert same(mine.before.kinetic_angles, answer["geometry"]["kinetic_angles"])
    assert len(mine) == len(answer["outcomes"])
    for one, other in zip(mine.values(), answer["outcomes"]):
        assert (one.law, one.status, one.message) == (other["law"], other["status"], other["message"])
        assert same(one.velocity, other["velocity"]) and same(one.impulse, other["impulse"])
        assert same(one.normal_velocity, other["normal_velocity"])
        assert one.energy_change == other["energy_change"]
        assert one.certificate == other["certificate"]
        if one:
            assert list(one.mode) == other["mode"]
            assert one.verdict.kinematic == other["verdict"]["kinematic"]
            assert one.verdict.kinetic == other["verdict"]["kinetic"]
            assert one.verdict.energetic == other["verdict"]["energetic"]
        assert len(one.alternatives) == len(other["alternatives"])
        for a, b in zip(one.alternatives, other["alternatives"]):
            assert same(a.velocity, b["velocity"])


INSPECTED = ("velocity", "M", "h", "gaps", "W", "w_hat", "H_T", "slip_motion", "B", "b_hat", "A", "a_hat", "normal_velocity",
             "slip", "delassus", "kinetic_angles", "frame_velocity", "power", "virtual_edges", "affinities")


@pytest.mark.parametrize("name", NAMES)
def test_inspect(name, program, scenes_folder):
    if name in ("pile_of_balls", "pile_of_boxes"):
        pytest.skip("as the others, and long")
    answer, mine = program("inspect", scenes_folder / f"{name}.yaml"), read(name).inspect()
    assert list(mine.contacts) == answer["contacts"] and list(mine.closed) == answer["closed"]
    assert list(mine.coordinates) == answer["coordinates"]
    for key in INSPECTED:
        assert same(getattr(mine, key), answer[key]) or not answer[key] and not np.size(getattr(mine, key)), key
    for key in ("t", "kinetic_energy", "potential_energy"):
        assert same(getattr(mine, key), answer[key] if answer[key] is not None else [None]), key
    for part in ("quasi_velocities", "quasi_forces"):
        assert (getattr(mine, part) is None) == (answer[part] is None)
        for key, value in (answer[part] or {}).items():
            assert same(getattr(getattr(mine, part), key), value if value is not None else [None]), key
    for part in ("boundary", "joints"):
        for one, other in zip(getattr(mine, part), answer[part], strict=True):
            for key, value in other.items():
                found = getattr(one, key)
                assert found == value if key == "contact" else same(found, [None] if value is None and found is not None else value), key


SHORT = {"pile_of_balls": 0.1, "pile_of_boxes": 0.1}  # the first tenth of a second of many bodies is enough
MOVING = [name for name in NAMES if read(name).moves]


@pytest.mark.parametrize("name", MOVING)
def test_run(name, program, scenes_folder):
    scene = read(name)
    if scene._content.run == carom._ffi.NULL:
        with pytest.raises(carom.SceneError, match="lacks `run`"):
            scene.run()
        return
    until = SHORT.get(name)
    answer = program("run", scenes_folder / f"{name}.yaml", *(["--until", until] if until else []))
    mine = scene.run(until=until, every=0 if "output: " not in scene.text else None)
    assert mine.end == answer["end"] and (mine.message or "") == answer["message"]
    assert same(mine.q[-1], answer["final"]["position"]) and same(mine.u[-1], answer["final"]["velocity"])
    assert mine.t[-1] == answer["final"]["t"] and mine.steps == answer["steps"]
    assert mine.impact_count == answer["impact_count"] and len(mine.impacts) == len(answer["impacts"])
    for one, other in zip(mine.impacts, answer["impacts"]):
        assert one.t == other["t"] and list(one.contacts) == other["contacts"]
        assert same(one.before, other["velocity_before"]) and same(one.after, other["velocity_after"])
        assert same(one.impulse, other["impulse"]) and one.energy_change == other["energy_change"]
        assert (one.t_before, one.t_after) == (other.get("t_before", one.t), other.get("t_after", one.t))
    assert mine.ledger.final == answer["energy"]["final"]
    assert mine.ledger.balance_error == answer["energy"]["balance_error"]
    assert len(mine.instants) == answer["instant_count"]
    assert [a.t_limit for a in mine.accumulations] == [a["t_limit"] for a in answer["accumulations"]]
    assert list(mine.warnings) == answer["warnings"]


def test_labels(program, scenes_folder):
    """Keys are the program's: variants by label, the bare name gives the first."""
    mine = carom.scenes.cradle().impact()
    assert "path:stop=newton" in mine and "coulomb:form=equality" in mine and "newton" in mine
    assert mine["path"] is mine["path:stop=newton"]
    with pytest.raises(KeyError, match="path:stop=stronge"):
        mine["pth"]
    one = carom.scenes.cradle().impact(["path:stop=stronge", carom.law("path", stop="poisson")])
    assert list(one) == ["path:stop=stronge", "path:stop=poisson"]
