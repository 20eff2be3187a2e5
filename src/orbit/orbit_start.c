/* Starts of orbits on closed contacts: rows that must hold there (gaps, joints, rates, slips of
 * what sticks), and the start and its variations moved onto them, ignored coordinates first: a
 * walker that bends its leg stays on its foot (docs/theory/orbits.md, "Closed contacts"). */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "orbit/orbit_map.h"

typedef enum row_kind { GAP, JOINT, RATE, SLIP, JOINT_RATE, ROLLING } row_kind;

static const double *row_vector(const carom_orbit_map *m, int kind, int index)
{
    const size_t at = (size_t)index * (size_t)m->n;
    switch ((row_kind)kind) {
    case GAP:
    case RATE:
        return m->state.W + at;
    case SLIP:
        return m->state.H + at;
    case JOINT:
    case JOINT_RATE:
        return m->state.B + at;
    case ROLLING:
        break;
    }
    return m->state.A + at;
}

/* K = R'GR of the rows chosen so far; false: the last depends on the others. */
static bool factor(carom_orbit_map *m, const double *weight)
{
    const int n = m->n, r = m->rows;
    for (int i = 0; i < r; i++) {
        double *R = m->R + (size_t)i * (size_t)n, *Y = m->Y + (size_t)i * (size_t)n;
        memcpy(R, row_vector(m, m->kind[i], m->index[i]), sizeof(double) * (size_t)n);
        for (int k = 0; k < n; k++)
            Y[k] = R[k] * (weight ? weight[k] : 1);
    }
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++)
            m->K[i + (size_t)j * (size_t)r] =
                carom_dense_dot(n, m->R + (size_t)i * (size_t)n, m->Y + (size_t)j * (size_t)n);
    return r == 0 || carom_lu_factor(r, m->K, r, m->pivot, CAROM_TOLERANCE_SOLVED) == 0;
}

static void add(carom_orbit_map *m, row_kind kind, int index, const double *weight)
{
    m->kind[m->rows] = kind;
    m->index[m->rows++] = index;
    if (!factor(m, weight))
        m->rows--;
}

/* What is corrected: positions by ignored coordinates alone, what is left of them by all,
 * velocities. */
typedef enum stage { IGNORED, POSITIONS, VELOCITIES } stage;

/* The rows of a stage. */
static void choose(carom_orbit_map *m, stage now)
{
    const carom_system_shape *shape = m->shape;
    const bool velocities = now == VELOCITIES;
    const double *weight = now == IGNORED ? m->weight : NULL;
    m->rows = 0;
    for (int i = 0; i < shape->p; i++) {
        if (m->mode[i] == CAROM_MODE_OPEN)
            continue;
        add(m, velocities ? RATE : GAP, i, weight);
        if (velocities && m->mode[i] == CAROM_MODE_STICK)
            for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++)
                add(m, SLIP, j, NULL);
    }
    for (int j = 0; j < shape->m; j++)
        add(m, velocities ? JOINT_RATE : JOINT, j, weight);
    for (int j = 0; velocities && j < shape->a; j++)
        add(m, ROLLING, j, NULL);
    factor(m, weight);
}

/* How far row i is off at the state. */
static double off(const carom_orbit_map *m, int i)
{
    const carom_state *s = &m->state;
    const int k = m->index[i];
    const double rate = carom_dense_dot(m->n, m->R + (size_t)i * (size_t)m->n, s->u);
    switch ((row_kind)m->kind[i]) {
    case GAP:
        return s->g[k];
    case JOINT:
        return s->f[k];
    case RATE:
        return rate + s->w_hat[k];
    case SLIP:
        return rate + s->slip_motion[k];
    case JOINT_RATE:
        return rate + s->b_hat[k];
    case ROLLING:
        break;
    }
    return rate + s->a_hat[k];
}

static carom_status look(carom_orbit_map *m, carom_error *error)
{
    m->state.t = m->t0;
    memcpy(m->state.q, m->x0, sizeof(double) * (size_t)m->n);
    memcpy(m->state.u, m->x0 + m->n, sizeof(double) * (size_t)m->n);
    for (int i = 0; i < m->n; i++)
        m->weight[i] = m->problem->ignore && m->problem->ignore[i];
    return carom_system_evaluate(m->problem->system,
                                 CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_SLIPS |
                                     CAROM_WANT_JOINTS,
                                 &m->state, error);
}

/* x -= Y c for the right sides of the rows. */
static void correct(carom_orbit_map *m, double *c, double *x)
{
    if (m->rows == 0)
        return;
    carom_lu_solve(m->rows, m->K, m->rows, m->pivot, c);
    for (int i = 0; i < m->rows; i++)
        carom_dense_axpy(m->n, -c[i], m->Y + (size_t)i * (size_t)m->n, x);
}

/* How long the start has to go, along its velocity, to be on the section: a contact that flies, an
 * event that sets nothing. */
static carom_status time_to_section(carom_orbit_map *m, double *s, carom_error *error)
{
    const carom_orbit_problem *p = m->problem;
    const int i = p->contact;
    *s = 0;
    if (i >= 0 && m->mode[i] == CAROM_MODE_OPEN && !p->symmetry) {
        const double *w = m->state.W + (size_t)i * (size_t)m->n;
        const double gamma = carom_dense_dot(m->n, w, m->state.u) + m->state.w_hat[i];
        *s = gamma != 0 ? -m->state.g[i] / gamma : 0;
    }
    if (p->event < 0 || m->shape->events[p->event].resets)
        return CAROM_OK;
    const double one = 1;
    const carom_directions along = {.k = 1, .t = &one, .q = m->state.u};
    carom_mark mark = carom_arena_mark(m->work);
    carom_tangents t = {.event = carom_arena_doubles(m->work, (size_t)m->shape->event_count)};
    if (!t.event)
        return carom_error_memory(error);
    carom_status status = carom_system_evaluate(p->system, CAROM_WANT_EVENTS, &m->state, error);
    if (status == CAROM_OK)
        status = carom_system_differentiate(p->system, CAROM_WANT_EVENTS, &m->state, &along, error);
    if (status == CAROM_OK) {
        carom_system_tangents(p->system, &t);
        const double rate = t.event[p->event];
        *s = rate != 0 ? -m->state.event[p->event] / rate : 0;
    }
    carom_arena_rewind(m->work, mark);
    return status;
}

/* The start is moved along its velocity onto the section: with the flow, nearly, which the return
 * map does not see. */
static carom_status slide(carom_orbit_map *m, carom_error *error)
{
    double s;
    carom_status status = time_to_section(m, &s, error);
    if (status != CAROM_OK || !(fabs(s) < 0.05 * m->problem->horizon))
        return status;
    carom_dense_axpy(m->n, s, m->state.u, m->x0);
    if (m->timed)
        m->t0 += s;
    return CAROM_OK;
}

carom_status carom_orbit_start_project(carom_orbit_map *m, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int round = 0; round < 4; round++)
        for (stage now = IGNORED; now <= VELOCITIES; now++) {
            status = look(m, error);
            if (status != CAROM_OK)
                return status;
            if (now == VELOCITIES) {
                status = slide(m, error);
                if (status == CAROM_OK)
                    status = look(m, error);
            }
            if (status != CAROM_OK)
                return status;
            choose(m, now);
            for (int i = 0; i < m->rows; i++)
                m->c[i] = off(m, i);
            correct(m, m->c, now == VELOCITIES ? m->x0 + m->n : m->x0);
        }
    return CAROM_OK;
}

/* The change of row i in direction j beyond r'dq or r'du. */
static double change(const carom_orbit_map *m, const carom_tangents *t, int i, int j)
{
    const carom_system_shape *s = m->shape;
    const size_t k = (size_t)m->index[i], c = (size_t)j;
    switch ((row_kind)m->kind[i]) {
    case GAP:
        return t->g[k + c * (size_t)s->p];
    case JOINT:
        return t->f[k + c * (size_t)s->m];
    case RATE:
        return t->Wx[k + c * (size_t)s->p] + t->w_hat[k + c * (size_t)s->p];
    case SLIP:
        return t->Hx[k + c * (size_t)s->s] + t->slip_motion[k + c * (size_t)s->s];
    case JOINT_RATE:
        return t->Bx[k + c * (size_t)s->m] + t->b_hat[k + c * (size_t)s->m];
    case ROLLING:
        break;
    }
    return t->Ax[k + c * (size_t)s->a] + t->a_hat[k + c * (size_t)s->a];
}

/* The directions of positions or velocities onto the rows. */
static carom_status hold(carom_orbit_map *m, stage now, const carom_directions *along,
                         carom_tangents *t, double *v, carom_error *error)
{
    const bool velocities = now == VELOCITIES;
    choose(m, now);
    if (m->rows == 0)
        return CAROM_OK;
    carom_status status = carom_system_differentiate(m->problem->system,
                                                     CAROM_WANT_GAPS | CAROM_WANT_NORMALS |
                                                         CAROM_WANT_SLIPS | CAROM_WANT_JOINTS,
                                                     &m->state, along, error);
    if (status != CAROM_OK)
        return status;
    carom_system_tangents(m->problem->system, t);
    for (int j = 0; j < along->k; j++) {
        double *x = v + (size_t)j * (size_t)m->n;
        for (int i = 0; i < m->rows; i++)
            m->c[i] = change(m, t, i, j) +
                      (velocities ? carom_dense_dot(m->n, m->R + (size_t)i * (size_t)m->n, x) : 0);
        correct(m, m->c, x);
    }
    return CAROM_OK;
}

carom_status carom_orbit_start_directions(carom_orbit_map *m, carom_error *error)
{
    const carom_system_shape *s = m->shape;
    const size_t n = (size_t)m->n, k = (size_t)m->size + 1, c = (size_t)s->parameter_count;
    const size_t each = 4 * (size_t)s->p + 2 * (size_t)s->s + 3 * (size_t)s->m + 2 * (size_t)s->a;
    double *x = carom_arena_zeros(m->work, k * (2 * n + 1 + c + each), sizeof(double));
    if (!x)
        return carom_error_memory(error);
    double *q = x, *u = q + n * k, *t = u + n * k, *parameters = t + k, *y = parameters + c * k;
    carom_tangents tangents = {.x = m->state.u};
    double **const parts[] = {
        &tangents.g, &tangents.Wx, &tangents.w_hat, &tangents.Hx, &tangents.slip_motion,
        &tangents.f, &tangents.Bx, &tangents.b_hat, &tangents.Ax, &tangents.a_hat};
    const int sizes[] = {s->p, s->p, s->p, s->s, s->s, s->m, s->m, s->m, s->a, s->a};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = y;
        y += (size_t)sizes[i] * k;
    }
    for (int j = 0; j < m->size; j++) {
        const size_t i = (size_t)m->unknown[j];
        if (i < n)
            q[i + (size_t)j * n] = 1;
        else if (i < 2 * n)
            u[i - n + (size_t)j * n] = 1;
        else
            t[j] = 1;
    }
    if (m->problem->parameters)
        memcpy(parameters + (k - 1) * c, m->problem->parameters, c * sizeof(double));
    const carom_directions along = {(int)k, t, q, u, parameters};
    carom_status status = look(m, error);
    if (status == CAROM_OK)
        status = hold(m, IGNORED, &along, &tangents, q, error);
    if (status == CAROM_OK)
        status = hold(m, POSITIONS, &along, &tangents, q, error);
    if (status == CAROM_OK)
        status = hold(m, VELOCITIES, &along, &tangents, u, error);
    for (size_t j = 0; j < k; j++) {
        memcpy(m->V + 2 * j * n, q + j * n, n * sizeof(double));
        memcpy(m->V + (2 * j + 1) * n, u + j * n, n * sizeof(double));
    }
    return status;
}
