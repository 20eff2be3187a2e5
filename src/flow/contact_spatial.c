/* The contact problem with spatial contacts at rest: stick if it can, else by the impact law. */
#include "flow/contact_spatial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/contact_instant.h"
#include "flow/contact_rows.h"
#include "law/coulomb.h"

/* Can all candidates (without those flagged in open, unless it is NULL) stay closed and those at
 * rest stick (blunt: as in carom_contact_rows_distribute)? Then x and w are filled. */
static bool hold(carom_contact_parts *P, const unsigned char *open, bool blunt)
{
    for (int k = 0; k < P->contacts; k++) {
        P->closed[k] = !open || !open[k];
        P->stuck[k] = P->closed[k] && P->treatment[k] == CAROM_CONTACT_PARTS_REST;
        P->x[k] = 0;
    }
    carom_contact_rows_choose(P);
    bool found = carom_contact_rows_distribute(P, blunt);
    for (int k = 0; k < P->contacts && found; k++)
        found = P->closed[k] || P->w[k] >= -P->tolerance[k]; /* what was left out opens */
    return found;
}

/* The problem in the form of the impact law, with the coefficients in force. */
static carom_status state(const carom_contact_parts *P, carom_arena *scratch,
                          carom_contact_instant *instant, carom_coulomb *f, carom_error *error)
{
    const size_t p = (size_t)P->contacts;
    carom_status status = carom_contact_instant_state(P, scratch, instant, error);
    const carom_instant *i = &instant->problem;
    *f = (carom_coulomb){.p = i->p, .N = i->N, .sided = true};
    f->contact = carom_arena_array(scratch, p, sizeof *f->contact);
    f->equality = carom_arena_zeros(scratch, p, sizeof *f->equality);
    f->mu_s = carom_arena_doubles(scratch, p);
    if (status != CAROM_OK || !f->contact || !f->equality || !f->mu_s)
        return status != CAROM_OK ? status : carom_error_memory(error);
    f->row = (int *)i->row; /* the methods used here write to none of these */
    f->A = (double *)i->W;
    f->b = (double *)i->q;
    f->scale = instant->scale;
    f->mu_d = f->mu_s;
    for (int k = 0; k < P->contacts; k++) {
        f->contact[k] = k;
        f->mu_s[k] = i->mu_s[k];
    }
    f->floor = CAROM_TOLERANCE_SUM * carom_coulomb_size(f, NULL);
    return CAROM_OK;
}

/* Of a force and the acceleration of its gap, both in kinetic units, one is zero: the lesser. A
 * contact that opens with a force of rounding would be held. */
static void complement(carom_contact_parts *P)
{
    for (int k = 0; k < P->contacts; k++) {
        const double norm = P->norm[k] > 0 ? P->norm[k] : 1;
        if (!(P->w[k] / norm > P->x[k] * norm))
            continue;
        P->x[k] = 0;
        for (int i = P->slip[k]; i < P->slip[k + 1]; i++)
            P->x[i] = 0;
    }
    carom_contact_parts_accelerations(P);
}

/* From the forces x, which would hold all that is at rest. */
static carom_status find(carom_contact_parts *P, carom_arena *scratch, double *residual,
                         carom_error *error)
{
    carom_coulomb f;
    carom_contact_instant instant;
    bool none;
    double *x = carom_arena_doubles(scratch, (size_t)P->rows);
    if (!x)
        return carom_error_memory(error);
    carom_status status = state(P, scratch, &instant, &f, error);
    const int *order = instant.order;
    for (int i = 0; i < P->rows && status == CAROM_OK; i++)
        x[i] = P->x[order[i]] * f.scale[i];
    if (status == CAROM_OK)
        status = carom_coulomb_find(&f, scratch, x, residual, &none, error);
    for (int i = 0; i < P->rows && status == CAROM_OK; i++)
        P->x[order[i]] = x[i] / f.scale[i];
    if (status == CAROM_OK) {
        carom_contact_parts_accelerations(P);
        complement(P);
    }
    return status;
}

carom_status carom_contact_spatial_solve(carom_contact_parts *P, carom_arena *scratch,
                                         carom_contact_problem_answer *answer, carom_error *error)
{
    double residual;
    if (hold(P, NULL, false))
        return CAROM_OK;
    carom_status status = find(P, scratch, &residual, error);
    if (status != CAROM_OK)
        return status;
    unsigned char *open = carom_arena_zeros(scratch, (size_t)P->contacts, 1);
    double *x = carom_arena_doubles(scratch, 2 * (size_t)P->rows);
    if (!open || !x)
        return carom_error_memory(error);
    bool opens = false, slips = false;
    for (int k = 0; k < P->contacts; k++) {
        open[k] = !(P->x[k] > 0) && P->w[k] > P->tolerance[k];
        opens = opens || open[k];
        slips = slips || (!open[k] && carom_contact_parts_slipping(P, k) > 0);
    }
    const bool clear = slips && residual <= CAROM_TOLERANCE_SIGN;
    if (opens || !clear) { /* those that stay may still stick, which goes before slip */
        memcpy(x, P->x, sizeof *x * (size_t)P->rows);
        memcpy(x + P->rows, P->w, sizeof *x * (size_t)P->rows);
        if (hold(P, open, !clear))
            return CAROM_OK;
        memcpy(P->x, x, sizeof *x * (size_t)P->rows);
        memcpy(P->w, x + P->rows, sizeof *x * (size_t)P->rows);
    }
    if (residual > CAROM_TOLERANCE_SIGN) {
        answer->class = CAROM_CONTACT_PROBLEM_UNSOLVED;
        snprintf(answer->text, sizeof answer->text,
                 "unsolved: contact problem of %d closed contacts with spatial friction, residual "
                 "%.3g",
                 P->contacts, residual);
    }
    return CAROM_OK;
}
