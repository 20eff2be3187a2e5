/* The maker of systems from formulas: parse, derive, compile, and the table of functions. */
#include "base/parts.h"
#include "carom/need.h"
#include "system/formulas_model.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef carom_formulas_model model;

static void destroy(void *self)
{
    model *m = self;
    carom_arena_destroy(m->arena);
}

/* Where the arrays of a state are. */
static const size_t arrays[CAROM_FIELD_COUNT] = {
    [CAROM_FIELD_M] = offsetof(carom_state, M),
    [CAROM_FIELD_H_FORCE] = offsetof(carom_state, h),
    [CAROM_FIELD_G] = offsetof(carom_state, g),
    [CAROM_FIELD_W] = offsetof(carom_state, W),
    [CAROM_FIELD_W_HAT] = offsetof(carom_state, w_hat),
    [CAROM_FIELD_G_BIAS] = offsetof(carom_state, g_bias),
    [CAROM_FIELD_H_SLIP] = offsetof(carom_state, H),
    [CAROM_FIELD_SLIP_MOTION] = offsetof(carom_state, slip_motion),
    [CAROM_FIELD_SLIP_BIAS] = offsetof(carom_state, slip_bias),
    [CAROM_FIELD_F] = offsetof(carom_state, f),
    [CAROM_FIELD_B] = offsetof(carom_state, B),
    [CAROM_FIELD_B_HAT] = offsetof(carom_state, b_hat),
    [CAROM_FIELD_B_BIAS] = offsetof(carom_state, b_bias),
    [CAROM_FIELD_A] = offsetof(carom_state, A),
    [CAROM_FIELD_A_HAT] = offsetof(carom_state, a_hat),
    [CAROM_FIELD_A_BIAS] = offsetof(carom_state, a_bias),
    [CAROM_FIELD_KINETIC] = offsetof(carom_state, kinetic),
    [CAROM_FIELD_POTENTIAL] = offsetof(carom_state, potential),
    [CAROM_FIELD_POWER] = offsetof(carom_state, power),
    [CAROM_FIELD_SPREAD] = offsetof(carom_state, spread),
    [CAROM_FIELD_SPREAD_MOTION] = offsetof(carom_state, spread_motion),
    [CAROM_FIELD_SPREAD_BIAS] = offsetof(carom_state, spread_bias),
    [CAROM_FIELD_SPREAD_VALUE] = offsetof(carom_state, spread_value),
    [CAROM_FIELD_APEX] = offsetof(carom_state, apex),
    [CAROM_FIELD_GUARD] = offsetof(carom_state, guard),
    [CAROM_FIELD_EVENT] = offsetof(carom_state, event),
    [CAROM_FIELD_EVENT_IF] = offsetof(carom_state, event_if),
};

/* The array of a field; energies are numbers of the state itself, what events set the model's. */
static inline double *array_of(const model *m, carom_state *state, unsigned field)
{
    void *at = (char *)state + arrays[field];
    if (field == CAROM_FIELD_RESET)
        return m->assigned;
    const bool number = field >= CAROM_FIELD_KINETIC && field <= CAROM_FIELD_POWER;
    return number ? (double *)at : *(double **)at;
}

/* Evaluation: run the tape for what is wanted, and put the numbers where they belong. The sum of
 * 0 x is 0 exactly when all numbers are finite. */
static carom_status evaluate(void *self, unsigned want, carom_state *state, carom_error *error)
{
    model *m = self;
    if (want & CAROM_WANT_ENERGY)
        state->kinetic = state->potential = state->power = 0;
    const double *slots = carom_tape_run(m->plain.tape, want, state->t, state->q, state->u);
    const size_t *start = m->plain.start;
    double bad = 0;
    for (unsigned rest = want & ((1u << CAROM_FORMULAS_WANT_BITS) - 1); rest; rest >>= 1, start++) {
        if (!(rest & 1))
            continue;
        const carom_formulas_value *end = m->plain.values + start[1];
        for (const carom_formulas_value *v = m->plain.values + start[0]; v < end; v++) {
            const double value = slots[v->slot];
            array_of(m, state, v->field)[v->index] = value;
            bad += 0 * value;
        }
    }
    return bad == 0 ? CAROM_OK
                    : carom_error_set(error, CAROM_ERROR_NUMERIC, "a value is not finite");
}

static carom_status reset(void *self, int event, const carom_state *state, double *q, double *u,
                          carom_error *error)
{
    model *m = self;
    carom_state before = *state;
    carom_status status = evaluate(self, CAROM_FORMULAS_WANT_RESETS, &before, error);
    for (int j = m->set_start[event]; j < m->set_start[event + 1]; j++) {
        const int target = m->targets[j];
        if (!isfinite(m->assigned[j]))
            return carom_error_at(error, CAROM_ERROR_NUMERIC, m->places.sets[j].line,
                                  m->places.sets[j].column, "the event sets a value that is %s",
                                  isnan(m->assigned[j]) ? "not a number" : "infinite");
        *(target < m->n ? &q[target] : &u[target - m->n]) = m->assigned[j];
    }
    return status == CAROM_ERROR_NUMERIC ? CAROM_OK : status; /* of other events */
}

static void locate(const void *self, unsigned want, int index, int *line, int *column)
{
    const model *m = self;
    carom_place at = m->places.kinetic;
    switch (want) {
    case CAROM_WANT_GAPS:
        at = m->places.gaps[index];
        break;
    case CAROM_WANT_SLIPS:
        at = m->places.slips[index];
        break;
    case CAROM_WANT_JOINTS:
        at = index < m->m ? m->places.joints[index] : m->places.rollings[index - m->m];
        break;
    case CAROM_WANT_FORCES:
        at = m->places.forces[index];
        break;
    case CAROM_WANT_ENERGY:
        at = index == 1 ? m->places.potential : at;
        break;
    case CAROM_WANT_GUARDS:
        at = m->places.guards[index];
        break;
    case CAROM_WANT_EVENTS:
        at = index < m->event_count ? m->places.events[index]
                                    : m->places.event_ifs[index - m->event_count];
        break;
    default:
        break;
    }
    *line = at.line;
    *column = at.column;
}

/* Work space for bounds of gaps. */
static carom_status make_ranges(model *m, carom_error *error)
{
    const size_t count = carom_tape_ranges_room(m->plain.tape) + 2 * (size_t)m->n;
    m->ranges = carom_arena_array(m->arena, count, sizeof *m->ranges);
    return m->ranges ? CAROM_OK : carom_error_memory(error);
}

static carom_status share_tape(const carom_formulas_tape *tape, carom_arena *arena,
                               carom_formulas_tape *shared, carom_error *error)
{
    *shared = *tape;
    return carom_tape_share(tape->tape, arena, &shared->tape, error);
}

static carom_status share(const void *self, const carom_allocator *allocator, void **shared,
                          carom_error *error)
{
    const model *m = self;
    model *made;
    carom_status status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    carom_arena *arena = made->arena;
    const int sets = m->set_start[m->event_count];
    *made = *m;
    made->arena = arena;
    made->assigned = carom_arena_zeros(arena, (size_t)sets, sizeof *made->assigned);
    made->tangents = NULL;
    made->on = NULL;
    made->tangent_room = 0;
    status = made->assigned ? share_tape(&m->plain, arena, &made->plain, error)
                            : carom_error_memory(error);
    if (!status && m->ranges)
        status = make_ranges(made, error);
    if (!status && m->open.tape)
        status = share_tape(&m->open, arena, &made->open, error);
    if (status)
        carom_arena_destroy(arena);
    else
        *shared = made;
    return status;
}

static const carom_system_ops formulas_ops = {
    .name = "formulas",
    .evaluate = evaluate,
    .destroy = destroy,
    .locate = locate,
    .checks_values = true,
    .reset = reset,
    .differentiate = carom_formulas_model_differentiate,
    .tangents = carom_formulas_model_tangents,
    .reset_tangents = carom_formulas_model_reset_tangents,
    .share = share,
    .curvature = carom_formulas_model_curvature,
    .depends = carom_formulas_model_depends,
    .switching = carom_formulas_model_switching,
};

static int compare_entries(const void *a, const void *b)
{
    const carom_formulas_entry *x = a, *y = b;
    if (x->want != y->want)
        return x->want < y->want ? -1 : 1;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Where the number in a slot goes. */
static carom_formulas_value place_value(const carom_tape *tape, uint32_t slot,
                                        const carom_formulas_entry *entry, size_t n)
{
    return (carom_formulas_value){.slot = slot,
                                  .field = entry->field,
                                  .constant = carom_tape_is_constant(tape, slot),
                                  .row = (uint32_t)(entry->index % n),
                                  .column = (uint32_t)(entry->index / n),
                                  .index = entry->index};
}

/* The tape of all entries, and where its slots go. */
static carom_status compile(carom_arena *arena, const carom_formulas_opened *opened,
                            carom_formulas_tape *made, carom_error *error)
{
    const carom_graph *g = &opened->read.scope->graph;
    const carom_formulas_derived *d = &opened->derived;
    carom_allocator a = g->allocator;
    size_t room = d->count ? d->count : 1;
    made->mass_is_diagonal = d->mass_is_diagonal;
    made->values = carom_arena_array(arena, d->count, sizeof *made->values);
    carom_tape_output *outputs = a.resize(a.self, NULL, room * sizeof *outputs);
    uint32_t *slots = a.resize(a.self, NULL, room * sizeof *slots);
    carom_status status = made->values && outputs && slots ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        qsort(d->entries, d->count, sizeof *d->entries, compare_entries);
        for (size_t k = 0; k < d->count; k++)
            outputs[k] = (carom_tape_output){d->entries[k].node, d->entries[k].want};
        status = carom_tape_create(g, outputs, d->count, arena, slots, &made->tape, error);
    }
    for (size_t k = 0, bit = 0; !status && bit <= CAROM_FORMULAS_WANT_BITS; bit++) {
        made->start[bit] = k;
        for (; k < d->count && d->entries[k].want == 1u << bit; k++)
            made->values[k] =
                place_value(made->tape, slots[k], &d->entries[k], (size_t)opened->read.n);
    }
    if (outputs)
        a.resize(a.self, outputs, 0);
    if (slots)
        a.resize(a.self, slots, 0);
    return status;
}

/* A second tape on which parameters are variables; values stay those of the first, to the bit. */
static carom_status build_open(const carom_formulas *statement, model *m, const carom_scope *plain,
                               carom_error *error)
{
    double *values = carom_arena_doubles(m->arena, (size_t)statement->parameter_count);
    carom_formulas_opened opened;
    if (!values)
        return carom_error_memory(error);
    for (int k = 0; k < statement->parameter_count; k++)
        carom_scope_find(plain, statement->parameters[k].name.text, NULL, &values[k]);
    carom_status status = carom_formulas_open(statement, values, m->arena, &opened, error);
    if (status)
        return status;
    status = compile(m->arena, &opened, &m->open, error);
    m->switch_count = opened.derived.switch_count;
    carom_formulas_close(&opened);
    return status;
}

/* What the model keeps of the statement besides its tapes. */
static carom_status keep(model *m, const carom_formulas_read *read, carom_error *error)
{
    const int sets = read->set_start[read->event_count];
    m->n = read->n;
    m->p = read->p;
    m->s = read->s;
    m->m = read->m;
    m->a = read->a;
    m->guard_count = read->guard_count;
    m->event_count = read->event_count;
    m->places = read->places;
    m->set_start = read->set_start;
    m->targets = carom_arena_array(m->arena, (size_t)sets, sizeof *m->targets);
    m->assigned = carom_arena_zeros(m->arena, (size_t)sets, sizeof *m->assigned);
    if (!m->targets || !m->assigned)
        return carom_error_memory(error);
    for (int j = 0; j < sets; j++)
        m->targets[j] = read->sets[j].target;
    return CAROM_OK;
}

/* The model's tapes and all it keeps; read's arrays are in the model's arena. */
static carom_status build(const carom_formulas *statement, model *m,
                          const carom_formulas_opened *opened, carom_error *error)
{
    const carom_formulas_derived *derived = &opened->derived;
    carom_status status = compile(m->arena, opened, &m->plain, error);
    if (!status)
        status = keep(m, &opened->read, error);
    if (!status && derived->forces_are_constant && !derived->rows_are_constant)
        status = make_ranges(m, error);
    m->parameter_count = statement->parameter_count;
    m->keeps_parameters = statement->keep_parameters;
    m->switch_count = derived->switch_count;
    if (!status && statement->keep_parameters)
        status = build_open(statement, m, opened->read.scope, error);
    return status;
}

/* The pattern of a field of n rows, from its entries, which are sorted by now. */
static bool find_pattern(carom_arena *arena, const carom_formulas_derived *d,
                         carom_formulas_field field, int n, int columns, carom_pattern *pattern)
{
    size_t first = 0, last;
    while (first < d->count && d->entries[first].field != field)
        first++;
    for (last = first; last < d->count && d->entries[last].field == field;)
        last++;
    int *start = carom_arena_zeros(arena, (size_t)columns + 1, sizeof *start);
    int *row = carom_arena_array(arena, last - first, sizeof *row);
    if (!start || !row)
        return false;
    for (size_t k = first; k < last; k++) {
        row[k - first] = (int)(d->entries[k].index % (size_t)n);
        start[d->entries[k].index / (size_t)n + 1]++;
    }
    for (int j = 0; j < columns; j++)
        start[j + 1] += start[j];
    *pattern = (carom_pattern){start, row};
    return true;
}

static bool find_patterns(carom_arena *arena, const carom_formulas_derived *d,
                          carom_system_shape *s)
{
    return find_pattern(arena, d, CAROM_FIELD_W, s->n, s->p, &s->normal_pattern) &&
           find_pattern(arena, d, CAROM_FIELD_H_SLIP, s->n, s->s, &s->slip_pattern) &&
           find_pattern(arena, d, CAROM_FIELD_B, s->n, s->m, &s->joint_pattern) &&
           find_pattern(arena, d, CAROM_FIELD_A, s->n, s->a, &s->rolling_pattern) &&
           (s->mass_is_diagonal ||
            find_pattern(arena, d, CAROM_FIELD_M, s->n, s->n, &s->mass_pattern));
}

/* count names, each followed by a suffix. NULL: no memory. */
static const char **name_list(carom_arena *arena, const carom_source *first, size_t stride,
                              int count, const char *suffix)
{
    const char **names = carom_arena_array(arena, (size_t)count, sizeof *names);
    for (int k = 0; names && k < count; k++) {
        const carom_source *s = (const carom_source *)((const char *)first + (size_t)k * stride);
        size_t length = s->text ? strlen(s->text) : 0;
        char *name = carom_arena_array(arena, length + strlen(suffix) + 1, 1);
        if (!name)
            return NULL;
        memcpy(name, s->text ? s->text : "", length);
        strcpy(name + length, suffix);
        names[k] = name;
    }
    return names;
}

static carom_status make(const carom_formulas *s, model *m, const carom_formulas_opened *opened,
                         const carom_allocator *allocator, carom_system **system,
                         carom_error *error)
{
    const carom_formulas_read *read = &opened->read;
    const carom_formulas_derived *derived = &opened->derived;
    size_t one = sizeof(carom_source), pair = sizeof(carom_named_formula);
    carom_system_shape shape = {
        .nq = read->n,
        .n = read->n,
        .p = read->p,
        .s = read->s,
        .m = read->m,
        .a = read->a,
        .mass_is_diagonal = derived->mass_is_diagonal,
        .mass_is_constant = derived->mass_is_constant,
        .forces_are_constant = derived->forces_are_constant,
        .power_is_zero = derived->power_is_zero,
        .rows_are_constant = derived->rows_are_constant,
        .rows_are_timeless = derived->rows_are_timeless,
        .kinematics_is_identity = true,
        .coordinates = name_list(m->arena, s->coordinates, one, read->n, ""),
        .velocities = name_list(m->arena, s->coordinates, one, read->n, "'"),
        .contacts = read->contacts,
        .joints = name_list(m->arena, read->m ? &s->bilateral->name : NULL, pair, read->m, ""),
        .rollings = name_list(m->arena, read->a ? &s->permanent->name : NULL, pair, read->a, ""),
        .region = s->region,
        .spread = read->spread,
        .guard_count = read->guard_count,
        .guard = read->guard_count ? read->guard_of : NULL,
        .event_count = read->event_count,
        .events = read->events,
        .switch_count = m->switch_count,
        .parameter_count = s->keep_parameters ? s->parameter_count : 0,
        .parameters = name_list(m->arena, s->parameter_count ? &s->parameters->name : NULL, pair,
                                s->keep_parameters ? s->parameter_count : 0, ""),
    };
    if (!shape.coordinates || !shape.velocities || !shape.joints || !shape.rollings ||
        !shape.parameters || !find_patterns(m->arena, derived, &shape))
        return carom_error_memory(error);
    return carom_system_create(&formulas_ops, m, &shape, allocator, system, error);
}

carom_status carom_system_formulas(const carom_formulas *statement,
                                   const carom_allocator *allocator, carom_system **system,
                                   carom_error *error)
{
    CAROM_NEED(error, statement, system);
    model *m;
    carom_formulas_opened opened;
    carom_status status = carom_arena_object(allocator, sizeof *m, &m, error);
    if (status)
        return status;
    status = carom_formulas_open(statement, NULL, m->arena, &opened, error);
    if (!status) {
        status = build(statement, m, &opened, error);
        if (!status)
            status = make(statement, m, &opened, allocator, system, error);
        carom_formulas_close(&opened);
    }
    if (status)
        carom_arena_destroy(m->arena);
    return status;
}
