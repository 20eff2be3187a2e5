/* Many impacts of one structure: threads take pieces of the list, each with a statement, an arena
 * and arrays of its own, so that nothing is shared but the borrowed input. */
#include "carom/batch.h"
#include "carom/need.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 256,       /* impacts that a thread takes at a time */
    THREADS_MOST = 256 /* more than any machine this is for */
};

/* What the threads share. */
typedef struct job {
    const carom_batch *batch;
    const carom_batch_output *output;
    long count;
    int s;               /* slip columns */
    atomic_long next;    /* first impact that nobody has taken */
    atomic_long failed;  /* smallest number of an impact that failed; count: none */
    atomic_bool stopped; /* by the watch */
} job;

/* One thread: its statement with the numbers of one impact. */
typedef struct worker {
    job *job;
    carom_arena *numbers, *arena; /* for the statement; for each decision, reset after it */
    carom_impact impact;
    double *M, *u, *W, *w_hat, *H, *slip_motion;
    carom_contact *contacts;
    pthread_t thread;
    bool asks;   /* the watch whether to go on */
    long failed; /* number of the impact that failed here first */
    carom_error error;
} worker;

long carom_batch_count(const carom_batch *batch)
{
    CAROM_NEED_OR(0, batch);
    long count = 1;
    if (batch->axes < 0 || batch->axes > CAROM_BATCH_AXES)
        return -1;
    for (int a = 0; a < batch->axes; a++) {
        if (batch->size[a] < 0 || (batch->size[a] > 0 && count > LONG_MAX / batch->size[a]))
            return -1;
        count *= batch->size[a];
    }
    return count;
}

/* Where the numbers of an impact begin. */
static const double *locate(const carom_batch *batch, const carom_batch_input *input, long number)
{
    ptrdiff_t offset = 0;
    for (int a = batch->axes - 1; a >= 0; a--) {
        offset += (ptrdiff_t)(number % batch->size[a]) * input->step[a];
        number /= batch->size[a];
    }
    return input->data + offset;
}

static void gather(const carom_batch *batch, const carom_batch_input *input, long number, int rows,
                   int columns, double *to)
{
    if (!input->data)
        return;
    const double *from = locate(batch, input, number);
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            *to++ = from[r * input->row + c * input->column];
}

/* The coefficients have their place in the contacts, not in an array. */
static void gather_coefficients(worker *w, long number)
{
    const carom_batch *b = w->job->batch;
    const double *e = b->restitution.data ? locate(b, &b->restitution, number) : NULL;
    const double *mu = b->friction.data ? locate(b, &b->friction, number) : NULL;
    for (int i = 0; i < b->impact->p; i++) {
        if (e)
            w->contacts[i].restitution = e[i * b->restitution.row];
        if (mu)
            w->contacts[i].friction_static = w->contacts[i].friction_dynamic =
                mu[i * b->friction.row];
    }
}

static void state(worker *w, long number)
{
    const carom_batch *b = w->job->batch;
    int n = b->impact->n, p = b->impact->p, s = w->job->s;
    gather(b, &b->mass, number, n, b->impact->mass_is_diagonal ? 1 : n, w->M);
    gather(b, &b->velocity, number, n, 1, w->u);
    gather(b, &b->normals, number, n, p, w->W);
    gather(b, &b->motion, number, p, 1, w->w_hat);
    gather(b, &b->slips, number, n, s, w->H);
    gather(b, &b->slip_motion, number, s, 1, w->slip_motion);
    gather_coefficients(w, number);
}

static void put(double *to, long number, int width, const double *from, bool known)
{
    for (int i = 0; to && i < width; i++)
        to[number * width + i] = known ? from[i] : NAN;
}

static void answer(const worker *w, long number, const carom_outcome *outcome)
{
    const carom_batch_output *out = w->job->output;
    int n = w->impact.n, p = w->impact.p, s = w->job->s;
    bool known = outcome->answer == CAROM_ANSWER_OK || outcome->answer == CAROM_ANSWER_SEVERAL;
    put(out->velocity, number, n, outcome->u, known);
    put(out->normal_velocity, number, p, outcome->gamma, known);
    put(out->impulse, number, p, outcome->impulse, known);
    put(out->slip, number, s, outcome->slip, known);
    put(out->tangential_impulse, number, s, outcome->tangential_impulse, known);
    put(out->energy_change, number, 1, &outcome->energy_change, known);
    if (out->answer)
        out->answer[number] = (unsigned char)outcome->answer;
    if (out->verdict)
        out->verdict[number] =
            (unsigned char)(known ? CAROM_BATCH_KINEMATIC * outcome->verdict.kinematic |
                                        CAROM_BATCH_KINETIC * outcome->verdict.kinetic |
                                        CAROM_BATCH_ENERGETIC * outcome->verdict.energetic
                                  : 0);
}

static carom_status decide(worker *w, long number)
{
    carom_geometry geometry;
    carom_outcome outcome;
    state(w, number);
    carom_arena_reset(w->arena);
    carom_status status = carom_impact_derive(&w->impact, w->arena, &geometry, &w->error);
    if (status == CAROM_OK)
        status = carom_law_apply(w->job->batch->law, &geometry, w->arena, &outcome, &w->error);
    if (status == CAROM_OK)
        answer(w, number, &outcome);
    return status;
}

/* Only the calling thread asks: a watch need not be fit for several. */
static bool goes_on(worker *w, long first)
{
    const carom_watch *watch = w->asks ? w->job->batch->watch : NULL;
    if (watch && !watch->go_on(watch->self, "impacts", (double)first / (double)w->job->count))
        atomic_store(&w->job->stopped, true);
    return !atomic_load(&w->job->stopped);
}

/* Pieces are taken in rising order and none is left out below a failure, so the failure that is
 * reported is the first of the list whatever the threads do. */
static void *work(void *self)
{
    worker *w = self;
    for (;;) {
        long first = atomic_fetch_add(&w->job->next, PIECE);
        if (first >= w->job->count || first > atomic_load(&w->job->failed) || !goes_on(w, first))
            return NULL;
        long end = first + PIECE < w->job->count ? first + PIECE : w->job->count;
        for (long k = first; k < end; k++) {
            if (decide(w, k) == CAROM_OK)
                continue;
            w->failed = k;
            long least = atomic_load(&w->job->failed);
            while (k < least && !atomic_compare_exchange_weak(&w->job->failed, &least, k))
                continue;
            return NULL;
        }
    }
}

/* Room for numbers that vary; the statement's own array where they do not. */
static bool prepare_numbers(worker *w, const carom_batch_input *input, size_t count, double **own,
                            const double **stated)
{
    *own = NULL;
    if (!input->data)
        return true;
    *own = carom_arena_doubles(w->numbers, count);
    *stated = *own;
    return *own != NULL;
}

static carom_status prepare(worker *w, job *j, carom_error *error)
{
    const carom_batch *b = j->batch;
    size_t n = (size_t)b->impact->n, p = (size_t)b->impact->p, s = (size_t)j->s;
    w->job = j;
    w->failed = j->count;
    w->impact = *b->impact;
    carom_status status = carom_arena_create(NULL, &w->numbers, error);
    if (status == CAROM_OK)
        status = carom_arena_create(NULL, &w->arena, error);
    if (status != CAROM_OK)
        return status;
    w->contacts = carom_arena_array(w->numbers, p, sizeof *w->contacts);
    bool room = w->contacts &&
                prepare_numbers(w, &b->mass, b->impact->mass_is_diagonal ? n : n * n, &w->M,
                                &w->impact.M) &&
                prepare_numbers(w, &b->velocity, n, &w->u, &w->impact.u) &&
                prepare_numbers(w, &b->normals, n * p, &w->W, &w->impact.W) &&
                prepare_numbers(w, &b->motion, p, &w->w_hat, &w->impact.w_hat) &&
                prepare_numbers(w, &b->slips, n * s, &w->H, &w->impact.H) &&
                prepare_numbers(w, &b->slip_motion, s, &w->slip_motion, &w->impact.slip_motion);
    if (!room)
        return carom_error_memory(error);
    for (size_t i = 0; i < p; i++)
        w->contacts[i] = b->impact->contacts ? b->impact->contacts[i] : carom_contact_default();
    w->impact.contacts = w->contacts;
    return CAROM_OK;
}

static int thread_count(const carom_batch *batch, long count)
{
    long threads = batch->threads > 0 ? batch->threads : sysconf(_SC_NPROCESSORS_ONLN);
    long pieces = (count + PIECE - 1) / PIECE;
    threads = threads < pieces ? threads : pieces;
    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    return threads > 1 ? (int)threads : 1;
}

/* A thread that cannot be started leaves its share to the others; the first worker is the caller.
 */
static void run(worker *workers, int threads)
{
    int started = 1;
    workers[0].asks = true;
    if (!goes_on(&workers[0], 0)) /* asked at least once, however quick the others are */
        return;
    while (started < threads &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    work(&workers[0]);
    for (int k = 1; k < started; k++)
        pthread_join(workers[k].thread, NULL);
}

static carom_status report(const job *j, const worker *workers, int threads, carom_error *error)
{
    long failed = atomic_load(&j->failed);
    for (int k = 0; failed < j->count && k < threads; k++)
        if (workers[k].failed == failed)
            return carom_error_set(error, workers[k].error.status, "impact %ld: %.900s", failed,
                                   workers[k].error.text);
    return atomic_load(&j->stopped) ? CAROM_STOPPED : CAROM_OK;
}

carom_status carom_batch_apply(const carom_batch *batch, const carom_batch_output *output,
                               carom_error *error)
{
    CAROM_NEED(error, batch, batch->impact, batch->law, output);
    long count = carom_batch_count(batch);
    if (count < 0 || batch->impact->n < 0 || batch->impact->p < 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "batch: at most %d axes, sizes >= 0 with a product below %ld",
                               CAROM_BATCH_AXES, LONG_MAX);
    if (count == 0)
        return CAROM_OK;
    job j = {.batch = batch, .output = output, .count = count};
    for (int i = 0; batch->impact->contacts && i < batch->impact->p; i++)
        j.s += batch->impact->contacts[i].slip_count;
    atomic_init(&j.next, 0);
    atomic_init(&j.failed, count);
    atomic_init(&j.stopped, false);
    int threads = thread_count(batch, count);
    worker *workers = carom_allocator_resize(NULL, NULL, (size_t)threads * sizeof *workers);
    if (!workers)
        return carom_error_memory(error);
    memset(workers, 0, (size_t)threads * sizeof *workers);
    carom_status status = CAROM_OK;
    for (int k = 0; k < threads && status == CAROM_OK; k++)
        status = prepare(&workers[k], &j, error);
    if (status == CAROM_OK) {
        run(workers, threads);
        status = report(&j, workers, threads, error);
    }
    for (int k = 0; k < threads; k++) {
        carom_arena_destroy(workers[k].arena);
        carom_arena_destroy(workers[k].numbers);
    }
    carom_allocator_resize(NULL, workers, 0);
    return status;
}
