/* Speed of the motion: impacts per second event-driven, steps per second time-stepping. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "carom/carom.h"
#include "carom/io.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static carom_status ball(void *self, unsigned want, carom_state *state, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    state->M[0] = 1;
    state->h[0] = -9.81;
    state->g[0] = state->q[0];
    state->W[0] = 1;
    state->potential = 9.81 * state->q[0];
    return CAROM_OK;
}

enum { BEADS = 10 };

static carom_status column(void *self, unsigned want, carom_state *state, carom_error *error)
{
    (void)self;
    (void)error;
    if (want & CAROM_WANT_GAPS) {
        state->g[0] = state->q[0] - 0.1;
        for (int i = 1; i < BEADS; i++)
            state->g[i] = state->q[i] - state->q[i - 1] - 0.2;
    }
    state->W[0] = 1;
    for (int i = 0; i < BEADS; i++) {
        state->M[i] = 1;
        state->h[i] = -9.81;
        if (i > 0) {
            state->W[i - 1 + i * BEADS] = -1;
            state->W[i + i * BEADS] = 1;
        }
    }
    state->potential = 0;
    for (int i = 0; i < BEADS; i++)
        state->potential += 9.81 * state->q[i];
    return CAROM_OK;
}

static void run(const char *name,
                carom_status (*evaluate)(void *, unsigned, carom_state *, carom_error *), int n,
                double e, const double *q, carom_flow_options options, bool impacts, bool constant)
{
    carom_contact contact[BEADS];
    int slips[BEADS + 1] = {0};
    for (int i = 0; i < n; i++) {
        contact[i] = carom_contact_default();
        contact[i].restitution = e;
    }
    carom_system_shape shape = {.nq = n,
                                .n = n,
                                .p = n,
                                .mass_is_diagonal = true,
                                .mass_is_constant = true,
                                .rows_are_timeless = true,
                                .forces_are_constant = constant,
                                .power_is_zero = constant,
                                .rows_are_constant = constant,
                                .kinematics_is_identity = true,
                                .contacts = contact,
                                .slip_start = slips};
    carom_system_ops ops = {.name = name, .evaluate = evaluate};
    carom_system *system;
    carom_arena *arena;
    carom_error error = {0};
    carom_flow_result r;
    double u[BEADS] = {0};
    carom_flow_start start = {0, q, u};
    if (carom_system_create(&ops, NULL, &shape, NULL, &system, &error) ||
        carom_arena_create(NULL, &arena, &error)) {
        printf("%s: %s\n", name, error.text);
        return;
    }
    options.keep_impacts = 0;
    double begin = now();
    carom_status status = carom_flow_run(system, NULL, &start, &options, NULL, arena, &r, &error);
    double spent = now() - begin;
    if (status != CAROM_OK)
        printf("%-28s %s\n", name, status < 0 ? error.text : r.message);
    else
        printf("%-28s %9ld %s %8.3f s  %10.0f per second (%ld steps, %ld rejected)\n", name,
               impacts ? r.impact_count : r.steps, impacts ? "impacts" : "steps  ", spent,
               (double)(impacts ? r.impact_count : r.steps) / spent, r.steps, r.rejected);
    carom_system_destroy(system);
    carom_arena_destroy(arena);
}

/* A ball on a table that shakes, as a scene: with flights by bounds, and with an event that never
 * happens, which asks for samples. */
static void run_table(const char *name, const char *events, double until)
{
    char text[500];
    carom_scene *scene;
    carom_arena *arena;
    carom_error error = {0};
    carom_flow_result r;
    snprintf(text, sizeof text,
             "carom: 1\nsystem:\n  coordinates: [x]\n  kinetic: x'^2/2\n  potential: 9.81*x\n"
             "  contacts: {table: {gap: x - 0.01*sin(60*t), restitution: 0.8}}\n%s"
             "initial: {x: 0.3}\nlaw: newton\nrun: {until: %g}\n",
             events, until);
    if (carom_scene_read_text(text, strlen(text), NULL, &scene, &error) ||
        carom_arena_create(NULL, &arena, &error)) {
        printf("%s: %s\n", name, error.text);
        return;
    }
    const carom_scene_content *c = carom_scene_get(scene);
    carom_flow_options options = *c->run;
    options.keep_impacts = 0;
    const double begin = now();
    if (carom_flow_run(c->system, c->law, &c->initial, &options, NULL, arena, &r, &error))
        printf("%s: %s\n", name, error.text);
    else
        printf("%-28s %9ld impacts %8.3f s  %10.0f per second (%ld steps, %ld rejected)\n", name,
               r.impact_count, now() - begin, (double)r.impact_count / (now() - begin), r.steps,
               r.rejected);
    carom_scene_destroy(scene);
    carom_arena_destroy(arena);
}

int main(void)
{
    carom_flow_options o = carom_flow_options_default();
    double one[1] = {1}, ten[BEADS];
    for (int i = 0; i < BEADS; i++)
        ten[i] = 1 + 0.25 * i;
    o.until = 9e5;
    run("event-driven ball", ball, 1, 1, one, o, true, true);
    run("  integrated", ball, 1, 1, one, o, true, false);
    run_table("ball on a shaking table", "", 1e5);
    run_table("  sampled", "  events: {never: {at: 1 + t^2, direction: up}}\n", 1e4);
    o.method = CAROM_FLOW_TIME_STEPPING;
    o.step = 5e-3;
    o.until = 5e4;
    run("moreau-jean ball", ball, 1, 0.9, one, o, false, true);
    o.step = 5e-4;
    o.until = 200;
    run("moreau-jean column of beads", column, BEADS, 0.9, ten, o, false, true);
    return 0;
}
