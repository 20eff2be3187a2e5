/* Impacts of n velocities and p contacts by Newton's law (docs/theory/newton.md):
 *   xi = D L + (I + diag e) gamma-,   0 <= xi, 0 <= L, xi'L = 0,   u+ = u- + M^-1 W L.
 * D is positive definite where contacts do not depend on each other: pivoting of single contacts,
 * always the last that is in the wrong, ends then (docs/theory/lcp-pivot.md); all of them at once
 * for a while before is quicker. What takes part is masked, so that all loops have constant
 * lengths and numbers stay in registers. */

/* The Cholesky factor of the part of D that takes part, the unit matrix elsewhere, with the
 * reciprocals of its diagonal, for divisions are what costs; 0 is returned where a pivot is the
 * rounding of its own diagonal. */
static inline int factor(const double *D, int active, double *L)
{
    int good = 1;
    EACH(j, P) {
        double pivot = active >> j & 1 ? D[j + j * P] : 1.0;
        const double whole = pivot;
        EACH(i, j) pivot -= L[j + i * P] * L[j + i * P];
        good = good && pivot > SOLVED * whole;
        L[j + j * P] = 1.0 / sqrt(pivot > 0.0 ? pivot : 1.0);
        AFTER(i, j, P) {
            double sum = (active >> i & 1) && (active >> j & 1) ? D[i + j * P] : 0.0;
            EACH(l, j) sum -= L[i + l * P] * L[j + l * P];
            L[i + j * P] = sum * L[j + j * P];
        }
    }
    return good;
}

static inline void solve(const double *L, double *x)
{
    EACH(i, P) {
        EACH(j, i) x[i] -= L[i + j * P] * x[j];
        x[i] *= L[i + i * P];
    }
    EACH(back, P) {
        const int i = P - 1 - back;
        AFTER(j, i, P)
            x[i] -= L[j + i * P] * x[j];
        x[i] *= L[i + i * P];
    }
}

/* The impulses of contacts that take part: their velocities vanish, once more what is left of them
 * too. */
static inline void impulses(const double *D, const double *q, const double *L, int active, double *l)
{
    double rest[P];
    EACH(i, P) l[i] = active >> i & 1 ? -q[i] : 0.0;
    solve(L, l);
    EACH(i, P) {
        rest[i] = active >> i & 1 ? -q[i] : 0.0;
        EACH(j, P) rest[i] -= active >> i & 1 ? D[i + j * P] * l[j] : 0.0;
    }
    solve(L, rest);
    EACH(i, P) l[i] += rest[i];
}

/* Who is in the wrong: pulls, or approaches without an impulse. */
static inline int wrong(const double *D, const double *q, const double *size, int active, const double *l)
{
    int bad = 0;
    EACH(i, P) {
        double xi = q[i];
        EACH(j, P) xi += D[i + j * P] * l[j];
        bad |= (active >> i & 1 ? l[i] < 0.0 : xi < -ROUNDING * size[i]) << i;
    }
    return bad;
}

/* 0: decided; FAILED: contacts depend on each other. */
static inline int decide(const double *D, const double *q, const double *size, double *l)
{
    double L[P * P];
    int active = 0;
    EACH(i, P) active |= (q[i] < 0.0) << i;
    _Pragma("unroll 1") for (int turn = 0; turn < TURNS; turn++) {
        if (!factor(D, active, L))
            return FAILED;
        impulses(D, q, L, active, l);
        int bad = wrong(D, q, size, active, l);
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

__kernel void impacts(ARGUMENTS)
{
    const long k = get_global_id(0);
    if (k >= count)
        return;
    double u[N], W[N * P], Y[N * P], D[P * P], gamma[P], moves[P], q[P], size[P], l[P];
    double energy;
    int good = 1;
    EACH(a, N) {
        u[a] = GET(velocity, SAME_VELOCITY, a);
        good = good && isfinite(u[a]);
    }
    EACH(i, P) {
        double length = 0.0;
        EACH(a, N) {
            W[a + i * N] = GET(normals, SAME_NORMALS, a + i * N);
            length = fmax(length, fabs(W[a + i * N]));
            good = good && isfinite(W[a + i * N]);
        }
        moves[i] = HAS_MOTION ? GET(motion, SAME_MOTION, i) : 0.0;
        const double e = GET(restitution, SAME_RESTITUTION, i);
        good = good && length > 0.0 && isfinite(moves[i]) && isfinite(e) &&
               (ANY_RESTITUTION || (e >= 0.0 && e <= 1.0));
        gamma[i] = moves[i];
        size[i] = fabs(moves[i]);
        EACH(a, N) {
            gamma[i] += W[a + i * N] * u[a];
            size[i] += fabs(W[a + i * N] * u[a]);
        }
        q[i] = INELASTIC ? gamma[i] : (1.0 + e) * gamma[i];
    }
    good = good && accelerate(mass, k, stride, u, W, Y, &energy);
    EACH(i, P) EACH(j, P) {
        D[i + j * P] = 0.0;
        EACH(a, N) D[i + j * P] += W[a + i * N] * Y[a + j * N];
    }
    EACH(i, P) l[i] = 0.0;
    const int end = good ? decide(D, q, size, l) : INVALID;
    double seen = 0.0, rest = 0.0, gross = 0.0;
    int kinematic = 1;
    EACH(a, N) EACH(i, P) u[a] += Y[a + i * N] * l[i];
    EACH(i, P) {
        double after = moves[i], terms = size[i];
        EACH(a, N) {
            after += W[a + i * N] * u[a];
            terms += fabs(W[a + i * N] * u[a]);
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
