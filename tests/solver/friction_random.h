/* Random frictional contact problems with a given rank, range of friction and ratio of masses, for
 * tests: W = G'G with G of so many rows as the rank. */
#ifndef CAROM_TESTS_FRICTION_RANDOM_H
#define CAROM_TESTS_FRICTION_RANDOM_H

#include "carom/friction.h"
#include "check.h"

enum { RANDOM_CONTACTS = 24, RANDOM_ROWS = 3 * RANDOM_CONTACTS };

typedef struct random_problem {
    int n, rows[RANDOM_CONTACTS];
    bool bilateral[RANDOM_CONTACTS];
    double W[RANDOM_ROWS * RANDOM_ROWS], q[RANDOM_ROWS], mu[RANDOM_CONTACTS];
    double G[RANDOM_ROWS * RANDOM_ROWS];
    carom_friction_problem problem;
} random_problem;

typedef struct random_family {
    int contacts, dimension; /* dimension 0: one to three rows, mixed */
    double rank;             /* of W, as a share of the rows */
    double mu;               /* largest coefficient of friction; some contacts have none */
    double ratio;            /* of the largest to the least mass */
    double bilateral;        /* share of such contacts */
    bool feasible;           /* some velocities have u_N > 0, u = 0 on bilateral rows */
} random_family;

/* q = G'v + (something inside the dual cones): then a solution exists. */
static inline void random_make(random_problem *p, const random_family *f, check_random *r)
{
    int n = 0;
    for (int i = 0; i < f->contacts; i++) {
        p->rows[i] = f->dimension ? f->dimension : 1 + check_random_int(r, 3);
        p->mu[i] = check_random_int(r, 5) ? check_random_in(r, 0, f->mu) : 0;
        p->bilateral[i] = check_random_in(r, 0, 1) < f->bilateral;
        n += p->rows[i];
    }
    p->n = n;
    int rank = (int)(f->rank * n + 0.5);
    rank = rank < 1 ? 1 : rank;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < rank; k++)
            p->G[k + j * rank] =
                check_random_in(r, -1, 1) * pow(f->ratio, -0.5 * (double)(k % 7) / 6);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += p->G[k + i * rank] * p->G[k + j * rank];
            p->W[i + j * n] = sum;
        }
    double v[RANDOM_ROWS];
    for (int k = 0; k < rank; k++)
        v[k] = check_random_in(r, -1, 1);
    for (int i = 0, row = 0; i < f->contacts; row += p->rows[i++]) {
        double slip = 0;
        for (int k = p->rows[i] - 1; k >= 0; k--) {
            double u = f->feasible ? 0 : check_random_in(r, -1, 1);
            if (f->feasible && !p->bilateral[i] && check_random_int(r, 3))
                u = k > 0 ? check_random_in(r, -0.1, 0.1)
                          : check_random_in(r, 0, 0.1) + p->mu[i] * slip;
            slip += fabs(u);
            p->q[row + k] = u;
            for (int l = 0; l < rank; l++)
                p->q[row + k] -= p->G[l + (row + k) * rank] * v[l];
        }
    }
    p->problem = (carom_friction_problem){.contacts = f->contacts,
                                          .rows = p->rows,
                                          .mu = p->mu,
                                          .bilateral = p->bilateral,
                                          .W = p->W,
                                          .q = p->q};
}

/* Two to sixteen contacts in the plane or in space whose reactions and velocities are drawn first,
 * open, sticking or sliding; W = G'G of any rank, q = u - W r. A solution is known, whether or not
 * other reactions can grow without bound. */
static inline void random_known(random_problem *p, check_random *random)
{
    const int d = check_random_int(random, 3) ? 3 : 2, count = 2 + check_random_int(random, 15);
    const int n = p->n = d * count, rank = 1 + check_random_int(random, n);
    const double rough = check_random_int(random, 2) ? 1 : check_random_int(random, 2) ? 0.3 : 4;
    double r[RANDOM_ROWS] = {0}, u[RANDOM_ROWS] = {0};
    for (int k = 0; k < rank * n; k++)
        p->G[k] = check_random_in(random, -1, 1);
    for (int i = 0; i < count; i++) {
        const int mode = check_random_int(random, 3);
        const double side = check_random_int(random, 2) ? 1 : -1,
                     size = check_random_in(random, 0, 1);
        const double turn = d == 3 ? check_random_in(random, -1.6, 1.6) : 0;
        const double along[3] = {0, side * cos(turn), side * sin(turn)};
        p->rows[i] = d;
        p->bilateral[i] = false;
        p->mu[i] = check_random_in(random, 0, rough);
        r[d * i] = mode ? check_random_in(random, 0, 2) : 0;
        u[d * i] = mode ? 0 : check_random_in(random, 0, 1);
        for (int k = 1; k < d; k++) {
            r[d * i + k] = -(mode == 1 ? size : 1) * p->mu[i] * r[d * i] * along[k];
            u[d * i + k] = mode == 1 ? 0 : size * along[k];
        }
    }
    for (int i = 0; i < n; i++) {
        p->q[i] = u[i];
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += p->G[k + i * rank] * p->G[k + j * rank];
            p->W[i + j * n] = sum;
            p->q[i] -= sum * r[j];
        }
    }
    p->problem = (carom_friction_problem){
        .contacts = count, .rows = p->rows, .mu = p->mu, .W = p->W, .q = p->q};
}

#endif
