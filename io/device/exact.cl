/* Impacts whose contacts are nearly dependent in the kinetic metric (light bodies between heavy ones),
 * in twice the digits: what src/impact/nearest.c finds by rows in double precision, D finds here, for
 * with twice the digits the square of the rows' condition costs none of those that are kept
 * (docs/theory/response.md). N, P and MASS_IS_DIAGONAL stand before this text, respond.cl too. */

/* Do motions contradict each other? Then dependent contacts have no velocity b with w'b = -motion: what
 * is left of the motion of a row without a pivot is more than rounding of its terms. */
static int contradict(const doubled *D, const double *motion, double tolerance)
{
    doubled L[P * P], C[P * P], y[P];
    const int out = factor_doubled(P, D, (1 << P) - 1, NOTHING, L, C);
    int found = 0;
    for (int i = 0; i < P; i++) {
        double terms = fabs(motion[i]);
        y[i] = (doubled)(motion[i], 0.0);
        for (int j = 0; j < i; j++) {
            y[i] = take_away(y[i], L[i + j * P], y[j]);
            terms += fabs(L[i + j * P].x * y[j].x);
        }
        found = found || ((out >> i & 1) && fabs(y[i].x) > tolerance * terms);
    }
    return found;
}

/* v += Y x */
static void push_doubled(const doubled *Y, const doubled *x, doubled *v)
{
    for (int i = 0; i < P; i++)
        for (int a = 0; a < N && x[i].x != 0.0; a++)
            v[a] = add(v[a], multiply(Y[a + i * N], x[i]));
}

/* Which contacts of a set are in the wrong: pull, or approach without an impulse. xi = D l + q; size: of
 * the terms of q. */
static int find_wrong(const doubled *D, const doubled *q, const double *size, int set, int active,
                      const doubled *l)
{
    int bad = 0;
    for (int i = 0; i < P; i++) {
        doubled xi = q[i];
        for (int j = 0; j < P; j++)
            xi = add(xi, multiply(D[i + j * P], l[j]));
        bad |= ((set >> i & 1) && (active >> i & 1 ? l[i].x < 0.0 : xi.x < -NOTHING * size[i])) << i;
    }
    return bad;
}

/* Newton's law for the contacts of a set: impulses l and velocities v from u. 0: contacts that push
 * depend on each other. e: coefficients; hat: motions. */
__attribute__((noinline)) static int strike_doubled(const double *W, const doubled *Y,
                                                    const doubled *D, const double *u,
                                                    const double *hat, const double *e, int set,
                                                    double *impulse, double *after)
{
    doubled L[P * P], C[P * P], q[P], l[P], target[P], v[N];
    double size[P];
    int active = 0, bad = 1;
    for (int a = 0; a < N; a++)
        v[a] = (doubled)(u[a], 0.0);
    for (int i = 0; i < P; i++) {
        doubled gamma = (doubled)(hat[i], 0.0);
        size[i] = fabs(hat[i]);
        for (int a = 0; a < N; a++) {
            gamma = add(gamma, exact_product(W[a + i * N], u[a]));
            size[i] += fabs(W[a + i * N] * u[a]);
        }
        target[i] = multiply(gamma, (doubled)(-e[i], 0.0));
        q[i] = add(gamma, -target[i]);
        active |= ((set >> i & 1) && q[i].x < 0.0) << i;
    }
    for (int turn = 0; turn < 2 * P + (2 << P) && bad; turn++) {
        if (factor_doubled(P, D, active, NOTHING, L, C))
            return 0;
        for (int i = 0; i < P; i++)
            l[i] = active >> i & 1 ? -q[i] : (doubled)(0.0, 0.0);
        solve_doubled(P, L, C, l);
        bad = find_wrong(D, q, size, set, active, l);
        if (bad && turn >= 2 * P) /* the last one only */
            bad = 1 << (31 - (int)clz((uint)bad));
        active ^= bad;
    }
    push_doubled(Y, l, v);
    doubled rest[P];
    for (int i = 0; i < P; i++) { /* once more what is left of velocities that should vanish */
        doubled xi = add((doubled)(hat[i], 0.0), -target[i]);
        for (int a = 0; a < N; a++)
            xi = add_scaled(xi, W[a + i * N], v[a]);
        rest[i] = active >> i & 1 ? -xi : (doubled)(0.0, 0.0);
    }
    solve_doubled(P, L, C, rest);
    push_doubled(Y, rest, v);
    for (int i = 0; i < P; i++)
        impulse[i] = fmax(add(l[i], rest[i]).x, 0.0);
    for (int a = 0; a < N; a++)
        after[a] = v[a].x;
    return !bad;
}

#ifdef ARGUMENTS
/* The impacts of a batch that were left for this. */
__kernel void impacts(ARGUMENTS)
{
    for (long k = get_global_id(0); k < count; k += get_global_size(0)) {
        smooth_impact x;
        doubled Y[N * P], D[P * P];
        double M[N * (MASS_IS_DIAGONAL ? 1 : N)], e[P], u[N], l[P] = {0.0};
        if (answer[k] != NEARLY)
            continue;
        int good = read_normals(k, stride, normals, x.W);
        good = read_impact(k, stride, velocity, motion, restitution, &x) && good;
        for (int a = 0; a < N * (MASS_IS_DIAGONAL ? 1 : N); a++)
            M[a] = GET(mass, SAME_MASS, a);
        good = good && respond_doubled(M, x.W, Y, D);
        if (good && HAS_MOTION)
            good = !contradict(D, x.moves, VERDICT);
        EACH(i, P) e[i] = INELASTIC ? 0.0 : GET(restitution, SAME_RESTITUTION, i);
        EACH(a, N) u[a] = x.u[a];
        int end = INVALID;
        if (good)
            end = strike_doubled(x.W, Y, D, u, x.moves, e, (1 << P) - 1, l, x.u) ? 0 : FAILED;
        tell(k, stride, &x, l, end, OUTPUTS);
    }
}
#endif
