/* Lagrange's equations and the derivatives of gaps, slips and joints, as graph nodes.
 *
 * With D = the time derivative along q' = u at constant u (docs/theory/lagrange.md):
 *   M = T_uu,  h = Q - V_q + T_q - D(T_u),
 *   power = u'Q + V_t - T_t + D(T at u = 0),
 *   gap:  W = g_q,  w_hat = g_t,  g_bias = D(D(g));
 *   slip: H = s_u,  slip_motion = s at u = 0,  slip_bias = D(s). */
#include "system/formulas.h"

#include <string.h>

typedef struct deriver {
    const carom_formulas_read *read;
    carom_graph *g;
    carom_derivative *d;
    carom_formulas_derived *out;
    carom_node *T_q, *T_u, *V_q; /* n each, zero where they vanish by structure */
    carom_node T_t, V_t;
    carom_error *error;
} deriver;

carom_formulas_kind carom_formulas_kind_of(carom_formulas_field field)
{
    static const carom_formulas_kind kinds[CAROM_FIELD_COUNT] = {
        [CAROM_FIELD_M] = CAROM_KIND_MASS,
        [CAROM_FIELD_H_FORCE] = CAROM_KIND_FORCE,
        [CAROM_FIELD_POWER] = CAROM_KIND_POWER,
        [CAROM_FIELD_G_BIAS] = CAROM_KIND_BIAS,
        [CAROM_FIELD_SLIP_BIAS] = CAROM_KIND_BIAS,
        [CAROM_FIELD_SPREAD_BIAS] = CAROM_KIND_BIAS,
        [CAROM_FIELD_B_BIAS] = CAROM_KIND_BIAS,
        [CAROM_FIELD_A_BIAS] = CAROM_KIND_BIAS,
        [CAROM_FIELD_G] = CAROM_KIND_VALUE,
        [CAROM_FIELD_F] = CAROM_KIND_VALUE,
        [CAROM_FIELD_KINETIC] = CAROM_KIND_VALUE,
        [CAROM_FIELD_POTENTIAL] = CAROM_KIND_VALUE,
        [CAROM_FIELD_SPREAD_VALUE] = CAROM_KIND_VALUE,
        [CAROM_FIELD_APEX] = CAROM_KIND_VALUE,
        [CAROM_FIELD_GUARD] = CAROM_KIND_VALUE,
        [CAROM_FIELD_EVENT] = CAROM_KIND_VALUE,
        [CAROM_FIELD_EVENT_IF] = CAROM_KIND_VALUE,
        [CAROM_FIELD_RESET] = CAROM_KIND_VALUE,
        [CAROM_FIELD_SWITCH] = CAROM_KIND_VALUE,
    }; /* all others are rows */
    return kinds[field];
}

static void put(deriver *x, unsigned want, carom_formulas_field field, size_t index,
                carom_node node)
{
    carom_formulas_derived *out = x->out;
    if (node == x->g->zero || out->failed)
        return;
    if (out->count == out->capacity) {
        size_t capacity = out->capacity ? 2 * out->capacity : 256;
        carom_formulas_entry *entries =
            out->allocator.resize(out->allocator.self, out->entries, capacity * sizeof *entries);
        if (!entries) {
            out->failed = true;
            return;
        }
        out->entries = entries;
        out->capacity = capacity;
    }
    out->entries[out->count++] =
        (carom_formulas_entry){node, (uint16_t)want, (uint16_t)field, index};
}

static carom_status check(const deriver *x)
{
    carom_status status = carom_derivative_check(x->d, x->error);
    return status || !x->out->failed ? status : carom_error_memory(x->error);
}

static carom_node add(const deriver *x, carom_node a, carom_node b)
{
    return carom_graph_binary(x->g, CAROM_OP_ADD, a, b);
}

static carom_node sub(const deriver *x, carom_node a, carom_node b)
{
    return carom_graph_binary(x->g, CAROM_OP_SUB, a, b);
}

static carom_node dot(const deriver *x, carom_node a)
{
    return carom_derivative_in_time(x->d, a);
}

/* First derivatives of a sum into arrays by kind of variable (NULL: not wanted). */
static void spread(const deriver *x, carom_node root, carom_node *by_q, carom_node *by_u,
                   carom_node *by_t)
{
    int count;
    const carom_partial *p = carom_derivative_gradient(x->d, root, CAROM_ON_ALL, &count);
    for (int i = 0; i < x->read->n; i++) {
        if (by_q)
            by_q[i] = x->g->zero;
        if (by_u)
            by_u[i] = x->g->zero;
    }
    *by_t = x->g->zero;
    for (int k = 0; k < count; k++) {
        int i = CAROM_VARIABLE_INDEX(p[k].variable);
        if (p[k].variable == CAROM_VARIABLE_T)
            *by_t = p[k].node;
        else if (CAROM_VARIABLE_VELOCITY(p[k].variable) && by_u)
            by_u[i] = p[k].node;
        else if (by_q)
            by_q[i] = p[k].node;
    }
}

/* M = T_uu: the lower triangle is derived, the upper is the same number. Entries of a diagonal mass
 * are renumbered at the end, when it is known to be one. */
static carom_status derive_mass(deriver *x)
{
    int n = x->read->n, count;
    carom_formulas_derived *out = x->out;
    size_t first = out->count;
    out->mass_is_diagonal = out->mass_is_constant = true;
    for (int j = 0; j < n; j++) {
        const carom_partial *p = carom_derivative_gradient(x->d, x->T_u[j], CAROM_ON_U, &count);
        bool own = false;
        for (int k = 0; k < count; k++) {
            int i = CAROM_VARIABLE_INDEX(p[k].variable);
            own = own || i == j;
            if (i < j)
                continue;
            put(x, CAROM_WANT_MASS, CAROM_FIELD_M, (size_t)i + (size_t)j * (size_t)n, p[k].node);
            if (i != j)
                put(x, CAROM_WANT_MASS, CAROM_FIELD_M, (size_t)j + (size_t)i * (size_t)n,
                    p[k].node);
            out->mass_is_diagonal = out->mass_is_diagonal && i == j;
            out->mass_is_constant =
                out->mass_is_constant && carom_graph_is_constant(x->g, p[k].node);
        }
        carom_status status = check(x);
        if (status)
            return status;
        if (!own) {
            carom_place at = x->read->places.kinetic;
            return carom_error_at(x->error, CAROM_ERROR_INPUT, at.line, at.column,
                                  "the kinetic energy is not positive definite: it has no term in "
                                  "the square of the velocity %.60s'",
                                  x->read->names[j].text);
        }
    }
    for (size_t k = first; k < out->count && out->mass_is_diagonal; k++)
        out->entries[k].index %= (size_t)n;
    return CAROM_OK;
}

/* h = Q - V_q + T_q - D(T_u). */
static carom_status derive_forces(deriver *x)
{
    for (int i = 0; i < x->read->n; i++) {
        carom_node h = sub(x, x->read->Q[i], x->V_q[i]);
        h = add(x, h, sub(x, x->T_q[i], dot(x, x->T_u[i])));
        put(x, CAROM_WANT_FORCES, CAROM_FIELD_H_FORCE, (size_t)i, h);
    }
    return check(x);
}

static carom_status derive_energy(deriver *x)
{
    carom_node power = sub(x, x->V_t, x->T_t);
    power = add(x, power, dot(x, carom_derivative_at_rest(x->d, x->read->T)));
    for (int i = 0; i < x->read->n; i++) {
        carom_node u = carom_graph_variable(x->g, CAROM_VARIABLE_U(i));
        power = add(x, power, carom_graph_binary(x->g, CAROM_OP_MUL, u, x->read->Q[i]));
    }
    put(x, CAROM_WANT_ENERGY, CAROM_FIELD_KINETIC, 0, x->read->T);
    put(x, CAROM_WANT_ENERGY, CAROM_FIELD_POTENTIAL, 0, x->read->V);
    put(x, CAROM_WANT_ENERGY, CAROM_FIELD_POWER, 0, power);
    return check(x);
}

/* Which fields a scalar function of position fills. */
typedef struct position_fields {
    unsigned value_want, gradient_want;
    carom_formulas_field value, gradient, motion, bias;
} position_fields;

static const position_fields gap_fields = {CAROM_WANT_GAPS, CAROM_WANT_NORMALS, CAROM_FIELD_G,
                                           CAROM_FIELD_W,   CAROM_FIELD_W_HAT,  CAROM_FIELD_G_BIAS};
static const position_fields joint_fields = {CAROM_WANT_JOINTS, CAROM_WANT_JOINTS,
                                             CAROM_FIELD_F,     CAROM_FIELD_B,
                                             CAROM_FIELD_B_HAT, CAROM_FIELD_B_BIAS};

static carom_status derive_position(deriver *x, carom_node f, int index,
                                    const position_fields *fields, carom_place at)
{
    int count, coordinates = 0;
    size_t n = (size_t)x->read->n, column = (size_t)index;
    const carom_partial *p = carom_derivative_gradient(x->d, f, CAROM_ON_Q | CAROM_ON_T, &count);
    put(x, fields->value_want, fields->value, column, f);
    for (int k = 0; k < count; k++) {
        if (p[k].variable == CAROM_VARIABLE_T) {
            put(x, fields->gradient_want, fields->motion, column, p[k].node);
            continue;
        }
        coordinates++;
        put(x, fields->gradient_want, fields->gradient,
            (size_t)CAROM_VARIABLE_INDEX(p[k].variable) + column * n, p[k].node);
    }
    put(x, CAROM_WANT_BIASES, fields->bias, column, dot(x, dot(x, f)));
    carom_status status = check(x);
    if (!status && !coordinates)
        status = carom_error_at(x->error, CAROM_ERROR_INPUT, at.line, at.column,
                                "the gradient of this function vanishes everywhere");
    return status;
}

/* Functions affine in the velocities: slips and kinetic constraints. */
static carom_status derive_affine(deriver *x, carom_node f, int index, unsigned want,
                                  carom_formulas_field row, carom_formulas_field motion,
                                  carom_formulas_field bias, carom_place at)
{
    int count;
    size_t n = (size_t)x->read->n, column = (size_t)index;
    const carom_partial *p = carom_derivative_gradient(x->d, f, CAROM_ON_U, &count);
    for (int k = 0; k < count; k++)
        put(x, want, row, (size_t)CAROM_VARIABLE_INDEX(p[k].variable) + column * n, p[k].node);
    put(x, want, motion, column, carom_derivative_at_rest(x->d, f));
    put(x, CAROM_WANT_BIASES, bias, column, dot(x, f));
    carom_status status = check(x);
    if (!status && !count)
        status = carom_error_at(x->error, CAROM_ERROR_INPUT, at.line, at.column,
                                "this depends on no velocity");
    return status;
}

static carom_status derive_contacts(deriver *x)
{
    const carom_formulas_read *r = x->read;
    carom_status status = CAROM_OK;
    for (int i = 0; i < r->p && !status; i++)
        status = derive_position(x, r->gaps[i], i, &gap_fields, r->places.gaps[i]);
    for (int k = 0; k < r->s && !status; k++)
        status = derive_affine(x, r->slips[k], k, CAROM_WANT_SLIPS, CAROM_FIELD_H_SLIP,
                               CAROM_FIELD_SLIP_MOTION, CAROM_FIELD_SLIP_BIAS, r->places.slips[k]);
    for (int k = 0; k < r->m && !status; k++)
        status = derive_position(x, r->joints[k], k, &joint_fields, r->places.joints[k]);
    for (int k = 0; k < r->a && !status; k++)
        status = derive_affine(x, r->rollings[k], k, CAROM_WANT_JOINTS, CAROM_FIELD_A,
                               CAROM_FIELD_A_HAT, CAROM_FIELD_A_BIAS, r->places.rollings[k]);
    return status;
}

/* A function s of position: its gradient, own rate, bias and value; or rows applied to velocities,
 * which are the rate of s. */
static void derive_spread(deriver *x, carom_node f, size_t k)
{
    int count;
    const size_t n = (size_t)x->read->n;
    const bool moving = x->g->nodes[f].on & CAROM_ON_U;
    const carom_node rate = moving ? f : dot(x, f);
    const carom_partial *p = carom_derivative_gradient(x->d, rate, CAROM_ON_U, &count);
    for (int j = 0; j < count; j++)
        put(x, CAROM_WANT_NORMALS, CAROM_FIELD_SPREAD,
            (size_t)CAROM_VARIABLE_INDEX(p[j].variable) + k * n, p[j].node);
    put(x, CAROM_WANT_NORMALS, CAROM_FIELD_SPREAD_MOTION, k, carom_derivative_at_rest(x->d, rate));
    put(x, CAROM_WANT_BIASES, CAROM_FIELD_SPREAD_BIAS, k, dot(x, rate));
    if (!moving)
        put(x, CAROM_WANT_GAPS, CAROM_FIELD_SPREAD_VALUE, k, f);
}

static carom_status derive_spreads(deriver *x)
{
    const carom_formulas_read *r = x->read;
    for (int k = 0; k < r->spread; k++)
        derive_spread(x, r->spreads[k], (size_t)k);
    for (int i = 0; i < r->p; i++)
        put(x, CAROM_WANT_GAPS, CAROM_FIELD_APEX, (size_t)i, r->apexes[i]);
    return check(x);
}

/* Events and guards are values alone; what else they need comes from tangents. */
static carom_status derive_events(deriver *x)
{
    const carom_formulas_read *r = x->read;
    for (int k = 0; k < r->guard_count; k++)
        put(x, CAROM_WANT_GUARDS, CAROM_FIELD_GUARD, (size_t)k, r->guards[k]);
    for (int k = 0; k < r->event_count; k++) {
        put(x, CAROM_WANT_EVENTS, CAROM_FIELD_EVENT, (size_t)k, r->event_at[k]);
        put(x, CAROM_WANT_EVENTS, CAROM_FIELD_EVENT_IF, (size_t)k, r->event_if[k]);
        for (int j = r->set_start[k]; j < r->set_start[k + 1]; j++)
            put(x, CAROM_FORMULAS_WANT_RESETS, CAROM_FIELD_RESET, (size_t)j, r->sets[j].node);
    }
    return check(x);
}

/* Functions at whose zeros the equations of motion switch. */
static carom_status derive_switches(deriver *x)
{
    carom_node *nodes;
    carom_status status =
        carom_formulas_switches(x->read, x->out, &nodes, &x->out->switch_count, x->error);
    for (int k = 0; k < x->out->switch_count && !status; k++)
        put(x, CAROM_FORMULAS_WANT_SWITCHES, CAROM_FIELD_SWITCH, (size_t)k, nodes[k]);
    return status ? status : check(x);
}

/* Do the gaps and joints jump anywhere? One pass over the graph, arguments stand before what uses
 * them. A function that does not jump and has a constant gradient is affine. */
static carom_status find_jumps(const deriver *x, bool *jump)
{
    const carom_formulas_read *r = x->read;
    const carom_graph *g = x->g;
    unsigned char *jumps = carom_arena_zeros(r->scope->arena, g->count, 1);
    if (!jumps)
        return carom_error_memory(x->error);
    for (carom_node a = 0; a < g->count; a++) {
        const carom_op op = g->nodes[a].op;
        jumps[a] = op == CAROM_OP_SIGN || op == CAROM_OP_SIDE || op == CAROM_OP_LESS ||
                   op == CAROM_OP_LESS_EQUAL || op == CAROM_OP_EQUAL || op == CAROM_OP_SELECT;
        for (int k = 0; k < carom_graph_arity(op); k++)
            jumps[a] = jumps[a] || jumps[carom_graph_argument(g, a, k)];
    }
    for (int i = 0; i < r->p; i++)
        *jump = *jump || jumps[r->gaps[i]];
    for (int j = 0; j < r->m; j++)
        *jump = *jump || jumps[r->joints[j]];
    return CAROM_OK;
}

/* What does not change with position, velocity and time. Vanishing entries are not in the list. */
static carom_status find_constants(deriver *x)
{
    carom_formulas_derived *out = x->out;
    bool jump = false;
    carom_status status = find_jumps(x, &jump);
    if (status)
        return status;
    out->forces_are_constant = out->mass_is_constant;
    out->rows_are_constant = !jump;
    out->rows_are_timeless = true;
    out->power_is_zero = true;
    for (size_t k = 0; k < out->count; k++) {
        const carom_formulas_entry *entry = &out->entries[k];
        const carom_graph_node *node = &x->g->nodes[entry->node];
        const bool constant = carom_graph_is_constant(x->g, entry->node);
        switch (carom_formulas_kind_of((carom_formulas_field)entry->field)) {
        case CAROM_KIND_POWER:
            out->power_is_zero = false;
            out->forces_are_constant = out->forces_are_constant && node->degree <= 1 &&
                                       !(node->on & (CAROM_ON_Q | CAROM_ON_T));
            break;
        case CAROM_KIND_FORCE:
            out->forces_are_constant = out->forces_are_constant && constant;
            break;
        case CAROM_KIND_BIAS:
            out->rows_are_constant = false;
            break;
        case CAROM_KIND_ROW:
            out->rows_are_constant = out->rows_are_constant && constant;
            out->rows_are_timeless = out->rows_are_timeless && !(node->on & CAROM_ON_T);
            break;
        case CAROM_KIND_MASS: /* derive_mass knows */
        case CAROM_KIND_VALUE:
            break;
        }
    }
    return CAROM_OK;
}

carom_status carom_formulas_derive(const carom_formulas_read *read, carom_formulas_derived *derived,
                                   carom_error *error)
{
    carom_graph *g = &read->scope->graph;
    deriver x = {.read = read, .g = g, .out = derived, .error = error};
    size_t n = (size_t)read->n;
    x.T_q = carom_arena_array(read->scope->arena, 3 * n, sizeof *x.T_q);
    if (!x.T_q)
        return carom_error_memory(error);
    x.T_u = x.T_q + n;
    x.V_q = x.T_u + n;
    carom_status status = carom_derivative_create(g, &x.d, error);
    if (status)
        return status;
    spread(&x, read->T, x.T_q, x.T_u, &x.T_t);
    spread(&x, read->V, x.V_q, NULL, &x.V_t);
    status = check(&x);
    if (!status)
        status = derive_mass(&x);
    if (!status)
        status = derive_forces(&x);
    if (!status)
        status = derive_energy(&x);
    if (!status)
        status = derive_contacts(&x);
    if (!status)
        status = derive_spreads(&x);
    if (!status)
        status = derive_events(&x);
    if (!status)
        status = derive_switches(&x);
    if (!status)
        status = find_constants(&x);
    carom_derivative_destroy(x.d);
    return status;
}
