/* The list of motions of contacts at one instant: coinciding ones are one. */
#include "solver/instant_list.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/instant_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/short_loops.h"

static carom_status grow(const carom_instant *problem, carom_arena *arena, carom_instant_list *list,
                         carom_error *error)
{
    if (list->count < list->room)
        return CAROM_OK;
    const int p = problem->p, N = problem->N, known = N + problem->extra;
    const int n = problem->rows ? problem->rows->n : 0, all = N + 2 * known + (n ? 3 * n + N : 0);
    int room = list->room ? 2 * list->room : 4, more = room - list->room;
    carom_instant_solution *grown = carom_arena_array(arena, (size_t)room, sizeof *grown);
    double *r = carom_arena_doubles(arena, (size_t)all * (size_t)more);
    unsigned char *mode = carom_arena_array(arena, (size_t)more, (size_t)p);
    if (!grown || !r || !mode)
        return carom_error_memory(error);
    for (int k = 0; k < list->room; k++)
        grown[k] = list->list[k];
    for (int k = list->room; k < room; k++, r += all, mode += p) {
        double *size = r + N + known;
        grown[k] = (carom_instant_solution){.r = r, .u = r + N, .size = size, .mode = mode};
        if (n) {
            grown[k].y = size + known;
            grown[k].terms = grown[k].y + n;
            grown[k].unknown = grown[k].terms + n;
        }
    }
    list->list = grown;
    list->room = room;
    return CAROM_OK;
}

/* The velocities of an entry: as they were found on rows, or of its forces. */
static void write_motion(const carom_instant *problem, const carom_instant_solution *solution,
                         carom_instant_solution *new)
{
    const int known = problem->N + problem->extra;
    if (new->y) {
        carom_dense_copy(known, solution->u, new->u);
        carom_dense_copy(known, solution->size, new->size);
        carom_dense_copy(problem->rows->n, solution->y, new->y);
        carom_dense_copy(problem->rows->n, solution->terms, new->terms);
        carom_dense_copy(problem->rows->n + problem->N, solution->unknown, new->unknown);
        return;
    }
    carom_instant_velocity(problem, new->r, new->u);
    const double size = carom_instant_size(problem, new->r);
    for (int k = 0; k < known; k++)
        new->size[k] = size;
}

/* A new entry at the end, not counted yet. Without a normal force there is none at all. */
static carom_instant_solution *write_entry(const carom_instant *problem,
                                           const carom_instant_solution *solution,
                                           carom_instant_list *list)
{
    carom_instant_solution *new = &list->list[list->count];
    carom_dense_copy(problem->N, solution->r, new->r);
    for (int i = 0; i < problem->p; i++) {
        double *own = new->r + problem->row[i];
        if (own[0] > 0)
            continue;
        memset(own, 0, sizeof *own * (size_t)(problem->row[i + 1] - problem->row[i]));
    }
    write_motion(problem, solution, new);
    new->norm = carom_dense_norm(problem->N, new->r);
    new->violation = solution->violation;
    new->unique = solution->unique;
    new->continuum = solution->continuum;
    memcpy(new->mode, solution->mode, (size_t)problem->p);
    return new;
}

/* Two entries with the same motion: *old keeps the one whose conditions hold, beyond rounding, and
 * of two such the shorter forces. */
static void merge(carom_instant_solution *old, carom_instant_solution *new, bool differ,
                  double rounding)
{
    const bool surer = new->violation < old->violation - rounding;
    const bool as_sure = new->violation <= old->violation + rounding;
    const bool unique = old->unique && new->unique && !differ;
    const bool continuum = old->continuum || new->continuum;
    if (surer || (as_sure && new->norm < old->norm *(1 - CAROM_INSTANT_SAME))) {
        carom_instant_solution swap = *old;
        *old = *new;
        *new = swap;
    }
    old->unique = unique;
    old->continuum = continuum;
}

/* What two equal sums of terms of these sizes may differ by. */
static double rounding_of(double a, double b)
{
    return CAROM_INSTANT_SAME * fmin(a, b) + CAROM_TOLERANCE_RANK * fmax(a, b);
}

/* Two motions are one: every velocity is the same beside its own terms, and so is what every body
 * does. The velocity of a heavy body drowns in rows that light ones share with it. Terms are the
 * lesser of both, for whoever has more has them cancel; dependent forces cancel as far as rank is
 * decided. A force that is zero in one and rounding in the other has no terms to be compared with:
 * what both do not know of their motions is forgiven as well. */
static bool is_same(const carom_instant *problem, const carom_instant_solution *a,
                    const carom_instant_solution *b)
{
    const int n = a->y ? problem->rows->n : 0;
    for (int k = 0; k < problem->N + problem->extra; k++) {
        const double dust = problem->rows ? problem->rows->dust[k] : 0;
        const double unknown = a->y ? a->unknown[n + k] + b->unknown[n + k] : 0;
        if (fabs(a->u[k] - b->u[k]) > rounding_of(a->size[k], b->size[k]) + dust + unknown)
            return false;
    }
    for (int j = 0; j < n; j++)
        if (fabs(a->y[j] - b->y[j]) >
            rounding_of(a->terms[j], b->terms[j]) + a->unknown[j] + b->unknown[j])
            return false;
    return true;
}

carom_status carom_instant_list_add(const carom_instant *problem,
                                    const carom_instant_solution *solution, carom_arena *arena,
                                    carom_instant_list *list, int *at, carom_error *error)
{
    const int N = problem->N;
    carom_status status = grow(problem, arena, list, error);
    if (status)
        return status;
    carom_instant_solution *new = write_entry(problem, solution, list);
    const double size = carom_instant_size(problem, new->r);
    const double same = CAROM_INSTANT_SAME * size, rounding = 4.0 * N * DBL_EPSILON * size;
    for (int k = 0; k < list->count; k++) {
        carom_instant_solution *old = &list->list[k];
        if (!is_same(problem, old, new))
            continue;
        merge(old, new, carom_dense_distance(N, old->r, new->r) > same, rounding);
        *at = k;
        return CAROM_OK;
    }
    *at = list->count++;
    return CAROM_OK;
}

static int shorter(const void *a, const void *b)
{
    const carom_instant_solution *s = a, *t = b;
    if (s->norm != t->norm)
        return s->norm > t->norm ? 1 : -1;
    return (s->r[0] > t->r[0]) - (s->r[0] < t->r[0]);
}

void carom_instant_list_sort(carom_instant_list *list, const bool *keep)
{
    int kept = 0;
    for (int k = 0; k < list->count; k++)
        if (keep[k]) {
            carom_instant_solution swap = list->list[kept];
            list->list[kept++] = list->list[k];
            list->list[k] = swap;
        }
    list->count = kept;
    if (kept > 1)
        qsort(list->list, (size_t)kept, sizeof *list->list, shorter);
}
