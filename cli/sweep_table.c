/* The table of `carom sweep` in HDF5: kept in memory, saved whenever it has doubled and at the end,
 * each time in one step, so that a killed sweep leaves half of its rows at least. */
#include "memory.h"
#include "sweep.h"
#include "trace/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_sweep_table_named(const char *path)
{
    const char *end = path ? strrchr(path, '.') : NULL;
    return end && (strcmp(end, ".h5") == 0 || strcmp(end, ".hdf5") == 0);
}

static int fail(const carom_error *error)
{
    if (error->status == CAROM_ERROR_ARGUMENT)
        return cli_message_usage("sweep: %s; --resume goes on, --force writes over it",
                                 error->text);
    return cli_message_error(NULL, error);
}

static int save(cli_sweep_table *t, bool force)
{
    carom_error error = {0};
    carom_table table = {.columns = t->columns,
                         .names = t->names,
                         .rows = t->rows,
                         .values = t->values,
                         .status = (const char *const *)t->status,
                         .labels = t->labels,
                         .label_names = t->label_names,
                         .label = (const char *const *)t->label};
    if (carom_table_write(t->path, force, &table, NULL, &error))
        return fail(&error);
    t->saved = t->rows;
    return CLI_ANSWERED;
}

static bool make_room(cli_sweep_table *t)
{
    if (t->rows < t->room)
        return true;
    long room = 2 * t->room + 1024;
    double *values = realloc(t->values, (size_t)room * (size_t)t->columns * sizeof *values);
    t->values = values ? values : t->values;
    char **status = values ? realloc(t->status, (size_t)room * sizeof *status) : NULL;
    t->status = status ? status : t->status;
    char **label =
        status ? realloc(t->label, ((size_t)room * (size_t)t->labels + 1) * sizeof *label) : NULL;
    t->label = label ? label : t->label;
    if (!label)
        return false;
    t->room = room;
    return true;
}

int cli_sweep_table_add(cli_sweep_table *t, const double *values, const char *status,
                        const char *const *labels)
{
    char *copy = make_room(t) ? strdup(status) : NULL;
    if (!copy)
        return cli_message_memory();
    memcpy(t->values + (size_t)t->rows * (size_t)t->columns, values,
           (size_t)t->columns * sizeof *values);
    for (int k = 0; k < t->labels; k++) {
        t->label[t->rows * t->labels + k] = strdup(labels[k]);
        if (!t->label[t->rows * t->labels + k]) {
            while (k-- > 0)
                free(t->label[t->rows * t->labels + k]);
            free(copy);
            return cli_message_memory();
        }
    }
    t->status[t->rows++] = copy;
    return CLI_ANSWERED;
}

void cli_sweep_table_cut(cli_sweep_table *t, long rows)
{
    for (; t->rows > rows; t->rows--) {
        free(t->status[t->rows - 1]);
        for (int k = 0; k < t->labels; k++)
            free(t->label[(t->rows - 1) * t->labels + k]);
    }
}

/* What an earlier sweep left, if it is the beginning of this table. */
static int take_over(cli_sweep_table *t)
{
    carom_arena *arena;
    carom_error error = {0};
    carom_table old;
    if (carom_arena_create(cli_memory(), &arena, &error))
        return cli_message_error(NULL, &error);
    int result = CLI_ANSWERED;
    if (carom_table_read(t->path, arena, &old, &error)) {
        result = cli_message_error(NULL, &error);
    } else {
        bool same = old.columns == t->columns && old.labels == t->labels;
        for (int k = 0; k < t->columns && same; k++)
            same = strcmp(old.names[k], t->names[k]) == 0;
        for (int k = 0; k < t->labels && same; k++)
            same = strcmp(old.label_names[k], t->label_names[k]) == 0;
        if (!same)
            result = cli_message_usage("sweep: %s is not the beginning of this table", t->path);
        for (long k = 0; k < old.rows && !result; k++)
            result = cli_sweep_table_add(t, old.values + k * old.columns, old.status[k],
                                         old.label + k * old.labels);
    }
    carom_arena_destroy(arena);
    return result;
}

int cli_sweep_table_open(cli_sweep_table *t, bool resume, bool force)
{
    if (resume && access(t->path, F_OK) == 0)
        return take_over(t);
    return save(t, force); /* an empty one: a path that cannot be written is known at once */
}

int cli_sweep_table_save(cli_sweep_table *t, bool last)
{
    return last || t->rows >= 2 * t->saved ? save(t, true) : CLI_ANSWERED;
}

void cli_sweep_table_free(cli_sweep_table *t)
{
    cli_sweep_table_cut(t, 0);
    free(t->status);
    free(t->label);
    free(t->values);
}
