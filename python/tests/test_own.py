"""Laws and systems by Python functions, against those of the library."""

import os
import select
import signal
import threading

import numpy as np
import pytest

import carom

G = 9.81


@carom.own_law
def own_newton(impact):
    """Newton's law for one contact."""
    e, gamma = impact.restitution, impact.normal_velocity
    return np.maximum(0, -(1 + e) * gamma / np.diag(impact.delassus))


def test_law_in_impacts():
    u = np.random.default_rng(3).normal(size=(100, 3))
    mine = carom.impact([1, 2, 3], u, [[1.0], [1], [0]], 0.7, own_newton)
    theirs = carom.impact([1, 2, 3], u, [[1.0], [1], [0]], 0.7, "newton")
    assert np.allclose(mine.velocity, theirs.velocity, atol=1e-14) and mine.kinetic.all()


def test_law_in_scene_and_motion():
    scene = carom.scenes.bouncing_ball()
    mine, theirs = scene.run(law=own_newton), scene.run(law="newton")
    assert len(mine.impacts) == len(theirs.impacts) and np.allclose(mine.q, theirs.q, atol=1e-9)
    outcomes = carom.scenes.cradle().impact([own_newton, "newton"])
    assert list(outcomes) == ["own_newton", "newton"] and "own_newton" in repr(outcomes)


def test_law_of_two_parts_and_of_none():
    @carom.own_law(name="glue", frictional=True)
    def glue(impact):
        columns = np.hstack([impact.normals, impact.slips])
        response = np.hstack([impact.responses, impact.slip_responses])
        both = np.linalg.solve(columns.T @ response, -columns.T @ impact.velocity)
        return both[:1], both[1:]

    stuck = carom.impact([1.0, 1.0], [2.0, -1.0], [[0.0], [1.0]], 0, glue, slips=[[1.0], [0.0]], friction=9.0)
    assert np.allclose(stuck.velocity, 0) and np.allclose(stuck.tangential_impulse, -2)
    nothing = carom.impact([1.0], [[-1.0]], [[1.0]], 0, carom.own_law(lambda impact: None))
    assert nothing.status[0] == "none"


@pytest.mark.parametrize("function, match", [
    (lambda impact: 1 / 0, "division"),
    (lambda impact: [1, 2, 3], "3 normal impulses returned; there must be 1"),
    (lambda impact: "much", "normal impulses"),
    (lambda impact: ([1], [2], [3]), "tuple of 3"),
])
def test_law_that_fails(function, match):
    law = carom.own_law(function)
    with pytest.raises((ValueError, ZeroDivisionError), match=match):
        carom.impact([1.0], [[-1.0]], [[1.0]], 0, law)
    with pytest.raises((ValueError, ZeroDivisionError), match=match):
        carom.scenes.bouncing_ball().run(law=law)
    with pytest.raises((ValueError, ZeroDivisionError), match=match):
        carom.scenes.bouncing_ball().impact(law, closed=2)


def test_callback_cannot_use_its_scene():
    scene = carom.scenes.bouncing_ball()
    with pytest.raises(RuntimeError, match="at work"):
        scene.run(law=carom.own_law(lambda impact: scene.run()))
    assert scene.run().complete


def pendulum():
    """A pendulum of length 1 whose end meets a wall at x = 0.3 and the floor of a box, by functions."""
    return carom.system(
        ["a"], mass=lambda q, t: [1.0 + 0 * q[0]], force=lambda q, u, t: [-G * np.sin(q[0])],
        gaps=lambda q, t: [0.3 - np.sin(q[0])], contacts=[{"name": "wall", "restitution": 0.8}],
        potential=lambda q, t: -G * np.cos(q[0]))


PENDULUM = """carom: 1
system:
  coordinates: [a]
  kinetic: a'^2/2
  potential: -9.81*cos(a)
  contacts: {wall: {gap: 0.3 - sin(a), restitution: 0.8}}
initial: {a: -1}
run: {until: 5}
"""


def test_system_against_formulas():
    mine, theirs = pendulum().run(5, [-1.0], [0.0]), carom.Scene(PENDULUM).run()
    assert mine.complete and len(mine.impacts) == len(theirs.impacts) == 4
    assert np.allclose(mine.impacts.t, theirs.impacts.t, atol=1e-8)
    assert np.allclose(mine.q, theirs.q, atol=1e-7)
    assert abs(mine.ledger.balance_error) < 1e-8
    assert np.allclose(mine.ledger.impacts, theirs.ledger.impacts, atol=1e-7)


def test_system_with_friction():
    """A block that slides to rest on the floor: v²/(2μg), by time-stepping and event-driven."""
    block = carom.system(["x", "y"], mass=[2.0, 2.0], force=lambda q, u, t: [0, -2 * G], gaps=lambda q, t: [q[1]],
                         contacts=[{"friction": 0.4}], slips=lambda q, t: [[1.0], [0.0]])
    motion = block.run(2, [0, 0], [3.0, 0.0], law="coulomb")
    assert abs(motion.q[-1, 0] - 9 / (2 * 0.4 * G)) < 1e-8 and abs(motion.u[-1, 0]) < 1e-12
    stepped = block.run(2, [0, 0], [3.0, 0.0], law="coulomb", method="time-stepping", step=1e-3)
    assert abs(stepped.q[-1, 0] - motion.q[-1, 0]) < 2e-3
    outcome = block.impact([0, 0], [1.0, -1.0], "coulomb")["coulomb"]
    assert np.allclose(outcome.velocity, [0.6, 0])
    assert block.check([0, 0], [1.0, 0]).contact_problem.kind == "unique"


def test_system_refuses():
    with pytest.raises(ValueError, match=r"mass: shape \(2,\)"):
        carom.system(3, [1, 1])
    with pytest.raises(ValueError, match="friction needs slips"):
        carom.system(1, [1], gaps=lambda q, t: q, contacts=[{"friction": 1}])
    with pytest.raises(ValueError, match="no key 'bounce'"):
        carom.system(1, [1], gaps=lambda q, t: q, contacts=[{"bounce": 1}])
    ball = carom.system(1, [1.0], lambda q, u, t: [-G, 0], lambda q, t: q, [{}])
    with pytest.raises(ValueError, match=r"force: the function returned shape \(2,\)"):
        ball.run(1, 1.0, 0.0)
    broken = carom.system(1, [1.0], lambda q, u, t: [1 / 0], lambda q, t: q, [{}])
    with pytest.raises(ZeroDivisionError):
        broken.run(1, 1.0, 0.0)
    with pytest.raises(TypeError, match="does not pickle"):
        import pickle
        pickle.dumps(ball)


def test_derivatives():
    from carom import _derivatives as d
    f = lambda q, t: np.array([np.sin(q[0] * q[1]) + t * q[0], np.exp(-q[1]) * t**2])
    q, t, u = np.array([0.7, -0.4]), 0.9, np.array([1.3, 0.2])
    c, s = np.cos(q[0] * q[1]), np.sin(q[0] * q[1])
    expected = np.array([[c * q[1] + t, 0], [c * q[0], -np.exp(-q[1]) * t**2]])
    assert np.allclose(d.gradient(f, q, t, 1.0), expected, rtol=0, atol=1e-12)
    moved = expected.T @ u + np.array([q[0], 2 * t * np.exp(-q[1])])
    assert np.allclose(d.along(f, q, t, u, 1.0), moved, rtol=0, atol=1e-12)
    rate = u[0] * q[1] + u[1] * q[0]
    second = [-s * rate**2 + c * 2 * u[0] * u[1] + 2 * u[0],
              np.exp(-q[1]) * (t**2 * u[1] ** 2 - 4 * t * u[1] + 2)]
    assert np.allclose(d.second_along(f, q, t, u, 1.0), second, rtol=0, atol=1e-10)


@pytest.mark.parametrize("which", ["force", "gaps", "potential", "slips"])
@pytest.mark.parametrize("run", [{}, {"method": "time-stepping", "step": 0.02}, {"method": "boundary-layer", "width": 0.01}])
def test_exception_ends_run(which, run):
    """An exception of a function, at any of its calls, ends the run without another call, and carries the motion."""
    for k in [1, 2, 4, 5, 7, 11, 23, 50]:
        calls, raised = 0, []

        def watched(name, function):
            def call(*arguments):
                nonlocal calls
                assert not raised
                calls += name == which
                if name == which and calls == k:
                    raised.append(True)
                    raise LookupError(name)
                return function(*arguments)
            return call

        ball = carom.system(
            2, [1.0, 1.0], watched("force", lambda q, u, t: [0, -G]), watched("gaps", lambda q, t: [q[1]]),
            [{"restitution": 0.5, "friction": 0.3}], slips=watched("slips", lambda q, t: [[1.0], [0.0]]),
            potential=watched("potential", lambda q, t: G * q[1]))
        with pytest.raises(LookupError, match=which) as caught:
            ball.run(2, [0, 1.0], [1.0, 0.0], law="coulomb", **run)
        assert caught.value.motion.end is None and isinstance(caught.value.motion, carom.Motion)


def test_restitution_above_one():
    """Coefficients outside [0, 1] are refused, in motion as for a single impact, unless they are asked for."""
    def ball(**keys):
        return carom.system(1, [1.0], lambda q, u, t: [-G], lambda q, t: q, [{"restitution": 2}], **keys)

    for refused in (lambda: ball().run(1, 1.0, 0.0), lambda: ball().impact(0.0, -1.0, "newton")):
        with pytest.raises(ValueError, match=r"contact 1: restitution 2 is outside \[0, 1\]"):
            refused()
    assert ball(any_restitution=True).run(1, 1.0, 0.0).ledger.impacts > 0
    assert ball(any_restitution=True).impact(0.0, -1.0, "newton")["newton"].velocity == 2


def test_step_is_needed():
    ball = carom.system(1, [1.0], lambda q, u, t: [-G], lambda q, t: q, [{}])
    for run in (lambda: ball.run(1, 1.0, 0.0, method="time-stepping"),
                lambda: carom.scenes.bouncing_ball().run(method="time-stepping")):
        with pytest.raises(ValueError, match="^time-stepping needs a step: step=H"):
            run()


def test_fork_while_a_thread_is_at_work():
    """The child gets an error where it would wait for a thread that it does not have; everything else works there."""
    reached, end, scene, other = threading.Event(), threading.Event(), carom.scenes.cradle(), carom.scenes.cradle()

    @carom.own_law
    def waiting(impact):
        reached.set()
        end.wait(60)

    thread = threading.Thread(target=lambda: scene.impact(waiting))
    thread.start()
    assert reached.wait(60)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            good = bool(other.impact("newton")["newton"])
            scene.impact("newton")
            os.write(writing, b"no error")
        except RuntimeError as error:
            os.write(writing, f"{good} {error}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    said = select.select([reading], [], [], 30)[0] and os.read(reading, 1000).decode()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    end.set()
    thread.join()
    assert said and said.startswith("True this scene was at work when the process was forked")
    assert scene.impact("newton")
