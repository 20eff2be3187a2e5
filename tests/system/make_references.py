#!/usr/bin/python3
"""Write tests/system/references.txt: systems in formulas with the derivatives of their equations in
a direction of time, coordinates, velocities and parameters, computed with 50 digits (sympy
differentiates, mpmath evaluates).

Needs python3-sympy. The tests need only the file it wrote. Run: make_references.py > references.txt

Format, one system per block, coordinates x y, parameters a b:
  T, V, F, G, S, B, A <formula>    kinetic and potential energy, force on x, gap, slip, joint, rolling
  E, I, R, U <formula>             event, its guard, what it sets x and y' to
  P <x y x' y' t a b>              the point, exact doubles
  D <x y x' y' t a b>              the direction
  X <2> <lambda lambda_T joint rolling>   what matrices are applied to
  = <field> <index> <value> <scale>       derivative of a field of carom_tangents
`scale` is explained in tests/expr/make_references.py.
"""
import os
import random
import sys

import mpmath
import sympy as sp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "expr"))
import make_references as expr  # noqa: E402

mpmath.mp.dps = 50
NAMES = ["x", "y", "x'", "y'", "t", "a", "b"]
SYMBOLS = sp.symbols("x y dx dy t a b", real=True)
X, Y, DX, DY, TIME, A, B = SYMBOLS
Q, U = (X, Y), (DX, DY)


def formula(rng, names, depth):
    """A smooth random formula of these names."""
    expr.LEAVES = [(NAMES[k], SYMBOLS[k]) for k in names]
    while True:
        text, e = expr.expression(rng, depth)
        kinks = any(w in text for w in ("if(", "min(", "max(", "abs("))
        if len(text) < 90 and not kinks and e.free_symbols:
            return text, e


def dot(e):
    """The time derivative at constant velocities."""
    return sp.diff(e, TIME) + sum(sp.diff(e, q) * u for q, u in zip(Q, U))


def system(rng):
    """The formulas by letter: text and meaning."""
    position, constants = [0, 1, 4, 5, 6], [5, 6]
    f = {}
    m, M = formula(rng, [0, 1, 5], 1)
    c, C = formula(rng, position, 2)
    k, K = formula(rng, constants, 1)
    f["T"] = (f"(2 + ({m})^2)/2*x'^2 + 0.5*(1 + a^2)*y'^2 + 0.25*sin({c})*x'*y' + ({k})*y*x'",
              (2 + M**2) / 2 * DX**2 + (1 + A**2) / 2 * DY**2 + sp.sin(C) / 4 * DX * DY + K * Y * DX)
    f["V"] = formula(rng, position, 3)
    f["F"] = formula(rng, [0, 1, 2, 3, 4, 5, 6], 2)
    g, G = formula(rng, position, 3)
    f["G"] = (f"b*x*y + ({g})", B * X * Y + G)
    s, S = formula(rng, position, 2)
    r, R = formula(rng, position, 1)
    f["S"] = (f"({s})*x' + y'*a + ({r})", S * DX + DY * A + R)
    j, J = formula(rng, position, 2)
    f["B"] = (f"x - ({j})", X - J)
    w, W = formula(rng, position, 1)
    f["A"] = (f"x' + ({w})*y' - b*t", DX + W * DY - B * TIME)
    for letter in "EIRU":
        e, E = formula(rng, [0, 1, 2, 3, 4, 5, 6], 2)
        f[letter] = (f"{e} - a*x*t", E - A * X * TIME)
    return f


def quantities(f, x, y):
    """Fields of carom_tangents as expressions whose derivative is wanted; x, y are constants."""
    T, V, F = f["T"][1], f["V"][1], f["F"][1]
    out = []
    M = [[sp.diff(T, U[i], U[j]) for j in range(2)] for i in range(2)]
    for i in range(2):
        out.append(("Mx", i, M[i][0] * x[0] + M[i][1] * x[1]))
        force = F if i == 0 else sp.Integer(0)
        out.append(("h", i, force - sp.diff(V, Q[i]) + sp.diff(T, Q[i]) - dot(sp.diff(T, U[i]))))
    rows = {}
    for letter, name, by in (("G", "W", Q), ("S", "H", U), ("B", "B", Q), ("A", "A", U)):
        rows[name] = [sp.diff(f[letter][1], v) for v in by]
        out.append((name + "x", 0, rows[name][0] * x[0] + rows[name][1] * x[1]))
    for i in range(2):
        out.append(("force", i, sum(rows[k][i] * c for k, c in zip("WHBA", y))))
    g, s, j, r = (f[k][1] for k in "GSBA")
    rest = {DX: 0, DY: 0}
    out += [("g", 0, g), ("w_hat", 0, sp.diff(g, TIME)), ("g_bias", 0, dot(dot(g))),
            ("slip_motion", 0, s.subs(rest)), ("slip_bias", 0, dot(s)),
            ("f", 0, j), ("b_hat", 0, sp.diff(j, TIME)), ("b_bias", 0, dot(dot(j))),
            ("a_hat", 0, r.subs(rest)), ("a_bias", 0, dot(r)),
            ("event", 0, f["E"][1]), ("event_if", 0, f["I"][1]),
            ("reset_x", 0, f["R"][1]), ("reset_v", 0, f["U"][1]),
            ("potential", 0, V), ("kinetic", 0, T)]
    power = DX * F + sp.diff(V, TIME) - sp.diff(T, TIME) + dot(T.subs(rest))
    out.append(("power", 0, power))
    return out


def block(rng):
    f = system(rng)
    draw = lambda: float(round(rng.uniform(-1.2, 1.2), 3))
    point, direction = [draw() for _ in NAMES], [draw() for _ in NAMES]
    x, y = [draw(), draw()], [draw() for _ in range(4)]
    exact = lambda v: sp.Rational(*v.as_integer_ratio())
    at = {s: mpmath.mpf(v) for s, v in zip(SYMBOLS, point)}
    lines = [f"{letter} {text}" for letter, (text, _) in f.items()]
    show = lambda vs: " ".join(v.hex() for v in vs)
    lines += ["P " + show(point), "D " + show(direction), "X " + show(x + y)]
    try:
        for name, i, e in quantities(f, [exact(v) for v in x], [exact(v) for v in y]):
            d = sum(sp.diff(e, s) * exact(v) for s, v in zip(SYMBOLS, direction))
            v, scale = expr.evaluate(sp.sympify(d), at)
            if not mpmath.isfinite(v) or abs(v) > 1e6:
                return None
            lines.append(f"= {name} {i} {mpmath.nstr(v, 25)} {mpmath.nstr(scale, 5)}")
    except (ValueError, ZeroDivisionError, TypeError):
        return None
    return lines


def main():
    rng = random.Random(1717)
    written = 0
    while written < 25:
        lines = block(rng)
        if lines:
            print("\n".join(lines))
            written += 1
            print(written, file=sys.stderr, end="\r")


main()
