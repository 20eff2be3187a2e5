/* carom check FILE: certificates, the contact problem, critical friction. */
#include "check.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct watch {
    cli_progress progress;
    cli_check *check;
} watch;

/* Progress on stderr for work over a second, if somebody is looking. */
static bool go_on(void *self, const char *what, double done)
{
    watch *w = self;
    if (cli_progress_due(&w->progress))
        fprintf(stderr, "\r%s: %3.0f %%  (Ctrl-C: show what is known)", what, 100 * done);
    if (cli_progress_elapsed(&w->progress) > w->check->budget)
        w->check->out_of_budget = true;
    return !cli_watch_stopped() && !w->check->out_of_budget;
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

/* A positive number of an option, or what it is without. */
static int read_positive(const cli_arguments *arguments, const char *name, double otherwise,
                         double *number)
{
    *number = otherwise;
    int status = cli_option_number(arguments, name, number);
    if (!status && !(*number > 0))
        return cli_message_usage("--%s %g: must be positive", name, *number);
    return status;
}

/* --after U1,U2,...: n numbers. */
static int read_after(const cli_arguments *arguments, cli_check *check)
{
    const char *text = cli_option_value(arguments, "after", 0);
    const int n = check->answer.impact.n;
    if (!text)
        return CLI_ANSWERED;
    double *u = carom_arena_take(check->answer.arena, ((size_t)n + 1) * sizeof *u);
    if (!u)
        return cli_message_memory();
    const char *at = text;
    int count = 0;
    for (char *end; *at && count <= n; count++) {
        const double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(x))
            return cli_message_usage("--after %s: must be numbers with commas between them, as in "
                                     "--after 0,0,1",
                                     text);
        if (count < n)
            u[count] = x;
        at = *end ? end + 1 : end;
    }
    if (count != n)
        return cli_message_usage("--after %s: the scene has %d velocit%s, not %s%d", text, n,
                                 n == 1 ? "y" : "ies", count > n ? "more than " : "",
                                 count > n ? n : count);
    check->after = u;
    return CLI_ANSWERED;
}

/* The outcome to explain: the one given, else that of the scene's law. */
static carom_status explain_outcome(cli_check *check, carom_error *error)
{
    cli_answer *a = &check->answer;
    if (!check->after && check->law && check->law->ops) {
        carom_outcome *outcome = carom_arena_take(a->arena, sizeof *outcome);
        if (!outcome)
            return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
        carom_status status = carom_law_apply(check->law, &a->geometry, a->arena, outcome, error);
        if (status)
            return status;
        if (outcome->answer == CAROM_ANSWER_OK || outcome->answer == CAROM_ANSWER_SEVERAL) {
            check->after = outcome->u;
            check->outcome_of = check->law->ops->name;
        }
    }
    if (!check->after)
        return CAROM_OK;
    carom_status status =
        carom_outcome_matrix_find(&a->geometry, check->after, a->arena, &check->outcome, error);
    check->has_outcome = !status;
    return status;
}

/* Everything the library can say, then what options ask for. */
static carom_status look(cli_check *check, double tolerance, int coordinate, double effort,
                         const carom_watch *w, carom_error *error)
{
    cli_answer *a = &check->answer;
    const carom_system *system = carom_scene_get(a->scene)->system;
    carom_check_request request = {
        .geometry = &a->geometry, .law = check->law, .effort = effort, .watch = w};
    if (system) {
        int *closed = carom_arena_take(a->arena, ((size_t)a->impact.p + 1) * sizeof(int)), k = 0;
        if (!closed)
            return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
        for (int i = 0; i < carom_system_get_shape(system)->p; i++)
            if (a->state.g[i] <= tolerance)
                closed[k++] = i;
        request.system = system;
        request.state = &a->state;
        request.closed = closed;
    }
    carom_status status = carom_check(&request, a->arena, &check->found, error);
    if (!status && !check->found.stopped)
        status = explain_outcome(check, error);
    if (status || coordinate < 0)
        return status;
    return carom_critical_along(system, &a->state, tolerance, coordinate, check->along_from,
                                check->along_to, CHECK_SAMPLES, check->samples, w, a->arena,
                                &check->path, error);
}

static int show(const cli_arguments *arguments, cli_check *check, double tolerance, int coordinate)
{
    watch w = {.check = check};
    const carom_watch watching = {go_on, &w};
    carom_error error = {0};
    double effort;
    int status = read_positive(arguments, "effort", 1, &effort);
    if (!status)
        status = read_positive(arguments, "budget", 5, &check->budget);
    if (!status)
        status = read_after(arguments, check);
    if (status)
        return status;
    cli_progress_begin(&w.progress);
    carom_status done = look(check, tolerance, coordinate, effort, &watching, &error);
    cli_progress_end(&w.progress);
    if (done)
        return cli_message_error(check->answer.file, &error);
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
    carom_law law;
    carom_error error = {0};
    if (!status &&
        carom_scene_choose_law(check->answer.scene, NULL, &law, &check->law_by_default, &error))
        status = cli_message_law(&error);
    if (!status) {
        check->law = &law;
        status = check->answer.impact.p ? show(arguments, check, tolerance, coordinate)
                                        : no_contact(arguments, check);
    }
    cli_answer_free(&check->answer);
    free(check);
    return status;
}

static const cli_option options[] = {
    {"after", "U1,U2,...", "a velocity after the impact: which restitution matrix explains it?", 0},
    {"along", "NAME=A:B", "critical friction along a coordinate, all else as at `initial`", 0},
    {"budget", "SECONDS", "time for all of it; what is not done by then is left out (5)", 0},
    {"effort", "X", "times the work that each part may take before it is undecided (1)", 0},
    {"json", NULL, "one JSON document on stdout", 0},
    CLI_INSTANT_OPTIONS,
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
        "also the contact problem at `initial`. Begins with what matters most. Ctrl-C shows what "
        "is\n"
        "known. Exit status: 0 answered\n"
        "(also when a certificate fails), 1 no contact is closed, 2 wrong usage or scene.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .run = run,
};
