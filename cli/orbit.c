/* A scene with derivatives, its law and its run, for the commands that go beyond one motion. */
#include "orbit.h"

#include "answer.h"
#include "memory.h"

#include <math.h>
#include <string.h>

static int lacks(const cli_orbit *o, const char *what)
{
    carom_error error = {.status = CAROM_ERROR_INPUT, .line = 1, .column = 1};
    snprintf(error.text, sizeof error.text, "%s", what);
    return cli_message_error(o->file, &error);
}

static int choose_options(const cli_arguments *arguments, cli_orbit *o)
{
    o->options = o->content->run ? *o->content->run : carom_flow_options_default();
    o->options.output = 0;
    o->until_given = cli_option_given(arguments, "until");
    int status = cli_option_number(arguments, "until", &o->options.until);
    if (!status)
        status = cli_option_positive(arguments, "tolerance", &o->options.tolerance);
    if (!status && o->content->body_count > 0 && arguments->command->derivatives)
        return lacks(o, "scenes of bodies have no derivatives");
    if (!status && o->options.method != CAROM_FLOW_EVENT_DRIVEN)
        status =
            cli_message_usage("%s: only event-driven motions have derivatives, the scene says "
                              "method: %s",
                              arguments->command->name, carom_flow_method_text(o->options.method));
    return status;
}

int cli_orbit_open(const cli_arguments *arguments, cli_orbit *o)
{
    carom_error error = {0};
    *o = (cli_orbit){.file = arguments->files[0]};
    if (carom_arena_create(cli_memory(), &o->arena, &error))
        return cli_message_error(NULL, &error);
    int status = cli_answer_read(arguments, o->file, &o->scene);
    if (status)
        return status;
    o->content = carom_scene_get(o->scene);
    if (!o->content->system)
        return lacks(o, "an impact in numbers does not move: it needs `system`");
    o->shape = carom_system_get_shape(o->content->system);
    status = choose_options(arguments, o);
    if (!status)
        status = cli_answer_check_start(o->file, o->content);
    if (status)
        return status;
    if (cli_option_value(arguments, "law", 1))
        return cli_message_usage("%s: one law decides the impacts, --law was given twice",
                                 arguments->command->name);
    o->law_text = cli_option_value(arguments, "law", 0);
    if (carom_scene_choose_law(o->scene, o->law_text, &o->law, NULL, &error))
        return cli_message_law(&error);
    return CLI_ANSWERED;
}

carom_status cli_orbit_again(const cli_arguments *arguments, const cli_orbit *first, cli_orbit *o,
                             carom_error *error)
{
    const carom_scene_content *c = first->content;
    const carom_scene_options options = {.any_restitution =
                                             cli_option_given(arguments, "any-restitution"),
                                         .derivatives = arguments->command->derivatives,
                                         .sets = c->sets,
                                         .set_count = c->set_count,
                                         .allocator = cli_memory()};
    *o = (cli_orbit){.file = first->file, .law_text = first->law_text, .options = first->options};
    carom_status status = carom_arena_create(cli_memory(), &o->arena, error);
    if (!status)
        status = carom_scene_read_text(c->text, strlen(c->text), &options, &o->scene, error);
    if (status)
        return status;
    o->content = carom_scene_get(o->scene);
    o->shape = carom_system_get_shape(o->content->system);
    return carom_scene_choose_law(o->scene, o->law_text, &o->law, NULL, error);
}

void cli_orbit_free(cli_orbit *o)
{
    carom_scene_destroy(o->scene);
    carom_arena_destroy(o->arena);
}

int cli_orbit_error(const cli_orbit *o, carom_error *error)
{
    if (error->status == CAROM_ERROR_UNSUPPORTED)
        error->status = CAROM_ERROR_INPUT;
    if (error->status == CAROM_ERROR_INPUT && error->line == 0) {
        error->line = o->content->initial_at.line;
        error->column = o->content->initial_at.column;
    }
    return cli_message_error(o->file, error);
}

int cli_orbit_directions(const cli_orbit *o, int count, const char *const *names,
                         carom_orbit_directions *directions)
{
    const size_t k = (size_t)count, nq = (size_t)o->shape->nq, n = (size_t)o->shape->n;
    const size_t p = (size_t)o->content->parameter_count;
    carom_error error = {0};
    double *x = carom_arena_zeros(o->arena, k * (2 + nq + n + p), sizeof(double));
    const carom_contact **contacts = carom_arena_array(o->arena, k, sizeof *contacts);
    if (!x || !contacts)
        return cli_message_memory();
    double *t = x, *until = t + k, *q = until + k, *u = q + nq * k, *parameters = u + n * k;
    for (size_t j = 0; j < k; j++) {
        carom_scene_direction d;
        carom_status status =
            carom_scene_direction_create(o->scene, names[j], o->arena, &d, &error);
        if (status == CAROM_ERROR_ARGUMENT)
            return cli_message_usage("%s", error.text);
        if (status)
            return cli_orbit_error(o, &error);
        t[j] = d.t;
        until[j] = d.until;
        memcpy(q + j * nq, d.q, nq * sizeof *q);
        memcpy(u + j * n, d.u, n * sizeof *u);
        memcpy(parameters + j * p, d.parameters, p * sizeof *parameters);
        contacts[j] = d.contacts;
    }
    *directions = (carom_orbit_directions){.k = count,
                                           .t = t,
                                           .q = q,
                                           .u = u,
                                           .parameters = parameters,
                                           .contacts = contacts,
                                           .until = o->until_given ? NULL : until};
    return CLI_ANSWERED;
}

carom_status cli_orbit_progress(void *self, carom_error *error)
{
    cli_orbit *o = self;
    (void)error;
    if (cli_progress_due(&o->progress))
        fprintf(stderr, "\r%s ", o->what ? o->what : "searching");
    return cli_watch_stopped() ? CAROM_STOPPED : CAROM_OK;
}

int cli_orbit_problem(const cli_arguments *arguments, cli_orbit *o, carom_orbit_problem *problem)
{
    const carom_scene_content *c = o->content;
    const char *name = arguments->command->name;
    double periods = 1;
    if (!c->section && !(c->period > 0))
        return cli_message_usage(
            "%s: the scene has neither `section` nor `period`, so that nothing "
            "says when a motion returns",
            name);
    int status = cli_option_positive(arguments, "periods", &periods);
    if (!status && (periods != floor(periods) || periods > 1e6))
        status = cli_message_usage("%s: --periods %s: it must be a whole number, from 1", name,
                                   cli_option_value(arguments, "periods", 0));
    if (status)
        return status;
    const double span = o->options.until - c->initial.t;
    *problem = (carom_orbit_problem){.system = c->system,
                                     .law = &o->law,
                                     .options = o->options,
                                     .contact = -1,
                                     .event = -1,
                                     .period = c->period,
                                     .symmetry = c->symmetry,
                                     .ignore = c->ignore,
                                     .periods = (int)periods,
                                     .horizon = fmax(span > 0 ? span : 100, c->period),
                                     .progress = cli_orbit_progress,
                                     .self = o};
    if (c->section && c->section->kind == CAROM_SCENE_SECTION_CONTACT)
        problem->contact = c->section->index;
    else if (c->section)
        problem->event = c->section->index;
    return CLI_ANSWERED;
}

int cli_orbit_skip(const cli_arguments *arguments, int *skip)
{
    double number = *skip;
    int status = cli_option_number(arguments, "skip", &number);
    if (!status && !(number >= 0 && number == floor(number) && number <= 1e9))
        status = cli_message_usage("%s: --skip %g: it must be a whole number, not negative",
                                   arguments->command->name, number);
    *skip = status ? *skip : (int)number;
    return status;
}

void cli_orbit_multipliers(carom_json *json, const carom_orbit *x)
{
    carom_json_key(json, "multipliers");
    carom_json_row(json);
    for (int k = 0; k < x->multiplier_count; k++) {
        carom_json_row(json);
        carom_json_number(json, x->re[k]);
        carom_json_number(json, x->im[k]);
        carom_json_end(json);
    }
    carom_json_end(json);
}

/* How many rows a period has in a trace. */
enum { ROWS = 400 };

int cli_orbit_trace(const cli_arguments *arguments, const carom_scene *scene, const carom_law *law,
                    const carom_flow_options *options, const carom_orbit *orbit)
{
    carom_error error = {0};
    carom_trace_writer *trace;
    carom_flow_result result;
    carom_arena *arena;
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_flow_start start = {orbit->t, orbit->q, orbit->u};
    const carom_trace_header header = {.title = content->title,
                                       .law = law->ops->name,
                                       .method = carom_flow_method_text(options->method),
                                       .system = content->system,
                                       .scene = scene};
    carom_flow_options period = *options;
    period.until = orbit->t + orbit->period;
    period.output = orbit->period / ROWS;
    if (carom_arena_create(cli_memory(), &arena, &error))
        return cli_message_error(NULL, &error);
    carom_status status =
        carom_trace_create(cli_option_value(arguments, "output", 0),
                           cli_option_given(arguments, "force"), &header, NULL, &trace, &error);
    if (status == CAROM_OK) {
        const carom_flow_observer observer = {.self = trace,
                                              .row = carom_trace_row,
                                              .impact = carom_trace_impact,
                                              .accumulation = carom_trace_accumulation,
                                              .change = carom_trace_change,
                                              .instant = carom_trace_instant};
        const carom_status moved = carom_flow_run(content->system, law, &start, &period, &observer,
                                                  arena, &result, &error);
        status =
            carom_trace_finish(trace, moved < 0 ? NULL : &result, NULL, moved < 0 ? NULL : &error);
        status = moved < 0 ? moved : status;
    }
    carom_arena_destroy(arena);
    return status < 0 ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}
