/* Traces in memory: what a motion tells is kept, for pictures and pages, without a file. */
#include "trace/trace.h"

#include <string.h>

/* The numbers so far: tables that grow by doubling, up to the most that is wanted; then every
 * second row goes, and from there on only every second comes in. The latest is always among them.
 */
typedef struct kept {
    carom_allocator allocator;
    long most;
    long rows[CAROM_TRACE_KINDS], room[CAROM_TRACE_KINDS];
    long seen[CAROM_TRACE_KINDS], stride[CAROM_TRACE_KINDS];
    double *values[CAROM_TRACE_PARTS];
} kept;

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    (void)force;
    const carom_allocator *allocator = carom_arena_allocator(w->arena);
    kept *k = carom_arena_zeros(w->arena, 1, sizeof *k);
    if (!k)
        return carom_error_memory(error);
    if (allocator)
        k->allocator = *allocator;
    k->most = w->most;
    for (int kind = 0; kind < CAROM_TRACE_KINDS; kind++)
        k->stride[kind] = 1;
    w->self = k;
    return CAROM_OK;
}

static carom_status grow(carom_trace_writer *w, carom_trace_kind kind, carom_error *error)
{
    enum { FIRST = 256 };
    kept *k = w->self;
    long room = k->room[kind] ? 2 * k->room[kind] : FIRST;
    struct carom_trace_span span = carom_trace_spans[kind];
    for (int part = (int)span.first; part < (int)span.end; part++) {
        size_t bytes = (size_t)room * (size_t)w->width[part] * sizeof(double);
        double *grown =
            bytes ? carom_allocator_resize(&k->allocator, k->values[part], bytes) : NULL;
        if (bytes && !grown)
            return carom_error_memory(error);
        k->values[part] = grown;
    }
    k->room[kind] = room;
    return CAROM_OK;
}

static void put(carom_trace_writer *w, carom_trace_kind kind, long row)
{
    kept *k = w->self;
    struct carom_trace_span span = carom_trace_spans[kind];
    for (int part = (int)span.first; part < (int)span.end; part++) {
        size_t width = (size_t)w->width[part];
        if (width)
            memcpy(k->values[part] + (size_t)row * width, w->values[part], width * sizeof(double));
    }
}

/* Leave every second row. */
static void thin(carom_trace_writer *w, carom_trace_kind kind)
{
    kept *k = w->self;
    struct carom_trace_span span = carom_trace_spans[kind];
    long left = (k->rows[kind] + 1) / 2;
    for (int part = (int)span.first; part < (int)span.end; part++) {
        size_t width = (size_t)w->width[part];
        for (long row = 1; row < left && width; row++)
            memcpy(k->values[part] + (size_t)row * width,
                   k->values[part] + (size_t)(2 * row) * width, width * sizeof(double));
    }
    k->rows[kind] = left;
    k->stride[kind] *= 2;
}

/* The last place is for the latest, whether or not its turn has come. */
static carom_status add(carom_trace_writer *w, carom_trace_kind kind, carom_error *error)
{
    kept *k = w->self;
    bool extra = k->seen[kind] > 0 && (k->seen[kind] - 1) % k->stride[kind] != 0;
    if (extra)
        k->rows[kind]--; /* it is not the latest any more */
    if (k->most > 0 && k->rows[kind] == k->most && k->seen[kind] % k->stride[kind] == 0)
        thin(w, kind);
    if (k->rows[kind] + 1 > k->room[kind]) {
        carom_status status = grow(w, kind, error);
        if (status)
            return status;
    }
    put(w, kind, k->rows[kind]++);
    k->seen[kind]++;
    return CAROM_OK;
}

/* Copies in the arena of the trace. A text that is not there stays so; memory ends with failed. */
typedef struct copier {
    carom_arena *arena;
    bool failed;
} copier;

static const char *copy_text(copier *c, const char *text)
{
    const char *made = text ? carom_arena_text(c->arena, text, strlen(text)) : NULL;
    c->failed = c->failed || (text && !made);
    return made;
}

static const char *const *copy_texts(copier *c, int count, const char *const *texts)
{
    const char **made = texts ? carom_arena_array(c->arena, (size_t)count + 1, sizeof *made) : NULL;
    c->failed = c->failed || (texts && !made);
    for (int i = 0; made && i < count; i++)
        made[i] = copy_text(c, texts[i]);
    return made;
}

static double *copy_numbers(copier *c, size_t count, const double *numbers)
{
    double *made = carom_arena_doubles(c->arena, count);
    c->failed = c->failed || !made;
    if (made && count)
        memcpy(made, numbers, count * sizeof *made);
    return made;
}

/* Where a plain list of a trace is. */
static double **list_of(carom_trace *trace, carom_trace_part part)
{
    return part == CAROM_TRACE_T               ? &trace->t
           : part == CAROM_TRACE_IMPACT_T      ? &trace->impact_t
           : part == CAROM_TRACE_INSTANT_T     ? &trace->instant_t
           : part == CAROM_TRACE_INSTANT_EVENT ? &trace->instant_event
                                               : &trace->impact_energy;
}

static void copy_tables(copier *c, const carom_trace_writer *w, carom_trace *trace)
{
    const kept *k = w->self;
    for (int kind = 0; kind < CAROM_TRACE_KINDS; kind++) {
        struct carom_trace_span span = carom_trace_spans[kind];
        for (int part = (int)span.first; part < (int)span.end; part++) {
            size_t count = (size_t)k->rows[kind] * (size_t)w->width[part];
            double *values = copy_numbers(c, count, k->values[part]);
            carom_trace_table *table = carom_trace_find_table(trace, (carom_trace_part)part);
            if (table)
                *table = (carom_trace_table){.columns = w->width[part],
                                             .names = copy_texts(c, w->width[part], w->names[part]),
                                             .values = values};
            else
                *list_of(trace, (carom_trace_part)part) = values;
        }
    }
    trace->rows = k->rows[CAROM_TRACE_KIND_ROW];
    trace->impacts = k->rows[CAROM_TRACE_KIND_IMPACT];
    trace->instants = k->rows[CAROM_TRACE_KIND_INSTANT];
    trace->event_count = w->shape->event_count;
    trace->event_names = copy_texts(c, trace->event_count, w->events);
    trace->accumulations = k->rows[CAROM_TRACE_KIND_ACCUMULATION];
    trace->changes = k->rows[CAROM_TRACE_KIND_CHANGE];
    trace->all_rows = k->seen[CAROM_TRACE_KIND_ROW];
    trace->all_impacts = k->seen[CAROM_TRACE_KIND_IMPACT];
}

static void copy_about(copier *c, const carom_trace_writer *w, const carom_flow_result *result,
                       carom_trace *trace)
{
    trace->title = copy_text(c, w->header.title);
    trace->law = copy_text(c, w->header.law);
    trace->method = copy_text(c, w->header.method);
    trace->program = copy_text(c, "carom " CAROM_VERSION);
    trace->shapes = copy_text(c, w->shapes);
    trace->contacts = copy_text(c, w->contacts);
    trace->bodies = copy_text(c, w->bodies);
    trace->end = copy_text(c, result ? carom_flow_end_text(result->end) : NULL);
    trace->message = copy_text(c, result && result->message[0] ? result->message : NULL);
    if (!w->header.scene)
        return;
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    size_t count = (size_t)content->parameter_count;
    const char **names = carom_arena_array(c->arena, count + 1, sizeof *names);
    double *values = carom_arena_doubles(c->arena, count + 1);
    c->failed = c->failed || !names || !values;
    for (size_t i = 0; i < count && !c->failed; i++) {
        names[i] = copy_text(c, content->parameters[i].name);
        values[i] = content->parameters[i].value;
    }
    trace->scene = copy_text(c, content->text);
    trace->period = content->period;
    trace->sets = copy_texts(c, content->set_count, content->sets);
    trace->set_count = content->set_count;
    trace->parameter_names = names;
    trace->parameters = values;
    trace->parameter_count = content->parameter_count;
}

static carom_status finish(carom_trace_writer *w, const carom_flow_result *result,
                           carom_error *error)
{
    kept *k = w->self;
    carom_trace made = {0};
    carom_status status =
        carom_arena_create(k->allocator.resize ? &k->allocator : NULL, &made.arena, error);
    if (!status) {
        copier c = {.arena = made.arena};
        copy_about(&c, w, result, &made);
        copy_tables(&c, w, &made);
        if (c.failed) {
            carom_arena_destroy(made.arena);
            status = carom_error_memory(error);
        } else {
            *w->kept = made;
        }
    }
    for (int part = 0; part < CAROM_TRACE_PARTS; part++)
        if (k->values[part])
            carom_allocator_resize(&k->allocator, k->values[part], 0);
    return status;
}

const carom_trace_file carom_trace_memory = {create, add, finish, NULL};
