/* Processor time for the peers' drivers. */
#ifndef CAROM_BENCH_PEERS_CLOCK_H
#define CAROM_BENCH_PEERS_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
