/* A branch of periodic motions: rows as CSV and JSON, and read again. */
#include "branch.h"

#include "trace/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool grow(cli_branch *b)
{
    if (b->count < b->room)
        return true;
    const int room = b->room ? 2 * b->room : 256;
    cli_branch_row *rows = realloc(b->rows, (size_t)room * sizeof *rows);
    if (!rows)
        return false;
    b->rows = rows;
    b->room = room;
    return true;
}

/* A row with room for n coordinates, n velocities and m multipliers. */
static cli_branch_row *make_row(cli_branch *b, int m)
{
    const size_t n = (size_t)b->orbit->shape->n;
    double *d = carom_arena_zeros(b->arena, 2 * n + 2 * (size_t)m + 1, sizeof(double));
    if (!d || !grow(b))
        return NULL;
    cli_branch_row *row = &b->rows[b->count++];
    *row = (cli_branch_row){
        .q = d, .u = d + n, .re = d + 2 * n, .im = d + 2 * n + m, .multiplier_count = m};
    return row;
}

bool cli_branch_add(cli_branch *b, const carom_orbit_event_kind *event, double parameter,
                    const carom_orbit *x, const char *message)
{
    const size_t n = (size_t)b->orbit->shape->n, m = (size_t)x->multiplier_count;
    cli_branch_row *row = make_row(b, x->multiplier_count);
    if (!row)
        return false;
    row->is_event = event != NULL;
    row->kind = event ? *event : CAROM_ORBIT_END;
    row->parameter = parameter;
    row->period = x->period;
    row->t = x->t;
    row->stable = x->stable;
    row->message = message ? carom_arena_text(b->arena, message, strlen(message)) : NULL;
    memcpy(row->q, x->q, n * sizeof(double));
    memcpy(row->u, x->u, n * sizeof(double));
    memcpy(row->re, x->re, m * sizeof(double));
    memcpy(row->im, x->im, m * sizeof(double));
    if (b->out) {
        cli_branch_line(b, row, b->out);
        fflush(b->out);
    }
    return true;
}

/* How many multipliers a row of this scene has: those of the first. */
static int multipliers_of(const cli_branch *b)
{
    return b->count > 0 ? b->rows[0].multiplier_count : 0;
}

void cli_branch_heading(const cli_branch *b, FILE *out)
{
    const carom_system_shape *shape = b->orbit->shape;
    fprintf(out, "%s,period,t", b->parameter);
    for (int i = 0; i < shape->nq; i++)
        fprintf(out, ",%s", shape->coordinates[i]);
    for (int i = 0; i < shape->n; i++)
        fprintf(out, ",%s", shape->velocities[i]);
    fprintf(out, ",stable,event");
    for (int i = 0; i < multipliers_of(b); i++)
        fprintf(out, ",re%d,im%d", i + 1, i + 1);
    fputc('\n', out);
}

static void write_cells(FILE *out, int count, const double *values)
{
    for (int k = 0; k < count; k++) {
        fputc(',', out);
        carom_csv_number(out, values[k]);
    }
}

void cli_branch_line(const cli_branch *b, const cli_branch_row *row, FILE *out)
{
    const carom_system_shape *shape = b->orbit->shape;
    if (row == b->rows)
        cli_branch_heading(b, out);
    carom_csv_number(out, row->parameter);
    write_cells(out, 1, &row->period);
    write_cells(out, 1, &row->t);
    write_cells(out, shape->nq, row->q);
    write_cells(out, shape->n, row->u);
    fprintf(out, ",%d,%s", row->stable, row->is_event ? carom_orbit_event_text(row->kind) : "");
    for (int i = 0; i < row->multiplier_count; i++) {
        write_cells(out, 1, &row->re[i]);
        write_cells(out, 1, &row->im[i]);
    }
    fputc('\n', out);
}

static void write_state(carom_json *json, const cli_branch *b, const cli_branch_row *row)
{
    cli_json_number(json, "parameter", row->parameter);
    cli_json_number(json, "period", row->period);
    cli_json_number(json, "t", row->t);
    cli_json_numbers(json, "position", b->orbit->shape->nq, row->q);
    cli_json_numbers(json, "velocity", b->orbit->shape->n, row->u);
}

int cli_branch_json(const cli_branch *b)
{
    carom_json json;
    carom_error error = {0};
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "parameter", b->parameter);
    cli_json_strings(&json, "coordinates", b->orbit->shape->nq, b->orbit->shape->coordinates);
    cli_json_strings(&json, "velocities", b->orbit->shape->n, b->orbit->shape->velocities);
    for (int events = 0; events < 2; events++) {
        carom_json_key(&json, events ? "events" : "points");
        carom_json_array(&json);
        for (int k = 0; k < b->count; k++) {
            const cli_branch_row *row = &b->rows[k];
            if (row->is_event != (events == 1))
                continue;
            carom_json_object(&json);
            if (row->is_event) {
                cli_json_string(&json, "kind", carom_orbit_event_text(row->kind));
                cli_json_string(&json, "message", row->message);
            }
            write_state(&json, b, row);
            const carom_orbit x = {
                .multiplier_count = row->multiplier_count, .re = row->re, .im = row->im};
            cli_orbit_multipliers(&json, &x);
            cli_json_boolean(&json, "stable", row->stable);
            carom_json_end(&json);
        }
        carom_json_end(&json);
    }
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* One line of a table into a row; false: it is not one of ours. */
static bool parse_line(cli_branch *b, char *line)
{
    const int n = b->orbit->shape->n;
    const char *fields[256];
    int count = 0;
    for (char *at = line; at && count < 256; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    const int m = (count - 5 - 2 * n) / 2;
    if (m < 0 || count != 5 + 2 * n + 2 * m)
        return false;
    cli_branch_row *row = make_row(b, m);
    if (!row)
        return false;
    double stable;
    bool good = carom_number_parse(fields[0], &row->parameter) &&
                carom_number_parse(fields[1], &row->period) &&
                carom_number_parse(fields[2], &row->t) &&
                carom_number_parse(fields[3 + 2 * n], &stable);
    for (int i = 0; i < n && good; i++)
        good = carom_number_parse(fields[3 + i], &row->q[i]) &&
               carom_number_parse(fields[3 + n + i], &row->u[i]);
    for (int i = 0; i < m && good; i++)
        good = carom_number_parse(fields[5 + 2 * n + 2 * i], &row->re[i]) &&
               carom_number_parse(fields[6 + 2 * n + 2 * i], &row->im[i]);
    row->stable = good && stable != 0;
    row->is_event = fields[4 + 2 * n][0] != '\0';
    for (int k = 0; k <= CAROM_ORBIT_END && row->is_event; k++)
        if (strcmp(fields[4 + 2 * n], carom_orbit_event_text((carom_orbit_event_kind)k)) == 0)
            row->kind = (carom_orbit_event_kind)k;
    b->count -= !good;
    return good;
}

int cli_branch_read(cli_branch *b, const char *path, carom_orbit *start, double *parameter,
                    int *all)
{
    char line[8192];
    FILE *file = fopen(path, "r");
    bool heading = true, good = true;
    if (!file)
        return cli_message_usage("follow: --resume: %s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file) && good) {
        char *end = strchr(line, '\n');
        if (!end)
            break; /* a line that was cut */
        *end = '\0';
        good = heading || parse_line(b, line);
        heading = false;
    }
    fclose(file);
    *all = b->count;
    while (b->count > 0 && b->rows[b->count - 1].is_event)
        b->count--; /* found again from the last point */
    if (!good || b->count == 0)
        return cli_message_usage("follow: --resume: %s is not a table of this scene's branch",
                                 path);
    const cli_branch_row *last = &b->rows[b->count - 1];
    *start = (carom_orbit){.t = last->t, .q = last->q, .u = last->u};
    *parameter = last->parameter;
    return CLI_ANSWERED;
}
