/* Solves the contact problem of a time step: by the envelope, or by the general solver. */
#include "flow/step_solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "flow/step_friction.h"
#include "linalg/dense.h"
#include "solver/exchange.h"

enum {
    ROUNDS = 100, /* of block pivoting, then the general solver */
    CHANCES = 3,  /* exchanges that need not lower the number of wrong signs */
    REFINED = 12, /* corrections of impulses whose D is not symmetric */
};

static const double SHIFT = 1e-7; /* of the diagonal, where one does not */

void carom_step_solve_rates(carom_step_contact *c)
{
    double *v = c->scattered, *s = c->scattered_size;
    for (int r = 0; r < c->total; r++) {
        const int k = c->row[r];
        for (int i = c->resp_start[k]; c->P[r] != 0 && i < c->resp_start[k + 1]; i++) {
            const double term = c->P[r] * c->resp[i];
            v[c->resp_index[i]] += term;
            s[c->resp_index[i]] += fabs(term);
        }
    }
    for (int r = 0; r < c->total; r++) {
        const int k = c->row[r];
        c->w[r] = c->b[r];
        c->size[r] = fabs(c->b[r]);
        for (int e = c->rows.start[k]; e < c->rows.start[k + 1]; e++) {
            const int i = c->rows.index[e];
            c->w[r] += c->rows.value[e] * v[i];
            c->size[r] += fabs(c->rows.value[e]) * s[i];
        }
    }
    for (int r = 0; r < c->total; r++)
        for (int i = c->resp_start[c->row[r]]; i < c->resp_start[c->row[r] + 1]; i++)
            v[c->resp_index[i]] = s[c->resp_index[i]] = 0;
}

/* The same from D, which is symmetric. */
static void rates_from_matrix(carom_step_contact *c)
{
    for (int i = 0; i < c->total; i++) {
        const double *Di = c->D.value + c->start[i], Pi = c->P[i];
        double w = c->b[i] + Di[i] * Pi, size = fabs(c->b[i]) + fabs(Di[i] * Pi);
        for (int j = c->first[i]; j < i; j++) {
            const double left = Di[j] * c->P[j], below = Di[j] * Pi;
            w += left;
            size += fabs(left);
            c->w[j] += below;
            c->size[j] += fabs(below);
        }
        c->w[i] = w;
        c->size[i] = size;
    }
}

/* The rows and columns of D in the set into L, their diagonal times 1 + shift. */
static void copy_set(carom_step_contact *c, int k, double shift)
{
    if (k == c->total)
        memcpy(c->L, c->D.value, sizeof(double) * (size_t)(c->start[k - 1] + k));
    else
        for (int a = 0; a < k; a++) {
            const double *Di = c->D.value + c->start[c->set[a]];
            double *La = c->L + c->L_start[a];
            for (int b = c->L_first[a]; b <= a; b++)
                La[b] = Di[c->set[b]];
        }
    for (int a = 0; a < k && shift > 0; a++)
        c->L[c->L_start[a] + a] *= 1 + shift;
}

/* The factor of the set into L, with a shift when its rows are dependent, or nearly so. */
static bool factor_set(carom_step_contact *c, int k, carom_envelope *L)
{
    int rank = 0;
    *L = (carom_envelope){k, c->L_first, c->L_start, c->L};
    if (k == 0 || (c->L_valid && memcmp(c->L_in, c->in, (size_t)c->total) == 0))
        return true;
    for (int i = 0; i < c->total; i++) {
        c->rank[i] = rank;
        rank += c->in[i];
    }
    for (int a = 0; a < k; a++)
        c->L_first[a] = c->rank[c->first[c->set[a]]];
    carom_envelope_lay_out(k, c->L_first, c->L_start);
    copy_set(c, k, 0);
    memcpy(c->L_in, c->in, (size_t)c->total);
    c->L_shifted = carom_envelope_factor(L, CAROM_TOLERANCE_RANK) != 0;
    if (c->L_shifted)
        copy_set(c, k, SHIFT);
    c->L_valid = !c->L_shifted || carom_envelope_factor(L, 0) == 0;
    return c->L_valid;
}

/* Impulses of the set so that its rows vanish, and the rates of all rows. Where L is the factor of
 * a neighbour of D only (D is not symmetric, rows are dependent), corrections follow until the rows
 * vanish all the same; of dependent rows that gives the impulses of least norm, scaled by D_ii. */
static bool solve_set(carom_step_contact *c, int k)
{
    carom_envelope L;
    if (!factor_set(c, k, &L))
        return false;
    memset(c->P, 0, sizeof(double) * (size_t)c->total);
    double last = INFINITY;
    for (int round = 0; round < REFINED; round++) {
        for (int a = 0; a < k; a++)
            c->x[a] = round == 0 ? -c->b[c->set[a]] : -c->w[c->set[a]];
        carom_envelope_solve(&L, c->x);
        for (int a = 0; a < k; a++)
            c->P[c->set[a]] += c->x[a];
        if (c->response->implicit)
            carom_step_solve_rates(c);
        else
            rates_from_matrix(c);
        if (!c->response->implicit && !c->L_shifted)
            return true;
        double worst = 0;
        for (int a = 0; a < k; a++)
            worst = fmax(worst, fabs(c->w[c->set[a]]) / fmax(c->size[c->set[a]], DBL_MIN));
        if (worst <= 4 * DBL_EPSILON || (worst <= CAROM_TOLERANCE_REFINED && worst >= 0.1 * last))
            return true;
        if (!(worst < last))
            return false;
        last = worst;
    }
    return false;
}

/* Block pivoting from the contacts that pushed last time or do not separate, so that a column at
 * rest need not be climbed contact by contact; when exchanges do not help any more, of the last row
 * with a wrong sign alone (Murty), which ends for positive definite matrices. */
static bool pivot_in_blocks(carom_step_contact *c)
{
    carom_exchange exchange = carom_exchange_begin(CHANCES);
    const double still = CAROM_TOLERANCE_CARRIED * carom_dense_max(c->total, c->b);
    for (int i = 0; i < c->total; i++)
        c->in[i] = c->carried[c->contact[i]] != 0 || c->b[i] <= still;
    for (int round = 0; round < ROUNDS; round++) {
        int k = 0, wrong = 0, last = 0;
        for (int i = 0; i < c->total; i++)
            if (c->in[i])
                c->set[k++] = i;
        if (!solve_set(c, k))
            return false;
        for (int i = 0; i < c->total; i++)
            if (c->in[i] ? c->P[i] < 0 : c->w[i] < -4 * DBL_EPSILON * c->size[i]) {
                c->set[wrong++] = i;
                last = i;
            }
        if (wrong == 0)
            return true;
        if (!carom_exchange_all(&exchange, wrong)) {
            c->in[last] ^= 1;
            continue;
        }
        for (int a = 0; a < wrong; a++)
            c->in[c->set[a]] ^= 1;
    }
    return false;
}

/* The general solver, for what block pivoting leaves. */
static carom_status solve_lcp(carom_step_contact *c, double tolerance, carom_arena *scratch,
                              double *residual, carom_error *error)
{
    const size_t r = (size_t)c->total;
    carom_mark mark = carom_arena_mark(scratch);
    double *D = carom_arena_array(scratch, r * r, sizeof(double));
    if (!D)
        return carom_error_memory(error);
    carom_lcp lcp = {.n = c->total, .M = D, .q = c->b, .symmetric = !c->response->implicit};
    carom_lcp_info info;
    carom_step_contact_dense(c, D);
    for (int i = 0; i < c->total; i++)
        lcp.bandwidth = i - c->first[i] > lcp.bandwidth ? i - c->first[i] : lcp.bandwidth;
    carom_status status = carom_lcp_solve(&lcp, NULL, scratch, c->P, NULL, &info, error);
    carom_arena_rewind(scratch, mark);
    *residual = info.outcome == CAROM_LCP_SOLVED ? 0 : fmax(info.residual, 2 * tolerance);
    return status;
}

void carom_step_solve_polish(carom_step_contact *c, double *velocity)
{
    if (!c->on_set)
        return;
    const double small = CAROM_TOLERANCE_SUM * carom_dense_max(c->total, c->b);
    for (int round = 0; round < 3; round++) {
        double worst = 0;
        int k = 0;
        for (int r = 0; r < c->total; r++) {
            if (!c->in[r])
                continue;
            const double w = c->offset[r] + carom_step_contact_rate(c, r, velocity);
            worst = fabs(w) > worst ? fabs(w) : worst;
            c->x[k++] = -w;
        }
        if (worst <= small)
            return;
        const carom_envelope L = {k, c->L_first, c->L_start, c->L};
        carom_envelope_solve(&L, c->x);
        for (int r = 0, a = 0; r < c->total; r++)
            if (c->in[r]) {
                c->P[r] += c->x[a];
                carom_step_contact_push(c, r, c->x[a++], velocity);
            }
    }
}

carom_status carom_step_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                              double *residual, carom_error *error)
{
    *residual = 0;
    c->on_set = false;
    if (c->count == 0)
        return CAROM_OK;
    if (c->total > c->count)
        return carom_step_friction_solve(c, tolerance, scratch, residual, error);
    if (c->count == 1) {
        c->P[0] = c->b[0] < 0 ? -c->b[0] / c->D.value[0] : 0;
        return CAROM_OK;
    }
    c->on_set = pivot_in_blocks(c);
    return c->on_set ? CAROM_OK : solve_lcp(c, tolerance, scratch, residual, error);
}
