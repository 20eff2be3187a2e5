"""Scenes: their errors, their overrides, their life."""

import pickle
import threading

import numpy as np
import pytest

import carom

BALL = """carom: 1
title: ball
parameters: {m: 1, g: 9.81, e: 0.8}
system:
  coordinates: [x]
  kinetic: m/2*x'^2
  potential: m*g*x
  contacts: {floor: {gap: x, restitution: e}}
initial: {x: 1}
run: {until: 2}
"""


def test_errors_say_where():
    with pytest.raises(carom.SceneError) as caught:
        carom.Scene(BALL.replace("m*g*x", "m*g*z"))
    assert (caught.value.line, caught.value.column) == (7, 18)
    assert "z" in caught.value.text and str(caught.value).startswith("7:18: ")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.line, again.column, str(again)) == (7, 18, str(caught.value))
    assert isinstance(caught.value, ValueError)


def test_errors_of_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        carom.load(tmp_path / "none.yaml")
    path = tmp_path / "bad.yaml"
    path.write_text(BALL.replace("until: 2", "untl: 2"))
    with pytest.raises(carom.SceneError) as caught:
        carom.load(path)
    assert caught.value.file == str(path) and str(caught.value).startswith(f"{path}:10:7: ")


def test_unknown_law_and_options():
    scene = carom.Scene(BALL)
    with pytest.raises(ValueError, match="nwton.*newton"):
        scene.run(law="nwton")
    with pytest.raises(ValueError, match="method: 'walk'; there are event-driven"):
        scene.run(method="walk")
    with pytest.raises(ValueError, match="tolerence: no option"):
        scene.run(tolerence=1e-3)
    with pytest.raises(ValueError, match="until: nan"):
        scene.run(until=float("nan"))
    with pytest.raises(ValueError, match="set: .* no name"):
        scene.set({3: 4})


def test_set_and_parameters():
    scene = carom.Scene(BALL)
    other = scene.set({"initial.x": 2}, e="0.5*m")
    assert scene.parameters["e"] == 0.8 and other.parameters["e"] == 0.5
    assert other.run().q[0, 0] == 2
    with pytest.raises(carom.SceneError, match="zz"):
        scene.set(zz=1)


def test_motion_arrays():
    motion = carom.Scene(BALL).run(every=0.01)
    assert motion.t.shape == (201,) and motion.q.shape == (201, 1) and motion.complete
    assert not motion.q.flags.writeable
    fall = motion.t < motion.impacts[0].t
    assert np.allclose(motion["x"][fall], 1 - 9.81 / 2 * motion.t[fall] ** 2, atol=1e-12)
    assert np.allclose(motion.energy["total"] - motion.energy["impacts"], 9.81, atol=1e-9)
    first = motion.impacts[0]
    assert first.contacts == ("floor",) and np.allclose(first.after, -0.8 * first.before)
    rows = motion.q
    del motion  # rows keep what they look at
    assert rows[0, 0] == 1


def test_motion_survives_its_scene():
    motion = carom.Scene(BALL).run()
    again = pickle.loads(pickle.dumps(motion))
    assert np.array_equal(again.q, motion.q) and again.impacts[0].t == motion.impacts[0].t
    assert len(again) == len(motion) == 1001


def test_pickle_scene():
    scene = carom.Scene(BALL, {"e": 0.5})
    again = pickle.loads(pickle.dumps(scene))
    assert again.parameters == scene.parameters and again.run().hash == scene.run().hash
    outcomes = carom.scenes.cradle().impact()
    assert pickle.loads(pickle.dumps(outcomes))["lzb"].velocity[4] == outcomes["lzb"].velocity[4]


def test_threads():
    """Eight at once, on scenes of their own and on a shared one, have the answer of one alone."""
    shared = carom.Scene(BALL)
    expected = shared.run().hash
    found = []

    def work():
        own = carom.Scene(BALL)
        for _ in range(10):
            found.append(own.run().hash)
            found.append(shared.run().hash)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160 and set(found) == {expected}


def test_no_contact():
    with pytest.raises(carom.NoContactError, match="nearest is floor, its gap is 1"):
        carom.Scene(BALL).impact()
    assert carom.Scene(BALL).impact("newton", closed=1.5)["newton"].velocity == 0


def test_trace(program, tmp_path, scenes_folder):
    path = tmp_path / "ball.h5"
    program("run", scenes_folder / "bouncing_ball.yaml", "-o", path)
    read, run = carom.read_trace(path), carom.scenes.bouncing_ball().run()
    assert np.array_equal(read.q, run.q) and np.array_equal(read.impacts.impulse, run.impacts.impulse)
    with pytest.raises(OSError):
        carom.read_trace(tmp_path / "none.h5")


def test_name_of_a_file():
    with pytest.raises(ValueError, match="carom.load"):
        carom.Scene("cradle.yaml")
