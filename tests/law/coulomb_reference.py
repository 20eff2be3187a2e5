#!/usr/bin/env python3
"""Reference answers of the Coulomb law, form equality and form complementarity, in exact rational
arithmetic: every mode of every contact, every sign decided exactly. Planar problems of 1 to 4
contacts with small integer data.

Writes tests/law/coulomb_reference.txt:
  n p, mass (n), u (n), then per contact: w (n), h (n), eps mu e_t, then for each form the number of
  solutions and per solution Lambda (p), lambda_T (p), u+ (n) with 20 digits.
Problems with a singular mode or a tie (a condition that holds with equality) are left out: ties are
tested on their own.  Usage: python3 coulomb_reference.py > coulomb_reference.txt
"""
import itertools
import random
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 60


class Skip(Exception):
    pass


def solve(A, b):
    n = len(b)
    A = [row[:] + [b[i]] for i, row in enumerate(A)]
    for j in range(n):
        k = next((i for i in range(j, n) if A[i][j] != 0), None)
        if k is None:
            raise Skip
        A[j], A[k] = A[k], A[j]
        for i in range(n):
            if i != j and A[i][j] != 0:
                f = A[i][j] / A[j][j]
                A[i] = [x - f * y for x, y in zip(A[i], A[j])]
    return [A[i][n] / A[i][i] for i in range(n)]


def strictly(condition_value):
    """True if > 0, False if < 0, ties are skipped."""
    if condition_value == 0:
        raise Skip
    return condition_value > 0


def solutions(D, g0, t0, eps, mu, et, form):
    """D: 2p x 2p Delassus matrix of (normals, slips)."""
    p = len(g0)
    bn = [(1 + eps[i]) * g0[i] for i in range(p)]
    bt = [(1 + et[i]) * t0[i] for i in range(p)]
    modes = ["stick", "+", "-"] + (["open"] if form == "complementarity" else [])
    found = []
    for mode in itertools.product(modes, repeat=p):
        columns = []  # each a vector over (normal, slip) impulses
        rows = []
        for i, m in enumerate(mode):
            if m == "open":
                continue
            e = [F(0)] * (2 * p)
            e[i] = F(1)
            rows.append(i)
            if m == "stick":
                columns.append(e)
                f = [F(0)] * (2 * p)
                f[p + i] = F(1)
                columns.append(f)
                rows.append(p + i)
            else:
                e[p + i] = -mu[i] if m == "+" else mu[i]
                columns.append(e)
        b = bn + bt
        A = [[sum(D[r][k] * c[k] for k in range(2 * p)) for c in columns] for r in rows]
        z = solve(A, [-b[r] for r in rows])
        x = [sum(z[j] * columns[j][k] for j in range(len(z))) for k in range(2 * p)]
        xi = [b[r] + sum(D[r][k] * x[k] for k in range(2 * p)) for r in range(2 * p)]
        good = True
        for i, m in enumerate(mode):
            if m == "open":
                good = strictly(xi[i]) and good
            else:
                good = strictly(x[i]) and good
                if m == "stick":
                    good = strictly(mu[i] * x[i] - abs(x[p + i])) and good
                else:
                    good = strictly(xi[p + i] if m == "+" else -xi[p + i]) and good
        if good:
            found.append(x)
    return found


def text(x):
    return str(+(Decimal(x.numerator) / Decimal(x.denominator)).quantize(Decimal(1).scaleb(-25)).normalize())


def main():
    rng = random.Random(20240607)
    counts = {}
    quota = {1: 40, 2: 80, 3: 60, 4: 16}
    for p in (1, 2, 3, 4):
        made = 0
        while made < quota[p]:
            n = rng.randint(2 * p, 2 * p + 2)  # independent normals and slips: modes regular
            mass = [F(rng.randint(1, 6)) for _ in range(n)]
            u = [F(rng.randint(-6, 6)) for _ in range(n)]
            W = [[F(rng.randint(-3, 3)) for _ in range(n)] for _ in range(p)]
            H = [[F(rng.randint(-3, 3)) for _ in range(n)] for _ in range(p)]
            eps = [F(rng.randint(0, 4), 4) for _ in range(p)]
            mu = [F(rng.randint(1, 40), 8) for _ in range(p)]
            et = [F(rng.randint(0, 2), 4) for _ in range(p)]
            for i in range(p):  # mostly approaching
                g = sum(a * b for a, b in zip(W[i], u))
                if g > 0 and rng.random() < 0.8:
                    W[i] = [-a for a in W[i]]
            J = W + H
            try:
                D = [[sum(a * b / m for a, b, m in zip(r, s, mass)) for s in J] for r in J]
                solve(D, [F(0)] * (2 * p))
                g0 = [sum(a * b for a, b in zip(w, u)) for w in W]
                t0 = [sum(a * b for a, b in zip(h, u)) for h in H]
                answers = [solutions(D, g0, t0, eps, mu, et, f)
                           for f in ("equality", "complementarity")]
            except Skip:
                continue
            key = (p, len(answers[0]), len(answers[1]))
            # keep a balance: unusual numbers of solutions are always taken
            if len(answers[0]) == 1 and len(answers[1]) == 1 and rng.random() < 0.5:
                continue
            if p < 4 and counts.get(key, 0) > quota[p] // 3:
                continue
            counts[key] = counts.get(key, 0) + 1
            made += 1
            print(n, p)
            print(*[text(x) for x in mass])
            print(*[text(x) for x in u])
            for i in range(p):
                print(*[text(x) for x in W[i] + H[i] + [eps[i], mu[i], et[i]]])
            for found in answers:
                print(len(found))
                for x in found:
                    after = [u[k] + sum(J[j][k] * x[j] for j in range(2 * p)) / mass[k]
                             for k in range(n)]
                    print(*[text(v) for v in x + after])
    print(sorted(counts.items()), file=sys.stderr)


main()
