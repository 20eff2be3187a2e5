/* Motion in a union of sets (docs/theory/event-driven.md, "Regions"). A group of contacts is in
 * force: its contacts close as usual, the others are passed. Where the last group fails there is an
 * impact of the region; afterwards the nearest group goes on. */
#include "flow/event_region.h"

#include "base/parts.h"
#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

carom_status carom_event_region_create(carom_event_driven *e, carom_arena *work, carom_error *error)
{
    const carom_region *r = e->shape->region;
    carom_event_region *region = &e->region;
    const size_t groups = r ? (size_t)r->group_count : 0, p = r ? (size_t)e->shape->p : 0;
    region->group = -1;
    const carom_arena_part parts[] = {{&region->holds, groups, sizeof *region->holds},
                                      {&region->near, p, sizeof *region->near}};
    return carom_arena_parts(work, parts, 2, error);
}

static bool is_member(const carom_region *r, int group, int contact)
{
    for (int k = r->group_start[group]; k < r->group_start[group + 1]; k++)
        if (r->group_contact[k] == contact)
            return true;
    return false;
}

/* Is contact i one of the group in force? (Without a region all are.) */
static bool in_force(const carom_event_driven *e, int i)
{
    const carom_region *r = e->shape->region;
    return !r || (e->region.group >= 0 && is_member(r, e->region.group, i));
}

/* Are all gaps of the group >= -tolerance, those that are near aside? */
static bool stands(const carom_event_driven *e, int group, double tolerance)
{
    const carom_region *r = e->shape->region;
    for (int k = r->group_start[group]; k < r->group_start[group + 1]; k++) {
        const int i = r->group_contact[k];
        if (!e->region.near[i] && e->motion.state.g[i] < -tolerance)
            return false;
    }
    return true;
}

/* And does no near contact of it approach? */
static bool goes_on(const carom_event_driven *e, int group)
{
    const carom_region *r = e->shape->region;
    if (!e->region.holds[group])
        return false;
    for (int k = r->group_start[group]; k < r->group_start[group + 1]; k++) {
        const int i = r->group_contact[k];
        if (e->region.near[i] && carom_motion_gamma(&e->motion, i) < -e->slow[i])
            return false;
    }
    return true;
}

bool carom_event_region_holds(const carom_event_driven *e)
{
    const carom_region *r = e->shape->region;
    for (int k = 0; k < r->group_count; k++)
        if (goes_on(e, k))
            return true;
    return false;
}

bool carom_event_region_begin(carom_event_driven *e)
{
    const carom_region *r = e->shape->region;
    for (int k = 0; r && k < r->group_count && e->region.group < 0; k++)
        if (stands(e, k, e->options->closed))
            e->region.group = k;
    for (int i = 0; i < e->shape->p && r && e->region.group >= 0; i++)
        if (!in_force(e, i) && e->motion.state.g[i] <= e->options->closed)
            e->own.passed[i] = 1, e->own.turned[i] = e->motion.state.g[i] >= -e->options->closed;
    return !r || e->region.group >= 0;
}

/* Contacts outside the group in force are passed as soon as they are below zero. */
static void pass_others(carom_event_driven *e)
{
    for (int i = 0; i < e->shape->p; i++) {
        if (in_force(e, i)) {
            if (e->own.passed[i] && e->region.near[i]) { /* it counts again */
                e->own.passed[i] = 0;
                e->own.turned[i] = 1;
            }
            continue;
        }
        e->touching[i] = 0;
        e->motion.mode[i] = CAROM_MODE_OPEN;
        if (!e->region.near[i])
            continue;
        e->own.passed[i] = carom_motion_gamma(&e->motion, i) <= e->slow[i];
        e->own.turned[i] = 1;
    }
}

carom_status carom_event_region_touch(carom_event_driven *e, carom_error *error)
{
    const carom_region *r = e->shape->region;
    if (!r)
        return CAROM_OK;
    memcpy(e->region.near, e->touching, (size_t)e->shape->p);
    for (int k = 0; k < r->group_count; k++)
        e->region.holds[k] = stands(e, k, 0);
    if (carom_event_region_holds(e))
        return carom_event_region_choose(e, error);
    for (int i = 0; i < e->shape->p; i++) {
        bool member = false;
        for (int k = 0; k < r->group_count; k++)
            member = member || (e->region.holds[k] && is_member(r, k, i));
        e->touching[i] = e->touching[i] && member;
    }
    return CAROM_OK;
}

/* The contacts of the group that a motion without contact forces would violate: near, not leaving.
 */
static int find_bounds(const carom_event_driven *e, int group, int *bounds)
{
    const carom_region *r = e->shape->region;
    int count = 0;
    for (int k = r->group_start[group]; k < r->group_start[group + 1]; k++) {
        const int i = r->group_contact[k];
        if (e->region.near[i] && carom_motion_gamma(&e->motion, i) <= e->slow[i])
            bounds[count++] = i;
    }
    return count;
}

/* How far the accelerations without contacts are from those the group allows, in the kinetic norm:
 * the projection is an inelastic impact of accelerations. */
static carom_status measure(carom_event_driven *e, int group, double *distance, carom_error *error)
{
    carom_motion *m = &e->motion;
    const size_t n = (size_t)e->n, p = (size_t)e->shape->p;
    const carom_law inelastic = {.ops = carom_law_find("inelastic")};
    carom_geometry geometry;
    carom_outcome outcome;
    carom_mark mark = carom_arena_mark(e->scratch);
    int *bounds = carom_arena_array(e->scratch, p, sizeof *bounds);
    double *W = carom_arena_doubles(e->scratch, n * p), *bias = carom_arena_doubles(e->scratch, p);
    carom_state moved = m->state;
    *distance = 0;
    if (!bounds || !W || !bias || !(moved.u = carom_arena_doubles(e->scratch, n)))
        return carom_error_memory(error);
    const int count = find_bounds(e, group, bounds);
    for (int k = 0; k < count; k++) {
        memcpy(W + (size_t)k * n, m->state.W + (size_t)bounds[k] * n, n * sizeof(double));
        bias[k] = m->state.g_bias[bounds[k]];
    }
    const carom_impact impact = {.n = e->n,
                                 .p = count,
                                 .m = e->shape->m,
                                 .a = e->shape->a,
                                 .mass_is_diagonal = e->shape->mass_is_diagonal,
                                 .M = m->state.M,
                                 .u = m->a_free,
                                 .W = W,
                                 .w_hat = bias,
                                 .B = m->state.B,
                                 .b_hat = m->state.b_bias,
                                 .A = m->state.A,
                                 .a_hat = m->state.a_bias};
    carom_status status = CAROM_OK;
    if (count > 0)
        status = carom_impact_derive(&impact, e->scratch, &geometry, error);
    if (status == CAROM_OK && count > 0)
        status = carom_law_apply(&inelastic, &geometry, e->scratch, &outcome, error);
    if (status == CAROM_OK && count > 0) {
        for (size_t k = 0; k < n; k++)
            moved.u[k] = outcome.u[k] - geometry.u[k];
        *distance = sqrt(2 * carom_record_kinetic(e->shape, &moved));
    }
    carom_arena_rewind(e->scratch, mark);
    return status;
}

carom_status carom_event_region_choose(carom_event_driven *e, carom_error *error)
{
    const carom_region *r = e->shape->region;
    double least = INFINITY, next = INFINITY;
    int best = -1;
    for (int pass = 0; pass < r->group_count + 1; pass++) {
        /* the group in force comes first, so that it stays where others are as good */
        const int k = pass == 0 ? e->region.group : pass - 1;
        if (k < 0 || (pass > 0 && k == e->region.group) || !goes_on(e, k))
            continue;
        double d;
        carom_status status = measure(e, k, &d, error);
        if (status != CAROM_OK)
            return status;
        if (d < least) {
            next = least;
            least = d;
            best = k;
        } else {
            next = fmin(next, d);
        }
    }
    if (best < 0)
        return CAROM_OK;
    const bool changed = best != e->region.group;
    e->region.group = best;
    pass_others(e);
    if (changed && least > 0 && next <= least * (1 + CAROM_TOLERANCE_SAME))
        return carom_record_warn(e->record, e->t, error,
                                 "t = %.12g: the motion can go on in several parts of the region, "
                                 "as near as each other; group %d was taken",
                                 e->t, best + 1);
    return CAROM_OK;
}
