#include "pictures/report_recorder.h"

#include <math.h>
#include <string.h>

static bool make_table(carom_arena *arena, int room, int columns,
                       carom_report_recorder_table *table)
{
    *table = (carom_report_recorder_table){.columns = columns, .room = room, .stride = 1};
    table->order = carom_arena_array(arena, (size_t)room, sizeof(long));
    table->t = carom_arena_doubles(arena, (size_t)room);
    table->data = carom_arena_doubles(arena, (size_t)room * (size_t)columns);
    return table->order && table->t && table->data;
}

/* The next row to fill, or NULL when this one is left out. */
static double *next(carom_report_recorder_table *table, long order, double t)
{
    if (table->seen++ % table->stride)
        return NULL;
    if (table->count == table->room) {
        size_t size = (size_t)table->columns * sizeof(double);
        for (int k = 0; 2 * k < table->count; k++) {
            table->order[k] = table->order[2 * k];
            table->t[k] = table->t[2 * k];
            memmove(table->data + (size_t)k * (size_t)table->columns,
                    table->data + (size_t)(2 * k) * (size_t)table->columns, size);
        }
        table->count = (table->count + 1) / 2;
        table->stride *= 2;
        if ((table->seen - 1) % table->stride)
            return NULL;
    }
    table->order[table->count] = order;
    table->t[table->count] = t;
    return table->data + (size_t)table->count++ * (size_t)table->columns;
}

carom_status carom_report_recorder_create(const carom_system *system,
                                          const carom_allocator *allocator,
                                          carom_report_recorder **recorder, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    carom_report_recorder *r = carom_arena_zeros(arena, 1, sizeof *r);
    int most = CAROM_RECORDER_SHOWN;
    if (r) {
        r->arena = arena;
        r->nq = shape->nq < most ? shape->nq : most;
        r->n = shape->n < most ? shape->n : most;
        r->p = shape->p < most ? shape->p : most;
    }
    int columns = r ? r->nq + r->n + r->p + CAROM_RECORDER_ENERGIES : 0;
    if (!r || !make_table(arena, CAROM_RECORDER_ROWS, columns, &r->rows) ||
        !make_table(arena, 1, columns, &r->last) ||
        !make_table(arena, CAROM_RECORDER_IMPACTS, r->nq + 2 * r->n, &r->hits)) {
        carom_arena_destroy(arena);
        return carom_error_memory(error);
    }
    *recorder = r;
    return CAROM_OK;
}

void carom_report_recorder_destroy(carom_report_recorder *recorder)
{
    if (recorder)
        carom_arena_destroy(recorder->arena);
}

static double *copy(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
    return to + count;
}

static void fill(const carom_report_recorder *r, const carom_flow_row *row, double *to)
{
    const carom_flow_ledger *l = row->ledger;
    const double energies[CAROM_RECORDER_ENERGIES] = {l->kinetic, l->potential, l->impacts,
                                                      l->friction,
                                                      l->forces + l->projection + l->balance_error};
    to = copy(to, row->q, r->nq);
    to = copy(to, row->u, r->n);
    to = copy(to, row->gap, r->p);
    copy(to, energies, CAROM_RECORDER_ENERGIES);
}

carom_status carom_report_recorder_row(void *self, const carom_flow_row *row, carom_error *error)
{
    carom_report_recorder *r = self;
    (void)error;
    double *to = next(&r->rows, r->order, row->t);
    if (to)
        fill(r, row, to);
    fill(r, row, r->last.data);
    r->last.t[0] = row->t;
    r->last.order[0] = r->order++;
    r->last.count = 1;
    return CAROM_OK;
}

carom_status carom_report_recorder_impact(void *self, const carom_flow_impact *impact,
                                          carom_error *error)
{
    carom_report_recorder *r = self;
    (void)error;
    double *to = next(&r->hits, r->order++, impact->t);
    if (to) {
        to = copy(to, impact->q, r->nq);
        to = copy(to, impact->before, r->n);
        copy(to, impact->after, r->n);
    }
    return CAROM_OK;
}

int carom_report_recorder_gap(const carom_report_recorder *r, int i)
{
    return r->nq + r->n + i;
}

int carom_report_recorder_energy(const carom_report_recorder *r, int i)
{
    return r->nq + r->n + r->p + i;
}

/* Row k of the rows kept, the latest one after them if it was left out; NULL at the end. */
static const double *row_at(const carom_report_recorder *r, int k, double *t, long *order)
{
    const carom_report_recorder_table *table = &r->rows;
    if (k >= table->count) {
        bool missing =
            r->last.count && (!table->count || table->order[table->count - 1] < r->last.order[0]);
        if (k > table->count || !missing)
            return NULL;
        table = &r->last;
        k = 0;
    }
    *t = table->t[k];
    *order = table->order[k];
    return table->data + (size_t)k * (size_t)table->columns;
}

carom_status carom_report_recorder_rows(const carom_report_recorder *r, int column,
                                        carom_arena *arena, carom_report_recorder_curve *curve,
                                        carom_error *error)
{
    double t;
    long order;
    *curve = (carom_report_recorder_curve){
        0, carom_arena_doubles(arena, 2 * ((size_t)r->rows.count + 2))};
    if (!curve->xy)
        return carom_error_memory(error);
    for (const double *row; (row = row_at(r, curve->count, &t, &order)); curve->count++) {
        curve->xy[2 * curve->count] = t;
        curve->xy[2 * curve->count + 1] = row[column];
    }
    return CAROM_OK;
}

static void add(carom_report_recorder_curve *curve, char kind, double t, double q, double u)
{
    curve->xy[2 * curve->count] = kind == 'p' ? q : t;
    curve->xy[2 * curve->count++ + 1] = kind == 'q' ? q : u;
}

carom_status carom_report_recorder_motion(const carom_report_recorder *r, char kind, int i,
                                          carom_arena *arena, carom_report_recorder_curve *curve,
                                          carom_error *error)
{
    const carom_report_recorder_table *hits = &r->hits;
    int hit = 0, last = hits->stride == 1 ? hits->count : 0; /* thinned jumps would mislead */
    size_t room = 2 * ((size_t)r->rows.count + 2 + 2 * (size_t)hits->count);
    double t = 0;
    long order = 0;
    *curve = (carom_report_recorder_curve){0, carom_arena_doubles(arena, room)};
    if (!curve->xy)
        return carom_error_memory(error);
    for (int k = 0;; k++) {
        const double *row = row_at(r, k, &t, &order);
        for (; hit < last && (!row || hits->order[hit] < order); hit++) {
            const double *h = hits->data + (size_t)hit * (size_t)hits->columns;
            double q = i < r->nq ? h[i] : 0;
            double before = i < r->n ? h[r->nq + i] : 0, after = i < r->n ? h[r->nq + r->n + i] : 0;
            add(curve, kind, hits->t[hit], q, before);
            if (kind != 'q')
                add(curve, kind, hits->t[hit], q, after);
        }
        if (!row)
            return CAROM_OK;
        add(curve, kind, t, i < r->nq ? row[i] : 0, i < r->n ? row[r->nq + i] : 0);
    }
}
