/* Functions of the state that decide something, where they are zero: guards of contacts, functions
 * and guards of events, and those at which formulas switch. */
#include <math.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

typedef carom_variation_condition condition;

static size_t rows_of(const carom_variation *v, const condition *c)
{
    const carom_system_shape *s = v->shape;
    return (size_t)(c->kind == CAROM_VARIATION_SWITCH  ? s->switch_count
                    : c->kind == CAROM_VARIATION_GUARD ? s->guard_count
                                                       : s->event_count);
}

/* Derivatives of all functions of its kind in some directions, and its value. */
static carom_status derive(carom_variation *v, condition *c, const carom_directions *along,
                           double *to, carom_error *error)
{
    const carom_state *s = &v->probe;
    const bool guard = c->kind == CAROM_VARIATION_GUARD;
    if (c->kind == CAROM_VARIATION_SWITCH) {
        const carom_status status =
            carom_system_switching(v->system, s, along, v->switches, to, error);
        c->value = v->switches[c->index];
        return status;
    }
    c->value = (guard                              ? s->guard
                : c->kind == CAROM_VARIATION_EVENT ? s->event
                                                   : s->event_if)[c->index];
    const carom_status status = carom_system_differentiate(
        v->system, guard ? CAROM_WANT_GUARDS : CAROM_WANT_EVENTS, s, along, error);
    carom_tangents of = {.guard = guard ? to : NULL,
                         .event = c->kind == CAROM_VARIATION_EVENT ? to : NULL,
                         .event_if = c->kind == CAROM_VARIATION_EVENT_IF ? to : NULL};
    if (status == CAROM_OK)
        carom_system_tangents(v->system, &of);
    return status;
}

/* By q, u and t one after the other, then along D. */
static carom_status derive_all(carom_variation *v, condition *c, size_t rows, double *to,
                               carom_error *error)
{
    const size_t n = (size_t)v->n, all = 2 * n + 1;
    double *q = carom_arena_zeros(v->scratch, all * all, sizeof(double));
    if (!q)
        return carom_error_memory(error);
    double *u = q + all * n, *t = u + all * n;
    for (size_t i = 0; i < n; i++)
        q[i + i * n] = u[i + (n + i) * n] = 1;
    t[2 * n] = 1;
    const carom_directions one = {.k = (int)all, .t = t, .q = q, .u = u};
    const carom_directions along = carom_variation_directions(v);
    const carom_status status = derive(v, c, &one, to, error);
    return status == CAROM_OK ? derive(v, c, &along, to + rows * all, error) : status;
}

double carom_variation_condition_size(const carom_variation *v, int j)
{
    const size_t at = (size_t)j * (size_t)v->n;
    const double state = fmax(carom_dense_max(v->n, v->dq + at), carom_dense_max(v->n, v->du + at));
    return fmax(fabs(v->dt[j]), state);
}

carom_status carom_variation_condition_read(carom_variation *v, const carom_event_driven *e,
                                            condition *c, carom_error *error)
{
    const size_t all = 2 * (size_t)v->n + 1, k = (size_t)v->k, rows = rows_of(v, c);
    carom_mark mark = carom_arena_mark(v->scratch);
    double *change = carom_arena_zeros(v->scratch, rows * (all + k), sizeof(double));
    if (!change)
        return carom_error_memory(error);
    const carom_status status = derive_all(v, c, rows, change, error);
    const double *own = change + c->index;
    c->rate = c->terms = c->steep = 0;
    c->open = false;
    for (size_t i = 0; i < all; i++) {
        const double part = own[i * rows];
        c->terms += fabs(part) * (i + 1 < all ? e->peak[i] : fabs(v->probe.t));
        c->steep = fmax(c->steep, fabs(part));
        c->rate += part * (i + 1 < all ? v->slope[i] : 1);
        if (c->gradient)
            c->gradient[i] = part;
    }
    const bool zero = status == CAROM_OK && fabs(c->value) <= e->options->tolerance * c->terms;
    for (size_t j = 0; j < k; j++) {
        const double moved = own[(all + j) * rows] - (c->late ? c->rate * c->late[j] : 0);
        const double size = c->steep * carom_variation_condition_size(v, (int)j);
        c->open = c->open || (zero && fabs(moved) > CAROM_TOLERANCE_SAME * size);
        if (c->moved)
            c->moved[j] = moved;
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}
