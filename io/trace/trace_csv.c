/* Traces in CSV: one line per row, and two lines (before, after) per impact.
 *
 * Columns: t, event (row, before, after), coordinates, velocities, then gap:NAME, force:NAME,
 * friction:NAME, mode:NAME, energy:NAME, impulse:NAME, energy_change. Cells that do not apply are
 * empty. Every line is handed to the system at once in batches, so a killed run leaves whole lines
 * but perhaps the last. */
#include "trace/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts that are columns, in order, with the prefix of their names. */
static const struct column_group {
    carom_trace_part part;
    const char *prefix;
} groups[] = {
    {CAROM_TRACE_POSITION, ""},          {CAROM_TRACE_VELOCITY, ""},
    {CAROM_TRACE_GAP, "gap:"},           {CAROM_TRACE_FORCE, "force:"},
    {CAROM_TRACE_FRICTION, "friction:"}, {CAROM_TRACE_MODE, "mode:"},
    {CAROM_TRACE_ENERGY, "energy:"},     {CAROM_TRACE_IMPULSE, "impulse:"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

static carom_status failed(const carom_trace_writer *w, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_OUTPUT, "%s: cannot write the trace: %s", w->path,
                           strerror(errno));
}

/* A name as a cell: quoted when it holds a comma, a quote or a line's end. */
static void write_name(FILE *out, const char *prefix, const char *name)
{
    if (!name[strcspn(name, ",\"\n\r")]) {
        fprintf(out, ",%s%s", prefix, name);
        return;
    }
    fprintf(out, ",\"%s", prefix);
    for (; *name; name++)
        fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    fputc('"', out);
}

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    FILE *out = fopen(w->path, force ? "w" : "wx");
    if (!out && errno == EEXIST)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s exists; --force writes over it",
                               w->path);
    if (!out)
        return failed(w, error);
    w->self = out;
    fputs("t,event", out);
    for (int k = 0; k < GROUPS; k++)
        for (int i = 0; i < w->width[groups[k].part]; i++)
            write_name(out, groups[k].prefix, w->names[groups[k].part][i]);
    fputs(",energy_change\n", out);
    return fflush(out) == 0 ? CAROM_OK : failed(w, error);
}

static void write_numbers(FILE *out, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        if (values && isfinite(values[i]))
            fprintf(out, ",%.17g", values[i] == 0 ? 0.0 : values[i]);
        else
            fputc(',', out);
}

/* values[k]: the numbers of group k, NULL: empty cells */
static void write_line(carom_trace_writer *w, double t, const char *event,
                       const double *values[GROUPS], double change)
{
    FILE *out = w->self;
    fprintf(out, "%.17g,%s", t, event);
    for (int k = 0; k < GROUPS; k++)
        write_numbers(out, w->width[groups[k].part], values[k]);
    write_numbers(out, 1, &change);
    fputc('\n', out);
}

static carom_status add(carom_trace_writer *w, bool impact, carom_error *error)
{
    const double *values[GROUPS] = {0};
    if (!impact) {
        for (int k = 0; k < GROUPS; k++)
            values[k] = groups[k].part == CAROM_TRACE_IMPULSE ? NULL : w->values[groups[k].part];
        write_line(w, w->values[CAROM_TRACE_T][0], "row", values, NAN);
    } else {
        double t = w->values[CAROM_TRACE_IMPACT_T][0];
        values[0] = w->values[CAROM_TRACE_IMPACT_POSITION];
        values[1] = w->values[CAROM_TRACE_IMPACT_BEFORE];
        write_line(w, t, "before", values, NAN);
        values[1] = w->values[CAROM_TRACE_IMPACT_AFTER];
        values[GROUPS - 1] = w->values[CAROM_TRACE_IMPULSE];
        write_line(w, t, "after", values, w->values[CAROM_TRACE_IMPACT_ENERGY][0]);
    }
    return ferror((FILE *)w->self) ? failed(w, error) : CAROM_OK;
}

static carom_status finish(carom_trace_writer *w, carom_error *error)
{
    FILE *out = w->self;
    bool good = fflush(out) == 0 && !ferror(out);
    int problem = errno;
    good = (fclose(out) == 0) && good;
    errno = problem;
    return good ? CAROM_OK : failed(w, error);
}

/* Reading. */

typedef struct reader {
    FILE *in;
    carom_arena *arena;
    char *line; /* owned */
    size_t room;
    int line_number;
} reader;

/* The next line without its end, NULL at the end of the file. */
static char *next_line(reader *r)
{
    ssize_t length = getline(&r->line, &r->room, r->in);
    if (length < 0)
        return NULL;
    r->line_number++;
    while (length > 0 && (r->line[length - 1] == '\n' || r->line[length - 1] == '\r'))
        r->line[--length] = '\0';
    return r->line;
}

/* Cut the next cell off *rest, undoing quotes in place; NULL when there is none. */
static char *next_cell(char **rest)
{
    char *cell = *rest, *to = cell, *from = cell;
    if (!cell)
        return NULL;
    bool quoted = *from == '"';
    from += quoted;
    for (; *from && (quoted || *from != ','); from++) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                quoted = false;
                continue;
            }
            from++;
        }
        *to++ = *from;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

/* Which group and which column of it a cell belongs to. */
typedef struct place {
    int group; /* -1: ignored */
    int column;
} place;

static int count_cells(const char *line)
{
    int count = 1;
    bool quoted = false;
    for (; *line; line++) {
        quoted ^= *line == '"';
        count += *line == ',' && !quoted;
    }
    return count;
}

/* The header: names and places of all cells after t and event. The unprefixed ones are coordinates,
 * then velocities; there are as many of one as of the other, or one coordinate more (quaternions).
 */
static bool read_header(reader *r, carom_trace *trace, int *count, place **places)
{
    char *rest = next_line(r);
    if (!rest)
        return false;
    *count = count_cells(rest);
    *places = carom_arena_array(r->arena, (size_t)*count, sizeof **places);
    const char **names = carom_arena_array(r->arena, (size_t)*count, sizeof *names);
    if (!*places || !names)
        return false;
    int plain = 0, used[GROUPS] = {0};
    for (int k = 0; k < *count; k++) {
        const char *cell = next_cell(&rest);
        names[k] = cell ? carom_arena_text(r->arena, cell, strlen(cell)) : NULL;
        if (!names[k])
            return false;
        (*places)[k].group = -1;
        for (int g = 2; g < GROUPS; g++)
            if (strncmp(names[k], groups[g].prefix, strlen(groups[g].prefix)) == 0) {
                (*places)[k] = (place){g, used[g]++};
                names[k] += strlen(groups[g].prefix);
            }
        if (k >= 2 && (*places)[k].group < 0 && strcmp(names[k], "energy_change") != 0) {
            (*places)[k] = (place){0, plain++};
        }
    }
    int coordinates = (plain + 1) / 2;
    for (int k = 0; k < *count; k++)
        if ((*places)[k].group == 0 && (*places)[k].column >= coordinates)
            (*places)[k] = (place){1, (*places)[k].column - coordinates};
    used[0] = coordinates;
    used[1] = plain - coordinates;
    if (*count < 2 || strcmp(names[0], "t") != 0 || strcmp(names[1], "event") != 0 || plain == 0)
        return false;
    for (int g = 0; g < GROUPS; g++) {
        carom_trace_table *t = carom_trace_find_table(trace, groups[g].part);
        const char **own = carom_arena_array(r->arena, (size_t)used[g], sizeof *own);
        if (!own)
            return false;
        t->columns = used[g];
        t->names = own;
        for (int k = 0; k < *count; k++)
            if ((*places)[k].group == g)
                own[(*places)[k].column] = names[k];
    }
    return true;
}

static bool make_room(carom_trace *trace, carom_arena *arena, long rows, long impacts)
{
    trace->impact_position = trace->position;
    trace->impact_before = trace->impact_after = trace->velocity;
    trace->t = carom_arena_doubles(arena, (size_t)rows);
    trace->impact_t = carom_arena_doubles(arena, (size_t)impacts);
    trace->impact_energy = carom_arena_doubles(arena, (size_t)impacts);
    bool good = trace->t && trace->impact_t && trace->impact_energy;
    for (int k = 0; k < CAROM_TRACE_PARTS && good; k++) {
        carom_trace_table *t = carom_trace_find_table(trace, (carom_trace_part)k);
        if (!t)
            continue;
        size_t size = (size_t)(k < CAROM_TRACE_ROW_PARTS ? rows : impacts) * (size_t)t->columns;
        t->values = carom_arena_doubles(arena, size);
        good = t->values != NULL;
        for (size_t i = 0; i < size && good; i++)
            t->values[i] = NAN;
    }
    return good;
}

/* The table a cell of this event goes to, NULL: none. */
static carom_trace_table *target(carom_trace *trace, int group, char event)
{
    if (event == 'r')
        return groups[group].part == CAROM_TRACE_IMPULSE
                   ? NULL
                   : carom_trace_find_table(trace, groups[group].part);
    if (group == 0)
        return &trace->impact_position;
    if (group == 1)
        return event == 'b' ? &trace->impact_before : &trace->impact_after;
    return event == 'a' && groups[group].part == CAROM_TRACE_IMPULSE ? &trace->impulse : NULL;
}

static void read_line(carom_trace *trace, char *rest, int count, const place *places)
{
    char *t = next_cell(&rest), *event = next_cell(&rest), *cell = NULL;
    if (!event || !*event)
        return;
    long row = *event == 'r' ? trace->rows : trace->impacts;
    double time = strtod(t, NULL);
    for (int k = 2; k < count && (cell = next_cell(&rest)); k++) {
        if (!*cell)
            continue;
        carom_trace_table *to = places[k].group < 0 ? NULL : target(trace, places[k].group, *event);
        if (to)
            to->values[row * to->columns + places[k].column] = strtod(cell, NULL);
        else if (places[k].group < 0 && *event == 'a')
            trace->impact_energy[row] = strtod(cell, NULL);
    }
    if (*event == 'r')
        trace->t[trace->rows++] = time;
    if (*event == 'a')
        trace->impact_t[trace->impacts++] = time;
}

static carom_status read_trace(reader *r, const char *path, carom_trace *trace, carom_error *error)
{
    int count;
    place *places;
    if (!read_header(r, trace, &count, &places))
        return carom_error_at(error, CAROM_ERROR_FILE, 1, 1,
                              "%s is not a trace written by carom run: its columns begin with t, "
                              "event and the coordinates",
                              path);
    long rows = 0, impacts = 0, start = ftell(r->in);
    for (char *line = next_line(r); line; line = next_line(r)) {
        const char *event = strchr(line, ',');
        rows += event && event[1] == 'r';
        impacts += event && event[1] == 'b';
    }
    if (!make_room(trace, r->arena, rows, impacts))
        return carom_error_memory(error);
    fseek(r->in, start, SEEK_SET);
    for (char *line = next_line(r); line; line = next_line(r))
        if (trace->rows <= rows && trace->impacts <= impacts)
            read_line(trace, line, count, places);
    return CAROM_OK;
}

static carom_status read(const char *path, carom_trace *trace, carom_error *error)
{
    reader r = {.in = fopen(path, "r"), .arena = trace->arena};
    if (!r.in)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    carom_status status = read_trace(&r, path, trace, error);
    fclose(r.in);
    free(r.line);
    return status;
}

const carom_trace_file carom_trace_csv = {create, add, finish, read};
