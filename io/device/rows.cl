/* The rows of an impact with friction: its problem in kinetic units, and impulses refined on velocities
 * that are recomputed from u+. */

/* The rows of an impact, and what moves. */
typedef struct {
    double J[N * R], Y[N * R], u[N], hat[R], before[R], terms[R], e[R];
} rows;

/* Velocities of the rows, with their terms. */
static inline void look_along_rows(const rows *w, const double *u, double *velocity, double *terms)
{
    EACH(r, R) {
        velocity[r] = w->hat[r];
        terms[r] = fabs(w->hat[r]);
        EACH(a, N) {
            velocity[r] += w->J[a + r * N] * u[a];
            terms[r] += fabs(w->J[a + r * N] * u[a]);
        }
    }
}

/* A, b and coefficients in kinetic units. */
static inline void scale_rows(const rows *w, double energy, problem *f)
{
    EACH(r, R) {
        EACH(c, R) {
            double sum = 0.0;
            EACH(a, N) sum += w->J[a + r * N] * w->Y[a + c * N];
            f->A[r + c * R] = is_row(f, r) && is_row(f, c) ? sum : 0.0;
        }
        f->b[r] = is_row(f, r) ? (1.0 + w->e[r]) * w->before[r] : 0.0;
    }
    EACH(r, R) f->scale[r] = f->A[r + r * R] > 0.0 ? sqrt(f->A[r + r * R]) : 1.0;
    f->least = SUM * sqrt(energy);
    f->size = f->least;
    EACH(r, R) {
        EACH(c, R) f->A[r + c * R] /= f->scale[r] * f->scale[c];
        f->b[r] /= f->scale[r];
        f->size = fmax(f->size, fabs(f->b[r]));
    }
    EACH(i, P) {
        const double ratio = SHARP ? 1.0 : f->scale[2 * i + 1] / f->scale[2 * i]; /* sharp.cl has its own */
        f->mu_s[i] *= ratio;
        f->mu_d[i] *= ratio;
    }
}

/* The largest velocity that should vanish in the modes found and is more than rounding. */
static inline double worst(const problem *f, const outcome *o, const double *xi, const double *terms)
{
    double top = 0.0;
    EACH(r, R) {
        const int own = is_equation(f, o->combination, r) && o->x[2 * (r >> 1)] > 0.0;
        const double off = fabs(xi[r]);
        top = own && off > 16.0 * EPSILON * terms[r] ? fmax(top, off) : top;
    }
    return top;
}

/* Velocities recomputed from u+ in kinetic units, with their terms. */
static inline void recompute(const rows *w, const problem *f, const double *u, double *xi,
                             double *terms)
{
    look_along_rows(w, u, xi, terms);
    EACH(r, R) {
        const double again = w->e[r] * w->before[r];
        xi[r] = (xi[r] + again) / f->scale[r];
        terms[r] = (terms[r] + (r & 1 ? fabs(again) : w->terms[r] + fabs(again))) / f->scale[r];
    }
}

/* u + Y x */
static inline void push_rows(const rows *w, const problem *f, const double *x, double *u)
{
    EACH(r, R) EACH(a, N) u[a] += w->Y[a + r * N] * (x[r] / f->scale[r]);
}

/* Impulses refined on velocities that are recomputed from u+ (docs/theory/newton.md, "Accuracy");
 * a correction that leaves a cone or does not halve the error is not taken. */
static inline void refine_rows(const rows *w, const problem *f, outcome *o, double *u)
{
    double xi[R], terms[R];
    recompute(w, f, u, xi, terms);
    double now = worst(f, o, xi, terms);
    for (int pass = 0; pass < 4 && now > 0.0; pass++) {
        double Q[R * R], z[R], change[R], other[N], least;
        outcome next = *o;
        fill(f, o->combination, Q);
        EACH(r, R) z[r] = is_equation(f, o->combination, r) ? -xi[r] : 0.0;
        if (!eliminate(f, o->combination, Q, z, &least))
            return;
        impulses_of(f, o->combination, z, change);
        EACH(r, R) next.x[r] += change[r];
        const double rounding = CARRIED * size_with(f, next.x);
        int good = 1;
        EACH(i, P)
            good = good && next.x[2 * i] >= 0.0 &&
                   (MODE(o->combination, i) != STICK || !HAS(f->rough, i) || isinf(f->mu_s[i]) ||
                    fabs(next.x[2 * i + 1]) <= f->mu_s[i] * next.x[2 * i] + rounding);
        EACH(a, N) other[a] = u[a];
        push_rows(w, f, change, other);
        recompute(w, f, other, xi, terms);
        const double after = worst(f, &next, xi, terms);
        if (!good || !(after < 0.5 * now))
            return;
        *o = next;
        EACH(a, N) u[a] = other[a];
        now = after;
    }
}
