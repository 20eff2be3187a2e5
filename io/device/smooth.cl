/* Impacts without friction: what is read of one, and what is told of its outcome. Of normals that do not
 * vary it is known which entries are zero, 1 or -1: TOUCHES(i) has the velocities of contact i, PLUS(i) and
 * MINUS(i) those with such entries, FILLED(i) the contacts before it that its row of the factors has. */
#define KNOWN(a, i) (!USES(a, i) || (PLUS(i) >> (a) & 1) || (MINUS(i) >> (a) & 1))
#define UNIT(a, i) (!USES(a, i) ? 0.0 : PLUS(i) >> (a) & 1 ? 1.0 : -1.0)
#define USES(a, i) (TOUCHES(i) >> (a) & 1)
#define RESPONDS(a, i) (MASS_IS_DIAGONAL ? USES(a, i) : 1)
#define COUPLED(i, j) (MASS_IS_DIAGONAL ? (TOUCHES(i) & TOUCHES(j)) != 0 : 1)
#define FILLS(i, j) (FILLED(i) >> (j) & 1)

typedef struct {
    double W[N * P], u[N], moves[P], gamma[P], size[P], q[P]; /* size: of the terms of gamma */
} smooth_impact;

/* 0: a normal is no direction. */
static inline int read_normals(const long k, const long stride, IN normals, double *W)
{
    int good = 1;
    EACH(i, P) {
        double length = 0.0;
        EACH(a, N) {
            W[a + i * N] = KNOWN(a, i) ? UNIT(a, i) : GET(normals, SAME_NORMALS, a + i * N);
            length = fmax(length, fabs(W[a + i * N]));
            good = good && isfinite(W[a + i * N]);
        }
        good = good && length > 0.0;
    }
    return good;
}

/* Velocities, after the normals; 0: they are none, or a coefficient is out of range. */
static inline int read_impact(const long k, const long stride, IN velocity, IN motion,
                              IN restitution, smooth_impact *x)
{
    int good = 1;
    EACH(a, N) {
        x->u[a] = GET(velocity, SAME_VELOCITY, a);
        good = good && isfinite(x->u[a]);
    }
    EACH(i, P) {
        x->moves[i] = HAS_MOTION ? GET(motion, SAME_MOTION, i) : 0.0;
        const double e = GET(restitution, SAME_RESTITUTION, i);
        good = good && isfinite(x->moves[i]) && isfinite(e) &&
               (ANY_RESTITUTION || (e >= 0.0 && e <= 1.0));
        x->gamma[i] = x->moves[i];
        x->size[i] = fabs(x->moves[i]);
        EACH(a, N) if (USES(a, i)) {
            const double term = x->W[a + i * N] * x->u[a];
            x->gamma[i] += term;
            x->size[i] += fabs(term);
        }
        x->q[i] = INELASTIC ? x->gamma[i] : (1.0 + e) * x->gamma[i];
    }
    return good;
}

/* The outcome: u is what it is after, l the impulses; end: how it was found. */
#define OUTPUTS out_velocity, out_normal, out_impulse, out_energy, answer, verdict
static inline void tell(const long k, const long stride, const smooth_impact *x, const double *l,
                        int end, OUT out_velocity, OUT out_normal, OUT out_impulse, OUT out_energy,
                        __global uchar *restrict answer, __global uchar *restrict verdict)
{
    double seen = 0.0, rest = 0.0, gross = 0.0;
    int kinematic = 1;
    EACH(i, P) {
        double after = x->moves[i], terms = x->size[i];
        EACH(a, N) if (USES(a, i)) {
            after += x->W[a + i * N] * x->u[a];
            terms += fabs(x->W[a + i * N] * x->u[a]);
        }
        kinematic = kinematic && after >= -VERDICT * terms;
        seen += 0.5 * l[i] * (x->gamma[i] + after);
        rest += 0.5 * l[i] * (x->gamma[i] + after - 2.0 * x->moves[i]);
        gross += 0.5 * fabs(l[i]) * (fabs(x->gamma[i]) + fabs(after));
        if (WANT_NORMAL)
            out_normal[i * stride + k] = end ? NAN : after;
        if (WANT_IMPULSE)
            out_impulse[i * stride + k] = end ? NAN : l[i];
    }
    if (WANT_VELOCITY)
        EACH(a, N) out_velocity[a * stride + k] = end ? NAN : x->u[a];
    if (WANT_ENERGY)
        out_energy[k] = end ? NAN : rest;
    answer[k] = (uchar)end;
    if (WANT_VERDICT)
        verdict[k] = (uchar)(end ? 0 : kinematic | 2 | (seen <= VERDICT * gross ? 4 : 0));
}
