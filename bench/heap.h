/* Heaps of boxes and balls, run by us; and what is measured of any engine's run. */
#ifndef CAROM_BENCH_HEAP_H
#define CAROM_BENCH_HEAP_H

#include "carom/bodies.h"
#include "carom/carom.h"
#include "contest.h"
#include "peers/peers.h"

#include <sys/mman.h>

/* ---- the scene as ours ---- */

typedef struct heap_system {
    carom_system *system;
    const carom_bodies *bodies;
    carom_shape **shapes;
    int shape_count;
} heap_system;

static const double heap_normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};

static inline carom_shape *heap_shape(const heap_body *b)
{
    carom_shape_def def =
        carom_shape_def_default(b->size[1] == 0 ? CAROM_SHAPE_SPHERE : CAROM_SHAPE_BOX);
    carom_shape *shape = NULL;
    memcpy(def.size, b->size, sizeof def.size);
    return carom_shape_create(&def, NULL, &shape, NULL) == CAROM_OK ? shape : NULL;
}

static inline void heap_system_drop(heap_system *h)
{
    carom_system_destroy(h->system);
    for (int k = 0; k < h->shape_count; k++)
        carom_shape_destroy(h->shapes[k]);
    free(h->shapes);
}

static inline bool heap_system_make(const heap_scene *s, heap_system *h)
{
    int walls = s->wall > 0 ? 5 : 1, total = s->n + walls;
    carom_body_def *list = calloc((size_t)total, sizeof *list);
    carom_body_shape *parts = calloc((size_t)total, sizeof *parts);
    *h = (heap_system){.shapes = calloc((size_t)total, sizeof *h->shapes)};
    for (int i = 0; list && parts && h->shapes && i < total; i++) {
        list[i] = carom_body_def_default("body");
        if (i < s->n) {
            h->shapes[i] = heap_shape(&s->bodies[i]);
            memcpy(list[i].position, s->bodies[i].at, sizeof list[i].position);
            memcpy(list[i].turn, s->bodies[i].turn, sizeof list[i].turn);
            memcpy(list[i].velocity, s->bodies[i].velocity, sizeof list[i].velocity);
        } else {
            const double *normal = heap_normals[i - s->n];
            carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_PLANE);
            memcpy(def.normal, normal, sizeof def.normal);
            for (int k = 0; k < 2; k++)
                list[i].position[k] = -s->wall * normal[k];
            list[i].fixed = true;
            carom_shape_create(&def, NULL, &h->shapes[i], NULL);
        }
        h->shape_count = i + 1;
        parts[i] = (carom_body_shape){.shape = h->shapes[i], .turn = {1}};
        list[i].shapes = &parts[i];
        list[i].shape_count = 1;
    }
    carom_world_def world = carom_world_def_default(3);
    world.gravity[2] = -s->gravity;
    world.contact.friction_static = world.contact.friction_dynamic = s->friction;
    world.body_count = total;
    world.bodies = list;
    carom_error error = {0};
    bool made = h->shape_count == total &&
                carom_system_bodies(&world, NULL, &h->system, NULL, &error) == CAROM_OK;
    if (made)
        h->bodies = carom_bodies_of(h->system);
    else
        fprintf(stderr, "%s\n", error.text);
    free(list);
    free(parts);
    return made;
}

/* ---- run by us ---- */

typedef struct heap_watch {
    const heap_scene *scene;
    double looking; /* seconds, which are not ours */
} heap_watch;

/* Our spin is in body axes; who looks wants space axes. */
static inline carom_status heap_row(void *self, const carom_flow_row *row, carom_error *error)
{
    heap_watch *w = self;
    const heap_scene *s = w->scene;
    double begin = contest_now();
    (void)error;
    memcpy(s->q, row->q, 7 * (size_t)s->n * sizeof *s->q);
    for (int i = 0; i < s->n; i++) {
        carom_pose pose;
        const double *u = row->u + 6 * i;
        carom_pose_set(&pose, row->q + 7 * i, row->q + 7 * i + 3);
        for (int k = 0; k < 3; k++) {
            s->u[6 * i + k] = u[k];
            s->u[6 * i + 3 + k] =
                pose.rotation[k] * u[3] + pose.rotation[3 + k] * u[4] + pose.rotation[6 + k] * u[5];
        }
    }
    s->look(s->self, s->q, s->u);
    w->looking += contest_now() - begin;
    return CAROM_OK;
}

static inline double heap_run(const heap_scene *s)
{
    heap_system h;
    carom_arena *arena = NULL;
    double spent = -1;
    if (heap_system_make(s, &h) && carom_arena_create(NULL, &arena, NULL) == CAROM_OK) {
        const carom_system_shape *shape = carom_system_get_shape(h.system);
        double *q = calloc((size_t)shape->nq, sizeof *q), *u = calloc((size_t)shape->n, sizeof *u);
        carom_flow_result result = {0};
        carom_flow_start start = {0, q, u};
        carom_law law = {.ops = carom_law_find("coulomb")};
        carom_flow_options options = carom_flow_options_default();
        heap_watch watch = {s, 0};
        carom_flow_observer observer = {.self = &watch, .row = heap_row};
        options.method = CAROM_FLOW_TIME_STEPPING;
        options.step = s->step;
        options.until = s->step * (double)s->steps;
        options.output = s->step * (double)s->every;
        options.keep_impacts = 0;
        carom_bodies_start(h.bodies, q, u);
        double begin = contest_now();
        if (carom_flow_run(h.system, &law, &start, &options, &observer, arena, &result, NULL) == 0)
            spent = contest_now() - begin - watch.looking;
        free(q);
        free(u);
    }
    carom_arena_destroy(arena);
    heap_system_drop(&h);
    return spent;
}

/* ---- what is measured ---- */

typedef struct heap_measure {
    const heap_scene *scene;
    heap_system system;
    carom_arena *arena;
    double first; /* x of the first body */
    double drift; /* largest distance of a centre from where it was at the start */
    double depth; /* deepest overlap */
    double gain;  /* energy that came from nowhere: the largest rise over an earlier value, of that
                     at the start */
    double energy, least;
} heap_measure;

static inline bool heap_measure_create(const heap_scene *scene, heap_measure *m)
{
    *m = (heap_measure){.scene = scene};
    return heap_system_make(scene, &m->system) &&
           carom_arena_create(NULL, &m->arena, NULL) == CAROM_OK;
}

static inline void heap_measure_drop(heap_measure *m)
{
    carom_arena_destroy(m->arena);
    heap_system_drop(&m->system);
}

static inline double heap_energy(const heap_scene *s, const double *q, const double *u)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        const double *L = s->bodies[i].size, *v = u + 6 * i, *w = v + 3;
        carom_pose pose;
        bool ball = L[1] == 0;
        double mass = 1000 * (ball ? 4 * M_PI / 3 * L[0] * L[0] * L[0] : L[0] * L[1] * L[2]);
        carom_pose_set(&pose, q + 7 * i, q + 7 * i + 3);
        sum += mass * (s->gravity * q[7 * i + 2] + (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2);
        for (int k = 0; k < 3; k++) {
            const double *axis = pose.rotation + 3 * k;
            double x = L[(k + 1) % 3], y = L[(k + 2) % 3];
            double moment = mass * (ball ? 0.4 * L[0] * L[0] : (x * x + y * y) / 12);
            double about = axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2];
            sum += moment * about * about / 2;
        }
    }
    return sum;
}

/* Before a run: the start counts as looked at. */
static inline void heap_measure_start(heap_measure *m)
{
    const heap_scene *s = m->scene;
    for (int i = 0; i < s->n; i++) {
        memcpy(s->q + 7 * i, s->bodies[i].at, 3 * sizeof *s->q);
        memcpy(s->q + 7 * i + 3, s->bodies[i].turn, 4 * sizeof *s->q);
        memset(s->u + 6 * i, 0, 6 * sizeof *s->u);
        memcpy(s->u + 6 * i, s->bodies[i].velocity, 3 * sizeof *s->u);
    }
    m->energy = m->least = heap_energy(s, s->q, s->u);
    m->drift = m->depth = m->gain = 0;
}

static inline void heap_measure_look(void *self, const double *q, const double *u)
{
    heap_measure *m = self;
    const heap_scene *s = m->scene;
    carom_bodies_contacts found = {0};
    double energy = heap_energy(s, q, u), far = 0;
    for (int i = 0; i < s->n; i++) {
        const double *a = q + 7 * i, *b = s->bodies[i].at;
        double moved = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        far = moved >= far ? moved : isnan(moved) ? INFINITY : far;
    }
    m->first = q[0];
    m->drift = far;
    m->gain = fmax(m->gain, isnan(energy) ? INFINITY : (energy - m->least) / m->energy);
    m->least = fmin(m->least, energy);
    if (carom_bodies_find(m->system.bodies, 0, q, u, 0, m->arena, &found, NULL) == CAROM_OK)
        for (int k = 0; k < found.count; k++)
            m->depth = fmax(m->depth, -found.contact[k].touch.gap);
    carom_arena_reset(m->arena);
}

#endif
