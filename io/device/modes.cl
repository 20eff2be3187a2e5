/* Impacts with friction of planar contacts (docs/theory/coulomb.md, instant.md): every combination
 * of the modes of p contacts, one linear system each,
 *   xi = A x + b,   0 <= xi_N, 0 <= x_N, xi_N x_N = 0,
 *   xi_T = 0 and |x_T| <= mu_s x_N,   or   x_T = -mu_d x_N sign(xi_T),
 * in kinetic units. Rows 2 i and 2 i + 1 are the normal and the slip of contact i; a contact without
 * friction has a slip row of zeros. A combination is a number of two bits a contact. Rows that take
 * no part in a system are those of the unit matrix, so that all loops have constant lengths. */

#define R (2 * P)
#define OPEN 0
#define STICK 1 /* closed, where there is no friction */
#define PLUS 2
#define MINUS 3
#define MODE(combination, i) ((combination) >> (2 * (i)) & 3)
#define HAS(set, i) ((set) >> (i) & 1)
#define SLIP_NUMBER(i) popcount(SLIPPING & ((1 << (i)) - 1))
#define EPSILON 2.220446049250313e-16
#define SUM (64.0 * EPSILON)
#define DOUBTFUL 0x1p-12 /* pivots that leave fewer digits than signs are judged by */
#ifndef SHARP
#define SHARP 0 /* with twice the digits: impacts that were left in doubt */
#endif

typedef struct {
    double A[R * R], b[R], scale[R], mu_s[P], mu_d[P];
#if SHARP
    doubled A2[R * R], b2[R]; /* A and b are these, rounded */
#endif
    double size, least; /* of b; below this it is rounding */
    int taking, rough;  /* sets of contacts: those that take part, those with friction */
} problem;

/* What a combination leads to. */
typedef struct {
    double x[R], xi[R], norm, violation;
    int combination, continuum; /* continuum: one of many, of the shortest impulses */
    int doubtful;               /* a pivot is so small that signs may be wrong */
#if SHARP
    doubled x2[R];
#endif
} outcome;

static inline double size_with(const problem *f, const double *x)
{
    double size = f->size;
    EACH(r, R) size = fmax(size, fabs(x[r]));
    return size;
}

/* x_T = -slope x_N of a contact that slides. */
static inline double slope_of(const problem *f, int combination, int i)
{
    const int mode = MODE(combination, i);
    return mode == PLUS ? f->mu_d[i] : mode == MINUS ? -f->mu_d[i] : 0.0;
}

/* Is there a row r? Slips of contacts without friction are none. */
static inline int is_row(const problem *f, int r)
{
    return !(r & 1) || HAS(f->rough, r >> 1);
}

/* Does row r take part in the equations of a combination? */
static inline int is_equation(const problem *f, int combination, int r)
{
    const int mode = MODE(combination, r >> 1);
    return r & 1 ? mode == STICK && is_row(f, r) : mode != OPEN;
}

/* The matrix of a combination, column by column. */
static inline void fill(const problem *f, int combination, double *Q)
{
    EACH(c, R) {
        const double slope = c & 1 ? 0.0 : slope_of(f, combination, c >> 1);
        const int own = is_equation(f, combination, c);
        EACH(r, R) {
            double entry = f->A[r + c * R];
            if (!(c & 1))
                entry -= slope != 0.0 ? slope * f->A[r + (c | 1) * R] : 0.0;
            Q[r + c * R] = own && is_equation(f, combination, r) ? entry : r == c ? 1.0 : 0.0;
        }
    }
}

static inline double weight_of(const problem *f, int combination, int c)
{
    const double slope = c & 1 ? 0.0 : slope_of(f, combination, c >> 1);
    return sqrt(1.0 + slope * slope);
}

/* Q z = z by elimination, the largest entry of a column as pivot; 0: a pivot is small. *least: the smallest part that
 * a pivot is of what its column could have. */
static inline int eliminate(const problem *f, int combination, double *Q, double *z, double *least)
{
    int good = 1;
    *least = 1.0;
    EACH(j, R) {
        AFTER(i, j, R) {
            const int other = fabs(Q[i + j * R]) > fabs(Q[j + j * R]);
            EACH(c, R) {
                const double a = Q[j + c * R], b = Q[i + c * R];
                Q[j + c * R] = other ? b : a;
                Q[i + c * R] = other ? a : b;
            }
            const double a = z[j], b = z[i];
            z[j] = other ? b : a;
            z[i] = other ? a : b;
        }
        *least = fmin(*least, fabs(Q[j + j * R]) / weight_of(f, combination, j));
        good = good && fabs(Q[j + j * R]) > REGULAR * weight_of(f, combination, j);
        const double inverse = 1.0 / Q[j + j * R];
        AFTER(i, j, R) {
            const double l = Q[i + j * R] * inverse;
            AFTER(c, j, R) Q[i + c * R] -= l * Q[j + c * R];
            z[i] -= l * z[j];
        }
        Q[j + j * R] = inverse;
    }
    EACH(back, R) {
        const int j = R - 1 - back;
        AFTER(c, j, R) z[j] -= Q[j + c * R] * z[c];
        z[j] *= Q[j + j * R];
    }
    return good;
}

/* Impulses of the unknowns of a combination, those that slide with their friction. */
static inline void impulses_of(const problem *f, int combination, const double *z, double *x)
{
    EACH(i, P) {
        const int slides = MODE(combination, i) >= PLUS;
        x[2 * i] = z[2 * i];
        x[2 * i + 1] = slides ? -slope_of(f, combination, i) * z[2 * i] : z[2 * i + 1];
    }
}

static inline void velocities_of(const problem *f, const double *x, const double *b, double *xi)
{
    EACH(r, R) {
        xi[r] = b[r];
        EACH(c, R) xi[r] += f->A[r + c * R] * x[c];
    }
}

/* The two conditions of a contact, each >= 0; those of velocities are marked. */
static inline void conditions(const problem *f, int combination, int i, const double *x,
                              const double *xi, double *one, double *two, int *velocities)
{
    const int mode = MODE(combination, i);
    const double normal = x[2 * i], tangent = x[2 * i + 1];
    *one = *two = mode == OPEN ? xi[2 * i] : normal;
    *velocities = mode == OPEN ? 3 : mode >= PLUS ? 2 : 0;
    if (mode == STICK && HAS(f->rough, i) && !isinf(f->mu_s[i])) {
        const double unit = 1.0 / (1.0 + f->mu_s[i]);
        *one = (f->mu_s[i] * normal - tangent) * unit;
        *two = (f->mu_s[i] * normal + tangent) * unit;
    } else if (mode >= PLUS) {
        *two = mode == PLUS ? xi[2 * i + 1] : -xi[2 * i + 1];
    }
}

/* Do all conditions hold? (src/solver/instant_modes.c, holds) */
static inline int holds(const problem *f, outcome *o, double tolerance, double slow)
{
    int good = 1;
    o->violation = 0.0;
    EACH(i, P) {
        double one, two;
        int velocities;
        conditions(f, o->combination, i, o->x, o->xi, &one, &two, &velocities);
        good = good && one >= (velocities & 1 ? -slow : -tolerance) &&
               two >= (velocities & 2 ? -slow : -tolerance);
        o->violation = fmax(o->violation, fmax(-one, -two));
        if (MODE(o->combination, i) == STICK) /* narrow cones say little of the normal force */
            good = good && o->x[2 * i] >= -tolerance;
        if (MODE(o->combination, i) == STICK && HAS(f->rough, i) && isinf(f->mu_s[i]))
            good = good && !(o->x[2 * i] <= tolerance && fabs(o->x[2 * i + 1]) > tolerance);
    }
    return good;
}

/* What z is worth. *tolerance: of forces. */
static inline int judge(const problem *f, const double *z, outcome *o, double *tolerance)
{
    impulses_of(f, o->combination, z, o->x);
    velocities_of(f, o->x, f->b, o->xi);
    const double size = size_with(f, o->x);
    *tolerance = SIGN * size + f->least;
    return holds(f, o, *tolerance, fmax(SIGN * f->size, SUM * size) + f->least);
}
