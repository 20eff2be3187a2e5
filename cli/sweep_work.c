/* The tasks of a sweep on all cores; their rows are handed on in order, as soon as those before
 * them are. */
#include "sweep.h"
#include "watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1024, MOST_THREADS = 64 };

typedef struct work {
    cli_sweep_job job;
    const cli_sweep_taker *taker;
    cli_sweep_course *course;
    long first, count; /* the block being computed */
    atomic_long next;
    cli_sweep_rows *rows; /* BLOCK */
    bool *ready;          /* BLOCK: computed, to be taken when those before it are */
    pthread_mutex_t lock; /* of `ready` and of what follows */
    pthread_cond_t ended; /* a worker has */
    int working;          /* threads */
    long taken;           /* of the block */
    atomic_int status;    /* CLI_ANSWERED, or why no more can be taken */
} work;

/* Task k of the block is computed: hand on what is now complete from the start, so that whatever
 * ends the sweep leaves all rows up to the first that is missing. */
static void publish(work *w, long k, const cli_sweep_rows *made)
{
    pthread_mutex_lock(&w->lock);
    if (w->course->abandoned) { /* nobody waits for it any more */
        pthread_mutex_unlock(&w->lock);
        return;
    }
    int status = atomic_load(&w->status);
    const long before = w->taken;
    w->rows[k] = *made;
    w->ready[k] = !made->stopped && !made->memory;
    if (made->memory && !status)
        status = cli_message_memory();
    while (!status && w->taken < w->count && w->ready[w->taken]) {
        cli_sweep_rows *rows = &w->rows[w->taken];
        status = w->taker->take(w->taker->self, w->first + w->taken, rows);
        w->course->failures += rows->failures;
        cli_sweep_task_free(rows);
        w->taken++;
    }
    if (!status && w->taken > before)
        status = w->taker->flush(w->taker->self);
    atomic_store(&w->status, status);
    pthread_mutex_unlock(&w->lock);
}

static void compute(work *w)
{
    for (;;) {
        long k = atomic_fetch_add(&w->next, 1);
        if (k >= w->count || cli_watch_stopped() || atomic_load(&w->status))
            return;
        cli_sweep_rows made;
        w->job.compute(w->job.self, w->first + k, &made);
        publish(w, k, &made);
    }
}

static void *start(void *self)
{
    work *w = self;
    compute(w);
    pthread_mutex_lock(&w->lock);
    w->working--;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Wait until all workers have ended; after Ctrl-C a second longer, for a law that computes for long
 * does not look up. The lock is held. */
static void wait_for_workers(work *w)
{
    for (int patience = 10; w->working > 0 && patience > 0;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->ended, &w->lock, &until);
        patience -= cli_watch_stopped();
    }
    w->course->abandoned = w->working > 0;
}

/* All tasks of a block, on all cores. */
static void compute_block(work *w)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = (int)(cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores);
    atomic_store(&w->next, 0);
    w->taken = 0;
    w->working = 0;
    for (long k = 0; k < w->count; k++)
        w->ready[k] = false;
    pthread_mutex_lock(&w->lock);
    for (pthread_t thread; w->working < wanted; w->working++)
        if (pthread_create(&thread, NULL, start, w) != 0 || pthread_detach(thread) != 0)
            break;
    bool threads = w->working > 0;
    if (threads)
        wait_for_workers(w);
    pthread_mutex_unlock(&w->lock);
    if (!threads) /* none to be had */
        compute(w);
}

static void compute_all(work *w, long first)
{
    const long tasks = w->job.tasks;
    cli_progress progress;
    cli_progress_begin(&progress);
    w->course->done = first;
    for (w->first = first; w->first < tasks; w->first += w->count) {
        w->count = tasks - w->first < BLOCK ? tasks - w->first : BLOCK;
        compute_block(w);
        w->course->done = w->first + w->taken;
        if (w->taken < w->count || w->status)
            break; /* interrupted, or the rows cannot be taken */
        if (cli_progress_due(&progress))
            fprintf(stderr, "\r%ld of %ld cells ", w->course->done * w->job.chain, w->job.cells);
    }
    cli_progress_end(&progress);
}

int cli_sweep_work_run(const cli_sweep_job *job, long first, const cli_sweep_taker *taker,
                       cli_sweep_course *course)
{
    work *w = calloc(1, sizeof *w); /* it outlives this call when a worker does */
    if (!w)
        return cli_message_memory();
    w->job = *job;
    w->taker = taker;
    w->course = course;
    w->rows = calloc(BLOCK, sizeof *w->rows);
    w->ready = calloc(BLOCK, sizeof *w->ready);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->ended, NULL);
    if (w->rows && w->ready)
        compute_all(w, first);
    else
        w->status = cli_message_memory();
    int status = w->status;
    if (course->abandoned)
        return status;
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->lock);
    for (long k = 0; k < BLOCK && w->rows; k++)
        cli_sweep_task_free(&w->rows[k]);
    free(w->rows);
    free(w->ready);
    free(w);
    return status;
}

int cli_sweep_work_help(const cli_sweep_job *job)
{
    (void)job;
    return cli_message_usage("there is nobody to help");
}
