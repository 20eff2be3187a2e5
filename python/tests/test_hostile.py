"""Random calls with anything as arguments: an exception, never a crash; no memory is lost."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import carom

BAD = [None, 0, -1, 1.5, np.nan, np.inf, 1e308, 1e-320, "", "newton", "path:stop=", "E=[[", "\0", "x" * 10000, b"raw",
       [], [[]], {}, (), object(), 1j, np.array([]), np.zeros((0, 3)), np.zeros((3, 0)), np.eye(3), np.ones(3),
       np.ones((2, 3)), np.full(3, np.nan), np.array(["a"]), np.array([None]), np.ones(3, dtype=np.float16),
       np.ones(3, dtype=bool), np.ones((2, 2, 3))[:, ::-1], lambda *args: 1, range(3), True, 2**70, -(2**70),
       np.arange(6.0)[::2], np.broadcast_to(1.0, (4, 3)), [1, [2, 3]], "initial.q", {"e": 2}, {"initial.q": "q"}]
GOOD = {"mass": [1.0, 1, 1], "velocity": [1.0, 0, 0], "normals": [[-1.0, 0], [1, -1], [0, 1]], "restitution": 0.5,
        "law": "newton"}
EXPECTED = (ValueError, TypeError, OSError, KeyError, ArithmeticError, MemoryError, OverflowError, carom.CaromError)


def calls(rng):
    """A random call of the package, with some random arguments."""
    bad = lambda: BAD[rng.integers(len(BAD))]
    scene = carom.scenes.bouncing_ball()
    some = lambda *names: {name: bad() for name in names if rng.random() < 0.4}
    return [
        lambda: carom.impact(**(GOOD | some("mass", "velocity", "normals", "restitution", "law", "slips", "friction",
                                            "motion", "slip_motion", "stiffness", "threads", "diagonal"))),
        lambda: carom.Scene(bad(), **some("set")),
        lambda: carom.Scene(carom.scenes.cradle().text, some("e", "m", "g", "initial.x")),
        lambda: scene.set({"e": bad()} if rng.random() < 0.5 else bad()),
        lambda: scene.run(**({"until": 0.1, "max_events": 1000} | some("every", "law", "step", "tolerance", "theta",
                                                                        "accumulation_impacts", "scheme", "paradox"))),
        lambda: scene.run(until=0.1, step=0.01, **some("method", "width", "min_step", "rest")),
        lambda: scene.impact(bad(), closed=bad()),
        lambda: scene.check(closed=2, effort=0.1 if rng.random() < 0.8 else bad()),
        lambda: scene.sweep(**({"e": bad(), "threads": 1, "options": {"until": 0.1}}
                               | some("keep", "skip", "follow", "together", "law"))),
        lambda: scene.points(**({"until": 0.1, "keep": "impacts"} | some("keep", "skip", "law"))),
        lambda: carom.sample(bad(), bad(), e=bad()),
        lambda: scene.impact("newton", **some("at", "at_impact")),
        lambda: carom.law("matrix", E=bad()),
        lambda: carom.solve_friction(**({"W": np.eye(3), "q": [-1.0, 0.5, 0], "friction": 0.3}
                                        | some("W", "q", "friction", "dimension", "start", "tolerance"))),
        lambda: carom.read_trace(bad()) if not isinstance(bad(), int) else None,
        lambda: carom.system(*(bad() for _ in range(5))),
        lambda: carom.system(1, [1.0], lambda q, u, t: bad(), lambda q, t: q, [{}]).run(0.1, bad(), 0.0, max_events=99),
        lambda: carom.own_law(lambda impact: bad())(None),
        lambda: carom.impact(**(GOOD | {"law": carom.own_law(lambda impact: bad())})),
        lambda: scene.run(until=0.6, law=carom.own_law(lambda impact: bad()), max_events=99),
        lambda: carom.scenes.read(bad()),
        lambda: scene.gradient(**({"of": "q", "wrt": "e", "until": 0.6} | some("of", "wrt", "at_impact", "until", "law"))),
        lambda: scene.orbit(**some("periods", "law", "tolerance")),
        lambda: scene.follow({"e": bad()}, **some("periods", "points", "step")),
        lambda: scene.lyapunov(until=0.6, **some("skip", "law")),
        lambda: scene.basins(bad(), **some("skip", "same")),
        lambda: scene.outcomes(closed=2, **some("levels", "measured", "seed", "tolerance")),
        lambda: carom.view(bad(), path=bad()),
    ]


@pytest.mark.filterwarnings("ignore")
def test_random_calls():
    rng = np.random.default_rng(11)
    refused = 0
    for _ in range(150):
        for call in calls(rng):
            try:
                call()
            except EXPECTED as error:
                refused += 1
                assert not isinstance(error, SystemError)
    assert refused > 1000


def resident():
    """Memory of this process now, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_no_leaks():
    """A hundred thousand calls of all kinds leave the memory where it was after the first thousands."""
    u, W = np.array([[1.0, 0, 0]]), np.array(GOOD["normals"])
    ball, text = carom.scenes.bouncing_ball(), carom.scenes.bouncing_ball().text
    own = carom.own_law(lambda impact: np.maximum(0, -impact.normal_velocity))
    cradle, oscillator = carom.scenes.cradle(), carom.scenes.impact_oscillator()

    def work(times):
        for k in range(times):
            for _ in range(4):
                carom.impact([1, 1, 1], u, W, 0.5)
            if k % 4 == 1:
                carom.impact([1, 1, 1], u, W, 0.5, f"matrix:E=[[{k % 1000}e-4, 0], [0, 0.5]]")
                cradle.impact(["newton", f"moreau:restitution={k}e-5"])
            if k % 2 == 0:
                ball.run(until=0.5, every=0.1)
                carom.impact([1, 1, 1], u, W, 0.5, own)
            if k % 4 == 0:
                carom.Scene(text)
                cradle.check(effort=0.01) if k % 400 == 0 else None
                ball.gradient("q", "e", until=0.6) if k % 40 == 0 else None
                oscillator.points(until=5) if k % 200 == 0 else None
                cradle.outcomes(samples=10) if k % 400 == 0 else None
                oscillator.orbit(until=20) if k % 1000 == 0 else None
                for wrong in (lambda: carom.Scene(text + "x"), lambda: carom.impact([1, 1], u, W)):
                    with pytest.raises(ValueError):
                        wrong()

    work(2000)
    before = resident()
    work(18000)
    assert resident() - before < 3_000_000


ODD = {
    "at_impact: 0": lambda: carom.scenes.bouncing_ball().gradient("q", "e", at_impact=0),
    "at_impact: 1.5": lambda: carom.scenes.bouncing_ball().gradient("q", "e", at_impact=1.5),
    "threads: 1.5": lambda: carom.impact(**GOOD, threads=1.5),
    "periods: 1.5": lambda: carom.scenes.impact_oscillator().orbit(1.5),
    "velocity: .* masked": lambda: carom.impact(**(GOOD | {"velocity": np.ma.masked_greater([1.0, 0, 0], 0.5)})),
    "slip_motion: it needs slips": lambda: carom.impact(**GOOD, slip_motion=[1.0, 1.0]),
    "method: ": lambda: carom.scenes.bouncing_ball().run(method=["x"]),
    "levels: 3": lambda: carom.scenes.cradle().outcomes(levels=3),
    "values: list": lambda: carom.scenes.impact_oscillator().basins([1, 2]),
    "contacts: int": lambda: carom.system(1, [1.0], None, lambda q, t: q, 3),
    "coordinates: 3.0": lambda: carom.system(3.0, [1.0]),
}


@pytest.mark.parametrize("match", ODD)
def test_odd_arguments(match):
    """Arguments that are nearly right are refused by name."""
    with pytest.raises(ValueError, match=f"^{match}"):
        ODD[match]()


def test_too_large():
    """What would fill the machine's memory is refused before it is begun."""
    with pytest.raises(MemoryError, match="velocities and .* contacts make matrices"):
        carom._work.check_room(10**6, 10)
    carom._work.check_room(10**6, 10, dense=False)


def test_eight_threads():
    """Batches at once from eight threads: the numbers of one."""
    u = np.random.default_rng(5).normal(size=(2000, 3))
    expected = carom.impact([1, 1, 1], u, GOOD["normals"], 0.5).velocity
    good = []

    def work():
        for _ in range(20):
            good.append(np.array_equal(carom.impact([1, 1, 1], u, GOOD["normals"], 0.5).velocity, expected))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(good) == 160 and all(good)


LONG = {
    "run": "carom.scenes.bouncing_ball(e=1).run(until=1e9, every=1e3)",
    "functions": "carom.system(1, [1.0], lambda q, u, t: -q, lambda q, t: q + 2, [{}]).run(1e5, [1.0], [0.0])",
    "impacts": "carom.impact([1, 1, 1], np.tile([1.0, 0, 0], (10**7, 1)), [[-1.0, 0], [1, -1], [0, 1]], 0.5, 'lzb')",
    "outcomes": "carom.scenes.three_balls().outcomes(samples=10**9)",
    "sweep": "carom.scenes.bouncing_ball().sweep(e=[1, 1, 1, 1], options={'until': 1e9})",
}


@pytest.mark.parametrize("name", LONG)
def test_interrupt(name):
    """Ctrl-C ends long work within a second of it, and brings the part of a motion that was computed."""
    program = ("import carom\nimport numpy as np\nimport signal\n"
               "signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background inherit a deaf ear\n"
               "print('ready', flush=True)\n"
               f"try:\n    {LONG[name]}\n"
               "except KeyboardInterrupt as stop:\n    print('stopped', getattr(stop, 'motion', None), flush=True)\n")
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(f"/proc/{child.pid}/stat") as file:  # what it has worked until now, in clock ticks
        worked = sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")
    child.send_signal(signal.SIGINT)
    output = child.communicate(timeout=60)[0]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - worked
    assert work < 1 and output.startswith("stopped ")
    assert name not in ("run", "functions") or "rows" in output
