"""Impacts on a device of OpenCL: the processor's numbers, but for rounding. Without a device only what is refused."""

import numpy as np
import pytest

import carom

try:
    DEVICES = carom.devices()
except carom.UnsupportedError:
    DEVICES = ()
needs_device = pytest.mark.skipif(not DEVICES, reason="OpenCL has no device here")


@needs_device
def test_five_balls():
    """Chains of five balls with other masses and velocities: axes that broadcast, all that is told of an impact."""
    rng = np.random.default_rng(8)
    W = (np.eye(5, 4, -1) - np.eye(5, 4))
    u, m = rng.normal(size=(40, 1, 5)), rng.uniform(0.5, 2, size=(30, 5))
    for law, motion in (("newton", None), ("inelastic", rng.normal(size=4))):
        mine, theirs = (carom.impact(m, u, W, [1, 0.5, 0.7, 0], law, motion=motion, device=device)
                        for device in ("any", None))
        assert mine.velocity.shape == (40, 30, 5) and mine.ok.all()
        for name in ("velocity", "normal_velocity", "impulse", "energy_change"):
            assert np.abs(getattr(mine, name) - getattr(theirs, name)).max() < 1e-13, name
        assert np.array_equal(mine.verdict, theirs.verdict) and np.array_equal(mine.answer, theirs.answer)


@needs_device
def test_friction():
    """A block that lands on two corners with any velocity: its contacts depend on each other, and its friction varies."""
    rng = np.random.default_rng(9)
    W, H = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0], [0.7, 0.7]])
    u, mu = rng.normal(size=(50, 1, 3)), rng.uniform(0, 1.5, size=(20, 2))
    mine, theirs = (carom.impact([1.0, 1.0, 0.5], u, W, 0.3, "coulomb", slips=H, friction=mu, device=device)
                    for device in ("any", None))
    assert np.array_equal(mine.answer, theirs.answer) and np.array_equal(mine.verdict, theirs.verdict)
    assert mine.ok.all()
    for name in ("velocity", "normal_velocity", "slip", "impulse", "tangential_impulse", "energy_change"):
        off = np.abs(getattr(mine, name) - getattr(theirs, name))
        assert np.nanmax(off) < 1e-13, name


@needs_device
def test_refused():
    good = {"mass": [1.0, 1.0], "velocity": [1.0, -1.0], "normals": [[-1.0], [1.0]], "device": "any"}
    with pytest.raises(carom.UnsupportedError, match="newton, inelastic and coulomb"):
        carom.impact(**good, law="poisson")
    with pytest.raises(carom.UnsupportedError, match="friction by the law coulomb alone"):
        carom.impact(**good, slips=[[1.0], [1.0]], friction=0.3)
    with pytest.raises(carom.UnsupportedError, match="planar contacts alone"):
        carom.impact(**good, slips=np.eye(2), friction=0.3, law="coulomb")
    with pytest.raises(ValueError, match="velocity: shape .* nan"):
        carom.impact(**good | {"velocity": [1.0, np.nan]})
    with pytest.raises(carom.UnsupportedError, match="there is no device"):
        carom.impact(**good | {"device": "none such"})
    with pytest.raises(ValueError, match="device: int given"):
        carom.impact(**good | {"device": 3})
    assert carom.impact(**good | {"velocity": np.empty((0, 2))}).velocity.shape == (0, 2)
