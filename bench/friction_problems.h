/* A frictional contact problem as all contestants get it: as it was given, and, where that is by
 * bodies, also with W = H' M^-1 H in blocks, for those who know nothing else. */
#ifndef CAROM_BENCH_FRICTION_PROBLEMS_H
#define CAROM_BENCH_FRICTION_PROBLEMS_H

#include "carom/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a body has: its degrees of freedom, and its contacts with M^-1 H of each. */
typedef struct problem_body {
    int dof, count;
    int *contact;
    const double **H;
    double **V;
} problem_body;

static inline void *problem_take(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    if (!room)
        abort();
    return room;
}

/* The lower triangle of M becomes its Cholesky factor. */
static inline void problem_factor(int n, double *M)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = M[i + j * n];
            for (int k = 0; k < j; k++)
                sum -= M[i + k * n] * M[j + k * n];
            M[i + j * n] = i == j ? sqrt(sum) : sum / M[j + j * n];
        }
}

static inline void problem_backsolve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i + k * n] * x[k];
        x[i] /= L[i + i * n];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k + i * n] * x[k];
        x[i] /= L[i + i * n];
    }
}

static inline problem_body *problem_list_bodies(const carom_friction_problem *p)
{
    const carom_friction_bodies *b = &p->bodies;
    problem_body *body = problem_take((size_t)b->count, sizeof *body);
    for (int k = 0; k < b->start[p->contacts]; k++)
        body[b->body[k]].count++;
    for (int k = 0; k < b->count; k++) {
        size_t most = (size_t)body[k].count;
        body[k] = (problem_body){.dof = b->dof ? b->dof[k] : 6,
                                 .contact = problem_take(most, sizeof(int)),
                                 .H = problem_take(most, sizeof(double *)),
                                 .V = problem_take(most, sizeof(double *))};
    }
    const double *H = b->H;
    for (int c = 0; c < p->contacts; c++)
        for (int k = b->start[c]; k < b->start[c + 1]; k++) {
            problem_body *own = &body[b->body[k]];
            own->contact[own->count] = c;
            own->H[own->count++] = H;
            H += own->dof * p->dimension;
        }
    return body;
}

/* V = M^-1 H of all contacts of a body, and q += H' M^-1 f. */
static inline void problem_push(problem_body *body, int d, const double *M, const double *f,
                                double *q)
{
    size_t n = (size_t)body->dof;
    double *L = problem_take(n * n, sizeof *L), *v = problem_take(n, sizeof *v);
    memcpy(L, M, n * n * sizeof *L);
    if (f)
        memcpy(v, f, n * sizeof *v);
    problem_factor(body->dof, L);
    problem_backsolve(body->dof, L, v);
    for (int k = 0; k < body->count; k++) {
        body->V[k] = problem_take(n * (size_t)d, sizeof(double));
        memcpy(body->V[k], body->H[k], n * (size_t)d * sizeof(double));
        for (int c = 0; c < d; c++) {
            problem_backsolve(body->dof, L, body->V[k] + (size_t)c * n);
            for (size_t r = 0; r < n; r++)
                q[d * body->contact[k] + c] += body->H[k][(size_t)c * n + r] * v[r];
        }
    }
    free(L);
    free(v);
}

static inline void problem_free_bodies(problem_body *body, int count)
{
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < body[k].count; i++)
            free(body[k].V[i]);
        free(body[k].contact);
        free(body[k].H);
        free(body[k].V);
    }
    free(body);
}

/* Row i of W: blocks are found through `place` (contacts; -1: none yet), and added to. */
static inline int problem_row(const carom_friction_problem *p, const problem_body *body, int i,
                              int *place, int *column, double *value)
{
    int d = p->dimension, found = 0;
    for (int k = p->bodies.start[i]; k < p->bodies.start[i + 1]; k++) {
        const problem_body *own = &body[p->bodies.body[k]];
        int me = 0;
        while (own->contact[me] != i)
            me++;
        for (int other = 0; other < own->count; other++) {
            int j = own->contact[other];
            if (place[j] < 0) {
                place[j] = found;
                column[found++] = j;
            }
            double *B = value + d * d * place[j];
            for (int c = 0; c < d * d; c++)
                for (int r = 0; r < own->dof; r++)
                    B[c] += own->H[me][c % d * own->dof + r] * own->V[other][c / d * own->dof + r];
        }
    }
    for (int k = 0; k < found; k++)
        place[column[k]] = -1;
    return found;
}

/* The same problem with W in blocks. */
static inline carom_friction_problem problem_local(const carom_friction_problem *p)
{
    int d = p->dimension, nc = p->contacts;
    problem_body *body = problem_list_bodies(p);
    double *q = problem_take((size_t)(d * nc), sizeof *q);
    memcpy(q, p->q, (size_t)(d * nc) * sizeof *q);
    const double *M = p->bodies.M, *f = p->bodies.f;
    size_t room = 0;
    for (int k = 0; k < p->bodies.count; k++) {
        problem_push(&body[k], d, M, f, q);
        M += body[k].dof * body[k].dof;
        f = f ? f + body[k].dof : NULL;
        room += (size_t)body[k].count * (size_t)body[k].count;
    }
    int *start = problem_take((size_t)nc + 1, sizeof *start);
    int *column = problem_take(room, sizeof *column),
        *place = problem_take((size_t)nc, sizeof *place);
    double *value = problem_take(room * (size_t)(d * d), sizeof *value);
    for (int i = 0; i < nc; i++)
        place[i] = -1;
    for (int i = 0; i < nc; i++)
        start[i + 1] = start[i] + problem_row(p, body, i, place, column + start[i],
                                              value + (size_t)start[i] * (size_t)(d * d));
    problem_free_bodies(body, p->bodies.count);
    free(place);
    return (carom_friction_problem){.contacts = nc,
                                    .dimension = d,
                                    .mu = p->mu,
                                    .form = CAROM_FRICTION_BLOCKS,
                                    .blocks = {start, column, value},
                                    .q = q};
}

static inline void problem_free_local(carom_friction_problem *p)
{
    free((int *)p->blocks.start);
    free((int *)p->blocks.column);
    free((double *)p->blocks.value);
    free((double *)p->q);
}

#endif
