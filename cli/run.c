/* A motion: the scene read, the law and the options chosen, run with Ctrl-C watched. */
#include "run.h"
#include "pictures/report.h"

#include "answer.h"
#include "memory.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a trace when nobody says how many. */
/* Rows of a motion that nobody asked a number of; of the page and of curves more, as long as they
 * are so many numbers in all: a page is sent around. */
enum { USUAL_ROWS = 1000, PAGE_ROWS = 8000, PAGE_NUMBERS = 1 << 17 };
enum { CURVE_ROWS = 20000, CURVE_NUMBERS = 1 << 21 };

/* What the observer needs: where rows go, and how far the motion is. */
typedef struct watcher {
    carom_trace_writer *trace;
    carom_trace_writer *memory; /* NULL: none */
    double start, until;
    cli_progress progress;
} watcher;

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_row(w->trace, row, error);
    if (!status && w->memory)
        status = carom_trace_row(w->memory, row, error);
    if (!status && cli_watch_stopped())
        status = CAROM_STOPPED;
    return status;
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_impact(w->trace, impact, error);
    if (!status && w->memory)
        status = carom_trace_impact(w->memory, impact, error);
    return status;
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *accumulation,
                                    carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_accumulation(w->trace, accumulation, error);
    if (!status && w->memory)
        status = carom_trace_accumulation(w->memory, accumulation, error);
    return status;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_instant(w->trace, instant, error);
    if (!status && w->memory)
        status = carom_trace_instant(w->memory, instant, error);
    return status;
}

static carom_status on_change(void *self, const carom_flow_change *change, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_change(w->trace, change, error);
    if (!status && w->memory)
        status = carom_trace_change(w->memory, change, error);
    return status;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    watcher *w = self;
    (void)error;
    if (cli_watch_stopped())
        return CAROM_STOPPED;
    if (cli_progress_due(&w->progress)) {
        double part = w->until > w->start ? (t - w->start) / (w->until - w->start) : 1;
        int filled = (int)(30 * fmin(1, fmax(0, part)));
        fprintf(stderr, "\r[%.*s%*s] %3.0f%%  t = %-10.6g %ld steps ", filled,
                "##############################", 30 - filled, "", 100 * part, t, steps);
    }
    return CAROM_OK;
}

static int choose_law(const cli_arguments *arguments, cli_motion *m)
{
    const char *text = cli_option_value(arguments, "law", 0), *unused;
    carom_error error = {0};
    if (cli_option_value(arguments, "law", 1))
        return cli_message_usage("%s: one law decides the impacts, --law was given twice",
                                 arguments->command->name);
    if (carom_scene_choose_motion_law(m->scene, text, m->options.method, &m->law,
                                      &m->law_by_default, &unused, &error))
        return cli_message_law(&error);
    if (unused)
        cli_message_warning("law %s is not used: boundary layers decide how contacts rebound",
                            unused);
    return CLI_ANSWERED;
}

static int lacks(const char *file, const char *what)
{
    carom_error error = {.status = CAROM_ERROR_INPUT, .line = 1, .column = 1};
    snprintf(error.text, sizeof error.text, "%s", what);
    return cli_message_error(file, &error);
}

static int choose_method(const cli_arguments *arguments, carom_flow_options *options)
{
    const char *text = cli_option_value(arguments, "method", 0);
    const char *names[] = {carom_flow_method_text(CAROM_FLOW_EVENT_DRIVEN),
                           carom_flow_method_text(CAROM_FLOW_TIME_STEPPING),
                           carom_flow_method_text(CAROM_FLOW_BOUNDARY_LAYER)};
    for (int k = 0; text && k < 3; k++)
        if (strcmp(text, names[k]) == 0) {
            options->method = (carom_flow_method)k;
            return CLI_ANSWERED;
        }
    return text ? cli_message_usage("%s: --method %s: there are %s, %s and %s",
                                    arguments->command->name, text, names[0], names[1], names[2])
                : CLI_ANSWERED;
}

int cli_motion_options(const cli_arguments *arguments, const char *file, const carom_scene *scene,
                       carom_flow_options *options)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const char *command = arguments->command->name;
    if (!content->run && !cli_option_given(arguments, "until"))
        return lacks(file, "the scene lacks `run` (at least `run: {until: T}`), and --until was "
                           "not given");
    *options = content->run ? *content->run : carom_flow_options_default();
    options->any_restitution = cli_option_given(arguments, "any-restitution");
    int status = choose_method(arguments, options);
    if (!status)
        status = cli_option_number(arguments, "until", &options->until);
    if (!status)
        status = cli_option_positive(arguments, "step", &options->step);
    if (!status)
        status = cli_option_positive(arguments, "every", &options->output);
    if (status)
        return status;
    if (cli_option_given(arguments, "until") && content->system &&
        options->until < content->initial.t)
        return cli_message_usage("%s: --until %g is before the start, t = %g", command,
                                 options->until, content->initial.t);
    bool stepping = options->method == CAROM_FLOW_TIME_STEPPING;
    if (stepping && !(options->step > 0))
        return cli_message_usage("%s: time-stepping needs a step: --step H", command);
    if (!stepping && cli_option_given(arguments, "step"))
        return cli_message_usage("%s: --step belongs to --method time-stepping", command);
    return CLI_ANSWERED;
}

static int rows_for(const carom_scene_content *content, cli_keep keep)
{
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const bool curves = keep == CLI_KEEP_CURVES, page = keep == CLI_KEEP_PICTURE;
    const int most = curves ? CURVE_ROWS : page ? PAGE_ROWS : USUAL_ROWS;
    const int rows = (curves ? CURVE_NUMBERS : PAGE_NUMBERS) /
                     (shape->nq + shape->n + 5 * shape->p + content->shape_count + 1);
    return rows < USUAL_ROWS ? USUAL_ROWS : rows < most ? rows : most;
}

/* Whoever looks at rows and did not say how many sees the motion, not its two ends. A picture takes
 * rows that are closer than those the scene wants in a file. */
static void choose_rows(const cli_arguments *arguments, bool seen, cli_keep keep, cli_motion *m)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    const double usual = (m->options.until - content->initial.t) / rows_for(content, keep);
    if (keep == CLI_KEEP_PERIODS && content->period > 0 && !content->section) {
        m->options.output = content->period;
        return;
    }
    if (!(usual > 0) || !seen || cli_option_given(arguments, "every"))
        return;
    const bool drawn = keep == CLI_KEEP_PICTURE || keep == CLI_KEEP_CURVES;
    if (!(m->options.output > 0) || (drawn && m->options.output > usual))
        m->options.output = usual;
}

static int open_motion(const cli_arguments *arguments, bool seen, cli_keep keep, cli_motion *m)
{
    carom_error error = {0};
    if (carom_arena_create(cli_memory(), &m->arena, &error))
        return cli_message_error(NULL, &error);
    int status = cli_answer_read(arguments, m->file, &m->scene);
    if (status)
        return status;
    if (!carom_scene_get(m->scene)->system)
        return lacks(m->file, "an impact in numbers does not move: it needs `system`");
    status = cli_motion_options(arguments, m->file, m->scene, &m->options);
    if (status)
        return status;
    choose_rows(arguments, seen, keep, m);
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(m->scene)->system);
    status = cli_memory_check(m->file, shape->n, shape->p,
                              m->options.method != CAROM_FLOW_TIME_STEPPING);
    if (!status)
        status = cli_answer_check_start(m->file, carom_scene_get(m->scene));
    return status ? status : choose_law(arguments, m);
}

/* Run with progress shown, rows going to the trace. */
static carom_status simulate(cli_motion *m, carom_trace_writer *trace, carom_trace_writer *memory,
                             carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    watcher w = {
        .trace = trace, .memory = memory, .start = content->initial.t, .until = m->options.until};
    carom_flow_observer observer = {.self = &w,
                                    .row = on_row,
                                    .impact = on_impact,
                                    .accumulation = on_accumulation,
                                    .change = on_change,
                                    .instant = on_instant,
                                    .progress = on_progress};
    cli_progress_begin(&w.progress);
    carom_status status = carom_flow_run(content->system, &m->law, &content->initial, &m->options,
                                         &observer, m->arena, &m->result, error);
    cli_progress_end(&w.progress);
    return status;
}

/* A limit or a rope that the start is beyond: where its joint stands, else `otherwise`. */
static carom_place place_of_start(const cli_motion *m, carom_place otherwise)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_state state;
    if (content->stop_count == 0 || !content->initial.q ||
        carom_state_create(content->system, m->arena, &state, NULL) != CAROM_OK)
        return otherwise;
    state.t = content->initial.t;
    memcpy(state.q, content->initial.q, sizeof *state.q * (size_t)shape->nq);
    memcpy(state.u, content->initial.u, sizeof *state.u * (size_t)shape->n);
    if (carom_system_evaluate(content->system, CAROM_WANT_GAPS, &state, NULL) != CAROM_OK)
        return otherwise;
    for (int i = 0; i < content->stop_count; i++)
        if (state.g[i] < -m->options.closed)
            return content->stop_at[i];
    return otherwise;
}

/* What a run refuses stands somewhere in the scene: say where. */
static void place_refusal(const cli_arguments *arguments, const cli_motion *m, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    if (error->status != CAROM_ERROR_INPUT || error->line > 0)
        return;
    const carom_bodies *bodies = carom_bodies_of(content->system);
    carom_place at = bodies ? place_of_start(m, content->system_at) : content->initial_at;
    if (bodies && m->options.method != CAROM_FLOW_TIME_STEPPING &&
        carom_bodies_check_smooth(bodies, NULL) != CAROM_OK)
        at = content->run_at;
    for (int i = 0; i < shape->p; i++) {
        const carom_law *own = shape->contacts[i].law;
        if (!isfinite(shape->contacts[i].friction_static) ||
            (own && !carom_flow_takes_law(m->options.method, own)))
            at = content->system_at;
    }
    if (!carom_flow_takes_law(m->options.method, &m->law)) {
        if (cli_option_given(arguments, "law"))
            return; /* it does not stand in the scene */
        at = content->law_at;
    }
    error->line = at.line;
    error->column = at.column;
}

/* Run into the trace and the memory that are open, and close them. */
static int run_into(const cli_arguments *arguments, carom_trace_writer *trace,
                    carom_trace_writer *memory, cli_motion *m)
{
    carom_error error = {0}, finish_error = {0};
    carom_status status = simulate(m, trace, memory, &error);
    const carom_flow_result *result = status < 0 ? NULL : &m->result;
    carom_status finished = carom_trace_finish(trace, result, &m->hash, &finish_error);
    carom_status kept = memory ? carom_trace_finish(memory, result, NULL, &finish_error) : CAROM_OK;
    if (status < 0) {
        place_refusal(arguments, m, &error);
        return cli_message_error(error.status == CAROM_ERROR_OUTPUT ? NULL : m->file, &error);
    }
    if (finished || kept)
        return cli_message_error(NULL, &finish_error);
    m->ended_early = status != CAROM_OK;
    return m->ended_early ? CLI_NO_ANSWER : CLI_ANSWERED;
}

int cli_motion_run(const cli_arguments *arguments, const char *file, const char *path, bool force,
                   cli_keep keep, cli_motion *m)
{
    *m = (cli_motion){.file = file, .trace = path};
    int exit_status = open_motion(arguments, path || keep, keep, m);
    if (exit_status)
        return exit_status;
    const carom_scene_content *content = carom_scene_get(m->scene);
    carom_trace_header header = {.title = content->title,
                                 .law = m->law.ops->name,
                                 .method = carom_flow_method_text(m->options.method),
                                 .system = content->system,
                                 .scene = m->scene};
    carom_error error = {0};
    carom_trace_writer *trace, *memory = NULL;
    if (keep && carom_trace_keep(&header, CLI_MOTION_KEPT, NULL, &m->kept, &memory, &error))
        return cli_message_error(NULL, &error);
    if (carom_trace_create(m->trace, force, &header, NULL, &trace, &error)) {
        if (memory && !carom_trace_finish(memory, NULL, NULL, NULL))
            carom_trace_destroy(&m->kept);
        return cli_message_error(NULL, &error);
    }
    return run_into(arguments, trace, memory, m);
}

void cli_motion_free(cli_motion *m)
{
    carom_trace_destroy(&m->kept);
    carom_scene_destroy(m->scene);
    carom_arena_destroy(m->arena);
}
