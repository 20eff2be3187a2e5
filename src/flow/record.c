/* Keeps what a run leaves behind and tells the observer. */
#include "flow/record.h"

#include "base/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/short_loops.h"

enum { BLOCK = 128 };

struct carom_record_block {
    carom_record_block *older;
    int count;
    carom_flow_impact items[BLOCK];
};

carom_status carom_record_create(const carom_system *system, const carom_flow_options *options,
                                 const carom_flow_observer *observer, carom_arena *arena,
                                 carom_flow_result *result, carom_record *record,
                                 carom_error *error)
{
    static const carom_flow_observer nobody = {0};
    const carom_system_shape *shape = carom_system_get_shape(system);
    memset(record, 0, sizeof *record);
    memset(result, 0, sizeof *result);
    record->system = system;
    record->shape = shape;
    record->options = options;
    record->observer = observer ? observer : &nobody;
    record->arena = arena;
    record->result = result;
    record->row_t = NAN;
    const carom_arena_part parts[] = {
        {&result->ledger.impact_loss, (size_t)shape->p, sizeof(double)},
        {&result->ledger.friction_loss, (size_t)shape->p, sizeof(double)}};
    return carom_arena_parts(arena, parts, 2, error);
}

double carom_record_kinetic(const carom_system_shape *shape, const carom_state *state)
{
    const int n = shape->n;
    const double *M = state->M, *u = state->u;
    double sum = 0;
    for (int j = 0; j < n && shape->mass_is_diagonal; j++)
        sum += M[j] * u[j] * u[j];
    for (int j = 0; j < n && !shape->mass_is_diagonal; j++) {
        double Mu = 0;
        for (int i = 0; i < n; i++)
            Mu += M[i + (size_t)j * n] * u[i];
        sum += Mu * u[j];
    }
    return 0.5 * sum;
}

double carom_record_energy(const carom_system_shape *shape, const carom_state *state)
{
    return carom_record_kinetic(shape, state) + state->potential;
}

void carom_record_balance(carom_record *record, const carom_state *state)
{
    carom_record_balance_with(record, state, 0, 0);
}

void carom_record_balance_with(carom_record *record, const carom_state *state, double kinetic,
                               double potential)
{
    carom_flow_ledger *l = &record->result->ledger;
    l->kinetic = carom_record_kinetic(record->shape, state) + kinetic;
    l->potential = state->potential + potential;
    carom_record_settle(record);
}

void carom_record_settle(carom_record *record)
{
    carom_flow_ledger *l = &record->result->ledger;
    l->final = l->kinetic + l->potential;
    l->balance_error = (l->final - l->initial) -
                       (l->impacts + l->events + l->friction + l->forces + l->projection);
    l->largest_balance = fmax(l->largest_balance, fabs(l->balance_error));
}

/* An observer's wish to stop becomes the end of the run. */
static carom_status heed(carom_record *record, carom_status status)
{
    if (status > 0 && record->result->end == CAROM_FLOW_REACHED)
        return carom_record_stop(record, CAROM_FLOW_STOPPED, "stopped on request");
    return status;
}

carom_status carom_record_row(carom_record *record, const carom_flow_row *row, carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    if (!o->row)
        return CAROM_OK;
    record->row_t = row->t;
    carom_status status = heed(record, o->row(o->self, row, error));
    if (status == CAROM_OK && (++record->rows & 255) == 0) /* there may be many between two steps */
        status = carom_record_progress(record, row->t, error);
    return status;
}

bool carom_record_lacks_end(const carom_record *record, carom_status status, double t)
{
    return status == CAROM_OK || (status > 0 && !(record->row_t >= t));
}

carom_status carom_record_progress(carom_record *record, double t, carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    return o->progress ? heed(record, o->progress(o->self, t, record->result->steps, error))
                       : CAROM_OK;
}

/* A copy of an impact whose arrays live in the caller's arena. */
static bool keep(carom_record *record, const carom_flow_impact *impact)
{
    const int n = record->shape->n, nq = record->shape->nq, k = impact->contact_count;
    carom_record_block *block = record->blocks;
    if (!block || block->count == BLOCK) {
        block = carom_arena_take(record->arena, sizeof *block);
        if (!block)
            return false;
        block->older = record->blocks;
        block->count = 0;
        record->blocks = block;
    }
    double *d = carom_arena_doubles(record->arena, (size_t)nq + 2 * (size_t)n + k);
    int *c = carom_arena_array(record->arena, k, sizeof(int));
    if (!d || !c)
        return false;
    carom_flow_impact *copy = &block->items[block->count++];
    *copy = *impact;
    copy->contacts = memcpy(c, impact->contacts, sizeof(int) * (size_t)k);
    copy->q = memcpy(d, impact->q, sizeof(double) * (size_t)nq);
    copy->before = memcpy(d += nq, impact->before, sizeof(double) * (size_t)n);
    copy->after = memcpy(d += n, impact->after, sizeof(double) * (size_t)n);
    copy->impulse = memcpy(d += n, impact->impulse, sizeof(double) * (size_t)k);
    return true;
}

carom_status carom_record_impact(carom_record *record, const carom_flow_impact *impact,
                                 carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    carom_flow_result *result = record->result;
    if (result->impact_count < record->options->keep_impacts) {
        if (!keep(record, impact))
            return carom_error_memory(error);
        result->impact_kept++;
    }
    result->impact_count++;
    return o->impact ? heed(record, o->impact(o->self, impact, error)) : CAROM_OK;
}

carom_status carom_record_accumulation(carom_record *record, const carom_flow_accumulation *a,
                                       carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    carom_flow_result *result = record->result;
    if (result->accumulation_count == record->accumulation_room) {
        int room = record->accumulation_room * 2 + 8;
        carom_flow_accumulation *list = carom_arena_array(record->arena, room, sizeof *list);
        if (!list)
            return carom_error_memory(error);
        if (record->accumulation_room > 0)
            memcpy(list, record->accumulations, sizeof *list * (size_t)result->accumulation_count);
        record->accumulations = list;
        record->accumulation_room = room;
    }
    record->accumulations[result->accumulation_count++] = *a;
    result->accumulations = record->accumulations;
    return o->accumulation ? heed(record, o->accumulation(o->self, a, error)) : CAROM_OK;
}

carom_status carom_record_changes(carom_record *record, double t, unsigned char *was,
                                  const unsigned char *mode, carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    carom_status status = CAROM_OK;
    for (int i = 0; i < record->shape->p && o->change && status == CAROM_OK; i++) {
        const carom_flow_change change = {t, i, (carom_mode)was[i], (carom_mode)mode[i]};
        if (was[i] == mode[i])
            continue;
        was[i] = mode[i];
        status = heed(record, o->change(o->self, &change, error));
    }
    return status;
}

/* A copy of an instant whose arrays live in the caller's arena. */
static bool keep_instant(carom_record *record, const carom_flow_instant *instant)
{
    const size_t nq = (size_t)record->shape->nq, n = (size_t)record->shape->n;
    carom_flow_result *result = record->result;
    if (result->instant_kept == record->instant_room) {
        const long room = record->instant_room * 2 + 16;
        carom_flow_instant *list = carom_arena_array(record->arena, (size_t)room, sizeof *list);
        if (!list)
            return false;
        if (result->instant_kept > 0)
            memcpy(list, record->instants, sizeof *list * (size_t)result->instant_kept);
        record->instants = list;
        record->instant_room = room;
    }
    double *d = carom_arena_doubles(record->arena, 2 * (nq + n));
    if (!d)
        return false;
    carom_flow_instant *copy = &record->instants[result->instant_kept++];
    *copy = *instant;
    copy->q_before = memcpy(d, instant->q_before, sizeof *d * nq);
    copy->u_before = memcpy(d += nq, instant->u_before, sizeof *d * n);
    copy->q = memcpy(d += n, instant->q, sizeof *d * nq);
    copy->u = memcpy(d += nq, instant->u, sizeof *d * n);
    result->instants = record->instants;
    return true;
}

carom_status carom_record_instant(carom_record *record, const carom_flow_instant *instant,
                                  carom_error *error)
{
    const carom_flow_observer *o = record->observer;
    carom_flow_result *result = record->result;
    if (result->instant_count < record->options->keep_impacts && !keep_instant(record, instant))
        return carom_error_memory(error);
    result->instant_count++;
    return o->instant ? heed(record, o->instant(o->self, instant, error)) : CAROM_OK;
}

carom_status carom_record_warn(carom_record *record, double t, carom_error *error,
                               const char *format, ...)
{
    const carom_flow_observer *o = record->observer;
    carom_flow_result *result = record->result;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (result->warning_count < CAROM_FLOW_WARNINGS) {
        char *copy = carom_arena_text(record->arena, text, strlen(text));
        if (!copy)
            return carom_error_memory(error);
        result->warnings[result->warning_count] = copy;
    }
    result->warning_count++;
    return o->warning ? heed(record, o->warning(o->self, t, text, error)) : CAROM_OK;
}

carom_status carom_record_stop(carom_record *record, carom_flow_end end, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(record->result->message, sizeof record->result->message, format, arguments);
    va_end(arguments);
    record->result->end = end;
    return CAROM_STOPPED;
}

const char *carom_record_contact(const carom_record *record, int contact, char *buffer)
{
    const carom_contact *c = record->shape->contacts;
    if (c && c[contact].name)
        return c[contact].name;
    snprintf(buffer, 32, "%d", contact);
    return buffer;
}

carom_status carom_record_finish(carom_record *record, const carom_state *state, carom_error *error)
{
    carom_flow_result *r = record->result;
    const int nq = record->shape->nq, n = record->shape->n;
    r->t = state->t;
    r->q = carom_arena_doubles(record->arena, (size_t)nq);
    r->u = carom_arena_doubles(record->arena, (size_t)n);
    carom_flow_impact *list =
        carom_arena_array(record->arena, (size_t)r->impact_kept, sizeof *list);
    if (!r->q || !r->u || !list)
        return carom_error_memory(error);
    memcpy(r->q, state->q, sizeof(double) * (size_t)nq);
    memcpy(r->u, state->u, sizeof(double) * (size_t)n);
    long at = r->impact_kept;
    for (carom_record_block *b = record->blocks; b; b = b->older) {
        at -= b->count;
        memcpy(list + at, b->items, sizeof *list * (size_t)b->count);
    }
    r->impacts = list;
    return CAROM_OK;
}
