/* How long the LCP algorithms take: chains, random definite matrices, walls of bricks (more
 * contacts than degrees of freedom, so a singular matrix). Best of several runs, in microseconds.
 */
#include "carom/lcp.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct problem {
    char name[40];
    int n, bandwidth;
    double *M, *q;
} problem;

static uint64_t state = 88172645463325252u;

static double random_in(double low, double high)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return low + (high - low) * (double)((state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static problem take(const char *name, int n)
{
    problem p = {.n = n};
    snprintf(p.name, sizeof p.name, "%s %d", name, n);
    p.M = calloc((size_t)n * (size_t)n, sizeof *p.M);
    p.q = calloc((size_t)n, sizeof *p.q);
    if (!p.M || !p.q)
        exit(1);
    return p;
}

static problem chain(int n, bool banded)
{
    problem p = take(banded ? "chain band" : "chain", n);
    for (int i = 0; i < n; i++) {
        p.M[i + (size_t)i * n] = 2;
        if (i > 0)
            p.M[i + (size_t)(i - 1) * n] = p.M[i - 1 + (size_t)i * n] = -1;
    }
    p.q[0] = -1;
    p.bandwidth = banded;
    return p;
}

/* M = B'B / m, B m x n: definite for m >= n. */
static problem dense(int n)
{
    problem p = take("random", n);
    int m = n + n / 4 + 1;
    double *B = malloc((size_t)n * (size_t)m * sizeof *B);
    for (size_t i = 0; B && i < (size_t)n * (size_t)m; i++)
        B[i] = random_in(-1, 1);
    for (int j = 0; B && j < n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += B[k + (size_t)i * m] * B[k + (size_t)j * m];
            p.M[i + (size_t)j * n] = p.M[j + (size_t)i * n] = sum / m;
        }
    for (int i = 0; i < n; i++)
        p.q[i] = random_in(-1, 1);
    free(B);
    return p;
}

/* A wall of bricks in running bond; two contact points where bricks overlap, two under each brick
 * of the first row. All bricks fall with the same speed, plus a little noise. */
static problem wall(int rows, int columns, double noise)
{
    int bricks = rows * columns, most = 4 * bricks;
    double *W = calloc((size_t)most * 6, sizeof *W), *u = malloc((size_t)bricks * 3 * sizeof *u);
    int *body = malloc((size_t)most * 2 * sizeof *body), n = 0;
    for (int b = 0; b < 3 * bricks; b++)
        u[b] = (b % 3 == 1 ? -1 : 0) + noise * random_in(-1, 1);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            double x = 2.0 * c + (r % 2);
            for (int below = -1; below <= 1; below++) {
                int under = r % 2 ? c + (below + 1) / 2 : c - (below < 0);
                if ((r == 0 && below != 0) || (r > 0 && below == 0))
                    continue;
                if (r > 0 && (under < 0 || under >= columns))
                    continue;
                double left = r == 0 ? -1 : below < 0 ? -1 : 0, right = left + (r == 0 ? 2 : 1);
                for (int end = 0; end < 2; end++) {
                    double arm = end ? right : left;
                    body[2 * n] = r * columns + c;
                    body[2 * n + 1] = r == 0 ? -1 : (r - 1) * columns + under;
                    double xb = 2.0 * under + ((r - 1) % 2);
                    W[6 * n + 1] = 1;
                    W[6 * n + 2] = arm;
                    W[6 * n + 4] = -1;
                    W[6 * n + 5] = -(x + arm - xb);
                    n++;
                }
            }
        }
    problem p = take("wall", n);
    const double inverse[3] = {1, 1, 2.4};
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 2; a++) {
            if (body[2 * i + a] < 0)
                continue;
            for (int k = 0; k < 3; k++)
                p.q[i] += W[6 * i + 3 * a + k] * u[3 * body[2 * i + a] + k];
            for (int j = 0; j < n; j++)
                for (int c = 0; c < 2; c++)
                    if (body[2 * j + c] == body[2 * i + a])
                        for (int k = 0; k < 3; k++)
                            p.M[i + (size_t)j * n] +=
                                W[6 * i + 3 * a + k] * inverse[k] * W[6 * j + 3 * c + k];
        }
    free(W);
    free(u);
    free(body);
    return p;
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
                measure(chain(chains[i], banded), algorithm, arena);
    for (int i = 0; i < 8; i++)
        if (sizes[i] <= largest)
            measure(dense(sizes[i]), algorithm, arena);
    for (int rows = 4; rows <= 20; rows += 4)
        if (4 * rows * rows <= largest + 400)
            for (int noisy = 0; noisy < 2; noisy++)
                measure(wall(rows, rows, noisy ? 0.1 : 0), algorithm, arena);
    carom_arena_destroy(arena);
    return 0;
}
