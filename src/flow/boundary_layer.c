/* Motion in boundary layers: the loop, its rows and its books. */
#include "flow/boundary_layer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/layer_engine.h"

static carom_status create(carom_layer_engine *e, carom_record *record,
                           const carom_flow_start *start, carom_arena *work, carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    memset(e, 0, sizeof *e);
    e->record = record;
    e->shape = shape;
    e->options = record->options;
    e->error = error;
    carom_status status =
        carom_layer_field_create(record->system, e->options, work, &e->field, error);
    if (status != CAROM_OK)
        return status;
    const double w = 100 / fmax(e->options->until - start->t, DBL_MIN);
    e->field.joint_damping = isnan(e->options->joint_damping) ? 2 * w : e->options->joint_damping;
    e->field.joint_stiffness =
        isnan(e->options->joint_stiffness) ? w * w : e->options->joint_stiffness;
    const size_t p = (size_t)shape->p, size = (size_t)e->field.at.size;
    double *d = carom_arena_zeros(work, 5 * size + 2 * p + p * (size_t)(shape->nq + shape->n),
                                  sizeof(double));
    e->passages = carom_arena_zeros(work, p, sizeof *e->passages);
    e->roots = carom_arena_zeros(work, 4 * p, sizeof(int));
    e->told = carom_arena_zeros(work, 2 * p, 1);
    if (!d || !e->passages || !e->roots || !e->told)
        return carom_error_memory(error);
    e->was = e->told + p;
    e->direction = e->roots + 2 * p;
    e->y = d;
    e->point = d += size;
    e->slope = d += size;
    e->peak = d += size;
    e->tolerance = d += size;
    e->speed = d += size;
    e->base = d += p;
    d += p;
    for (size_t i = 0; i < p; i++, d += shape->nq + shape->n) {
        e->passages[i].before = d;
        e->passages[i].q = d + shape->n;
    }
    e->t = start->t;
    e->bad = -INFINITY;
    memcpy(e->y, start->q, sizeof(double) * (size_t)shape->nq);
    memcpy(e->y + e->field.at.u, start->u, sizeof(double) * (size_t)shape->n);
    return CAROM_OK;
}

/* Energy in the layers at y: kinetic and potential of all together; what layer i gave since the
 * start, less what it holds, is lost there. */
static void take_stock(carom_layer_engine *e, const double *y, double *kinetic, double *potential)
{
    carom_flow_ledger *l = &e->record->result->ledger;
    *kinetic = *potential = l->impacts = 0;
    for (int i = 0; i < e->shape->p; i++) {
        double T = 0, V = 0;
        if (e->field.place[i] == CAROM_LAYER_FIELD_INSIDE)
            carom_layer_field_stored(&e->field, y, i, &T, &V);
        *kinetic += T;
        *potential += V;
        l->impact_loss[i] = y[e->field.at.loss + i] + T + V - e->base[i];
        l->impacts += l->impact_loss[i];
    }
}

/* Where the ledger's integrals stand at y. */
static void book(carom_layer_engine *e, const double *y)
{
    carom_flow_ledger *l = &e->record->result->ledger;
    const carom_layer_field_parts *at = &e->field.at;
    double kinetic, potential;
    l->constraints = y[at->constraints];
    l->forces = y[at->forces] + y[at->constraints];
    l->projection = y[at->projection] + e->moved;
    take_stock(e, y, &kinetic, &potential);
    carom_record_balance_with(e->record, &e->field.motion.state, kinetic, potential);
}

static carom_status emit(carom_layer_engine *e, double t, const double *y)
{
    const carom_motion *m = &e->field.motion;
    carom_status status = carom_layer_field_slope(&e->field, t, y, e->slope, e->error);
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    for (int i = 0; i < e->shape->p; i++)
        m->state.g[i] = e->field.x[i];
    book(e, y);
    carom_flow_row row = {.t = t,
                          .q = m->state.q,
                          .u = m->state.u,
                          .gap = m->state.g,
                          .force = e->field.reaction,
                          .friction = m->friction,
                          .mode = m->mode,
                          .mass = m->state.M,
                          .ledger = &e->record->result->ledger};
    return carom_record_row(e->record, &row, e->error);
}

/* Rows due before `end`, on the polynomial of the step just made. */
static carom_status emit_until(carom_layer_engine *e, double begin, double end)
{
    const double every = e->options->output;
    if (!(every > 0))
        return CAROM_OK;
    carom_status status = CAROM_OK;
    while (status == CAROM_OK) {
        double t = begin + (double)e->row * every;
        if (!(t < end) || t >= e->options->until - CAROM_TOLERANCE_SAME * every)
            break;
        e->integrator->at(e, t, e->point);
        status = emit(e, t, e->point);
        e->row++;
    }
    return status;
}

/* What the integrator's roots mean. *again: the integrator must be started afresh. Entry, turn and
 * exit of a passage are told as rows at their own times. */
static carom_status handle_roots(carom_layer_engine *e, double first, bool *again)
{
    carom_layer_field *f = &e->field;
    carom_status status = CAROM_OK;
    *again = false;
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) /* missed entries come first */
        if (f->place[i] == CAROM_LAYER_FIELD_OUTSIDE && e->roots[2 * i + 1] > 0) {
            status = carom_layer_engine_ended(e, carom_layer_field_look(f, e->t, e->y, e->error));
            if (status == CAROM_OK && f->x[i] < f->b * (1 - 4 * DBL_EPSILON)) {
                status = carom_layer_integrator_find_entry(e, i, &e->t);
                memset(e->roots, 0, sizeof(int) * 2 * (size_t)e->shape->p);
                e->roots[2 * i] = -1;
                break;
            }
        }
    if (status == CAROM_OK)
        status = emit_until(e, first, e->t);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        const int *root = e->roots + 2 * i;
        if (f->place[i] == CAROM_LAYER_FIELD_OUTSIDE) {
            if (root[0] >= 0)
                continue;
            status = carom_layer_engine_ended(e, carom_layer_field_look(f, e->t, e->y, e->error));
            if (status == CAROM_OK)
                status = carom_layer_passage_enter(e, i, f->b, fmin(f->rate[i], 0));
            if (status == CAROM_OK)
                status = emit(e, e->t, e->y);
            *again = true;
        } else if (f->place[i] == CAROM_LAYER_FIELD_INSIDE) {
            if (root[1] > 0 && isnan(e->passages[i].turn)) {
                e->passages[i].turn = e->t;
                memcpy(e->passages[i].q, e->y, sizeof(double) * (size_t)e->shape->nq);
                status = emit(e, e->t, e->y);
            }
            if (status == CAROM_OK && root[0] > 0) {
                status = carom_layer_passage_leave(e, i);
                if (status == CAROM_OK)
                    status = emit(e, e->t, e->y);
                *again = true;
            }
        } else if (root[0] < 0 || root[1] < 0) {
            status = carom_layer_passage_leave_edge(e, i, root[1] < 0);
            *again = true;
        }
    }
    return status;
}

static carom_status step(carom_layer_engine *e, double first)
{
    bool again = false, any = false;
    carom_status status = e->integrator->step(e);
    if (status != CAROM_OK)
        return status;
    e->record->result->steps++;
    for (int k = 0; k < 2 * e->shape->p; k++)
        any = any || e->roots[k] != 0;
    if (!any)
        return emit_until(e, first, e->t);
    status = handle_roots(e, first, &again);
    return status == CAROM_OK && again ? carom_layer_integrator_restart(e) : status;
}

/* The start: no contact may be at or behind its wall; those within b are in their layers. */
static carom_status begin(carom_layer_engine *e)
{
    carom_layer_field *f = &e->field;
    carom_record *record = e->record;
    char name[32];
    carom_status status =
        carom_layer_engine_ended(e, carom_layer_field_slope(f, e->t, e->y, e->slope, e->error));
    if (status != CAROM_OK)
        return status;
    for (int j = 0; j < e->shape->m; j++)
        if (!(fabs(f->motion.state.f[j]) <= e->options->closed))
            return carom_error_set(e->error, CAROM_ERROR_INPUT,
                                   "the motion starts off joint %s by %.6g, allowed is %.3g",
                                   e->shape->joints && e->shape->joints[j] ? e->shape->joints[j]
                                                                           : "bilateral",
                                   f->motion.state.f[j], e->options->closed);
    const double energy = carom_record_energy(e->shape, &f->motion.state);
    bool rough = false, own = false;
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        double x = f->motion.state.g[i], rate = carom_motion_gamma(&f->motion, i);
        const carom_contact *c = &e->shape->contacts[i];
        rough = rough || (c->slip_count > 0 && c->friction_static > 0);
        own = own || c->law;
        e->speed[i] = fabs(rate);
        if (!(x > 0))
            return carom_error_set(e->error, CAROM_ERROR_INPUT,
                                   "contact %s starts with gap %.6g: motion in a boundary layer "
                                   "stays off the wall, start with gap > 0 (the layer's edge is at "
                                   "the width %.6g)",
                                   carom_record_contact(record, i, name), x, f->b);
        if (x < f->b || (x == f->b && rate < 0)) {
            status = carom_layer_passage_enter(e, i, x, rate);
        }
    }
    if (status == CAROM_OK && rough)
        status = carom_record_warn(record, e->t, e->error,
                                   "boundary layers have no friction: the contacts' is left aside");
    if (status == CAROM_OK && own)
        status = carom_record_warn(record, e->t, e->error,
                                   "boundary layers take the place of laws: the contacts' own are "
                                   "left aside");
    double kinetic, potential; /* what is in the layers at the start belongs to the energy there */
    take_stock(e, e->y, &kinetic, &potential);
    for (int i = 0; i < e->shape->p; i++)
        e->base[i] = record->result->ledger.impact_loss[i];
    record->result->ledger.initial = record->result->ledger.final = energy + kinetic + potential;
    if (status == CAROM_OK)
        status = carom_layer_integrator_restart(e);
    if (status == CAROM_OK)
        status = emit(e, e->t, e->y);
    e->row = 1;
    return status;
}

static carom_status follow(carom_layer_engine *e, double first)
{
    carom_record *record = e->record;
    carom_status status = begin(e);
    while (status == CAROM_OK && e->t < e->options->until) {
        status = step(e, first);
        if (status == CAROM_OK && (record->result->steps & 255) == 0)
            status = carom_record_progress(record, e->t, e->error);
        if (status == CAROM_OK && e->options->max_events > 0 &&
            record->result->events > e->options->max_events)
            status = carom_record_stop(record, CAROM_FLOW_EVENT_LIMIT, "the limit of %ld events",
                                       e->options->max_events);
    }
    if (status < 0)
        return status;
    if (carom_layer_field_slope(&e->field, e->t, e->y, e->slope, e->error) == CAROM_OK) {
        book(e, e->y);
        carom_status last = CAROM_OK;
        if (e->options->until > first && carom_record_lacks_end(record, status, e->t))
            last = emit(e, e->t, e->y);
        if (status == CAROM_OK || last < 0)
            status = last;
    }
    carom_status kept = carom_record_finish(record, &e->field.motion.state, e->error);
    return kept != CAROM_OK ? kept : status;
}

carom_status carom_boundary_layer_run(carom_record *record,
                                      const carom_layer_integrator *integrator,
                                      const carom_flow_start *start, carom_arena *work,
                                      carom_error *error)
{
    carom_layer_engine engine;
    carom_status status = create(&engine, record, start, work, error);
    if (status != CAROM_OK)
        return status;
    engine.integrator = integrator;
    status = engine.integrator->create(&engine, work, error);
    if (status == CAROM_OK)
        status = follow(&engine, start->t);
    if (engine.integrator->destroy)
        engine.integrator->destroy(&engine);
    return status;
}
