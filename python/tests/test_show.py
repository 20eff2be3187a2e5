"""What is shown: texts, tables for notebooks, pictures."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import carom

OBJECTS = {
    "outcomes": lambda: carom.scenes.cradle().impact(),
    "motion": lambda: carom.scenes.bouncing_ball().run(),
    "check": lambda: carom.scenes.cradle().check(),
    "impacts": lambda: carom.impact([1, 1], [1.0, 0], [[-1.0], [1]], 1),
    "laws": carom.laws,
}


@pytest.mark.parametrize("name", OBJECTS)
def test_html(name):
    """A well-formed table, with as many cells in each row as in its head."""
    made = OBJECTS[name]()
    root = ElementTree.fromstring(f"<div>{made._repr_html_()}</div>")
    widths = {len(row) for row in root.iter("tr")}
    assert len(widths) == 1 and len(list(root.iter("tr"))) > 3
    assert repr(made)


def test_html_escapes():
    scene = carom.Scene("carom: 1\ntitle: <b>&\nimpact: {mass: [1], velocity: [-1], contacts: [{normal: [1]}]}\n")
    assert "&lt;b&gt;&amp;" in scene.impact()._repr_html_()


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    motion = carom.scenes.bouncing_ball().run()
    for what in ("position", "velocity", "energy", "phase"):
        ax = motion.plot(what)
        assert np.array_equal(ax.lines[0].get_ydata()[:5], {"position": motion.q, "velocity": motion.u,
                              "energy": motion.energy["kinetic"][:, None], "phase": motion.u}[what][:5, 0])
        matplotlib.pyplot.close(ax.figure)
    with pytest.raises(ValueError, match="what: 'music'"):
        motion.plot("music")
    outcomes = carom.scenes.cradle().impact()
    assert [label.get_text() for label in outcomes.plot().get_yticklabels()] == [k for k in outcomes if outcomes[k]]
    swept = carom.scenes.cradle().sweep(e=[0, 0.5, 1])
    assert np.array_equal(swept.plot("energy_change").lines[0].get_xdata(), [0, 0.5, 1])
    matplotlib.pyplot.close("all")
