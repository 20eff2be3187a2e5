/* The state of a system at one instant: evaluated, and every number of it finite or named. */
#include "carom/need.h"
#include "linalg/finite.h"
#include "system/system.h"

#include <math.h>

/* The first entry that is not finite, or -1. */
static ptrdiff_t first_bad(const double *x, size_t count)
{
    if (carom_finite_sum(count, x) == 0)
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
    enum {
        OF_CONTACT,
        OF_SLIP,
        OF_JOINT,
        OF_ROLLING,
        OF_VELOCITY,
        OF_GUARD,
        OF_EVENT,
        OF_SYSTEM
    } owner;
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
    case OF_GUARD:
        for (int i = 0; i < s->p; i++)
            if (s->guard[i] == index)
                return s->contacts[i].name;
        return "";
    case OF_EVENT:
        return s->events[index].name;
    case OF_SYSTEM:
        break;
    }
    return "";
}

static carom_status refuse(const carom_system *system, const part *p, ptrdiff_t entry, double t,
                           carom_error *error)
{
    static const unsigned place_of[] = {
        [OF_CONTACT] = CAROM_WANT_GAPS, [OF_SLIP] = CAROM_WANT_SLIPS,
        [OF_JOINT] = CAROM_WANT_JOINTS, [OF_ROLLING] = CAROM_WANT_JOINTS,
        [OF_GUARD] = CAROM_WANT_GUARDS, [OF_EVENT] = CAROM_WANT_EVENTS,
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
        {CAROM_WANT_NORMALS, "the spread of a contact", state->spread, n, (size_t)z->spread,
         OF_SYSTEM},
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
        {CAROM_WANT_GUARDS, "the `when` of contact", state->guard, 1, (size_t)z->guard_count,
         OF_GUARD},
        {CAROM_WANT_EVENTS, "the function of event", state->event, 1, (size_t)z->event_count,
         OF_EVENT},
        {CAROM_WANT_EVENTS, "the `if` of event", state->event_if, 1, (size_t)z->event_count,
         OF_EVENT},
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

/* The sum of 0 x over a matrix of n rows, 0 exactly when all entries that may differ from zero are
 * finite. */
static inline double look_at(const double *X, int n, int columns, const carom_pattern *pattern)
{
    double sum = 0;
    if (!pattern->start)
        return carom_finite_sum((size_t)n * (size_t)columns, X);
    for (int j = 0; j < columns; j++, X += n)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            sum += 0 * X[pattern->row[k]];
    return sum;
}

/* Quick look at everything wanted, without the table that names what is wrong: evaluations of tiny
 * systems number in the millions. */
static bool all_finite(const carom_system_shape *z, unsigned want, const carom_state *x)
{
    const int n = z->n, p = z->p, s = z->s, m = z->m, a = z->a;
    double sum = 0;
    if (want & CAROM_WANT_GAPS)
        sum += carom_finite_sum((size_t)p, x->g);
    if (want & CAROM_WANT_NORMALS)
        sum += look_at(x->W, n, p, &z->normal_pattern) + carom_finite_sum((size_t)p, x->w_hat) +
               carom_finite_sum((size_t)n * (size_t)z->spread, x->spread);
    if (want & CAROM_WANT_SLIPS && s > 0)
        sum += look_at(x->H, n, s, &z->slip_pattern) + carom_finite_sum((size_t)s, x->slip_motion);
    if (want & CAROM_WANT_JOINTS && m + a > 0)
        sum += carom_finite_sum((size_t)m, x->f) + look_at(x->B, n, m, &z->joint_pattern) +
               carom_finite_sum((size_t)m, x->b_hat) + look_at(x->A, n, a, &z->rolling_pattern) +
               carom_finite_sum((size_t)a, x->a_hat);
    if (want & CAROM_WANT_MASS)
        sum += z->mass_is_diagonal ? carom_finite_sum((size_t)n, x->M)
                                   : look_at(x->M, n, n, &z->mass_pattern);
    if (want & CAROM_WANT_FORCES)
        sum += carom_finite_sum((size_t)n, x->h);
    if (want & CAROM_WANT_BIASES)
        sum += carom_finite_sum((size_t)p, x->g_bias) + carom_finite_sum((size_t)s, x->slip_bias) +
               carom_finite_sum((size_t)m, x->b_bias) + carom_finite_sum((size_t)a, x->a_bias);
    if (want & CAROM_WANT_KINEMATICS && !z->kinematics_is_identity)
        sum += carom_finite_sum((size_t)z->nq * (size_t)n, x->N);
    if (want & CAROM_WANT_ENERGY)
        sum += 0 * x->kinetic + 0 * x->potential + 0 * x->power;
    if (want & CAROM_WANT_GUARDS)
        sum += carom_finite_sum((size_t)z->guard_count, x->guard);
    if (want & CAROM_WANT_EVENTS)
        sum += carom_finite_sum((size_t)z->event_count, x->event) +
               carom_finite_sum((size_t)z->event_count, x->event_if);
    return sum == 0;
}

/* A state that is none: what of it is no finite number. */
static carom_status refuse_state(const carom_system_shape *s, const carom_state *state,
                                 carom_error *error)
{
    if (!isfinite(state->t))
        return carom_error_set(error, CAROM_ERROR_NUMERIC, "the time is not a finite number");
    ptrdiff_t bad = first_bad(state->q, (size_t)s->nq);
    if (bad >= 0)
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "the coordinate %.60s is not a finite number at t = %.9g",
                               s->coordinates[bad], state->t);
    bad = first_bad(state->u, (size_t)s->n);
    return carom_error_set(error, CAROM_ERROR_NUMERIC,
                           "the velocity %.60s is not a finite number at t = %.9g",
                           s->velocities[bad], state->t);
}

carom_status carom_system_evaluate(const carom_system *system, unsigned want, carom_state *state,
                                   carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, state->u);
    const carom_system_shape *s = &system->shape;
    if (0 * state->t + carom_finite_sum((size_t)s->nq, state->q) +
            carom_finite_sum((size_t)s->n, state->u) !=
        0)
        return refuse_state(s, state, error);
    carom_status status = system->ops->evaluate(system->self, want, state, error);
    bool checked = system->ops->checks_values;
    if (checked ? status != CAROM_ERROR_NUMERIC : status != CAROM_OK)
        return status;
    if (!checked && all_finite(s, want, state))
        return CAROM_OK;
    return check_values(system, want, state, error);
}
