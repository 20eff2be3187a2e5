/* All solutions of the frictional impact problem of one contact, planar or spatial. */
#include "carom/tolerance.h"
#include "law/coulomb.h"
#include "linalg/doubled.h"
#include "solver/instant_rows.h"
#include "solver/trig_roots.h"

#include <math.h>

/* One contact: xi = A x + b with A of order 1 + s. */
typedef struct local {
    int s;
    double nn, a[2], t[2][2]; /* A: normal, coupling, tangential */
    double bn, bt[2];
    double mu_s, mu_d, size, tol; /* size: of b */
    double slack; /* of a slip's sign, beside b and the impulses; 0: what is found is final */
    bool equality;
    double *xs;
    carom_mode *modes;
    int count;
} local;

static void keep(local *l, carom_mode mode, double normal, double t0, double t1)
{
    if (l->count == CAROM_COULOMB_LOCAL)
        return;
    l->modes[l->count] = mode;
    double *x = l->xs + 3 * l->count++;
    x[0] = fmax(normal, 0);
    x[1] = t0;
    x[2] = t1;
}

/* x with xi = 0 in all rows. */
static void try_stick(local *l)
{
    double scale = 1e-11, x0, x1 = 0, x2 = 0;
    if (l->s == 0) {
        if (!(l->nn > scale))
            return;
        x0 = -l->bn / l->nn;
    } else if (l->s == 1 || !(l->t[1][1] > scale) || !(l->t[0][0] > scale)) {
        int k = l->s == 1 || l->t[0][0] > scale ? 0 : 1; /* the direction that can move */
        if (l->s == 2 && fabs(l->bt[1 - k]) > l->tol)
            return;
        double det = l->nn * l->t[k][k] - l->a[k] * l->a[k];
        if (!(det > scale))
            return;
        x0 = (-l->bn * l->t[k][k] + l->a[k] * l->bt[k]) / det;
        double xt = (-l->bt[k] * l->nn + l->a[k] * l->bn) / det;
        x1 = k == 0 ? xt : 0;
        x2 = k == 1 ? xt : 0;
    } else {
        /* eliminate the tangents: Schur complement of the 2 x 2 block */
        double det = l->t[0][0] * l->t[1][1] - l->t[0][1] * l->t[0][1];
        if (!(det > scale))
            return;
        double c0 = (l->t[1][1] * l->a[0] - l->t[0][1] * l->a[1]) / det;
        double c1 = (l->t[0][0] * l->a[1] - l->t[0][1] * l->a[0]) / det;
        double schur = l->nn - c0 * l->a[0] - c1 * l->a[1];
        if (!(schur > scale))
            return;
        x0 = -(l->bn - c0 * l->bt[0] - c1 * l->bt[1]) / schur;
        double r0 = -l->bt[0] - l->a[0] * x0, r1 = -l->bt[1] - l->a[1] * x0;
        x1 = (l->t[1][1] * r0 - l->t[0][1] * r1) / det;
        x2 = (l->t[0][0] * r1 - l->t[0][1] * r0) / det;
    }
    double force = hypot(x1, x2), tol = fmax(l->tol, 1e-10 * fmax(fabs(x0), force));
    if (x0 < -tol)
        return;
    if (isinf(l->mu_s) ? (x0 > tol || force <= tol)
                       : force - l->mu_s * fmax(x0, 0) <= tol * (1 + l->mu_s))
        keep(l, l->s ? CAROM_MODE_STICK : CAROM_MODE_CLOSED, x0, x1, x2);
}

/* The same where the rows of a spatial contact are dependent; A: of the rows where these are known.
 * Whether all of them are met is left to whoever looks at x. */
static void try_dependent(local *l, const doubled A[9])
{
    const double b[3] = {l->bn, l->bt[0], l->bt[1]};
    double plain[9], x[3];
    for (int k = 0; k < 9; k++)
        plain[k] = A[k].hi;
    if (l->slack > 0 && carom_coulomb_stick(plain, b, l->mu_s, x))
        keep(l, CAROM_MODE_STICK, x[0], x[1], x[2]);
}

/* Slip in the unit direction d: x_T = -mu_d x_N d, xi_N = 0, d'xi_T > 0. */
static void try_slip(local *l, double d0, double d1)
{
    double mu = l->mu_d, den = l->nn - mu * (l->a[0] * d0 + l->a[1] * d1);
    if (fabs(den) < 1e-12 * (1 + mu))
        return;
    double x0 = -l->bn / den;
    double v0 = l->bt[0] + x0 * (l->a[0] - mu * (l->t[0][0] * d0 + l->t[0][1] * d1));
    double v1 = l->bt[1] + x0 * (l->a[1] - mu * (l->t[0][1] * d0 + l->t[1][1] * d1));
    const double least = l->slack > 0 ? -l->slack * (l->size + fabs(x0) * (1 + mu)) : l->tol;
    if (x0 >= -l->tol && d0 * v0 + d1 * v1 > least)
        keep(l,
             l->s == 2 ? CAROM_MODE_SLIP
             : d0 > 0  ? CAROM_MODE_SLIP_PLUS
                       : CAROM_MODE_SLIP_MINUS,
             x0, -mu * fmax(x0, 0) * d0, -mu * fmax(x0, 0) * d1);
}

/* Contacts that neither approach nor separate may still be jammed, along the directions d whose
 * slip needs no normal velocity: A_NN = mu a'd. There x_N follows from the slip's direction. */
static void try_jammed(local *l)
{
    const double mu = l->mu_d, size = mu * hypot(l->a[0], l->a[1]);
    if (fabs(l->bn) > l->tol || !(size >= l->nn))
        return;
    for (int side = -1; side <= 1; side += 2) {
        const double angle = atan2(l->a[1], l->a[0]) + side * acos(l->nn / size);
        const double d0 = cos(angle), d1 = sin(angle);
        const double g0 = l->a[0] - mu * (l->t[0][0] * d0 + l->t[0][1] * d1);
        const double g1 = l->a[1] - mu * (l->t[0][1] * d0 + l->t[1][1] * d1);
        const double x0 = -(d0 * l->bt[1] - d1 * l->bt[0]) / (d0 * g1 - d1 * g0);
        if (x0 > 0 && isfinite(x0) &&
            d0 * (l->bt[0] + x0 * g0) + d1 * (l->bt[1] + x0 * g1) > l->tol)
            keep(l, CAROM_MODE_SLIP, x0, -mu * x0 * d0, -mu * x0 * d1);
    }
}

/* a b - c d of entries of A and b, in doubled precision: beside a light body the rows of A are
 * multiples of one another to most of their digits, and little is left of the products. */
static doubled cross(doubled a, double b, doubled c, double d)
{
    return doubled_add(doubled_scale(a, b), doubled_negate(doubled_scale(c, d)));
}

/* The problem of a spatial contact with twice the digits, of the rows where these are known. */
typedef struct wide {
    doubled A[9], b[3], mu; /* mu_d */
} wide;

/* d_perp'xi_T(d) = 0 times the denominator of x_N(d), as a polynomial of the angle of d. */
static void state_slip(const local *l, const doubled A[9], carom_trig *p)
{
    const double mu = l->mu_d, bx = l->bt[0], by = l->bt[1], bn = l->bn;
    const doubled nn = A[0], ax = A[1], ay = A[2], none = {0, 0};
    const doubled both = doubled_negate(cross(ax, by, ay, -bx)); /* -(ax by + ay bx) */
    const doubled mixed = cross(ax, bx, ay, by);
    const doubled split = doubled_scale(doubled_add(A[8], doubled_negate(A[4])), bn);
    *p = (carom_trig){
        .c = {-0.5 * mu * cross(ax, by, ay, bx).hi, cross(nn, by, ay, bn).hi,
              mu * doubled_add(doubled_scale(both, 0.5), cross(A[5], bn, none, 0)).hi},
        .s = {0, cross(ax, bn, nn, bx).hi, 0.5 * mu * doubled_add(mixed, split).hi},
    };
}

static double slope_at(const carom_trig *p, double d0, double d1)
{
    return p->s[1] * d0 - p->c[1] * d1 + 2 * p->s[2] * (d0 * d0 - d1 * d1) - 4 * p->c[2] * d0 * d1;
}

static doubled difference(doubled a, doubled b)
{
    return doubled_add(a, doubled_negate(b));
}

/* The impulse per unit of x_N along row k: A_kN - mu (A_kT d). */
static doubled pushed(const wide *w, int k, const doubled d[2])
{
    const doubled along =
        doubled_add(doubled_multiply(w->A[k + 3], d[0]), doubled_multiply(w->A[k + 6], d[1]));
    return difference(w->A[k], doubled_multiply(w->mu, along));
}

/* x_N and the slip in direction d; returns what the slip is across d, times the denominator. */
static doubled slip_along(const wide *w, const doubled d[2], double *x, double v[2])
{
    const doubled den = pushed(w, 0, d);
    doubled slip[2];
    for (int k = 0; k < 2; k++) /* den b_T + (-b_N) (a - mu T d) */
        slip[k] = difference(doubled_multiply(den, w->b[1 + k]),
                             doubled_multiply(w->b[0], pushed(w, 1 + k, d)));
    *x = -doubled_divide(w->b[0], den).hi;
    for (int k = 0; k < 2; k++)
        v[k] = doubled_divide(slip[k], den).hi;
    return difference(doubled_multiply(slip[1], d[0]), doubled_multiply(slip[0], d[1]));
}

/* Roots near each other are known to half of the digits, and of one the slip is none. Newton's
 * method with twice the digits from beside the root to all sides tells them apart. */
static void try_close(local *l, const wide *w, const carom_trig *p, double root)
{
    enum { PASSES = 40, SIDES = 3 };
    static const double beside = 0x1p-22, same = 0x1p-60;
    double found[SIDES][2];
    for (int side = 0; side < SIDES; side++) {
        const double angle = root + (side - 1) * beside;
        doubled d[2] = {{cos(angle), 0}, {sin(angle), 0}};
        double x = 0, v[2] = {0}, step = 1;
        for (int pass = 0; pass < PASSES && fabs(step) > same; pass++) {
            const double slope = slope_at(p, d[0].hi, d[1].hi);
            step = -slip_along(w, d, &x, v).hi / slope;
            step = isfinite(step) ? fmax(-beside, fmin(beside, step)) : 0;
            const doubled turned[2] = {difference(d[0], doubled_scale(d[1], step)),
                                       doubled_add(d[1], doubled_scale(d[0], step))};
            const doubled square = doubled_add(doubled_multiply(turned[0], turned[0]),
                                               doubled_multiply(turned[1], turned[1]));
            /* 1/sqrt(1 + e) = 1 - e/2 + 3 e^2/8, e = step^2 */
            const double e = doubled_add_double(square, -1).hi;
            const doubled unit = doubled_sum(1, e * (0.375 * e - 0.5));
            d[0] = doubled_multiply(turned[0], unit);
            d[1] = doubled_multiply(turned[1], unit);
        }
        slip_along(w, d, &x, v);
        bool known = !isfinite(x);
        for (int k = 0; k < side; k++)
            known = known || (found[k][0] == d[0].hi && found[k][1] == d[1].hi);
        found[side][0] = d[0].hi;
        found[side][1] = d[1].hi;
        if (!known && x >= -l->tol && d[0].hi * v[0] + d[1].hi * v[1] > 0)
            keep(l, CAROM_MODE_SLIP, x, -l->mu_d * fmax(x, 0) * d[0].hi,
                 -l->mu_d * fmax(x, 0) * d[1].hi);
    }
}

/* Sliding directions in space. */
static void try_spatial(local *l, const wide *w)
{
    static const double simple = 0x1p-10; /* slope of a root that is known well, in units of p */
    carom_trig p;
    state_slip(l, w->A, &p);
    double roots[CAROM_TRIG_ROOTS];
    const double size = fabs(p.c[0]) + hypot(p.c[1], p.s[1]) + hypot(p.c[2], p.s[2]);
    int count = carom_trig_roots(&p, roots);
    for (int k = 0; k < count; k++) {
        const double d0 = cos(roots[k]), d1 = sin(roots[k]);
        if (l->slack > 0 && fabs(slope_at(&p, d0, d1)) < simple * size)
            try_close(l, w, &p, roots[k]);
        try_slip(l, d0, d1);
    }
    try_jammed(l);
}

static void widen(const carom_coulomb *f, int i, const double *b, wide *w)
{
    const int r = f->row[i];
    const bool own = f->n && b == f->b;
    struct carom_instant_rows rows;
    carom_coulomb_instant(f, &rows);
    for (int c = 0; c < 3; c++) {
        w->b[c] = doubled_sum(b[r + c], own && f->rest ? f->rest[r + c] / f->scale[r + c] : 0);
        for (int k = 0; k < 3; k++) {
            doubled sum = {f->A[r + k + (size_t)(r + c) * f->N], 0};
            if (f->n) {
                sum = carom_instant_rows_product(&rows, r + k, r + c);
                sum = doubled_divide_double(sum, f->scale[r + k]);
                sum = doubled_divide_double(sum, f->scale[r + c]);
            }
            w->A[k + 3 * c] = sum;
        }
    }
    w->mu = (doubled){f->mu_d[i], 0};
    if (f->n && isfinite(f->mu_d[i]))
        w->mu = doubled_divide_double(doubled_product(f->mu[i], f->scale[r + 1]), f->scale[r]);
}

double carom_coulomb_local_pivot(const carom_coulomb *problem, int i)
{
    const int r = problem->row[i], rows = problem->row[i + 1] - r, N = problem->N;
    double pivot[3] = {0}, L[3][3] = {{0}}, least = INFINITY;
    for (int j = 0; j < rows; j++) /* the tangents first */
        for (int k = j; k < rows; k++) {
            const int a = (j + 1) % rows, c = (k + 1) % rows;
            double sum = problem->A[r + c + (size_t)(r + a) * N];
            for (int m = 0; m < j; m++)
                sum -= L[k][m] * L[j][m] * pivot[m];
            if (k == j)
                pivot[j] = sum;
            if (!(pivot[j] > CAROM_TOLERANCE_RANK))
                return 0;
            least = fmin(least, pivot[j]);
            L[k][j] = sum / pivot[j];
        }
    return least;
}

int carom_coulomb_local(const carom_coulomb *problem, int i, const double *b, double floor,
                        double *xs, carom_mode *modes)
{
    int r = problem->row[i], s = problem->row[i + 1] - r - 1, N = problem->N;
    const double *A = problem->A + r + (size_t)r * N;
    local l = {.s = s,
               .nn = A[0],
               .bn = b[r],
               .mu_s = problem->mu_s[i],
               .mu_d = problem->mu_d[i],
               .equality = problem->equality[i],
               .xs = xs,
               .modes = modes};
    double size = fabs(l.bn);
    for (int k = 0; k < s; k++) {
        l.a[k] = A[k + 1];
        l.bt[k] = b[r + 1 + k];
        size = fmax(size, fabs(l.bt[k]));
        for (int j = 0; j < s; j++)
            l.t[k][j] = A[1 + k + (size_t)(1 + j) * N];
    }
    l.size = size;
    l.tol = fmax(floor, 1e-12 * size);
    l.slack = problem->n ? 8 * CAROM_TOLERANCE_HALF : 0; /* what a double root is known to */
    if (l.equality ? fabs(l.bn) <= l.tol : l.bn >= -l.tol)
        keep(&l, CAROM_MODE_OPEN, 0, 0, 0);
    if (s == 0 && l.bn < 0)
        try_stick(&l);
    if (s == 0)
        return l.count;
    const int loose = l.count;
    wide w;
    try_stick(&l);
    if (s == 2)
        widen(problem, i, b, &w);
    if (s == 2 && l.count == loose)
        try_dependent(&l, w.A);
    if (isinf(l.mu_d) || (l.count > loose && l.mu_d < l.mu_s))
        return l.count; /* static friction goes before */
    if (s == 1) {
        try_slip(&l, 1, 0);
        try_slip(&l, -1, 0);
    } else {
        try_spatial(&l, &w);
    }
    return l.count;
}
