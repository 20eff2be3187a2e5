/* The contact problem of the parts as contacts at one instant. */
#include "flow/contact_instant.h"

#include <math.h>

/* The coefficients of friction of candidate k: what is at rest may stick with the static one; what
 * has started to slip, with the dynamic one, keeps it. */
static void find_friction(const carom_contact_parts *P, int k, double *mu_s, double *mu_d)
{
    const carom_contact *c = &P->shape->contacts[P->contact[k]];
    const bool rough = P->slip[k] < P->slip[k + 1];
    *mu_s = !rough ? 0 : P->started[k] ? c->friction_dynamic : c->friction_static;
    *mu_d = rough ? c->friction_dynamic : 0;
}

carom_status carom_contact_instant_state(const carom_contact_parts *P, carom_arena *scratch,
                                         carom_contact_instant *instant, carom_error *error)
{
    const size_t p = (size_t)P->contacts, N = (size_t)P->rows;
    int *row = carom_arena_array(scratch, p + 1 + N, sizeof *row);
    double *W = carom_arena_doubles(scratch, N * N + 2 * N + 2 * p);
    if (!row || !W)
        return carom_error_memory(error);
    double *q = W + N * N, *norm = q + N, *mu_s = norm + N, *mu_d = mu_s + p;
    carom_contact_instant made = {.order = row + p + 1, .scale = norm};
    bool symmetric = true;
    row[0] = 0;
    for (int k = 0; k < P->contacts; k++) {
        int r = row[k];
        made.order[r++] = k;
        for (int i = P->slip[k]; i < P->slip[k + 1]; i++)
            made.order[r++] = i;
        row[k + 1] = r;
        find_friction(P, k, &mu_s[k], &mu_d[k]);
        symmetric = symmetric && !P->motion->sliding[P->contact[k]];
    }
    double floor = 0;
    for (size_t j = 0; j < N; j++) {
        const int from = made.order[j];
        q[j] = P->b[from];
        norm[j] = P->norm[from];
        if (norm[j] > 0)
            floor = fmax(floor, P->tolerance[from] / norm[j]);
        for (size_t i = 0; i < N; i++)
            W[i + j * N] = P->A[made.order[i] + (size_t)from * N];
    }
    carom_instant_scale(P->contacts, row, W, q, mu_s, mu_d, norm);
    made.problem = (carom_instant){.p = P->contacts,
                                   .N = P->rows,
                                   .row = row,
                                   .W = W,
                                   .q = q,
                                   .mu_s = mu_s,
                                   .mu_d = mu_d,
                                   .floor = floor,
                                   .symmetric = symmetric};
    *instant = made;
    return CAROM_OK;
}
