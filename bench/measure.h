/* Measuring: processor time of repeated calls, best and median of several rounds. */
#ifndef CAROM_BENCH_MEASURE_H
#define CAROM_BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct measure_result {
    double best, median; /* seconds per call */
} measure_result;

/* Time `call(self)` in rounds of about a hundredth of a second. */
static inline measure_result measure(void (*call)(void *self), void *self)
{
    enum { ROUNDS = 15 };
    double seconds[ROUNDS];
    long repeat = 1;
    for (;;) {
        double start = measure_now();
        for (long k = 0; k < repeat; k++)
            call(self);
        if (measure_now() - start > 0.01)
            break;
        repeat *= 2;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = measure_now();
        for (long k = 0; k < repeat; k++)
            call(self);
        seconds[round] = (measure_now() - start) / (double)repeat;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, measure_compare);
    return (measure_result){seconds[0], seconds[ROUNDS / 2]};
}

#endif
