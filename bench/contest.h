/* Contests: several solvers on the same input, in turn (us, peer, us, peer ...), in processor time.
 *
 * Every contestant is first tried once in a child process with a limit on its time, so that one
 * that hangs, exits or crashes is a line in the table and nothing more. Its answer is judged there
 * by the task's own measure, never by what the solver says about itself. Variants that come near
 * the fastest of their engine are tried twice more, so that chance does not choose. Of every engine
 * (ours too) the fastest variant that is accurate enough then runs in rounds, one after the other.
 * Rows go to standard output as CSV (contest_header). */
#ifndef CAROM_BENCH_CONTEST_H
#define CAROM_BENCH_CONTEST_H

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct contestant {
    const char *engine;      /* "carom" is us */
    const char *variant;     /* which of its solvers */
    int (*call)(void *self); /* one whole solution; 0: it says it succeeded */
    double (*timed)(
        void *self); /* instead of call: measures itself (set-up left out), < 0: failed */
    double (*error)(void *self); /* of the last call, by the task's own measure */
    void *self;
    int parts;           /* problems solved by a call, by which its time is divided; 0: one */
    double best, median; /* seconds per problem */
    double accuracy;     /* error() of the trial */
    double memory;       /* peak of the trial's process, megabytes */
    const char *status;  /* "ok", "slower", "inaccurate", "failed", "timeout" */
} contestant;

typedef struct contest {
    const char *task, *name;
    double required; /* accuracy */
    double limit;    /* processor seconds of a trial */
    double budget;   /* processor seconds of all rounds together */
    double patience; /* times that of the fastest so far, after which a variant need not finish;
                      * 0: 1.5 */
} contest;

enum { CONTEST_ROUNDS = 9, CONTEST_VARIANTS = 4, CONTEST_MOST = 40 };

/* Seconds: of an engine that takes longer only the fastest variant goes on, for the scatter is in
 * the first milliseconds; the least that is measured at once, for clocks may be coarse. */
#define CONTEST_LONG  0.3
#define CONTEST_BATCH 1e-3

static inline double contest_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline const char *contest_version(const char *engine)
{
    static char name[64];
    snprintf(name, sizeof name, "VERSION_%.*s", (int)strcspn(engine, " "), engine);
    const char *version = getenv(name);
    return version ? version : "";
}

static inline void contest_row(const contest *c, const contestant *who, double ours)
{
    printf("%s,%s,%s,%s,%s,%.4g,%.4g,%.4g,%.2g,%.2g,%.1f,%s,\n", c->task, c->name, who->engine,
           contest_version(who->engine), who->variant, who->best, who->median, who->best / ours,
           who->accuracy, c->required, who->memory, who->status);
    fflush(stdout);
}

/* A peer that is not there, or cannot do this: a line. */
static inline void contest_skip(const char *task, const char *name, const char *engine,
                                const char *why)
{
    printf("%s,%s,%s,%s,%s,,,,,,,skipped,\n", task, name, engine, contest_version(engine), why);
    fflush(stdout);
}

static inline double contest_parts(const contestant *who)
{
    return who->parts > 0 ? who->parts : 1;
}

/* Processor seconds of some calls, by problem. */
static inline double contest_time(contestant *who, long repeat, int *failed)
{
    double start = contest_now(), sum = 0;
    for (long r = 0; r < repeat; r++) {
        if (who->timed) {
            double took = who->timed(who->self);
            *failed = took < 0;
            sum += took;
        } else {
            *failed = who->call(who->self);
        }
    }
    return (who->timed ? sum : contest_now() - start) / contest_parts(who);
}

typedef struct contest_report {
    int failed;
    double seconds, error;
} contest_report;

static void contest_try_here(double limit, contestant *who, int pipe_end)
{
    struct itimerval timer = {.it_value = {(time_t)limit, (suseconds_t)(1e6 * fmod(limit, 1))}};
    setitimer(ITIMER_PROF, &timer, NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    contest_report r = {0};
    double begin = contest_now(), spent = contest_time(who, 1, &r.failed), best = HUGE_VAL;
    long calls = 1;
    /* the first calls of a process fetch its pages: the best batch that the clock can tell counts
     */
    for (long repeat = 1; spent < 8e-3 && contest_now() - begin < 0.1;) {
        double took = contest_time(who, repeat, &r.failed);
        spent += took;
        calls += repeat;
        if (took >= CONTEST_BATCH)
            best = fmin(best, took / (double)repeat);
        else
            repeat *= 2;
    }
    r.seconds = fmin(best, spent / (double)calls);
    r.error = who->error(who->self);
    if (write(pipe_end, &r, sizeof r) != sizeof r)
        _exit(2);
    _exit(0);
}

/* One call, or the best of some milliseconds of calls, in a child process that may take `limit`
 * seconds. */
static inline void contest_try(const contest *c, double limit, contestant *who)
{
    int ends[2];
    contest_report r = {0};
    who->best = who->median = who->accuracy = NAN;
    who->status = "failed";
    fflush(stdout);
    if (pipe(ends))
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        contest_try_here(limit, who, ends[1]);
    }
    close(ends[1]);
    bool told = child > 0 && read(ends[0], &r, sizeof r) == sizeof r;
    close(ends[0]);
    int how = 0;
    struct rusage usage = {0};
    if (child > 0)
        wait4(child, &how, 0, &usage);
    who->memory = (double)usage.ru_maxrss / 1024;
    if (!told) {
        if (WIFSIGNALED(how) && WTERMSIG(how) == SIGPROF)
            who->status = limit < c->limit ? "slower" : "timeout";
        return;
    }
    who->best = who->median = r.seconds;
    who->accuracy = r.error;
    who->status = !(r.error <= c->required) ? (r.failed ? "failed" : "inaccurate") : "ok";
}

static inline bool contest_fit(const contestant *who)
{
    return strcmp(who->status, "ok") == 0;
}

static int contest_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rounds in turn; a sample lasts some milliseconds, a contestant of seconds runs at least twice. */
static inline void contest_rounds(const contest *c, contestant **in, int count)
{
    double seconds[CONTEST_MOST][CONTEST_ROUNDS], spent = 0;
    long repeat[CONTEST_MOST];
    int rounds = 0;
    for (int k = 0; k < count; k++) {
        int failed;
        double once = contest_time(in[k], 1, &failed);
        repeat[k] = once < 3e-3 ? (long)ceil(3e-3 / fmax(once, 1e-7)) : 1;
    }
    while (rounds < CONTEST_ROUNDS && (rounds < 2 || spent < c->budget)) {
        for (int k = 0; k < count; k++) {
            int failed;
            double took = contest_time(in[k], repeat[k], &failed);
            seconds[k][rounds] = took / (double)repeat[k];
            spent += took;
        }
        rounds++;
    }
    for (int k = 0; k < count; k++) {
        qsort(seconds[k], (size_t)rounds, sizeof(double), contest_compare);
        in[k]->best = seconds[k][0];
        in[k]->median = seconds[k][rounds / 2];
    }
}

/* The rounds in a process of their own, for a solver that survived its trial may still crash at its
 * hundredth call: the times of the trials stand then. */
static inline void contest_rounds_apart(const contest *c, contestant **in, int count)
{
    int ends[2];
    double times[2 * CONTEST_MOST];
    ssize_t size = (ssize_t)(2 * sizeof *times) * count;
    fflush(stdout);
    if (pipe(ends))
        return;
    pid_t child = fork();
    if (child == 0) {
        contest_rounds(c, in, count);
        for (int k = 0; k < count; k++) {
            times[2 * k] = in[k]->best;
            times[2 * k + 1] = in[k]->median;
        }
        _exit(write(ends[1], times, (size_t)size) != size);
    }
    close(ends[1]);
    bool told = child > 0 && read(ends[0], times, (size_t)size) == size;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    for (int k = 0; told && k < count; k++) {
        in[k]->best = times[2 * k];
        in[k]->median = times[2 * k + 1];
    }
}

static inline bool contest_same(const contestant *a, const contestant *b)
{
    return strcmp(a->engine, b->engine) == 0;
}

/* The least time of a fit variant of the same engine; HUGE_VAL: none so far. */
static inline double contest_least(const contestant *list, int count, const contestant *who)
{
    double least = HUGE_VAL;
    for (int j = 0; j < count; j++)
        if (contest_same(&list[j], who) && contest_fit(&list[j]))
            least = fmin(least, list[j].best);
    return least;
}

/* Try all; once a variant has done it, much slower ones need not finish. */
static inline void contest_trials(const contest *c, contestant *list, int count)
{
    for (int k = 0; k < count; k++) {
        double least = contest_least(list, k, &list[k]) * contest_parts(&list[k]);
        double patience = c->patience > 0 ? c->patience : 1.5;
        contest_try(c, fmin(c->limit, fmax(0.1, patience * least)), &list[k]);
    }
}

/* Does the contestant run in the rounds? Among the fastest of its engine, and not far behind. */
static inline bool contest_qualifies(const contestant *list, int count, const contestant *who)
{
    double least = contest_least(list, count, who);
    int before = 0;
    for (const contestant *other = list; other < list + count; other++)
        before += contest_same(other, who) && contest_fit(other) &&
                  (other->best < who->best || (other->best == who->best && other < who));
    return contest_fit(who) && before < (least > CONTEST_LONG ? 1 : CONTEST_VARIANTS) &&
           who->best <= 2 * least;
}

/* The whole contest. Writes a row for ours, for the best variant of every
 * peer, and for the variants that are slower or cannot do it (their trials). */
static inline void contest_run(const contest *c, contestant *list, int count)
{
    contestant *in[CONTEST_MOST];
    int chosen = 0;
    contest_trials(c, list, count);
    for (int k = 0; k < count; k++)
        if (contest_qualifies(list, count, &list[k]))
            in[chosen++] = &list[k];
    for (int k = 0, next = 0; k < count; k++) {
        if (next < chosen && in[next] == &list[k])
            next++;
        else if (contest_fit(&list[k]))
            list[k].status = "slower";
    }
    contest_rounds_apart(c, in, chosen);
    for (int k = 0; k < chosen; k++)
        if (in[k]->best > contest_least(list, count, in[k]))
            in[k]->status = "slower";
    double ours = NAN;
    for (int k = 0; k < chosen; k++)
        if (strcmp(in[k]->engine, "carom") == 0 && contest_fit(in[k]))
            ours = in[k]->best;
    for (int k = 0; k < count; k++)
        contest_row(c, &list[k], ours);
}

#endif
