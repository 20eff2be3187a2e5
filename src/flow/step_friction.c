/* The contact problem of a time step with friction: stated in blocks of neighbouring contacts, or
 * as a full matrix where all are neighbours or few, and given to solver/friction. */
#include "flow/step_friction.h"

#include <math.h>
#include <string.h>

#include "carom/friction.h"

enum { FULL = 32 }; /* contacts whose full matrix is no larger than a few blocks */

/* W by blocks: contact k and its active neighbours, in ascending order of the rows. */
typedef struct blocks {
    int *start, *column;
    double *value;
} blocks;

/* Active contacts that share a group with active contact k, itself first. Returns their number. */
static int list_active(const carom_step_contact *c, int k, int *list)
{
    const int i = c->contact[k];
    int count = 0;
    list[count++] = k;
    for (int m = c->near_start[i]; m < c->near_start[i + 1]; m++)
        if (c->at[c->near[m]] >= 0)
            list[count++] = c->at[c->near[m]];
    return count;
}

/* The block of contacts k and l: rows of k times responses of l. */
static double *fill_block(const carom_step_contact *c, int k, int l, double *value)
{
    for (int j = c->base[l]; j < c->base[l + 1]; j++) {
        carom_step_contact_push(c, j, 1, c->scattered);
        for (int r = c->base[k]; r < c->base[k + 1]; r++)
            *value++ = carom_step_contact_rate(c, r, c->scattered);
        const int row = c->row[j];
        for (int e = c->resp_start[row]; e < c->resp_start[row + 1]; e++)
            c->scattered[c->resp_index[e]] = 0;
    }
    return value;
}

static bool make_blocks(const carom_step_contact *c, carom_arena *scratch, blocks *b)
{
    int *list = carom_arena_array(scratch, (size_t)c->count, sizeof *list), pairs = 0;
    size_t entries = 0;
    b->start = carom_arena_array(scratch, (size_t)c->count + 1, sizeof *b->start);
    if (!list || !b->start)
        return false;
    for (int k = 0; k < c->count; k++) {
        const int count = list_active(c, k, list);
        b->start[k] = pairs;
        pairs += count;
        for (int m = 0; m < count; m++)
            entries += (size_t)(1 + carom_step_contact_width(c, k)) *
                       (size_t)(1 + carom_step_contact_width(c, list[m]));
    }
    b->start[c->count] = pairs;
    b->column = carom_arena_array(scratch, (size_t)pairs, sizeof *b->column);
    b->value = carom_arena_doubles(scratch, entries);
    if (!b->column || !b->value)
        return false;
    double *value = b->value;
    for (int k = 0; k < c->count; k++) {
        const int count = list_active(c, k, list);
        memcpy(b->column + b->start[k], list, sizeof(int) * (size_t)count);
        for (int m = 0; m < count; m++)
            value = fill_block(c, k, list[m], value);
    }
    return true;
}

/* The statement; its matrix lives in the scratch. */
static bool state_problem(carom_step_contact *c, carom_arena *scratch,
                          carom_friction_problem *problem)
{
    const size_t r = (size_t)c->total;
    *problem =
        (carom_friction_problem){.contacts = c->count, .rows = c->height, .mu = c->mu, .q = c->b};
    if (c->complete || c->count <= FULL) {
        double *D = carom_arena_array(scratch, r * r, sizeof *D);
        if (D)
            carom_step_contact_dense(c, D);
        problem->form = CAROM_FRICTION_DENSE;
        problem->W = D;
        return D;
    }
    blocks b;
    if (!make_blocks(c, scratch, &b))
        return false;
    problem->form = CAROM_FRICTION_BLOCKS;
    problem->blocks = (carom_friction_blocks){b.start, b.column, b.value};
    return true;
}

carom_status carom_step_friction_solve(carom_step_contact *c, double tolerance,
                                       carom_arena *scratch, double *residual, carom_error *error)
{
    carom_mark mark = carom_arena_mark(scratch);
    carom_friction_problem problem;
    carom_friction_options options = {.tolerance = tolerance, .start = c->P, .polish = true};
    carom_friction_info info;
    if (!state_problem(c, scratch, &problem))
        return carom_error_memory(error);
    carom_status status =
        carom_friction_problem_solve(&problem, &options, scratch, c->P, NULL, NULL, &info, error);
    carom_arena_rewind(scratch, mark);
    if (status == CAROM_OK)
        *residual = info.outcome == CAROM_FRICTION_SOLVED ? 0 : fmax(info.residual, 2 * tolerance);
    return status;
}
