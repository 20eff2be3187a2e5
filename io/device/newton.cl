/* Impacts of n velocities and p contacts by Newton's law (docs/theory/newton.md):
 *   xi = D L + (I + diag e) gamma-,   0 <= xi, 0 <= L, xi'L = 0,   u+ = u- + M^-1 W L.
 * D is positive definite where contacts do not depend on each other: pivoting of single contacts,
 * always the last that is in the wrong, ends then (docs/theory/lcp-pivot.md); all of them at once
 * for a while before is quicker. What takes part is masked, so that all loops have constant
 * lengths and numbers stay in registers. */

/* What all impacts share where mass and normals do not vary: it is made once for several of them. */
typedef struct {
    double W[N * P], Y[N * P], D[P * P], inverse[P]; /* Y = M^-1 W, D = W'Y, 1/D_ii */
    int good, regular; /* no impulse but with too few digits: looked at where contacts move */
} response;

/* L diag(pivots) L' = the part of D that takes part, the unit matrix elsewhere. */
typedef struct {
    double L[P * P], inverse[P]; /* below the diagonal; of the pivots, for divisions are what costs */
} factors;

/* 0 is returned where a pivot is so small a part of its diagonal that the digits kept are too few. */
static inline int factor(const double *D, int active, factors *f)
{
    double C[P * P]; /* L times its pivots */
    int good = 1;
    EACH(j, P) {
        const double whole = active >> j & 1 ? D[j + j * P] : 1.0;
        double pivot = whole;
        EACH(i, j) if (FILLS(j, i)) pivot -= f->L[j + i * P] * C[j + i * P];
        good = good && pivot > REGULAR * whole;
        f->inverse[j] = 1.0 / pivot;
        AFTER(i, j, P) if (FILLS(i, j)) {
            double sum = COUPLED(i, j) && (active >> i & 1) && (active >> j & 1) ? D[i + j * P] : 0.0;
            EACH(l, j) if (FILLS(i, l) && FILLS(j, l)) sum -= f->L[i + l * P] * C[j + l * P];
            C[i + j * P] = sum;
            f->L[i + j * P] = sum * f->inverse[j];
        }
    }
    return good;
}

static inline void solve(const factors *f, double *x)
{
    EACH(i, P) EACH(j, i) if (FILLS(i, j)) x[i] -= f->L[i + j * P] * x[j];
    EACH(i, P) x[i] *= f->inverse[i];
    EACH(back, P) {
        const int i = P - 1 - back;
        AFTER(j, i, P) if (FILLS(j, i))
            x[i] -= f->L[j + i * P] * x[j];
    }
}

/* Who is in the wrong: pulls, or approaches without an impulse. */
static inline int wrong(const double *xi, const double *size, int active, const double *l)
{
    int bad = 0;
    EACH(i, P) bad |= (active >> i & 1 ? l[i] < 0.0 : xi[i] < -ROUNDING * size[i]) << i;
    return bad;
}

static inline void move(const double *D, const double *q, const double *l, double *xi)
{
    EACH(i, P) {
        xi[i] = q[i];
        EACH(j, P) if (COUPLED(i, j)) xi[i] += D[i + j * P] * l[j];
    }
}

/* Whoever carries an impulse after one sweep over the contacts, each by itself, probably does. */
static inline int guess(const response *r, const double *q)
{
    double l[P];
    int active = 0;
    EACH(i, P) {
        double xi = q[i];
        EACH(j, i) if (COUPLED(i, j)) xi += r->D[i + j * P] * l[j];
        l[i] = fmax(-xi * r->inverse[i], 0.0);
        active |= (l[i] > 0.0) << i;
    }
    return active;
}

/* u+ from u, corrected once on velocities recomputed from itself: D l + q loses digits of light bodies
 * (docs/theory/newton.md, "Accuracy"). 0: who pushes is not sure. */
static inline int apply(const response *r, const factors *f, int active, smooth_impact *x, double *l)
{
    double rest[P];
    int sure = 1;
    EACH(a, N) EACH(i, P) if (RESPONDS(a, i)) x->u[a] += r->Y[a + i * N] * l[i];
    EACH(i, P) {
        double xi = x->moves[i] + (x->q[i] - x->gamma[i]);
        EACH(a, N) if (USES(a, i)) xi += x->W[a + i * N] * x->u[a];
        rest[i] = active >> i & 1 ? -xi : 0.0;
    }
    solve(f, rest);
    EACH(a, N) EACH(i, P) if (RESPONDS(a, i)) x->u[a] += r->Y[a + i * N] * rest[i];
    EACH(i, P) {
        l[i] += rest[i];
        sure = sure && l[i] >= 0.0;
    }
    return sure;
}

/* 0: decided; NEARLY: contacts are too nearly dependent for that. */
static inline int decide(const response *r, smooth_impact *x, double *l)
{
    factors f;
    double xi[P];
    int active = guess(r, x->q), bad = 1;
    _Pragma("unroll 1") for (int turn = 0; turn < TURNS && bad; turn++) {
        if (!factor(r->D, active, &f))
            return NEARLY;
        EACH(i, P) l[i] = active >> i & 1 ? -x->q[i] : 0.0;
        solve(&f, l);
        move(r->D, x->q, l, xi);
        bad = wrong(xi, x->size, active, l);
        if (turn >= 2 * P) { /* the last one only */
            int last = 0;
            EACH(i, P) last = bad >> i & 1 ? i : last;
            bad = bad ? 1 << last : 0;
        }
        active ^= bad;
    }
    return bad || !apply(r, &f, active, x, l) ? NEARLY : 0;
}

static inline void respond(const long k, const long stride, IN mass, IN normals, response *r)
{
    r->good = read_normals(k, stride, normals, r->W);
    r->good = accelerate(mass, k, stride, r->W, r->Y) && r->good;
    EACH(i, P) {
        EACH(j, P) {
            r->D[i + j * P] = 0.0;
            EACH(a, N) if (USES(a, i) && RESPONDS(a, j)) r->D[i + j * P] += r->W[a + i * N] * r->Y[a + j * N];
        }
        r->inverse[i] = 1.0 / r->D[i + i * P];
    }
    factors f;
    r->regular = !HAS_MOTION || factor(r->D, (1 << P) - 1, &f);
}

__kernel void impacts(ARGUMENTS)
{
    response r;
    if (SAME_MASS && SAME_NORMALS)
        respond(0, stride, mass, normals, &r);
    _Pragma("unroll 1") for (long k = get_global_id(0); k < count; k += get_global_size(0)) {
        smooth_impact x;
        double l[P];
        if (!(SAME_MASS && SAME_NORMALS))
            respond(k, stride, mass, normals, &r);
        EACH(i, N * P) x.W[i] = r.W[i];
        const int good = read_impact(k, stride, velocity, motion, restitution, &x) && r.good;
        EACH(i, P) l[i] = 0.0;
        const int end = !good ? INVALID : !r.regular ? NEARLY : decide(&r, &x, l);
        tell(k, stride, &x, l, end, OUTPUTS);
    }
}
