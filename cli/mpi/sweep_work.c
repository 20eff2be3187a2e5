/* The tasks of a sweep over the processes of mpirun, in place of threads (cli/sweep_work.c).
 * Process 0 hands them out as they are asked for, takes rows in their order, and computes too, on a
 * thread of its own. What a process that died was given is given again, once there is nothing else
 * to do: results do not depend on who computed them. */
#include "post.h"
#include "sweep.h"
#include "watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tasks that may be under way or wait for one before them; those of one message at most. */
enum { WINDOW = 8192, MOST_AT_ONCE = 64 };

/* Seconds: work of one message; after which a task is given to another too, if it is also so many
 * times what tasks take; between lines of progress. */
static const double message_work = 0.02, overdue = 2, line_every = 10;
static const double overdue_factor = 20;

typedef struct slot {
    cli_sweep_rows rows;
    bool ready;
    double given; /* when */
} slot;

typedef struct lead {
    cli_sweep_job job;
    const cli_sweep_taker *taker;
    cli_sweep_course *course;
    long tasks, next, taken; /* next to be given, next to be taken */
    slot *slots;             /* WINDOW: task k is in slot k % WINDOW */
    double *pace;            /* by process: seconds a task, 0: not known */
    bool *waiting;           /* by process: asked, and there was nothing */
    int status;
    bool over;            /* the thread is to end */
    bool working;         /* it has not */
    pthread_mutex_t lock; /* of all this */
} lead;

/* A task that somebody was given long ago; -1: none. */
static long find_overdue(const lead *l, int process, double now)
{
    const double late = overdue + overdue_factor * l->pace[process];
    for (long k = l->taken; k < l->next; k++)
        if (!l->slots[k % WINDOW].ready && now - l->slots[k % WINDOW].given > late)
            return k;
    return -1;
}

/* What a process is to do next. The lock is held. */
static cli_post_work choose(lead *l, int process)
{
    const double now = cli_watch_seconds(), pace = l->pace[process];
    const long end = l->tasks < l->taken + WINDOW ? l->tasks : l->taken + WINDOW;
    const long share = (end - l->next) / (2 * (cli_post_helpers() + 1));
    cli_post_work work = {l->next, 0};
    if (l->status || l->over)
        return work;
    if (l->next < end) {
        work.count = pace > 0 && pace < message_work ? (long)(message_work / pace) : 1;
        work.count = work.count > MOST_AT_ONCE ? MOST_AT_ONCE : work.count;
        work.count = work.count > share ? share : work.count;
        work.count = work.count < 1 ? 1 : work.count;
        l->next += work.count;
    } else if ((work.first = find_overdue(l, process, now)) >= 0) {
        work.count = 1;
    }
    for (long k = work.first; k < work.first + work.count; k++)
        l->slots[k % WINDOW].given = now;
    return work;
}

/* The rows of a task are here; they may be for the second time. The lock is held. */
static void collect(lead *l, long task, cli_sweep_rows *rows)
{
    slot *s = &l->slots[task % WINDOW];
    if (rows->memory && !l->status)
        l->status = cli_message_memory();
    if (rows->memory || rows->stopped || task < l->taken || s->ready) {
        cli_sweep_task_free(rows);
        return;
    }
    s->rows = *rows;
    s->ready = true;
}

/* Hand on what is complete from the start. The lock is held. */
static void take(lead *l)
{
    const long before = l->taken;
    while (!l->status && l->taken < l->next && l->slots[l->taken % WINDOW].ready) {
        slot *s = &l->slots[l->taken % WINDOW];
        l->status = l->taker->take(l->taker->self, l->taken, &s->rows);
        l->course->failures += s->rows.failures;
        cli_sweep_task_free(&s->rows);
        s->ready = false;
        l->taken++;
    }
    if (!l->status && l->taken > before)
        l->status = l->taker->flush(l->taker->self);
    l->course->done = l->taken;
}

static void set_pace(lead *l, int process, double time, long tasks)
{
    if (tasks > 0)
        l->pace[process] = time / (double)tasks;
}

/* The thread of process 0 that computes. */
static void *compute(void *self)
{
    lead *l = self;
    pthread_mutex_lock(&l->lock);
    while (!l->over && !l->status && l->taken < l->tasks) {
        const cli_post_work work = choose(l, 0);
        pthread_mutex_unlock(&l->lock);
        if (work.count == 0)
            cli_post_nap();
        for (long k = 0; k < work.count && !cli_watch_stopped(); k++) {
            cli_sweep_rows rows;
            const double began = cli_watch_seconds();
            l->job.compute(l->job.self, work.first + k, &rows);
            pthread_mutex_lock(&l->lock);
            set_pace(l, 0, cli_watch_seconds() - began, 1);
            collect(l, work.first + k, &rows);
            pthread_mutex_unlock(&l->lock);
        }
        pthread_mutex_lock(&l->lock);
    }
    l->working = false;
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* A message: seconds, first task, number of tasks, their rows. The lock is held. */
static void open_message(lead *l, cli_post *post, int from)
{
    double head[3];
    if (!cli_post_read(post, sizeof head, head))
        return;
    set_pace(l, from, head[0], (long)head[2]);
    for (long k = 0; k < (long)head[2] && !l->status; k++) {
        cli_sweep_rows rows;
        if (!cli_post_unpack(post, l->job.width, &rows)) {
            cli_sweep_task_free(&rows);
            l->status = cli_message_memory();
        } else {
            collect(l, (long)head[1] + k, &rows);
        }
    }
    l->waiting[from] = true;
}

/* Those who wait are given what there is. The lock is held. */
static void answer(lead *l)
{
    for (int k = 1; k <= cli_post_helpers(); k++) {
        if (!l->waiting[k] || cli_post_gone(k))
            continue;
        const cli_post_work work = choose(l, k);
        if (work.count == 0)
            continue;
        cli_post_answer(k, work);
        l->waiting[k] = false;
    }
}

/* A line now and then: what mpirun passes on is no terminal. */
static void tell(const lead *l, long first, double began, double *told)
{
    const double now = cli_watch_seconds(), spent = now - began;
    if (now - *told < line_every || l->taken == first)
        return;
    int helpers = 0;
    for (int k = 1; k <= cli_post_helpers(); k++)
        helpers += !cli_post_gone(k);
    *told = now;
    fprintf(stderr, "carom-mpi: %ld of %ld cells, %d processes, %.0f s, about %.0f s left\n",
            l->taken * l->job.chain, l->job.cells, helpers + 1, spent,
            spent * (double)(l->tasks - l->taken) / (double)(l->taken - first));
}

/* Messages, rows and answers until all tasks are taken. */
static void serve(lead *l, long first)
{
    cli_post post = {0};
    const double began = cli_watch_seconds();
    double told = began;
    while (l->taken < l->tasks && !l->status && !cli_watch_stopped()) {
        int from;
        const bool came = cli_post_next(&post, &from);
        pthread_mutex_lock(&l->lock);
        if (came)
            open_message(l, &post, from);
        take(l);
        answer(l);
        pthread_mutex_unlock(&l->lock);
        tell(l, first, began, &told);
        if (!came)
            cli_post_nap();
    }
    cli_post_free(&post);
}

/* The thread ends with its task; after Ctrl-C it has a second. */
static void end_thread(lead *l)
{
    const double began = cli_watch_seconds();
    bool working = true;
    while (working && !(cli_watch_stopped() && cli_watch_seconds() - began > 1)) {
        pthread_mutex_lock(&l->lock);
        l->over = true;
        working = l->working;
        pthread_mutex_unlock(&l->lock);
        if (working)
            cli_post_nap();
    }
    l->course->abandoned = working;
}

static void distribute(lead *l, long first)
{
    pthread_t thread;
    l->working = true;
    if (pthread_create(&thread, NULL, compute, l) == 0)
        pthread_detach(thread);
    else
        l->working = false;
    if (!l->working && cli_post_helpers() == 0)
        l->status = cli_message_memory(); /* nobody to compute */
    serve(l, first);
    for (int k = 1; k <= cli_post_helpers(); k++)
        if (l->waiting[k] && !cli_post_gone(k))
            cli_post_answer(k, (cli_post_work){0, 0});
    end_thread(l);
}

int cli_sweep_work_run(const cli_sweep_job *job, long first, const cli_sweep_taker *taker,
                       cli_sweep_course *course)
{
    lead *l = calloc(1, sizeof *l); /* it outlives this call when the thread does */
    const size_t processes = (size_t)cli_post_helpers() + 1;
    if (!l)
        return cli_message_memory();
    *l = (lead){.job = *job,
                .taker = taker,
                .course = course,
                .tasks = job->tasks,
                .next = first,
                .taken = first,
                .slots = calloc(WINDOW, sizeof *l->slots),
                .pace = calloc(processes, sizeof *l->pace),
                .waiting = calloc(processes, sizeof *l->waiting)};
    course->done = first;
    pthread_mutex_init(&l->lock, NULL);
    if (l->slots && l->pace && l->waiting)
        distribute(l, first);
    else
        l->status = cli_message_memory();
    const int status = l->status;
    if (course->abandoned)
        return status;
    pthread_mutex_destroy(&l->lock);
    for (long k = 0; k < WINDOW && l->slots; k++)
        cli_sweep_task_free(&l->slots[k].rows);
    free(l->slots);
    free(l->pace);
    free(l->waiting);
    free(l);
    return status;
}

int cli_sweep_work_help(const cli_sweep_job *job)
{
    cli_post post = {0};
    cli_post_work work = {0, 0};
    double head[3] = {0};
    int status = CLI_ANSWERED;
    do {
        post.size = 0;
        head[1] = (double)work.first;
        head[2] = (double)work.count;
        cli_post_numbers(&post, 3, head);
        const double began = cli_watch_seconds();
        for (long k = 0; k < work.count; k++) {
            cli_sweep_rows rows;
            job->compute(job->self, work.first + k, &rows);
            cli_post_pack(&post, &rows);
            cli_sweep_task_free(&rows);
        }
        head[0] = cli_watch_seconds() - began;
        if (post.failed) {
            status = CLI_MACHINE;
            break;
        }
        memcpy(post.bytes, head, sizeof head);
    } while (cli_post_send(&post) && cli_post_receive(&work) && work.count > 0);
    cli_post_free(&post);
    return status;
}
