/* Rows of limits, ropes and loops in the middle of a step, along which their forces act while they
 * last (docs/theory/bodies.md, "What lasts").
 *
 * Their rows turn as the bodies move. W of the middle and the half turn (W_m - W)'v that is asked
 * for at the end make the mean of the velocities obey what holds: the force does no work. */
#include "flow/bodies_step.h"

#include "bodies/stops.h"

#include <math.h>
#include <string.h>

/* The trees of a limit, a rope or, behind those, a loop; and how many rows it has. */
static int trees_of(const carom_bodies_stepping *s, int i, int tree[2])
{
    if (i < s->stops) {
        carom_stop_trees(s->b, i, tree);
        return 1;
    }
    const carom_loop *loop = &s->b->loop[i - s->stops];
    const int link[2] = {loop->a, loop->b};
    carom_forest_trees(&s->b->forest, link, tree);
    return carom_loop_rows(loop);
}

bool carom_bodies_step_middle_create(carom_bodies_stepping *s)
{
    const int count = s->stops + s->b->loop_count;
    const size_t n = (size_t)s->n, rows = (size_t)s->stops + (size_t)s->b->loop_rows;
    s->held_start = carom_arena_zeros(s->work, (size_t)count + 1, sizeof *s->held_start);
    if (!s->held_start)
        return false;
    for (int i = 0; i < count; i++) {
        int tree[2], own = trees_of(s, i, tree), dof = 0;
        for (int side = 0; side < 2; side++)
            dof += tree[side] < 0 ? 0 : s->dof[tree[side]];
        s->held_start[i + 1] = s->held_start[i] + (size_t)(own * dof);
    }
    s->held = carom_arena_zeros(s->work, s->held_start[count], sizeof *s->held);
    s->held_motion = carom_arena_zeros(s->work, rows, sizeof *s->held_motion);
    s->held_turn = carom_arena_zeros(s->work, rows, sizeof *s->held_turn);
    s->held_room = carom_arena_zeros(s->work, rows ? CAROM_LOOP_ROWS * n : 0, sizeof(double));
    return s->held && s->held_motion && s->held_turn && s->held_room;
}

/* Rows of all, n numbers each, in held_room, and their rates at velocity zero. */
static int rows_here(const carom_bodies_stepping *s, int i, double *still)
{
    double bias[CAROM_LOOP_ROWS];
    if (i < s->stops) {
        carom_stop_row(s->b, i, s->held_room);
        *still = s->b->drives ? carom_stop_motion(s->b, i) : 0;
        return 1;
    }
    const carom_loop *loop = &s->b->loop[i - s->stops];
    const int rows = carom_loop_rows(loop);
    carom_loop_gradients(&s->b->forest, &s->b->work, loop, s->held_room);
    memset(still, 0, (size_t)rows * sizeof *still);
    if (s->b->drives)
        carom_loop_rates(&s->b->forest, &s->b->work, loop, still, bias);
    return rows;
}

/* The rates of all rows where the links are, at v, added to turn with a sign; `keep`: the rows are
 * those that the forces act along. */
static void look(carom_bodies_stepping *s, double sign, bool keep)
{
    const carom_forest *f = &s->b->forest;
    double still[CAROM_LOOP_ROWS];
    if (s->b->drives)
        carom_forest_velocity(f, s->b->zeros, &s->b->work);
    for (int i = 0, at = 0; i < s->stops + s->b->loop_count; i++) {
        int tree[2];
        const int rows = rows_here(s, i, still);
        double *to = s->held + s->held_start[i];
        trees_of(s, i, tree);
        for (int j = 0; j < rows; j++) {
            s->held_turn[at + j] += sign * still[j];
            if (keep)
                s->held_motion[at + j] = still[j];
        }
        for (int side = 0; side < 2; side++) {
            const int t = tree[side], dof = t < 0 ? 0 : s->dof[t];
            for (int j = 0; j < rows; j++)
                for (int k = 0; k < dof; k++) {
                    const int u = f->tree_u[f->tree_start[t] + k];
                    double *x = &s->held_room[j * s->n + u];
                    s->held_turn[at + j] += sign * *x * s->v[u];
                    if (keep)
                        to[j * dof + k] = *x;
                    *x = 0;
                }
            to += rows * dof;
        }
        at += rows;
    }
}

carom_status carom_bodies_step_middle(carom_bodies_stepping *s, carom_error *error)
{
    if (s->stops + s->b->loop_count == 0)
        return CAROM_OK;
    carom_bodies_step_free_middle(s);
    memset(s->held_turn, 0, (size_t)(s->stops + s->b->loop_rows) * sizeof *s->held_turn);
    carom_status status = carom_bodies_move(s->b, s->t + s->h / 2, s->middle, NULL, error);
    if (status != CAROM_OK)
        return status;
    look(s, 1, true);
    status = carom_bodies_move(s->b, s->t, s->q, NULL, error);
    if (status == CAROM_OK)
        look(s, -1, false);
    return status;
}

/* How fast what a row holds may come to it: rates change by its turn, by forces and by what held it
 * in a step. What comes faster is stopped. */
static double own_change(const carom_bodies_stepping *s, const carom_bodies_row *r, int j)
{
    const carom_forest *f = &s->b->forest;
    double sum = 2 * fabs(r->turn[j]) + s->options->rest * s->speed;
    for (int side = 0; side < 2; side++) {
        const int t = r->tree[side], dof = t < 0 ? 0 : s->dof[t];
        double pushed = 0, held = 0;
        for (int k = 0; k < dof; k++) {
            const int u = f->tree_u[f->tree_start[t] + k];
            pushed += r->row[side][j * dof + k] * (s->free[u] - s->v[u]);
            held += r->row[side][j * dof + k] * s->lasting[u];
        }
        sum += fabs(pushed) + fabs(held);
    }
    return sum;
}

void carom_bodies_step_middle_take(const carom_bodies_stepping *s, int i, int first, int at,
                                   carom_bodies_row *r)
{
    int tree[2];
    const int rows = trees_of(s, i, tree);
    const double *from = s->held + s->held_start[i];
    for (int side = 0; side < 2; side++) {
        const int dof = tree[side] < 0 ? 0 : s->dof[tree[side]];
        r->tree[side] = tree[side];
        r->row[side] = from + first * dof;
        from += rows * dof;
    }
    for (int j = 0; j < r->rows; j++) {
        r->motion[j] = s->held_motion[at + j];
        r->before[j] = carom_bodies_step_rate(s, r, j, s->v) + r->motion[j];
        r->turn[j] = s->held_turn[at + j];
    }
    for (int j = 0; j < r->rows; j++) {
        const double rate = r->before[j] - r->turn[j], own = own_change(s, r, j);
        r->stopped = r->stopped || rate < -own || (r->source == CAROM_BODIES_LOOP && rate > own);
    }
    if (r->stopped)
        memset(r->turn, 0, sizeof r->turn);
}
