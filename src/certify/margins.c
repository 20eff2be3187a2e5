/* Largest scaling of E, largest box of diagonal E (docs/theory/admissible.md). */
#include "certify/normal.h"
#include "linalg/spectrum.h"

#include <math.h>
#include <string.h>

enum { BOX_ALL = 12, BOX_APPROACHING = 8 };

/* Largest eigenvalue of K_SS G_SS: the largest of x'K_SS x / x'(G_SS)^-1 x. */
static carom_status largest_share(const carom_normal *m, int count, const int *set,
                                  carom_arena *arena, double *share, carom_error *error)
{
    int p = m->p;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_doubles(arena, 2 * (size_t)count * count);
    if (!A)
        return carom_error_memory(error);
    double *B = A + (size_t)count * count;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++) {
            A[i + (size_t)j * count] = m->K[set[i] + (size_t)set[j] * p];
            B[i + (size_t)j * count] = m->G[set[i] + (size_t)set[j] * p];
        }
    carom_status status = carom_spectrum_product(count, A, B, arena, share, error);
    carom_arena_rewind(arena, mark);
    return status;
}

/* K - t K_SS (zero outside S) copositive? */
static carom_status box_holds(const carom_normal *m, unsigned set, double t,
                              const carom_watch *watch, carom_arena *arena, bool *holds,
                              carom_error *error)
{
    int p = m->p;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_doubles(arena, (size_t)p * p);
    if (!A)
        return carom_error_memory(error);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double both = (set >> i & 1) && (set >> j & 1) ? 1 - t : 1;
            A[i + (size_t)j * p] = both * m->K[i + (size_t)j * p];
        }
    carom_copositive answer;
    carom_status status = carom_copositive_test(p, A, NULL, watch, arena, &answer, error);
    *holds = answer.copositive == CAROM_TRUE;
    carom_arena_rewind(arena, mark);
    return status;
}

/* e x x'Cx is concave in e, so the corners e_i in {0, e} of the box decide. */
static carom_status find_boxes(const carom_normal *m, const carom_watch *watch, carom_arena *arena,
                               carom_margins *margins, carom_error *error)
{
    int p = m->p, set[BOX_ALL];
    if (p > BOX_ALL)
        return CAROM_OK;
    double all = 1, approaching = 1;
    for (unsigned mask = 1; mask < 1u << p; mask++) {
        int count = 0;
        for (int i = 0; i < p; i++)
            if (mask >> i & 1)
                set[count++] = i;
        double share = 1;
        carom_status status = largest_share(m, count, set, arena, &share, error);
        if (status)
            return status;
        all = fmin(all, 1 / share);
        bool holds = p > BOX_APPROACHING;
        if (!holds)
            status = box_holds(m, mask, approaching, watch, arena, &holds, error);
        double low = 0, high = approaching;
        while (!status && !holds && high - low > 1e-13 * high) {
            bool inside;
            double middle = 0.5 * (low + high);
            status = box_holds(m, mask, middle, watch, arena, &inside, error);
            low = inside ? middle : low;
            high = inside ? high : middle;
            approaching = low;
        }
        if (status)
            return status;
    }
    margins->box_all = sqrt(all);
    margins->box_approaching = p > BOX_APPROACHING ? NAN : sqrt(approaching);
    return CAROM_OK;
}

carom_status carom_margins_find(const carom_geometry *geometry, const double *E,
                                const carom_watch *watch, carom_arena *arena,
                                carom_margins *margins, carom_error *error)
{
    carom_margins made = {NAN, NAN, NAN, NAN};
    carom_normal m;
    carom_certificates *all = carom_arena_zeros(arena, 1, sizeof *all);
    if (!all)
        return carom_error_memory(error);
    carom_status status = carom_normal_make(geometry, arena, &m, error);
    if (!status)
        status = carom_certify_restitution(geometry, E, watch, arena, all, error);
    if (status)
        return status;
    if (m.regular && m.p > 0 && carom_certificates_find(all, "energy-semidefinite")->applies) {
        /* value = 1 - largest ratio of energies, and the ratio grows with the square of E */
        double every = carom_certificates_find(all, "energy-semidefinite")->value;
        double some = carom_certificates_find(all, "energy-copositive")->value;
        made.scale_all = every < 1 ? 1 / sqrt(1 - every) : INFINITY;
        made.scale_approaching = some < 1 ? 1 / sqrt(1 - some) : INFINITY;
        status = find_boxes(&m, watch, arena, &made, error);
    }
    if (!status)
        *margins = made;
    return status;
}
