/* The LCPs that are measured: chains of touching balls, random definite matrices, walls of bricks
 * (more contacts than degrees of freedom, so a singular matrix), and files. */
#ifndef CAROM_BENCH_LCP_PROBLEMS_H
#define CAROM_BENCH_LCP_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct problem {
    char name[60];
    int n, bandwidth;
    bool symmetric, singular;
    double *M, *q;
} problem;

static uint64_t problem_state = 88172645463325252u;

static inline double problem_random(double low, double high)
{
    problem_state ^= problem_state >> 12;
    problem_state ^= problem_state << 25;
    problem_state ^= problem_state >> 27;
    return low + (high - low) * (double)((problem_state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

static inline problem problem_take(const char *name, int n)
{
    problem p = {.n = n, .symmetric = true};
    snprintf(p.name, sizeof p.name, "%s %d", name, n);
    p.M = calloc((size_t)n * (size_t)n, sizeof *p.M);
    p.q = calloc((size_t)n, sizeof *p.q);
    if (!p.M || !p.q)
        exit(1);
    return p;
}

static inline void problem_free(problem *p)
{
    free(p->M);
    free(p->q);
    *p = (problem){0};
}

/* M = B'B/m for a B of m rows and n columns. */
static inline void problem_square(int m, int n, const double *B, double *M)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += B[k + (size_t)i * m] * B[k + (size_t)j * m];
            M[i + (size_t)j * n] = M[j + (size_t)i * n] = sum / m;
        }
}

/* n contacts between n + 1 equal balls, the first ball moving. */
static inline problem problem_chain(int n, bool banded)
{
    problem p = problem_take(banded ? "chain (banded)" : "chain", n);
    for (int i = 0; i < n; i++) {
        p.M[i + (size_t)i * n] = 2;
        if (i > 0)
            p.M[i + (size_t)(i - 1) * n] = p.M[i - 1 + (size_t)i * n] = -1;
    }
    p.q[0] = -1;
    p.bandwidth = banded;
    return p;
}

/* M = B'B / m with B m x n: definite for m >= n, else of rank m with q in its range, so that
 * solutions exist but are not unique. */
static inline problem problem_gram(const char *name, int n, int m)
{
    problem p = problem_take(name, n);
    p.singular = m < n;
    double *B = malloc((size_t)n * (size_t)m * sizeof *B), *u = malloc((size_t)m * sizeof *u);
    if (!B || !u)
        exit(1);
    for (size_t i = 0; i < (size_t)n * (size_t)m; i++)
        B[i] = problem_random(-1, 1);
    for (int k = 0; k < m; k++)
        u[k] = problem_random(-1, 1);
    problem_square(m, n, B, p.M);
    for (int i = 0; i < n; i++) {
        p.q[i] = m >= n ? problem_random(-1, 1) : 0;
        for (int k = 0; k < m && m < n; k++)
            p.q[i] += B[k + (size_t)i * m] * u[k];
    }
    free(B);
    free(u);
    return p;
}

static inline problem problem_dense(int n)
{
    return problem_gram("random definite", n, n + n / 4 + 1);
}

static inline problem problem_dependent(int n)
{
    return problem_gram("random dependent", n, n / 2);
}

/* A wall of bricks in running bond; two contact points where bricks overlap, two under each brick
 * of the first row. All bricks fall with the same speed, plus a little noise. */
static inline problem problem_wall(int rows, int columns, double noise)
{
    int bricks = rows * columns, most = 4 * bricks;
    double *W = calloc((size_t)most * 6, sizeof *W), *u = malloc((size_t)bricks * 3 * sizeof *u);
    int *body = malloc((size_t)most * 2 * sizeof *body), n = 0;
    for (int b = 0; b < 3 * bricks; b++)
        u[b] = (b % 3 == 1 ? -1 : 0) + noise * problem_random(-1, 1);
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
    problem p = problem_take(noise > 0 ? "wall with noise" : "wall", n);
    p.singular = true;
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

#endif
