/* Traces: the columns of a row and of an impact, filled from what the motion tells. */
#include "trace/trace.h"
#include "carom/need.h"

#include "file/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The last one is there where the system has events only. */
static const carom_entry energies[CAROM_TRACE_ENERGIES] = {
    CAROM_ENTRY_KINETIC,    CAROM_ENTRY_POTENTIAL, CAROM_ENTRY_IMPACTS,
    CAROM_ENTRY_FRICTION,   CAROM_ENTRY_FORCES,    CAROM_ENTRY_CONSTRAINTS,
    CAROM_ENTRY_PROJECTION, CAROM_ENTRY_BALANCE,   CAROM_ENTRY_EVENTS,
};

const char *const carom_trace_accumulations[CAROM_TRACE_ACCUMULATIONS] = {
    "contact", "t_first", "t_last", "t_limit", "ratio", "impacts",
};

const char *const carom_trace_changes[CAROM_TRACE_CHANGES] = {"t", "contact", "from", "to"};

const struct carom_trace_span carom_trace_spans[CAROM_TRACE_KINDS] = {
    {0, CAROM_TRACE_ROW_PARTS},
    {CAROM_TRACE_ROW_PARTS, CAROM_TRACE_INSTANT_T},
    {CAROM_TRACE_INSTANT_T, CAROM_TRACE_ACCUMULATION},
    {CAROM_TRACE_ACCUMULATION, CAROM_TRACE_CHANGE},
    {CAROM_TRACE_CHANGE, CAROM_TRACE_PARTS},
};

const char *const carom_trace_paths[CAROM_TRACE_PARTS] = {
    "t",
    "position",
    "velocity",
    "gap",
    "force",
    "friction",
    "mode",
    "energy",
    "draw",
    "at",
    "pose",
    "impacts/t",
    "impacts/energy_change",
    "impacts/position",
    "impacts/before",
    "impacts/after",
    "impacts/impulse",
    "impacts/draw",
    "impacts/kick",
    "impacts/at",
    "impacts/pose",
    "instants/t",
    "instants/event",
    "instants/position_before",
    "instants/before",
    "instants/position",
    "instants/after",
    "instants/draw_before",
    "instants/draw",
    "accumulations",
    "changes",
};

carom_trace_table *carom_trace_find_table(carom_trace *trace, carom_trace_part part)
{
    switch (part) {
    case CAROM_TRACE_POSITION:
        return &trace->position;
    case CAROM_TRACE_VELOCITY:
        return &trace->velocity;
    case CAROM_TRACE_GAP:
        return &trace->gap;
    case CAROM_TRACE_FORCE:
        return &trace->force;
    case CAROM_TRACE_FRICTION:
        return &trace->friction;
    case CAROM_TRACE_MODE:
        return &trace->mode;
    case CAROM_TRACE_ENERGY:
        return &trace->energy;
    case CAROM_TRACE_DRAW:
        return &trace->draw;
    case CAROM_TRACE_AT:
        return &trace->at;
    case CAROM_TRACE_IMPACT_POSITION:
        return &trace->impact_position;
    case CAROM_TRACE_IMPACT_BEFORE:
        return &trace->impact_before;
    case CAROM_TRACE_IMPACT_AFTER:
        return &trace->impact_after;
    case CAROM_TRACE_IMPULSE:
        return &trace->impulse;
    case CAROM_TRACE_IMPACT_DRAW:
        return &trace->impact_draw;
    case CAROM_TRACE_IMPACT_KICK:
        return &trace->impact_kick;
    case CAROM_TRACE_IMPACT_AT:
        return &trace->impact_at;
    case CAROM_TRACE_INSTANT_POSITION_BEFORE:
        return &trace->instant_position_before;
    case CAROM_TRACE_INSTANT_BEFORE:
        return &trace->instant_before;
    case CAROM_TRACE_INSTANT_POSITION:
        return &trace->instant_position;
    case CAROM_TRACE_INSTANT_AFTER:
        return &trace->instant_after;
    case CAROM_TRACE_INSTANT_DRAW_BEFORE:
        return &trace->instant_draw_before;
    case CAROM_TRACE_INSTANT_DRAW:
        return &trace->instant_draw;
    case CAROM_TRACE_POSE:
        return &trace->pose;
    case CAROM_TRACE_IMPACT_POSE:
        return &trace->impact_pose;
    case CAROM_TRACE_ACCUMULATION:
        return &trace->accumulation;
    case CAROM_TRACE_CHANGE:
        return &trace->change;
    default:
        return NULL;
    }
}

/* FNV-1a over the bytes of the values, with -0 and 0 taken as one. */
static void add_to_hash(carom_trace_writer *w, const double *values, int count)
{
    for (int k = 0; k < count; k++) {
        double value = values[k] == 0 ? 0 : values[k];
        unsigned char bytes[sizeof value];
        memcpy(bytes, &value, sizeof value);
        for (size_t i = 0; i < sizeof bytes; i++)
            w->hash = (w->hash ^ bytes[i]) * 0x100000001B3u;
    }
}

/* "name" for every contact, "name_1", "name_2" for spatial friction. */
static carom_status name_columns(carom_trace_writer *w, carom_error *error)
{
    const carom_system_shape *shape = w->shape;
    size_t p = (size_t)shape->p, s = (size_t)shape->s;
    const char **contacts = carom_arena_array(w->arena, p + 1, sizeof *contacts);
    const char **slips = carom_arena_array(w->arena, s + 1, sizeof *slips);
    if (!contacts || !slips)
        return carom_error_memory(error);
    for (size_t i = 0; i < p; i++) {
        char number[16];
        const char *name = carom_contact_name(shape->contacts, (int)i, number);
        size_t length = strlen(name);
        contacts[i] = carom_arena_text(w->arena, name, length);
        for (int k = shape->slip_start[i]; k < shape->slip_start[i + 1]; k++) {
            char *text = carom_arena_array(w->arena, length + 4, 1);
            slips[k] = text;
            if (text && shape->slip_start[i + 1] - shape->slip_start[i] > 1)
                snprintf(text, length + 4, "%s_%d", name, k - shape->slip_start[i] + 1);
            else if (text)
                snprintf(text, length + 4, "%s", name);
            if (!text)
                return carom_error_memory(error);
        }
        if (!contacts[i])
            return carom_error_memory(error);
    }
    w->names[CAROM_TRACE_POSITION] = w->names[CAROM_TRACE_IMPACT_POSITION] = shape->coordinates;
    w->names[CAROM_TRACE_VELOCITY] = w->names[CAROM_TRACE_IMPACT_BEFORE] = shape->velocities;
    w->names[CAROM_TRACE_IMPACT_AFTER] = shape->velocities;
    w->names[CAROM_TRACE_GAP] = w->names[CAROM_TRACE_FORCE] = contacts;
    w->names[CAROM_TRACE_MODE] = w->names[CAROM_TRACE_IMPULSE] = contacts;
    w->names[CAROM_TRACE_FRICTION] = slips;
    for (int k = 0; k < CAROM_TRACE_ENERGIES; k++)
        w->energy_names[k] = carom_flow_entries(energies[k])->column;
    w->names[CAROM_TRACE_ENERGY] = w->energy_names;
    for (int k = 0; k < 2; k++) {
        w->names[CAROM_TRACE_INSTANT_POSITION_BEFORE + 2 * k] = shape->coordinates;
        w->names[CAROM_TRACE_INSTANT_BEFORE + 2 * k] = shape->velocities;
    }
    w->names[CAROM_TRACE_ACCUMULATION] = carom_trace_accumulations;
    w->names[CAROM_TRACE_CHANGE] = carom_trace_changes;
    return CAROM_OK;
}

/* Names of the events of the system, as long as it lives. */
static carom_status name_events(carom_trace_writer *w, carom_error *error)
{
    size_t count = (size_t)w->shape->event_count;
    const char **names = carom_arena_array(w->arena, count + 1, sizeof *names);
    if (!names)
        return carom_error_memory(error);
    for (size_t k = 0; k < count; k++)
        names[k] = w->shape->events[k].name ? w->shape->events[k].name : "";
    w->events = names;
    return CAROM_OK;
}

static carom_status size_parts(carom_trace_writer *w, carom_error *error)
{
    const carom_system_shape *shape = w->shape;
    const int n = shape->n, p = shape->p, events = shape->event_count > 0;
    const int width[CAROM_TRACE_PARTS] = {
        [CAROM_TRACE_T] = 1,
        [CAROM_TRACE_POSITION] = shape->nq,
        [CAROM_TRACE_VELOCITY] = n,
        [CAROM_TRACE_GAP] = p,
        [CAROM_TRACE_FORCE] = p,
        [CAROM_TRACE_FRICTION] = shape->s,
        [CAROM_TRACE_MODE] = p,
        [CAROM_TRACE_ENERGY] = CAROM_TRACE_ENERGIES - !events,
        [CAROM_TRACE_IMPACT_T] = 1,
        [CAROM_TRACE_IMPACT_ENERGY] = 1,
        [CAROM_TRACE_IMPACT_POSITION] = shape->nq,
        [CAROM_TRACE_IMPACT_BEFORE] = n,
        [CAROM_TRACE_IMPACT_AFTER] = n,
        [CAROM_TRACE_IMPULSE] = p,
        [CAROM_TRACE_INSTANT_T] = events,
        [CAROM_TRACE_INSTANT_EVENT] = events,
        [CAROM_TRACE_INSTANT_POSITION_BEFORE] = events * shape->nq,
        [CAROM_TRACE_INSTANT_BEFORE] = events * n,
        [CAROM_TRACE_INSTANT_POSITION] = events * shape->nq,
        [CAROM_TRACE_INSTANT_AFTER] = events * n,
        [CAROM_TRACE_ACCUMULATION] = CAROM_TRACE_ACCUMULATIONS,
        [CAROM_TRACE_CHANGE] = CAROM_TRACE_CHANGES,
    };
    memcpy(w->width, width, sizeof width);
    const carom_scene_content *content = w->header.scene ? carom_scene_get(w->header.scene) : NULL;
    if (content && content->shape_count && !content->shapes_unsaved) {
        carom_status status = carom_trace_describe_shapes(w, error);
        if (status)
            return status;
    }
    if (w->header.scene) {
        carom_status status = carom_trace_describe_contacts(w, error);
        if (!status)
            status = carom_trace_describe_bodies(w, error);
        if (status)
            return status;
    }
    w->width[CAROM_TRACE_INSTANT_DRAW_BEFORE] = w->width[CAROM_TRACE_INSTANT_DRAW] =
        events * w->width[CAROM_TRACE_DRAW];
    w->moved = carom_arena_zeros(w->arena, (size_t)shape->nq, sizeof(double));
    if (!w->moved)
        return carom_error_memory(error);
    for (int k = 0; k < CAROM_TRACE_PARTS; k++) {
        w->values[k] = carom_arena_zeros(w->arena, (size_t)w->width[k], sizeof(double));
        if (!w->values[k])
            return carom_error_memory(error);
    }
    return CAROM_OK;
}

static bool ends_with(const char *path, const char *end)
{
    size_t a = strlen(path), b = strlen(end);
    return a >= b && strcmp(path + a - b, end) == 0;
}

/* A writer to a kind of file (NULL: only the hash is computed). */
static carom_status make_writer(const carom_trace_header *header, const char *path,
                                const carom_trace_file *file, carom_trace *trace, long most,
                                bool force, const carom_allocator *allocator,
                                carom_trace_writer **writer, carom_error *error)
{
    carom_arena *arena;
    if (!header || !header->system || !writer)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "a header with its system, and writer must be given");
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    carom_trace_writer *w = carom_arena_zeros(arena, 1, sizeof *w);
    if (!w) {
        carom_arena_destroy(arena);
        return carom_error_memory(error);
    }
    w->arena = arena;
    w->header = *header;
    w->shape = carom_system_get_shape(header->system);
    w->path = path;
    w->hash = 0xCBF29CE484222325u;
    w->file = file;
    w->kept = trace;
    w->most = most;
    status = size_parts(w, error);
    if (!status)
        status = name_columns(w, error);
    if (!status)
        status = name_events(w, error);
    if (!status && w->file)
        status = w->file->create(w, force, error);
    if (status)
        carom_arena_destroy(arena);
    else
        *writer = w;
    return status;
}

carom_status carom_trace_create(const char *path, bool force, const carom_trace_header *header,
                                const carom_allocator *allocator, carom_trace_writer **writer,
                                carom_error *error)
{
    CAROM_NEED(error, header, writer);
    const carom_trace_file *file = !path                     ? NULL
                                   : ends_with(path, ".csv") ? &carom_trace_csv
                                                             : &carom_trace_hdf5;
    return make_writer(header, path, file, NULL, 0, force, allocator, writer, error);
}

carom_status carom_trace_keep(const carom_trace_header *header, long most,
                              const carom_allocator *allocator, carom_trace *trace,
                              carom_trace_writer **writer, carom_error *error)
{
    CAROM_NEED(error, header, trace, writer);
    return make_writer(header, NULL, &carom_trace_memory, trace, most, false, allocator, writer,
                       error);
}

/* The numbers of all shapes at one moment. */
static void draw(carom_trace_writer *w, double t, const double *q, const double *u, double *values)
{
    if (w->shapes)
        carom_scene_shapes_evaluate(w->header.scene, t, q, u, values);
}

/* The jump of the shapes' rates, D phi(q) (u+ - u-), by a central difference along the jump.
 * Where q' is not u it is left out. */
static void draw_kick(carom_trace_writer *w, const carom_flow_impact *impact, double *kick)
{
    int nq = w->shape->nq, columns = w->width[CAROM_TRACE_IMPACT_KICK];
    double place = 1, jump = 0, *back = w->values[CAROM_TRACE_DRAW];
    for (int i = 0; i < columns; i++)
        kick[i] = w->shape->kinematics_is_identity ? 0 : NAN;
    if (columns == 0 || !w->shape->kinematics_is_identity)
        return;
    for (int i = 0; i < nq; i++) {
        place = fmax(place, fabs(impact->q[i]));
        jump = fmax(jump, fabs(impact->after[i] - impact->before[i]));
    }
    double h = 6e-6 * place / jump;
    if (!isfinite(h))
        return;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < nq; i++)
            w->moved[i] = impact->q[i] + side * h * (impact->after[i] - impact->before[i]);
        draw(w, impact->t, w->moved, impact->after, side < 0 ? back : kick);
    }
    for (int i = 0; i < columns; i++)
        kick[i] = (kick[i] - back[i]) / (2 * h);
}

/* What is in `values` goes to the hash and the file. Places of contacts, what is drawn at an
 * impact, accumulations and changes follow from the rest and are left out of the hash. */
carom_status carom_trace_add(carom_trace_writer *w, carom_trace_kind kind, carom_error *error)
{
    struct carom_trace_span span = carom_trace_spans[kind];
    for (int k = (int)span.first; k < (int)span.end && k <= CAROM_TRACE_IMPULSE; k++)
        if (k != CAROM_TRACE_AT && k != CAROM_TRACE_POSE)
            add_to_hash(w, w->values[k], w->width[k]);
    return w->file ? w->file->add(w, kind, error) : CAROM_OK;
}

static void copy(carom_trace_writer *w, carom_trace_part part, const double *values)
{
    if (values)
        memcpy(w->values[part], values, (size_t)w->width[part] * sizeof(double));
}

carom_status carom_trace_row(void *writer, const carom_flow_row *row, carom_error *error)
{
    CAROM_NEED(error, writer, row, row->ledger);
    carom_trace_writer *w = writer;
    w->values[CAROM_TRACE_T][0] = row->t;
    copy(w, CAROM_TRACE_POSITION, row->q);
    copy(w, CAROM_TRACE_VELOCITY, row->u);
    copy(w, CAROM_TRACE_GAP, row->gap);
    copy(w, CAROM_TRACE_FORCE, row->force);
    copy(w, CAROM_TRACE_FRICTION, row->friction);
    for (int k = 0; k < w->width[CAROM_TRACE_ENERGY]; k++)
        w->values[CAROM_TRACE_ENERGY][k] = carom_flow_entries_value(row->ledger, energies[k]);
    for (int i = 0; i < w->width[CAROM_TRACE_MODE]; i++)
        w->values[CAROM_TRACE_MODE][i] = row->mode ? row->mode[i] : 0;
    draw(w, row->t, row->q, row->u, w->values[CAROM_TRACE_DRAW]);
    carom_trace_describe_places(w, row->t, row->q, row->u, w->values[CAROM_TRACE_AT]);
    if (w->bodies)
        carom_bodies_poses(carom_bodies_of(w->header.system), row->t, row->q,
                           w->values[CAROM_TRACE_POSE]);
    return carom_trace_add(w, CAROM_TRACE_KIND_ROW, error);
}

carom_status carom_trace_impact(void *writer, const carom_flow_impact *impact, carom_error *error)
{
    CAROM_NEED(error, writer, impact);
    carom_trace_writer *w = writer;
    if (impact->kind == CAROM_FLOW_PASSAGE)
        return CAROM_OK; /* nothing jumps: rows tell of its entry, turn and exit */
    w->values[CAROM_TRACE_IMPACT_T][0] = impact->t;
    w->values[CAROM_TRACE_IMPACT_ENERGY][0] = impact->energy_change;
    copy(w, CAROM_TRACE_IMPACT_POSITION, impact->q);
    copy(w, CAROM_TRACE_IMPACT_BEFORE, impact->before);
    copy(w, CAROM_TRACE_IMPACT_AFTER, impact->after);
    for (int i = 0; i < w->width[CAROM_TRACE_IMPULSE]; i++)
        w->values[CAROM_TRACE_IMPULSE][i] = NAN;
    for (int k = 0; k < impact->contact_count; k++)
        w->values[CAROM_TRACE_IMPULSE][impact->contacts[k]] =
            impact->impulse ? impact->impulse[k] : 0;
    draw(w, impact->t, impact->q, impact->after, w->values[CAROM_TRACE_IMPACT_DRAW]);
    draw_kick(w, impact, w->values[CAROM_TRACE_IMPACT_KICK]);
    carom_trace_describe_places(w, impact->t, impact->q, impact->after,
                                w->values[CAROM_TRACE_IMPACT_AT]);
    if (w->bodies)
        carom_bodies_poses(carom_bodies_of(w->header.system), impact->t, impact->q,
                           w->values[CAROM_TRACE_IMPACT_POSE]);
    return carom_trace_add(w, CAROM_TRACE_KIND_IMPACT, error);
}

carom_status carom_trace_instant(void *writer, const carom_flow_instant *instant,
                                 carom_error *error)
{
    CAROM_NEED(error, writer, instant);
    carom_trace_writer *w = writer;
    w->values[CAROM_TRACE_INSTANT_T][0] = instant->t;
    w->values[CAROM_TRACE_INSTANT_EVENT][0] = instant->event;
    copy(w, CAROM_TRACE_INSTANT_POSITION_BEFORE, instant->q_before);
    copy(w, CAROM_TRACE_INSTANT_BEFORE, instant->u_before);
    copy(w, CAROM_TRACE_INSTANT_POSITION, instant->q);
    copy(w, CAROM_TRACE_INSTANT_AFTER, instant->u);
    draw(w, instant->t, instant->q_before, instant->u_before,
         w->values[CAROM_TRACE_INSTANT_DRAW_BEFORE]);
    draw(w, instant->t, instant->q, instant->u, w->values[CAROM_TRACE_INSTANT_DRAW]);
    return carom_trace_add(w, CAROM_TRACE_KIND_INSTANT, error);
}

carom_status carom_trace_accumulation(void *writer, const carom_flow_accumulation *accumulation,
                                      carom_error *error)
{
    CAROM_NEED(error, writer, accumulation);
    carom_trace_writer *w = writer;
    const double values[CAROM_TRACE_ACCUMULATIONS] = {
        accumulation->contact, accumulation->t_first, accumulation->t_last,
        accumulation->t_limit, accumulation->ratio,   (double)accumulation->impacts};
    copy(w, CAROM_TRACE_ACCUMULATION, values);
    return carom_trace_add(w, CAROM_TRACE_KIND_ACCUMULATION, error);
}

carom_status carom_trace_change(void *writer, const carom_flow_change *change, carom_error *error)
{
    CAROM_NEED(error, writer, change);
    carom_trace_writer *w = writer;
    const double values[CAROM_TRACE_CHANGES] = {change->t, change->contact, change->from,
                                                change->to};
    copy(w, CAROM_TRACE_CHANGE, values);
    return carom_trace_add(w, CAROM_TRACE_KIND_CHANGE, error);
}

carom_status carom_trace_finish(carom_trace_writer *writer, const carom_flow_result *result,
                                unsigned long long *hash, carom_error *error)
{
    CAROM_NEED(error, writer);
    carom_status status = writer->file ? writer->file->finish(writer, result, error) : CAROM_OK;
    if (hash && !status)
        *hash = writer->hash;
    carom_arena_destroy(writer->arena);
    return status;
}

carom_status carom_trace_read(const char *path, const carom_allocator *allocator,
                              carom_trace *trace, carom_error *error)
{
    CAROM_NEED(error, path, trace);
    carom_trace made = {0};
    carom_status status = carom_arena_create(allocator, &made.arena, error);
    if (status)
        return status;
    const carom_trace_file *file = ends_with(path, ".csv") ? &carom_trace_csv : &carom_trace_hdf5;
    status = file->read(path, &made, error);
    made.all_rows = made.rows;
    made.all_impacts = made.impacts;
    if (status)
        carom_arena_destroy(made.arena);
    else
        *trace = made;
    return status;
}

void carom_trace_destroy(carom_trace *trace)
{
    if (!trace)
        return;
    carom_arena_destroy(trace->arena);
    trace->arena = NULL;
}
