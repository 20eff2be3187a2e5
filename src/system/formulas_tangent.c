/* Derivatives of a system of formulas in given directions: forward mode on its tape, and products
 * of the derivatives of matrices with vectors, entry by entry (docs/theory/tangents.md). */
#include "system/formulas_model.h"

#include <string.h>

typedef carom_formulas_model model;

/* The tape on which parameters are variables is longer: it is for those who want their derivatives.
 */
static const carom_formulas_tape *tape_of(const model *m, bool parameters)
{
    return m->keeps_parameters && parameters ? &m->open : &m->plain;
}

/* Forward mode on a tape into m->tangents. NULL: no memory. */
static const double *pass(model *m, const carom_formulas_tape *on, unsigned want,
                          const carom_state *state, const carom_directions *directions)
{
    const size_t room = carom_tape_tangent_room(on->tape, directions->k);
    if (room > m->tangent_room) {
        double *taken = carom_arena_doubles(m->arena, room);
        if (!taken)
            return NULL;
        m->tangents = taken;
        m->tangent_room = room;
    }
    const carom_tape_directions along = {.k = directions->k,
                                         .t = directions->t,
                                         .q = directions->q,
                                         .u = directions->u,
                                         .parameters = directions->parameters,
                                         .nq = m->n,
                                         .n = m->n,
                                         .parameter_count = m->parameter_count};
    m->k = directions->k;
    m->on = on;
    return carom_tape_tangent(on->tape, want, state->t, state->q, state->u, &along, m->tangents);
}

/* Functions of events and what they set, where they have a kink. False: no memory. */
static bool look_for_kinks(model *m, const carom_state *state)
{
    const size_t own = carom_tape_tangent_room(m->on->tape, m->k);
    const size_t room = own + carom_tape_kink_room(m->on->tape, m->k);
    if (room > m->sharp_room) {
        double *taken = carom_arena_doubles(m->arena, room);
        if (!taken)
            return false;
        m->sharp = taken;
        m->sharp_room = room;
    }
    memcpy(m->sharp, m->tangents, own * sizeof(double));
    carom_tape_kink(m->on->tape, CAROM_WANT_EVENTS | CAROM_FORMULAS_WANT_RESETS, state->t, state->q,
                    state->u, m->k, m->sharp, m->sharp + own);
    return true;
}

carom_status carom_formulas_model_differentiate(void *self, unsigned want, const carom_state *state,
                                                const carom_directions *directions,
                                                carom_error *error)
{
    model *m = self;
    const carom_formulas_tape *on = tape_of(m, directions->parameters);
    if (directions->parameters && m->parameter_count > 0 && !m->keeps_parameters)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "the system was made without derivatives with respect to its "
                               "parameters");
    want &= CAROM_WANT_ALL | CAROM_WANT_GUARDS | CAROM_WANT_EVENTS;
    if (want & CAROM_WANT_EVENTS)
        want |= CAROM_FORMULAS_WANT_RESETS;
    const bool good = pass(m, on, want, state, directions) &&
                      (!(want & CAROM_FORMULAS_WANT_RESETS) || look_for_kinks(m, state));
    return good ? CAROM_OK : carom_error_memory(error);
}

carom_status carom_formulas_model_switching(void *self, const carom_state *state,
                                            const carom_directions *directions, double *value,
                                            double *change, carom_error *error)
{
    model *m = self;
    const carom_formulas_tape *on = tape_of(m, true);
    const int bit = CAROM_FORMULAS_SWITCHES_BIT;
    const double *slots = directions
                              ? pass(m, on, 1u << bit, state, directions)
                              : carom_tape_run(on->tape, 1u << bit, state->t, state->q, state->u);
    if (!slots)
        return carom_error_memory(error);
    for (size_t k = on->start[bit]; k < on->start[bit + 1]; k++) {
        const carom_formulas_value *v = &on->values[k];
        value[v->index] = slots[v->slot];
        for (int j = 0; directions && j < m->k; j++)
            change[v->index + (size_t)j * (size_t)m->switch_count] =
                m->tangents[v->slot * (size_t)m->k + (size_t)j];
    }
    return CAROM_OK;
}

/* to (rows x k) += factor times the tangent, in row i. A factor of zero asks for nothing, even of a
 * derivative that does not exist. */
static void add(double *to, size_t rows, size_t i, const double *tangent, double factor, int k)
{
    if (!to || factor == 0)
        return;
    for (int j = 0; j < k; j++)
        to[i + (size_t)j * rows] += factor * tangent[j];
}

/* An entry of a matrix of n rows, in column c: its part of the product with the forces y, and of
 * the transpose's with x. */
static void add_row(const model *m, const carom_tangents *t, double *products, int columns,
                    const double *y, const carom_formulas_value *v, const double *tangent)
{
    const size_t n = (size_t)m->n, i = v->row, c = v->column;
    add(t->force, n, i, tangent, y ? y[c] : 0, m->k);
    add(products, (size_t)columns, c, tangent, t->x ? t->x[i] : 0, m->k);
}

/* An entry of a field that is no matrix: where it goes, and how many it has. */
static double *find_field(const model *m, const carom_tangents *t, carom_formulas_field field,
                          int *rows)
{
    switch (field) {
    case CAROM_FIELD_H_FORCE:
        return *rows = m->n, t->h;
    case CAROM_FIELD_G:
        return *rows = m->p, t->g;
    case CAROM_FIELD_W_HAT:
        return *rows = m->p, t->w_hat;
    case CAROM_FIELD_G_BIAS:
        return *rows = m->p, t->g_bias;
    case CAROM_FIELD_SLIP_MOTION:
        return *rows = m->s, t->slip_motion;
    case CAROM_FIELD_SLIP_BIAS:
        return *rows = m->s, t->slip_bias;
    case CAROM_FIELD_F:
        return *rows = m->m, t->f;
    case CAROM_FIELD_B_HAT:
        return *rows = m->m, t->b_hat;
    case CAROM_FIELD_B_BIAS:
        return *rows = m->m, t->b_bias;
    case CAROM_FIELD_A_HAT:
        return *rows = m->a, t->a_hat;
    case CAROM_FIELD_A_BIAS:
        return *rows = m->a, t->a_bias;
    case CAROM_FIELD_KINETIC:
        return *rows = 1, t->kinetic;
    case CAROM_FIELD_POTENTIAL:
        return *rows = 1, t->potential;
    case CAROM_FIELD_POWER:
        return *rows = 1, t->power;
    case CAROM_FIELD_GUARD:
        return *rows = m->guard_count, t->guard;
    case CAROM_FIELD_EVENT:
        return *rows = m->event_count, t->event;
    case CAROM_FIELD_EVENT_IF:
        return *rows = m->event_count, t->event_if;
    default: /* matrices and resets */
        return *rows = 0, NULL;
    }
}

static void add_value(const model *m, const carom_tangents *t, bool diagonal,
                      const carom_formulas_value *v)
{
    const double *tangent = m->tangents + v->slot * (size_t)m->k;
    const size_t n = (size_t)m->n, i = v->row, c = v->column;
    double *to;
    int rows;
    if (v->constant)
        return;
    switch ((carom_formulas_field)v->field) {
    case CAROM_FIELD_M:
        add(t->Mx, n, i, tangent, t->x ? t->x[diagonal ? i : c] : 0, m->k);
        break;
    case CAROM_FIELD_W:
        add_row(m, t, t->Wx, m->p, t->lambda, v, tangent);
        break;
    case CAROM_FIELD_H_SLIP:
        add_row(m, t, t->Hx, m->s, t->lambda_T, v, tangent);
        break;
    case CAROM_FIELD_B:
        add_row(m, t, t->Bx, m->m, t->joint, v, tangent);
        break;
    case CAROM_FIELD_A:
        add_row(m, t, t->Ax, m->a, t->rolling, v, tangent);
        break;
    default:
        to = find_field(m, t, (carom_formulas_field)v->field, &rows);
        add(to, (size_t)rows, v->index, tangent, 1, m->k);
    }
}

static void clear(double *x, int rows, int k)
{
    if (x)
        memset(x, 0, (size_t)rows * (size_t)k * sizeof *x);
}

static void clear_all(const model *m, const carom_tangents *t)
{
    clear(t->Mx, m->n, m->k);
    clear(t->Nx, m->n, m->k); /* q' = u */
    clear(t->force, m->n, m->k);
    clear(t->Wx, m->p, m->k);
    clear(t->Hx, m->s, m->k);
    clear(t->Bx, m->m, m->k);
    clear(t->Ax, m->a, m->k);
    for (int field = 0; field < CAROM_FIELD_COUNT; field++) {
        int rows;
        double *to = find_field(m, t, (carom_formulas_field)field, &rows);
        clear(to, rows, m->k);
    }
}

/* Which parts have to be read for what is asked. */
static unsigned parts_of(const carom_tangents *t)
{
    unsigned want = 0;
    want |= t->g ? CAROM_WANT_GAPS : 0u;
    want |= t->Wx || t->w_hat || (t->force && t->lambda) ? CAROM_WANT_NORMALS : 0u;
    want |= t->Hx || t->slip_motion || (t->force && t->lambda_T) ? CAROM_WANT_SLIPS : 0u;
    want |= t->f || t->Bx || t->b_hat || t->Ax || t->a_hat || (t->force && (t->joint || t->rolling))
                ? CAROM_WANT_JOINTS
                : 0u;
    want |= t->Mx ? CAROM_WANT_MASS : 0u;
    want |= t->h ? CAROM_WANT_FORCES : 0u;
    want |= t->g_bias || t->slip_bias || t->b_bias || t->a_bias ? CAROM_WANT_BIASES : 0u;
    want |= t->kinetic || t->potential || t->power ? CAROM_WANT_ENERGY : 0u;
    want |= t->guard ? CAROM_WANT_GUARDS : 0u;
    want |= t->event || t->event_if ? CAROM_WANT_EVENTS : 0u;
    return want;
}

/* The functions of events with their kinks. */
static void read_sharp(const model *m, const carom_formulas_tape *on, double *to)
{
    const int bit = CAROM_FORMULAS_EVENTS_BIT;
    for (size_t k = on->start[bit]; k < on->start[bit + 1]; k++) {
        const carom_formulas_value *v = &on->values[k];
        if (v->field == CAROM_FIELD_EVENT && !v->constant)
            add(to, (size_t)m->event_count, v->index, m->sharp + v->slot * (size_t)m->k, 1, m->k);
    }
}

void carom_formulas_model_tangents(void *self, carom_tangents *tangents)
{
    const model *m = self;
    const carom_formulas_tape *on = m->on;
    const unsigned want = parts_of(tangents);
    clear_all(m, tangents);
    for (int bit = 0; bit < CAROM_FORMULAS_WANT_BITS; bit++)
        for (size_t v = on->start[bit]; want >> bit & 1 && v < on->start[bit + 1]; v++)
            add_value(m, tangents, on->mass_is_diagonal, &on->values[v]);
    clear(tangents->event_sharp, m->event_count, m->k);
    if (tangents->event_sharp)
        read_sharp(m, on, tangents->event_sharp);
}

/* Whether the parts depend on a variable: an instruction reads it, or it is a part itself. */
static bool depends(const carom_formulas_tape *on, unsigned want, carom_variable variable)
{
    if (!carom_tape_uses(on->tape, variable))
        return false;
    for (int bit = 0; bit < CAROM_FORMULAS_WANT_BITS; bit++)
        for (size_t v = on->start[bit]; want >> bit & 1 && v < on->start[bit + 1]; v++)
            if (carom_tape_is_variable(on->tape, on->values[v].slot, variable))
                return true;
    return carom_tape_reads(on->tape, want, variable);
}

void carom_formulas_model_depends(void *self, unsigned want, unsigned char *q, unsigned char *u,
                                  unsigned char *t)
{
    const model *m = self;
    const carom_formulas_tape *on = tape_of(m, true);
    *t = depends(on, want, CAROM_VARIABLE_T);
    for (int i = 0; i < m->n; i++) {
        q[i] = depends(on, want, CAROM_VARIABLE_Q(i));
        u[i] = depends(on, want, CAROM_VARIABLE_U(i));
    }
}

void carom_formulas_model_reset_tangents(void *self, int event, double *q, double *u)
{
    const model *m = self;
    const carom_formulas_tape *on = m->on;
    const size_t n = (size_t)m->n;
    const int bit = CAROM_FORMULAS_RESETS_BIT;
    for (int j = m->set_start[event]; j < m->set_start[event + 1];
         j++) /* constants do not change */
        for (int d = 0; d < m->k; d++)
            (m->targets[j] < m->n ? q : u)[(size_t)m->targets[j] % n + (size_t)d * n] = 0;
    for (size_t k = on->start[bit]; k < on->start[bit + 1]; k++) {
        const carom_formulas_value *v = &on->values[k];
        const int j = (int)v->index;
        if (j >= m->set_start[event] && j < m->set_start[event + 1])
            add(m->targets[j] < m->n ? q : u, n, (size_t)m->targets[j] % n,
                m->sharp + v->slot * (size_t)m->k, 1, m->k);
    }
}
