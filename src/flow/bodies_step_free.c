/* The motion of bodies between contacts: forces at the middle of the step, masses by tree,
 * positions.
 *
 * M(q_m)(v_f - v) = h F(t + h/2, q_m, v_m) with v_m = (v + v_f)/2 and q_m half a step of v_m away
 * is the implicit midpoint rule. Newton's method finds it with the matrix M + D, D what springs,
 * dampers and motors give way (a diagonal): stiff joints do not ask for small steps. */
#include "flow/bodies_step.h"

#include "bodies/joint_forces.h"
#include "carom/tolerance.h"
#include "linalg/cholesky.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* e times the rotation of Cayley: (1, h w / 2), made a unit. With it the midpoint rule keeps the
 * angular momentum of a free body in space, and its energy, whatever the step. */
static void turn(const double *e, const double *w, double h, double *to)
{
    const double x = w[0] * h / 2, y = w[1] * h / 2, z = w[2] * h / 2, a = e[0], b = e[1], c = e[2],
                 d = e[3];
    to[0] = a - b * x - c * y - d * z;
    to[1] = a * x + b + c * z - d * y;
    to[2] = a * y - b * z + c + d * x;
    to[3] = a * z + b * y - c * x + d;
    double size = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
    for (int k = 0; k < 4; k++)
        to[k] /= size;
}

void carom_bodies_step_move(const carom_bodies_stepping *s, const double *v, double h,
                            const double *q, double *to)
{
    const carom_forest *f = &s->b->forest;
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int turns = carom_forest_quaternion(l);
        int straight = turns < 0 ? carom_forest_velocities(l) : turns;
        for (int k = 0; k < straight; k++)
            to[l->q + k] = q[l->q + k] + h * v[l->u + k];
        if (turns >= 0 &&
            (v[l->u + turns] != 0 || v[l->u + turns + 1] != 0 || v[l->u + turns + 2] != 0))
            turn(q + l->q + turns, v + l->u + turns, h, to + l->q + turns);
        else if (turns >= 0)
            memmove(to + l->q + turns, q + l->q + turns, 4 * sizeof *to);
    }
}

/* Masses at the places of the links, and factors of M + D. 0, or a tree whose mass is not definite.
 */
static int factor_masses(carom_bodies_stepping *s)
{
    for (int t = 0; t < s->trees; t++) {
        const int k = s->dof[t];
        double *M = s->M + s->M_start[t], *L = s->L + s->M_start[t];
        carom_forest_mass(&s->b->forest, t, &s->b->work, M);
        memcpy(L, M, (size_t)(k * k) * sizeof *L);
        for (int i = 0; i < k; i++)
            L[i + k * i] += s->give[s->b->forest.tree_u[s->b->forest.tree_start[t] + i]];
        if (carom_cholesky_factor(k, L, k) != 0)
            return t + 1;
    }
    return 0;
}

/* free += (M + D)^-1 (h F - M (free - v)); h M^-1 F beyond v where nothing gives way. */
static void push(carom_bodies_stepping *s)
{
    const carom_forest *f = &s->b->forest;
    double x[256], *local = x;
    for (int t = 0; t < s->trees; t++) {
        const int k = s->dof[t], *u = f->tree_u + f->tree_start[t];
        const double *M = s->M + s->M_start[t];
        bool gives = false;
        local = k <= 256 ? x : s->rate;
        for (int i = 0; i < k; i++) {
            local[i] = s->h * s->force[u[i]];
            gives = gives || s->give[u[i]] > 0;
        }
        for (int j = 0; j < k && gives; j++)
            for (int i = 0; i < k; i++)
                local[i] -= M[i + k * j] * (s->free[u[j]] - s->v[u[j]]);
        carom_cholesky_solve(k, s->L + s->M_start[t], k, local);
        for (int i = 0; i < k; i++)
            s->free[u[i]] = (gives ? s->free[u[i]] : s->v[u[i]]) + local[i];
    }
}

double carom_bodies_step_yield(const carom_bodies_stepping *s, int tree, const double *x)
{
    const int k = s->dof[tree];
    double small[64], *y = k <= 64 ? small : s->rate, sum = 0;
    memcpy(y, x, (size_t)k * sizeof *y);
    carom_cholesky_solve(k, s->L + s->M_start[tree], k, y);
    for (int i = 0; i < k; i++)
        sum += x[i] * y[i];
    return sum;
}

static carom_status forces_at(carom_bodies_stepping *s, double t, const double *q, const double *u,
                              carom_error *error)
{
    carom_status status = carom_bodies_move(s->b, t, q, u, error);
    if (status != CAROM_OK)
        return status;
    memset(s->force, 0, (size_t)s->n * sizeof *s->force);
    carom_forest_forces(&s->b->forest, &s->b->work, s->force);
    memset(s->applied, 0, (size_t)s->n * sizeof *s->applied);
    carom_joint_forces(s->b, t, q, u, s->force, s->applied);
    for (int i = 0; i < s->n; i++)
        if (!isfinite(s->force[i]))
            return carom_error_set(error, CAROM_ERROR_NUMERIC,
                                   "the force on %s is not a finite number at t = %.12g",
                                   s->record->shape->velocities[i], t);
    return CAROM_OK;
}

/* What forces that velocities make, and that do no work (gyroscopic ones), add to the velocities in
 * the step: h M^-1 (F(u) - F(0)) at the middle. */
static void find_swing(carom_bodies_stepping *s)
{
    const carom_forest *f = &s->b->forest;
    double *still = s->rate;
    memset(s->swing, 0, (size_t)s->n * sizeof *s->swing);
    carom_forest_forces(f, &s->b->work, s->swing);
    carom_forest_velocity(f, s->b->zeros, &s->b->work);
    memset(still, 0, (size_t)s->n * sizeof *still);
    carom_forest_forces(f, &s->b->work, still);
    for (int t = 0; t < s->trees; t++) {
        const int k = s->dof[t], *u = f->tree_u + f->tree_start[t];
        for (int i = 0; i < k; i++)
            s->v_tree[i] = s->h * (s->swing[u[i]] - still[u[i]]);
        carom_cholesky_solve(k, s->L + s->M_start[t], k, s->v_tree);
        for (int i = 0; i < k; i++)
            s->swing[u[i]] = s->v_tree[i];
    }
}

void carom_bodies_step_free_middle(carom_bodies_stepping *s)
{
    for (int i = 0; i < s->n; i++)
        s->mean[i] = (s->v[i] + s->free[i] + s->lasting[i]) / 2;
    carom_bodies_step_move(s, s->mean, s->h / 2, s->q, s->middle);
}

carom_status carom_bodies_step_free(carom_bodies_stepping *s, carom_error *error)
{
    enum { ROUNDS = 50 };
    double moved = INFINITY, last = INFINITY, size = 0;
    if (s->constant && s->prepared) {
        push(s);
        return CAROM_OK;
    }
    memcpy(s->free, s->v, (size_t)s->n * sizeof *s->free);
    for (int round = 0; round < ROUNDS; round++) {
        carom_bodies_step_free_middle(s);
        carom_status status = forces_at(s, s->t + s->h / 2, s->middle, s->mean, error);
        if (status != CAROM_OK)
            return status;
        if (round == 0)
            carom_joint_give(s->b, s->t + s->h / 2, s->h, s->middle, s->mean, s->give);
        int bad = factor_masses(s);
        if (bad)
            return carom_error_set(error, CAROM_ERROR_NUMERIC,
                                   "the mass matrix is not positive definite at t = %.12g", s->t);
        memcpy(s->next, s->free, (size_t)s->n * sizeof *s->next);
        push(s);
        s->prepared = true;
        if (s->constant)
            return CAROM_OK;
        moved = size = 0;
        for (int i = 0; i < s->n; i++) {
            moved = fmax(moved, fabs(s->free[i] - s->next[i]));
            size = fmax(size, fmax(fabs(s->free[i]), fabs(s->v[i])));
        }
        /* Either nothing changes any more, or only rounding does. */
        if (moved <= 8 * DBL_EPSILON * size ||
            (moved <= CAROM_TOLERANCE_CARRIED * size && moved >= 0.1 * last)) {
            find_swing(s);
            return CAROM_OK;
        }
        last = moved;
    }
    return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                             "the forces in the middle of the step do not settle (last "
                             "change %.3g); take a smaller step",
                             moved);
}
