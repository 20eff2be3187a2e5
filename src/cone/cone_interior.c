/* Finds a point well inside friction cones: the equal distribution, or the centre of the forces
 * possible.
 */
#include "cone/cone_interior.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/householder.h"

#include <math.h>
#include <string.h>

/* The barrier method on z = x + s e, e the axes of the cones, in units in which x is of order one:
 *   minimise  t s + c sum z_0 - sum log(z'Jz)   over   z = x_0 + N y + s e,   K x_0 = b,  K N = 0,
 * z'Jz = mu^2 z_0^2 - |z_T|^2 (z_0 of a ray). First s is sought (t > 0), then held (t = 0); c > 0
 * keeps z finite where forces can be wedged against each other.
 * Moving in the kernel of K keeps the equations to rounding, however thin the set of solutions is;
 * the Hessian is V^-T V^-1 with V from the spectral frame of each cone, so that distances to the
 * faces keep their digits. */
typedef struct work {
    const carom_cone_interior *p;
    int d;       /* columns - rows */
    double *z;   /* columns */
    double s, c; /* shift, weight of the axes */
    double *N;   /* columns x columns: range of K' (rows), its orthogonal complement (d) */
    double *G;   /* columns x (d + 1), V^-1 [N e], then its QR factors */
    double *g;   /* columns, V'g for the gradient g */
    double *dy;  /* d + 1 */
    double *dz;  /* columns */
    double *tau; /* columns */
} work;

size_t carom_cone_interior_work(int rows, int columns)
{
    const size_t c = (size_t)columns, d = c - (size_t)rows;
    return 7 * c + 1 + c * c + c * (d + 1);
}

static void take(const carom_cone_interior *p, double *memory, work *w)
{
    const size_t c = (size_t)p->columns;
    *w = (work){.p = p, .d = p->columns - p->rows};
    memset(memory, 0, carom_cone_interior_work(p->rows, p->columns) * sizeof *memory);
    w->z = memory;
    w->g = memory += c;
    w->dz = memory += c;
    w->tau = memory += c;
    w->dy = memory += c;
    w->N = memory += c + 1;
    w->G = memory + c * c;
}

/* The kernel of K from Householder's factorisation of K'. */
static void kernel(work *w)
{
    const int r = w->p->rows, c = w->p->columns;
    for (int k = 0; k < r; k++)
        for (int j = 0; j < c; j++)
            w->N[j + (size_t)k * c] = w->p->K[k + (size_t)j * r];
    carom_householder_factor(c, r, w->N, c, w->tau);
    carom_householder_form(c, r, c, w->N, c, w->tau);
}

static double friction(int size, const double *z)
{
    return size == 1 ? 0 : size == 2 ? fabs(z[1]) : hypot(z[1], z[2]);
}

/* z'Jz where z is inside the cone, else a number <= 0. */
static double inside(const carom_cone_interior *p, int block, const double *z)
{
    if (p->size[block] == 1)
        return z[0];
    double limit = p->mu[block] * z[0], t = friction(p->size[block], z);
    return limit > 0 ? (limit - t) * (limit + t) : -1;
}

/* The rows of V^-1 for one block: (mu, +-d) over the eigenvalues mu z_0 +- |z_T|, d the direction
 * of z_T, and what is across over the root of half their product. */
static void inverse_root(const carom_cone_interior *p, int block, const double *z, double V[3][3])
{
    const int size = p->size[block];
    memset(V, 0, sizeof(double) * 9);
    if (size == 1) {
        V[0][0] = 1 / z[0];
        return;
    }
    const double mu = p->mu[block], t = friction(size, z);
    const double low = mu * z[0] - t, high = mu * z[0] + t, across = sqrt(2 / (low * high));
    const double d0 = t > 0 ? z[1] / t : 1, d1 = t > 0 && size == 3 ? z[2] / t : 0;
    V[0][0] = mu / high;
    V[0][1] = d0 / high;
    V[0][2] = d1 / high;
    V[1][0] = mu / low;
    V[1][1] = -d0 / low;
    V[1][2] = -d1 / low;
    V[2][1] = -d1 * across;
    V[2][2] = d0 * across;
}

/* G = V^-1 [N e]; V'g is -1 along both eigenvalues, whatever z is, plus c V'e. */
static void linearise(work *w)
{
    const carom_cone_interior *p = w->p;
    const int c = p->columns;
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        double V[3][3];
        inverse_root(p, i, w->z + j, V);
        for (int k = 0; k < p->size[i]; k++) {
            for (int l = 0; l < w->d; l++) {
                const double *column = w->N + (size_t)(p->rows + l) * c + j;
                double sum = 0;
                for (int m = 0; m < p->size[i]; m++)
                    sum += V[k][m] * column[m];
                w->G[j + k + (size_t)l * c] = sum;
            }
            w->G[j + k + (size_t)w->d * c] = V[k][0];
            /* V'e = e's part along the eigenvalue: half of it over mu, as V^-1 e is mu over it */
            double along = p->size[i] == 1 ? 1 / V[k][0] : k < 2 ? 0.5 / V[k][0] : 0;
            w->g[j + k] = (k < 2 ? -1 : 0) + w->c * along;
        }
    }
}

/* dz, ds of Newton's method: |G dy + V'g|^2/2 + t ds least. Returns the slope of the value along
 * it. */
static bool newton(work *w, double t, double *ds, double *slope)
{
    const int c = w->p->columns, d = t > 0 ? w->d + 1 : w->d;
    linearise(w);
    memset(w->dy, 0, sizeof(double) * ((size_t)w->d + 1));
    if (t > 0)
        w->dy[w->d] = t;
    carom_dense_gemv_t(c, d, 1, w->G, c, w->g, w->dy); /* gradient in y */
    double *gradient = w->dz;
    memcpy(gradient, w->dy, sizeof(double) * (size_t)d);
    carom_householder_factor(c, d, w->G, c, w->tau);
    for (int k = 0; k < d; k++) { /* R'R dy = -gradient */
        for (int l = 0; l < k; l++)
            w->dy[k] -= w->G[l + (size_t)k * c] * w->dy[l];
        w->dy[k] /= w->G[k + (size_t)k * c];
    }
    for (int k = d - 1; k >= 0; k--) {
        for (int l = k + 1; l < d; l++)
            w->dy[k] -= w->G[k + (size_t)l * c] * w->dy[l];
        w->dy[k] /= w->G[k + (size_t)k * c];
    }
    for (int k = 0; k < d; k++)
        w->dy[k] = -w->dy[k];
    *slope = carom_dense_dot(d, gradient, w->dy);
    *ds = t > 0 ? w->dy[w->d] : 0;
    memset(w->dz, 0, sizeof(double) * (size_t)c);
    carom_dense_gemv(c, w->d, 1, w->N + (size_t)w->p->rows * c, c, w->dy, w->dz);
    for (int i = 0, j = 0; i < w->p->blocks; j += w->p->size[i++])
        w->dz[j] += *ds;
    return isfinite(*slope);
}

/* What is minimised, at z + part dz without its term t s; INFINITY outside the cones. */
static double value(const work *w, double part)
{
    const carom_cone_interior *p = w->p;
    double sum = 0;
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        double z[3] = {0};
        for (int k = 0; k < p->size[i]; k++)
            z[k] = w->z[j + k] + part * w->dz[j + k];
        double D = inside(p, i, z);
        if (!(D > 0))
            return INFINITY;
        sum += w->c * z[0] - log(D);
    }
    return sum;
}

/* One step along dz, ds, shortened until the value falls. Returns what it fell by at first order
 * (the square of Newton's decrement), negative when there is no progress. */
static double move(work *w, double t, double ds, double slope)
{
    const double now = value(w, 0);
    for (double part = 1; part > 1e-12; part *= 0.5) {
        double next = value(w, part) + t * part * ds;
        if (!(next <= now + 0.1 * part * slope) && !(part == 1 && slope > -1e-6 && next < INFINITY))
            continue;
        carom_dense_axpy(w->p->columns, part, w->dz, w->z);
        w->s += part * ds;
        return -slope;
    }
    return -1;
}

static void shift(work *w, double by)
{
    for (int i = 0, j = 0; i < w->p->blocks; j += w->p->size[i++])
        w->z[j] += by;
    w->s += by;
}

/* Follow the path of least s for growing t until s is below `enough` (true) or cannot get there. */
static bool approach(work *w, double enough, int *steps)
{
    double degree = 0;
    for (int i = 0; i < w->p->blocks; i++)
        degree += w->p->size[i] == 1 ? 1 : 2;
    double outside = 0; /* of e in the range of K': none when e is a self-stress */
    for (int k = 0; k < w->p->rows; k++) {
        double along = 0;
        for (int i = 0, j = 0; i < w->p->blocks; j += w->p->size[i++])
            along += w->N[j + (size_t)k * w->p->columns];
        outside = fmax(outside, fabs(along));
    }
    if (outside <= CAROM_TOLERANCE_CARRIED) {
        w->s = 0;
        return true;
    }
    w->c = 0.001;
    for (double t = degree; t < 1e17;) {
        double ds, slope, fall;
        if (w->s < enough)
            return true;
        if (*steps >= 600 || !newton(w, t, &ds, &slope))
            return false;
        ++*steps;
        fall = move(w, t, ds, slope);
        if (fall >= 0 && fall > 0.25)
            continue;
        double load = 0; /* the least value of s is at most (degree + c load)/t below s */
        for (int i = 0, j = 0; i < w->p->blocks; j += w->p->size[i++])
            load += w->z[j];
        if (w->s - 2 * (degree + w->c * load) / t > enough)
            return false;
        t *= 10;
    }
    return w->s < enough;
}

/* The centre for the shift reached. */
static void centre(work *w, int *steps)
{
    for (int round = 0; round < 60; round++) {
        double ds, slope, fall;
        if (!newton(w, 0, &ds, &slope))
            return;
        ++*steps;
        fall = move(w, 0, 0, slope);
        if (fall < 0.0001)
            return;
    }
}

/* U^1/2 K' = Q T with T triangular: U K'(K U K')^-1 b = U^1/2 Q T^-T b. K U K' = T'T has the square
 * of the condition of K, which is that of a Gram matrix already. */
bool carom_cone_interior_factor(int rows, int columns, const double *K, const double *unit,
                                double *space)
{
    const size_t r = (size_t)rows, c = (size_t)columns;
    double *T = space, *tau = T + c * r;
    for (size_t k = 0; k < r; k++)
        for (size_t j = 0; j < c; j++)
            T[j + k * c] = sqrt(unit[j]) * K[k + j * r];
    carom_householder_factor(columns, rows, T, columns, tau);
    for (int k = 0; k < rows; k++) { /* a column of T is as long as it was */
        const double *t = T + (size_t)k * c;
        if (!(fabs(t[k]) > CAROM_TOLERANCE_REFINED * carom_dense_norm(k + 1, t)))
            return false;
    }
    return true;
}

void carom_cone_interior_change(int rows, int columns, const double *unit, const double *space,
                                double *x)
{
    const size_t r = (size_t)rows, c = (size_t)columns;
    const double *T = space, *tau = T + c * r;
    memset(x + r, 0, sizeof *x * (c - r));
    for (int k = 0; k < rows; k++) {
        const double *t = T + (size_t)k * c;
        x[k] = (x[k] - carom_dense_dot(k, t, x)) / t[k];
    }
    for (int k = rows - 1; k >= 0; k--)
        carom_householder_apply(columns - k, T + (size_t)k * (c + 1), tau[k], 1, x + k, columns);
    for (size_t j = 0; j < c; j++)
        x[j] *= sqrt(unit[j]);
}

/* The equal distribution, from zero; false when K has dependent rows. space: as for the factor, and
 * columns more. */
static bool equal(const carom_cone_interior *p, double *x, double *space)
{
    const int r = p->rows, c = p->columns;
    double *y = space + (size_t)r * (size_t)c + r;
    memset(x, 0, sizeof *x * (size_t)c);
    if (!carom_cone_interior_factor(r, c, p->K, p->unit, space))
        return false;
    for (int round = 0; round < 2; round++) { /* the second takes the rounding of T out */
        memcpy(y, p->b, sizeof *y * (size_t)r);
        carom_dense_gemv(r, c, -1, p->K, r, x, y);
        carom_cone_interior_change(r, c, p->unit, space, y);
        carom_dense_axpy(c, 1, y, x);
    }
    return true;
}

/* Units of the columns: 1 of axes, the load (relative to the mean) of friction. */
static void weigh(carom_cone_interior *p, const double *x)
{
    double sum = 0;
    int cones = 0;
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        p->unit[j] = 1;
        if (p->size[i] > 1 && x[j] > 0) {
            sum += p->mu[i] * x[j];
            cones++;
        }
    }
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        double load = sum > 0 ? p->mu[i] * fmax(x[j], 0) * cones / sum : 1;
        for (int k = 1; k < p->size[i]; k++)
            p->unit[j + k] = fmax(load, 1e-6);
    }
}

/* Do the equations hold? With sliding contacts K may be singular. */
static bool satisfies(const carom_cone_interior *p, const double *x, double *space)
{
    double off = 0, size = 0;
    memcpy(space, p->b, sizeof(double) * (size_t)p->rows);
    carom_dense_gemv(p->rows, p->columns, -1, p->K, p->rows, x, space);
    for (int k = 0; k < p->rows; k++) {
        double sum = fabs(p->b[k]);
        for (int j = 0; j < p->columns; j++)
            sum += fabs(p->K[k + (size_t)j * p->rows] * x[j]);
        off = fmax(off, fabs(space[k]));
        size = fmax(size, sum);
    }
    return off <= CAROM_TOLERANCE_HALF * size;
}

/* The distribution over equal supports; does it leave part of the cones free? */
static bool distribute(carom_cone_interior *p, double *x, double *space)
{
    const double free_part = 0.9;
    memset(x, 0, sizeof(double) * (size_t)p->columns);
    weigh(p, x);
    if (!equal(p, x, space))
        return false;
    weigh(p, x);
    const bool solved = equal(p, x, space);
    p->largest = carom_dense_max(p->columns, x);
    if (!solved || !satisfies(p, x, space)) {
        p->largest = 0; /* nothing to start from */
        return false;
    }
    const double tol = p->tolerance * p->largest;
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        double t = friction(p->size[i], x + j);
        if (x[j] < -tol || (p->size[i] > 1 && t > free_part * p->mu[i] * fmax(x[j], 0) + tol))
            return false;
    }
    return true;
}

bool carom_cone_interior_find(carom_cone_interior *problem, double *x, double *space)
{
    carom_cone_interior *p = problem;
    const int c = p->columns;
    work w;
    take(p, space, &w);
    p->steps = 0;
    bool found = distribute(p, x, w.N); /* with G and what is behind it */
    if (found || !(p->largest > 0))
        return found;
    kernel(&w);
    double most = 0; /* shift that brings x/largest into the cones */
    for (int j = 0; j < c; j++)
        w.z[j] = x[j] / p->largest;
    for (int i = 0, j = 0; i < p->blocks; j += p->size[i++]) {
        double t = friction(p->size[i], w.z + j);
        most = fmax(most, (t > 0 ? t / p->mu[i] : 0) - w.z[j]);
    }
    if (w.d == 0 || most <= 0) { /* nothing to choose; or inside, but not by a tenth */
        found = most <= p->tolerance;
    } else {
        shift(&w, most + 0.1);
        w.c = 0.001; /* a self-stress along the cones' faces would carry z away without end */
        found = approach(&w, p->tolerance, &p->steps);
    }
    if (found && w.d > 0) {
        shift(&w, p->tolerance - w.s);
        w.c = 1;
        centre(&w, &p->steps);
    }
    shift(&w, -w.s);
    for (int j = 0; j < c; j++)
        x[j] = w.z[j] * p->largest;
    for (int i = 0, j = 0; found && i < p->blocks; j += p->size[i++])
        x[j] = fmax(x[j], 0);
    if (found)
        weigh(p, x);
    return found;
}
