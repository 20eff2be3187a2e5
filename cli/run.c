#include "run.h"
#include "pictures/report.h"

#include "answer.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Set by Ctrl-C; the run then ends in good order with what it has. */
static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* What the observer needs: where rows go, and the clock of the progress bar. */
typedef struct watcher {
    carom_trace_writer *trace;
    carom_report_recorder *recorder; /* NULL: none */
    double start, until;
    double began, shown; /* seconds */
    bool terminal;
} watcher;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_row(w->trace, row, error);
    if (!status && w->recorder)
        status = carom_report_recorder_row(w->recorder, row, error);
    return status;
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    watcher *w = self;
    carom_status status = carom_trace_impact(w->trace, impact, error);
    if (!status && w->recorder)
        status = carom_report_recorder_impact(w->recorder, impact, error);
    return status;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    watcher *w = self;
    (void)error;
    if (interrupted)
        return CAROM_STOPPED;
    double now = w->terminal ? seconds() : 0;
    if (w->terminal && now - w->began > 1 && now - w->shown > 0.1) {
        double part = w->until > w->start ? (t - w->start) / (w->until - w->start) : 1;
        int filled = (int)(30 * fmin(1, fmax(0, part)));
        fprintf(stderr, "\r[%.*s%*s] %3.0f%%  t = %-10.6g %ld steps ", filled,
                "##############################", 30 - filled, "", 100 * part, t, steps);
        w->shown = now;
    }
    return CAROM_OK;
}

const char *cli_motion_contact(const cli_motion *m, int contact, char text[16])
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(m->scene)->system);
    if (shape->contacts[contact].name)
        return shape->contacts[contact].name;
    snprintf(text, 16, "%d", contact + 1);
    return text;
}

static int choose_law(const cli_arguments *arguments, cli_motion *m)
{
    const char *text = cli_option_value(arguments, "law", 0);
    const carom_law *scene_law = carom_scene_get(m->scene)->law;
    carom_error error = {0};
    if (cli_option_value(arguments, "law", 1))
        return cli_message_usage("run: one law decides the impacts, --law was given twice");
    if (m->options.method == CAROM_FLOW_BOUNDARY_LAYER) {
        if (text || (scene_law && strcmp(scene_law->ops->name, "layer") != 0))
            cli_message_warning("law %s is not used: boundary layers decide how contacts rebound",
                                text ? text : scene_law->ops->name);
        m->law = (carom_law){.ops = carom_law_find("layer")};
        return CLI_ANSWERED;
    }
    if (!text && scene_law) {
        m->law = *scene_law;
        return CLI_ANSWERED;
    }
    if (carom_scene_parse_law(m->scene, text ? text : "newton", &m->law, &error))
        return cli_message_usage("--law %s: %s", text ? text : "newton", error.text);
    return CLI_ANSWERED;
}

static int open_motion(const cli_arguments *arguments, cli_motion *m)
{
    carom_error error = {0};
    if (carom_arena_create(NULL, &m->arena, &error))
        return cli_message_error(NULL, &error);
    int status = cli_answer_read(arguments, m->file, &m->scene);
    if (status)
        return status;
    const carom_scene_content *content = carom_scene_get(m->scene);
    if (!content->system)
        return cli_message_error(m->file,
                                 &(carom_error){.status = CAROM_ERROR_INPUT,
                                                .line = 1,
                                                .column = 1,
                                                .text = "an impact in numbers does not move: "
                                                        "`carom run` needs `system`"});
    if (!content->run)
        return cli_message_error(m->file, &(carom_error){.status = CAROM_ERROR_INPUT,
                                                         .line = 1,
                                                         .column = 1,
                                                         .text = "the scene lacks `run` (at least "
                                                                 "`run: {until: T}`)"});
    m->options = *content->run;
    double until;
    status = cli_answer_number(arguments, "until", m->options.until, &until);
    m->options.until = until;
    return status ? status : choose_law(arguments, m);
}

/* Run with Ctrl-C caught, progress shown, rows going to the trace. */
static carom_status simulate(cli_motion *m, carom_trace_writer *trace, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    watcher w = {.trace = trace,
                 .recorder = m->recorder,
                 .start = content->initial.t,
                 .until = m->options.until,
                 .began = seconds(),
                 .terminal = isatty(STDERR_FILENO)};
    carom_flow_observer observer = {
        .self = &w, .row = on_row, .impact = on_impact, .progress = on_progress};
    struct sigaction catch = {.sa_handler = interrupt}, before;
    interrupted = 0;
    sigaction(SIGINT, &catch, &before);
    carom_status status = carom_flow_run(content->system, &m->law, &content->initial, &m->options,
                                         &observer, m->arena, &m->result, error);
    sigaction(SIGINT, &before, NULL);
    if (w.shown > 0)
        fprintf(stderr, "\r%72s\r", "");
    return status;
}

/* What a run refuses stands somewhere in the scene: say where. */
static void place_refusal(const cli_arguments *arguments, const cli_motion *m, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    if (error->status != CAROM_ERROR_INPUT || error->line > 0)
        return;
    carom_place at = content->initial_at;
    for (int i = 0; i < shape->p; i++) {
        const carom_law *own = shape->contacts[i].law;
        if (!isfinite(shape->contacts[i].friction_static) ||
            (own && !carom_flow_takes_law(m->options.method, own->ops->name)))
            at = content->system_at;
    }
    if (!carom_flow_takes_law(m->options.method, m->law.ops->name)) {
        if (cli_option_given(arguments, "law"))
            return; /* it does not stand in the scene */
        at = content->law_at;
    }
    error->line = at.line;
    error->column = at.column;
}

int cli_motion_run(const cli_arguments *arguments, cli_motion *m)
{
    *m = (cli_motion){.file = arguments->files[0],
                      .trace = cli_option_value(arguments, "output", 0)};
    int exit_status = open_motion(arguments, m);
    if (exit_status)
        return exit_status;
    const carom_scene_content *content = carom_scene_get(m->scene);
    carom_trace_header header = {.title = content->title,
                                 .law = m->law.ops->name,
                                 .method = carom_flow_method_text(m->options.method),
                                 .system = content->system,
                                 .scene = m->scene};
    carom_error error = {0}, finish_error = {0};
    carom_trace_writer *trace;
    if (cli_option_given(arguments, "report") &&
        carom_report_recorder_create(content->system, NULL, &m->recorder, &error))
        return cli_message_error(NULL, &error);
    if (carom_trace_create(m->trace, cli_option_given(arguments, "force"), &header, NULL, &trace,
                           &error))
        return cli_message_error(NULL, &error);
    carom_status status = simulate(m, trace, &error);
    carom_status finished = carom_trace_finish(trace, &m->hash, &finish_error);
    if (status < 0)
        place_refusal(arguments, m, &error);
    if (status < 0)
        return cli_message_error(error.status == CAROM_ERROR_OUTPUT ? NULL : m->file, &error);
    if (finished)
        return cli_message_error(NULL, &finish_error);
    m->ended_early = status != CAROM_OK;
    return m->ended_early ? CLI_NO_ANSWER : CLI_ANSWERED;
}

void cli_motion_free(cli_motion *m)
{
    carom_report_recorder_destroy(m->recorder);
    carom_scene_destroy(m->scene);
    carom_arena_destroy(m->arena);
}
