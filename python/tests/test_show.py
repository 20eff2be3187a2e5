"""What is shown: texts, tables for notebooks, pictures."""

import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import carom
from conftest import PROGRAM

OBJECTS = {
    "outcomes": lambda: carom.scenes.cradle().impact(),
    "motion": lambda: carom.scenes.bouncing_ball().run(),
    "check": lambda: carom.scenes.cradle().check(),
    "impacts": lambda: carom.impact([1, 1], [1.0, 0], [[-1.0], [1]], 1),
    "laws": carom.laws,
    "scene": carom.scenes.cradle,
    "outcome": lambda: carom.scenes.cradle().impact()["newton"],
    "possible": lambda: carom.scenes.cradle().outcomes(samples=10),
    "sweep": lambda: carom.scenes.bouncing_ball().sweep(e=[0.5, 2], options={"until": 0.1}),
    "gradient": lambda: carom.scenes.bouncing_ball().gradient(of=["q", "t", "q'"], wrt=["e", "g"], until=0.6),
    "orbit": lambda: carom.scenes.impact_oscillator().orbit(until=20),
    "lyapunov": lambda: carom.scenes.simplest_walker().lyapunov(until=10),
    "friction": lambda: carom.solve_friction(np.eye(3), [-1.0, 0.5, 0], 0.3),
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


@pytest.mark.parametrize("ending", [".h5", ".csv"])
@pytest.mark.parametrize("name", ["bouncing_ball", "rocking_block", "simplest_walker"])
def test_save(name, ending, program, scenes_folder, tmp_path):
    """A saved motion reads back as one that the program wrote."""
    mine, theirs = tmp_path / f"mine{ending}", tmp_path / f"theirs{ending}"
    motion = carom.scenes.read(name).run()
    motion.save(mine)
    program("run", scenes_folder / f"{name}.yaml", "-o", theirs)
    one, other = carom.read_trace(mine), carom.read_trace(theirs)
    for key in ("t", "q", "u", "gap", "force", "friction", "mode", "_energy"):
        assert np.array_equal(getattr(one, key), getattr(other, key)), key
        assert np.array_equal(getattr(one, key), getattr(motion, key)), key
    for key in ("t", "position", "before", "after", "energy_change"):
        assert np.array_equal(getattr(one.impacts, key), getattr(other.impacts, key)), key
    assert (one.end, one.message, one.title, one.law, one.method) == (other.end, other.message, other.title, other.law,
                                                                     other.method)
    assert one.accumulations == other.accumulations and one.changes == other.changes and one.text == other.text
    if ending == ".csv":
        assert mine.read_text() == theirs.read_text()
    with pytest.raises(FileExistsError, match="exists"):
        motion.save(mine)
    motion.save(mine, force=True)
    with pytest.raises(ValueError, match="named .h5"):
        motion.save(tmp_path / "motion.png")
    with pytest.raises(ValueError, match="read from a file"):
        one.save(tmp_path / "again.h5")


def test_view(tmp_path):
    """The page is the program's, but for the name of the motion."""
    motion = carom.scenes.bouncing_ball().run()
    view = motion.view(tmp_path / "mine.html")
    assert view._repr_html_().startswith("<iframe srcdoc=") and "mine.html" in repr(view)
    motion.save(tmp_path / "ball.h5")
    subprocess.run([PROGRAM, "view", tmp_path / "ball.h5", "--out", tmp_path / "theirs.html", "--no-open"], check=True)
    mine, theirs = (tmp_path / "mine.html").read_text(), (tmp_path / "theirs.html").read_text()
    theirs = theirs.replace('"file":"ball.h5"', '"file":"bouncing ball"').replace('"message":""', '"message":null')
    assert mine == theirs
    both = carom.view(motion, carom.read_trace(tmp_path / "ball.h5"), path=tmp_path / "both.html")
    assert (tmp_path / "both.html").read_text().count('"title":"bouncing ball"') == 2 and both.path
    with pytest.raises(ValueError, match="at least one motion"):
        carom.view(path=tmp_path / "none.html")
