/* Basins as JSON, as a table, as a picture. */
#include "basins.h"

#include "picture.h"
#include "pictures/dynamics.h"

#include <stdlib.h>

static void write_attractor(carom_json *json, const carom_orbit_basin *b)
{
    const carom_orbit_attractor *a = b->attractor;
    carom_json_object(json);
    cli_json_string(json, "kind", carom_orbit_fate_text(a->fate));
    carom_json_key(json, "points");
    carom_json_array(json);
    for (int j = 0; j < a->count && a->points; j++) {
        carom_json_row(json);
        for (int i = 0; i < a->size; i++)
            carom_json_number(json, a->points[i + j * a->size]);
        carom_json_end(json);
    }
    carom_json_end(json);
    cli_json_number(json, "fraction", b->fraction);
    cli_json_numbers(json, "interval", 2, b->interval);
    carom_json_end(json);
}

int cli_basins_json(const cli_basins *b)
{
    carom_json json;
    carom_error error = {0};
    const int columns = b->axes[0].count;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    carom_json_key(&json, "attractors");
    carom_json_array(&json);
    for (int k = 0; k < b->basin_count; k++)
        write_attractor(&json, &b->basins[k]);
    carom_json_end(&json);
    carom_json_key(&json, "cells");
    carom_json_array(&json);
    for (int j = 0; j < b->axes[1].count; j++) {
        carom_json_row(&json);
        for (int i = 0; i < columns; i++)
            carom_json_integer(&json, b->index[i + j * columns]);
        carom_json_end(&json);
    }
    carom_json_end(&json);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

int cli_basins_table(const cli_basins *b)
{
    cli_table *table = cli_table_create(6);
    cli_table_heading(table, "");
    cli_table_cell(table, "attractor");
    cli_table_heading(table, "section points");
    cli_table_heading(table, "fraction");
    cli_table_heading(table, "from");
    cli_table_heading(table, "to");
    for (int k = 0; k < b->basin_count; k++) {
        const carom_orbit_attractor *a = b->basins[k].attractor;
        cli_table_number(table, k);
        cli_table_cell(table, "%s", carom_orbit_fate_text(a->fate));
        cli_table_number(table, a->count);
        cli_table_number(table, b->basins[k].fraction);
        cli_table_number(table, b->basins[k].interval[0]);
        cli_table_number(table, b->basins[k].interval[1]);
    }
    cli_table_print(table, stdout);
    printf(
        "\n%ld of %d cells; the fractions are those of cells, from ... to with 95 %% confidence\n",
        b->classified, b->cells);
    return CLI_ANSWERED;
}

int cli_basins_picture(const cli_basins *b, const char *path)
{
    char unit[4], names[CAROM_DYNAMICS_KINDS][48], *text;
    size_t size;
    carom_error error = {0};
    carom_dynamics d = {.title = b->orbit.content->title,
                        .x = b->axes[0].name,
                        .y = b->axes[1].name,
                        .columns = b->axes[0].count,
                        .rows = b->axes[1].count,
                        .cells = b->index,
                        .x_least = b->axes[0].from,
                        .x_most = b->axes[0].to,
                        .y_least = b->axes[1].from,
                        .y_most = b->axes[1].to,
                        .unit = unit};
    int status = cli_picture_width(b->arguments, &d.width, unit);
    if (status)
        return status;
    for (int k = 0; k < CAROM_DYNAMICS_KINDS && k < b->basin_count; k++) {
        const carom_orbit_attractor *a = b->basins[k].attractor;
        if (a->fate == CAROM_ORBIT_PERIODIC)
            snprintf(names[k], sizeof names[k], "%d: period %d", k, a->count);
        else
            snprintf(names[k], sizeof names[k], "%d: %s", k,
                     a->fate == CAROM_ORBIT_APERIODIC ? "aperiodic" : "no section");
        d.kinds[k] = names[k];
    }
    if (carom_dynamics_draw(&d, NULL, &text, &size, &error))
        return cli_message_error(NULL, &error);
    status = cli_picture_write(b->arguments, path, text, size);
    free(text);
    return status;
}
