/* The contact problem of a step of bodies: contacts within reach, limits, ropes, loops, dry joints
 * as rows over the velocities of their trees (docs/theory/bodies.md, "Steps"). */
#include "flow/bodies_step.h"

#include "bodies/stops.h"

#include <math.h>
#include <string.h>

double carom_bodies_step_rate(const carom_bodies_stepping *s, const carom_bodies_row *r, int k,
                              const double *v)
{
    const carom_forest *f = &s->b->forest;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        if (r->tree[side] < 0)
            continue;
        const int *u = f->tree_u + f->tree_start[r->tree[side]], size = s->dof[r->tree[side]];
        const double *row = r->row[side] + k * size;
        for (int i = 0; i < size; i++)
            sum += row[i] * v[u[i]];
    }
    return sum;
}

/* ---- rows ---- */

/* A row over n velocities, spread out to its trees; it is zero again afterwards. */
static void take_row(const carom_bodies_stepping *s, double *dense, const int tree[2],
                     double *const to[2], int k)
{
    const carom_forest *f = &s->b->forest;
    for (int side = 0; side < 2; side++) {
        if (tree[side] < 0)
            continue;
        const int *u = f->tree_u + f->tree_start[tree[side]], size = s->dof[tree[side]];
        for (int i = 0; i < size; i++) {
            to[side][k * size + i] = dense[u[i]];
            dense[u[i]] = 0;
        }
    }
}

static bool room_for_rows(carom_bodies_stepping *s, carom_bodies_row *r, double *to[2])
{
    for (int side = 0; side < 2; side++) {
        to[side] = NULL;
        if (r->tree[side] < 0)
            continue;
        to[side] = carom_arena_zeros(s->scratch, (size_t)(r->rows * s->dof[r->tree[side]]),
                                     sizeof *to[side]);
        if (!to[side])
            return false;
        r->row[side] = to[side];
    }
    return true;
}

static void rates_before(const carom_bodies_stepping *s, carom_bodies_row *r)
{
    for (int k = 0; k < r->rows; k++)
        r->before[k] = carom_bodies_step_rate(s, r, k, s->v) + r->motion[k];
}

/* Which trees are connected. */
static int root_of(int *island, int t)
{
    while (island[t] != t)
        t = island[t] = island[island[t]];
    return t;
}

static void connect(carom_bodies_stepping *s, const int tree[2])
{
    if (tree[0] < 0 || tree[1] < 0)
        return;
    int a = root_of(s->island, tree[0]), b = root_of(s->island, tree[1]);
    s->island[a < b ? b : a] = a < b ? a : b;
}

/* Does the row belong to an island that moves? */
static bool is_awake(carom_bodies_stepping *s, const int tree[2])
{
    return tree[0] >= 0 && s->awake[root_of(s->island, tree[0])];
}

void carom_bodies_step_islands(carom_bodies_stepping *s)
{
    for (int t = 0; t < s->trees; t++)
        s->island[t] = t;
    for (int k = 0; k < s->found.count; k++)
        if (s->active[k])
            connect(s, s->found.contact[k].tree);
    for (int i = 0; i < s->stops; i++) {
        int tree[2];
        carom_stop_trees(s->b, i, tree);
        connect(s, tree);
    }
    for (int i = 0; i < s->b->loop_count; i++) {
        const int link[2] = {s->b->loop[i].a, s->b->loop[i].b};
        int tree[2];
        carom_forest_trees(&s->b->forest, link, tree);
        connect(s, tree);
    }
    memset(s->awake, !s->sleeps && !s->impact, (size_t)s->trees);
    for (int t = 0; t < s->trees; t++)
        if (s->impact ? s->struck[t] : !s->still[t])
            s->awake[root_of(s->island, t)] = 1;
    for (int t = 0; t < s->trees; t++)
        s->island[t] = root_of(s->island, t);
}

static double slip_of(const carom_bodies_row *r)
{
    return hypot(r->before[1], r->rows > 2 ? r->before[2] : 0);
}

/* What the law makes of a contact with gap g: friction, and restitution where it is hit in an
 * impact of the step. */
static void apply_law(const carom_bodies_stepping *s, const carom_contact *c, double g, bool hit,
                      carom_bodies_row *r, double *w)
{
    const carom_law *law = c->law ? c->law : s->law;
    carom_law_step say = {0};
    if (law->ops->step)
        law->ops->step(law, c, &say);
    r->gap = g;
    if (r->rows > 1 && !(say.rough || r->carried))
        r->rows = 1; /* a law without friction: the first step in contact is the impact */
    r->mu = 0;
    if (r->rows > 1)
        r->mu = slip_of(r) > s->options->rest * s->speed ? c->friction_dynamic : c->friction_static;
    w[0] = r->motion[0] + (hit ? say.restitution * r->before[0] : r->turn[0] + fmax(g, 0) / s->h);
    for (int k = 1; k < r->rows; k++)
        w[k] = r->motion[k] + (hit && say.rough ? say.tangential * r->before[k] : 0);
}

static carom_bodies_row *new_row(carom_bodies_stepping *s, carom_bodies_source source, int index,
                                 int rows)
{
    carom_bodies_row *r = &s->row[s->row_count++];
    *r = (carom_bodies_row){.source = source, .index = index, .at = s->total, .rows = rows};
    return r;
}

static void add_found(carom_bodies_stepping *s, double *w, double *start)
{
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_contact *c = &s->found.contact[k];
        if (!s->active[k] || !is_awake(s, c->tree))
            continue;
        carom_bodies_row *r = new_row(s, CAROM_BODIES_FOUND, k, 1 + c->properties.slip_count);
        for (int side = 0; side < 2; side++) {
            r->tree[side] = c->tree[side];
            r->row[side] = c->rows[side];
        }
        memcpy(r->motion, c->rate, sizeof r->motion);
        rates_before(s, r);
        r->carried = s->carried[k];
        apply_law(s, &c->properties, c->touch.gap, s->impact && s->hit[k], r, w + s->total);
        for (int i = 0; i < r->rows; i++) /* those of an impact are not those of forces */
            start[s->total + i] = s->impact ? 0 : s->guess[3 * k + i];
        s->total += r->rows;
    }
}

/* The row of a limit or a rope: where the impact is, or in the middle of the step. */
static bool take_stop(carom_bodies_stepping *s, carom_bodies_row *r, double *dense)
{
    double *to[2];
    if (!s->impact) {
        carom_bodies_step_middle_take(s, r->index, 0, r->index, r);
        return true;
    }
    if (!room_for_rows(s, r, to))
        return false;
    carom_stop_row(s->b, r->index, dense);
    take_row(s, dense, r->tree, to, 0);
    r->motion[0] = s->b->drives ? carom_stop_motion(s->b, r->index) : 0;
    rates_before(s, r);
    return true;
}

static bool add_stops(carom_bodies_stepping *s, double *dense, double *w, double *start)
{
    for (int i = 0; i < s->stops; i++) {
        int tree[2];
        const double g = carom_stop_gap(s->b, i, s->q);
        carom_stop_trees(s->b, i, tree);
        if (!is_awake(s, tree) || !(s->impact || s->stop_active[i]))
            continue;
        carom_bodies_row *r = new_row(s, CAROM_BODIES_STOP, i, 1);
        memcpy(r->tree, tree, sizeof tree);
        if (!take_stop(s, r, dense))
            return false;
        if (s->impact && !s->stop_hit[i] && g > s->options->closed &&
            g + s->h * r->before[0] >= 0) {
            s->row_count--; /* what is not there yet has no part in an impact */
            continue;
        }
        r->carried = s->stop_memory[i] > 0;
        apply_law(s, &s->record->shape->contacts[i], g, s->impact && s->stop_hit[i], r,
                  w + s->total);
        start[s->total] = s->impact ? 0 : s->stop_memory[i];
        s->total += 1;
    }
    return true;
}

/* Rows of a loop where an impact is. */
static bool take_loop(carom_bodies_stepping *s, carom_bodies_row *r, double *rows,
                      const double *rate)
{
    double *to[2];
    if (!room_for_rows(s, r, to))
        return false;
    for (int j = 0; j < r->rows; j++) {
        take_row(s, rows + (size_t)j * (size_t)s->n, r->tree, to, j);
        r->motion[j] = rate[j];
    }
    rates_before(s, r);
    return true;
}

/* The equations of a loop, in parts of at most three. */
static bool add_loop(carom_bodies_stepping *s, int i, int begin, double *rows, double *w,
                     double *start)
{
    const carom_loop *loop = &s->b->loop[i];
    const int all = carom_loop_rows(loop), link[2] = {loop->a, loop->b};
    int tree[2];
    double value[CAROM_LOOP_ROWS], rate[CAROM_LOOP_ROWS] = {0}, bias[CAROM_LOOP_ROWS];
    carom_forest_trees(&s->b->forest, link, tree);
    if (!is_awake(s, tree))
        return true;
    carom_loop_values(&s->b->forest, &s->b->work, loop, value);
    if (s->impact) {
        carom_loop_gradients(&s->b->forest, &s->b->work, loop, rows);
        if (s->b->drives)
            carom_loop_rates(&s->b->forest, &s->b->work, loop, rate, bias);
    }
    for (int k = 0; k < all;) {
        carom_bodies_row *r = new_row(s, CAROM_BODIES_LOOP, i, all - k < 3 ? all - k : 3);
        r->first = begin + k;
        memcpy(r->tree, tree, sizeof tree);
        if (!s->impact)
            carom_bodies_step_middle_take(s, s->stops + i, k, s->stops + r->first, r);
        else if (!take_loop(s, r, rows + (size_t)k * (size_t)s->n, rate + k))
            return false;
        for (int j = 0; j < r->rows; j++, k++) {
            w[s->total + j] = r->motion[j] + (s->impact ? 0 : r->turn[j] + value[k] / s->h);
            start[s->total + j] = s->impact ? 0 : s->loop_memory[r->first + j];
        }
        s->total += r->rows;
    }
    return true;
}

static bool add_loops(carom_bodies_stepping *s, double *w, double *start)
{
    if (s->b->loop_count == 0)
        return true;
    double *rows = carom_arena_zeros(s->scratch, (size_t)s->n * CAROM_LOOP_ROWS, sizeof *rows);
    bool good = rows;
    for (int i = 0, begin = 0; i < s->b->loop_count && good; i++) {
        good = add_loop(s, i, begin, rows, w, start);
        begin += carom_loop_rows(&s->b->loop[i]);
    }
    return good;
}

/* Dry friction |force| <= f is Coulomb's law with a contact that is pressed by f and has mu = 1: a
 * body of its own, of mass 1, that f presses on the ground and whose slip is the joint's velocity.
 */
static bool add_dry_joints(carom_bodies_stepping *s, double *w, double *start)
{
    s->dry = 0;
    for (int j = 0; j < s->b->joint_count; j++) {
        const carom_joint *joint = &s->b->joint[j];
        if (!(joint->is.friction > 0) || joint->loop >= 0 || s->impact)
            continue; /* a force that is bounded has no part in an impact */
        const int tree[2] = {s->b->forest.link[joint->link].tree, -1};
        if (!is_awake(s, tree))
            continue;
        double *to[2];
        carom_bodies_row *r = new_row(s, CAROM_BODIES_DRY_JOINT, j, 2);
        memcpy(r->tree, tree, sizeof tree);
        if (!room_for_rows(s, r, to))
            return false;
        to[0][s->dof[tree[0]] + s->b->forest.place_of[joint->u]] = 1;
        r->first = s->trees + s->dry;
        r->mu = 1;
        rates_before(s, r);
        w[s->total] = w[s->total + 1] = 0;
        start[s->total] = s->dry_memory[2 * j];
        start[s->total + 1] = s->dry_memory[2 * j + 1];
        s->total += 2;
        s->dry++;
    }
    return true;
}

/* ---- the statement ---- */

/* H by contacts: blocks of dof x rows, one for each tree, and for the body of a dry joint. */
static bool fill_blocks(carom_bodies_stepping *s, int *start, int *body, double *H)
{
    int blocks = 0;
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        start[k] = blocks;
        for (int side = 0; side < 2; side++) {
            if (r->tree[side] < 0)
                continue;
            size_t size = (size_t)(r->rows * s->dof[r->tree[side]]);
            body[blocks++] = r->tree[side];
            memcpy(H, r->row[side], size * sizeof *H);
            H += size;
        }
        if (r->source == CAROM_BODIES_DRY_JOINT) {
            body[blocks++] = r->first;
            H[0] = 1;
            H[1] = 0;
            H += 2;
        }
    }
    start[s->row_count] = blocks;
    return true;
}

static size_t block_numbers(const carom_bodies_stepping *s)
{
    size_t sum = 0;
    for (int k = 0; k < s->row_count; k++) {
        for (int side = 0; side < 2; side++)
            if (s->row[k].tree[side] >= 0)
                sum += (size_t)(s->row[k].rows * s->dof[s->row[k].tree[side]]);
        sum += 2;
    }
    return sum;
}

/* Momenta without contacts by tree: M v of the free motion, in an impact of what comes to it;
 * those of dry joints behind them. */
static void fill_momenta(carom_bodies_stepping *s)
{
    const double *v = s->impact ? s->v : s->free;
    const carom_forest *f = &s->b->forest;
    double *p = s->p_free, *M = s->M + s->M_start[s->trees];
    for (int t = 0; t < s->trees; t++) {
        const int k = s->dof[t], *u = f->tree_u + f->tree_start[t];
        const double *block = s->M + s->M_start[t];
        for (int i = 0; i < k; i++, p++) {
            *p = 0;
            for (int j = 0; j < k; j++)
                *p += block[i + k * j] * v[u[j]];
        }
    }
    for (int k = 0; k < s->row_count; k++)
        if (s->row[k].source == CAROM_BODIES_DRY_JOINT) {
            *p++ = -s->h * s->b->joint[s->row[k].index].is.friction;
            *M++ = 1;
        }
}

static carom_status state_problem(carom_bodies_stepping *s, const double *w, carom_error *error)
{
    const size_t count = (size_t)s->row_count;
    int *rows = carom_arena_array(s->scratch, count, sizeof *rows);
    int *start = carom_arena_array(s->scratch, count + 1, sizeof *start);
    int *body = carom_arena_array(s->scratch, 3 * count, sizeof *body);
    bool *bilateral = carom_arena_zeros(s->scratch, count, sizeof *bilateral);
    double *mu = carom_arena_doubles(s->scratch, count);
    double *H = carom_arena_doubles(s->scratch, block_numbers(s));
    if (!rows || !start || !body || !bilateral || !mu || !H)
        return carom_error_memory(error);
    for (int k = 0; k < s->row_count; k++) {
        rows[k] = s->row[k].rows;
        mu[k] = s->row[k].mu;
        bilateral[k] = s->row[k].source == CAROM_BODIES_LOOP;
    }
    fill_blocks(s, start, body, H);
    fill_momenta(s);
    s->problem = (carom_friction_problem){
        .contacts = s->row_count,
        .rows = rows,
        .mu = mu,
        .bilateral = bilateral,
        .form = CAROM_FRICTION_BODIES,
        .bodies = {.count = s->trees + s->dry,
                   .dof = s->dof,
                   .M = s->M,
                   .f = s->p_free,
                   .start = start,
                   .body = body,
                   .H = H},
        .q = w,
    };
    return CAROM_OK;
}

carom_status carom_bodies_step_state(carom_bodies_stepping *s, bool *any, carom_error *error)
{
    const size_t most = (size_t)s->found.count + (size_t)s->stops + 2 * (size_t)s->b->loop_count +
                        (size_t)s->b->joint_count;
    carom_arena_rewind(s->scratch, s->mark);
    double *w = carom_arena_doubles(s->scratch, 3 * most),
           *dense = carom_arena_zeros(s->scratch, (size_t)s->n, sizeof *dense);
    s->row = carom_arena_array(s->scratch, most, sizeof *s->row);
    s->P = carom_arena_doubles(s->scratch, 3 * most);
    if (!w || !dense || !s->row || !s->P)
        return carom_error_memory(error);
    carom_bodies_step_islands(s);
    s->row_count = s->total = 0;
    add_found(s, w, s->P);
    if (s->b->drives)
        carom_forest_velocity(&s->b->forest, s->b->zeros, &s->b->work);
    if (!add_stops(s, dense, w, s->P) || !add_loops(s, w, s->P) || !add_dry_joints(s, w, s->P))
        return carom_error_memory(error);
    *any = s->row_count > 0;
    return *any ? state_problem(s, w, error) : CAROM_OK;
}
