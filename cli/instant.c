/* An instant of a motion: a scene is run up to it, a trace is asked for it. */
#include "instant.h"

#include "answer.h"
#include "carom/tolerance.h"
#include "memory.h"
#include "run.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_instant_wanted(const cli_arguments *arguments)
{
    return cli_option_given(arguments, "at") || cli_option_given(arguments, "at-impact");
}

bool cli_instant_is_trace(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5") || !strcmp(dot, ".csv"));
}

/* --at-impact as a number from 1; 0: --at, whose time is *t. */
static int read_wish(const cli_arguments *arguments, double *t, long *impact)
{
    double number = 0;
    const char *name = arguments->command->name;
    *impact = 0;
    if (cli_option_given(arguments, "at") && cli_option_given(arguments, "at-impact"))
        return cli_message_usage("%s: --at or --at-impact, not both", name);
    int status = cli_option_number(arguments, "at", t);
    if (!status)
        status = cli_option_number(arguments, "at-impact", &number);
    if (status || cli_option_given(arguments, "at"))
        return status;
    if (!(number >= 1 && number <= 1e15) || number != floor(number))
        return cli_message_usage("%s: --at-impact %.10g: impacts are numbered 1, 2, 3 ...", name,
                                 number);
    *impact = (long)number;
    return CLI_ANSWERED;
}

/* A copy in the arena; NULL: no memory. */
static const double *copy(carom_arena *arena, const double *values, int count)
{
    double *made = carom_arena_take(arena, ((size_t)count + 1) * sizeof *made);
    if (made)
        memcpy(made, values, (size_t)count * sizeof *made);
    return made;
}

static bool keep(carom_arena *arena, const carom_system_shape *shape, double t, const double *q,
                 const double *u, cli_instant *at)
{
    at->given = true;
    at->t = t;
    at->q = copy(arena, q, shape->nq);
    at->u = copy(arena, u, shape->n);
    return at->q && at->u;
}

/* A motion that ends at an impact. */
typedef struct watcher {
    const carom_system_shape *shape;
    carom_arena *arena;
    cli_instant *at;
    long wanted, seen;
} watcher;

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    watcher *w = self;
    if (++w->seen != w->wanted)
        return CAROM_OK;
    int *contacts =
        carom_arena_take(w->arena, ((size_t)impact->contact_count + 1) * sizeof *contacts);
    if (!contacts || !keep(w->arena, w->shape, impact->t, impact->q, impact->before, w->at))
        return carom_error_memory(error);
    memcpy(contacts, impact->contacts, (size_t)impact->contact_count * sizeof *contacts);
    w->at->contacts = contacts;
    w->at->contact_count = impact->contact_count;
    return CAROM_STOPPED;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    (void)self;
    (void)t;
    (void)steps;
    (void)error;
    return cli_watch_stopped() ? CAROM_STOPPED : CAROM_OK;
}

static int beyond(const char *file, const watcher *w, const carom_flow_result *result)
{
    const long unnamed = (long)result->impact_count - w->seen;
    fprintf(stderr, "%s: there %s %ld impact%s up to t = %.10g, --at-impact %ld is beyond%s%s\n",
            cli_message_file(file), w->seen == 1 ? "is" : "are", w->seen, w->seen == 1 ? "" : "s",
            result->t, w->wanted, result->message[0] ? "; " : "", result->message);
    if (unnamed > 0)
        cli_message_warning("%ld more are of bodies that were far apart at the start: with so many "
                            "bodies only contacts of neighbours have names",
                            unnamed);
    return CLI_NO_ANSWER;
}

/* Run in an arena of its own: a motion needs much, an instant little. */
static int run(const cli_arguments *arguments, const char *file, carom_scene *scene,
               const carom_law *law, carom_flow_options *options, watcher *w)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_flow_observer observer = {
        .self = w, .impact = w->wanted ? on_impact : NULL, .progress = on_progress};
    carom_error error = {0};
    carom_arena *arena = NULL;
    carom_flow_result result;
    options->output = 0;
    options->keep_impacts = 0;
    if (carom_arena_create(cli_memory(), &arena, &error))
        return cli_message_error(NULL, &error);
    carom_status status = carom_flow_run(content->system, law, &content->initial, options,
                                         &observer, arena, &result, &error);
    int answer = CLI_ANSWERED;
    if (status < 0) {
        answer = cli_message_error(file, &error);
    } else if (w->wanted) {
        answer = w->seen < w->wanted ? beyond(file, w, &result) : CLI_ANSWERED;
    } else if (status != CAROM_OK) {
        fprintf(stderr, "%s: ended at t = %.10g, before --at %s: %s\n", cli_message_file(file),
                result.t, cli_option_value(arguments, "at", 0),
                result.message[0] ? result.message : carom_flow_end_text(result.end));
        answer = CLI_NO_ANSWER;
    } else if (!keep(w->arena, w->shape, result.t, result.q, result.u, w->at)) {
        answer = cli_message_memory();
    }
    carom_arena_destroy(arena);
    return answer;
}

int cli_instant_run(const cli_arguments *arguments, const char *file, carom_scene *scene,
                    carom_arena *arena, cli_instant *at)
{
    const carom_scene_content *content = carom_scene_get(scene);
    watcher w = {.arena = arena, .at = at};
    carom_flow_options options = content->run ? *content->run : carom_flow_options_default();
    carom_law law;
    carom_error error = {0};
    double t = 0;
    if (!content->system)
        return cli_message_usage(
            "%s: an impact in numbers has no motion: --at and --at-impact need "
            "`system`",
            arguments->command->name);
    int status = read_wish(arguments, &t, &w.wanted);
    if (status)
        return status;
    if (w.wanted && !content->run)
        return cli_message_usage("%s: --at-impact needs `run` in the scene: up to when?",
                                 arguments->command->name);
    if (!w.wanted)
        options.until = t;
    if (!w.wanted && !(t >= content->initial.t))
        return cli_message_usage("%s: --at %g is before the start, t = %g",
                                 arguments->command->name, t, content->initial.t);
    options.any_restitution = cli_option_given(arguments, "any-restitution");
    if (carom_scene_choose_law(scene, NULL, &law, NULL, &error))
        return cli_message_law(&error);
    w.shape = carom_system_get_shape(content->system);
    at->impact = w.wanted;
    at->law = law.ops->name;
    status = cli_answer_check_start(file, content);
    return status ? status : run(arguments, file, scene, &law, &options, &w);
}

/* Row k of a table of the trace. */
static const double *row_of(const carom_trace_table *table, long k)
{
    return table->values + (size_t)k * (size_t)table->columns;
}

static int take_impact(const carom_trace *trace, const char *file, long wanted,
                       const carom_system_shape *shape, carom_arena *arena, cli_instant *at)
{
    const long k = wanted - 1;
    if (k >= trace->impacts) {
        fprintf(stderr, "%s: there %s %ld impact%s in the trace, --at-impact %ld is beyond\n", file,
                trace->impacts == 1 ? "is" : "are", trace->impacts, trace->impacts == 1 ? "" : "s",
                wanted);
        return CLI_NO_ANSWER;
    }
    int *contacts = carom_arena_take(arena, ((size_t)shape->p + 1) * sizeof *contacts);
    if (!contacts || !keep(arena, shape, trace->impact_t[k], row_of(&trace->impact_position, k),
                           row_of(&trace->impact_before, k), at))
        return cli_message_memory();
    at->contacts = contacts;
    for (int i = 0; i < shape->p && i < trace->impulse.columns; i++)
        if (!isnan(row_of(&trace->impulse, k)[i]))
            contacts[at->contact_count++] = i;
    return CLI_ANSWERED;
}

static int take_row(const carom_trace *trace, const char *file, double t,
                    const carom_system_shape *shape, carom_arena *arena, cli_instant *at)
{
    long nearest = 0;
    for (long k = 1; k < trace->rows; k++)
        if (fabs(trace->t[k] - t) < fabs(trace->t[nearest] - t))
            nearest = k;
    if (trace->rows == 0 ||
        !(fabs(trace->t[nearest] - t) <= CAROM_TOLERANCE_SAME * fmax(1, fabs(t)))) {
        fprintf(stderr, "%s: no row at t = %.10g", file, t);
        if (trace->rows > 0) {
            char when[CAROM_NUMBER_SIZE];
            carom_number_print(trace->t[nearest], when);
            fprintf(stderr, ", the nearest is at t = %s", when);
        }
        fputc('\n', stderr);
        return CLI_NO_ANSWER;
    }
    return keep(arena, shape, trace->t[nearest], row_of(&trace->position, nearest),
                row_of(&trace->velocity, nearest), at)
               ? CLI_ANSWERED
               : cli_message_memory();
}

static int take_from(const cli_arguments *arguments, const char *file, const carom_trace *trace,
                     carom_scene *scene, carom_arena *arena, cli_instant *at)
{
    const carom_system *system = carom_scene_get(scene)->system;
    const carom_system_shape *shape = system ? carom_system_get_shape(system) : NULL;
    double t = 0;
    long wanted;
    int status = read_wish(arguments, &t, &wanted);
    if (status)
        return status;
    if (!shape || shape->nq != trace->position.columns || shape->n != trace->velocity.columns)
        return cli_message_usage("%s: %s does not fit the scene in it", arguments->command->name,
                                 file);
    at->impact = wanted;
    return wanted ? take_impact(trace, file, wanted, shape, arena, at)
                  : take_row(trace, file, t, shape, arena, at);
}

int cli_instant_read(const cli_arguments *arguments, const char *file, carom_arena *arena,
                     carom_scene **scene, cli_instant *at)
{
    carom_error error = {0};
    carom_trace trace = {0};
    if (!cli_instant_wanted(arguments))
        return cli_message_usage("%s: %s is a trace: which instant of it? --at T, --at-impact K",
                                 arguments->command->name, file);
    if (carom_trace_read(file, cli_memory(), &trace, &error))
        return cli_message_error(NULL, &error);
    const carom_scene_options options = {.allocator = cli_memory(),
                                         .sets = trace.sets,
                                         .set_count = trace.set_count,
                                         .any_restitution = true};
    int status = CLI_ANSWERED;
    if (!trace.scene)
        status =
            cli_message_usage("%s: %s does not hold its scene", arguments->command->name, file);
    else if (carom_scene_read_text(trace.scene, strlen(trace.scene), &options, scene, &error))
        status = cli_message_error(file, &error);
    else
        status = take_from(arguments, file, &trace, *scene, arena, at);
    carom_trace_destroy(&trace);
    return status;
}
