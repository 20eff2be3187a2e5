#!/usr/bin/python3
"""The Python package: batches and runs against their goals. PYTHONPATH=build/python bench/bench_python.py"""

import sys
import time

import numpy as np

import carom


def best(work, times: int = 7) -> float:
    """The shortest of some runs, in seconds."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> int:
    W = np.array([[-1.0, 0], [1, -1], [0, 1]])
    U = np.random.default_rng(0).normal(size=(1_000_000, 3))
    ball = carom.scenes.bouncing_ball()
    cradle = carom.scenes.cradle()
    goals = [("a million impacts of three balls, newton", 1.0, lambda: carom.impact([1, 1, 1], U, W, 0.9)),
             ("the same, poisson", None, lambda: carom.impact([1, 1, 1], U, W, 0.9, "poisson")),
             ("one impact from arrays", None, lambda: carom.impact([1, 1, 1], U[:1], W, 0.9)),
             ("a bouncing ball, 1001 rows", 2e-3, lambda: ball.run(until=3, every=3e-3)),
             ("a cradle, every law", None, lambda: cradle.impact()),
             ("a scene read", None, lambda: ball.set(e=0.5))]
    missed = 0
    for name, goal, work in goals:
        seconds = best(work)
        missed += goal is not None and seconds > goal
        print(f"{name:42} {seconds * 1e3:10.3f} ms" + (f"   goal {goal * 1e3:g} ms" if goal else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
