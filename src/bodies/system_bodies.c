/* A system made of bodies: M by trees, h, stops and ropes as contacts, loops as joints
 * (docs/theory/bodies.md). */
#include "base/parts.h"
#include "bodies/bodies.h"
#include "bodies/bodies_names.h"
#include "bodies/joint_forces.h"
#include "bodies/stops.h"
#include "carom/need.h"
#include "system/system.h"

#include <string.h>

/* ---- contacts ---- */

static void fill_stops(const carom_bodies *b, unsigned want, carom_state *s)
{
    const size_t n = (size_t)b->forest.n;
    for (int i = 0; i < b->stop_count; i++) {
        double *row = s->W + (size_t)i * n;
        if (want & CAROM_WANT_GAPS)
            s->g[i] = carom_stop_gap(b, i, s->q);
        if (want & CAROM_WANT_NORMALS) {
            memset(row, 0, n * sizeof *row);
            carom_stop_row(b, i, row);
        }
        if (want & CAROM_WANT_BIASES)
            s->g_bias[i] = carom_stop_bias(b, i);
    }
}

/* The row of a listed contact over the velocities of its trees; none: zeros. */
static void scatter(const carom_bodies *b, const carom_listed *l, const carom_bodies_contact *c,
                    int which, double *column)
{
    const carom_forest *f = &b->forest;
    const int tree[2] = {f->link[b->part[l->one].link].tree, f->link[b->part[l->two].link].tree};
    for (int side = 0; side < 2; side++)
        for (int k = 0;
             tree[side] >= 0 && k < f->tree_start[tree[side] + 1] - f->tree_start[tree[side]]; k++)
            column[f->tree_u[f->tree_start[tree[side]] + k]] = 0;
    for (int side = 0; side < 2 && c; side++) {
        if (c->tree[side] < 0)
            continue;
        const int *u = f->tree_u + f->tree_start[c->tree[side]];
        int size = f->tree_start[c->tree[side] + 1] - f->tree_start[c->tree[side]];
        for (int k = 0; k < size; k++)
            column[u[k]] = c->rows[side][which * size + k];
    }
}

static void fill_place(const carom_bodies *b, unsigned want, const carom_listed *l, int place,
                       int slip, int slips, carom_state *s)
{
    const int i = b->stop_count + place;
    const size_t n = (size_t)b->forest.n;
    const carom_bodies_contact *c =
        b->list.contact[place] < 0 ? NULL : &b->list.found[b->list.contact[place]];
    if (want & CAROM_WANT_GAPS)
        s->g[i] = c ? c->touch.gap : b->list.away[place];
    if (want & CAROM_WANT_NORMALS) {
        scatter(b, l, c, 0, s->W + (size_t)i * n);
        s->w_hat[i] = c ? c->rate[0] : 0;
    }
    if (want & CAROM_WANT_BIASES)
        s->g_bias[i] = c ? c->bias[0] : 0;
    for (int k = 0; k < slips; k++) {
        if (want & CAROM_WANT_SLIPS) {
            scatter(b, l, c, 1 + k, s->H + (size_t)(slip + k) * n);
            s->slip_motion[slip + k] = c ? c->rate[1 + k] : 0;
        }
        if (want & CAROM_WANT_BIASES)
            s->slip_bias[slip + k] = c ? c->bias[1 + k] : 0;
    }
}

static carom_status fill_list(carom_bodies *b, unsigned want, carom_state *s, carom_error *error)
{
    int slip = 0;
    carom_status status = carom_list_look(b, s->u, true, error);
    for (int k = 0; k < b->list.pair_count && !status; k++) {
        const carom_listed *l = &b->list.pair[k];
        carom_contact is = carom_bodies_material(b, b->part[l->one].body, b->part[l->two].body);
        int slips = is.friction_static > 0 ? b->space - 1 : 0;
        for (int i = l->first; i < l->first + l->count; i++, slip += slips)
            fill_place(b, want, l, i, slip, slips, s);
    }
    return status;
}

/* Rates that prescribed motions cause alone: those at velocities zero. */
static void fill_hats(carom_bodies *b, unsigned want, carom_state *s)
{
    double *f = s->b_hat, bias[CAROM_LOOP_ROWS];
    if (!b->drives || !(want & (CAROM_WANT_NORMALS | CAROM_WANT_JOINTS)))
        return;
    carom_forest_velocity(&b->forest, b->zeros, &b->work);
    for (int i = 0; i < b->stop_count && want & CAROM_WANT_NORMALS; i++)
        s->w_hat[i] = carom_stop_motion(b, i);
    for (int k = 0; k < b->loop_count && want & CAROM_WANT_JOINTS; k++) {
        carom_loop_rates(&b->forest, &b->work, &b->loop[k], f, bias);
        f += carom_loop_rows(&b->loop[k]);
    }
}

/* ---- loops ---- */

static void fill_loops(const carom_bodies *b, unsigned want, carom_state *s)
{
    size_t n = (size_t)b->forest.n;
    double rate[CAROM_LOOP_ROWS];
    if (want & CAROM_WANT_JOINTS)
        memset(s->B, 0, n * (size_t)b->loop_rows * sizeof *s->B);
    for (int k = 0, at = 0; k < b->loop_count; k++) {
        const carom_loop *loop = &b->loop[k];
        if (want & CAROM_WANT_JOINTS) {
            carom_loop_values(&b->forest, &b->work, loop, s->f + at);
            carom_loop_gradients(&b->forest, &b->work, loop, s->B + n * (size_t)at);
        }
        if (want & CAROM_WANT_BIASES)
            carom_loop_rates(&b->forest, &b->work, loop, rate, s->b_bias + at);
        at += carom_loop_rows(loop);
    }
}

/* ---- mass and energy ---- */

static void fill_mass(carom_bodies *b, bool diagonal, carom_state *s)
{
    const carom_forest *f = &b->forest;
    for (int tree = 0; tree < f->tree_count; tree++) {
        const int *u = f->tree_u + f->tree_start[tree];
        int size = f->tree_start[tree + 1] - f->tree_start[tree];
        carom_forest_mass(f, tree, &b->work, b->block);
        for (int j = 0; j < size; j++) {
            if (diagonal)
                s->M[u[j]] = b->block[j + size * j];
            for (int i = 0; i < size && !diagonal; i++)
                s->M[(size_t)u[i] + (size_t)u[j] * (size_t)f->n] = b->block[i + size * j];
        }
    }
}

/* d/dt of (1/2 u'Mu + V) with the ground moving as prescribed and the velocities held, u'h apart.
 * In each tree W = V - V_d is the motion that the velocities cause; 1/2 u'M'u is the sum over links
 * of W.I(A - A_d) - (V x W).I W. */
static double power_of_drives(const carom_bodies *b)
{
    const carom_forest *f = &b->forest;
    double sum = 0;
    for (int k = 0; k < f->branch_start[f->tree_count]; k++) {
        int i = f->branch[k], base = i;
        while (base >= 0 && f->link[base].tree >= 0)
            base = f->link[base].parent;
        const carom_forest_work *w = &b->work;
        motion V = w->V[i], W = V, rate = w->A[i];
        if (base >= 0) {
            v3 to = v3_sub(w->origin[i], w->origin[base]);
            W = motion_along(W, -1, (motion){w->V[base].w, motion_at(w->V[base], to)});
            rate = motion_along(rate, -1, (motion){w->A[base].w, motion_at(w->A[base], to)});
        }
        inertia I = carom_forest_inertia(&f->link[i], &w->place[i], w->origin[i]);
        wrench momentum = inertia_apply(&I, W);
        v3 c = v3_sub(frame_point(&w->place[i], f->link[i].centre), w->origin[i]);
        sum += power_of(rate, momentum) - power_of(motion_cross(V, W), momentum);
        sum -= f->link[i].mass * v3_dot(v3_of(f->gravity), motion_at(V, c));
    }
    return sum;
}

static void fill_energy(carom_bodies *b, carom_state *s)
{
    double *h = b->scratch; /* as work space */
    memset(h, 0, (size_t)b->forest.n * sizeof *h);
    double power = carom_joint_forces(b, s->t, s->q, s->u, h, NULL);
    s->kinetic = carom_forest_kinetic(&b->forest, &b->work);
    for (int k = 0; k < b->forest.n && b->forest.armature; k++)
        s->kinetic += b->forest.armature[k] * s->u[k] * s->u[k] / 2;
    s->potential = carom_forest_potential(&b->forest, &b->work) + carom_joint_springs(b, s->q);
    s->power = power;
    if (!b->drives)
        return;
    memset(h, 0, (size_t)b->forest.n * sizeof *h);
    carom_forest_forces(&b->forest, &b->work, h);
    for (int k = 0; k < b->forest.n; k++)
        s->power += h[k] * s->u[k];
    s->power += power_of_drives(b);
}

static carom_status evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    carom_bodies *b = self;
    const unsigned moving = CAROM_WANT_FORCES | CAROM_WANT_BIASES | CAROM_WANT_ENERGY;
    carom_status status = carom_bodies_move(b, s->t, s->q, NULL, error);
    if (status)
        return status;
    fill_hats(b, want, s);
    if (b->list.count > 0 &&
        want & (CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_BIASES)) {
        status = fill_list(b, want, s, error);
        if (status)
            return status;
    }
    if (want & moving)
        carom_forest_velocity(&b->forest, s->u, &b->work);
    if (want & CAROM_WANT_KINEMATICS && s->N)
        carom_forest_kinematics(&b->forest, s->q, s->N);
    if (want & CAROM_WANT_MASS)
        fill_mass(b, b->diagonal, s);
    if (want & CAROM_WANT_FORCES) {
        carom_forest_forces(&b->forest, &b->work, s->h);
        carom_joint_forces(b, s->t, s->q, s->u, s->h, NULL);
    }
    if (want & (CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_BIASES))
        fill_stops(b, want, s);
    if (want & (CAROM_WANT_JOINTS | CAROM_WANT_BIASES))
        fill_loops(b, want, s);
    if (want & CAROM_WANT_ENERGY)
        fill_energy(b, s);
    for (int k = 0; want & CAROM_WANT_EVENTS && k < b->instant_count; k++)
        s->event[k] = b->instant[k].value(b->instant[k].self, s->t, s->q, s->u);
    return CAROM_OK;
}

static void destroy(void *self)
{
    carom_bodies_parts_drop(self);
    carom_list_drop(self);
    carom_arena_destroy(((carom_bodies *)self)->arena);
}

static const carom_system_ops bodies_ops = {
    .name = "bodies",
    .evaluate = evaluate,
    .destroy = destroy,
};

const carom_bodies *carom_bodies_of(const carom_system *system)
{
    CAROM_NEED_OR(NULL, system);
    return system->ops == &bodies_ops ? system->self : NULL;
}

/* ---- making ---- */

/* Columns of M that a tree has in common: all its velocities. */
static carom_status mass_pattern(const carom_bodies *b, carom_pattern *pattern, carom_error *error)
{
    const carom_forest *f = &b->forest;
    size_t entries = 0;
    int *start = carom_arena_array(b->arena, (size_t)f->n + 1, sizeof *start);
    for (int t = 0; t < f->tree_count; t++) {
        size_t size = (size_t)(f->tree_start[t + 1] - f->tree_start[t]);
        entries += size * size;
    }
    int *row = carom_arena_array(b->arena, entries, sizeof *row), at = 0;
    if (!start || !row)
        return carom_error_memory(error);
    for (int j = 0; j < f->n; j++) {
        int tree = f->link[f->link_of[j]].tree;
        start[j] = at;
        for (int k = f->tree_start[tree]; k < f->tree_start[tree + 1]; k++)
            row[at++] = f->tree_u[k];
    }
    start[f->n] = at;
    *pattern = (carom_pattern){start, row};
    return CAROM_OK;
}

/* What holds for every state. */
static void describe(carom_bodies *b, carom_system_shape *shape)
{
    const carom_forest *f = &b->forest;
    bool single = !f->armature, diagonal = true, even = true, straight = true;
    for (int i = 0; i < f->link_count; i++) {
        const carom_link *l = &f->link[i];
        bool in_space = l->ops == &carom_link_free, in_plane = l->ops == &carom_link_free_plane;
        const m3 *J = &l->inertia;
        straight = straight && carom_forest_quaternion(l) < 0;
        if (l->tree < 0)
            continue;
        single = single && (in_space || in_plane);
        diagonal = diagonal && (in_plane || (J->x.y == 0 && J->x.z == 0 && J->y.z == 0));
        even = even && (in_plane || (diagonal && J->x.x == J->y.y && J->y.y == J->z.z));
    }
    b->diagonal = single && diagonal;
    shape->mass_is_constant = single;
    shape->mass_is_diagonal = b->diagonal;
    shape->forces_are_constant = single && even;
    shape->power_is_zero = single && !b->drives;
    shape->rows_are_timeless = !b->drives;
    shape->kinematics_is_identity = straight;
}

/* Instants of its own are events that set nothing. */
static carom_status make_instants(carom_bodies *b, const carom_world_def *world,
                                  carom_system_shape *shape, carom_error *error)
{
    const size_t count = (size_t)world->instant_count;
    carom_system_event *events = carom_arena_zeros(b->arena, count, sizeof *events);
    b->instant = carom_arena_array(b->arena, count, sizeof *b->instant);
    if (!events || !b->instant)
        return carom_error_memory(error);
    for (size_t k = 0; k < count; k++) {
        const char *name = world->instants[k].name;
        b->instant[k] = world->instants[k];
        b->instant[k].name = name ? carom_arena_text(b->arena, name, strlen(name)) : "";
        if (!b->instant[k].name)
            return carom_error_memory(error);
        events[k] =
            (carom_system_event){.name = b->instant[k].name, .direction = b->instant[k].direction};
    }
    b->instant_count = world->instant_count;
    shape->event_count = world->instant_count;
    shape->events = events;
    return CAROM_OK;
}

static carom_status make_shape(carom_bodies *b, const carom_world_def *world,
                               carom_system_shape *shape, carom_error *error)
{
    carom_bodies_names names;
    carom_status status = carom_bodies_names_make(b, world, b->arena, &names, error);
    if (status)
        return status;
    *shape = (carom_system_shape){.nq = b->forest.nq,
                                  .n = b->forest.n,
                                  .p = b->stop_count + b->list.count,
                                  .m = b->loop_rows,
                                  .coordinates = names.coordinates,
                                  .velocities = names.velocities,
                                  .contacts = names.stops,
                                  .joints = names.loops};
    for (int k = 0; k < shape->p; k++)
        shape->s += names.stops[k].slip_count;
    describe(b, shape);
    status = make_instants(b, world, shape, error);
    if (status)
        return status;
    return shape->mass_is_diagonal ? CAROM_OK : mass_pattern(b, &shape->mass_pattern, error);
}

static carom_status prepare(carom_bodies *b, const carom_world_def *world,
                            const carom_bodies_report *to)
{
    size_t largest = 0;
    b->space = world->space;
    b->body_count = world->body_count;
    b->joint_count = world->joint_count;
    b->rope_count = world->rope_count;
    b->body = carom_arena_array(b->arena, (size_t)world->body_count, sizeof *b->body);
    if (!b->body)
        return carom_error_memory(to->error);
    if (world->body_count)
        memcpy(b->body, world->bodies, (size_t)world->body_count * sizeof *b->body);
    carom_status status = carom_bodies_build(world, b, to);
    if (status)
        return status;
    if (b->forest.n == 0) {
        carom_error_set(to->error, CAROM_ERROR_INPUT,
                        "nothing can move: all bodies are fixed, or there are none");
        return carom_bodies_blamed(to, CAROM_BODIES_WORLD, 0, CAROM_ERROR_INPUT);
    }
    for (int t = 0; t < b->forest.tree_count; t++) {
        size_t size = (size_t)(b->forest.tree_start[t + 1] - b->forest.tree_start[t]);
        largest = size > largest ? size : largest;
    }
    size_t n = (size_t)b->forest.n;
    b->zeros = carom_arena_zeros(b->arena, n, sizeof *b->zeros);
    b->scratch = carom_arena_zeros(b->arena, n, sizeof *b->scratch);
    b->block = carom_arena_zeros(b->arena, largest * largest, sizeof *b->block);
    b->q = carom_arena_zeros(b->arena, (size_t)b->forest.nq, sizeof *b->q);
    b->u = carom_arena_zeros(b->arena, n, sizeof *b->u);
    if (!b->zeros || !b->scratch || !b->block || !b->q || !b->u)
        return carom_error_memory(to->error);
    status = carom_forest_work_create(&b->forest, b->arena, &b->work, to->error);
    return status ? status : carom_bodies_parts(world, b, to->error);
}

/* Texts of definitions are the caller's: the model keeps its own. */
static carom_status keep_names(carom_bodies *b, carom_error *error)
{
    for (int k = 0; k < b->body_count; k++)
        if (b->body[k].name && !(b->body[k].name = carom_arena_text(b->arena, b->body[k].name,
                                                                    strlen(b->body[k].name))))
            return carom_error_memory(error);
    for (int k = 0; k < b->joint_count; k++) {
        carom_joint_def *d = &b->joint[k].is;
        if (d->name && !(d->name = carom_arena_text(b->arena, d->name, strlen(d->name))))
            return carom_error_memory(error);
    }
    return CAROM_OK;
}

static carom_status make(carom_bodies *b, const carom_world_def *world,
                         const carom_allocator *allocator, carom_system **system,
                         const carom_bodies_report *to)
{
    carom_system_shape shape;
    carom_status status = prepare(b, world, to);
    if (!status)
        status = keep_names(b, to->error);
    if (!status)
        status = carom_bodies_start_find(b, to);
    if (!status)
        status = carom_list_make(b, to->error);
    if (!status)
        status = make_shape(b, world, &shape, to->error);
    return status ? status
                  : carom_system_create(&bodies_ops, b, &shape, allocator, system, to->error);
}

carom_status carom_system_bodies(const carom_world_def *world, const carom_allocator *allocator,
                                 carom_system **system, carom_bodies_blame *blame,
                                 carom_error *error)
{
    CAROM_NEED(error, world, system);
    const carom_bodies_report to = {blame, error};
    carom_bodies *bodies;
    if (blame)
        *blame = (carom_bodies_blame){CAROM_BODIES_NOTHING, 0};
    carom_status status = carom_bodies_check(world, &to);
    if (!status)
        status = carom_arena_object(allocator, sizeof *bodies, &bodies, error);
    if (status)
        return status;
    status = make(bodies, world, allocator, system, &to);
    if (status)
        destroy(bodies);
    return status;
}
