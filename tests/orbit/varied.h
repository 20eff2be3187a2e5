/* A motion with its derivatives, for the tests of variations. */
#ifndef CAROM_TESTS_ORBIT_VARIED_H
#define CAROM_TESTS_ORBIT_VARIED_H

#include "carom/io.h"
#include "check.h"

enum { MOST = 8 };

/* A motion with its derivatives. */
typedef struct motion {
    carom_scene *scene;
    const carom_scene_content *content;
    const carom_system_shape *shape;
    carom_arena *arena;
    carom_law law;
    carom_flow_options options;
    carom_flow_result result;
    carom_orbit_tangents tangents;
    carom_status status;
} motion;

static inline void open_motion(motion *m, const char *text, int count, const char *const *sets)
{
    carom_error error = {0};
    const carom_scene_options options = {.sets = sets, .set_count = count, .derivatives = true};
    *m = (motion){0};
    if (carom_scene_read_text(text, strlen(text), &options, &m->scene, &error))
        print_error("%s\n%d:%d\n", text, error.line, error.column);
    check_ok(error.status, &error);
    m->content = carom_scene_get(m->scene);
    m->shape = carom_system_get_shape(m->content->system);
    m->options = *m->content->run;
    check_ok(carom_scene_choose_law(m->scene, NULL, &m->law, NULL, &error), &error);
    check_ok(carom_arena_create(NULL, &m->arena, &error), &error);
}

static inline void close_motion(motion *m)
{
    carom_scene_destroy(m->scene);
    carom_arena_destroy(m->arena);
}

static inline void run_plain(motion *m)
{
    carom_error error = {0};
    m->status = carom_flow_run(m->content->system, &m->law, &m->content->initial, &m->options, NULL,
                               m->arena, &m->result, &error);
    if (m->status < 0)
        print_error("%s\n", error.text);
    assert_true(m->status >= 0);
}

static inline void run_varied(motion *m, int count, const char *const *names)
{
    static double t[MOST], until[MOST], q[MOST * MOST], u[MOST * MOST], parameters[64 * MOST];
    static const carom_contact *contacts[MOST];
    carom_error error = {0};
    const int n = m->shape->n, p = m->content->parameter_count;
    for (int j = 0; j < count; j++) {
        carom_scene_direction d;
        check_ok(carom_scene_direction_create(m->scene, names[j], m->arena, &d, &error), &error);
        t[j] = d.t;
        until[j] = d.until;
        memcpy(q + j * n, d.q, sizeof(double) * (size_t)n);
        memcpy(u + j * n, d.u, sizeof(double) * (size_t)n);
        memcpy(parameters + j * p, d.parameters, sizeof(double) * (size_t)p);
        contacts[j] = d.contacts;
    }
    const carom_orbit_directions along = {count, t, q, u, parameters, contacts, until};
    m->status = carom_orbit_run(m->content->system, &m->law, &m->content->initial, &m->options,
                                &along, NULL, m->arena, &m->result, &m->tangents, &error);
    if (m->status < 0)
        print_error("%s\n", error.text);
    assert_true(m->status >= 0);
}

#endif
