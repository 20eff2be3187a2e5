/* The part of a region that counts at one configuration: tangent cones of the groups that hold. */
#include "impact/region.h"

#include <string.h>

/* 0: it does not hold; 1: it holds with a closed contact; 2: it holds with all contacts open. */
static int judge(const carom_region *r, int group, const double *g, double tolerance)
{
    int verdict = 2;
    for (int k = r->group_start[group]; k < r->group_start[group + 1]; k++) {
        const double gap = g[r->group_contact[k]];
        if (gap < -tolerance)
            return 0;
        if (gap <= tolerance)
            verdict = 1;
    }
    return verdict;
}

static int close_all(int p, const double *g, double tolerance, int *closed)
{
    int count = 0;
    for (int i = 0; i < p; i++)
        if (g[i] <= tolerance)
            closed[count++] = i;
    return count;
}

/* The groups that hold, with their closed contacts, numbered as in `closed`. */
static carom_status copy_groups(const carom_region *r, const unsigned char *holds,
                                const int *number, carom_arena *arena, const carom_region **region,
                                carom_error *error)
{
    carom_region *made = carom_arena_array(arena, 1, sizeof *made);
    int *start = carom_arena_array(arena, (size_t)r->group_count + 1, sizeof *start);
    int *contact =
        carom_arena_array(arena, (size_t)r->group_start[r->group_count], sizeof *contact);
    if (!made || !start || !contact)
        return carom_error_memory(error);
    int groups = 0, used = 0;
    start[0] = 0;
    for (int k = 0; k < r->group_count; k++) {
        if (!holds[k])
            continue;
        for (int j = r->group_start[k]; j < r->group_start[k + 1]; j++)
            if (number[r->group_contact[j]] >= 0)
                contact[used++] = number[r->group_contact[j]];
        start[++groups] = used;
    }
    *made = (carom_region){groups, start, contact};
    *region = made;
    return CAROM_OK;
}

carom_status carom_impact_region(const carom_system_shape *shape, const double *g, double tolerance,
                                 carom_arena *arena, int *closed, int *count,
                                 const carom_region **region, carom_error *error)
{
    const carom_region *r = shape->region;
    const int p = shape->p, groups = r ? r->group_count : 0;
    *region = NULL;
    *count = close_all(p, g, tolerance, closed);
    if (!r || *count == 0)
        return CAROM_OK;
    unsigned char *holds = carom_arena_zeros(arena, (size_t)groups, 1);
    int *number = carom_arena_array(arena, (size_t)p, sizeof *number);
    if (!holds || !number)
        return carom_error_memory(error);
    int holding = 0, open = 0;
    for (int i = 0; i < p; i++)
        number[i] = -1;
    for (int k = 0; k < groups; k++) {
        const int verdict = judge(r, k, g, tolerance);
        holds[k] = verdict != 0;
        holding += verdict != 0;
        open += verdict == 2;
        for (int j = r->group_start[k]; verdict == 1 && j < r->group_start[k + 1]; j++)
            if (g[r->group_contact[j]] <= tolerance)
                number[r->group_contact[j]] = 0;
    }
    if (holding == 0)
        return CAROM_OK;
    *count = 0;
    for (int i = 0; i < p && open == 0; i++)
        if (number[i] == 0) {
            number[i] = *count;
            closed[(*count)++] = i;
        }
    if (open > 0 || holding == 1)
        return CAROM_OK;
    return copy_groups(r, holds, number, arena, region, error);
}
