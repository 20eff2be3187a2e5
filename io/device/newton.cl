/* Impacts of n velocities and p contacts by Newton's law (docs/theory/newton.md):
 *   xi = D L + (I + diag e) gamma-,   0 <= xi, 0 <= L, xi'L = 0,   u+ = u- + M^-1 W L.
 * D is positive definite where contacts do not depend on each other: pivoting of single contacts,
 * always the last that is in the wrong, ends then (docs/theory/lcp-pivot.md); all of them at once
 * for a while before is quicker. What takes part is masked, so that all loops have constant
 * lengths and numbers stay in registers. */

/* What all impacts share where mass and normals do not vary: it is made once for several of them. */
typedef struct {
    double W[N * P], Y[N * P], D[P * P], inverse[P]; /* Y = M^-1 W, D = W'Y, 1/D_ii */
    int good;
} response;

/* L diag(pivots) L' = the part of D that takes part, the unit matrix elsewhere. */
typedef struct {
    double L[P * P], inverse[P]; /* below the diagonal; of the pivots, for divisions are what costs */
} factors;

/* 0 is returned where a pivot is the rounding of its own diagonal. */
static inline int factor(const double *D, int active, factors *f)
{
    double C[P * P]; /* L times its pivots */
    int good = 1;
    EACH(j, P) {
        const double whole = active >> j & 1 ? D[j + j * P] : 1.0;
        double pivot = whole;
        EACH(i, j) pivot -= f->L[j + i * P] * C[j + i * P];
        good = good && pivot > SOLVED * whole;
        f->inverse[j] = 1.0 / pivot;
        AFTER(i, j, P) {
            double sum = (active >> i & 1) && (active >> j & 1) ? D[i + j * P] : 0.0;
            EACH(l, j) sum -= f->L[i + l * P] * C[j + l * P];
            C[i + j * P] = sum;
            f->L[i + j * P] = sum * f->inverse[j];
        }
    }
    return good;
}

static inline void solve(const factors *f, double *x)
{
    EACH(i, P) EACH(j, i) x[i] -= f->L[i + j * P] * x[j];
    EACH(i, P) x[i] *= f->inverse[i];
    EACH(back, P) {
        const int i = P - 1 - back;
        AFTER(j, i, P)
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
        EACH(j, P) xi[i] += D[i + j * P] * l[j];
    }
}

/* Whoever carries an impulse after one sweep over the contacts, each by itself, probably does. */
static inline int guess(const response *r, const double *q)
{
    double l[P];
    int active = 0;
    EACH(i, P) {
        double xi = q[i];
        EACH(j, i) xi += r->D[i + j * P] * l[j];
        l[i] = fmax(-xi * r->inverse[i], 0.0);
        active |= (l[i] > 0.0) << i;
    }
    return active;
}

/* 0: decided; FAILED: contacts depend on each other. */
static inline int decide(const response *r, const double *q, const double *size, double *l)
{
    factors f;
    double xi[P];
    int active = guess(r, q);
    _Pragma("unroll 1") for (int turn = 0; turn < TURNS; turn++) {
        if (!factor(r->D, active, &f))
            return FAILED;
        EACH(i, P) l[i] = active >> i & 1 ? -q[i] : 0.0;
        solve(&f, l);
        move(r->D, q, l, xi);
        int bad = wrong(xi, size, active, l);
        if (bad == 0) { /* once more what is left of velocities that should vanish */
            double rest[P];
            EACH(i, P) rest[i] = active >> i & 1 ? -xi[i] : 0.0;
            solve(&f, rest);
            EACH(i, P) l[i] += rest[i];
            EACH(i, P) bad |= (l[i] < 0.0) << i;
        }
        if (bad == 0)
            return 0;
        if (turn >= 2 * P) { /* the last one only */
            int last = 0;
            EACH(i, P) last = bad >> i & 1 ? i : last;
            bad = 1 << last;
        }
        active ^= bad;
    }
    return FAILED;
}

static inline void respond(const long k, const long stride, IN mass, IN normals, response *r)
{
    r->good = 1;
    EACH(i, P) {
        double length = 0.0;
        EACH(a, N) {
            r->W[a + i * N] = GET(normals, SAME_NORMALS, a + i * N);
            length = fmax(length, fabs(r->W[a + i * N]));
            r->good = r->good && isfinite(r->W[a + i * N]);
        }
        r->good = r->good && length > 0.0;
    }
    r->good = r->good && accelerate(mass, k, stride, r->W, r->Y);
    EACH(i, P) {
        EACH(j, P) {
            r->D[i + j * P] = 0.0;
            EACH(a, N) r->D[i + j * P] += r->W[a + i * N] * r->Y[a + j * N];
        }
        r->inverse[i] = 1.0 / r->D[i + i * P];
    }
}

__kernel void impacts(ARGUMENTS)
{
    response r;
    if (SAME_MASS && SAME_NORMALS)
        respond(0, stride, mass, normals, &r);
    _Pragma("unroll 1") for (long k = get_global_id(0); k < count; k += get_global_size(0)) {
        double u[N], gamma[P], moves[P], q[P], size[P], l[P];
        if (!(SAME_MASS && SAME_NORMALS))
            respond(k, stride, mass, normals, &r);
        int good = r.good;
        EACH(a, N) {
            u[a] = GET(velocity, SAME_VELOCITY, a);
            good = good && isfinite(u[a]);
        }
        EACH(i, P) {
            moves[i] = HAS_MOTION ? GET(motion, SAME_MOTION, i) : 0.0;
            const double e = GET(restitution, SAME_RESTITUTION, i);
            good = good && isfinite(moves[i]) && isfinite(e) &&
                   (ANY_RESTITUTION || (e >= 0.0 && e <= 1.0));
            gamma[i] = moves[i];
            size[i] = fabs(moves[i]);
            EACH(a, N) {
                gamma[i] += r.W[a + i * N] * u[a];
                size[i] += fabs(r.W[a + i * N] * u[a]);
            }
            q[i] = INELASTIC ? gamma[i] : (1.0 + e) * gamma[i];
        }
        EACH(i, P) l[i] = 0.0;
        const int end = good ? decide(&r, q, size, l) : INVALID;
        double seen = 0.0, rest = 0.0, gross = 0.0;
        int kinematic = 1;
        EACH(a, N) EACH(i, P) u[a] += r.Y[a + i * N] * l[i];
        EACH(i, P) {
            double after = moves[i], terms = size[i];
            EACH(a, N) {
                after += r.W[a + i * N] * u[a];
                terms += fabs(r.W[a + i * N] * u[a]);
            }
            kinematic = kinematic && after >= -VERDICT * terms;
            seen += 0.5 * l[i] * (gamma[i] + after);
            rest += 0.5 * l[i] * (gamma[i] + after - 2.0 * moves[i]);
            gross += 0.5 * fabs(l[i]) * (fabs(gamma[i]) + fabs(after));
            if (WANT_NORMAL)
                out_normal[i * stride + k] = end ? NAN : after;
            if (WANT_IMPULSE)
                out_impulse[i * stride + k] = end ? NAN : l[i];
        }
        if (WANT_VELOCITY)
            EACH(a, N) out_velocity[a * stride + k] = end ? NAN : u[a];
        if (WANT_ENERGY)
            out_energy[k] = end ? NAN : rest;
        answer[k] = (uchar)end;
        if (WANT_VERDICT)
            verdict[k] = (uchar)(end ? 0 : kinematic | 2 | (seen <= VERDICT * gross ? 4 : 0));
    }
}
