/* Mass matrices as scenes state them: a list of numbers, or rows, symmetric and positive definite.
 */
#include "carom/tolerance.h"
#include "scene/scene_parts.h"

#include <math.h>
#include <string.h>

static carom_status read_diagonal(carom_reader *r, const carom_yaml_node *node, double *M)
{
    carom_status status = carom_reader_numbers(r, node, "mass", node->count, M);
    int i = 0;
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK;
         item = item->next, i++)
        if (!(M[i] > 0))
            status = carom_reader_fail(r, item,
                                       "the mass matrix is not positive definite: entry %d of its "
                                       "diagonal is %g, it must be greater than 0",
                                       i + 1, M[i]);
    return status;
}

static const carom_yaml_node *entry(const carom_yaml_node *list, int index)
{
    const carom_yaml_node *item = list->first;
    while (index-- > 0)
        item = item->next;
    return item;
}

static carom_status make_symmetric(carom_reader *r, const carom_yaml_node *node, int n, double *M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double *a = &M[i + (size_t)j * (size_t)n], *b = &M[j + (size_t)i * (size_t)n];
            double scale =
                sqrt(fabs(M[i + (size_t)i * (size_t)n])) * sqrt(fabs(M[j + (size_t)j * (size_t)n]));
            if (fabs(*a - *b) > CAROM_TOLERANCE_CARRIED * (fabs(*a) + fabs(*b)) &&
                fabs(*a - *b) > CAROM_TOLERANCE_SUM * scale)
                return carom_reader_fail(
                    r, entry(entry(node, i), j),
                    "the mass matrix is not symmetric: entry (%d, %d) is %.9g, "
                    "entry (%d, %d) is %.9g",
                    i + 1, j + 1, *a, j + 1, i + 1, *b);
            *a = *b = 0.5 * *a + 0.5 * *b;
        }
    return CAROM_OK;
}

/* Cholesky without the square roots, M = L D L': the pivots are the entries of D. */
static carom_status check_definite(carom_reader *r, const carom_yaml_node *node, int n,
                                   const double *M)
{
    carom_mark mark = carom_arena_mark(r->scratch);
    double *A = carom_arena_array(r->scratch, (size_t)n * (size_t)n, sizeof *A);
    if (!A)
        return carom_error_memory(r->error);
    memcpy(A, M, (size_t)n * (size_t)n * sizeof *A);
    carom_status status = CAROM_OK;
    for (int k = 0; k < n && status == CAROM_OK; k++) {
        const double *column = A + (size_t)k * (size_t)n;
        double pivot = column[k];
        if (!(pivot > n * 2 * DBL_EPSILON * M[k + (size_t)k * (size_t)n]) || !(pivot > 0))
            status = carom_reader_fail(r, entry(entry(node, k), k),
                                       "the mass matrix is not positive definite: pivot %d is %g, "
                                       "it must be greater than 0",
                                       k + 1, pivot);
        for (int j = k + 1; j < n; j++) {
            double *next = A + (size_t)j * (size_t)n, factor = column[j] / pivot;
            for (int i = j; i < n && factor != 0; i++)
                next[i] -= factor * column[i];
        }
    }
    carom_arena_rewind(r->scratch, mark);
    return status;
}

static carom_status read_matrix(carom_reader *r, const carom_yaml_node *node, double *M)
{
    int n = node->count, i = 0;
    double *row = carom_arena_doubles(r->scratch, (size_t)n);
    if (!row)
        return carom_error_memory(r->error);
    carom_status status;
    for (const carom_yaml_node *item = node->first; item; item = item->next, i++) {
        char what[64];
        snprintf(what, sizeof what, "row %d of the mass matrix", i + 1);
        if ((status = carom_reader_list(r, item, what)) != CAROM_OK)
            return status;
        if (item->count != n)
            return carom_reader_fail(r, item,
                                     "the mass matrix is not square: row %d has %d entries, and "
                                     "there are %d rows",
                                     i + 1, item->count, n);
        if ((status = carom_reader_numbers(r, item, what, n, row)) != CAROM_OK)
            return status;
        for (int j = 0; j < n; j++)
            M[i + (size_t)j * (size_t)n] = row[j];
    }
    status = make_symmetric(r, node, n, M);
    return status == CAROM_OK ? check_definite(r, node, n, M) : status;
}

carom_status carom_scene_mass(carom_reader *r, const carom_yaml_node *node, carom_impact *impact)
{
    carom_status status = carom_reader_list(r, node, "mass");
    if (status != CAROM_OK)
        return status;
    if (node->count == 0)
        return carom_reader_fail(r, node, "mass is empty: it must have at least one number");
    size_t n = (size_t)node->count;
    impact->n = node->count;
    impact->mass_is_diagonal = node->first->kind != CAROM_YAML_LIST;
    double *M = carom_arena_array(r->arena, impact->mass_is_diagonal ? n : n * n, sizeof *M);
    if (!M)
        return carom_error_memory(r->error);
    impact->M = M;
    return impact->mass_is_diagonal ? read_diagonal(r, node, M) : read_matrix(r, node, M);
}
