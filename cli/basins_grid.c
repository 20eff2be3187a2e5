/* A grid of starts, on all cores: every thread has a scene of its own. */
#include "answer.h"
#include "basins.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

/* One thread. */
typedef struct worker {
    cli_basins *basins;
    cli_orbit orbit;
    carom_arena *arena;
    pthread_t thread;
} worker;

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

static void compute_cell(worker *w, const carom_orbit_problem *problem, int cell, double *x)
{
    cli_basins *b = w->basins;
    carom_error error = {0};
    cli_basins_start(b, cell, &w->orbit, x);
    const carom_flow_start start = {w->orbit.content->initial.t, x, x + w->orbit.shape->n};
    carom_status status = carom_orbit_settle(problem, &start, b->skip, b->tolerance, w->arena,
                                             &b->fates[cell], &error);
    if (status == CAROM_ERROR_MEMORY)
        atomic_store(&b->status, CLI_MACHINE);
    if (status != CAROM_OK) /* a start in penetration, say: it goes nowhere */
        b->fates[cell] = (carom_orbit_attractor){.fate = CAROM_ORBIT_LOST};
    b->ready[cell] = !cli_watch_stopped();
    atomic_fetch_add(&b->done, 1);
}

static void *work(void *self)
{
    worker *w = self;
    cli_basins *b = w->basins;
    carom_orbit_problem problem;
    double *x = calloc(2 * (size_t)w->orbit.shape->n, sizeof *x);
    if (!x || cli_orbit_problem(b->arguments, &w->orbit, &problem)) {
        atomic_store(&b->status, CLI_MACHINE);
        free(x);
        return NULL;
    }
    problem.progress = NULL;
    for (;;) {
        const long cell = atomic_fetch_add(&b->next, 1);
        if (cell >= b->cells || cli_watch_stopped() || atomic_load(&b->status))
            break;
        compute_cell(w, &problem, (int)cell, x);
    }
    free(x);
    return NULL;
}

static void wait_for(cli_basins *b)
{
    while (atomic_load(&b->done) < b->cells && !cli_watch_stopped() && !atomic_load(&b->status)) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if (cli_progress_due(&b->orbit.progress))
            fprintf(stderr, "\r%ld of %d cells ", atomic_load(&b->done), b->cells);
    }
}

int cli_basins_compute(cli_basins *b)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = (int)(cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores);
    worker *workers = calloc((size_t)wanted, sizeof *workers);
    b->arenas = calloc((size_t)wanted + 1, sizeof *b->arenas);
    int opened = 0, started = 0,
        status = workers && b->arenas ? CLI_ANSWERED : cli_message_memory();
    for (; opened < wanted && !status; opened++) {
        workers[opened].basins = b;
        status = cli_orbit_open(b->arguments, &workers[opened].orbit);
        if (!status && carom_arena_create(cli_memory(), &workers[opened].arena, NULL))
            status = cli_message_memory();
        b->arenas[opened] = workers[opened].arena;
    }
    cli_progress_begin(&b->orbit.progress);
    for (; !status && started < opened; started++)
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
    if (!status && started == 0)
        work(&workers[0]);
    wait_for(b);
    for (int k = 0; k < started; k++)
        pthread_join(workers[k].thread, NULL);
    cli_progress_end(&b->orbit.progress);
    for (int k = 0; k < opened; k++)
        cli_orbit_free(&workers[k].orbit);
    free(workers);
    if (!status && atomic_load(&b->status))
        status = cli_message_memory();
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
