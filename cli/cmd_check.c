/* carom check FILE: certificates, the contact problem, critical friction. */
#include "check.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Progress on stderr for work over a second, if somebody is looking. */
static bool go_on(void *self, const char *what, double done)
{
    cli_progress *p = self;
    if (cli_progress_due(p))
        fprintf(stderr, "\r%s: %3.0f %%  (Ctrl-C: show what is known)", what, 100 * done);
    return !cli_watch_stopped();
}

/* NAME=A:B */
static int read_along(const cli_arguments *arguments, cli_check *check, int *coordinate)
{
    const char *text = cli_option_value(arguments, "along", 0);
    *coordinate = -1;
    if (!text)
        return CLI_ANSWERED;
    const carom_scene_content *content = carom_scene_get(check->answer.scene);
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    char *end, *end2;
    if (!colon)
        return cli_message_usage("--along %s: must be NAME=FROM:TO, as in --along th=0.1:1.5",
                                 text);
    check->along_from = strtod(equals + 1, &end);
    check->along_to = strtod(colon + 1, &end2);
    if (end != colon || end == equals + 1 || *end2 || end2 == colon + 1 ||
        !isfinite(check->along_from) || !isfinite(check->along_to))
        return cli_message_usage("--along %s: FROM and TO must be numbers, as in th=0.1:1.5", text);
    if (!(check->along_from < check->along_to))
        return cli_message_usage("--along %s: FROM must be below TO", text);
    if (!content->system)
        return cli_message_usage("--along: the scene is an impact in numbers and has no "
                                 "coordinates to move; it needs `system:`");
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    for (int i = 0; i < shape->nq; i++)
        if (strlen(shape->coordinates[i]) == (size_t)(equals - text) &&
            strncmp(shape->coordinates[i], text, (size_t)(equals - text)) == 0)
            *coordinate = i;
    if (*coordinate < 0)
        return cli_message_usage("--along: the scene has no coordinate '%.*s'",
                                 (int)(equals - text), text);
    check->along = shape->coordinates[*coordinate];
    return CLI_ANSWERED;
}

/* What belongs to a system only: the contact problem, and the critical friction along a line. */
static carom_status check_system(cli_check *check, double tolerance, int coordinate,
                                 const carom_watch *watch, carom_error *error)
{
    cli_answer *a = &check->answer;
    const carom_system *system = carom_scene_get(a->scene)->system;
    int *closed = carom_arena_take(a->arena, ((size_t)a->impact.p + 1) * sizeof(int)), count = 0;
    if (!closed)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < carom_system_get_shape(system)->p; i++)
        if (a->state.g[i] <= tolerance)
            closed[count++] = i;
    carom_status status = carom_painleve_solve(system, &a->state, &a->geometry, closed, a->arena,
                                               &check->problem, error);
    check->has_problem = !status;
    if (status || coordinate < 0)
        return status;
    return carom_critical_along(system, &a->state, tolerance, coordinate, check->along_from,
                                check->along_to, CHECK_SAMPLES, check->samples, watch, a->arena,
                                &check->path, error);
}

/* Admissible coefficients, and what happens when contacts close one after the other. */
static carom_status check_coefficients(cli_check *check, const carom_watch *watch,
                                       carom_error *error)
{
    cli_answer *a = &check->answer;
    const carom_geometry *g = &a->geometry;
    carom_status status = carom_margins_find(g, check->E, watch, a->arena, &check->margins, error);
    if (!status && a->impact.p == 2 && !isnan(check->margins.scale_all)) {
        double angle = g->D[2] / sqrt(g->D[0] * g->D[3]);
        status = carom_pair_region_make(angle, CHECK_CURVE, a->arena, &check->region, error);
        if (!status)
            status =
                carom_same_energy_find(g, 1, CHECK_CURVE, a->arena, &check->same_energy, error);
        check->has_pair = !status;
    }
    carom_law law = {carom_law_find("newton"), NULL, 0};
    if (check->law && check->law->ops)
        law = *check->law;
    check->micro_law = law.ops->name;
    if (!status && a->impact.p > 1)
        status = carom_micro_gaps_find(&law, g, watch, a->arena, &check->micro, error);
    return status;
}

static carom_status certify(cli_check *check, double tolerance, int coordinate,
                            const carom_watch *watch, carom_error *error)
{
    cli_answer *a = &check->answer;
    carom_status status =
        carom_certify_matrix(check->law, &a->geometry, a->arena, &check->E, check->note, error);
    if (!status)
        status =
            carom_certify_restitution(&a->geometry, check->E, watch, a->arena, &check->all, error);
    if (!status)
        status = carom_certify_contact(&a->geometry, watch, a->arena, &check->all, error);
    if (!status)
        status =
            carom_certify_friction(&a->geometry, check->E, watch, a->arena, &check->all, error);
    if (!status)
        status = carom_certify_full(check->law, &a->geometry, a->arena, &check->all, error);
    if (!status) {
        status = carom_critical_friction(&a->geometry, a->arena, &check->critical, error);
        check->has_critical = !status;
    }
    if (!status)
        status = check_coefficients(check, watch, error);
    if (!status && carom_scene_get(a->scene)->system)
        status = check_system(check, tolerance, coordinate, watch, error);
    return status;
}

static int show(const cli_arguments *arguments, cli_check *check, double tolerance, int coordinate)
{
    cli_progress p;
    carom_watch watch = {go_on, &p};
    carom_error error = {0};
    cli_progress_begin(&p);
    carom_status status = certify(check, tolerance, coordinate, &watch, &error);
    cli_progress_end(&p);
    if (status)
        return cli_message_error(check->answer.file, &error);
    check->stopped = check->all.stopped || check->micro.stopped || cli_watch_stopped();
    if (cli_option_given(arguments, "json"))
        return cli_check_json(check);
    cli_check_text(check);
    return CLI_ANSWERED;
}

static int no_contact(const cli_arguments *arguments, const cli_check *check)
{
    const cli_answer *a = &check->answer;
    if (cli_option_given(arguments, "json") && cli_check_json(check))
        return CLI_MACHINE;
    fprintf(stderr, "%s: no contact is closed%s%s\n", cli_message_file(a->file),
            a->nearest[0] ? ": " : "", a->nearest);
    return CLI_NO_ANSWER;
}

static int run(const cli_arguments *arguments)
{
    cli_check *check = calloc(1, sizeof *check);
    if (!check)
        return cli_message_memory();
    double tolerance;
    int coordinate = -1;
    int status = cli_answer_open(arguments, &check->answer);
    if (!status)
        status = cli_answer_closed(arguments, &tolerance);
    if (!status)
        status = read_along(arguments, check, &coordinate);
    if (!status) {
        check->law = carom_scene_get(check->answer.scene)->law;
        status = check->answer.impact.p ? show(arguments, check, tolerance, coordinate)
                                        : no_contact(arguments, check);
    }
    cli_answer_free(&check->answer);
    free(check);
    return status;
}

static const cli_option options[] = {
    {"along", "NAME=A:B", "critical friction along a coordinate, all else as at `initial`", 0},
    {"json", NULL, "one JSON document on stdout", 0},
    CLI_SCENE_OPTIONS,
    {0},
};

const cli_command cli_check_command = {
    .name = "check",
    .arguments = "FILE",
    .summary = "certificates: consistency for all velocities, Painlevé, critical friction",
    .text =
        "Judges the scene's restitution (the contacts' coefficients, or the E of law `matrix`) "
        "and\n"
        "its friction for all velocities at once, with proofs and counter-examples; for a system\n"
        "also the contact problem at `initial`. Ctrl-C shows what is known. Exit status: 0 "
        "answered\n"
        "(also when a certificate fails), 1 no contact is closed, 2 wrong usage or scene.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .run = run,
};
