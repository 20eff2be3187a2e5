/* Rows of joints and contacts in twice the digits: their making, velocities that meet them. */
#include "impact/nearest_rows.h"

#include "carom/tolerance.h"
#include "impact/joints.h"
#include "impact/predicate.h"

#include <math.h>
#include <string.h>

/* With twice the digits, less what the condition of rows eats, this is zero. */
static const double DUST = 0x1p20 * DOUBLED_UNIT;

/* Velocities times the unit of their coordinate are comparable; with twice the digits the last of
 * them are dust for every contact. */
static void find_floor(carom_nearest_rows *w)
{
    const doubled *push = w->start->push;
    double scale = 0;
    for (int k = 0; k < w->n; k++)
        w->push_size[k] = push ? push[k].hi : 0;
    if (push)
        carom_joints_inverse_mass(w->g, w->push_size);
    for (int k = 0; k < w->n; k++) {
        w->push_size[k] = fabs(w->push_size[k]);
        scale = fmax(scale, (fabs(w->start->x[k].hi) + w->push_size[k]) * w->r.unit[k]);
    }
    for (int i = 0; i < w->p; i++)
        scale = fmax(scale, fabs(w->motion[w->c + i].hi));
    w->scale = DBL_EPSILON * CAROM_PREDICATE_REST * scale;
    for (int i = 0; i < w->p; i++) {
        w->floor[i] = 0;
        for (int k = w->g->first[i]; k < w->g->last[i]; k++)
            w->floor[i] += fabs(carom_nearest_rows_row(w, i)[k]) / w->r.unit[k];
        w->floor[i] *= w->scale;
    }
}

/* Plain numbers of the rows, and numbers of twice the digits. */
static size_t plain_count(size_t n, size_t rows, size_t p)
{
    return 6 * n + 3 * rows + 2 * p;
}

static size_t doubled_count(size_t n, size_t rows)
{
    return n + 2 * rows;
}

size_t carom_nearest_rows_bytes(const carom_geometry *g)
{
    const size_t n = (size_t)g->impact->n, p = (size_t)g->impact->p, rows = p + (size_t)g->c;
    return carom_joints_bytes(g, g->impact->p) +
           carom_arena_bytes(plain_count(n, rows, p), sizeof(double)) +
           carom_arena_bytes(doubled_count(n, rows), sizeof(doubled)) +
           carom_arena_bytes(2 * p, sizeof(bool));
}

void carom_nearest_rows_create(const carom_geometry *g, const carom_nearest_start *start,
                               const doubled *target, carom_arena *arena, carom_nearest_rows *w)
{
    int n = g->impact->n, p = g->impact->p, c = g->c;
    size_t rows = (size_t)(c + p), ns = (size_t)n;
    *w = (carom_nearest_rows){.g = g, .start = start, .n = n, .p = p, .c = c};
    carom_joints_response(g, p, arena, &w->r);
    double *memory = carom_arena_reserved(arena, plain_count(ns, rows, (size_t)p), sizeof *memory);
    w->u = carom_arena_reserved(arena, doubled_count(ns, rows), sizeof *w->u);
    w->in = carom_arena_reserved(arena, 2 * (size_t)p, sizeof *w->in);
    memset(w->u, 0, doubled_count(ns, rows) * sizeof *w->u);
    memset(w->in, 0, 2 * (size_t)p * sizeof *w->in);
    w->impulse = w->u + ns;
    w->motion = w->impulse + rows;
    w->ignored = w->in + p;
    w->moved = memory;
    w->d = w->moved + ns;
    w->z = w->d + ns;
    w->s = w->z + ns;
    w->room = w->s + rows;
    w->floor = w->room + 2 * (ns + rows);
    w->borrowed = w->floor + p;
    w->push_size = w->borrowed + p;
    memset(w->borrowed, 0, sizeof *w->borrowed * (size_t)p);
    for (int j = 0; j < c; j++)
        w->motion[j] = (doubled){g->c_hat[j], 0};
    for (int i = 0; i < p; i++) {
        doubled motion = {g->impact->w_hat ? g->impact->w_hat[i] : 0, 0};
        w->motion[c + i] = target ? doubled_add(motion, doubled_negate(target[i])) : motion;
    }
    find_floor(w);
}

/* What rounding rho of a held row leaves of velocities: the shortest change that makes up for it in
 * the kinetic metric, rho M^-1 w/(w'M^-1 w). rho/|w_k| would be that of a body which moves alone,
 * and takes for dust all velocity of one that the row hardly has. */
static void spread_dust(carom_nearest_rows *w, const double *row, double rho, double *dust)
{
    double *y = w->d, D = 0;
    memcpy(y, row, sizeof *y * (size_t)w->n);
    carom_response_row(&w->r, y);
    carom_response_vector_back(&w->r, y);
    for (int k = 0; k < w->n; k++)
        D += row[k] * y[k];
    for (int k = 0; k < w->n && D > 0; k++)
        dust[k] = fmax(dust[k], rho * fabs(y[k] / D));
}

/* What cancels to the last of all digits is zero: velocities against what was moved in the rows
 * that they are held by, impulses against those that stop such velocities. */
static void clear_dust(carom_nearest_rows *w)
{
    const doubled *x = w->start->x;
    double *dust = w->room;
    for (int k = 0; k < w->n; k++)
        dust[k] = DUST * (fabs(x[k].hi) + w->moved[k]) + w->scale / w->r.unit[k];
    for (int j = 0; j < w->r.basis.k; j++) {
        int i = w->r.number[j] - w->c;
        const double *row = w->r.row[j];
        doubled *l = &w->impulse[w->r.number[j]];
        double D = i < 0 ? 0 : w->g->norm[i] * w->g->norm[i];
        double size = fabs(w->motion[w->r.number[j]].hi);
        for (int k = 0; k < w->n; k++)
            size += fabs(row[k]) * (fabs(x[k].hi) + w->moved[k]);
        spread_dust(w, row, DUST * size, dust);
        if (i >= 0 && fabs(l->hi) * D <= DUST * size + w->floor[i])
            *l = (doubled){0, 0};
    }
    for (int k = 0; k < w->n; k++)
        if (fabs(w->u[k].hi) <= dust[k])
            w->u[k] = (doubled){0, 0};
}

/* u and the impulses of the rows held, afresh from x: no error of earlier steps stays. */
void carom_nearest_rows_meet(carom_nearest_rows *w)
{
    carom_response_meet(&w->r, w->motion, w->start->x, w->start->push, w->u, w->impulse, w->room);
    carom_response_moved(&w->r, w->impulse, w->moved, w->room);
    for (int k = 0; k < w->n; k++)
        w->moved[k] += w->push_size[k];
    clear_dust(w);
}

/* How far contact i is from its target (negative: violated). *size: of the terms compared;
 * *rounding: what errors of u can do to it. */
double carom_nearest_rows_slack(const carom_nearest_rows *w, int i, double *size, double *rounding)
{
    const double *row = carom_nearest_rows_row(w, i);
    const doubled *u = w->u, *x = w->start->x;
    int first = w->g->first[i], last = w->g->last[i];
    doubled sum = w->motion[w->c + i];
    *size = fabs(sum.hi);
    *rounding = 0;
    for (int k = first; k < last; k++) {
        *size += fabs(row[k]) * (fabs(u[k].hi) + fabs(x[k].hi) + w->push_size[k]);
        *rounding += fabs(row[k]) * w->moved[k];
    }
    *size += w->floor[i] / CAROM_PREDICATE_REST;
    *rounding = 4 * carom_predicate_rounding(last - first) * *size + DUST * *rounding;
    *rounding += w->floor[i]; /* an impulse that takes less out is dust itself */
    return doubled_dot(last - first, row + first, u + first, sum).hi;
}

/* Rows whose motions are such that the velocity found meets all of them. */
void carom_nearest_rows_at(const carom_geometry *g, const carom_nearest_start *start,
                           const carom_nearest *nearest, carom_arena *arena, carom_nearest_rows *w)
{
    carom_nearest_rows_create(g, start, NULL, arena, w);
    for (int i = 0; i < w->p; i++)
        w->motion[w->c + i] = doubled_negate(
            doubled_dot(w->n, carom_nearest_rows_row(w, i), nearest->u, (doubled){0, 0}));
}
