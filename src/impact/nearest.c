/* Nearest allowed velocities by the dual active-set method, with rows. */
#include "impact/nearest.h"

#include "carom/tolerance.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* How much of a row is made of another is known to the rounding of the rows times their condition,
 * which is 1e5 for masses a billion apart. */
static const double NO_SHARE = CAROM_TOLERANCE_SIGN;

/* With twice the digits, less what the condition of rows eats, this is zero. */
static const double DUST = 0x1p20 * DOUBLED_UNIT;

/* Contact i is row c + i of the response, so that joints and contacts share one numbering. */
typedef struct work {
    const carom_geometry *g;
    const carom_nearest_start *start;
    int n, p, c;
    carom_response r;
    doubled *motion;   /* c + p: row'u + motion = 0 when the row is met */
    doubled *u;        /* n */
    doubled *impulse;  /* c + p */
    double *moved;     /* n, sizes of what the impulses moved */
    double *push_size; /* n, sizes of what the push moves */
    double scale;      /* dust of the largest velocity, in units of the coordinates */
    double *floor;     /* p, what the last digits of all can do to a contact that nothing moves */
    double *d, *z;     /* n: a row in the frame, and what it has outside the span */
    double *s;         /* c + p: its coordinates, then the impulses that it replaces */
    double *room;      /* 2 (n + c + p) */
    bool *in;          /* p: held */
    bool *ignored;     /* p: violated by rounding only */
} work;

static const double *row_of(const work *w, int i)
{
    return w->g->impact->W + (size_t)i * (size_t)w->n;
}

/* Velocities times the unit of their coordinate are comparable; with twice the digits the last of
 * them are dust for every contact. */
static void find_floor(work *w)
{
    const doubled *push = w->start->push;
    double scale = 0;
    for (int k = 0; k < w->n; k++)
        w->push_size[k] = push ? push[k].hi : 0;
    if (push)
        carom_joints_inverse_mass(w->g, w->push_size);
    for (int k = 0; k < w->n; k++) {
        w->push_size[k] = fabs(w->push_size[k]);
        scale = fmax(scale, (fabs(w->start->x[k].hi) + w->push_size[k]) * w->r.unit[k]);
    }
    for (int i = 0; i < w->p; i++)
        scale = fmax(scale, fabs(w->motion[w->c + i].hi));
    w->scale = DBL_EPSILON * CAROM_PREDICATE_REST * scale;
    for (int i = 0; i < w->p; i++) {
        w->floor[i] = 0;
        for (int k = w->g->first[i]; k < w->g->last[i]; k++)
            w->floor[i] += fabs(row_of(w, i)[k]) / w->r.unit[k];
        w->floor[i] *= w->scale;
    }
}

static carom_status create(const carom_geometry *g, const carom_nearest_start *start,
                           const doubled *target, carom_arena *arena, work *w, carom_error *error)
{
    int n = g->impact->n, p = g->impact->p, c = g->c;
    size_t rows = (size_t)(c + p), ns = (size_t)n;
    *w = (work){.g = g, .start = start, .n = n, .p = p, .c = c};
    carom_status status = carom_joints_response(g, p, arena, &w->r, error);
    double *memory = carom_arena_doubles(arena, 6 * ns + 3 * rows + (size_t)p);
    w->u = carom_arena_zeros(arena, ns + 2 * rows, sizeof(doubled));
    w->in = carom_arena_zeros(arena, 2 * (size_t)p, sizeof(bool));
    if (status || !memory || !w->u || !w->in)
        return status ? status : carom_error_memory(error);
    w->impulse = w->u + ns;
    w->motion = w->impulse + rows;
    w->ignored = w->in + p;
    w->moved = memory;
    w->d = w->moved + ns;
    w->z = w->d + ns;
    w->s = w->z + ns;
    w->room = w->s + rows;
    w->floor = w->room + 2 * (ns + rows);
    w->push_size = w->floor + p;
    for (int j = 0; j < c; j++)
        w->motion[j] = (doubled){g->c_hat[j], 0};
    for (int i = 0; i < p; i++) {
        doubled motion = {g->impact->w_hat ? g->impact->w_hat[i] : 0, 0};
        w->motion[c + i] = target ? doubled_add(motion, doubled_negate(target[i])) : motion;
    }
    find_floor(w);
    return CAROM_OK;
}

/* What cancels to the last of all digits is zero: velocities against what was moved in the rows
 * that they are held by, impulses against those that stop such velocities. */
static void clear_dust(work *w)
{
    const doubled *x = w->start->x;
    double *dust = w->room;
    for (int k = 0; k < w->n; k++)
        dust[k] = DUST * (fabs(x[k].hi) + w->moved[k]) + w->scale / w->r.unit[k];
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        const double *row = w->r.row[j];
        doubled *l = &w->impulse[w->r.number[j]];
        double D = i < 0 ? 0 : w->g->norm[i] * w->g->norm[i];
        double size = fabs(w->motion[w->r.number[j]].hi);
        for (int k = 0; k < w->n; k++)
            size += fabs(row[k]) * (fabs(x[k].hi) + w->moved[k]);
        for (int k = 0; k < w->n; k++)
            if (row[k] != 0)
                dust[k] = fmax(dust[k], DUST * size / fabs(row[k]));
        if (i >= 0 && fabs(l->hi) * D <= DUST * size + w->floor[i])
            *l = (doubled){0, 0};
    }
    for (int k = 0; k < w->n; k++)
        if (fabs(w->u[k].hi) <= dust[k])
            w->u[k] = (doubled){0, 0};
}

/* u and the impulses of the rows held, afresh from x: no error of earlier steps stays. */
static void meet(work *w)
{
    carom_response_meet(&w->r, w->motion, w->start->x, w->start->push, w->u, w->impulse, w->room);
    carom_response_moved(&w->r, w->impulse, w->moved, w->room);
    for (int k = 0; k < w->n; k++)
        w->moved[k] += w->push_size[k];
    clear_dust(w);
}

/* How far contact i is from its target (negative: violated). *size: of the terms compared;
 * *rounding: what errors of u can do to it. */
static double slack(const work *w, int i, double *size, double *rounding)
{
    const double *row = row_of(w, i);
    const doubled *u = w->u, *x = w->start->x;
    int first = w->g->first[i], last = w->g->last[i];
    doubled sum = w->motion[w->c + i];
    *size = fabs(sum.hi);
    *rounding = 0;
    for (int k = first; k < last; k++) {
        *size += fabs(row[k]) * (fabs(u[k].hi) + fabs(x[k].hi));
        *rounding += fabs(row[k]) * w->moved[k];
    }
    *size += w->floor[i] / CAROM_PREDICATE_REST;
    *rounding = 4 * carom_predicate_rounding(last - first) * *size + DUST * *rounding;
    return doubled_dot(last - first, row + first, u + first, sum).hi;
}

/* The contact that is violated most, in units of its norm; -1: none beyond rounding. */
static int choose(const work *w)
{
    int worst = -1;
    double most = 0;
    for (int i = 0; i < w->p; i++) {
        double size, rounding;
        if (w->in[i] || w->ignored[i] || (w->start->only && !w->start->only[i]))
            continue;
        double off = -slack(w, i, &size, &rounding), norm = w->g->norm[i];
        if (off > rounding && (worst < 0 || off > most * norm)) {
            worst = i;
            most = norm > 0 ? off / norm : INFINITY;
        }
    }
    return worst;
}

/* Prepare contact i: d = L^-1 w_i, z its part outside the span of the rows held, s = R^-1 Q'd how
 * it is made of them. Returns |z|^2, 0 when the contact depends on them. */
static double prepare(work *w, int i)
{
    int n = w->n;
    memcpy(w->d, row_of(w, i), sizeof *w->d * (size_t)n);
    carom_response_row(&w->r, w->d);
    memcpy(w->z, w->d, sizeof *w->z * (size_t)n);
    carom_basis_subtract(&w->r.basis, w->z);
    carom_basis_coordinates(&w->r.basis, w->d, w->s);
    carom_basis_solve(&w->r.basis, w->s);
    double rest = carom_dense_norm(n, w->z);
    return carom_response_depends(&w->r, row_of(w, i), w->room) ? 0 : rest * rest;
}

/* The held contact whose impulse vanishes first when contact i takes over: least impulse/s over
 * s > 0. What is rounding of s is no takeover: |s_j| |row_j| against |d|. -1: none. */
static int blocking(const work *w, double *step)
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

static void let_go(work *w, int j)
{
    int number = w->r.number[j];
    w->in[number - w->c] = false;
    w->impulse[number] = (doubled){0, 0};
    carom_response_drop(&w->r, j);
}

/* Move the impulses along: those held give way to contact i. */
static void shift(work *w, int i, double step)
{
    for (int j = 0; j < w->r.basis.k; j++) {
        doubled *l = &w->impulse[w->r.number[j]];
        *l = doubled_add_double(*l, -step * w->s[j]);
    }
    w->impulse[w->c + i] = doubled_add_double(w->impulse[w->c + i], step);
}

/* u moves with the impulses: step times M_c^-1 of what w_i has outside the span. */
static void move(work *w, double step)
{
    memcpy(w->d, w->z, sizeof *w->d * (size_t)w->n);
    carom_response_vector_back(&w->r, w->d);
    for (int k = 0; k < w->n; k++)
        w->u[k] = doubled_add_double(w->u[k], step * w->d[k]);
}

/* Take contact i in, letting others go until it is met. EMPTY: it cannot be. */
static carom_nearest_end take(work *w, int i, int *steps, int limit)
{
    while ((*steps)++ < limit) {
        double size, rounding, off = -slack(w, i, &size, &rounding), step;
        double squared = prepare(w, i);
        int j = blocking(w, &step);
        if (squared == 0 && j < 0) {
            if (off > CAROM_VERDICT_TOLERANCE * size + rounding)
                return CAROM_NEAREST_EMPTY;
            w->ignored[i] = true;
            w->impulse[w->c + i] = (doubled){0, 0};
            return CAROM_NEAREST_FOUND;
        }
        double full = squared > 0 ? fmax(0, off) / squared : INFINITY;
        if (full <= step) {
            shift(w, i, full);
            w->in[i] = carom_response_take(&w->r, row_of(w, i), w->c + i, w->room);
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
static double yields(const work *w, int j)
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
static bool release(work *w)
{
    int worst = -1;
    double least = 1;
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        double size, rounding;
        if (i < 0)
            continue;
        slack(w, i, &size, &rounding);
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
static bool look_again(work *w)
{
    bool any = false;
    for (int i = 0; i < w->p; i++) {
        double size, rounding;
        if (w->ignored[i] &&
            -slack(w, i, &size, &rounding) > CAROM_VERDICT_TOLERANCE * size + rounding) {
            w->ignored[i] = false;
            any = true;
        }
    }
    return any;
}

static carom_status finish(const work *w, carom_nearest_end end, int steps, carom_arena *arena,
                           carom_nearest *nearest, carom_error *error)
{
    bool *touches = carom_arena_array(arena, (size_t)w->p, sizeof(bool));
    if (!touches)
        return carom_error_memory(error);
    *nearest = (carom_nearest){.end = end, .u = w->u, .steps = steps};
    nearest->rank = w->r.basis.k - w->g->joint_rank;
    nearest->impulse = w->impulse + w->c;
    nearest->touches = touches;
    for (int i = 0; i < w->p; i++) {
        double size, rounding, off = slack(w, i, &size, &rounding);
        touches[i] = w->in[i] || (fabs(off) <= CAROM_VERDICT_TOLERANCE * size + rounding &&
                                  (!w->start->only || w->start->only[i]));
    }
    return CAROM_OK;
}

carom_status carom_nearest_find(const carom_geometry *g, const carom_nearest_start *start,
                                const doubled *target, carom_arena *arena, carom_nearest *nearest,
                                carom_error *error)
{
    work w;
    carom_status status = create(g, start, target, arena, &w, error);
    if (status)
        return status;
    int steps = 0, limit = 20 * (w.p + 10);
    carom_nearest_end end = CAROM_NEAREST_LIMIT;
    meet(&w);
    while (steps < limit) {
        if (release(&w)) {
            steps++;
            meet(&w);
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
        meet(&w);
    }
    return finish(&w, end, steps, arena, nearest, error);
}

carom_status carom_nearest_meet(const carom_geometry *g, const carom_nearest_start *start,
                                const doubled *target, const bool *set, carom_arena *arena,
                                carom_nearest *nearest, double *off, carom_error *error)
{
    work w;
    carom_status status = create(g, start, target, arena, &w, error);
    const double **rows = carom_arena_array(arena, (size_t)g->impact->p, sizeof *rows);
    int *which = carom_arena_array(arena, (size_t)g->impact->p, sizeof *which);
    if (status || !rows || !which)
        return status ? status : carom_error_memory(error);
    int count = 0, joints = w.r.basis.k;
    for (int i = 0; i < w.p; i++)
        if (!set || set[i]) {
            which[count] = i;
            rows[count++] = row_of(&w, i);
        }
    status = carom_response_take_all(&w.r, count, rows, 0, arena, error);
    if (status)
        return status;
    for (int j = joints; j < w.r.basis.k; j++) {
        int i = which[w.r.number[j]];
        w.r.number[j] = w.c + i;
        w.in[i] = true;
    }
    meet(&w);
    *off = 0;
    for (int i = 0; i < w.p; i++) {
        double size, rounding, violated = fabs(slack(&w, i, &size, &rounding));
        if ((!set || set[i]) && violated > rounding)
            *off = fmax(*off, (violated - rounding) / size);
    }
    return finish(&w, CAROM_NEAREST_FOUND, 0, arena, nearest, error);
}

/* Rows whose motions are such that the velocity found meets all of them. */
static carom_status at_found(const carom_geometry *g, const carom_nearest_start *start,
                             const carom_nearest *nearest, carom_arena *arena, work *w,
                             carom_error *error)
{
    carom_status status = create(g, start, NULL, arena, w, error);
    for (int i = 0; i < w->p && !status; i++)
        w->motion[w->c + i] =
            doubled_negate(doubled_dot(w->n, row_of(w, i), nearest->u, (doubled){0, 0}));
    return status;
}

carom_status carom_nearest_explain(const carom_geometry *g, const carom_nearest_start *start,
                                   const carom_nearest *nearest, const double *impulse,
                                   carom_arena *arena, doubled *exact, carom_error *error)
{
    work w;
    carom_mark mark = carom_arena_mark(arena);
    doubled *push = carom_arena_zeros(arena, (size_t)g->impact->n, sizeof *push);
    carom_nearest_start begin = {.x = start->x, .push = push, .only = start->only};
    carom_status status =
        push ? at_found(g, &begin, nearest, arena, &w, error) : carom_error_memory(error);
    if (status)
        return status;
    for (int k = 0; k < w.n; k++) {
        push[k] = start->push ? start->push[k] : (doubled){0, 0};
        for (int i = 0; i < w.p; i++)
            push[k] = doubled_add(push[k], doubled_product(row_of(&w, i)[k], impulse[i]));
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
        carom_response_take(&w.r, row_of(&w, most), w.c + most, w.room);
    }
    meet(&w);
    for (int i = 0; i < w.p; i++)
        exact[i] = doubled_add_double(w.impulse[w.c + i], impulse[i]);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* The search for extreme points: contacts are taken or left one after the other. */
typedef struct search {
    work w;
    const carom_nearest *nearest;
    int rank;  /* of all contacts that touch */
    int tried; /* sets of contacts looked at */
    int count, room;
    doubled *vertices; /* p x room */
    carom_arena *arena;
    carom_error *error;
} search;

static bool push_only(const search *s)
{
    const work *w = &s->w;
    for (int i = 0; i < w->p; i++) {
        double size, rounding, D = w->g->norm[i] * w->g->norm[i];
        if (!(w->impulse[w->c + i].hi < 0))
            continue;
        slack(w, i, &size, &rounding);
        if (-w->impulse[w->c + i].hi * D > CAROM_PREDICATE_REST * size + rounding)
            return false;
    }
    return true;
}

/* Is a vertex like this in the list? */
static bool known(const search *s, const doubled *impulse)
{
    const work *w = &s->w;
    for (int v = 0; v < s->count; v++) {
        bool same = true;
        for (int i = 0; i < w->p && same; i++) {
            double a = impulse[i].hi, b = s->vertices[i + (size_t)v * (size_t)w->p].hi;
            double size, rounding, D = w->g->norm[i] * w->g->norm[i];
            if (a == b)
                continue;
            slack(w, i, &size, &rounding);
            same = fabs(a - b) * D <= CAROM_VERDICT_TOLERANCE * size + rounding ||
                   fabs(a - b) <= CAROM_VERDICT_TOLERANCE * fabs(a + b);
        }
        if (same)
            return true;
    }
    return false;
}

static carom_status add_vertex(search *s)
{
    work *w = &s->w;
    size_t p = (size_t)w->p;
    memset(w->impulse + w->c, 0, p * sizeof *w->impulse);
    meet(w);
    doubled *impulse = w->impulse + w->c;
    if (!push_only(s) || known(s, impulse))
        return CAROM_OK;
    if (s->count == s->room) {
        int room = s->room ? 2 * s->room : 16;
        doubled *more = carom_arena_array(s->arena, p * (size_t)room, sizeof *more);
        if (!more)
            return carom_error_memory(s->error);
        if (s->count)
            memcpy(more, s->vertices, p * (size_t)s->count * sizeof *more);
        s->vertices = more;
        s->room = room;
    }
    for (size_t i = 0; i < p; i++)
        s->vertices[i + (size_t)s->count * p] = impulse[i].hi > 0 ? impulse[i] : (doubled){0, 0};
    s->count++;
    return CAROM_OK;
}

/* All independent sets of `rank` contacts from number i on. */
static carom_status choose_sets(search *s, int i)
{
    work *w = &s->w;
    if (w->r.basis.k == s->rank)
        return ++s->tried > CAROM_NEAREST_CHOICES ? CAROM_OK : add_vertex(s);
    if (i == w->p || s->tried > CAROM_NEAREST_CHOICES)
        return CAROM_OK;
    carom_status status = CAROM_OK;
    if (s->nearest->touches[i] && carom_response_take(&w->r, row_of(w, i), w->c + i, w->room)) {
        status = choose_sets(s, i + 1);
        carom_response_drop(&w->r, w->r.basis.k - 1);
    }
    return status ? status : choose_sets(s, i + 1);
}

carom_status carom_nearest_vertices(const carom_geometry *g, const carom_nearest_start *start,
                                    const carom_nearest *nearest, carom_arena *arena,
                                    doubled **vertices, int *count, carom_error *error)
{
    search s = {.nearest = nearest, .arena = arena, .error = error};
    carom_status status = at_found(g, start, nearest, arena, &s.w, error);
    if (status)
        return status;
    int joints = s.w.r.basis.k;
    for (int i = 0; i < s.w.p; i++)
        if (nearest->touches[i])
            carom_response_take(&s.w.r, row_of(&s.w, i), s.w.c + i, s.w.room);
    s.rank = s.w.r.basis.k;
    while (s.w.r.basis.k > joints)
        carom_response_drop(&s.w.r, s.w.r.basis.k - 1);
    status = choose_sets(&s, 0);
    *vertices = s.vertices;
    *count = s.tried > CAROM_NEAREST_CHOICES ? -1 : s.count;
    return status;
}

doubled *carom_nearest_velocity(const carom_geometry *g, carom_arena *arena)
{
    doubled *x = carom_arena_array(arena, (size_t)g->impact->n, sizeof *x);
    for (int k = 0; x && k < g->impact->n; k++)
        x[k] = (doubled){g->u[k], 0};
    return x;
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
