/* The maker of systems from formulas: parse, derive, compile, and the table of functions. */
#include "system/formulas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WANT_BITS = 9 };

/* Entry `index` of array `field` is the number in this slot of the tape. */
typedef struct place_of_value {
    uint32_t slot;
    uint16_t field;
    size_t index;
} place_of_value;

typedef struct model {
    carom_arena *arena;
    carom_tape *tape;
    place_of_value *values; /* sorted by the CAROM_WANT_ bit they belong to */
    size_t start[WANT_BITS + 1];
    carom_formulas_places places;
    int joints; /* entries of places.joints */
} model;

static void destroy(void *self)
{
    model *m = self;
    carom_arena_destroy(m->arena);
}

/* Evaluation: run the tape for what is wanted, and put the numbers where they belong. The sum of
 * 0 x is 0 exactly when all numbers are finite. */
static carom_status evaluate(void *self, unsigned want, carom_state *state, carom_error *error)
{
    model *m = self;
    double *const arrays[CAROM_FIELD_COUNT] = {
        [CAROM_FIELD_M] = state->M,
        [CAROM_FIELD_H_FORCE] = state->h,
        [CAROM_FIELD_G] = state->g,
        [CAROM_FIELD_W] = state->W,
        [CAROM_FIELD_W_HAT] = state->w_hat,
        [CAROM_FIELD_G_BIAS] = state->g_bias,
        [CAROM_FIELD_H_SLIP] = state->H,
        [CAROM_FIELD_SLIP_MOTION] = state->slip_motion,
        [CAROM_FIELD_SLIP_BIAS] = state->slip_bias,
        [CAROM_FIELD_F] = state->f,
        [CAROM_FIELD_B] = state->B,
        [CAROM_FIELD_B_HAT] = state->b_hat,
        [CAROM_FIELD_B_BIAS] = state->b_bias,
        [CAROM_FIELD_A] = state->A,
        [CAROM_FIELD_A_HAT] = state->a_hat,
        [CAROM_FIELD_A_BIAS] = state->a_bias,
        [CAROM_FIELD_KINETIC] = &state->kinetic,
        [CAROM_FIELD_POTENTIAL] = &state->potential,
        [CAROM_FIELD_POWER] = &state->power,
    };
    if (want & CAROM_WANT_ENERGY)
        state->kinetic = state->potential = state->power = 0;
    const double *slots = carom_tape_run(m->tape, want, state->t, state->q, state->u);
    double bad = 0;
    for (int bit = 0; bit < WANT_BITS; bit++) {
        if (!(want >> bit & 1))
            continue;
        for (size_t k = m->start[bit]; k < m->start[bit + 1]; k++) {
            const place_of_value *v = &m->values[k];
            double value = slots[v->slot];
            arrays[v->field][v->index] = value;
            bad += 0 * value;
        }
    }
    return bad == 0 ? CAROM_OK
                    : carom_error_set(error, CAROM_ERROR_NUMERIC, "a value is not finite");
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
        at = index < m->joints ? m->places.joints[index] : m->places.rollings[index - m->joints];
        break;
    case CAROM_WANT_FORCES:
        at = m->places.forces[index];
        break;
    case CAROM_WANT_ENERGY:
        at = index == 1 ? m->places.potential : at;
        break;
    default:
        break;
    }
    *line = at.line;
    *column = at.column;
}

static const carom_system_ops formulas_ops = {
    .name = "formulas",
    .evaluate = evaluate,
    .destroy = destroy,
    .locate = locate,
    .checks_values = true,
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

/* The tape of all entries, and where its slots go. */
static carom_status compile(model *m, const carom_graph *g, carom_formulas_derived *d,
                            carom_error *error)
{
    carom_allocator a = g->allocator;
    size_t room = d->count ? d->count : 1;
    m->values = carom_arena_array(m->arena, d->count, sizeof *m->values);
    carom_tape_output *outputs = a.resize(a.self, NULL, room * sizeof *outputs);
    uint32_t *slots = a.resize(a.self, NULL, room * sizeof *slots);
    carom_status status = m->values && outputs && slots ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        qsort(d->entries, d->count, sizeof *d->entries, compare_entries);
        for (size_t k = 0; k < d->count; k++)
            outputs[k] = (carom_tape_output){d->entries[k].node, d->entries[k].want};
        status = carom_tape_create(g, outputs, d->count, m->arena, slots, &m->tape, error);
    }
    for (size_t k = 0, bit = 0; !status && bit <= WANT_BITS; bit++) {
        m->start[bit] = k;
        for (; k < d->count && d->entries[k].want == 1u << bit; k++)
            m->values[k] = (place_of_value){slots[k], d->entries[k].field, d->entries[k].index};
    }
    if (outputs)
        a.resize(a.self, outputs, 0);
    if (slots)
        a.resize(a.self, slots, 0);
    return status;
}

/* Parse, derive and compile; read's arrays are in the model's arena. */
static carom_status build(const carom_formulas *statement, model *m, carom_formulas_read *read,
                          carom_formulas_derived *derived, carom_error *error)
{
    carom_scope *scope;
    carom_status status = carom_scope_create(carom_arena_allocator(m->arena), &scope, error);
    if (status)
        return status;
    derived->allocator = scope->graph.allocator;
    status = carom_formulas_parse(statement, scope, m->arena, read, error);
    if (!status)
        status = carom_formulas_derive(read, derived, error);
    if (!status)
        status = compile(m, &scope->graph, derived, error);
    carom_scope_destroy(scope);
    m->places = read->places;
    m->joints = read->m;
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

static carom_status make(const carom_formulas *s, model *m, const carom_formulas_read *read,
                         const carom_formulas_derived *derived, const carom_allocator *allocator,
                         carom_system **system, carom_error *error)
{
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
        .kinematics_is_identity = true,
        .coordinates = name_list(m->arena, s->coordinates, one, read->n, ""),
        .velocities = name_list(m->arena, s->coordinates, one, read->n, "'"),
        .contacts = read->contacts,
        .joints = name_list(m->arena, read->m ? &s->bilateral->name : NULL, pair, read->m, ""),
        .rollings = name_list(m->arena, read->a ? &s->permanent->name : NULL, pair, read->a, ""),
    };
    if (!shape.coordinates || !shape.velocities || !shape.joints || !shape.rollings ||
        !find_patterns(m->arena, derived, &shape))
        return carom_error_memory(error);
    return carom_system_create(&formulas_ops, m, &shape, allocator, system, error);
}

carom_status carom_system_formulas(const carom_formulas *statement,
                                   const carom_allocator *allocator, carom_system **system,
                                   carom_error *error)
{
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    model *m = carom_arena_zeros(arena, 1, sizeof *m);
    carom_formulas_read read;
    carom_formulas_derived derived = {0};
    status = m ? CAROM_OK : carom_error_memory(error);
    if (!status) {
        m->arena = arena;
        status = build(statement, m, &read, &derived, error);
    }
    if (!status)
        status = make(statement, m, &read, &derived, allocator, system, error);
    if (derived.entries)
        derived.allocator.resize(derived.allocator.self, derived.entries, 0);
    if (status)
        carom_arena_destroy(arena);
    return status;
}
