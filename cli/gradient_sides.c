/* Neighbouring scenes, for derivatives from one side. */
#include "gradient.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Who asks for a neighbour: the motion without a derivative, and the name that is moved. */
typedef struct beside {
    const cli_arguments *arguments;
    const cli_orbit *orbit;
    cli_gradient_answer *answer;
    const char *name;
    double value;
} beside;

/* The scene with the name's number changed, and its law and run. False: there is none. */
static bool open_neighbour(const beside *b, double value, cli_orbit *o)
{
    char text[300];
    int count;
    const char **sets = cli_option_values(b->arguments, "set", &count);
    const char **more = sets ? realloc(sets, (size_t)(count + 2) * sizeof *more) : NULL;
    if (!more) {
        free((void *)sets);
        return false;
    }
    snprintf(text, sizeof text, "%.200s=%.17g", b->name, value);
    more[count] = text;
    const carom_scene_options options = {.sets = more,
                                         .set_count = count + 1,
                                         .any_restitution = true,
                                         .derivatives = true,
                                         .allocator = cli_memory()};
    const char *source = b->orbit->content->text;
    *o = *b->orbit;
    o->scene = NULL;
    o->arena = NULL;
    bool good = carom_scene_read_text(source, strlen(source), &options, &o->scene, NULL) == 0 &&
                carom_arena_create(cli_memory(), &o->arena, NULL) == 0 &&
                carom_scene_choose_law(o->scene, o->law_text, &o->law, NULL, NULL) == 0;
    free((void *)more);
    if (!good)
        return false;
    o->content = carom_scene_get(o->scene);
    o->shape = carom_system_get_shape(o->content->system);
    if (o->content->run && !o->until_given)
        o->options.until = o->content->run->until;
    const long most = carom_orbit_neighbour_events(b->answer->tangents.events);
    const long given = o->options.max_events;
    o->options.max_events = given > 0 && given < most ? given : most;
    return true;
}

/* Its values and derivatives. */
static carom_status evaluate(const beside *b, cli_orbit *o, double *values, double *derivatives,
                             bool *exists, carom_error *error)
{
    cli_gradient_answer *a = b->answer;
    const char *names[] = {b->name};
    carom_orbit_directions along;
    cli_gradient_answer near = {.of_count = a->of_count,
                                .of = a->of,
                                .wrt_count = 1,
                                .at = {.impact = a->at.impact,
                                       .accumulation = a->at.accumulation,
                                       .progress = a->at.progress}};
    int bad;
    carom_status status = cli_gradient_read(o, &near, &bad, error);
    if (status == CAROM_OK && cli_orbit_directions(o, 1, names, &along))
        status = CAROM_STOPPED;
    if (status == CAROM_OK)
        status = cli_gradient_compute(o, &along, &near, error);
    if (status == CAROM_STOPPED && near.result.end == CAROM_FLOW_EVENT_LIMIT)
        a->crowd = o->options.max_events;
    for (int i = 0; i < a->of_count && status == CAROM_OK; i++) {
        values[i] = near.value[i];
        derivatives[i] = near.gradient[i];
    }
    *exists = status == CAROM_OK && near.tangents.exists;
    cli_gradient_forget(&near);
    return status;
}

/* A neighbour that is no scene, or whose motion fails, has no values. */
static carom_status at(void *self, double offset, double *values, double *derivatives, bool *exists,
                       carom_error *error)
{
    const beside *b = self;
    carom_error local = {0};
    cli_orbit o;
    carom_status status = CAROM_STOPPED;
    if (open_neighbour(b, b->value + offset, &o))
        status = evaluate(b, &o, values, derivatives, exists, &local);
    carom_scene_destroy(o.scene);
    carom_arena_destroy(o.arena);
    if (status == CAROM_ERROR_MEMORY)
        *error = local;
    return status == CAROM_ERROR_MEMORY || status == CAROM_OK ? status : CAROM_STOPPED;
}

/* The direction by itself, where another one has no derivative: the same number from both sides. */
static carom_status find_alone(beside *b, double *left, double *right, bool *exists,
                               carom_error *error)
{
    const int count = b->answer->of_count;
    double *values = carom_arena_doubles(b->orbit->arena, (size_t)count);
    *exists = false;
    if (!values)
        return carom_error_memory(error);
    const carom_status status = at(b, 0, values, right, exists, error);
    memcpy(left, right, (size_t)count * sizeof *left);
    return status < 0 ? status : CAROM_OK;
}

int cli_gradient_sides(const cli_arguments *arguments, cli_orbit *o, cli_gradient_answer *a)
{
    const size_t size = (size_t)a->of_count * (size_t)a->wrt_count;
    carom_error error = {0};
    a->left = carom_arena_zeros(o->arena, 2 * size, sizeof(double));
    if (!a->left)
        return cli_message_memory();
    a->right = a->left + size;
    a->same = true;
    for (int j = 0; j < a->wrt_count; j++) {
        carom_scene_direction d;
        if (carom_scene_direction_create(o->scene, a->wrt[j], o->arena, &d, &error))
            return cli_orbit_error(o, &error);
        beside b = {arguments, o, a, a->wrt[j], d.value};
        double *left = a->left + j * a->of_count, *right = a->right + j * a->of_count;
        bool same = false;
        if (a->wrt_count > 1 && find_alone(&b, left, right, &same, &error))
            return cli_orbit_error(o, &error);
        if (same)
            continue;
        const carom_orbit_neighbours n = {.self = &b,
                                          .count = a->of_count,
                                          .scale = fabs(b.value) > 0 ? fabs(b.value) : 1,
                                          .here = a->value,
                                          .at = at};
        if (carom_orbit_one_sided(&n, o->arena, left, right, &same, &error))
            return cli_orbit_error(o, &error);
        a->same = a->same && same;
    }
    if (a->same)
        a->gradient = a->right;
    return CLI_ANSWERED;
}
