/* Time-stepping of systems of bodies: the loop (docs/theory/bodies.md, "Steps"). */
#include "flow/bodies_step.h"
#include "flow/step_grid.h"
#include "flow/step_law.h"

#include "bodies/shape.h"
#include "bodies/stops.h"
#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

static bool depends_on_time(const carom_bodies *b)
{
    for (int k = 0; k < b->joint_count; k++)
        if (b->joint[k].is.motor)
            return true;
    return b->drives;
}

static double largest_shape(const carom_bodies *b)
{
    double size = 0;
    for (int k = 0; k < b->part_count; k++)
        if (!b->part[k].endless)
            size = fmax(size, b->part[k].shape->size + b->part[k].shape->radius);
    return size;
}

static void *zeros(carom_bodies_stepping *s, size_t count, size_t size, bool *good)
{
    void *made = carom_arena_zeros(s->work, count, size);
    *good = *good && made;
    return made;
}

static double *numbers(carom_bodies_stepping *s, size_t count, bool *good)
{
    return zeros(s, count, sizeof(double), good);
}

static carom_status create(carom_bodies_stepping *s, const carom_flow_start *start,
                           carom_error *error)
{
    const carom_forest *f = &s->b->forest;
    const size_t n = (size_t)s->n, trees = (size_t)s->trees, joints = (size_t)s->b->joint_count,
                 p = (size_t)s->p;
    size_t entries = 0;
    bool good = true;
    s->dof = zeros(s, trees + joints, sizeof *s->dof, &good);
    s->M_start = zeros(s, trees + 1, sizeof *s->M_start, &good);
    if (!good)
        return carom_error_memory(error);
    for (int t = 0; t < s->trees; t++) {
        s->dof[t] = f->tree_start[t + 1] - f->tree_start[t];
        s->M_start[t] = entries;
        entries += (size_t)s->dof[t] * (size_t)s->dof[t];
    }
    s->M_start[trees] = entries;
    for (size_t j = 0; j < joints; j++)
        s->dof[trees + j] = 1;
    s->q = numbers(s, (size_t)s->nq, &good);
    s->middle = numbers(s, (size_t)s->nq, &good);
    s->v = numbers(s, n, &good);
    s->next = numbers(s, n, &good);
    s->free = numbers(s, n, &good);
    s->mean = numbers(s, n, &good);
    s->rate = numbers(s, n, &good);
    s->force = numbers(s, n, &good);
    s->give = numbers(s, n, &good);
    s->applied = numbers(s, n, &good);
    s->swing = numbers(s, n, &good);
    s->lasting = numbers(s, n, &good);
    s->M = numbers(s, entries + joints, &good);
    s->L = numbers(s, entries, &good);
    s->p_free = numbers(s, n + joints, &good);
    s->v_tree = numbers(s, n + joints, &good);
    s->still = zeros(s, trees, 1, &good);
    s->closing = zeros(s, trees, 1, &good);
    s->pushes = zeros(s, trees, 1, &good);
    s->fastest = zeros(s, trees, sizeof *s->fastest, &good);
    s->struck = zeros(s, trees, sizeof *s->struck, &good);
    s->pushed = numbers(s, n, &good);
    s->room = numbers(s, s->stops ? 3 * n : 0, &good);
    s->hit_impulse = numbers(s, p, &good);
    s->hit_tangent = numbers(s, (size_t)s->s, &good);
    s->stop_hit = zeros(s, (size_t)s->stops, 1, &good);
    s->stop_count = zeros(s, (size_t)s->stops, 1, &good);
    s->stop_active = zeros(s, (size_t)s->stops, 1, &good);
    s->awake = zeros(s, trees, 1, &good);
    s->island = zeros(s, trees, sizeof *s->island, &good);
    s->load = numbers(s, trees, &good);
    s->island_load = numbers(s, trees, &good);
    s->island_sum = numbers(s, trees, &good);
    s->stop_memory = numbers(s, (size_t)s->stops, &good);
    s->loop_memory = numbers(s, (size_t)s->b->loop_rows, &good);
    s->dry_memory = numbers(s, 2 * joints, &good);
    s->gap = numbers(s, p, &good);
    s->impulse = numbers(s, p, &good);
    s->tangent = numbers(s, (size_t)s->s, &good);
    s->mode = zeros(s, p, 1, &good);
    s->was = zeros(s, p, 1, &good);
    s->fresh = zeros(s, p, sizeof *s->fresh, &good);
    s->fresh_impulse = numbers(s, p, &good);
    if (!good || !carom_bodies_step_middle_create(s))
        return carom_error_memory(error);
    memcpy(s->q, start->q, (size_t)s->nq * sizeof *s->q);
    memcpy(s->v, start->u, n * sizeof *s->v);
    return CAROM_OK;
}

static carom_status check_laws(const carom_bodies_stepping *s, carom_error *error)
{
    const carom_bodies *b = s->b;
    for (int k = -1; k < b->body_count; k++) {
        const carom_law *own = k < 0 ? s->law : b->material[k].law;
        carom_status status = own ? carom_step_law_check(own, error) : CAROM_OK;
        if (status != CAROM_OK)
            return status;
        if (k >= 0 && !isfinite(b->material[k].friction_static))
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "body `%s`: infinite friction is for single impacts; in motion "
                                   "give a finite coefficient",
                                   b->body[k].name ? b->body[k].name : "?");
    }
    return CAROM_OK;
}

/* ---- one step ---- */

/* What contacts gave the trees, to know the middle of the next step by; what they stopped is over.
 */
static void keep_lasting(carom_bodies_stepping *s)
{
    const carom_forest *f = &s->b->forest;
    for (int t = 0; t < s->trees; t++) {
        const int *u = f->tree_u + f->tree_start[t];
        for (int i = 0; i < s->dof[t]; i++)
            s->lasting[u[i]] = s->closing[t] ? 0 : s->next[u[i]] - s->free[u[i]];
    }
}

/* Positions move on. Trees that a contact stops go a way that the mean velocity, which does the
 * work, does not go: what energy that makes is the projection's. */
static carom_status advance(carom_bodies_stepping *s, carom_error *error)
{
    carom_bodies_step_way(s); /* what has come to rest does not move */
    double meant = 0, made = 0;
    bool stopped = false;
    for (int t = 0; t < s->trees; t++)
        stopped = stopped || s->closing[t];
    carom_status status = CAROM_OK;
    if (stopped) {
        for (int i = 0; i < s->n; i++)
            s->rate[i] = (s->v[i] + s->next[i]) / 2;
        carom_bodies_step_move(s, s->rate, s->h, s->q, s->middle);
        status = carom_bodies_step_energy(s, s->middle, s->next, &meant, error);
    }
    carom_bodies_step_move(s, s->mean, s->h, s->q, s->q);
    if (stopped && status == CAROM_OK)
        status = carom_bodies_step_energy(s, s->q, s->next, &made, error);
    s->record->result->ledger.projection += made - meant;
    keep_lasting(s);
    return status;
}

static void measure_penetration(carom_bodies_stepping *s)
{
    carom_flow_result *r = s->record->result;
    for (int k = 0; k < s->found.count; k++)
        r->max_penetration = fmax(r->max_penetration, -s->found.contact[k].touch.gap);
}

static bool all_still(const carom_bodies_stepping *s)
{
    for (int t = 0; t < s->trees; t++)
        if (!s->still[t])
            return false;
    return s->sleeps;
}

/* The new velocities. Contacts are added until none is violated. */
static carom_status respond(carom_bodies_stepping *s, carom_error *error)
{
    bool any = false;
    carom_status status = carom_bodies_step_push(s, error);
    for (int round = 0; round <= s->found.count + s->stops && status == CAROM_OK; round++) {
        memcpy(s->next, s->free, (size_t)s->n * sizeof *s->next);
        status = carom_bodies_step_state(s, &any, error);
        if (status == CAROM_OK && any)
            status = carom_bodies_step_solve(s, error);
        if (status != CAROM_OK)
            break;
        carom_bodies_step_way(s);
        if (!carom_bodies_step_find_more(s))
            break;
    }
    return status;
}

/* What impacts have made faster than anything before goes further than contacts were looked for. */
static carom_status look_again(carom_bodies_stepping *s, carom_error *error)
{
    carom_status status = carom_bodies_move(s->b, s->t, s->q, NULL, error);
    if (status != CAROM_OK)
        return status;
    s->speed = fmax(carom_bodies_step_fastest(s, s->v), carom_bodies_step_fastest(s, s->free));
    return s->speed > s->found_speed ? carom_bodies_step_find(s, error) : CAROM_OK;
}

static carom_status step(carom_bodies_stepping *s, carom_error *error)
{
    if (all_still(s))
        return CAROM_OK; /* the next step is the last one once more */
    bool struck = false;
    carom_status status = carom_bodies_step_free(s, error);
    if (status == CAROM_OK)
        status = carom_bodies_step_find(s, error);
    if (status != CAROM_OK)
        return status;
    measure_penetration(s);
    status = carom_bodies_step_strike(s, &struck, error);
    if (status == CAROM_OK && struck)
        status = carom_bodies_step_free(s, error);
    if (status == CAROM_OK && struck)
        status = look_again(s, error);
    if (status != CAROM_OK)
        return status;
    status = carom_bodies_step_middle(s, error);
    if (status != CAROM_OK)
        return status;
    carom_bodies_step_activate(s);
    status = respond(s, error);
    if (status != CAROM_OK)
        return status;
    carom_bodies_step_rest(s);
    status = carom_bodies_step_book(s, error);
    if (status != CAROM_OK)
        return status;
    status = advance(s, error);
    if (status != CAROM_OK)
        return status;
    double *v = s->v;
    s->v = s->next;
    s->next = v;
    return carom_bodies_step_apart(s, error);
}

/* ---- the loop ---- */

/* Limits of joints and ropes that are passed at the start. */
static carom_status warn_of_stops(carom_bodies_stepping *s, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < s->stops && status == CAROM_OK; i++) {
        const double gap = carom_stop_gap(s->b, i, s->q);
        if (gap < -s->options->closed)
            status = carom_record_warn(s->record, s->t, error,
                                       "the motion starts beyond %s, by %.6g, and is put back "
                                       "little by little",
                                       s->record->shape->contacts[i].name, -gap);
    }
    return status;
}

static carom_status begin(carom_bodies_stepping *s, carom_error *error)
{
    carom_bodies_contacts found;
    carom_status status = carom_bodies_find(s->b, s->t, s->q, s->v, 0, s->scratch, &found, error);
    const carom_bodies_contact *deepest = NULL;
    for (int k = 0; k < found.count && status == CAROM_OK; k++)
        if (found.contact[k].touch.gap < -s->options->closed &&
            (!deepest || found.contact[k].touch.gap < deepest->touch.gap))
            deepest = &found.contact[k];
    if (deepest) {
        const char *one = s->b->body[deepest->body[0]].name,
                   *two = s->b->body[deepest->body[1]].name;
        status =
            carom_record_warn(s->record, s->t, error,
                              "the motion starts in penetration: %s and %s overlap by %.6g, and "
                              "are put apart little by little",
                              one ? one : "?", two ? two : "?", -deepest->touch.gap);
    }
    if (status == CAROM_OK)
        status = warn_of_stops(s, error);
    if (status == CAROM_OK)
        status = carom_bodies_step_emit(s, false, error);
    s->record->result->ledger.initial = s->record->result->ledger.final;
    s->record->result->ledger.largest_balance = 0; /* there was nothing to balance yet */
    return status;
}

static carom_status all_steps(carom_bodies_stepping *s, double begin, carom_error *error)
{
    carom_step_grid grid = carom_step_grid_plan(begin, s->options);
    carom_flow_result *r = s->record->result;
    for (long long k = 0; k < grid.count; k++) {
        s->h = carom_step_grid_length(&grid, k, s->t);
        s->end = carom_step_grid_end(&grid, k);
        carom_status status = step(s, error);
        if (status != CAROM_OK)
            return status;
        s->t = s->end;
        r->steps++;
        if (status == CAROM_OK && carom_step_grid_row(&grid, k, s->t, s->h))
            status = carom_bodies_step_emit(s, true, error);
        if (status == CAROM_OK && (r->steps & 63) == 0)
            status = carom_record_progress(s->record, s->t, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

static carom_status finish(carom_bodies_stepping *s, carom_status status, carom_error *error)
{
    carom_error ignored;
    carom_status last = carom_bodies_step_emit(s, carom_record_lacks_end(s->record, status, s->t),
                                               status == CAROM_OK ? error : &ignored);
    if (status == CAROM_OK)
        status = last;
    carom_state end = {.t = s->t, .q = s->q, .u = s->v};
    carom_status kept = carom_record_finish(s->record, &end, error);
    return kept != CAROM_OK ? kept : status;
}

carom_status carom_bodies_stepping_run(carom_record *record, const carom_law *law,
                                       const carom_flow_start *start, carom_arena *work,
                                       carom_arena *scratch, carom_error *error)
{
    carom_bodies *b = (carom_bodies *)carom_bodies_of(record->system);
    const carom_system_shape *shape = record->shape;
    carom_bodies_stepping stepping = {.record = record,
                                      .law = law,
                                      .b = b,
                                      .options = record->options,
                                      .work = work,
                                      .scratch = scratch,
                                      .n = shape->n,
                                      .nq = shape->nq,
                                      .trees = b->forest.tree_count,
                                      .stops = b->stop_count,
                                      .p = shape->p,
                                      .s = shape->s,
                                      .h = record->options->step,
                                      .t = start->t,
                                      .constant =
                                          shape->mass_is_constant && shape->forces_are_constant,
                                      .sleeps = !depends_on_time(b),
                                      .slip_start = shape->slip_start,
                                      .size = largest_shape(b)};
    carom_bodies_stepping *s = &stepping;
    carom_status status = check_laws(s, error);
    if (status == CAROM_OK)
        status = create(s, start, error);
    if (status == CAROM_OK)
        status = begin(s, error);
    if (status == CAROM_OK)
        status = carom_bodies_step_emit(s, true, error);
    if (status == CAROM_OK)
        status = all_steps(s, start->t, error);
    if (status == CAROM_ERROR_NUMERIC)
        status = carom_record_stop(record, CAROM_FLOW_BAD_FORCE, "%s", error->text);
    return status < 0 ? status : finish(s, status, error);
}
