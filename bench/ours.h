/* Ours run through time: a system given by a function, timed without its set-up, as the peers'. */
#ifndef CAROM_BENCH_OURS_H
#define CAROM_BENCH_OURS_H

#include "carom/carom.h"
#include "contest.h"

typedef struct ours {
    carom_system_ops ops;
    void *self;
    carom_system_shape shape;
    const char *law; /* of impacts */
    carom_flow_method method;
    const double *q, *u; /* at the start */
    double step;
    long steps;
} ours;

/* Where the library gets its memory from; NULL: the C library. */
static const carom_allocator *ours_allocator;

/* To the time step * steps; q, u there. Returns the processor seconds, < 0: failed. */
static inline double ours_run(const ours *o, double *q, double *u)
{
    carom_system *system = NULL;
    carom_arena *arena = NULL;
    carom_flow_result result = {0};
    carom_flow_start start = {0, o->q, o->u};
    carom_law law = {.ops = carom_law_find(o->law)};
    carom_flow_options options = carom_flow_options_default();
    options.method = o->method;
    options.step = o->step;
    options.until = o->step * (double)o->steps;
    options.keep_impacts = 0;
    double spent = -1;
    if (carom_system_create(&o->ops, o->self, &o->shape, ours_allocator, &system, NULL) ==
            CAROM_OK &&
        carom_arena_create(ours_allocator, &arena, NULL) == CAROM_OK) {
        double begin = contest_now();
        if (carom_flow_run(system, &law, &start, &options, NULL, arena, &result, NULL) == 0) {
            spent = contest_now() - begin;
            memcpy(q, result.q, (size_t)o->shape.nq * sizeof *q);
            memcpy(u, result.u, (size_t)o->shape.n * sizeof *u);
        }
    }
    carom_system_destroy(system);
    carom_arena_destroy(arena);
    return spent;
}

#endif
