/* Nearest allowed velocities by the dual active-set method, with rows. */
#include "impact/nearest_rows.h"

#include "carom/tolerance.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* How much of a row is made of another is known to the rounding of the rows times their condition,
 * which is 1e5 for masses a billion apart. */
static const double NO_SHARE = CAROM_TOLERANCE_SIGN;

/* The contact that is violated most, in units of its norm; -1: none beyond rounding. */
static int choose(const carom_nearest_rows *w)
{
    int worst = -1;
    double most = 0;
    for (int i = 0; i < w->p; i++) {
        double size, rounding;
        if (w->in[i] || w->ignored[i] || (w->start->only && !w->start->only[i]))
            continue;
        double off = -carom_nearest_rows_slack(w, i, &size, &rounding), norm = w->g->norm[i];
        if (off > rounding && (worst < 0 || off > most * norm)) {
            worst = i;
            most = norm > 0 ? off / norm : INFINITY;
        }
    }
    return worst;
}

/* Prepare contact i: d = L^-1 w_i, z its part outside the span of the rows held, s = R^-1 Q'd how
 * it is made of them. Returns |z|^2, 0 when the contact depends on them. */
static double prepare(carom_nearest_rows *w, int i)
{
    int n = w->n;
    memcpy(w->d, carom_nearest_rows_row(w, i), sizeof *w->d * (size_t)n);
    carom_response_row(&w->r, w->d);
    memcpy(w->z, w->d, sizeof *w->z * (size_t)n);
    carom_basis_subtract(&w->r.basis, w->z);
    carom_basis_coordinates(&w->r.basis, w->d, w->s);
    carom_basis_solve(&w->r.basis, w->s);
    double rest = carom_dense_norm(n, w->z);
    return carom_response_depends(&w->r, carom_nearest_rows_row(w, i), w->room) ? 0 : rest * rest;
}

/* The held contact whose impulse vanishes first when contact i takes over: least impulse/s over
 * s > 0. What is rounding of s is no takeover: |s_j| |row_j| against |d|. -1: none. */
static int blocking(const carom_nearest_rows *w, double *step)
{
    int found = -1;
    double length = carom_dense_norm(w->n, w->d);
    *step = INFINITY;
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        if (i < 0)
            continue;
        double own = w->g->norm[i], share = w->s[j] * own;
        if (share > NO_SHARE * length && w->impulse[w->c + i].hi / w->s[j] < *step) {
            *step = fmax(0, w->impulse[w->c + i].hi / w->s[j]);
            found = j;
        }
    }
    return found;
}

static void let_go(carom_nearest_rows *w, int j)
{
    int number = w->r.number[j];
    w->in[number - w->c] = false;
    w->impulse[number] = (doubled){0, 0};
    carom_response_drop(&w->r, j);
}

/* Move the impulses along: those held give way to contact i. */
static void shift(carom_nearest_rows *w, int i, double step)
{
    for (int j = 0; j < w->r.basis.k; j++) {
        doubled *l = &w->impulse[w->r.number[j]];
        *l = doubled_add_double(*l, -step * w->s[j]);
    }
    w->impulse[w->c + i] = doubled_add_double(w->impulse[w->c + i], step);
}

/* u moves with the impulses: step times M_c^-1 of what w_i has outside the span. */
static void move(carom_nearest_rows *w, double step)
{
    memcpy(w->d, w->z, sizeof *w->d * (size_t)w->n);
    carom_response_vector_back(&w->r, w->d);
    for (int k = 0; k < w->n; k++)
        w->u[k] = doubled_add_double(w->u[k], step * w->d[k]);
}

/* What contact i, whose row is a sum s_j row_j of those held up to the rounding of rows, may be
 * violated by for that: the sizes of their terms, not of its own, which may all be rounding where
 * contacts pin the velocity to its last bit. */
static double borrowed(const carom_nearest_rows *w)
{
    double sum = 0;
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        double size = fabs(w->motion[w->r.number[j]].hi), rounding;
        if (i >= 0)
            carom_nearest_rows_slack(w, i, &size, &rounding);
        sum += fabs(w->s[j]) * size;
    }
    return CAROM_TOLERANCE_RANK * sum;
}

/* Take contact i in, letting others go until it is met. EMPTY: it cannot be. */
static carom_nearest_end take(carom_nearest_rows *w, int i, int *steps, int limit)
{
    while ((*steps)++ < limit) {
        double size, rounding, off = -carom_nearest_rows_slack(w, i, &size, &rounding), step;
        double squared = prepare(w, i);
        int j = blocking(w, &step);
        if (squared == 0 && j < 0) {
            w->borrowed[i] = borrowed(w);
            if (off > CAROM_VERDICT_TOLERANCE * size + rounding + w->borrowed[i])
                return CAROM_NEAREST_EMPTY;
            w->ignored[i] = true;
            w->impulse[w->c + i] = (doubled){0, 0};
            return CAROM_NEAREST_FOUND;
        }
        double full = squared > 0 ? fmax(0, off) / squared : INFINITY;
        if (full <= step) {
            shift(w, i, full);
            w->in[i] = carom_response_take(&w->r, carom_nearest_rows_row(w, i), w->c + i, w->room);
            w->ignored[i] = !w->in[i];
            return CAROM_NEAREST_FOUND;
        }
        shift(w, i, step);
        if (squared > 0)
            move(w, step);
        let_go(w, j);
    }
    return CAROM_NEAREST_LIMIT;
}

/* Without row j of those held its contact would move by impulse/K, K = |row j of R^-1|^2. */
static double yields(const carom_nearest_rows *w, int j)
{
    int k = w->r.basis.k;
    double squared = 0;
    memset(w->s, 0, sizeof *w->s * (size_t)k);
    w->s[j] = 1;
    carom_basis_solve_t(&w->r.basis, w->s); /* column j of R^-T is row j of R^-1 */
    for (int l = j; l < k; l++)
        squared += w->s[l] * w->s[l];
    return w->impulse[w->r.number[j]].hi / squared;
}

/* After meeting afresh an impulse may turn out negative, or so small that it only turns rounding of
 * light bodies into the motion of a heavy one: without it the contact would not be violated. The
 * worst such contact goes. */
static bool release(carom_nearest_rows *w)
{
    int worst = -1;
    double least = 1;
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        double size, rounding;
        if (i < 0)
            continue;
        carom_nearest_rows_slack(w, i, &size, &rounding);
        double needed = yields(w, j) / (rounding > 0 ? rounding : DBL_MIN);
        if (needed < least) {
            least = needed;
            worst = j;
        }
    }
    if (worst >= 0)
        let_go(w, worst);
    return worst >= 0;
}

/* A contact that was let be because only rounding violated it may be violated since. */
static bool look_again(carom_nearest_rows *w)
{
    bool any = false;
    for (int i = 0; i < w->p; i++) {
        double size, rounding;
        if (w->ignored[i] && -carom_nearest_rows_slack(w, i, &size, &rounding) >
                                 CAROM_VERDICT_TOLERANCE * size + rounding + w->borrowed[i]) {
            w->ignored[i] = false;
            any = true;
        }
    }
    return any;
}

static void finish(const carom_nearest_rows *w, carom_nearest_end end, int steps,
                   carom_arena *arena, carom_nearest *nearest)
{
    bool *touches = carom_arena_reserved(arena, (size_t)w->p, sizeof *touches);
    *nearest = (carom_nearest){.end = end, .u = w->u, .steps = steps};
    nearest->rank = w->r.basis.k - w->g->joint_rank;
    nearest->impulse = w->impulse + w->c;
    nearest->touches = touches;
    for (int i = 0; i < w->p; i++) {
        double size, rounding, off = carom_nearest_rows_slack(w, i, &size, &rounding);
        touches[i] = w->in[i] || (fabs(off) <= CAROM_VERDICT_TOLERANCE * size + rounding &&
                                  (!w->start->only || w->start->only[i]));
    }
}

/* What the rows and the answer take. */
static size_t answer_bytes(const carom_geometry *g)
{
    return carom_nearest_rows_bytes(g) + carom_arena_bytes((size_t)g->impact->p, sizeof(bool));
}

carom_status carom_nearest_find(const carom_geometry *g, const carom_nearest_start *start,
                                const doubled *target, carom_arena *arena, carom_nearest *nearest,
                                carom_error *error)
{
    carom_status status = carom_arena_reserve(arena, answer_bytes(g), error);
    if (status)
        return status;
    carom_nearest_rows w;
    carom_nearest_rows_create(g, start, target, arena, &w);
    int steps = 0, limit = 20 * (w.p + 10);
    carom_nearest_end end = CAROM_NEAREST_LIMIT;
    carom_nearest_rows_meet(&w);
    while (steps < limit) {
        if (release(&w)) {
            steps++;
            carom_nearest_rows_meet(&w);
            continue;
        }
        int i = choose(&w);
        if (i < 0 && !look_again(&w)) {
            end = CAROM_NEAREST_FOUND;
            break;
        }
        if (i < 0)
            continue;
        end = take(&w, i, &steps, limit);
        if (end == CAROM_NEAREST_EMPTY)
            break;
        end = CAROM_NEAREST_LIMIT;
        carom_nearest_rows_meet(&w);
    }
    finish(&w, end, steps, arena, nearest);
    return CAROM_OK;
}

carom_status carom_nearest_meet(const carom_geometry *g, const carom_nearest_start *start,
                                const doubled *target, const bool *set, carom_arena *arena,
                                carom_nearest *nearest, double *off, carom_error *error)
{
    carom_nearest_rows w;
    const size_t p = (size_t)g->impact->p;
    const double **rows;
    int *which;
    carom_status status = carom_arena_reserve(
        arena,
        answer_bytes(g) + carom_arena_bytes(p, sizeof *rows) + carom_arena_bytes(p, sizeof *which) +
            carom_response_take_all_bytes(g->impact->n, g->impact->p),
        error);
    if (status)
        return status;
    carom_nearest_rows_create(g, start, target, arena, &w);
    rows = carom_arena_reserved(arena, p, sizeof *rows);
    which = carom_arena_reserved(arena, p, sizeof *which);
    int count = 0, joints = w.r.basis.k;
    for (int i = 0; i < w.p; i++)
        if (!set || set[i]) {
            which[count] = i;
            rows[count++] = carom_nearest_rows_row(&w, i);
        }
    carom_response_take_all(&w.r, count, rows, 0, arena);
    for (int j = joints; j < w.r.basis.k; j++) {
        int i = which[w.r.number[j]];
        w.r.number[j] = w.c + i;
        w.in[i] = true;
    }
    carom_nearest_rows_meet(&w);
    *off = 0;
    for (int i = 0; i < w.p; i++) {
        double size, rounding, violated = fabs(carom_nearest_rows_slack(&w, i, &size, &rounding));
        if ((!set || set[i]) && violated > rounding)
            *off = fmax(*off, (violated - rounding) / size);
    }
    finish(&w, CAROM_NEAREST_FOUND, 0, arena, nearest);
    return CAROM_OK;
}

carom_status carom_nearest_explain(const carom_geometry *g, const carom_nearest_start *start,
                                   const carom_nearest *nearest, const double *impulse,
                                   carom_arena *arena, doubled *exact, carom_error *error)
{
    carom_nearest_rows w;
    carom_mark mark = carom_arena_mark(arena);
    const size_t n = (size_t)g->impact->n;
    carom_status status = carom_arena_reserve(
        arena, carom_arena_bytes(n, sizeof(doubled)) + carom_nearest_rows_bytes(g), error);
    if (status)
        return status;
    doubled *push = carom_arena_reserved(arena, n, sizeof *push);
    carom_nearest_start begin = {.x = start->x, .push = push, .only = start->only};
    memset(push, 0, n * sizeof *push);
    carom_nearest_rows_at(g, &begin, nearest, arena, &w);
    for (int k = 0; k < w.n; k++) {
        push[k] = start->push ? start->push[k] : (doubled){0, 0};
        for (int i = 0; i < w.p; i++)
            push[k] =
                doubled_add(push[k], doubled_product(carom_nearest_rows_row(&w, i)[k], impulse[i]));
    }
    for (int left = w.p; left > 0; left--) { /* what rounding lost is found at the largest ones */
        int most = -1;
        for (int i = 0; i < w.p; i++)
            if (!w.in[i] && (nearest->touches[i] || impulse[i] != 0) &&
                (most < 0 || fabs(impulse[i]) * g->norm[i] > fabs(impulse[most]) * g->norm[most]))
                most = i;
        if (most < 0)
            break;
        w.in[most] = true;
        carom_response_take(&w.r, carom_nearest_rows_row(&w, most), w.c + most, w.room);
    }
    carom_nearest_rows_meet(&w);
    for (int i = 0; i < w.p; i++)
        exact[i] = doubled_add_double(w.impulse[w.c + i], impulse[i]);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

void carom_nearest_velocity(const carom_geometry *g, doubled *x)
{
    for (int k = 0; k < g->impact->n; k++)
        x[k] = (doubled){g->u[k], 0};
}

void carom_nearest_target(const carom_geometry *g, const double *epsilon, doubled *target)
{
    int n = g->impact->n;
    for (int i = 0; i < g->impact->p; i++) {
        const double *w = g->impact->W + (size_t)i * n;
        doubled gamma = {g->impact->w_hat ? g->impact->w_hat[i] : 0, 0};
        for (int k = g->first[i]; k < g->last[i]; k++)
            gamma = doubled_add(gamma, doubled_product(w[k], g->u[k]));
        target[i] = doubled_scale(gamma, -epsilon[i]);
    }
}
