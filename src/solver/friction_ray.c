/* The proof that an island has no solution.
 *
 * Without friction the reactions minimise x'Ax/2 + b'x over x_N >= 0, which has no minimum exactly
 * when there is a ray: y_N >= 0, A y = 0, b'y < 0. With delta |x|^2/2 added there is one minimum
 * x(delta), and delta x(delta) tends to zero if a solution exists, else to the ray: x(delta) =
 * y/delta + z + O(delta), so that the difference of two of them is the ray up to delta squared. */
#include "solver/friction_ray.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/friction_map.h"
#include "solver/friction_normals.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 100, HALVINGS = 12 };

#define BEFORE                                                                                     \
    10.0 /* the last delta in terms of this: a limit is approached no slower than delta */

/* y proves that reactions below REACH times |b| (in scaled units) are no solution. Rounding of A'y
 * does not allow more, and no mechanical problem has larger ones. */
#define REACH 1e6

/* The last delta. A ray of strength c = -b'y has A'y of the order delta squared over c, and c below
 * REACH times rounding is none: delta = c over the root of REACH makes the weakest ray a proof. */
#define LEAST (1e3 * DBL_EPSILON)

/* z = A'y. Islands with bodies are symmetric where their masses are. */
static bool transposed_product(const carom_friction_island *o, carom_arena *arena, const double *y,
                               double *z)
{
    const carom_friction_masses *m = &o->masses;
    memset(z, 0, (size_t)o->n * sizeof *z);
    if (m->bodies == 0) {
        for (int i = 0; i < o->contacts; i++)
            for (int k = o->A.start[i]; k < o->A.start[i + 1]; k++) {
                int j = o->A.column[k], d = carom_friction_island_rows(o, i);
                carom_dense_gemv_t(d, carom_friction_island_rows(o, j), 1, o->A.value + o->A.at[k],
                                   d, y + o->row[i], z + o->row[j]);
            }
        return true;
    }
    size_t dofs = (size_t)m->row[m->bodies]; /* A' = V'H */
    double *v = carom_arena_zeros(arena, dofs, sizeof *v);
    for (int pass = 0; v && pass < 2; pass++)
        for (int i = 0; i < o->contacts; i++)
            for (int k = m->start[i]; k < m->start[i + 1]; k++) {
                int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
                int d = carom_friction_island_rows(o, i);
                if (pass == 0)
                    carom_dense_gemv(dof, d, 1, m->H + m->at[k], dof, y + o->row[i], v + first);
                else
                    carom_dense_gemv_t(dof, d, 1, m->V + m->at[k], dof, v + first, z + o->row[i]);
            }
    return v != NULL;
}

/* p = H y and v = V y = M^-1 p, body by body; what they are sums of for impulses of size 1. */
typedef struct momenta {
    double *p, *v, *terms;
} momenta;

static bool momenta_open(const carom_friction_island *o, carom_arena *arena, momenta *of)
{
    const carom_friction_masses *m = &o->masses;
    const size_t dofs = (size_t)m->row[m->bodies];
    of->p = carom_arena_zeros(arena, dofs, sizeof(double));
    of->v = carom_arena_zeros(arena, dofs, sizeof(double));
    of->terms = carom_arena_zeros(arena, (size_t)m->bodies, sizeof(double));
    if (!of->p || !of->v || !of->terms)
        return false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int dof = m->row[m->body[k] + 1] - m->row[m->body[k]];
            for (int c = 0; c < carom_friction_island_rows(o, i); c++)
                of->terms[m->body[k]] += sqrt(
                    carom_dense_dot(dof, m->H + m->at[k] + c * dof, m->V + m->at[k] + c * dof));
        }
    return true;
}

static void momenta_of(const carom_friction_island *o, const double *y, momenta *of)
{
    const carom_friction_masses *m = &o->masses;
    memset(of->p, 0, (size_t)m->row[m->bodies] * sizeof(double));
    memset(of->v, 0, (size_t)m->row[m->bodies] * sizeof(double));
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            const int d = carom_friction_island_rows(o, i);
            carom_dense_gemv(dof, d, 1, m->H + m->at[k], dof, y + o->row[i], of->p + first);
            carom_dense_gemv(dof, d, 1, m->V + m->at[k], dof, y + o->row[i], of->v + first);
        }
}

/* Do the impulses leave every body at rest, H y = 0 but for rounding? Each is asked by itself, in
 * its own kinetic norm: A'y = V'H y is small for a heavy body also where y lifts it. */
static bool momenta_vanish(const carom_friction_island *o, const momenta *of)
{
    const carom_friction_masses *m = &o->masses;
    for (int j = 0; j < m->bodies; j++) {
        const int at = m->row[j];
        const double zero = CAROM_TOLERANCE_REFINED * of->terms[j];
        if (carom_dense_dot(m->row[j + 1] - at, of->p + at, of->v + at) > zero * zero)
            return false;
    }
    return true;
}

/* Sum of the bodies' energies p'M^-1 p, each in terms of its own size. */
static double momenta_size(const carom_friction_island *o, const momenta *of)
{
    const carom_friction_masses *m = &o->masses;
    double sum = 0;
    for (int j = 0; j < m->bodies; j++) {
        const int at = m->row[j];
        if (of->terms[j] > 0)
            sum += carom_dense_dot(m->row[j + 1] - at, of->p + at, of->v + at) /
                   (of->terms[j] * of->terms[j]);
    }
    return sum;
}

/* s: the slope of half that sum along each impulse that acts (y_k != 0), |s|^2. */
static double momenta_slope(const carom_friction_island *o, const momenta *of, const double *y,
                            double *s)
{
    const carom_friction_masses *m = &o->masses;
    memset(s, 0, (size_t)o->n * sizeof *s);
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int j = m->body[k], first = m->row[j], dof = m->row[j + 1] - first;
            if (of->terms[j] > 0)
                carom_dense_gemv_t(dof, carom_friction_island_rows(o, i),
                                   1 / (of->terms[j] * of->terms[j]), m->V + m->at[k], dof,
                                   of->p + first, s + o->row[i]);
        }
    for (int k = 0; k < o->n; k++)
        s[k] = y[k] != 0 ? s[k] : 0;
    return carom_dense_dot(o->n, s, s);
}

/* The search leaves y in the kernel of H to half of its digits. The nearest point of the kernel, by
 * conjugate gradients over the impulses that act, has them all; or y was not near one: then
 * bodies keep moving, or y falls away. Impulses that would pull have no place in it. */
static bool rest_bodies(const carom_friction_island *o, carom_arena *arena, double *y)
{
    momenta of, step;
    double *s = carom_arena_doubles(arena, (size_t)o->n),
           *d = carom_arena_doubles(arena, (size_t)o->n);
    if (!s || !d || !momenta_open(o, arena, &of) || !momenta_open(o, arena, &step))
        return false;
    const int most = 2 * (o->n + o->masses.row[o->masses.bodies]);
    momenta_of(o, y, &of);
    double slope = momenta_slope(o, &of, y, s);
    carom_dense_copy(o->n, s, d);
    for (int k = 0; k < most && slope > 0 && !momenta_vanish(o, &of); k++) {
        momenta_of(o, d, &step);
        const double along = slope / momenta_size(o, &step);
        if (!isfinite(along))
            break;
        carom_dense_axpy(o->n, -along, d, y);
        momenta_of(o, y, &of);
        const double next = momenta_slope(o, &of, y, s);
        for (int i = 0; i < o->n; i++)
            d[i] = s[i] + next / slope * d[i];
        slope = next;
    }
    for (int i = 0; i < o->contacts; i++)
        if (!o->free[i] && y[o->row[i]] < 0)
            return false;
    return carom_dense_max(o->n, y) >= 0.5 && momenta_vanish(o, &of); /* of 1, to half its digits */
}

/* The same where only A is known: is every row of z = A'y what rounding leaves? A's symmetric part
 * is semidefinite, so that |a_kj| <= sqrt(a_kk a_jj) is the size of the terms that a_kj is a sum
 * of. An entry that is larger belongs to no body, and one that was lost beside larger ones (a heavy
 * body on a light one) is still there. */
static bool rests(const carom_friction_island *o, const double *y, const double *z)
{
    double terms = 0;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            terms += fabs(y[o->row[i] + k]) * sqrt(carom_friction_island_diagonal(o, i, k));
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            if (fabs(z[o->row[i] + k]) >
                CAROM_TOLERANCE_REFINED * sqrt(carom_friction_island_diagonal(o, i, k)) * terms)
                return false;
    return true;
}

bool carom_friction_ray_proves(const carom_friction_island *island, carom_arena *arena, double *y,
                               double *product)
{
    carom_mark mark = carom_arena_mark(arena);
    double *z = carom_arena_doubles(arena, (size_t)island->n), size = 0, terms = 0, sum = 0;
    bool proved = false;
    for (int i = 0; i < island->contacts; i++)
        for (int k = island->row[i]; k < island->row[i + 1] && !island->free[i]; k++)
            y[k] = k == island->row[i] && y[k] > 0 ? y[k] : 0;
    double top = carom_dense_max(island->n, y);
    if (z && top > 0 && isfinite(top)) {
        carom_dense_scale(island->n, 1 / top, y);
        for (int k = 0; k < island->n; k++) /* y is known as a whole, not entry by entry */
            y[k] = fabs(y[k]) > CAROM_TOLERANCE_SOLVED ? y[k] : 0;
        const bool bodies = island->masses.bodies > 0,
                   rest = !bodies || rest_bodies(island, arena, y);
        for (int k = 0; k < island->n; k++) {
            sum += island->b[k] * y[k];
            terms += fabs(island->b[k] * y[k]);
        }
        if (rest && transposed_product(island, arena, y, z)) {
            size = carom_dense_norm(island->n, z);
            proved = sum < -REACH * DBL_EPSILON * terms &&
                     -sum >= REACH * size * carom_dense_max(island->n, island->b) &&
                     (bodies || rests(island, y, z));
        }
        *product = sum;
    }
    carom_arena_rewind(arena, mark);
    return proved;
}

/* ---- search ------------------------------------------------------------------------------- */

typedef struct state {
    carom_friction_island o;
    carom_friction_newton_matrix matrix;
    double *x, *xi, *F, *y, *G, *C, *B;
    double *last; /* x of the delta before */
} state;

static carom_status prepare(const carom_friction_island *island, carom_arena *arena, state *t,
                            const int **rows, carom_error *error)
{
    carom_status status = carom_friction_normals_make(island, arena, &t->o, rows, error);
    if (status == CAROM_OK)
        status = carom_friction_newton_matrix_plan(&t->o, arena, &t->matrix, error);
    if (status != CAROM_OK)
        return status;
    size_t n = (size_t)t->o.n, c = (size_t)t->o.contacts;
    double **arrays[] = {&t->x, &t->xi, &t->F, &t->y, &t->G, &t->last};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_zeros(arena, n, sizeof(double))))
            return carom_error_memory(error);
    t->C = carom_arena_doubles(arena, 9 * c);
    t->B = carom_arena_doubles(arena, 9 * c);
    return t->C && t->B ? CAROM_OK : carom_error_memory(error);
}

static double evaluate(state *t, double delta, const double *x, double *F)
{
    carom_friction_island_velocity(&t->o, x, t->xi);
    for (int k = 0; k < t->o.n; k++)
        t->xi[k] += delta * x[k];
    return carom_friction_map_evaluate(&t->o, x, t->xi, F, t->C, t->B);
}

/* What rounding leaves of the equations at x. */
static double rounding(const state *t)
{
    return CAROM_TOLERANCE_SUM *
           (carom_dense_norm(t->o.n, t->o.b) + carom_dense_norm(t->o.n, t->x));
}

/* Factor at x with the sets that C tells, and turn F into the step. False: singular. */
static bool newton_step(carom_friction_run *run, state *t, double delta)
{
    for (int k = 0; k < 9 * t->o.contacts; k++)
        t->B[k] += delta * t->C[k];
    run->factorisations++;
    if (!carom_friction_newton_matrix_factor(&t->matrix, t->C, t->B))
        return false;
    carom_friction_newton_matrix_solve(&t->matrix, 1, t->F);
    return true;
}

/* y = x - length F; inside: put to x_N >= 0. Returns |G|, and leaves xi with y. */
static double try_length(state *t, double delta, double length, bool inside)
{
    for (int k = 0; k < t->o.n; k++)
        t->y[k] = t->x[k] - length * t->F[k];
    for (int i = 0; inside && i < t->o.contacts; i++)
        if (!t->o.free[i])
            t->y[t->o.row[i]] = fmax(t->y[t->o.row[i]], 0);
    return evaluate(t, delta, t->y, t->G);
}

/* x'(A + delta)x/2 + b'x, with xi of that x. */
static double objective(const state *t, const double *x)
{
    return (carom_dense_dot(t->o.n, x, t->xi) + carom_dense_dot(t->o.n, x, t->o.b)) / 2;
}

/* From x >= 0: only rows that are zero and want to stay so are left out of the step, which then
 * descends in the objective along its projection, whatever the sets are (Bertsekas, Projected
 * Newton methods, 1982). False: not even that, to rounding. */
static bool descend(carom_friction_run *run, state *t, double delta)
{
    for (int i = 0; i < t->o.contacts; i++)
        if (!t->o.free[i])
            t->x[t->o.row[i]] = fmax(t->x[t->o.row[i]], 0);
    const double f = evaluate(t, delta, t->x, t->F), before = objective(t, t->x);
    for (int i = 0; i < t->o.contacts; i++) {
        const int row = t->o.row[i];
        if (t->o.free[i])
            continue; /* its equations are xi = 0 already */
        bool in = t->x[row] > 0 || t->xi[row] < 0;
        t->C[9 * i] = in;
        t->B[9 * i] = !in;
        t->F[row] = in ? t->xi[row] : 0;
    }
    if (!newton_step(run, t, delta))
        return false;
    double length = 1, slope = carom_dense_dot(t->o.n, t->xi, t->F), terms = 0;
    for (int k = 0; k < t->o.n; k++)
        terms += fabs(t->x[k]) * (fabs(t->xi[k]) + fabs(t->o.b[k]));
    if (slope <=
        CAROM_TOLERANCE_SUM * terms) /* the objective is at its end: the last digits of x */
        return try_length(t, delta, 1, true) < f;
    for (int h = 0; h < HALVINGS; h++, length /= 2) {
        try_length(t, delta, length, true);
        if (objective(t, t->y) < before)
            return true;
    }
    return false;
}

/* x(delta) from x, to the last digit: a weak ray is a small difference. Newton steps that lower |F|
 * come first, and where they end the objective is lowered instead, down to rounding: it is strictly
 * convex, so that nothing else stops it. */
static void minimise(carom_friction_run *run, state *t, double delta)
{
    const size_t room = (size_t)t->o.n * sizeof *t->x;
    bool inside = false;
    double f = evaluate(t, delta, t->x, t->F);
    for (int k = 0; k < STEPS && f > rounding(t); k++) {
        double length = 1, g = f;
        if (inside ? !descend(run, t, delta) : !newton_step(run, t, delta))
            return;
        for (int h = 0; !inside && h < HALVINGS; h++, length /= 2) {
            g = try_length(t, delta, length, false);
            if (g < f)
                break;
        }
        if (!inside && !(g < f)) {
            inside = true;
            continue;
        }
        memcpy(t->x, t->y, room);
        f = evaluate(t, delta, t->x, t->F);
    }
}

carom_status carom_friction_ray_find(carom_friction_run *run, double *y, bool *found,
                                     double *product, carom_error *error)
{
    state t;
    const int *rows;
    *found = false;
    carom_mark mark = carom_arena_mark(run->arena);
    carom_status status = prepare(run->island, run->arena, &t, &rows, error);
    for (double delta = 1; status == CAROM_OK && delta >= LEAST && !*found; delta /= BEFORE) {
        minimise(run, &t, delta);
        double size = carom_dense_norm(t.o.n, t.x), change = 0;
        memset(y, 0, (size_t)run->island->n * sizeof *y);
        for (int k = 0; k < t.o.n; k++) { /* in the units of the island with friction */
            double d = t.x[k] - t.last[k];
            y[rows[k]] = d * t.o.scale[k] / run->island->scale[rows[k]];
            change = hypot(change, d);
        }
        memcpy(t.last, t.x, (size_t)t.o.n * sizeof *t.x);
        *found = carom_friction_ray_proves(run->island, run->arena, y, product);
        /* a limit: a solution without friction, and no ray that could be told from rounding */
        if (change <= BEFORE * delta * size && BEFORE * delta * delta <= REACH * DBL_EPSILON)
            break;
    }
    carom_arena_rewind(run->arena, mark);
    return status;
}
