/* Motions for Python: run with every row kept, and Ctrl-C looked for on the way. */
#include "bridge.h"

#include <stdlib.h>
#include <time.h>

typedef struct watcher {
    carom_trace_writer *writer;
    void *python;
    double asked; /* when Python was, last */
} watcher;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    return carom_trace_row(((watcher *)self)->writer, row, error);
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    return carom_trace_impact(((watcher *)self)->writer, impact, error);
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *accumulation,
                                    carom_error *error)
{
    return carom_trace_accumulation(((watcher *)self)->writer, accumulation, error);
}

static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    return carom_trace_change(((watcher *)self)->writer, change, error);
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    return carom_trace_instant(((watcher *)self)->writer, instant, error);
}

/* Is it time to ask again? */
static bool is_due(double *asked)
{
    const double pause = 0.05, now = seconds();
    if (now - *asked < pause)
        return false;
    *asked = now;
    return true;
}

static bool go_on(void *self, const char *what, double done)
{
    bridge_watch *w = self;
    return !is_due(&w->asked) || bridge_go_on(w->python, what, done);
}

void bridge_watch_begin(bridge_watch *watch, void *python)
{
    *watch = (bridge_watch){
        .watch = {.go_on = go_on, .self = watch}, .python = python, .asked = seconds()};
}

/* Taking Python's lock for every few hundred steps would cost more than the steps. */
static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    watcher *w = self;
    (void)error;
    if (!is_due(&w->asked))
        return CAROM_OK;
    return bridge_progress(w->python, t, steps) ? CAROM_STOPPED : CAROM_OK;
}

static carom_status run_into(watcher *w, const carom_system *system, const carom_law *law,
                             const carom_flow_start *start, const carom_flow_options *options,
                             bridge_motion *motion, carom_error *error)
{
    const carom_flow_observer observer = {.self = w,
                                          .row = on_row,
                                          .impact = on_impact,
                                          .accumulation = on_accumulation,
                                          .change = on_change,
                                          .instant = on_instant,
                                          .progress = on_progress};
    carom_error late = {0};
    carom_status status = carom_flow_run(system, law, start, options, &observer, motion->arena,
                                         &motion->result, error);
    carom_status kept =
        carom_trace_finish(w->writer, status < 0 ? NULL : &motion->result, &motion->hash, &late);
    if (status >= 0 && kept) {
        *error = late;
        return kept;
    }
    return status;
}

carom_status bridge_run(const carom_system *system, const carom_scene *scene, const carom_law *law,
                        const carom_flow_start *start, const carom_flow_options *options,
                        void *python, bridge_motion **motion, carom_error *error)
{
    watcher w = {.python = python, .asked = seconds()};
    const carom_trace_header header = {.title = scene ? carom_scene_get(scene)->title : NULL,
                                       .law = law->ops->name,
                                       .method = carom_flow_method_text(options->method),
                                       .system = system,
                                       .scene = scene};
    bridge_motion *m = calloc(1, sizeof *m);
    if (!m)
        return carom_error_memory(error);
    carom_status status = carom_arena_create(NULL, &m->arena, error);
    if (!status)
        status = carom_trace_keep(&header, 0, NULL, &m->trace, &w.writer, error);
    if (!status)
        status = run_into(&w, system, law, start, options, m, error);
    if (status < 0 && status != CAROM_ERROR_CALLBACK)
        bridge_motion_destroy(m);
    else
        *motion = m;
    return status;
}

void bridge_motion_destroy(bridge_motion *motion)
{
    if (!motion)
        return;
    carom_trace_destroy(&motion->trace);
    carom_arena_destroy(motion->arena);
    free(motion);
}
