/* A problem of friction in contact space with its storage: A = J'J, columns of J of unit length. */
#ifndef CAROM_TESTS_LAW_CONTACT_SPACE_H
#define CAROM_TESTS_LAW_CONTACT_SPACE_H

#include "check.h"
#include "law/coulomb.h"

#include <math.h>

enum { SPACE_P = 5, SPACE_N = 12, SPACE_DIMENSIONS = 14 };

typedef struct contact_space {
    carom_coulomb f;
    int row[SPACE_P + 1], contact[SPACE_P];
    double A[SPACE_N * SPACE_N], b[SPACE_N], scale[SPACE_N], mu[SPACE_P], mu_d[SPACE_P];
    bool equality[SPACE_P];
} contact_space;

/* p contacts of `rows` rows each, from columns of J (d numbers each, not scaled yet); b, mu and
 * mu_d are the caller's. */
static inline void contact_space_set(contact_space *c, int p, int rows, int d, double *J)
{
    const int n = rows * p;
    assert_true(p <= SPACE_P && n <= SPACE_N && d <= SPACE_DIMENSIONS);
    for (int k = 0; k < n; k++) {
        double norm = 0;
        for (int i = 0; i < d; i++)
            norm += J[i + k * d] * J[i + k * d];
        for (int i = 0; i < d && norm > 0; i++)
            J[i + k * d] /= sqrt(norm);
        c->scale[k] = 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c->A[i + j * n] = 0;
            for (int k = 0; k < d; k++)
                c->A[i + j * n] += J[k + i * d] * J[k + j * d];
        }
    for (int i = 0; i < p; i++) {
        c->row[i + 1] = rows * (i + 1);
        c->contact[i] = i;
    }
    c->f = (carom_coulomb){.p = p,
                           .N = n,
                           .row = c->row,
                           .contact = c->contact,
                           .A = c->A,
                           .b = c->b,
                           .scale = c->scale,
                           .mu_s = c->mu,
                           .mu_d = c->mu_d,
                           .equality = c->equality,
                           .floor = 1e-14};
}

#endif
