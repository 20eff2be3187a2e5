/* How long the LCP algorithms take: chains, random definite matrices, walls of bricks (more
 * contacts than degrees of freedom, so a singular matrix). Best of several runs, in microseconds.
 */
#include "carom/lcp.h"
#include "lcp_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void measure(problem p, carom_lcp_algorithm algorithm, carom_arena *arena)
{
    carom_lcp lcp = {.n = p.n, .M = p.M, .q = p.q, .symmetric = true, .bandwidth = p.bandwidth};
    carom_lcp_options options = {.algorithm = algorithm};
    carom_lcp_info info = {0};
    double *z = malloc((size_t)p.n * sizeof *z), best = HUGE_VAL, begin = now();
    int inner = p.n <= 10 ? 10000 : 1;
    for (int run = 0; run < 20 && (run < 2 || now() - begin < 1e6); run++) {
        double start = now();
        for (int k = 0; k < inner; k++)
            if (carom_lcp_solve(&lcp, &options, arena, z, NULL, &info, NULL) != CAROM_OK)
                exit(1);
        best = fmin(best, (now() - start) / inner);
    }
    printf("%-20s algorithm %d  outcome %d  iterations %4d  residual %7.1e  unique %d  %12.3f us\n",
           p.name, (int)info.algorithm, (int)info.outcome, info.iterations, info.residual,
           info.unique_z, best);
    free(z);
}

int main(int argc, char **argv)
{
    carom_arena *arena;
    if (carom_arena_create(NULL, &arena, NULL) != CAROM_OK)
        return 1;
    carom_lcp_algorithm algorithm = argc > 1 ? (carom_lcp_algorithm)atoi(argv[1]) : CAROM_LCP_AUTO;
    int largest = argc > 2 ? atoi(argv[2]) : 2000;
    int chains[] = {1, 2, 3, 4, 5, 10, 50, 200, 999},
        sizes[] = {4, 10, 50, 100, 200, 500, 1000, 2000};
    for (int i = 0; i < 9; i++)
        for (int banded = 0; banded < 2; banded++)
            if (chains[i] <= largest)
                measure(problem_chain(chains[i], banded), algorithm, arena);
    for (int i = 0; i < 8; i++)
        if (sizes[i] <= largest)
            measure(problem_dense(sizes[i]), algorithm, arena);
    for (int rows = 4; rows <= 20; rows += 4)
        if (4 * rows * rows <= largest + 400)
            for (int noisy = 0; noisy < 2; noisy++)
                measure(problem_wall(rows, rows, noisy ? 0.1 : 0), algorithm, arena);
    carom_arena_destroy(arena);
    return 0;
}
