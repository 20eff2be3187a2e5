/* The contact problem at one state of a system as contacts at one instant. */
#include "certify/painleve_state.h"

#include "carom/tolerance.h"
#include "certify/painleve_refine.h"
#include "impact/joints.h"
#include "impact/predicate.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const carom_contact *contact(const carom_painleve_state *w, int i)
{
    return &w->g->impact->contacts[i];
}

static int slips(const carom_painleve_state *w, int i)
{
    return w->g->slip_start[i + 1] - w->g->slip_start[i];
}

static carom_status take(carom_painleve_state *w)
{
    const size_t n = (size_t)w->g->impact->n, p = (size_t)w->g->impact->p, s = (size_t)w->g->s;
    double *memory =
        carom_arena_zeros(w->arena, 3 * n + p + s + carom_joints_free_work(w->g), sizeof(double));
    w->part = carom_arena_array(w->arena, p + 1, sizeof(int));
    w->resting = carom_arena_zeros(w->arena, p + 1, sizeof(bool));
    w->sliding = carom_arena_zeros(w->arena, p + 1, sizeof(carom_mode));
    if (!memory || !w->part || !w->resting || !w->sliding)
        return carom_error_memory(w->error);
    w->free = memory;
    w->free_terms = memory + n;
    w->bias = w->free_terms + n;
    w->direction = w->bias + p;
    w->terms = w->direction + s;
    return CAROM_OK;
}

/* Does contact i slide, and where to? A slip is one beyond the rounding of the velocities. */
static void sort_slip(carom_painleve_state *w, int i)
{
    const carom_geometry *g = w->g;
    const int first = g->slip_start[i], n = g->impact->n;
    double squared = 0, reach = 0;
    for (int j = first; j < first + slips(w, i); j++) {
        squared += g->slip[j] * g->slip[j];
        reach += carom_dense_dot(n, g->impact->H + (size_t)j * n, g->Z + (size_t)j * n);
    }
    const double slip = sqrt(squared);
    if (!(slip > CAROM_TOLERANCE_SAME * g->speed * sqrt(reach)) ||
        isinf(contact(w, i)->friction_dynamic)) {
        w->resting[i] = true;
        w->spatial = w->spatial || slips(w, i) == 2;
        return;
    }
    for (int j = first; j < first + slips(w, i); j++)
        w->direction[j] = g->slip[j] / slip;
    w->sliding[i] = slips(w, i) == 2     ? CAROM_MODE_SLIP
                    : g->slip[first] > 0 ? CAROM_MODE_SLIP_PLUS
                                         : CAROM_MODE_SLIP_MINUS;
}

/* Which contacts take part, and how. Returns their count. */
static int sort_contacts(carom_painleve_state *w)
{
    const carom_geometry *g = w->g;
    int count = 0;
    for (int i = 0; i < g->impact->p; i++) {
        if (carom_predicate_separates(g, i))
            continue; /* it leaves */
        w->approaching = w->approaching || carom_predicate_approaches(g, i);
        w->sliding[i] = CAROM_MODE_CLOSED;
        w->part[count++] = i;
        if (slips(w, i) > 0 && contact(w, i)->friction_static > 0)
            sort_slip(w, i);
    }
    return count;
}

/* The rows of the problem, their vectors and those of their forces. memory: n x p for the columns
 * of sliding contacts. */
static void collect_rows(carom_painleve_state *w, int *row, double *memory)
{
    const carom_geometry *g = w->g;
    const int n = g->impact->n;
    row[0] = 0;
    for (int c = 0; c < w->problem.p; c++) {
        const int i = w->part[c], first = g->slip_start[i];
        int r = row[c];
        double *own = memory + (size_t)c * n;
        carom_dense_copy(n, g->Y + (size_t)i * n, own);
        w->row[r] = g->impact->W + (size_t)i * n;
        w->column[r++] = own;
        for (int j = first; j < first + slips(w, i); j++) {
            const double *Z = g->Z + (size_t)j * n;
            if (w->resting[i]) {
                w->row[r] = g->impact->H + (size_t)j * n;
                w->column[r++] = Z;
            } else if (w->direction[j] != 0) {
                carom_dense_axpy(n, -contact(w, i)->friction_dynamic * w->direction[j], Z, own);
            }
        }
        row[c + 1] = r;
    }
}

/* W, q, the norms of the rows, and the rounding level of q: what cancels in it, within joints too,
 * which leave of a load that they carry nothing but its rounding. bias: N. */
static void fill(carom_painleve_state *w, const double *bias, double *W, double *q)
{
    const carom_geometry *g = w->g;
    const int n = g->impact->n, N = w->problem.N;
    w->problem.symmetric = true;
    for (int c = 0; c < w->problem.p; c++) {
        const int i = w->part[c], r = w->problem.row[c], first = g->slip_start[i];
        w->problem.symmetric = w->problem.symmetric && w->sliding[i] == CAROM_MODE_CLOSED;
        w->scale[r] = g->norm[i];
        for (int j = r + 1; j < w->problem.row[c + 1]; j++)
            w->scale[j] = sqrt(
                fmax(0, carom_dense_dot(n, w->row[j], g->Z + (size_t)(first + j - r - 1) * n)));
    }
    for (int j = 0; j < N; j++) {
        q[j] = bias[j] + carom_dense_dot(n, w->row[j], w->free);
        double size = fabs(bias[j]);
        for (int k = 0; k < n; k++)
            size += fabs(w->row[j][k]) * w->free_terms[k];
        const double rounding = 16.0 * (n + 1) * DBL_EPSILON * size;
        if (fabs(q[j]) <= rounding)
            q[j] = 0;
        if (w->scale[j] > 0)
            w->problem.floor = fmax(w->problem.floor, rounding / w->scale[j]);
        for (int i = 0; i < N; i++)
            W[i + (size_t)j * N] = carom_dense_dot(n, w->row[i], w->column[j]);
    }
}

/* The slips of contacts that slide, as further velocities that tell motions apart. */
static carom_status add_slips(carom_painleve_state *w)
{
    const carom_geometry *g = w->g;
    const int n = g->impact->n, N = w->problem.N;
    double *X = carom_arena_doubles(w->arena, (size_t)g->s * (size_t)N + 1);
    int extra = 0;
    if (!X)
        return carom_error_memory(w->error);
    for (int j = 0; j < g->s; j++)
        extra += w->direction[j] != 0;
    for (int j = 0, a = 0; j < g->s; j++) {
        if (w->direction[j] == 0)
            continue;
        const double *h = g->impact->H + (size_t)j * n;
        const double square = carom_dense_dot(n, h, g->Z + (size_t)j * n);
        const double norm = square > 0 ? sqrt(square) : 1;
        for (int b = 0; b < N; b++)
            X[a + (size_t)b * extra] = carom_dense_dot(n, h, w->column[b]) / (norm * w->scale[b]);
        a++;
    }
    w->problem.extra = extra;
    w->problem.X = X;
    return CAROM_OK;
}

/* The problem of the contacts that take part; bias: of all rows of the impact's contacts. */
static carom_status pose(carom_painleve_state *w, int count, const carom_state *state,
                         const carom_system_shape *shape, const int *closed)
{
    const size_t n = (size_t)w->g->impact->n, p = (size_t)count, s = (size_t)w->g->s, most = p + s;
    int *row = carom_arena_array(w->arena, p + 1, sizeof *row);
    double *W = carom_arena_doubles(w->arena, most * most + 3 * most + 2 * p + n * p);
    w->row = carom_arena_array(w->arena, 2 * most + 1, sizeof *w->row);
    if (!row || !W || !w->row)
        return carom_error_memory(w->error);
    double *q = W + most * most, *bias = q + most, *mu_s = bias + most, *mu_d = mu_s + p;
    w->row_bias = bias;
    w->scale = mu_d + p;
    w->column = w->row + most;
    w->problem =
        (carom_instant){.p = count, .row = row, .W = W, .q = q, .mu_s = mu_s, .mu_d = mu_d};
    collect_rows(w, row, w->scale + most);
    w->problem.N = row[count];
    for (int c = 0; c < count; c++) {
        const int i = w->part[c];
        mu_s[c] = w->resting[i] ? contact(w, i)->friction_static : 0;
        mu_d[c] = w->resting[i] ? contact(w, i)->friction_dynamic : 0;
        bias[row[c]] = w->bias[i] = state->g_bias[closed[i]];
        for (int j = row[c] + 1; j < row[c + 1]; j++)
            bias[j] = state->slip_bias[shape->slip_start[closed[i]] + j - row[c] - 1];
    }
    fill(w, bias, W, q);
    carom_instant_scale(count, row, W, q, mu_s, mu_d, w->scale);
    return add_slips(w);
}

carom_status carom_painleve_state_make(const carom_system *system, const carom_state *state,
                                       const carom_geometry *geometry, const int *closed,
                                       carom_arena *arena, carom_painleve_state *made,
                                       carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    carom_painleve_state w = {.g = geometry, .arena = arena, .error = error};
    carom_status status = take(&w);
    if (!status) {
        carom_joints_free(geometry, state, w.free, w.free_terms, w.terms + geometry->impact->n);
        status = pose(&w, sort_contacts(&w), state, shape, closed);
    }
    *made = w;
    return status;
}

carom_status carom_painleve_state_solution(const carom_painleve_state *w,
                                           carom_painleve_solution *x)
{
    const size_t n = (size_t)w->g->impact->n, p = (size_t)w->g->impact->p, s = (size_t)w->g->s;
    double *memory = carom_arena_zeros(w->arena, 4 * p + s + n, sizeof(double));
    x->mode = carom_arena_zeros(w->arena, p, sizeof(carom_mode));
    if (!memory || !x->mode)
        return carom_error_memory(w->error);
    x->force = memory;
    x->least = x->force + p;
    x->most = x->least + p;
    x->acceleration = x->most + p;
    x->tangential_force = x->acceleration + p;
    x->du = x->tangential_force + s;
    x->force_unique = false;
    return CAROM_OK;
}

/* The gap accelerations of a solution whose forces and du are known; 0 where they are the rounding
 * of what adds up to them, or of a complementary zero. */
static void accelerate(const carom_painleve_state *w, carom_painleve_solution *x)
{
    const int n = w->g->impact->n, p = w->g->impact->p;
    for (int i = 0; i < p; i++) {
        const double *normal = w->g->impact->W + (size_t)i * n;
        double size = fabs(w->bias[i]) + w->g->D[i + (size_t)i * p] * x->force[i], terms = size;
        for (int k = 0; k < n; k++) {
            size += fabs(normal[k] * x->du[k]);
            terms += fabs(normal[k]) * w->terms[k];
        }
        const double a = carom_dense_dot(n, normal, x->du) + w->bias[i];
        const bool zero = (x->force[i] > 0 && fabs(a) < CAROM_TOLERANCE_SOLVED * size) ||
                          fabs(a) <= CAROM_TOLERANCE_CARRIED * terms;
        x->acceleration[i] = zero ? 0 : a;
    }
}

carom_status carom_painleve_state_write(const carom_painleve_state *w, const double *r,
                                        const unsigned char *mode, carom_painleve_solution *x)
{
    const int n = w->g->impact->n;
    const double least = CAROM_TOLERANCE_CARRIED * carom_dense_max(w->problem.N, r);
    carom_dense_copy(n, w->free_terms, w->terms);
    for (int c = 0; c < w->problem.p; c++) {
        const int i = w->part[c], k = w->problem.row[c], first = w->g->slip_start[i];
        x->force[i] = r[k] / w->scale[k];
        x->mode[i] = w->resting[i] ? (carom_mode)mode[c]
                     : r[k] > 0    ? w->sliding[i]
                                   : CAROM_MODE_OPEN;
        for (int l = k; l < w->problem.row[c + 1]; l++) {
            const double force = l == k || fabs(r[l]) > least ? r[l] / w->scale[l] : 0;
            for (int j = 0; j < n; j++)
                w->terms[j] += fabs(force * w->column[l][j]);
            if (l > k)
                x->tangential_force[first + l - k - 1] = force;
        }
        for (int j = first; j < first + slips(w, i) && !w->resting[i]; j++)
            x->tangential_force[j] =
                -contact(w, i)->friction_dynamic * w->direction[j] * x->force[i];
    }
    const carom_status status = carom_painleve_refine(w, r, mode, x->du);
    accelerate(w, x);
    return status;
}
