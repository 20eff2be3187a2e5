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

/* How a contact depends on those that push: s, its row as a sum of theirs; what of its response is outside their span,
 * zero where that is rounding. */
static doubled leave_span(const doubled *D, int active, int i, doubled *s)
{
    doubled L[P * P], C[P * P], rest = D[i + i * P];
    factor_doubled(P, D, active, NOTHING, L, C);
    for (int j = 0; j < P; j++)
        s[j] = active >> j & 1 ? D[j + i * P] : (doubled)(0.0, 0.0);
    solve_doubled(P, L, C, s);
    for (int j = 0; j < P; j++)
        rest = take_away(rest, D[i + j * P], s[j]);
    return rest.x > NOTHING * D[i + i * P].x ? rest : (doubled)(0.0, 0.0);
}

/* Velocity of a contact, xi = D l + q. */
static doubled meet_velocity(const doubled *D, const doubled *q, const doubled *l, int i)
{
    doubled xi = q[i];
    for (int j = 0; j < P; j++)
        xi = add(xi, multiply(D[i + j * P], l[j]));
    return xi;
}

/* Who approaches most, in units of its norm, of a set; -1: nobody. */
static int find_worst(const doubled *D, const doubled *q, const double *size, int set, const doubled *l)
{
    double most = 0.0;
    int worst = -1;
    for (int i = 0; i < P; i++) {
        const double off = set >> i & 1 ? -meet_velocity(D, q, l, i).x : 0.0;
        if (off > NOTHING * size[i] && off > most * sqrt(D[i + i * P].x)) {
            most = off / sqrt(D[i + i * P].x);
            worst = i;
        }
    }
    return worst;
}

/* Impulses of independent contacts of a set, 0 <= l complementary to D l + q >= 0, by the dual method of src/impact/nearest.c:
 * who approaches takes over from those that its row is made of. *active: who pushes. 0, NONE, or FAILED. */
static int find_pushing(const doubled *D, const doubled *q, const double *size, int set, int *active, doubled *l)
{
    int met = 0, now = -1; /* met: up to rounding, by those that push */
    *active = 0;
    for (int i = 0; i < P; i++)
        l[i] = (doubled)(0.0, 0.0);
    for (int turn = 0; turn < 20 * (P + 10); turn++) {
        doubled s[P], step = (doubled)(INFINITY, 0.0);
        int out = -1;
        now = now >= 0 ? now : find_worst(D, q, size, set & ~*active & ~met, l);
        if (now < 0)
            return 0;
        const doubled off = -meet_velocity(D, q, l, now), rest = leave_span(D, *active, now, s);
        double terms = size[now];
        for (int j = 0; j < P; j++) {
            const double share = s[j].x * sqrt(D[j + j * P].x);
            terms += fabs(s[j].x) * size[j];
            if (!(share > SIGN * sqrt(D[now + now * P].x)))
                continue;
            const doubled part = divide(l[j], s[j]);
            out = part.x < step.x ? j : out;
            step = part.x < step.x ? part : step;
        }
        if (rest.x == 0.0 && (out < 0 || off.x <= SUM * terms)) {
            if (off.x > VERDICT * terms)
                return NONE;
            met |= 1 << now;
            now = -1;
            continue;
        }
        const doubled whole = rest.x > 0.0 ? divide(off, rest) : (doubled)(INFINITY, 0.0);
        const int takes = whole.x <= step.x;
        step = takes ? whole : step;
        for (int j = 0; j < P; j++)
            l[j] = take_away(l[j], step, s[j]);
        l[now] = add(l[now], step);
        if (!takes) {
            l[out] = (doubled)(0.0, 0.0);
            *active &= ~(1 << out);
            met = 0;
            continue;
        }
        *active |= 1 << now;
        now = -1;
    }
    return FAILED;
}

/* Of the impulses with the same effect the shortest in kinetic units, of contacts that touch. */
static void shorten(const doubled *D, int touching, doubled *l)
{
    doubled L[P * P], C[P * P];
    double K[P * P], y[R], unit[P];
    choice h;
    const int out = factor_doubled(P, D, touching, NOTHING, L, C);
    h.count = h.set = 0;
    for (int i = 0; i < P; i++)
        unit[i] = sqrt(D[i + i * P].x);
    for (int k = 0; k < P; k++) { /* a direction for each that depends on those before it */
        doubled s[P];
        double *v = K + h.count * P;
        if (!(out >> k & 1))
            continue;
        for (int i = 0; i < P; i++)
            s[i] = touching >> i & 1 ? D[i + k * P] : (doubled)(0.0, 0.0);
        solve_doubled(P, L, C, s);
        for (int i = 0; i < P; i++)
            v[i] = (i == k ? 1.0 : -s[i].x) * unit[i];
        for (int pass = 0; pass < 2; pass++) {
            double squared = 0.0;
            for (int j = 0; j < h.count; j++) {
                double along = 0.0;
                for (int i = 0; i < P; i++)
                    along += K[i + j * P] * v[i];
                for (int i = 0; i < P; i++)
                    v[i] -= along * K[i + j * P];
            }
            for (int i = 0; i < P; i++)
                squared += v[i] * v[i];
            for (int i = 0; i < P; i++)
                v[i] /= sqrt(squared);
        }
        h.count++;
    }
    for (int j = 0; j < h.count; j++) {
        doubled along = (doubled)(0.0, 0.0);
        for (int i = 0; i < P; i++)
            along = add_scaled(along, K[i + j * P] * unit[i], l[i]);
        for (int i = 0; i < P; i++)
            l[i] = take_away(l[i], along, (doubled)(K[i + j * P] / unit[i], 0.0));
    }
    for (int k = 0; k < R; k++) {
        double length = 0.0;
        for (int j = 0; j < h.count && k < P; j++)
            length += K[k + j * P] * K[k + j * P];
        length = sqrt(length);
        h.set |= (length > SOLVED) << k;
        h.c[k] = HAS(h.set, k) ? l[k].x * unit[k] / length : 0.0;
        for (int j = 0; j < h.count; j++)
            h.G[j + k * R] = HAS(h.set, k) ? K[k + j * P] / length : 0.0;
    }
    if (h.count > 0 && find_shortest(&h, y))
        for (int i = 0; i < P; i++)
            for (int j = 0; j < h.count; j++)
                l[i] = add(l[i], (doubled)(K[i + j * P] * y[j] / unit[i], 0.0));
}

/* Newton's law for the contacts of a set: impulses and velocities after it, from u. 0, NONE where contacts that depend
 * on each other ask for different velocities, or FAILED. e: coefficients; hat: motions. */
__attribute__((noinline)) static int strike_doubled(const double *W, const doubled *Y,
                                                    const doubled *D, const double *u,
                                                    const double *hat, const double *e, int set,
                                                    double *impulse, double *after)
{
    doubled L[P * P], C[P * P], q[P], l[P], target[P], v[N];
    double size[P];
    int active, touching = 0;
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
    }
    const int end = find_pushing(D, q, size, set, &active, l);
    if (end)
        return end;
    factor_doubled(P, D, active, NOTHING, L, C);
    for (int i = 0; i < P; i++)
        l[i] = active >> i & 1 ? -q[i] : (doubled)(0.0, 0.0);
    solve_doubled(P, L, C, l);
    push_doubled(Y, l, v);
    doubled rest[P];
    for (int i = 0; i < P; i++) { /* once more what is left of velocities that should vanish */
        doubled xi = add((doubled)(hat[i], 0.0), -target[i]);
        for (int a = 0; a < N; a++)
            xi = add_scaled(xi, W[a + i * N], v[a]);
        rest[i] = active >> i & 1 ? -xi : (doubled)(0.0, 0.0);
        touching |= ((set >> i & 1) && D[i + i * P].x > 0.0 && fabs(xi.x) <= VERDICT * size[i]) << i;
    }
    solve_doubled(P, L, C, rest);
    push_doubled(Y, rest, v);
    for (int i = 0; i < P; i++)
        l[i] = add(l[i], rest[i]);
    shorten(D, touching | active, l);
    for (int i = 0; i < P; i++)
        impulse[i] = fmax(l[i].x, 0.0);
    for (int a = 0; a < N; a++)
        after[a] = v[a].x;
    return 0;
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
            end = strike_doubled(x.W, Y, D, u, x.moves, e, (1 << P) - 1, l, x.u);
        if (end == NONE) { /* of one coefficient there is always an outcome */
            int equal = 1;
            EACH(i, P) equal = equal && e[i] == e[0];
            end = equal ? FAILED : NONE;
        }
        tell(k, stride, &x, l, end, OUTPUTS);
    }
}
#endif
