/* The core of a system: owned copy of its shape, evaluation with a check of what the maker's
 * functions returned. */
#include "system/system.h"

#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shape: check and copy. */

static carom_status check_shape(const carom_system_ops *ops, const carom_system_shape *s,
                                carom_error *error)
{
    if (!ops || !ops->evaluate)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "a system needs an evaluate function");
    if (s->n < 1 || s->nq < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "a system has %d coordinates and %d velocities; at least 1 each",
                               s->nq, s->n);
    if (s->kinematics_is_identity && s->nq != s->n)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "%d coordinates and %d velocities cannot be related by the identity",
                               s->nq, s->n);
    if (s->p < 0 || s->m < 0 || s->a < 0 || (s->p > 0 && !s->contacts))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "invalid counts: %d contacts, %d joints, %d kinetic constraints",
                               s->p, s->m, s->a);
    int slips = 0;
    for (int i = 0; i < s->p; i++) {
        int count = s->contacts[i].slip_count;
        if (count < 0 || count > 2)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "contact %d has %d slip directions; 0, 1 or 2 are allowed",
                                   i + 1, count);
        if (s->slip_start && s->slip_start[i] != slips)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "slip_start[%d] is %d, the contacts before it have %d", i,
                                   s->slip_start[i], slips);
        slips += count;
    }
    if (slips != s->s)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "s is %d, the contacts have %d slip directions", s->s, slips);
    return CAROM_OK;
}

/* Copies of count names; missing ones are made from the pattern and their number. NULL: no memory.
 */
static const char **copy_names(carom_arena *arena, const char *const *names, int count,
                               const char *pattern)
{
    const char **copy = carom_arena_array(arena, (size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        char made[32];
        const char *name = names ? names[i] : NULL;
        if (!name) {
            snprintf(made, sizeof made, "%s%d", pattern, i + 1);
            name = made;
        }
        copy[i] = carom_arena_text(arena, name, strlen(name));
        if (!copy[i])
            return NULL;
    }
    return copy;
}

static bool copy_contacts(carom_arena *arena, carom_system_shape *s)
{
    carom_contact *contacts = carom_arena_array(arena, (size_t)s->p, sizeof *contacts);
    int *slip_start = carom_arena_array(arena, (size_t)s->p + 1, sizeof *slip_start);
    const char **names = carom_arena_array(arena, (size_t)s->p, sizeof *names);
    if (!contacts || !slip_start || !names)
        return false;
    slip_start[0] = 0;
    for (int i = 0; i < s->p; i++) {
        contacts[i] = s->contacts[i];
        slip_start[i + 1] = slip_start[i] + contacts[i].slip_count;
        names[i] = contacts[i].name;
    }
    names = copy_names(arena, names, s->p, "");
    for (int i = 0; names && i < s->p; i++)
        contacts[i].name = names[i];
    s->contacts = contacts;
    s->slip_start = slip_start;
    return names != NULL;
}

static bool copy_shape(carom_arena *arena, carom_system_shape *s)
{
    s->coordinates = copy_names(arena, s->coordinates, s->nq, "q");
    s->velocities = copy_names(arena, s->velocities, s->n, "u");
    s->joints = copy_names(arena, s->joints, s->m, "");
    s->rollings = copy_names(arena, s->rollings, s->a, "");
    return s->coordinates && s->velocities && s->joints && s->rollings && copy_contacts(arena, s);
}

carom_status carom_system_create(const carom_system_ops *ops, void *self,
                                 const carom_system_shape *shape, const carom_allocator *allocator,
                                 carom_system **system, carom_error *error)
{
    carom_arena *arena;
    carom_status status = check_shape(ops, shape, error);
    if (!status)
        status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    carom_system *made = carom_arena_take(arena, sizeof *made);
    if (made) {
        *made = (carom_system){arena, ops, self, *shape};
        if (copy_shape(arena, &made->shape)) {
            *system = made;
            return CAROM_OK;
        }
    }
    carom_arena_destroy(arena);
    return carom_error_memory(error);
}

void carom_system_destroy(carom_system *system)
{
    if (!system)
        return;
    if (system->ops->destroy)
        system->ops->destroy(system->self);
    carom_arena_destroy(system->arena);
}

const carom_system_shape *carom_system_get_shape(const carom_system *system)
{
    return &system->shape;
}

/* The first entry that is not finite, or -1. The sum of 0 x_i is 0 exactly when all are finite, and
 * the compiler can do it four at a time. */
static ptrdiff_t first_bad(const double *x, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += 0 * x[k];
    if (sum == 0)
        return -1;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return (ptrdiff_t)k;
    return -1;
}

/* What a part of the state is called in messages, and what its columns belong to. */
typedef struct part {
    unsigned want;
    const char *what;
    const double *array;
    size_t rows, columns; /* rows = 1: one number per owner */
    enum { OF_CONTACT, OF_SLIP, OF_JOINT, OF_ROLLING, OF_VELOCITY, OF_SYSTEM } owner;
} part;

static const char *owner_name(const carom_system_shape *s, const part *p, int index)
{
    switch (p->owner) {
    case OF_VELOCITY:
        return s->velocities[index];
    case OF_CONTACT:
        return s->contacts[index].name;
    case OF_SLIP:
        for (int i = 0; i < s->p; i++)
            if (index < s->slip_start[i + 1])
                return s->contacts[i].name;
        return "";
    case OF_JOINT:
        return s->joints[index];
    case OF_ROLLING:
        return s->rollings[index];
    case OF_SYSTEM:
        break;
    }
    return "";
}

static carom_status refuse(const carom_system *system, const part *p, ptrdiff_t entry, double t,
                           carom_error *error)
{
    static const unsigned place_of[] = {
        [OF_CONTACT] = CAROM_WANT_GAPS,
        [OF_SLIP] = CAROM_WANT_SLIPS,
        [OF_JOINT] = CAROM_WANT_JOINTS,
        [OF_ROLLING] = CAROM_WANT_JOINTS,
    };
    int index = (int)((size_t)entry / p->rows), line = 0, column = 0;
    unsigned want = p->owner == OF_VELOCITY || p->owner == OF_SYSTEM ? p->want : place_of[p->owner];
    if (system->ops->locate)
        system->ops->locate(system->self, want,
                            p->owner == OF_ROLLING ? system->shape.m + index : index, &line,
                            &column);
    const char *owner = owner_name(&system->shape, p, index);
    const char *quote = *owner ? "'" : "";
    return carom_error_at(error, CAROM_ERROR_NUMERIC, line, column,
                          "%s%s%s%.60s%s is %s at t = %.9g", p->what, *owner ? " " : "", quote,
                          owner, quote, isnan(p->array[entry]) ? "not a number" : "infinite", t);
}

static carom_status check_values(const carom_system *system, unsigned want,
                                 const carom_state *state, carom_error *error)
{
    const carom_system_shape *z = &system->shape;
    size_t n = (size_t)z->n, p = (size_t)z->p, s = (size_t)z->s, m = (size_t)z->m, a = (size_t)z->a,
           diagonal = z->mass_is_diagonal ? 1 : n;
    size_t nq = z->kinematics_is_identity ? 0 : (size_t)z->nq;
    const double energies[] = {state->kinetic, state->potential, state->power};
    const part parts[] = {
        {CAROM_WANT_GAPS, "the gap of contact", state->g, 1, p, OF_CONTACT},
        {CAROM_WANT_NORMALS, "the gradient of the gap of contact", state->W, n, p, OF_CONTACT},
        {CAROM_WANT_NORMALS, "the time derivative of the gap of contact", state->w_hat, 1, p,
         OF_CONTACT},
        {CAROM_WANT_SLIPS, "the slip direction of contact", state->H, n, s, OF_SLIP},
        {CAROM_WANT_SLIPS, "the slip motion of contact", state->slip_motion, 1, s, OF_SLIP},
        {CAROM_WANT_JOINTS, "the bilateral constraint", state->f, 1, m, OF_JOINT},
        {CAROM_WANT_JOINTS, "the gradient of the bilateral constraint", state->B, n, m, OF_JOINT},
        {CAROM_WANT_JOINTS, "the time derivative of the bilateral constraint", state->b_hat, 1, m,
         OF_JOINT},
        {CAROM_WANT_JOINTS, "the row of the permanent constraint", state->A, n, a, OF_ROLLING},
        {CAROM_WANT_JOINTS, "the motion of the permanent constraint", state->a_hat, 1, a,
         OF_ROLLING},
        {CAROM_WANT_MASS, "the mass matrix in the column of", state->M, diagonal, n, OF_VELOCITY},
        {CAROM_WANT_FORCES, "the force along", state->h, 1, n, OF_VELOCITY},
        {CAROM_WANT_BIASES, "the acceleration term of the gap of contact", state->g_bias, 1, p,
         OF_CONTACT},
        {CAROM_WANT_BIASES, "the acceleration term of the slip of contact", state->slip_bias, 1, s,
         OF_SLIP},
        {CAROM_WANT_BIASES, "the acceleration term of the bilateral constraint", state->b_bias, 1,
         m, OF_JOINT},
        {CAROM_WANT_BIASES, "the acceleration term of the permanent constraint", state->a_bias, 1,
         a, OF_ROLLING},
        {CAROM_WANT_KINEMATICS, "the kinematic matrix", state->N, nq, nq ? n : 0, OF_SYSTEM},
        {CAROM_WANT_ENERGY, "the energy", energies, 1, 3, OF_SYSTEM},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!(want & parts[k].want))
            continue;
        ptrdiff_t entry = first_bad(parts[k].array, parts[k].rows * parts[k].columns);
        if (entry >= 0)
            return refuse(system, &parts[k], entry, state->t, error);
    }
    return CAROM_OK;
}

/* Quick look at everything wanted, without the table that names what is wrong: evaluations of tiny
 * systems number in the millions. The sum of 0 x is 0 exactly when all are finite. */
static bool all_finite(const carom_system_shape *z, unsigned want, const carom_state *x)
{
    const int n = z->n, p = z->p, s = z->s, c = z->m + z->a;
    double sum = 0;
#define LOOK(array, count)                                                                         \
    for (int k = 0; k < (count); k++)                                                              \
    sum += 0 * (array)[k]
    if (want & CAROM_WANT_GAPS)
        LOOK(x->g, p);
    if (want & CAROM_WANT_NORMALS) {
        LOOK(x->W, n * p);
        LOOK(x->w_hat, p);
    }
    if (want & CAROM_WANT_SLIPS) {
        LOOK(x->H, n * s);
        LOOK(x->slip_motion, s);
    }
    if (want & CAROM_WANT_MASS)
        LOOK(x->M, z->mass_is_diagonal ? n : n * n);
    if (want & CAROM_WANT_FORCES)
        LOOK(x->h, n);
    if (want & CAROM_WANT_BIASES) {
        LOOK(x->g_bias, p);
        LOOK(x->slip_bias, s);
    }
    if (want & CAROM_WANT_ENERGY)
        sum += 0 * x->kinetic + 0 * x->potential + 0 * x->power;
#undef LOOK
    bool rare = (c > 0 && (want & (CAROM_WANT_JOINTS | CAROM_WANT_BIASES))) ||
                (!z->kinematics_is_identity && (want & CAROM_WANT_KINEMATICS));
    return sum == 0 && !rare; /* the rest is left to the table */
}

carom_status carom_system_evaluate(const carom_system *system, unsigned want, carom_state *state,
                                   carom_error *error)
{
    const carom_system_shape *s = &system->shape;
    if (!isfinite(state->t))
        return carom_error_set(error, CAROM_ERROR_NUMERIC, "the time is not a finite number");
    ptrdiff_t bad = first_bad(state->q, (size_t)s->nq);
    if (bad >= 0)
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the coordinate %.60s is not a finite number at t = %.9g",
                               s->coordinates[bad], state->t);
    bad = first_bad(state->u, (size_t)s->n);
    if (bad >= 0)
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the velocity %.60s is not a finite number at t = %.9g",
                               s->velocities[bad], state->t);
    carom_status status = system->ops->evaluate(system->self, want, state, error);
    bool checked = system->ops->checks_values;
    if (checked ? status != CAROM_ERROR_NUMERIC : status != CAROM_OK)
        return status;
    if (!checked && all_finite(s, want, state))
        return CAROM_OK;
    return check_values(system, want, state, error);
}
