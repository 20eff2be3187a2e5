#!/usr/bin/python3
"""Write tests/expr/references.txt: random formulas with their value, gradient and second
derivatives at a point, computed with 50 digits (sympy differentiates, mpmath evaluates).

Needs python3-sympy. The tests need only the file it wrote. Run: make_references.py > references.txt

The first blocks have formulas of the variables alone, the others definitions and d( ) as well.

Format, one formula per block:
  D <name> <formula>                        definitions, in order
  F <formula>
  P <x y z x' y' z' t>                      the point, exact doubles
  V <value> <scale>
  G <i> <value> <scale>                     entries of the gradient that are not zero
  H <i> <j> <value> <scale>                 entries of the lower triangle that are not zero
`scale` is the largest term of the sums that make the value, seen through the factors and slopes of
what is done with them: of a sum the largest term, of f(a) the larger of |f(a)| and |f'(a)| times
the scale of a. It is at least |value|; errors are measured against it.
"""
import random
import sys

import mpmath
import sympy as sp

mpmath.mp.dps = 50
NAMES = ["x", "y", "z", "x'", "y'", "z'", "t"]
SYMBOLS = sp.symbols("x y z dx dy dz t", real=True)
CONSTANTS = ["2", "3", "0.5", "1.25", "pi", "0.1", "7", "1e-2"]


def constant(rng):
    text = rng.choice(CONSTANTS)
    if text == "pi":
        return text, sp.pi
    # the double that the text means, exactly
    return text, sp.Rational(*float(text).as_integer_ratio())


LEAVES = list(zip(NAMES, SYMBOLS))  # what may stand in a formula: text and meaning


def leaf(rng):
    if rng.random() < 0.7:
        return LEAVES[rng.randrange(len(LEAVES))]
    return constant(rng)


def in_time(e):
    """d(e): the time derivative of a function of position."""
    x, y, z, dx, dy, dz, t = SYMBOLS
    return sp.diff(e, t) + sp.diff(e, x) * dx + sp.diff(e, y) * dy + sp.diff(e, z) * dz


def expression(rng, depth):
    """A random formula: its text and its sympy expression, never left to sympy's own parser."""
    if depth == 0:
        return leaf(rng)
    kind = rng.randrange(14)
    a, A = expression(rng, depth - 1)
    if kind < 5:
        b, B = expression(rng, depth - 1 if rng.random() < 0.6 else 0)
        if kind == 0:
            return f"({a} + {b})", A + B
        if kind == 1:
            return f"({a} - {b})", A - B
        if kind in (2, 3):
            return f"({a})*({b})", A * B
        return f"({a})/(({b})^2 + 1.5)", A / (B**2 + sp.Rational(3, 2))
    if kind == 5:
        n = rng.choice([2, 3, 4, 5, -1, -2, -3, 7, 11])
        if n < 0:
            return f"(2 + ({a})^2)^{n}", (2 + A**2) ** n
        return f"({a})^{n}", A**n
    if kind == 6:
        return f"sin({a})", sp.sin(A)
    if kind == 7:
        return f"cos({a})", sp.cos(A)
    if kind == 8:
        f = rng.choice(["sinh", "cosh", "tanh", "atan", "exp"])
        return f"{f}({a}/4)", getattr(sp, f)(A / 4)
    if kind == 9:
        f = rng.choice(["asin", "acos"])
        return f"{f}(sin({a})*0.75)", getattr(sp, f)(sp.sin(A) * sp.Rational(3, 4))
    if kind == 10:
        f, g = rng.choice([("sqrt", sp.sqrt), ("log", sp.log)])
        return f"{f}(1.5 + ({a})^2)", g(sp.Rational(3, 2) + A**2)
    if kind == 11:
        b, B = expression(rng, depth - 1)
        return f"atan2({a}, 3 + ({b})^2)", sp.atan2(A, 3 + B**2)
    if kind == 12:
        b, B = leaf(rng)
        return f"(1.5 + ({a})^2)^({b})", (sp.Rational(3, 2) + A**2) ** B
    b, B = expression(rng, depth - 1)
    which = rng.randrange(5)
    if which == 0:
        return f"if({a} < {b}, {a}, {b}*2)", sp.Piecewise((A, A < B), (B * 2, True))
    if which == 1:
        return f"min({a}, {b})", sp.Piecewise((A, A <= B), (B, True))
    if which == 2:
        return f"max({a}, {b})", sp.Piecewise((A, A >= B), (B, True))
    if which == 3:
        return f"abs({a})", sp.Piecewise((-A, A < 0), (A, True))
    return f"tan({a}/8)", sp.tan(A / 8)


def holds(condition, point):
    if condition in (True, False, sp.true, sp.false):
        return bool(condition)
    if not isinstance(condition, sp.core.relational.Relational):
        raise ValueError("a condition sympy made from others")
    a, _ = evaluate(condition.lhs, point)
    b, _ = evaluate(condition.rhs, point)
    if abs(a - b) < mpmath.mpf(10) ** -8:
        raise ValueError("too near a kink")
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[condition.rel_op]


def evaluate(e, point):
    """Value and scale of a sympy expression."""
    if e.is_Symbol:
        return point[e], mpmath.mpf(0)
    if e.is_Rational or e is sp.pi or e is sp.E or e.is_Number:
        v = mpmath.mpf(sp.N(e, 60)._mpf_) if not e.is_Rational else mpmath.mpf(int(e.p)) / int(e.q)
        return v, abs(v)
    if isinstance(e, sp.Piecewise):
        for value, condition in e.args:
            if holds(condition, point):
                return evaluate(value, point)
        raise ValueError("no branch")
    args = [evaluate(a, point) for a in e.args]
    if e.is_Add:
        v = sum(a for a, _ in args)
        return v, max(max(abs(a), s) for a, s in args)
    if e.is_Mul:
        v = mpmath.mpf(1)
        for a, _ in args:
            v *= a
        s = abs(v)
        for k, (_, sk) in enumerate(args):
            rest = mpmath.mpf(1)
            for j, (a, _) in enumerate(args):
                if j != k:
                    rest *= a
            s = max(s, abs(rest) * sk)
        return v, s
    numbers = [a for a, _ in args]
    f = sp.lambdify(sp.symbols(f"a0:{len(args)}"), e.func(*sp.symbols(f"a0:{len(args)}")), "mpmath")
    v = f(*numbers)
    s = abs(v)
    h = mpmath.mpf(10) ** -20
    for k, (a, sk) in enumerate(args):
        moved = list(numbers)
        moved[k] = a + h
        s = max(s, abs((f(*moved) - v) / h) * sk)
    return v, s


def defined(rng):
    """Definitions, a formula that uses them and d( ), and its meaning."""
    global LEAVES
    variables = LEAVES
    position = [LEAVES[k] for k in (0, 1, 2, 6)]
    lines, places = [], []
    try:
        for name in ("px", "py")[: rng.choice([1, 2])]:
            LEAVES = position + places
            text, e = expression(rng, rng.choice([1, 2]))
            lines.append(f"D {name} {text}")
            places.append((name, e))
        LEAVES = position + places
        text, e = expression(rng, 1)
        LEAVES = variables + places + [(f"d({n})", in_time(p)) for n, p in places]
        LEAVES += [(f"d({text})", in_time(e))] * 2
        if rng.random() < 0.5:  # a velocity with a name
            text, e = expression(rng, 1)
            lines.append(f"D rate {text}")
            LEAVES += [("rate", e)] * 3
        text, e = expression(rng, rng.choice([2, 3]))
    finally:
        LEAVES = variables
    used = "d(" in text and any(n in text for n, _ in places)
    return lines, text, e if used else sp.Integer(0)


def block(rng, with_definitions=False):
    if with_definitions:
        definitions, text, e = defined(rng)
    else:
        definitions = []
        text, e = expression(rng, rng.choice([2, 3, 3, 4]))
    if len(text) > 400 or not e.free_symbols:
        return None
    point = {s: mpmath.mpf(round(rng.uniform(-1.5, 1.5), 3)) for s in SYMBOLS}
    numbers = [float(point[s]) for s in SYMBOLS]
    point = {s: mpmath.mpf(v) for s, v in zip(SYMBOLS, numbers)}  # exactly those doubles
    lines = definitions + [f"F {text}", "P " + " ".join(v.hex() for v in numbers)]
    show = lambda v, s: f"{mpmath.nstr(v, 25)} {mpmath.nstr(s, 5)}"
    try:
        v, s = evaluate(e, point)
        if not mpmath.isfinite(v) or abs(v) > 1e6:
            return None
        lines.append("V " + show(v, s))
        for i, a in enumerate(SYMBOLS):
            first = sp.diff(e, a)
            if first == 0:
                continue
            v, s = evaluate(first, point)
            lines.append(f"G {i} " + show(v, s))
            for j in range(i + 1):
                second = sp.diff(first, SYMBOLS[j])
                if second != 0:
                    v, s = evaluate(second, point)
                    lines.append(f"H {i} {j} " + show(v, s))
                    if abs(v) > 1e9:
                        return None
    except (ValueError, ZeroDivisionError, TypeError):
        return None
    return lines


def main():
    rng = random.Random(20240)
    written = 0
    while written < 460:
        lines = block(rng, written >= 320)
        if lines:
            print("\n".join(lines))
            written += 1
            print(written, file=sys.stderr, end="\r")


if __name__ == "__main__":
    main()
