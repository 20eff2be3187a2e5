/* Which trees of bodies are at rest: their velocities are zero, exactly (docs/theory/bodies.md,
 * "Rest"). */
#include "flow/bodies_step.h"

#include <math.h>

/* (x - y)'M(x - y) of a tree; y NULL: zero. */
static double kinetic(const carom_bodies_stepping *s, int t, const double *x, const double *y)
{
    const int k = s->dof[t], *u = s->b->forest.tree_u + s->b->forest.tree_start[t];
    const double *M = s->M + s->M_start[t];
    double sum = 0;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            sum += (x[u[i]] - (y ? y[u[i]] : 0)) * M[i + k * j] * (x[u[j]] - (y ? y[u[j]] : 0));
    return sum;
}

/* The contact problem is solved to a tolerance: its velocities are known to this many times that
 * part of what forces and impulses would give in a step one by one. */
static const double known = 1000;

/* What the impulse of a row alone would give its tree, in the kinetic norm. */
static double impulse_of(const carom_bodies_stepping *s, const carom_bodies_row *r, int side)
{
    const int k = s->dof[r->tree[side]];
    double *x = s->mean; /* the way of the step is found after this */
    for (int i = 0; i < k; i++) {
        x[i] = 0;
        for (int j = 0; j < r->rows; j++)
            x[i] += r->row[side][j * k + i] * s->P[r->at + j];
    }
    return sqrt(carom_bodies_step_yield(s, r->tree[side], x));
}

/* How many times what their forces give them the impulses on the trees of an island are: the lowest
 * box of a stack is known to no more digits of its weight than the stack is heavier, and what it
 * is off by carries all others along. */
static void find_loads(carom_bodies_stepping *s)
{
    for (int t = 0; t < s->trees; t++)
        s->load[t] = s->island_load[t] = s->island_sum[t] = 0;
    for (int k = 0; k < s->row_count; k++)
        for (int side = 0; side < 2; side++)
            if (s->row[k].tree[side] >= 0 && s->P[s->row[k].at] != 0)
                s->load[s->row[k].tree[side]] += impulse_of(s, &s->row[k], side);
    for (int t = 0; t < s->trees; t++) {
        const double push = sqrt(kinetic(s, t, s->free, s->v));
        s->island_sum[s->island[t]] += s->load[t];
        if (push > 0)
            s->island_load[s->island[t]] = fmax(s->island_load[s->island[t]], s->load[t] / push);
    }
}

/* The size, in the kinetic norm, below which the velocity of a tree is not known: by what its
 * forces give it, times the load of its island; but no impulse carries it along by more than all of
 * the island's together. (Forces that are all but none give some tree any load: without that a body
 * that was hit in empty space stood still.) */
static double unknown_of(const carom_bodies_stepping *s, int t)
{
    const double push = sqrt(kinetic(s, t, s->free, s->v)),
                 part = known * carom_bodies_step_tolerance(s);
    if (s->row_count == 0)
        return part * push;
    const int i = s->island[t];
    return part * fmax(push, fmin(push * s->island_load[i], s->island_sum[i]));
}

/* Speeds that are below that before and after the step are none: what is at rest stays exactly
 * where it is. */
void carom_bodies_step_rest(carom_bodies_stepping *s)
{
    const carom_forest *f = &s->b->forest;
    if (s->row_count > 0)
        find_loads(s);
    for (int t = 0; t < s->trees; t++) {
        const int *u = f->tree_u + f->tree_start[t];
        if (!s->awake[s->island[t]] && s->still[t]) {
            for (int i = 0; i < s->dof[t]; i++)
                s->next[u[i]] = 0;
            continue;
        }
        const double before = kinetic(s, t, s->v, NULL), after = kinetic(s, t, s->next, NULL),
                     least = unknown_of(s, t);
        bool rests = fmax(before, after) <= least * least;
        for (int i = 0; i < s->dof[t] && rests; i++)
            s->next[u[i]] = 0;
        s->still[t] = rests;
    }
}
