/* Newton's equations of the central path, in contact space and in body space. */
#include "solver/friction_central.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Bilateral rows have no cone that regularises them: a delta about the point does. */
#define BILATERAL 1e-12

double carom_friction_central_shift(int d, const double *s)
{
    return d == 3 ? sqrt(s[1] * s[1] + s[2] * s[2]) : d == 2 ? fabs(s[1]) : 0;
}

void carom_friction_central_direction(int d, const double *s, double *e)
{
    double norm = carom_friction_central_shift(d, s);
    for (int k = 1; k < d; k++)
        e[k] = norm > 0 ? s[k] / norm : 0;
}

carom_status carom_friction_central_make(const carom_friction_island *island,
                                         carom_friction_newton_matrix *matrix, carom_arena *arena,
                                         carom_friction_central *t, carom_error *error)
{
    *t = (carom_friction_central){.island = island, .matrix = matrix};
    const carom_friction_masses *m = &island->masses;
    size_t n = (size_t)island->n, c = (size_t)island->contacts;
    size_t dof = m->bodies > 0 ? (size_t)m->row[m->bodies] : 0;
    struct {
        double **array;
        size_t count;
    } rooms[] = {{&t->x, n},     {&t->s, n},   {&t->xi, n}, {&t->p, n},
                 {&t->g, n},     {&t->dx, n},  {&t->ds, n}, {&t->C, 9 * c},
                 {&t->B, 9 * c}, {&t->v, dof}, {&t->f, dof}};
    t->scaling = carom_arena_array(arena, c, sizeof *t->scaling);
    bool good = t->scaling != NULL;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && good; k++)
        good = (*rooms[k].array = carom_arena_zeros(arena, rooms[k].count, sizeof(double)));
    return good ? CAROM_OK : carom_error_memory(error);
}

void carom_friction_central_evaluate(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    carom_friction_island_velocity(o, t->x, t->xi);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        for (int k = 0; k < d; k++)
            t->p[row + k] = t->xi[row + k] - (o->free[i] ? 0 : t->s[row + k]);
        if (!o->free[i])
            t->p[row] += carom_friction_central_shift(d, t->s + row);
    }
}

/* y becomes E y = y - e_0 (e'y_T), or E^-1 y = y + e_0 (e'y_T) with sign 1. */
static void apply_E(int d, double sign, const double *s, double *y)
{
    double e[3];
    carom_friction_central_direction(d, s, e);
    for (int k = 1; k < d; k++)
        y[0] += sign * e[k] * y[k];
}

/* ---- contact space: (A + E P) dx = -p + E W_s g ---------------------------------------------- */

/* B = E P */
static void fill_contact(const carom_friction_central *t, int i)
{
    int d = carom_friction_island_rows(t->island, i);
    double *B = t->B + 9 * i;
    carom_friction_cone_square(d, &t->scaling[i], B);
    for (int j = 0; j < d; j++)
        apply_E(d, -1, t->s + t->island->row[i], B + j * d);
}

static void solve_contacts(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double y[3] = {0, 0, 0};
        if (!o->free[i]) {
            carom_friction_cone_apply(d, &t->scaling[i], t->g + row, y); /* W_s g */
            memcpy(t->ds + row, y, (size_t)d * sizeof *y);
            apply_E(d, -1, t->s + row, y);
        }
        for (int k = 0; k < d; k++)
            t->dx[row + k] = y[k] - t->p[row + k];
    }
    carom_friction_newton_matrix_solve(t->matrix, 1, t->dx);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double y[3], z[3];
        if (o->free[i])
            continue;
        carom_friction_cone_apply(d, &t->scaling[i], t->dx + row, y);
        carom_friction_cone_apply(d, &t->scaling[i], y, z); /* P dx */
        for (int k = 0; k < d; k++)
            t->ds[row + k] -= z[k];
    }
}

/* ---- body space: (M + H N H') v = H W_s^-1 (g - W_s^-1 E^-1 p), N = P^-1 E^-1 ---------------- */

/* C = N, from the inverse of the scaling in closed form (eta and w_T change to 1/eta and -w_T):
 * the eigenvalues of P lie far apart, and inverting it as a matrix would leave the largest only. */
static void fill_body(const carom_friction_central *t, int i)
{
    int d = carom_friction_island_rows(t->island, i);
    double *N = t->C + 9 * i, e[3];
    carom_friction_scaling inverse = t->scaling[i];
    inverse.eta = 1 / inverse.eta;
    for (int k = 1; k < d; k++)
        inverse.w[k] = -inverse.w[k];
    carom_friction_cone_square(d, &inverse, N);
    carom_friction_central_direction(d, t->s + t->island->row[i], e);
    for (int k = 1; k < d; k++)
        for (int l = 0; l < d; l++)
            N[l + k * d] += N[l] * e[k];
}

/* ds = E^-1 (p + H'v), dx = W_s^-1 (g - W_s^-1 ds): small where v is small, digit for digit. */
static void expand(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    const carom_friction_masses *m = &o->masses;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double *ds = t->ds + row, *dx = t->dx + row, y[3];
        memcpy(ds, t->p + row, (size_t)d * sizeof *ds);
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            carom_dense_gemv_t(dof, d, 1, m->H + m->at[k], dof, t->v + first, ds);
        }
        if (o->free[i]) {
            for (int k = 0; k < d; k++)
                dx[k] = -ds[k] / BILATERAL;
            continue;
        }
        apply_E(d, 1, t->s + row, ds);
        carom_friction_cone_unapply(d, &t->scaling[i], ds, y);
        for (int k = 0; k < d; k++)
            y[k] = t->g[row + k] - y[k];
        carom_friction_cone_unapply(d, &t->scaling[i], y, dx);
    }
}

/* f = H dx - M v, the impulses that do not fit the velocities. */
static void compare_impulses(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    const carom_friction_masses *m = &o->masses;
    memset(t->f, 0, (size_t)m->row[m->bodies] * sizeof *t->f);
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            carom_dense_gemv(dof, carom_friction_island_rows(o, i), 1, m->H + m->at[k], dof,
                             t->dx + o->row[i], t->f + first);
        }
    for (int j = 0; j < m->bodies; j++) {
        int first = m->row[j], dof = m->row[j + 1] - first;
        carom_dense_gemv(dof, dof, -1, m->M + m->mass[j], dof, t->v + first, t->f + first);
    }
}

static void solve_bodies(carom_friction_central *t)
{
    const carom_friction_masses *m = &t->island->masses;
    int dof = m->row[m->bodies];
    memset(t->v, 0, (size_t)dof * sizeof *t->v);
    expand(t);
    for (int k = 0; k < 2; k++) { /* and a step of refinement */
        compare_impulses(t);
        carom_block_lu_solve(&t->matrix->lu, t->f);
        carom_dense_axpy(dof, 1, t->f, t->v);
        expand(t);
    }
}

/* ---- both ----------------------------------------------------------------------------------- */

bool carom_friction_central_factor(carom_friction_central *t)
{
    const carom_friction_island *o = t->island;
    const bool bodies = o->masses.bodies > 0;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        memset(t->B + 9 * i, 0, 9 * sizeof *t->B);
        memset(t->C + 9 * i, 0, 9 * sizeof *t->C);
        for (int k = 0; k < d; k++) {
            t->B[9 * i + k + k * d] = bodies ? 1 : BILATERAL;
            t->C[9 * i + k + k * d] = 1 / BILATERAL;
        }
        if (o->free[i])
            continue;
        if (!carom_friction_cone_scale(d, t->x + row, t->s + row, &t->scaling[i]))
            return false;
        if (bodies)
            fill_body(t, i);
        else
            fill_contact(t, i);
    }
    return carom_friction_newton_matrix_factor(t->matrix, bodies ? t->C : NULL, t->B);
}

void carom_friction_central_solve(carom_friction_central *t)
{
    if (t->island->masses.bodies > 0)
        solve_bodies(t);
    else
        solve_contacts(t);
}
