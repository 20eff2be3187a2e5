/* At most one outcome? (docs/theory/instant.md, "Uniqueness".) */
#include "carom/tolerance.h"
#include "solver/instant.h"

#include <math.h>

#include "base/short_loops.h"

/* Beyond this many rows the elimination would cost more than the search it saves. */
enum { LARGEST = 400 };

/* A in the order slips, normals; the number of slips. */
static int reorder(const carom_instant *f, int *order, double *Q)
{
    int N = f->N, slips = N - f->p;
    for (int i = 0, k = 0; i < f->p; i++) {
        order[slips + i] = f->row[i];
        for (int r = f->row[i] + 1; r < f->row[i + 1]; r++)
            order[k++] = r;
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            Q[i + (size_t)j * N] = f->W[order[i] + (size_t)order[j] * N];
    return slips;
}

/* The largest row sum of the slip block bounds its largest eigenvalue. */
static double slip_bound(int N, int slips, const double *Q)
{
    double top = 0;
    for (int j = 0; j < slips; j++) {
        double sum = 0;
        for (int i = 0; i < slips; i++)
            sum += fabs(Q[i + (size_t)j * N]);
        top = sum > top ? sum : top;
    }
    return top;
}

/* Cholesky's elimination in the lower triangle: all pivots of normals positive? Slips may be
 * dependent: a pivot of theirs that vanishes must have nothing beside it. */
static bool is_positive(int N, int slips, double *Q)
{
    for (int k = 0; k < N; k++) {
        double *Qk = Q + (size_t)k * N, pivot = Qk[k];
        bool zero = k < slips && pivot <= CAROM_TOLERANCE_SOLVED;
        if (k >= slips && !(pivot > CAROM_TOLERANCE_HALF))
            return false;
        for (int j = k + 1; j < N; j++) {
            if (zero && fabs(Qk[j]) > CAROM_TOLERANCE_SOLVED)
                return false;
            if (zero || Qk[j] == 0)
                continue;
            double share = Qk[j] / pivot;
            for (int i = j; i < N; i++)
                Q[i + (size_t)j * N] -= share * Qk[i];
        }
    }
    return true;
}

carom_status carom_instant_unique(const carom_instant *problem, carom_arena *arena, bool *proved,
                                  carom_error *error)
{
    const carom_instant *f = problem;
    size_t N = (size_t)f->N;
    *proved = false;
    for (int i = 0; i < f->p; i++)
        if (f->row[i + 1] - f->row[i] > 1 && !(isfinite(f->mu_s[i]) && f->mu_d[i] == f->mu_s[i]))
            return CAROM_OK;
    if (f->N > LARGEST || !f->symmetric)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    double *Q = carom_arena_doubles(arena, N * N);
    int *order = carom_arena_array(arena, N, sizeof *order);
    if (!Q || !order)
        return carom_error_memory(error);
    int slips = reorder(f, order, Q);
    double quarter = 0.25 * slip_bound(f->N, slips, Q);
    for (int i = 0; i < f->p; i++)
        if (f->row[i + 1] > f->row[i] + 1)
            Q[(size_t)(slips + i) * (N + 1)] -= quarter * f->mu_s[i] * f->mu_s[i];
    *proved = is_positive(f->N, slips, Q);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
