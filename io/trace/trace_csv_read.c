/* Reading traces in CSV, in one pass: tables grow as lines come. A line that is not what a trace
 * holds is an error with its number; one that a killed run left unfinished is dropped. */
#include "trace/trace_csv_reader.h"

#include "carom/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = CAROM_TRACE_CSV_GROUPS };

typedef carom_trace_csv_place place;
typedef carom_trace_csv_reader reader;

static const struct carom_trace_csv_group *const groups = carom_trace_csv_groups;

carom_status carom_trace_csv_read_wrong(reader *r, const char *what, const char *value)
{
    return carom_error_set(r->error, CAROM_ERROR_FILE, "%s:%d: not a line of a trace: %s%s%.40s%s",
                           r->path, r->csv.line, what, *value ? " '" : "", value,
                           *value ? "'" : "");
}

static carom_status not_a_trace(reader *r)
{
    return carom_error_set(
        r->error, CAROM_ERROR_FILE,
        "%s is not a trace written by carom run: its columns begin with t, event "
        "and the coordinates",
        r->path);
}

/* Twice the room for a list of things; the old one stays in the arena. */
void *carom_trace_csv_read_enlarge(carom_arena *arena, const void *old, long used, long room,
                                   size_t size)
{
    void *made = carom_arena_array(arena, (size_t)room, size);
    if (made && used)
        memcpy(made, old, (size_t)used * size);
    return made;
}

/* Coordinates come first, then velocities. The line `about coordinates` says how many; files of
 * older versions have as many of one as of the other, or one coordinate more (a quaternion). */
carom_status carom_trace_csv_read_divide(reader *r, int coordinates)
{
    carom_trace_table *position = &r->trace->position, *velocity = &r->trace->velocity;
    const char **both = carom_arena_array(r->arena, (size_t)r->plain, sizeof *both);
    if (!both)
        return carom_error_memory(r->error);
    for (int k = 2, i = 0; k < r->count && i < r->plain; k++) {
        if (r->places[k].group != 0 && r->places[k].group != 1)
            continue;
        r->places[k] = i < coordinates ? (place){0, i} : (place){1, i - coordinates};
        both[i++] = r->names[k];
    }
    *position = (carom_trace_table){coordinates, both, NULL};
    *velocity = (carom_trace_table){r->plain - coordinates, both + coordinates, NULL};
    return CAROM_OK;
}

/* The group that a column belongs to by its prefix; coordinates and velocities have none. */
static int group_of(const char *name)
{
    for (int g = 2; g < GROUPS; g++)
        if (strncmp(name, groups[g].prefix, strlen(groups[g].prefix)) == 0)
            return g;
    return 0;
}

static carom_status name_columns(reader *r, const int used[GROUPS])
{
    for (int g = 2; g < GROUPS; g++) {
        carom_trace_table *t = carom_trace_find_table(r->trace, groups[g].part);
        const char **own = carom_arena_array(r->arena, (size_t)used[g], sizeof *own);
        if (!own)
            return carom_error_memory(r->error);
        *t = (carom_trace_table){used[g], own, NULL};
        for (int k = 2; k < r->count; k++)
            if (r->places[k].group == g)
                own[r->places[k].column] = r->names[k];
    }
    return CAROM_OK;
}

/* The last columns are energy_change and, since version 2, text. */
static bool find_last_columns(reader *r)
{
    bool named = r->count > 2 && strcmp(carom_csv_cell(&r->csv, r->count - 1), "text") == 0 &&
                 strcmp(carom_csv_cell(&r->csv, r->count - 2), "energy_change") == 0;
    r->text = named ? r->count - 1 : -1;
    r->change = named ? r->count - 2 : r->count - 1;
    return strcmp(carom_csv_cell(&r->csv, r->change), "energy_change") == 0;
}

static carom_status read_header(reader *r)
{
    if (!carom_csv_next(&r->csv))
        return r->csv.memory ? carom_error_memory(r->error) : not_a_trace(r);
    r->count = r->csv.count;
    if (r->count < 4 || !find_last_columns(r) || strcmp(carom_csv_cell(&r->csv, 0), "t") != 0 ||
        strcmp(carom_csv_cell(&r->csv, 1), "event") != 0)
        return not_a_trace(r);
    r->places = carom_arena_array(r->arena, (size_t)r->count, sizeof *r->places);
    r->names = carom_arena_array(r->arena, (size_t)r->count, sizeof *r->names);
    if (!r->places || !r->names)
        return carom_error_memory(r->error);
    int used[GROUPS] = {0};
    for (int k = 0; k < r->count; k++) {
        const char *cell = carom_csv_cell(&r->csv, k);
        bool number = k >= 2 && k != r->change && k != r->text;
        int group = number ? group_of(cell) : -1;
        r->places[k] = (place){group, group < 0 ? 0 : used[group]++};
        cell += group < 0 ? 0 : strlen(groups[group].prefix);
        r->names[k] = carom_arena_text(r->arena, cell, strlen(cell));
        if (!r->names[k])
            return carom_error_memory(r->error);
    }
    r->plain = used[0];
    if (r->plain == 0)
        return not_a_trace(r);
    carom_status status = name_columns(r, used);
    return status ? status : carom_trace_csv_read_divide(r, (r->plain + 1) / 2);
}

/* Room for one more line in the tables of a kind. */
static carom_status make_room(reader *r, carom_trace_kind kind, long used, long *room)
{
    if (used < *room)
        return CAROM_OK;
    long more = *room ? 2 * *room : 256;
    struct carom_trace_span span = carom_trace_spans[kind];
    for (int k = (int)span.first; k < (int)span.end; k++) {
        carom_trace_table *t = carom_trace_find_table(r->trace, (carom_trace_part)k);
        size_t row = t ? (size_t)t->columns * sizeof(double) : 0;
        if (!row)
            continue;
        t->values = carom_trace_csv_read_enlarge(r->arena, t->values, used, more, row);
        if (!t->values)
            return carom_error_memory(r->error);
    }
    *room = more;
    return CAROM_OK;
}

static carom_status make_room_for_times(reader *r, double **list, long used, long room)
{
    *list = carom_trace_csv_read_enlarge(r->arena, *list, used, room, sizeof **list);
    return *list ? CAROM_OK : carom_error_memory(r->error);
}

/* The number of a cell, NaN where it is empty. */
static carom_status read_number(reader *r, int k, double *value)
{
    const char *text = carom_csv_cell(&r->csv, k);
    *value = NAN;
    if (!*text || carom_number_parse(text, value))
        return CAROM_OK;
    return carom_trace_csv_read_wrong(r, "not a number", text);
}

/* The cells of one group into row `row` of a table. */
static carom_status read_group(reader *r, int group, carom_trace_table *table, long row)
{
    carom_status status = CAROM_OK;
    for (int k = 2; k < r->count && !status; k++)
        if (r->places[k].group == group)
            status = read_number(r, k, &table->values[row * table->columns + r->places[k].column]);
    return status;
}

static carom_status read_row(reader *r, double t)
{
    carom_trace *trace = r->trace;
    carom_status status = CAROM_OK;
    if (trace->rows == r->rows_room) {
        status = make_room(r, CAROM_TRACE_KIND_ROW, trace->rows, &r->rows_room);
        if (!status)
            status = make_room_for_times(r, &trace->t, trace->rows, r->rows_room);
    }
    for (int g = 0; g < GROUPS && !status; g++)
        if (groups[g].part != CAROM_TRACE_IMPULSE)
            status = read_group(r, g, carom_trace_find_table(trace, groups[g].part), trace->rows);
    if (!status)
        trace->t[trace->rows++] = t;
    return status;
}

static carom_status make_room_for_impact(reader *r)
{
    carom_trace *trace = r->trace;
    if (trace->impacts < r->impacts_room)
        return CAROM_OK;
    if (r->impacts_room == 0) { /* the columns are those of the rows */
        trace->impact_position = trace->position;
        trace->impact_before = trace->impact_after = trace->velocity;
        trace->impact_position.values = NULL;
        trace->impact_before.values = trace->impact_after.values = NULL;
    }
    carom_status status = make_room(r, CAROM_TRACE_KIND_IMPACT, trace->impacts, &r->impacts_room);
    if (!status)
        status = make_room_for_times(r, &trace->impact_t, trace->impacts, r->impacts_room);
    if (!status)
        status = make_room_for_times(r, &trace->impact_energy, trace->impacts, r->impacts_room);
    return status;
}

static carom_status read_before(reader *r)
{
    carom_trace *trace = r->trace;
    carom_status status = make_room_for_impact(r);
    if (!status)
        status = read_group(r, 0, &trace->impact_position, trace->impacts);
    if (!status)
        status = read_group(r, 1, &trace->impact_before, trace->impacts);
    r->before = true;
    return status;
}

static carom_status read_after(reader *r, double t)
{
    carom_trace *trace = r->trace;
    if (!r->before)
        return carom_trace_csv_read_wrong(r, "`after` without `before`", "");
    r->before = false;
    carom_status status = read_group(r, 1, &trace->impact_after, trace->impacts);
    if (!status)
        status = read_group(r, GROUPS - 1, &trace->impulse, trace->impacts);
    if (!status)
        status = read_number(r, r->change, &trace->impact_energy[trace->impacts]);
    if (!status)
        trace->impact_t[trace->impacts++] = t;
    return status;
}

static carom_status make_room_for_instant(reader *r)
{
    carom_trace *trace = r->trace;
    if (trace->instants < r->instants_room)
        return CAROM_OK;
    if (r->instants_room == 0) {
        trace->instant_position_before = trace->instant_position = trace->position;
        trace->instant_before = trace->instant_after = trace->velocity;
        trace->instant_position_before.values = trace->instant_position.values = NULL;
        trace->instant_before.values = trace->instant_after.values = NULL;
    }
    carom_status status =
        make_room(r, CAROM_TRACE_KIND_INSTANT, trace->instants, &r->instants_room);
    if (!status)
        status = make_room_for_times(r, &trace->instant_t, trace->instants, r->instants_room);
    if (!status)
        status = make_room_for_times(r, &trace->instant_event, trace->instants, r->instants_room);
    return status;
}

static carom_status read_event_before(reader *r)
{
    carom_trace *trace = r->trace;
    carom_status status = make_room_for_instant(r);
    if (!status)
        status = read_group(r, 0, &trace->instant_position_before, trace->instants);
    if (!status)
        status = read_group(r, 1, &trace->instant_before, trace->instants);
    r->event_before = true;
    return status;
}

/* "NAME NUMBER " at *text; false: it does not stand there. */
static bool take_number(const char **text, const char *name, double *value)
{
    size_t length = strlen(name), digits;
    if (strncmp(*text, name, length) != 0 || (*text)[length] != ' ')
        return false;
    const char *number = *text + length + 1;
    bool negative = *number == '-';
    *value = carom_number_prefix(number + negative, &digits);
    *value = negative ? -*value : *value;
    *text = number + negative + digits;
    return digits > 0 && *(*text)++ == ' ';
}

/* The number of a contact by its name, NaN: unknown. */
static double find_contact(const carom_trace *trace, const char *name)
{
    for (int i = 0; i < trace->gap.columns; i++)
        if (strcmp(trace->gap.names[i], name) == 0)
            return i;
    return NAN;
}

static carom_status read_change(reader *r, double t, const char *text)
{
    carom_trace *trace = r->trace;
    double from, to;
    const char *all = text;
    if (!take_number(&text, "from", &from) || !take_number(&text, "to", &to) ||
        strncmp(text, "contact ", 8) != 0)
        return carom_trace_csv_read_wrong(r, "not a change", all);
    trace->change.columns = CAROM_TRACE_CHANGES;
    trace->change.names = carom_trace_changes;
    carom_status status = make_room(r, CAROM_TRACE_KIND_CHANGE, trace->changes, &r->changes_room);
    if (status)
        return status;
    const double values[] = {t, find_contact(trace, text + 8), from, to};
    memcpy(trace->change.values + trace->changes++ * CAROM_TRACE_CHANGES, values, sizeof values);
    return CAROM_OK;
}

static carom_status read_accumulation(reader *r, double t, const char *text)
{
    carom_trace *trace = r->trace;
    double first, last, ratio, impacts;
    const char *all = text;
    if (!take_number(&text, "t_first", &first) || !take_number(&text, "t_last", &last) ||
        !take_number(&text, "ratio", &ratio) || !take_number(&text, "impacts", &impacts) ||
        strncmp(text, "contact ", 8) != 0)
        return carom_trace_csv_read_wrong(r, "not an accumulation", all);
    trace->accumulation.columns = CAROM_TRACE_ACCUMULATIONS;
    trace->accumulation.names = carom_trace_accumulations;
    carom_status status =
        make_room(r, CAROM_TRACE_KIND_ACCUMULATION, trace->accumulations, &r->accumulations_room);
    if (status)
        return status;
    const double values[] = {find_contact(trace, text + 8), first, last, t, ratio, impacts};
    memcpy(trace->accumulation.values + trace->accumulations++ * CAROM_TRACE_ACCUMULATIONS, values,
           sizeof values);
    return CAROM_OK;
}

/* A copy of a text at the end of a list that grows. */
carom_status carom_trace_csv_read_text(reader *r, const char *const **list, int count, int *room,
                                       const char *text, size_t length)
{
    const char **grown = (const char **)*list;
    if (count == *room) {
        *room = *room ? 2 * *room : 16;
        grown = carom_trace_csv_read_enlarge(r->arena, *list, count, *room, sizeof *grown);
        if (!grown)
            return carom_error_memory(r->error);
        *list = grown;
    }
    grown[count] = carom_arena_text(r->arena, text, length);
    return grown[count] ? CAROM_OK : carom_error_memory(r->error);
}

/* Events are numbered as their names come. */
static carom_status read_event_after(reader *r, double t, const char *name)
{
    carom_trace *trace = r->trace;
    int event = 0;
    if (!r->event_before)
        return carom_trace_csv_read_wrong(r, "`event-after` without `event-before`", "");
    r->event_before = false;
    while (event < trace->event_count && strcmp(trace->event_names[event], name) != 0)
        event++;
    carom_status status = CAROM_OK;
    if (event == trace->event_count) {
        status = carom_trace_csv_read_text(r, &trace->event_names, trace->event_count,
                                           &r->events_room, name, strlen(name));
        trace->event_count += !status;
    }
    if (!status)
        status = read_group(r, 0, &trace->instant_position, trace->instants);
    if (!status)
        status = read_group(r, 1, &trace->instant_after, trace->instants);
    if (!status) {
        trace->instant_event[trace->instants] = event;
        trace->instant_t[trace->instants++] = t;
    }
    return status;
}

static carom_status read_record(reader *r)
{
    const char *event = carom_csv_cell(&r->csv, 1), *text = carom_csv_cell(&r->csv, r->text);
    double t;
    if (r->csv.count != r->count)
        return carom_trace_csv_read_wrong(r, "its number of cells is not that of the first line",
                                          "");
    carom_status status = read_number(r, 0, &t);
    if (status)
        return status;
    if (r->before && strcmp(event, "after") != 0)
        return carom_trace_csv_read_wrong(r, "`before` without `after`", "");
    if (r->event_before && strcmp(event, "event-after") != 0)
        return carom_trace_csv_read_wrong(r, "`event-before` without `event-after`", "");
    if (strcmp(event, "row") == 0)
        return read_row(r, t);
    if (strcmp(event, "before") == 0)
        return read_before(r);
    if (strcmp(event, "after") == 0)
        return read_after(r, t);
    if (strcmp(event, "event-before") == 0)
        return read_event_before(r);
    if (strcmp(event, "event-after") == 0)
        return read_event_after(r, t, text);
    if (strcmp(event, "accumulation") == 0)
        return read_accumulation(r, t, text);
    if (strcmp(event, "change") == 0)
        return read_change(r, t, text);
    if (strcmp(event, "about") == 0)
        return carom_trace_csv_about_run(r, text);
    if (strcmp(event, "scene") == 0)
        return carom_trace_csv_about_scene(r, text);
    if (strcmp(event, "end") == 0)
        return carom_trace_csv_about_end(r, text);
    return carom_trace_csv_read_wrong(r, "unknown event", event);
}

carom_status carom_trace_csv_read(const char *path, carom_trace *trace, carom_error *error)
{
    FILE *in = fopen(path, "rb");
    if (!in && errno == ENOMEM)
        return carom_error_memory(error);
    if (!in)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    reader r = {.csv = {.in = in, .allocator = *carom_arena_allocator(trace->arena)},
                .path = path,
                .trace = trace,
                .arena = trace->arena,
                .error = error};
    carom_status status = read_header(&r);
    while (!status && carom_csv_next(&r.csv) && r.csv.whole)
        status = read_record(&r);
    if (!status && r.csv.memory)
        status = carom_error_memory(error);
    if (!status && ferror(in))
        status = carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    carom_csv_end(&r.csv);
    fclose(in);
    return status;
}
