/* The start of a model: coordinates and velocities as defined, then loops closed by Newton's method
 * in the coordinates that are not held. */
#include "bodies/bodies.h"
#include "carom/need.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <float.h>
#include <string.h>

void carom_bodies_quaternion(const m3 *R, double e[4])
{
    const double trace = R->x.x + R->y.y + R->z.z;
    const double s[4] = {1 + trace, 1 + 2 * R->x.x - trace, 1 + 2 * R->y.y - trace,
                         1 + 2 * R->z.z - trace};
    int best = 0;
    for (int k = 1; k < 4; k++)
        best = s[k] > s[best] ? k : best;
    double r = sqrt(s[best]), h = 0.5 / r;
    const double off[3] = {h * (R->y.z - R->z.y), h * (R->z.x - R->x.z), h * (R->x.y - R->y.x)};
    const double sum[3] = {h * (R->x.y + R->y.x), h * (R->y.z + R->z.y), h * (R->z.x + R->x.z)};
    const double table[4][4] = {{r / 2, off[0], off[1], off[2]},
                                {off[0], r / 2, sum[0], sum[2]},
                                {off[1], sum[0], r / 2, sum[1]},
                                {off[2], sum[2], sum[1], r / 2}};
    memcpy(e, table[best], sizeof table[best]);
}

static void start_body(const carom_bodies *b, int k, double *q, double *u)
{
    const carom_body_def *d = &b->body[k];
    const carom_link *l = &b->forest.link[b->link_of[k]];
    frame own = carom_bodies_reference(d, b->space);
    v3 c = frame_point(&own, l->centre);
    if (l->ops == &carom_link_free) {
        v3_to(c, q + l->q);
        carom_bodies_quaternion(&own.R, q + l->q + 3);
        memcpy(u + l->u, d->velocity, 3 * sizeof *u);
        memcpy(u + l->u + 3, d->spin, 3 * sizeof *u);
    } else if (l->ops == &carom_link_free_plane) {
        q[l->q] = c.x;
        q[l->q + 1] = c.y;
        q[l->q + 2] = d->turn[0];
        memcpy(u + l->u, d->velocity, 2 * sizeof *u);
        u[l->u + 2] = d->spin[0];
    }
}

static void start_joint(const carom_bodies *b, const carom_joint *j, double *q, double *u)
{
    if (j->loop >= 0)
        return;
    const carom_link *l = &b->forest.link[j->link];
    const int first = carom_forest_quaternion(l);
    memcpy(u + j->u, j->is.velocity, (size_t)carom_forest_velocities(l) * sizeof *u);
    memcpy(q + j->q, j->is.initial, (size_t)carom_forest_coordinates(l) * sizeof *q);
    if (first < 0)
        return;
    double *e = q + j->q + first,
           length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int k = 0; k < 4; k++)
        e[k] = length > 0 ? e[k] / length : k == 0;
}

/* A step along velocities, dt = 1: turns by a rotation vector, the rest added. */
static void step(const carom_forest *f, const double *du, double *q)
{
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        int turns = carom_forest_quaternion(l);
        int straight = turns < 0 ? carom_forest_velocities(l) : turns;
        for (int k = 0; k < straight; k++)
            q[l->q + k] += du[l->u + k];
        if (turns < 0)
            continue;
        double *e = q + l->q + turns;
        const double *w = du + l->u + turns;
        double half = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 2;
        double c = cos(half), s = half > 0 ? sin(half) / (2 * half) : 0.5;
        const double d[4] = {c, s * w[0], s * w[1], s * w[2]};
        const double made[4] = {e[0] * d[0] - e[1] * d[1] - e[2] * d[2] - e[3] * d[3],
                                e[0] * d[1] + e[1] * d[0] + e[2] * d[3] - e[3] * d[2],
                                e[0] * d[2] - e[1] * d[3] + e[2] * d[0] + e[3] * d[1],
                                e[0] * d[3] + e[1] * d[2] - e[2] * d[1] + e[3] * d[0]};
        memcpy(e, made, sizeof made);
    }
}

/* Work of closing: the velocities that loops move, and the rows over them. */
typedef struct closing {
    carom_bodies *bodies;
    int rows, columns;
    int *column_of; /* n: -1 for velocities that no loop moves */
    bool *held;     /* n */
    double *all;    /* rows x n, row by row */
    double *A, *f, *x;
    carom_arena *arena;
} closing;

static void find_values(closing *c)
{
    double *f = c->f;
    for (int k = 0; k < c->bodies->loop_count; k++) {
        carom_loop_values(&c->bodies->forest, &c->bodies->work, &c->bodies->loop[k], f);
        f += carom_loop_rows(&c->bodies->loop[k]);
    }
}

/* A (rows x columns, column-major) without the columns that are held. */
static void find_gradients(closing *c)
{
    const carom_forest *forest = &c->bodies->forest;
    size_t n = (size_t)forest->n;
    double *row = c->all;
    memset(c->all, 0, (size_t)c->rows * n * sizeof *c->all);
    for (int k = 0; k < c->bodies->loop_count; k++) {
        carom_loop_gradients(forest, &c->bodies->work, &c->bodies->loop[k], row);
        row += (size_t)carom_loop_rows(&c->bodies->loop[k]) * n;
    }
    for (int j = 0; j < forest->n; j++)
        for (int i = 0; c->column_of[j] >= 0 && i < c->rows; i++)
            c->A[(size_t)i + (size_t)c->column_of[j] * (size_t)c->rows] =
                c->held[j] ? 0 : c->all[(size_t)i * n + (size_t)j];
}

/* Velocities of the least change that make A x = b; written back to all n. */
static carom_status solve(closing *c, const double *b, double *du, carom_error *error)
{
    carom_min_norm info;
    carom_mark mark = carom_arena_mark(c->arena);
    carom_status status = carom_min_norm_solve(c->rows, c->columns, c->A, b, CAROM_TOLERANCE_SUM,
                                               c->arena, c->x, &info, error);
    for (int j = 0; j < c->bodies->forest.n && !status; j++)
        du[j] = c->column_of[j] < 0 ? 0 : c->x[c->column_of[j]];
    carom_arena_rewind(c->arena, mark);
    return status;
}

/* The size of the links, by which gaps of loops are judged. */
static double size_of(const carom_bodies *b)
{
    double size = DBL_MIN;
    for (int k = 0; k < b->loop_count; k++)
        size = fmax(size, fmax(v3_norm(b->loop[k].on_a.p), v3_norm(b->loop[k].on_b.p)));
    return size;
}

static carom_status refuse(closing *c, const char *what, const char *by, double off,
                           const carom_bodies_report *to)
{
    int worst = 0, at = 0;
    double most = -1;
    for (int k = 0; k < c->bodies->loop_count; k++) {
        int rows = carom_loop_rows(&c->bodies->loop[k]);
        if (carom_dense_max(rows, c->f + at) > most) {
            most = carom_dense_max(rows, c->f + at);
            worst = c->bodies->loop[k].joint;
        }
        at += rows;
    }
    const char *name = c->bodies->joint[worst].is.name;
    carom_error_set(to->error, CAROM_ERROR_INPUT,
                    "the loop that joint `%s` closes cannot %s: it is off by %g; give other %s "
                    "values or leave some out",
                    name ? name : "", what, off, by);
    return carom_bodies_blamed(to, CAROM_BODIES_JOINT, worst, CAROM_ERROR_INPUT);
}

/* Newton's method; a step that does not help is halved. */
static carom_status close_positions(closing *c, double *q, const carom_bodies_report *to)
{
    enum { STEPS = 100, HALVES = 30 };
    carom_bodies *b = c->bodies;
    double *du = carom_arena_zeros(c->arena, (size_t)b->forest.n, sizeof *du);
    double *trial = carom_arena_doubles(c->arena, (size_t)b->forest.nq);
    if (!du || !trial)
        return carom_error_memory(to->error);
    double tolerance = CAROM_TOLERANCE_SUM * fmax(1, size_of(b)), off;
    carom_status status = carom_bodies_move(b, 0, q, NULL, to->error);
    if (status)
        return status;
    find_values(c);
    off = carom_dense_max(c->rows, c->f);
    for (int k = 0; k < STEPS && off > tolerance; k++) {
        find_gradients(c);
        for (int i = 0; i < c->rows; i++)
            c->f[i] = -c->f[i];
        status = solve(c, c->f, du, to->error);
        if (status)
            return status;
        double before = off;
        for (int half = 0; half < HALVES; half++) {
            memcpy(trial, q, (size_t)b->forest.nq * sizeof *q);
            step(&b->forest, du, trial);
            status = carom_bodies_move(b, 0, trial, NULL, to->error);
            if (status)
                return status;
            find_values(c);
            off = carom_dense_max(c->rows, c->f);
            if (off < before)
                break;
            for (int j = 0; j < b->forest.n; j++)
                du[j] /= 2;
        }
        if (!(off < before))
            break;
        memcpy(q, trial, (size_t)b->forest.nq * sizeof *q);
    }
    /* What is reached is as good as Newton's method gets it: accept a few digits less. */
    return off <= 1024 * tolerance ? CAROM_OK : refuse(c, "close", "`initial`", off, to);
}

/* The way of one coordinate of a link from one state to another as a velocity: a rotation vector
 * for a quaternion, else the difference. */
static void way_of_link(const carom_link *l, const double *from, const double *to, double *du)
{
    const int turns = carom_forest_quaternion(l);
    const int straight = turns < 0 ? carom_forest_velocities(l) : turns;
    for (int k = 0; k < straight; k++)
        du[l->u + k] = to[l->q + k] - from[l->q + k];
    if (turns < 0)
        return;
    const double *e = from + l->q + turns, *g = to + l->q + turns;
    const double w = e[0] * g[0] + e[1] * g[1] + e[2] * g[2] + e[3] * g[3];
    const double v[3] = {e[0] * g[1] - e[1] * g[0] - e[2] * g[3] + e[3] * g[2],
                         e[0] * g[2] + e[1] * g[3] - e[2] * g[0] - e[3] * g[1],
                         e[0] * g[3] - e[1] * g[2] + e[2] * g[1] - e[3] * g[0]};
    const double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]),
                 angle = 2 * atan2(w < 0 ? -sine : sine, fabs(w));
    for (int k = 0; k < 3; k++)
        du[l->u + turns + k] = sine > 0 ? angle * v[k] / sine : 0;
}

/* How what is held goes to the state q, in how many strides: a tenth of a radian each, or of the
 * size of the links. */
static int way_of_held(const closing *c, const double *from, const double *q, double *way)
{
    enum { MOST = 400 };
    const carom_forest *f = &c->bodies->forest;
    const double unit = 0.1 * fmin(1, size_of(c->bodies));
    for (int i = 0; i < f->link_count; i++)
        way_of_link(&f->link[i], from, q, way);
    for (int j = 0; j < f->n; j++)
        way[j] = c->held[j] ? way[j] : 0;
    return (int)fmin(MOST, ceil(carom_dense_max(f->n, way) / unit));
}

/* Follow the loops from a state where they are closed: what is held goes straight, the others along
 * the tangent, and Newton's method closes what that leaves. Of several assemblies that close it is
 * the one that the mechanism can move to. False: it cannot be followed, q is as it was. */
static bool follow(closing *c, const double *from, double *q)
{
    carom_bodies *b = c->bodies;
    const carom_bodies_report silent = {.error = NULL};
    const size_t n = (size_t)b->forest.n, nq = (size_t)b->forest.nq;
    double *way = carom_arena_zeros(c->arena, n, sizeof *way),
           *du = carom_arena_zeros(c->arena, n, sizeof *du),
           *at = carom_arena_doubles(c->arena, nq);
    if (!way || !du || !at)
        return false;
    memcpy(at, from, nq * sizeof *at);
    const int strides = way_of_held(c, from, q, way);
    for (int k = 0; k < strides; k++) {
        if (carom_bodies_move(b, 0, at, NULL, NULL))
            return false;
        find_gradients(c);
        for (int i = 0; i < c->rows; i++)
            c->f[i] = -carom_dense_dot(b->forest.n, c->all + (size_t)i * n, way) / strides;
        if (solve(c, c->f, du, NULL))
            return false;
        for (size_t j = 0; j < n; j++)
            du[j] += way[j] / strides;
        step(&b->forest, du, at);
        if (close_positions(c, at, &silent))
            return false;
    }
    for (int i = 0; i < b->forest.link_count; i++) {
        const carom_link *l = &b->forest.link[i];
        const int turns = carom_forest_quaternion(l), count = carom_forest_coordinates(l);
        for (int k = 0; k < count; k++)
            if (!c->held[l->u + (turns >= 0 && k > turns ? turns : k)])
                q[l->q + k] = at[l->q + k];
    }
    return true;
}

/* The rates of the loops at velocities u, in c->f; returns the largest. */
static double find_rates(closing *c, double *u)
{
    carom_bodies *b = c->bodies;
    double bias[CAROM_LOOP_ROWS], *rate = c->f;
    carom_forest_velocity(&b->forest, u, &b->work);
    for (int k = 0; k < b->loop_count; k++) {
        carom_loop_rates(&b->forest, &b->work, &b->loop[k], rate, bias);
        rate += carom_loop_rows(&b->loop[k]);
    }
    return carom_dense_max(c->rows, c->f);
}

/* The largest velocity, of coordinates and of links: bodies with a prescribed motion have one that
 * no u says. */
static double speed_of(const carom_bodies *b, const double *u)
{
    double speed = carom_dense_max(b->forest.n, u);
    for (int i = 0; i < b->forest.link_count; i++)
        speed = fmax(speed, fmax(v3_norm(b->work.V[i].w), v3_norm(b->work.V[i].v)));
    return speed;
}

/* Velocities: those that are held stay, the others change as little as possible. */
static carom_status close_velocities(closing *c, const double *q, double *u,
                                     const carom_bodies_report *to)
{
    carom_bodies *b = c->bodies;
    double *du = carom_arena_zeros(c->arena, (size_t)b->forest.n, sizeof *du);
    if (!du)
        return carom_error_memory(to->error);
    carom_status status = carom_bodies_move(b, 0, q, u, to->error);
    if (status)
        return status;
    const double tolerance = CAROM_TOLERANCE_SUM * fmax(1, size_of(b)), rate = find_rates(c, u),
                 before = speed_of(b, u);
    if (rate <= tolerance * before)
        return CAROM_OK;
    find_gradients(c);
    for (int i = 0; i < c->rows; i++)
        c->f[i] = -c->f[i];
    status = solve(c, c->f, du, to->error);
    if (status)
        return status;
    for (int j = 0; j < b->forest.n; j++)
        u[j] += du[j];
    const double off = find_rates(c, u);
    return off <= 1024 * tolerance * fmax(before, speed_of(b, u))
               ? CAROM_OK
               : refuse(c, "move as it is told to", "`velocity`", off, to);
}

/* Which velocities loops move, and room for their rows. */
static carom_status open_closing(closing *c, carom_error *error)
{
    const carom_bodies *b = c->bodies;
    size_t n = (size_t)b->forest.n, rows = (size_t)b->loop_rows;
    c->rows = b->loop_rows;
    c->column_of = carom_arena_array(c->arena, n, sizeof *c->column_of);
    c->held = carom_arena_zeros(c->arena, n, sizeof *c->held);
    c->all = carom_arena_doubles(c->arena, rows * n);
    c->f = carom_arena_doubles(c->arena, rows);
    if (!c->column_of || !c->held || !c->all || !c->f)
        return carom_error_memory(error);
    for (size_t j = 0; j < n; j++)
        c->column_of[j] = -1;
    for (int k = 0; k < b->loop_count; k++)
        for (int side = 0; side < 2; side++) {
            int link = side ? b->loop[k].b : b->loop[k].a;
            for (int j = link < 0 ? 0 : b->forest.path_start[link];
                 link >= 0 && j < b->forest.path_start[link + 1]; j++)
                if (c->column_of[b->forest.path[j]] < 0)
                    c->column_of[b->forest.path[j]] = c->columns++;
        }
    c->A = carom_arena_doubles(c->arena, rows * (size_t)c->columns);
    c->x = carom_arena_doubles(c->arena, (size_t)c->columns);
    return c->A && c->x ? CAROM_OK : carom_error_memory(error);
}

/* The joints whose coordinates were given; for velocities those whose velocity was. */
static void hold_given(closing *c, bool velocities)
{
    const carom_bodies *b = c->bodies;
    memset(c->held, 0, (size_t)b->forest.n * sizeof *c->held);
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        for (int i = 0; j->loop < 0 && i < carom_forest_velocities(&b->forest.link[j->link]); i++)
            c->held[j->u + i] = velocities ? j->is.velocity[i] != 0 : j->is.hold;
    }
}

/* Where all joints have the coordinate zero and all loops are closed. */
static void find_reference(const carom_bodies *b, double *q)
{
    memcpy(q, b->q, (size_t)b->forest.nq * sizeof *q);
    for (int k = 0; k < b->joint_count; k++) {
        const carom_joint *j = &b->joint[k];
        if (j->loop >= 0)
            continue;
        const carom_link *l = &b->forest.link[j->link];
        const int turns = carom_forest_quaternion(l);
        for (int i = 0; i < carom_forest_coordinates(l); i++)
            q[j->q + i] = i == turns;
    }
}

static carom_status close_loops(carom_bodies *b, carom_arena *arena, const carom_bodies_report *to)
{
    closing c = {.bodies = b, .arena = arena};
    carom_status status = open_closing(&c, to->error);
    if (status)
        return status;
    hold_given(&c, false);
    double *reference = carom_arena_doubles(arena, (size_t)b->forest.nq);
    if (!reference)
        return carom_error_memory(to->error);
    find_reference(b, reference);
    follow(&c, reference, b->q);
    status = close_positions(&c, b->q, to);
    hold_given(&c, true);
    return status ? status : close_velocities(&c, b->q, b->u, to);
}

/* What differs from the start is held; *any: something does. */
static void hold_changed(closing *c, const double *q, const double *u, bool velocities, bool *any)
{
    const carom_bodies *b = c->bodies;
    const carom_forest *f = &b->forest;
    memset(c->held, 0, (size_t)f->n * sizeof *c->held);
    *any = false;
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        const int turns = carom_forest_quaternion(l), count = carom_forest_velocities(l);
        bool turned = false;
        for (int k = 0; k < 4 && turns >= 0; k++)
            turned = turned || q[l->q + turns + k] != b->q[l->q + turns + k];
        for (int k = 0; k < count; k++) {
            const bool straight = turns < 0 || k < turns;
            c->held[l->u + k] = velocities ? u[l->u + k] != b->u[l->u + k]
                                : straight ? q[l->q + k] != b->q[l->q + k]
                                           : turned;
            *any = *any || c->held[l->u + k];
        }
    }
}

carom_status carom_bodies_start_close(const carom_bodies *bodies, double *q, double *u,
                                      carom_error *error)
{
    CAROM_NEED(error, bodies, q, u);
    carom_bodies *b = (carom_bodies *)bodies; /* its work space: one thread at a time */
    const carom_bodies_report to = {.error = error};
    closing c = {.bodies = b};
    bool moved, driven;
    if (b->loop_count == 0)
        return CAROM_OK;
    carom_status status = carom_arena_create(carom_arena_allocator(b->arena), &c.arena, error);
    if (status)
        return status;
    status = open_closing(&c, error);
    if (status == CAROM_OK) {
        hold_changed(&c, q, u, false, &moved);
        if (moved)
            follow(&c, b->q, q);
        status = moved ? close_positions(&c, q, &to) : CAROM_OK;
    }
    if (status == CAROM_OK) {
        hold_changed(&c, q, u, true, &driven);
        if (!driven)
            hold_given(&c, true);
        status = moved || driven ? close_velocities(&c, q, u, &to) : CAROM_OK;
    }
    carom_arena_destroy(c.arena);
    return status;
}

carom_status carom_bodies_start_find(carom_bodies *b, const carom_bodies_report *to)
{
    carom_arena *scratch;
    for (int k = 0; k < b->body_count; k++)
        start_body(b, k, b->q, b->u);
    for (int k = 0; k < b->joint_count; k++)
        start_joint(b, &b->joint[k], b->q, b->u);
    if (b->loop_count == 0)
        return CAROM_OK;
    carom_status status = carom_arena_create(carom_arena_allocator(b->arena), &scratch, to->error);
    if (status)
        return status;
    status = close_loops(b, scratch, to);
    carom_arena_destroy(scratch);
    return status;
}
