/* A grid of starts: where every one goes, in tasks of some cells, on all cores or processes. */
#include "basins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a task: enough to be worth reading the scene for them. */
enum { CHUNK = 16 };

/* A fate travels as rows: fate, count, size, modulus; then its points. */
enum { HEAD = 4 };

void cli_basins_start(const cli_basins *b, int cell, const cli_orbit *o, double *x)
{
    const int n = o->shape->n, columns = b->axes[0].count;
    const int at[2] = {cell % columns, cell / columns};
    memcpy(x, o->content->initial.q, sizeof(double) * (size_t)n);
    memcpy(x + n, o->content->initial.u, sizeof(double) * (size_t)n);
    for (int a = 0; a < 2; a++) {
        const cli_basins_axis *axis = &b->axes[a];
        x[axis->index] = axis->from + (at[a] + 0.5) * (axis->to - axis->from) / axis->count;
    }
}

static void pack(const carom_orbit_attractor *fate, int cell, cli_sweep_rows *rows)
{
    const double head[HEAD] = {fate->fate, fate->count, fate->size, fate->modulus};
    double *row = cli_sweep_task_row(rows, cell);
    if (row)
        memcpy(row, head, sizeof head);
    for (int k = 0; k < fate->count && row; k++) {
        row = cli_sweep_task_row(rows, cell);
        if (row)
            memcpy(row, fate->points + (size_t)k * (size_t)fate->size,
                   (size_t)fate->size * sizeof *row);
    }
}

static void compute_cell(const cli_basins *b, cli_orbit *o, const carom_orbit_problem *problem,
                         long cell, double *x, cli_sweep_rows *rows)
{
    carom_error error = {0};
    carom_orbit_attractor fate;
    const carom_mark mark = carom_arena_mark(o->arena);
    cli_basins_start(b, (int)cell, o, x);
    const carom_flow_start start = {o->content->initial.t, x, x + o->shape->n};
    const carom_status status =
        carom_orbit_settle(problem, &start, b->skip, b->tolerance, o->arena, &fate, &error);
    rows->memory = rows->memory || status == CAROM_ERROR_MEMORY;
    if (status != CAROM_OK) /* a start in penetration, say: it goes nowhere */
        fate = (carom_orbit_attractor){.fate = CAROM_ORBIT_LOST};
    pack(&fate, (int)(cell % CHUNK), rows);
    carom_arena_rewind(o->arena, mark);
}

static void compute(const void *self, long task, cli_sweep_rows *rows)
{
    const cli_basins *b = self;
    const long first = task * CHUNK, end = first + CHUNK < b->cells ? first + CHUNK : b->cells;
    const int n = b->orbit.shape->n;
    cli_orbit orbit = {0};
    carom_orbit_problem problem;
    carom_error error = {0};
    double *x = calloc(2 * (size_t)n, sizeof *x);
    *rows = (cli_sweep_rows){.width = cli_basins_job(b).width, .cells = (int)(end - first)};
    rows->status = calloc(CHUNK, sizeof *rows->status);
    rows->memory = !x || !rows->status ||
                   cli_orbit_again(b->arguments, &b->orbit, &orbit, &error) ||
                   cli_orbit_problem(b->arguments, &orbit, &problem);
    problem.progress = NULL;
    for (long cell = first; cell < end && !rows->memory && !cli_watch_stopped(); cell++)
        compute_cell(b, &orbit, &problem, cell, x, rows);
    rows->stopped = cli_watch_stopped();
    cli_orbit_free(&orbit);
    free(x);
}

cli_sweep_job cli_basins_job(const cli_basins *b)
{
    const int size = 2 * b->orbit.shape->n + 1; /* of a point, with its phase */
    return (cli_sweep_job){.self = b,
                           .tasks = (b->cells + CHUNK - 1) / CHUNK,
                           .width = size > HEAD ? size : HEAD,
                           .cells = b->cells,
                           .chain = CHUNK,
                           .compute = compute};
}

/* The fates of a task, read again. */
static int take(void *self, long task, const cli_sweep_rows *rows)
{
    cli_basins *b = self;
    for (long k = 0; k < rows->count;) {
        const double *row = rows->values + k * rows->width;
        const long cell = task * CHUNK + rows->cell[k];
        carom_orbit_attractor *fate = &b->fates[cell];
        *fate = (carom_orbit_attractor){.fate = (carom_orbit_fate)(int)row[0],
                                        .count = (int)row[1],
                                        .size = (int)row[2],
                                        .modulus = row[3]};
        const size_t size = (size_t)fate->size, count = (size_t)fate->count;
        fate->points = carom_arena_array(b->orbit.arena, size * count + 1, sizeof(double));
        if (!fate->points)
            return cli_message_memory();
        for (size_t i = 0; i < count; i++)
            memcpy(fate->points + i * size, row + (i + 1) * (size_t)rows->width,
                   size * sizeof(double));
        b->ready[cell] = 1;
        k += 1 + fate->count;
    }
    if (b->journal)
        cli_basins_journal_add(b, task, rows);
    return CLI_ANSWERED;
}

static int flush(void *self)
{
    return cli_basins_journal_flush(self);
}

int cli_basins_compute(cli_basins *b)
{
    const cli_sweep_job job = cli_basins_job(b);
    const cli_sweep_taker taker = {b, take, flush};
    long first;
    int status = cli_basins_journal_open(b, &taker, &first);
    if (!status)
        status = cli_sweep_work_run(&job, first, &taker, &b->course);
    if (b->journal && fclose(b->journal) != 0 && !status)
        status = CLI_MACHINE;
    b->journal = NULL;
    return status;
}

int cli_basins_classify(cli_basins *b)
{
    carom_error error = {0};
    for (int cell = 0; cell < b->cells; cell++)
        if (!b->ready[cell])
            b->fates[cell].fate = CAROM_ORBIT_UNKNOWN;
    if (carom_orbit_basins(b->fates, b->cells, b->orbit.arena, b->index, &b->basins,
                           &b->basin_count, &error))
        return cli_message_error(NULL, &error);
    for (int k = 0; k < b->basin_count; k++)
        b->classified += b->basins[k].cells;
    return CLI_ANSWERED;
}
