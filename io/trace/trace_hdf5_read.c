/* Reading traces in HDF5. Nothing that the file says of itself is believed: sizes, types and which
 * tables there are are checked before a byte is read. */
#include "trace/trace_hdf5.h"

#include "carom/text.h"
#include "file/hdf5_file.h"
#include "trace/hdf5_numbers.h"
#include "trace/hdf5_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

/* A list in the group of names, if it has as many entries as it should. */
static carom_status read_names(hid_t file, const char *path, int columns, carom_arena *arena,
                               const char *const **names)
{
    char full[64];
    int count = 0;
    snprintf(full, sizeof full, "names/%s", path);
    carom_status status = carom_hdf5_text_read_list(file, full, arena, &count, names);
    if (count != columns)
        *names = NULL;
    return status;
}

/* The names of the columns of a part: those of impacts are shared with the rows. */
static const char *names_of(carom_trace_part part)
{
    switch (part) {
    case CAROM_TRACE_IMPACT_POSITION:
    case CAROM_TRACE_INSTANT_POSITION_BEFORE:
    case CAROM_TRACE_INSTANT_POSITION:
        return "position";
    case CAROM_TRACE_IMPACT_BEFORE:
    case CAROM_TRACE_IMPACT_AFTER:
    case CAROM_TRACE_INSTANT_BEFORE:
    case CAROM_TRACE_INSTANT_AFTER:
        return "velocity";
    case CAROM_TRACE_IMPULSE:
        return "impulse";
    default:
        return carom_trace_paths[part];
    }
}

/* One table as the file has it; a part without columns has none. */
static carom_status read_part(hid_t file, carom_trace_part part, carom_arena *arena,
                              carom_trace_table *table, hsize_t *rows)
{
    hsize_t size[2];
    void *values;
    *table = (carom_trace_table){0};
    if (H5Lexists(file, carom_trace_paths[part], H5P_DEFAULT) <= 0)
        return CAROM_OK;
    carom_status status = carom_hdf5_numbers_read(file, carom_trace_paths[part], H5T_NATIVE_DOUBLE,
                                                  arena, size, &values);
    if (status || size[1] == 0)
        return status;
    table->columns = (int)size[1];
    table->values = values;
    if (size[0] < *rows)
        *rows = size[0];
    return read_names(file, names_of(part), table->columns, arena, &table->names);
}

/* A run that was killed leaves rows of NaN at the end; `first` (the times) says where. */
static long count_written(const carom_trace_table *first, hsize_t rows)
{
    while (rows > 0 && isnan(first->values[(rows - 1) * (hsize_t)first->columns]))
        rows--;
    return (long)rows;
}

/* All parts of one kind, as many rows of each as all of them have; the first part must be there. */
static carom_status read_kind(hid_t file, carom_trace_kind kind, carom_trace *trace, long *count)
{
    struct carom_trace_span span = carom_trace_spans[kind];
    carom_trace_table tables[CAROM_TRACE_PARTS];
    hsize_t rows = (hsize_t)-1;
    *count = 0;
    for (int k = (int)span.first; k < (int)span.end; k++) {
        carom_status status = read_part(file, (carom_trace_part)k, trace->arena, &tables[k], &rows);
        if (status)
            return status;
    }
    const carom_trace_table *first = &tables[span.first];
    if (!first->values)
        return kind == CAROM_TRACE_KIND_ROW ? CAROM_ERROR_FILE : CAROM_OK;
    bool told = kind == CAROM_TRACE_KIND_ACCUMULATION || kind == CAROM_TRACE_KIND_CHANGE;
    if (!told && first->columns != 1)
        return CAROM_ERROR_FILE;
    *count = count_written(first, rows);
    for (int k = (int)span.first; k < (int)span.end; k++) {
        carom_trace_table *own = carom_trace_find_table(trace, (carom_trace_part)k);
        if (own)
            *own = tables[k];
    }
    if (kind == CAROM_TRACE_KIND_ROW)
        trace->t = first->values;
    if (kind == CAROM_TRACE_KIND_INSTANT) {
        const carom_trace_table *event = &tables[CAROM_TRACE_INSTANT_EVENT];
        trace->instant_t = first->values;
        trace->instant_event = event->values;
        return event->columns == 1 ? CAROM_OK : CAROM_ERROR_FILE;
    }
    if (kind != CAROM_TRACE_KIND_IMPACT)
        return CAROM_OK;
    const carom_trace_table *energy = &tables[CAROM_TRACE_IMPACT_ENERGY];
    if (energy->columns != 1)
        return CAROM_ERROR_FILE;
    trace->impact_t = first->values;
    trace->impact_energy = energy->values;
    return CAROM_OK;
}

/* The parameters of the scene: names, and as many values. */
static carom_status read_parameters(hid_t file, carom_trace *trace)
{
    hsize_t size[2] = {0, 0};
    void *values = NULL;
    int count;
    carom_status status = carom_hdf5_text_read_list(file, "scene/parameters", trace->arena, &count,
                                                    &trace->parameter_names);
    if (status || count == 0)
        return status;
    status = carom_hdf5_numbers_read(file, "scene/values", H5T_NATIVE_DOUBLE, trace->arena, size,
                                     &values);
    if (!status && (size[0] != (hsize_t)count || size[1] != 1))
        status = CAROM_ERROR_FILE;
    trace->parameter_count = status ? 0 : count;
    trace->parameters = values;
    return status;
}

/* What the file says about the run beside its numbers. */
static carom_status read_about(hid_t file, carom_trace *trace)
{
    carom_arena *arena = trace->arena;
    const char *period = NULL;
    const struct {
        const char *name, **text;
    } attributes[] = {{"title", &trace->title},   {"law", &trace->law},
                      {"method", &trace->method}, {"program", &trace->program},
                      {"end", &trace->end},       {"message", &trace->message},
                      {"period", &period}};
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes && !status; k++)
        status = carom_hdf5_text_read(file, attributes[k].name, arena, attributes[k].text);
    if (period && !(carom_number_parse(period, &trace->period) && trace->period > 0 &&
                    isfinite(trace->period)))
        trace->period = 0;
    const char *const *shapes = NULL, *const *contacts = NULL, *const *text = NULL,
                      *const *bodies = NULL;
    int count = 0;
    if (!status)
        status = read_names(file, "shapes", 1, arena, &shapes);
    if (!status)
        status = read_names(file, "contacts", 1, arena, &contacts);
    if (!status)
        status = read_names(file, "bodies", 1, arena, &bodies);
    if (!status)
        status = carom_hdf5_text_read_list(file, "scene/text", arena, &count, &text);
    if (!status)
        status =
            carom_hdf5_text_read_list(file, "scene/set", arena, &trace->set_count, &trace->sets);
    trace->shapes = shapes ? shapes[0] : NULL;
    trace->contacts = contacts ? contacts[0] : NULL;
    trace->bodies = bodies ? bodies[0] : NULL;
    trace->scene = count == 1 ? text[0] : NULL;
    return status ? status : read_parameters(file, trace);
}

static carom_status read_all(hid_t file, void *self)
{
    carom_trace *trace = self;
    const char *format;
    carom_status status = carom_hdf5_text_read(file, "format", trace->arena, &format);
    if (!status && (!format || strcmp(format, "carom-trace") != 0))
        status = CAROM_ERROR_FILE;
    if (!status)
        status = read_about(file, trace);
    if (!status)
        status = read_kind(file, CAROM_TRACE_KIND_ROW, trace, &trace->rows);
    if (!status)
        status = read_kind(file, CAROM_TRACE_KIND_IMPACT, trace, &trace->impacts);
    if (!status)
        status = read_kind(file, CAROM_TRACE_KIND_INSTANT, trace, &trace->instants);
    if (!status)
        status = carom_hdf5_text_read_list(file, "names/events", trace->arena, &trace->event_count,
                                           &trace->event_names);
    if (!status)
        status = read_kind(file, CAROM_TRACE_KIND_ACCUMULATION, trace, &trace->accumulations);
    if (!status && trace->accumulation.columns != CAROM_TRACE_ACCUMULATIONS)
        trace->accumulations = 0; /* none, or of another version */
    if (!status)
        status = read_kind(file, CAROM_TRACE_KIND_CHANGE, trace, &trace->changes);
    if (!status && trace->change.columns != CAROM_TRACE_CHANGES)
        trace->changes = 0;
    return status;
}

carom_status carom_trace_hdf5_read(const char *path, carom_trace *trace, carom_error *error)
{
    return carom_hdf5_file_read(path, "a trace written by carom run", read_all, trace, error);
}
