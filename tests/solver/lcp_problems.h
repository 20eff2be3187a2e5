/* Random LCPs of every kind for the tests of the solvers. */
#ifndef CAROM_TESTS_SOLVER_LCP_PROBLEMS_H
#define CAROM_TESTS_SOLVER_LCP_PROBLEMS_H

#include "carom/lcp.h"
#include "check.h"

enum { MOST = 40 };

typedef struct problem {
    int n;
    bool symmetric;
    double M[MOST * MOST], q[MOST];
    double q_size[MOST]; /* magnitude of the terms of q */
} problem;

static inline carom_lcp problem_lcp(const problem *p)
{
    return (carom_lcp){
        .n = p->n, .M = p->M, .q = p->q, .symmetric = p->symmetric, .q_size = p->q_size};
}

static inline carom_lcp_info problem_solve(const problem *p, carom_lcp_algorithm algorithm,
                                           carom_arena *arena, double *z, double *w)
{
    carom_lcp lcp = problem_lcp(p);
    carom_lcp_options options = {.algorithm = algorithm};
    carom_lcp_info info;
    carom_error error = {0};
    check_ok(carom_lcp_solve(&lcp, &options, arena, z, w, &info, &error), &error);
    return info;
}

/* M = B'B with B rank x n, q anything. */
static inline void problem_semidefinite(problem *p, check_random *r, int n, int rank)
{
    double B[MOST * 2 * MOST];
    for (int i = 0; i < rank * n; i++)
        B[i] = check_random_in(r, -1, 1);
    p->n = n;
    p->symmetric = true;
    for (int i = 0; i < n; i++) {
        p->q[i] = check_random_in(r, -1, 1);
        p->q_size[i] = 0;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += B[k + i * rank] * B[k + j * rank];
            p->M[i + j * n] = sum;
        }
    }
}

/* Puts q in the range of M: the problem is solvable. */
static inline void problem_make_solvable(problem *p, check_random *r)
{
    double x[MOST];
    for (int i = 0; i < p->n; i++)
        x[i] = check_random_in(r, -1, 1);
    for (int i = 0; i < p->n; i++) {
        p->q[i] = p->q_size[i] = 0;
        for (int j = 0; j < p->n; j++) {
            p->q[i] += p->M[i + j * p->n] * x[j];
            p->q_size[i] += fabs(p->M[i + j * p->n] * x[j]);
        }
    }
}

/* A P-matrix: (random strictly diagonally dominant by rows) times positive diagonals, or triangular
 * with a positive diagonal, or definite plus skew. */
static inline void problem_p_matrix(problem *p, check_random *r, int n)
{
    int kind = check_random_int(r, 3);
    problem_semidefinite(p, r, n, n + 2);
    p->symmetric = false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = check_random_in(r, -3, 3);
            if (kind == 0) { /* definite plus skew */
                p->M[i + j * n] += a;
                p->M[j + i * n] -= a;
            } else if (kind == 1) { /* triangular */
                p->M[i + j * n] = a;
                p->M[j + i * n] = 0;
            } else { /* dominant */
                p->M[i + j * n] = a / n;
                p->M[j + i * n] = check_random_in(r, -3, 3) / n;
            }
        }
    for (int i = 0; kind > 0 && i < n; i++)
        p->M[i + i * n] = kind == 1 ? check_random_in(r, .1, 2) : check_random_in(r, 3, 4);
}

/* M z -> R M C z, q -> R q * size: the same problem in other units. */
static inline void problem_rescale(const problem *p, const double *row, const double *column,
                                   double size, problem *out)
{
    int n = p->n;
    *out = *p;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            out->M[i + j * n] = row[i] * p->M[i + j * n] * column[j];
        out->q[j] = row[j] * p->q[j] * size;
        out->q_size[j] = row[j] * p->q_size[j] * size;
    }
}

#endif
