/* Scenes and impacts as the commands read them. */
#include "answer.h"
#include "bundled.h"
#include "carom/tolerance.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_answer_is_scene(const char *path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(dot, endings[k]) == 0)
            return true;
    return strcmp(path, "-") == 0 || (access(path, F_OK) != 0 && cli_bundled_find(path));
}

int cli_answer_read(const cli_arguments *arguments, const char *file, carom_scene **scene)
{
    carom_scene_options options = {.any_restitution =
                                       cli_option_given(arguments, "any-restitution"),
                                   .tex = cli_option_given(arguments, "tex"),
                                   .derivatives = arguments->command->derivatives,
                                   .allocator = cli_memory()};
    options.sets = cli_option_values(arguments, "set", &options.set_count);
    if (!options.sets)
        return cli_message_memory();
    carom_error error = {0};
    const cli_bundled *bundled = access(file, F_OK) == 0 ? NULL : cli_bundled_find(file);
    carom_status status =
        strcmp(file, "-") == 0 ? carom_scene_read_stream(stdin, &options, scene, &error)
        : bundled
            ? carom_scene_read_text(bundled->text, strlen(bundled->text), &options, scene, &error)
            : carom_scene_read_file(file, &options, scene, &error);
    free((void *)options.sets);
    if (status)
        return cli_message_error(file, &error);
    const carom_scene_content *content = carom_scene_get(*scene);
    for (int k = 0; k < content->note_count; k++) {
        const carom_scene_note *note = &content->notes[k];
        fprintf(stderr, "%s:%d:%d: warning: %s\n", cli_message_file(file), note->line, note->column,
                note->text);
    }
    return CLI_ANSWERED;
}

int cli_answer_closed(const cli_arguments *arguments, double *tolerance)
{
    *tolerance = 1e-9;
    int status = cli_option_number(arguments, "closed", tolerance);
    if (!status && *tolerance < 0)
        status = cli_message_usage("%s: --closed %s must not be negative", arguments->command->name,
                                   cli_option_value(arguments, "closed", 0));
    return status;
}

/* A velocity is named after its coordinate, "x'", or as the system says; without a name "u1". */
static const char *name_velocity(cli_answer *a, const carom_system_shape *shape, int i)
{
    bool named = a->impact.coordinates && a->impact.coordinates[i];
    if (shape && shape->n == a->impact.n)
        return shape->velocities[i];
    const char *name = a->coordinates[i];
    size_t length = strlen(name);
    if (!named || !length || name[length - 1] == '\'')
        return name;
    char *primed = carom_arena_take(a->arena, length + 2);
    if (primed)
        snprintf(primed, length + 2, "%s'", name);
    return primed;
}

/* Names for what the scene leaves unnamed. */
static bool make_names(cli_answer *a)
{
    size_t n = (size_t)a->impact.n, p = (size_t)a->impact.p;
    const carom_system *system = carom_scene_get(a->scene)->system;
    const carom_system_shape *shape = system ? carom_system_get_shape(system) : NULL;
    a->coordinates = carom_arena_take(a->arena, (n + 1) * sizeof *a->coordinates);
    a->velocities = carom_arena_take(a->arena, (n + 1) * sizeof *a->velocities);
    a->contacts = carom_arena_take(a->arena, (p + 1) * sizeof *a->contacts);
    char *numbers = carom_arena_take(a->arena, 24 * (n + p + 1));
    if (!a->coordinates || !a->velocities || !a->contacts || !numbers)
        return false;
    for (size_t i = 0; i < n; i++, numbers += 24) {
        snprintf(numbers, 24, "u%zu", i + 1);
        bool named = a->impact.coordinates && a->impact.coordinates[i];
        a->coordinates[i] = named ? a->impact.coordinates[i] : numbers;
        a->velocities[i] = name_velocity(a, shape, (int)i);
        if (!a->velocities[i])
            return false;
    }
    for (size_t i = 0; i < p; i++, numbers += 24)
        a->contacts[i] = carom_contact_name(a->impact.contacts, (int)i, numbers);
    return true;
}

/* Contacts that are already inside each other, or that `initial` nearly closes; at an instant of a
 * motion the motion has decided which are closed. */
static void warn_about_gaps(const cli_answer *a, const carom_state *state, double tolerance)
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(a->scene)->system);
    for (int i = 0; i < shape->p; i++) {
        char number[16];
        const char *name = carom_contact_name(shape->contacts, i, number);
        double gamma = state->w_hat[i], norm = 0;
        for (int k = 0; k < shape->n; k++) {
            double w = state->W[k + (size_t)i * (size_t)shape->n];
            gamma += w * state->u[k];
            norm += fabs(w * state->u[k]);
        }
        if (state->g[i] < -tolerance)
            cli_message_warning("contact %s penetrates: its gap is %g, below -%g", name,
                                state->g[i], tolerance);
        else if (!a->instant.given && state->g[i] > tolerance && state->g[i] <= 1e3 * tolerance &&
                 gamma < -CAROM_TOLERANCE_CARRIED * norm)
            cli_message_warning("contact %s approaches and is open by only %g: it does not take "
                                "part (--closed %g would close it)",
                                name, state->g[i], 2 * state->g[i]);
    }
}

/* Joints that do not hold at `initial`. */
static void warn_about_joints(const cli_answer *a, const carom_state *state, double tolerance)
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(a->scene)->system);
    for (int j = 0; j < shape->m; j++)
        if (fabs(state->f[j]) > tolerance)
            cli_message_warning("bilateral constraint %s is not closed: it is off by %g",
                                shape->joints && shape->joints[j] ? shape->joints[j] : "?",
                                state->f[j]);
}

/* The nearest contact and its gap, for the message that none is closed. */
static void find_nearest(cli_answer *a, const carom_state *state)
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(a->scene)->system);
    int nearest = -1;
    char number[16];
    for (int i = 0; i < shape->p; i++)
        if (nearest < 0 || state->g[i] < state->g[nearest])
            nearest = i;
    if (nearest < 0)
        snprintf(a->nearest, sizeof a->nearest, "%s",
                 carom_bodies_of(carom_scene_get(a->scene)->system)
                     ? "no two bodies are near each other"
                     : "the system has no contacts");
    else
        snprintf(a->nearest, sizeof a->nearest, "the nearest is %.100s, its gap is %g%s",
                 carom_contact_name(shape->contacts, nearest, number), state->g[nearest],
                 carom_scene_get(a->scene)->run && !a->instant.given
                     ? "; --at-impact 1 runs to the first impact"
                     : "");
}

/* A system at a moment where it may start: carom_system_check. */
static carom_status check_state(const carom_scene_content *content, const carom_flow_start *at,
                                double closed, carom_arena *arena, carom_state *state,
                                carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_status status = carom_state_create(content->system, arena, state, error);
    if (status)
        return status;
    state->t = at->t;
    memcpy(state->q, at->q, (size_t)shape->nq * sizeof(double));
    memcpy(state->u, at->u, (size_t)shape->n * sizeof(double));
    return carom_system_check(content->system, closed, arena, state, error);
}

carom_status cli_answer_evaluate(const carom_scene_content *content, const carom_flow_start *at,
                                 double closed, carom_arena *arena, carom_state *state,
                                 carom_error *error)
{
    carom_status status = check_state(content, at, closed, arena, state, error);
    return status ? status : carom_system_evaluate(content->system, CAROM_WANT_ALL, state, error);
}

int cli_answer_check_start(const char *file, const carom_scene_content *content)
{
    carom_error error = {0};
    carom_arena *arena = NULL;
    carom_state state;
    if (carom_bodies_of(content->system))
        return CLI_ANSWERED; /* their masses were read, and refused unless positive */
    carom_status status = carom_arena_create(cli_memory(), &arena, &error);
    if (!status)
        status = check_state(content, &content->initial, -INFINITY, arena, &state, &error);
    carom_arena_destroy(arena);
    return status ? cli_message_error(file, &error) : CLI_ANSWERED;
}

/* At an impact of a motion the contacts that took part are closed, to the rounding of its place. */
static void close_contacts(const cli_answer *a, double *tolerance)
{
    for (int k = 0; k < a->instant.contact_count; k++)
        *tolerance = fmax(*tolerance, a->state.g[a->instant.contacts[k]]);
}

/* Bodies that met on the way and whose contact has no name: an answer without it would be wrong. */
static int refuse_unlisted(const cli_answer *a, const carom_flow_start *at, double tolerance)
{
    const carom_scene_content *content = carom_scene_get(a->scene);
    const carom_bodies *bodies = carom_bodies_of(content->system);
    carom_error error = {0};
    const char *names[2] = {NULL, NULL};
    if (bodies &&
        carom_bodies_unlisted(bodies, at->t, at->q, at->u, tolerance, a->arena, names, &error))
        return cli_message_error(a->file, &error);
    if (!names[0])
        return CLI_ANSWERED;
    error = (carom_error){.status = CAROM_ERROR_INPUT,
                          .line = content->system_at.line,
                          .column = content->system_at.column};
    snprintf(
        error.text, sizeof error.text,
        "at t = %.10g bodies %s and %s touch, which were far apart at the start: with so many "
        "bodies only contacts of neighbours have names; give the scene fewer, or start it there",
        at->t, names[0], names[1]);
    return cli_message_error(a->file, &error);
}

/* The state at `initial`, or at the instant of a motion that the command line asks for. */
static int find_state(const cli_arguments *arguments, double *tolerance, cli_answer *a)
{
    const carom_scene_content *content = carom_scene_get(a->scene);
    carom_flow_start at = content->initial;
    carom_error error = {0};
    int status = CLI_ANSWERED;
    if (cli_instant_wanted(arguments) && !a->instant.given)
        status = cli_instant_run(arguments, a->file, a->scene, a->arena, &a->instant);
    if (status)
        return status;
    if (a->instant.given)
        at = (carom_flow_start){a->instant.t, a->instant.q, a->instant.u};
    if (cli_answer_evaluate(content, &at, *tolerance, a->arena, &a->state, &error))
        return cli_message_error(a->file, &error);
    close_contacts(a, tolerance);
    return a->instant.given ? refuse_unlisted(a, &at, *tolerance) : CLI_ANSWERED;
}

/* Bodies in heaps touch at more points than one impact takes. */
static int refuse_heap(const cli_answer *a, const carom_scene_content *content)
{
    const carom_bodies *bodies = carom_bodies_of(content->system);
    carom_error error = {.status = CAROM_ERROR_INPUT,
                         .line = content->system_at.line,
                         .column = content->system_at.column};
    if (!bodies || !carom_bodies_are_cut(bodies))
        return CLI_ANSWERED;
    snprintf(error.text, sizeof error.text,
             "the bodies touch at more points than one impact takes; `carom run` with the method "
             "time-stepping takes any number");
    return cli_message_error(a->file, &error);
}

/* The impact of the contacts of a system that are closed at `initial`. */
static int open_system(const cli_arguments *arguments, cli_answer *a)
{
    const carom_scene_content *content = carom_scene_get(a->scene);
    if (!content->system)
        return cli_instant_run(arguments, a->file, a->scene, a->arena, &a->instant); /* says why */
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_error error = {0};
    double tolerance;
    int status = cli_answer_closed(arguments, &tolerance);
    if (!status)
        status = refuse_heap(a, content);
    if (!status)
        status = cli_memory_check(a->file, shape->n, shape->p, true);
    if (!status)
        status = find_state(arguments, &tolerance, a);
    if (status)
        return status;
    int *closed = carom_arena_take(a->arena, ((size_t)shape->p + 1) * sizeof(int));
    if (!closed)
        return cli_message_memory();
    if (carom_impact_from_system(content->system, &a->state, tolerance, a->arena, &a->impact,
                                 closed, &error))
        return cli_message_error(a->file, &error);
    warn_about_gaps(a, &a->state, tolerance);
    warn_about_joints(a, &a->state, tolerance);
    find_nearest(a, &a->state);
    return CLI_ANSWERED;
}

/* A law inside a contact is part of the statement and goes before --law, unless --one-law is given:
 * then the contacts' own laws are left out. */
static int keep_own_laws(const cli_arguments *arguments, cli_answer *a)
{
    const bool one = cli_option_given(arguments, "one-law");
    bool any = false;
    for (int i = 0; i < a->impact.p && a->impact.contacts; i++)
        any = any || a->impact.contacts[i].law;
    if (any && !one && cli_option_given(arguments, "law"))
        cli_message_warning("contacts with a law of their own keep it; --one-law leaves those out");
    if (!any || !one)
        return CLI_ANSWERED;
    carom_contact *contacts = carom_arena_take(a->arena, sizeof *contacts * (size_t)a->impact.p);
    if (!contacts)
        return cli_message_memory();
    for (int i = 0; i < a->impact.p; i++) {
        contacts[i] = a->impact.contacts[i];
        contacts[i].law = NULL;
    }
    a->impact.contacts = contacts;
    return CLI_ANSWERED;
}

int cli_answer_open(const cli_arguments *arguments, cli_answer *a)
{
    *a = (cli_answer){.file = arguments->files[0]};
    carom_error error = {0};
    if (carom_arena_create(cli_memory(), &a->arena, &error))
        return cli_message_error(NULL, &error);
    int status = cli_instant_is_trace(a->file)
                     ? cli_instant_read(arguments, a->file, a->arena, &a->scene, &a->instant)
                     : cli_answer_read(arguments, a->file, &a->scene);
    if (status)
        return status;
    const carom_scene_content *content = carom_scene_get(a->scene);
    a->title = content->title;
    if (content->impact && !cli_instant_wanted(arguments)) {
        a->impact = *content->impact;
        status = cli_memory_check(a->file, a->impact.n, a->impact.p, true);
    } else {
        status = open_system(arguments, a);
    }
    if (status)
        return status;
    if (cli_option_given(arguments, "any-restitution"))
        a->impact.flags |= CAROM_IMPACT_ANY_RESTITUTION;
    status = keep_own_laws(arguments, a);
    if (status)
        return status;
    if (carom_impact_derive(&a->impact, a->arena, &a->geometry, &error)) {
        if (error.status == CAROM_ERROR_ARGUMENT)
            error.status = CAROM_ERROR_INPUT;
        return cli_message_error(a->file, &error);
    }
    return make_names(a) ? CLI_ANSWERED : cli_message_memory();
}

void cli_answer_free(cli_answer *a)
{
    free(a->entries);
    carom_scene_destroy(a->scene);
    carom_arena_destroy(a->arena);
}
