/* Block Gauss-Seidel: each contact solved exactly in its turn, the others as they are. Where that
 * is not soon enough the sweeps go there and back, and what they move is extrapolated by Nesterov's
 * rule, which starts again whenever the residual rises (docs/theory/friction-problem.md). */
#include "solver/friction_run.h"

#include "linalg/dense.h"
#include "solver/friction_natural.h"
#include "solver/friction_one.h"

#include <math.h>

enum { LIMIT = 1000, PLAIN = 25 /* sweeps before they are accelerated */ };

/* One sweep over all contacts, back: from the last to the first. The rows of A. */
static void sweep_blocks(const carom_friction_island *o, carom_friction_one *one, bool back,
                         double *x)
{
    for (int k = 0; k < o->contacts; k++) {
        const int i = back ? o->contacts - 1 - k : k;
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double rho[3];
        for (int q = 0; q < d; q++) {
            rho[q] = o->b[row + q];
            x[row + q] = 0; /* leaves its own block out of the product */
        }
        carom_block_matrix_row(&o->A, i, x, rho);
        carom_friction_one_solve(&one[i], rho, x + row);
    }
}

/* The same by bodies, whose velocities v = V x are kept up to date. */
static void sweep_bodies(const carom_friction_island *o, carom_friction_one *one, bool back,
                         double *x, double *v)
{
    const carom_friction_masses *m = &o->masses;
    for (int c = 0; c < o->contacts; c++) {
        const int i = back ? o->contacts - 1 - c : c;
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double rho[3] = {0, 0, 0}, move[3];
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            carom_dense_gemv_t(dof, d, 1, m->H + m->at[k], dof, v + first, rho);
        }
        for (int q = 0; q < d; q++) {
            rho[q] += o->b[row + q];
            move[q] = x[row + q];
        }
        carom_dense_gemv(d, d, -1, o->own + 9 * i, d, move, rho);
        carom_friction_one_solve(&one[i], rho, x + row);
        for (int q = 0; q < d; q++)
            move[q] = x[row + q] - move[q];
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            carom_dense_gemv(dof, d, 1, m->V + m->at[k], dof, move, v + first);
        }
    }
}

/* One sweep, by what the island has. */
static void sweep(const carom_friction_island *o, carom_friction_one *one, bool back, double *x)
{
    if (o->masses.bodies > 0)
        sweep_bodies(o, one, back, x, o->masses.v);
    else
        sweep_blocks(o, one, back, x);
}

/* Where x has gone since last time, extrapolated: x += beta (x - last), put into the cones; last
 * becomes x. */
static void extrapolate(const carom_friction_island *o, double beta, double *x, double *last)
{
    for (int k = 0; k < o->n; k++) {
        const double here = x[k];
        x[k] = beta > 0 ? here + beta * (here - last[k]) : here;
        last[k] = here;
    }
    for (int i = 0; i < o->contacts && beta > 0; i++)
        if (!o->free[i])
            carom_friction_clip(carom_friction_island_rows(o, i), 1, x + o->row[i]);
}

/* Nesterov's beta, from the theta before to the next. */
static double inertia(double *theta)
{
    const double next = (1 + sqrt(1 + 4 * *theta * *theta)) / 2, beta = (*theta - 1) / next;
    *theta = next;
    return beta;
}

carom_status carom_friction_sweeps(carom_friction_run *run, carom_error *error)
{
    const carom_friction_island *o = run->island;
    int n = o->n, limit = run->limit > 0 ? run->limit : LIMIT;
    carom_mark mark = carom_arena_mark(run->arena);
    carom_friction_one *one = carom_arena_array(run->arena, (size_t)o->contacts, sizeof *one);
    double *y = carom_arena_doubles(run->arena, (size_t)n);
    double *eta = carom_arena_doubles(run->arena, (size_t)n);
    double *last = carom_arena_doubles(run->arena, (size_t)n), theta = 1;
    if (!one || !y || !eta || !last)
        return carom_error_memory(error);
    for (int i = 0; i < o->contacts; i++)
        carom_friction_one_make(&one[i], carom_friction_island_rows(o, i), o->free[i],
                                o->own + 9 * i);
    carom_dense_copy(n, run->x, y);
    carom_friction_island_velocity(o, y, eta); /* leaves v = V y with the bodies */
    for (int k = 0; k < limit && run->residual > run->tolerance; k++) {
        const bool fast = k >= PLAIN && k + 1 < limit;
        const double before = run->offered;
        sweep(o, one, false, y);
        if (fast) {
            sweep(o, one, true, y);
            run->iterations++;
            k++;
        }
        carom_friction_island_velocity(o, y, eta);
        carom_friction_run_offer(run, y, eta);
        if (!carom_friction_run_goes_on(run))
            break;
        if (!fast || !(run->offered <= before))
            theta = 1; /* begins, or begins again: beta is zero */
        const double beta = inertia(&theta);
        extrapolate(o, beta, y, last);
        if (beta > 0)
            carom_friction_island_velocity(o, y, eta); /* leaves v = V y with the bodies */
    }
    carom_arena_rewind(run->arena, mark);
    return CAROM_OK;
}
