"""Many impacts at once: the answers of single ones, arrays of any layout, refusals that name the argument."""

import numpy as np
import pytest

import carom

W = np.array([[-1.0, 0], [1, -1], [0, 1]])


def single(mass, velocity, normals, e):
    """One impact by way of a scene."""
    n, p = normals.shape
    row = lambda values: "[" + ", ".join(repr(float(v)) for v in values) + "]"
    mass = row(mass) if np.ndim(mass) == 1 else "[" + ", ".join(row(m) for m in mass) + "]"
    contacts = ", ".join(f"{{normal: {row(normals[:, i])}, restitution: {float(e[i])!r}}}" for i in range(p))
    return carom.Scene(f"carom: 1\nimpact: {{mass: {mass}, velocity: {row(velocity)}, contacts: [{contacts}]}}\n")


@pytest.mark.parametrize("law", ["newton", "poisson", "lzb", "sequential", "coulomb:form=equality"])
def test_same_as_one_by_one(law):
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(20, 4, 4))
    mass = factor @ factor.transpose(0, 2, 1) + np.eye(4)
    mass = (mass + mass.transpose(0, 2, 1)) / 2
    u, e, normals = rng.normal(size=(20, 4)), rng.uniform(size=(20, 2)), rng.normal(size=(4, 2))
    many = carom.impact(mass, u, normals, e, law)
    for k in range(20):
        one = single(mass[k], u[k], normals, e[k]).impact(law)[law.split(":")[0]]
        assert many.status[k] == one.status and many.ok[k] == bool(one)
        if not one:
            assert np.isnan(many.velocity[k]).all()
            continue
        assert np.array_equal(many.velocity[k], one.velocity) and np.array_equal(many.impulse[k], one.impulse)
        assert many.energy_change[k] == one.energy_change and many.kinematic[k] == one.verdict.kinematic


def test_layouts():
    """Strides, dtypes and broadcasting do not change a bit."""
    u = np.random.default_rng(2).normal(size=(50, 3))
    expected = carom.impact([1, 2, 3], u, W, 0.5).velocity
    wide = np.zeros((100, 6))
    wide[::2, ::2] = u
    record = np.zeros(50, dtype=[("flag", "i1"), ("u", "f8", 3)])
    record["u"] = u
    for layout in (np.asfortranarray(u), wide[::2, ::2], u.astype(">f8"), record["u"], u.tolist(), u[::-1][::-1]):
        assert np.array_equal(carom.impact([1, 2, 3], layout, W, 0.5).velocity, expected)
    grid = carom.impact(np.array([1, 2, 3]), u.reshape(5, 10, 3), W, np.array([0.5, 0.5]))
    assert np.array_equal(grid.velocity.reshape(50, 3), expected)
    deep = carom.impact([1, 2, 3], u.reshape((1,) * 8 + (50, 3)), W, 0.5)
    assert deep.velocity.shape == (1,) * 8 + (50, 3) and np.array_equal(deep.velocity.reshape(50, 3), expected)
    outer = carom.impact([1, 2, 3], u[:, None], W, np.linspace(0, 1, 7)[:, None])
    assert outer.velocity.shape == (50, 7, 3) and len(outer) == 50
    assert np.array_equal(outer.velocity[:, 0], carom.impact([1, 2, 3], u, W, 0).velocity)


def test_friction():
    """A disc at a wall: what Coulomb's law says, by hand."""
    mass, normals, slips = [1.0, 1.0], [[0.0], [1.0]], [[1.0], [0.0]]
    result = carom.impact(mass, [[0.1, -1.0], [2.0, -1.0]], normals, 0.5, "coulomb", slips=slips, friction=0.3)
    assert np.allclose(result.velocity, [[0, 0.5], [2 - 0.3 * 1.5, 0.5]])
    assert np.allclose(result.tangential_impulse, [[-0.1], [-0.45]])
    rough = carom.impact(mass, [2.0, -1.0], normals, 0.5, "coulomb", slips=slips, friction=np.inf)
    assert np.allclose(rough.velocity, [0, 0.5])


def test_status():
    result = carom.impact([1, 1], [1.0, 0.0], [[-1.0], [1.0]], 1.0, "bend")
    assert result.status == "inapplicable" and not result.ok and np.isnan(result.velocity).all()


def test_empty():
    result = carom.impact([1, 1, 1], np.empty((0, 3)), W, 1)
    assert result.velocity.shape == (0, 3) and len(result) == 0


@pytest.mark.parametrize("change, match", [
    ({"mass": [1, 2]}, r"mass: shape \(2,\)"),
    ({"mass": np.eye(4)}, r"mass: shape \(4, 4\)"),
    ({"mass": "heavy"}, "mass: dtype"),
    ({"mass": [1, -1, 1]}, "mass"),
    ({"mass": [1, np.inf, 1]}, r"mass: shape \(3,\), entry \(1,\) is inf"),
    ({"velocity": [1, 0]}, r"velocity: shape \(2,\)"),
    ({"velocity": [1, 0, np.nan]}, r"velocity: shape \(3,\), entry \(2,\) is nan"),
    ({"velocity": [1j, 0, 0]}, "velocity: dtype complex"),
    ({"velocity": [[1, 0], [1]]}, "velocity: its rows differ"),
    ({"velocity": 3}, r"velocity: shape \(\)"),
    ({"velocity": None}, "velocity: dtype object"),
    ({"normals": np.empty((3, 0))}, r"normals: shape \(3, 0\)"),
    ({"normals": 1.0}, r"normals: shape \(\)"),
    ({"normals": np.zeros((3, 2))}, "zero|normal"),
    ({"restitution": [1, 1, 1]}, r"restitution: shape \(3,\)"),
    ({"restitution": 1.5}, "restitution"),
    ({"restitution": [0.5, np.nan]}, r"restitution: shape \(2,\), entry \(1,\) is nan"),
    ({"slips": np.ones((3, 3))}, r"slips: shape \(3, 3\)"),
    ({"friction": -1, "slips": W}, "friction"),
    ({"threads": -1}, "threads"),
    ({"threads": "two"}, "threads"),
    ({"law": "nwton"}, "newton"),
    ({"law": 3}, "law"),
    ({"law": "newton\0"}, "zero character"),
    ({"stiffness": [1, 2, 3]}, r"stiffness: shape \(3,\)"),
    ({"velocity": np.zeros((4, 3)), "restitution": np.ones((3, 2))}, "do not broadcast"),
])
def test_refusals(change, match):
    good = {"mass": [1, 1, 1], "velocity": [1, 0, 0], "normals": W, "restitution": 1.0}
    carom.impact(**good)
    with pytest.raises(ValueError, match=match):
        carom.impact(**{**good, **change})
