/* The loop of the time-stepping methods: steps, rows, impacts, the end. */
#include "flow/time_stepping.h"
#include "flow/step_corner.h"
#include "flow/step_grid.h"
#include "flow/step_law.h"
#include "flow/step_static.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "system/system.h"

/* What the law says of contact i. */
static void adopt(carom_time_stepping *s, int i, const carom_law *law)
{
    carom_law_step say = {0};
    if (law->ops->step)
        law->ops->step(law, &s->shape->contacts[i], &say);
    s->e[i] = say.restitution;
    s->rough[i] = say.rough;
    if (say.rough)
        s->e_tangential[i] = say.tangential;
}

/* Vectors of the run, one block. */
static carom_status carve(carom_time_stepping *s, carom_error *error)
{
    const carom_system_shape *shape = s->shape;
    const size_t n = (size_t)shape->n, p = (size_t)shape->p;
    const size_t longest = n > (size_t)shape->nq ? n : (size_t)shape->nq;
    const size_t rows = p + (size_t)shape->s, joints = (size_t)(shape->m + shape->a);
    double *d =
        carom_arena_zeros(s->work, 5 * p + 3 * rows + joints + 4 * n + longest, sizeof(double));
    s->rough = carom_arena_zeros(s->work, 4 * p, 1);
    s->fresh = carom_arena_array(s->work, p, sizeof *s->fresh);
    if (!d || !s->rough || !s->fresh)
        return carom_error_memory(error);
    s->mode = s->rough + p;
    s->was = s->mode + p;
    s->corners = s->was + p;
    s->e = d;
    s->e_tangential = d += p;
    s->since = d += p;
    s->expected = d += p;
    s->way = d += p;
    s->impulse = d += p;
    s->tangent = d += p;
    s->v = d += shape->s;
    s->next = d += n;
    s->change = d += n;
    s->old_force = d += n;
    s->before = d += n;
    s->after = d += rows;
    s->joint_motion = d += rows;
    s->rate = d + joints;
    return CAROM_OK;
}

/* Every contact has a law whose impulse is part of a step. */
static carom_status adopt_laws(carom_time_stepping *s, const carom_law *law, carom_error *error)
{
    for (int i = 0; i < s->p; i++) {
        const carom_law *own = s->shape->contacts[i].law ? s->shape->contacts[i].law : law;
        carom_status status = carom_step_law_check(own, error);
        if (status != CAROM_OK)
            return status;
        adopt(s, i, own);
    }
    return CAROM_OK;
}

static carom_status create(carom_time_stepping *s, carom_record *record, const carom_law *law,
                           const carom_flow_start *start, carom_arena *work, carom_arena *scratch,
                           carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    const size_t n = (size_t)shape->n;
    memset(s, 0, sizeof *s);
    s->record = record;
    s->shape = shape;
    s->options = record->options;
    s->work = work;
    s->scratch = scratch;
    s->n = shape->n;
    s->nq = shape->nq;
    s->p = shape->p;
    s->h = s->options->step;
    s->t = start->t;
    s->law_name = law->ops->name;
    carom_status status = carom_state_create(record->system, work, &s->state, error);
    if (status == CAROM_OK)
        status = carom_step_response_create(work, shape, &s->state, &s->response, error);
    if (status == CAROM_OK)
        status =
            carom_step_contact_create(work, shape, &s->state, &s->response, &s->contact, error);
    const carom_step_contact *c = &s->contact; /* the forces must not touch what they read */
    const bool direct = c->rows.direct || s->response.joints.direct;
    if (status == CAROM_OK)
        status = carom_state_create_beside(record->system, work, direct ? NULL : &s->state,
                                           &s->point, error);
    if (status == CAROM_OK)
        status = carve(s, error);
    if (status != CAROM_OK)
        return status;
    s->looks_ahead =
        !shape->mass_is_constant || !shape->kinematics_is_identity ||
        (!shape->rows_are_constant && (shape->m + shape->a > 0 || !shape->rows_are_timeless));
    s->moves = !shape->rows_are_constant && !shape->rows_are_timeless &&
               s->options->scheme == CAROM_FLOW_MOREAU_JEAN;
    s->want = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_MASS;
    if (shape->s > 0)
        s->want |= CAROM_WANT_SLIPS;
    if (shape->m + shape->a > 0)
        s->want |= CAROM_WANT_JOINTS;
    if (!shape->kinematics_is_identity)
        s->want |= CAROM_WANT_KINEMATICS;
    s->couples = !shape->mass_is_diagonal || shape->m + shape->a > 0;
    memcpy(s->state.q, start->q, sizeof(double) * (size_t)s->nq);
    memcpy(s->v, start->u, sizeof(double) * n);
    return adopt_laws(s, law, error);
}

/* The motion of row r of the problem in the mean over the step: its rates at both ends are the
 * product with the velocity and this. */
static double mean_motion(const carom_time_stepping *s, int r, double constant)
{
    const int row = s->contact.row[r];
    if (!s->moves)
        return constant;
    return 0.5 * (s->before[row] - carom_step_contact_rate(&s->contact, r, s->v) + s->after[row]);
}

/* What contact k of the problem does, and its part of the ledger. Returns its part of an impact. */
static double book_contact(carom_time_stepping *s, int k)
{
    const carom_step_contact *c = &s->contact;
    carom_flow_ledger *l = &s->record->result->ledger;
    const carom_state *x = &s->state;
    const int i = c->contact[k], n = c->base[k], width = carom_step_contact_width(c, k);
    const double P = c->P[n];
    const double hat = mean_motion(s, n, x->w_hat[i]);
    double mean =
        0.5 * (carom_step_contact_rate(c, n, s->v) + carom_step_contact_rate(c, n, s->next));
    double impact = P * (mean + hat), slide = 0;
    double moving = -P * hat, friction = 0;
    s->impulse[i] = P;
    s->mode[i] = CAROM_MODE_CLOSED;
    for (int r = n + 1; r < c->base[k + 1]; r++) {
        const int j = c->row[r] - s->p;
        double slip =
            0.5 * (carom_step_contact_rate(c, r, s->v) + carom_step_contact_rate(c, r, s->next));
        const double motion = mean_motion(s, r, x->slip_motion[j]);
        s->tangent[j] = c->P[r];
        slide += c->P[r] * (slip + motion);
        moving -= c->P[r] * motion;
        friction = friction > 0 ? hypot(friction, c->P[r]) : fabs(c->P[r]);
    }
    if (width > 0) {
        bool stick = friction < c->mu[k] * P * (1 - CAROM_TOLERANCE_CARRIED);
        s->mode[i] = stick             ? CAROM_MODE_STICK
                     : width == 2      ? CAROM_MODE_SLIP
                     : c->P[n + 1] < 0 ? CAROM_MODE_SLIP_PLUS
                                       : CAROM_MODE_SLIP_MINUS;
    }
    const bool hit = !c->carried[i];
    if (hit) {
        impact += slide + moving;
        slide = moving = 0;
    }
    l->impacts += impact;
    l->impact_loss[i] += impact;
    l->friction += slide;
    l->friction_loss[i] += slide;
    l->constraints += moving;
    l->forces += moving;
    return hit ? impact : 0;
}

/* The ledger of the step: impulse times mean velocity, contact by contact. */
static carom_status book(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    int fresh_count = 0;
    double lost = 0;
    memset(s->impulse, 0, sizeof(double) * (size_t)s->p);
    if (s->shape->s > 0)
        memset(s->tangent, 0, sizeof(double) * (size_t)s->shape->s);
    memset(s->mode, CAROM_MODE_OPEN, (size_t)s->p);
    for (int k = 0; k < c->count; k++)
        if (c->P[c->base[k]] > 0)
            lost += book_contact(s, k);
    if (s->shape->s > 0)
        carom_step_static_keep(c);
    s->record->result->ledger.forces += s->h * s->point.power;
    for (int i = 0; i < s->p; i++) {
        const bool pushes = s->impulse[i] > 0;
        if (pushes && !c->carried[i]) {
            s->fresh[fresh_count++] = i;
            s->since[i] = s->t;
        }
        c->carried[i] = pushes ? c->carried[i] + (c->carried[i] < 255) : 0;
        c->memory[i] = s->impulse[i];
    }
    if (s->shape->s > 0)
        memcpy(c->memory + s->p, s->tangent, sizeof(double) * (size_t)s->shape->s);
    if (s->record->observer->change) {
        carom_status status = carom_record_changes(s->record, s->end, s->was, s->mode, error);
        if (status != CAROM_OK)
            return status;
    }
    if (fresh_count == 0)
        return CAROM_OK;
    for (int k = 0; k < fresh_count; k++)
        c->w[k] = s->impulse[s->fresh[k]];
    carom_flow_impact impact = {.kind = CAROM_FLOW_COLLISION,
                                .t = s->end,
                                .t_before = s->end,
                                .t_after = s->end,
                                .contact_count = fresh_count,
                                .contacts = s->fresh,
                                .law = s->law_name,
                                .q = s->state.q,
                                .before = s->v,
                                .after = s->next,
                                .impulse = c->w,
                                .energy_change = lost};
    return carom_record_impact(s->record, &impact, error);
}

/* Patterns that have grown, or are seen for the first time: what couples what is found again. */
static carom_status build(carom_time_stepping *s, carom_error *error)
{
    carom_status status = carom_step_response_build(&s->response, NULL, s->work, error);
    return status == CAROM_OK ? carom_step_contact_build(&s->contact, s->work, error) : status;
}

/* Everything at the present time, with the mass factored; ahead: what a step takes elsewhere is
 * taken there. */
static carom_status look(carom_time_stepping *s, unsigned more, bool ahead, carom_error *error)
{
    carom_state *x = &s->state;
    x->t = s->t;
    memcpy(x->u, s->v, sizeof(double) * (size_t)s->n);
    unsigned want = s->want | more;
    if (s->response.factored && s->response.constant && !more)
        want &= ~(unsigned)CAROM_WANT_MASS;
    if (s->response.group && s->shape->rows_are_constant)
        want &= ~(unsigned)(CAROM_WANT_NORMALS | CAROM_WANT_SLIPS);
    s->response.skew = false;
    carom_status status = carom_system_evaluate(s->record->system, want, x, error);
    if (status != CAROM_OK)
        return status;
    bool grown = s->couples && carom_step_response_gather(&s->response, want & CAROM_WANT_MASS);
    if (want & (CAROM_WANT_NORMALS | CAROM_WANT_SLIPS))
        grown = carom_step_rows_gather(&s->contact.rows) || grown;
    if (ahead && s->looks_ahead)
        status = carom_step_ahead(s, &grown, error);
    if (status != CAROM_OK)
        return status;
    if (grown || !s->response.group)
        status = build(s, error);
    if (status != CAROM_OK)
        return status;
    if (s->response.factored && s->response.constant)
        return CAROM_OK;
    int bad = carom_step_response_factor_mass(&s->response);
    if (bad == 0)
        return CAROM_OK;
    carom_error_set(error, CAROM_ERROR_NUMERIC,
                    "the mass matrix is not positive definite (pivot %d) at t = %.17g", bad, x->t);
    return CAROM_STOPPED;
}

static void measure_penetration(carom_time_stepping *s)
{
    double *most = &s->record->result->max_penetration;
    for (int i = 0; i < s->p; i++)
        *most = fmax(*most, -s->state.g[i]);
}

/* One correction of the positions: the least in the kinetic norm that the rows ask for. */
static carom_status correct(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    carom_step_response *r = &s->response;
    carom_status status = CAROM_OK;
    memset(s->change, 0, sizeof(double) * (size_t)s->n);
    if (r->joints.count > 0) { /* nonholonomic constraints hold for velocities only */
        carom_step_response_hold(r);
        for (int j = 0; j < r->joints.count; j++)
            r->hat[j] = j < s->shape->m ? s->state.f[j] : 0;
        carom_step_response_obey(r, s->change);
    }
    if (c->count > 0) {
        carom_step_contact_assemble(c);
        for (int k = 0; k < c->count; k++) {
            c->offset[k] = s->state.g[c->contact[k]];
            c->b[k] = c->offset[k] + carom_step_contact_rate(c, k, s->change);
        }
        status = carom_time_step_solve_contacts(s, s->change, error);
    }
    carom_time_step_kinematics(s, s->change, s->rate);
    return status;
}

/* Positions back to g >= 0 and f = 0, the nearest in the kinetic norm; its energy booked apart. */
static carom_status project(carom_time_stepping *s, carom_error *error)
{
    carom_step_contact *c = &s->contact;
    carom_state *x = &s->state;
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, false, error);
    if (status != CAROM_OK)
        return status;
    double before = carom_record_energy(s->shape, x);
    const bool implicit = s->response.implicit;
    bool moved = false;
    s->response.implicit = false;
    for (int round = 0; round < 8; round++) {
        double size = carom_dense_max(s->nq, x->q), worst = carom_dense_max(s->shape->m, x->f);
        carom_step_contact_clear(c);
        for (int k = 0; k < s->p; k++) { /* all of them: what is pushed must not push into others */
            const double g = x->g[c->order[k]];
            worst = -g > worst ? -g : worst;
            carom_step_contact_add(c, c->order[k], 0, 0);
        }
        if (worst <= 8 * DBL_EPSILON * size)
            break;
        status = correct(s, error);
        if (status != CAROM_OK)
            return status;
        for (int i = 0; i < s->nq; i++)
            x->q[i] += s->rate[i];
        moved = true;
        status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, false, error);
        if (status != CAROM_OK)
            return status;
    }
    s->response.implicit = implicit && s->response.LU;
    if (moved)
        s->record->result->ledger.projection += carom_record_energy(s->shape, x) - before;
    return CAROM_OK;
}

/* One step from t to t + h. */
static carom_status step(carom_time_stepping *s, carom_error *error)
{
    const bool paoli = s->options->scheme == CAROM_FLOW_SCHATZMAN_PAOLI;
    const double theta = paoli ? 1 : s->options->theta;
    double *q = s->state.q;
    carom_status status = look(s, 0, true, error);
    if (status != CAROM_OK)
        return status;
    measure_penetration(s);
    if (s->contact.count > 0) /* in the step before */
        status = carom_step_corner_look(s, error);
    if (status == CAROM_OK)
        status = paoli ? carom_time_step_schatzman_paoli(s, error)
                       : carom_time_step_moreau_jean(s, error);
    if (status == CAROM_OK)
        status = book(s, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < s->n; i++)
        s->change[i] = theta * s->next[i] + (1 - theta) * s->v[i];
    if (s->contact.count > 0)
        carom_step_corner_expect(s, s->change);
    if (s->shape->kinematics_is_identity) {
        for (int i = 0; i < s->nq; i++)
            q[i] += s->h * s->change[i];
    } else {
        carom_time_step_kinematics(s, s->change, s->rate);
        for (int i = 0; i < s->nq; i++)
            q[i] += s->h * s->rate[i];
    }
    double *v = s->v;
    s->v = s->next;
    s->next = v;
    return CAROM_OK;
}

/* The velocity at t itself: Schatzman-Paoli's is half a step behind. */
static carom_status synchronise(carom_time_stepping *s, double part, double *out,
                                carom_error *error)
{
    if (out != s->v)
        memcpy(out, s->v, sizeof(double) * (size_t)s->n);
    if (s->options->scheme != CAROM_FLOW_SCHATZMAN_PAOLI)
        return CAROM_OK;
    carom_status status = carom_time_step_forces_at(s, 0, s->v, CAROM_WANT_ENERGY, error);
    if (status != CAROM_OK)
        return status;
    memcpy(s->change, s->point.h, sizeof(double) * (size_t)s->n);
    carom_step_response_apply(&s->response, s->change);
    for (int i = 0; i < s->n; i++)
        out[i] += part * s->h * s->change[i];
    return CAROM_OK;
}

/* State, energy and, when asked, a row, at the present time. */
static carom_status emit(carom_time_stepping *s, bool row, carom_error *error)
{
    carom_flow_ledger *l = &s->record->result->ledger;
    carom_state *x = &s->state;
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, false, error);
    if (status == CAROM_OK)
        status = synchronise(s, 0.5, x->u, error);
    if (status != CAROM_OK)
        return status;
    carom_record_balance(s->record, x);
    if (!row || !s->record->observer->row)
        return CAROM_OK;
    for (int i = 0; i < s->p; i++)
        s->impulse[i] /= s->h;
    for (int j = 0; j < s->shape->s; j++)
        s->tangent[j] /= s->h;
    carom_flow_row shown = {.t = s->t,
                            .q = x->q,
                            .u = x->u,
                            .gap = x->g,
                            .force = s->impulse,
                            .friction = s->tangent,
                            .mode = s->mode,
                            .mass = x->M,
                            .ledger = l};
    return carom_record_row(s->record, &shown, error);
}

static carom_status begin(carom_time_stepping *s, carom_error *error)
{
    char name[32];
    carom_status status = look(s, CAROM_WANT_MASS | CAROM_WANT_ENERGY, false, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < s->p; i++)
        if (s->state.g[i] < -s->options->closed) {
            status = carom_record_warn(s->record, s->t, error,
                                       "the motion starts in penetration: contact %s has gap %.6g",
                                       carom_record_contact(s->record, i, name), s->state.g[i]);
            if (status != CAROM_OK)
                return status;
        }
    s->record->result->ledger.initial = carom_record_energy(s->shape, &s->state);
    return synchronise(s, -0.5, s->v, error);
}

static carom_status all_steps(carom_time_stepping *s, double begin, carom_error *error)
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
        if (s->options->project)
            status = project(s, error);
        if (status == CAROM_OK && carom_step_grid_row(&grid, k, s->t, s->h))
            status = emit(s, true, error);
        if (status == CAROM_OK && (r->steps & 4095) == 0)
            status = carom_record_progress(s->record, s->t, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

carom_status carom_time_stepping_run(carom_record *record, const carom_law *law,
                                     const carom_flow_start *start, carom_arena *work,
                                     carom_arena *scratch, carom_error *error)
{
    carom_time_stepping stepping, *s = &stepping;
    carom_flow_result *r = record->result;
    carom_status status = create(s, record, law, start, work, scratch, error);
    if (status != CAROM_OK)
        return status;
    status = begin(s, error);
    if (status == CAROM_OK)
        status = emit(s, true, error);
    if (status == CAROM_OK)
        status = all_steps(s, start->t, error);
    if (status == CAROM_ERROR_NUMERIC || (status > 0 && r->end == CAROM_FLOW_REACHED))
        status = carom_record_stop(record, CAROM_FLOW_BAD_FORCE, "%s", error->text);
    if (status < 0)
        return status;
    carom_error ignored;
    carom_status last = emit(s, carom_record_lacks_end(record, status, s->t),
                             status == CAROM_OK ? error : &ignored);
    if (status == CAROM_OK)
        status = last;
    measure_penetration(s);
    s->state.t = s->t;
    if (last != CAROM_OK)
        memcpy(s->state.u, s->v, sizeof(double) * (size_t)s->n);
    carom_status kept = carom_record_finish(record, &s->state, error);
    return kept != CAROM_OK ? kept : status;
}
