/* Variations in the first moments of slip in space. The direction d of friction is that of
 * w = v + tau v'(d) there (motion_onset.h); it turns with the data so that d stays parallel to w
 * (docs/theory/sensitivities.md, "Slip that starts in space"). */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "orbit/variation.h"

typedef carom_variation_onset onset;

carom_status carom_variation_onset_create(const carom_system *system, carom_arena *arena,
                                          carom_variation_onset *o, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    const size_t n = (size_t)shape->n, m = (size_t)shape->s / 2;
    const size_t r = (size_t)(shape->p + shape->s + shape->m + shape->a);
    memset(o, 0, sizeof *o);
    if (m == 0)
        return CAROM_OK;
    double *d = carom_arena_zeros(arena, m * (m + 1 + n + r), sizeof(double));
    o->contacts = carom_arena_array(arena, 2 * m, sizeof(int));
    if (!d || !o->contacts)
        return carom_error_memory(error);
    o->pivot = o->contacts + m;
    o->J = d;
    o->turn = d += m * m;
    o->da = d += m;
    o->dx = d + m * n;
    return carom_motion_create(system, arena, &o->motion, error);
}

void carom_variation_onset_take(carom_variation_onset *o, const carom_motion *from)
{
    const carom_system_shape *shape = from->shape;
    const size_t p = (size_t)shape->p, s = (size_t)shape->s;
    carom_motion *to = &o->motion;
    o->any = false;
    for (int i = 0; i < shape->p; i++)
        o->any = o->any || (from->sliding[i] && from->onset[i] > 0);
    if (!o->any)
        return;
    to->want = from->want;
    to->row_count = from->row_count;
    memcpy(to->rows, from->rows, sizeof *to->rows * (size_t)from->row_count);
    memcpy(to->sliding, from->sliding, p);
    memcpy(to->mu, from->mu, p * sizeof(double));
    memcpy(to->onset, from->onset, p * sizeof(double));
    memcpy(to->delay, from->delay, p * sizeof(double));
    memcpy(to->heading, from->heading, s * sizeof(double));
    memcpy(to->direction, from->direction, s * sizeof(double));
    to->quick = from->quick;
    to->slow = from->slow;
}

carom_status carom_variation_onset_head(carom_variation_onset *o, double t, const double *q,
                                        const double *u, double *direction, carom_error *error)
{
    carom_motion *m = &o->motion;
    const carom_status status = carom_motion_evaluate(m, t, q, u, 0, error);
    o->count = 0;
    if (status != CAROM_OK)
        return status > 0 ? CAROM_ERROR_NUMERIC : status;
    for (int i = 0; i < m->shape->p; i++) {
        const int j = m->shape->slip_start[i];
        if (!m->sliding[i] || m->shape->slip_start[i + 1] - j != 2)
            continue;
        memcpy(direction + j, m->direction + j, 2 * sizeof(double));
        if (hypot(carom_motion_slip(m, j), carom_motion_slip(m, j + 1)) < m->onset[i])
            o->contacts[o->count++] = i;
    }
    return CAROM_OK;
}

static double cross(const double *a, const double *b)
{
    return a[0] * b[1] - a[1] * b[0];
}

/* Slip and delay of contact i, and its acceleration. */
static double find_delay(const onset *o, int i, double *v, double *rate)
{
    const carom_motion *m = &o->motion;
    const int n = m->shape->n, j = m->shape->slip_start[i];
    for (int l = 0; l < 2; l++) {
        v[l] = carom_motion_slip(m, j + l);
        rate[l] = carom_dense_dot(n, m->state.H + (size_t)(j + l) * (size_t)n, m->a) +
                  m->state.slip_bias[j + l];
    }
    const double part = hypot(v[0], v[1]) / m->onset[i], left = 1 - part * part;
    return m->delay[i] * left * left;
}

bool carom_variation_onset_prepare(carom_variation_point *p, carom_variation_onset *o)
{
    const size_t n = (size_t)p->shape->n, r = (size_t)p->r;
    const int *start = p->shape->slip_start, m = o->count, all = p->k;
    for (int k = 0; k < m; k++) {
        const int i = o->contacts[k], j = start[i];
        const double *d = p->direction + j, f = p->mu[i] * p->lambda[i];
        double *da = o->da + (size_t)k * n;
        memset(da, 0, n * sizeof(double));
        memset(o->dx + (size_t)k * r, 0, r * sizeof(double));
        carom_dense_axpy(p->shape->n, f * d[1], p->state.H + (size_t)j * n, da);
        carom_dense_axpy(p->shape->n, -f * d[0], p->state.H + (size_t)(j + 1) * n, da);
    }
    p->k = m;
    carom_variation_point_solve(p, o->da, o->dx);
    p->k = all;
    for (int i = 0; i < m; i++) {
        const int j = start[o->contacts[i]];
        const double *d = p->direction + j;
        double v[2], rate[2], w[2], moved[2];
        const double delay = find_delay(o, o->contacts[i], v, rate);
        for (int l = 0; l < 2; l++)
            w[l] = v[l] + delay * rate[l];
        for (int k = 0; k < m; k++) {
            for (int l = 0; l < 2; l++)
                moved[l] = carom_dense_dot(p->shape->n, p->state.H + (size_t)(j + l) * n,
                                           o->da + (size_t)k * n);
            o->J[i + k * m] = delay * cross(d, moved) - (i == k ? d[0] * w[0] + d[1] * w[1] : 0);
        }
    }
    return carom_lu_factor(m, o->J, m, o->pivot, 0) == 0;
}

/* -d x (dv + dtau v' + tau dv') of contact i in direction c, with the direction d held. */
static double find_side(const carom_variation_point *p, const onset *o, int i,
                        const carom_directions *along, const double *da, int c)
{
    const size_t n = (size_t)p->shape->n, s = (size_t)p->shape->s;
    const int first = p->shape->slip_start[i];
    const carom_motion *m = &o->motion;
    double v[2], rate[2], dv[2], dw[2];
    const double delay = find_delay(o, i, v, rate);
    const double part = hypot(v[0], v[1]) / m->onset[i], left = 1 - part * part;
    for (int l = 0; l < 2; l++)
        dv[l] = carom_variation_point_slip_change(p, first + l, along, c);
    const double ahead =
        -4 * m->delay[i] * left * (v[0] * dv[0] + v[1] * dv[1]) / (m->onset[i] * m->onset[i]);
    for (int l = 0; l < 2; l++) {
        const size_t j = (size_t)(first + l);
        const double change = p->slip[j + (size_t)c * s] + p->slip_bias[j + (size_t)c * s] +
                              carom_dense_dot(p->shape->n, p->state.H + j * n, da);
        dw[l] = dv[l] + ahead * rate[l] + delay * change;
    }
    return -cross(p->direction + first, dw);
}

void carom_variation_onset_turn(carom_variation_point *p, carom_variation_onset *o,
                                const carom_directions *along, double *da)
{
    const size_t n = (size_t)p->shape->n, r = (size_t)p->r;
    const int m = o->count;
    for (int c = 0; c < along->k; c++) {
        double *a = da + (size_t)c * n, *x = p->dx + (size_t)c * r;
        for (int i = 0; i < m; i++)
            o->turn[i] = find_side(p, o, o->contacts[i], along, a, c);
        carom_lu_solve(m, o->J, m, o->pivot, o->turn);
        for (int i = 0; i < m; i++) {
            carom_dense_axpy(p->shape->n, o->turn[i], o->da + (size_t)i * n, a);
            carom_dense_axpy(p->r, o->turn[i], o->dx + (size_t)i * r, x);
        }
    }
}
