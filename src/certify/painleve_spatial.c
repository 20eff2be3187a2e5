#include "certify/painleve_spatial.h"

#include "cone/cone_interior.h"
#include "law/friction.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <math.h>
#include <string.h>

/* The problem in the form of the impact law (law/friction.h): accelerations for velocities. A
 * contact that slides has its friction in the column of its normal force. */
typedef struct space {
    carom_painleve_modes *w;
    const bool *resting;
    carom_friction f;
    const double **row;    /* N, vector of each row */
    const double **column; /* N, M_c^-1 times the vector of its force */
    double *slid;          /* n x k, columns of the normals */
    double *mu_d;          /* p of f, in force once a contact slips */
} space;

static const carom_contact *contact(const space *s, int c)
{
    return &s->w->g->impact->contacts[s->w->part[c]];
}

static bool rests(const space *s, int c)
{
    return s->resting[s->w->part[c]];
}

static carom_status take(space *s)
{
    carom_painleve_modes *w = s->w;
    carom_friction *f = &s->f;
    const int k = w->k, n = w->n;
    int N = k;
    for (int c = 0; c < k; c++)
        N += rests(s, c) ? w->g->slip_start[w->part[c] + 1] - w->g->slip_start[w->part[c]] : 0;
    *f = (carom_friction){.p = k, .N = N, .sided = true};
    f->row = carom_arena_zeros(w->arena, 2 * (size_t)k + 1, sizeof *f->row);
    f->equality = carom_arena_zeros(w->arena, (size_t)k, sizeof *f->equality);
    s->row = carom_arena_array(w->arena, 2 * (size_t)N, sizeof *s->row);
    f->A = carom_arena_doubles(w->arena, (size_t)N * N + 2 * (size_t)N + 3 * (size_t)k +
                                             (size_t)n * (size_t)k);
    if (!f->row || !f->equality || !s->row || !f->A)
        return carom_error_memory(w->error);
    f->contact = f->row + k + 1;
    s->column = s->row + N;
    f->b = f->A + (size_t)N * N;
    f->scale = f->b + N;
    f->mu_s = f->scale + N;
    f->mu_d = f->mu_s + k;
    s->mu_d = f->mu_d + k;
    s->slid = s->mu_d + k;
    return CAROM_OK;
}

/* Rows and columns of candidate c, from number r on; returns the next number. */
static int enter(space *s, int c, int r)
{
    const carom_painleve_modes *w = s->w;
    const carom_geometry *g = w->g;
    const int n = w->n, i = w->part[c], first = g->slip_start[i], last = g->slip_start[i + 1];
    double *own = s->slid + (size_t)c * n;
    memcpy(own, g->Y + (size_t)i * n, sizeof *own * (size_t)n);
    s->row[r] = g->impact->W + (size_t)i * n;
    s->column[r] = own;
    s->f.b[r++] = w->bias[i];
    for (int j = first; j < last; j++) {
        const double *Z = g->Z + (size_t)j * n;
        if (rests(s, c)) {
            s->row[r] = g->impact->H + (size_t)j * n;
            s->column[r] = Z;
            s->f.b[r++] = w->slip_bias[j];
        } else {
            carom_dense_axpy(n, -contact(s, c)->friction_dynamic * w->direction[j], Z, own);
        }
    }
    return r;
}

static void state(space *s)
{
    carom_painleve_modes *w = s->w;
    carom_friction *f = &s->f;
    const int n = w->n, N = f->N;
    for (int c = 0, r = 0; c < f->p; c++) {
        const int i = w->part[c], first = r;
        double slip = 0;
        f->contact[c] = c;
        r = enter(s, c, r);
        f->row[c + 1] = r;
        f->scale[first] = w->g->norm[i] > 0 ? w->g->norm[i] : 1;
        for (int l = first + 1; l < r; l++)
            slip = fmax(slip, carom_dense_dot(n, s->row[l], s->column[l]));
        slip = slip > 0 ? sqrt(slip) : 1;
        for (int l = first + 1; l < r; l++)
            f->scale[l] = slip;
        f->mu_s[c] = contact(s, c)->friction_static * slip / f->scale[first];
        s->mu_d[c] = contact(s, c)->friction_dynamic * slip / f->scale[first];
        if (r == first + 1)
            f->mu_s[c] = s->mu_d[c] = 0;
        f->mu_d[c] = f->mu_s[c];
    }
    for (int j = 0; j < N; j++) {
        f->b[j] = (f->b[j] + carom_dense_dot(n, s->row[j], w->free)) / f->scale[j];
        for (int i = 0; i < N; i++)
            f->A[i + (size_t)j * N] =
                carom_dense_dot(n, s->row[i], s->column[j]) / (f->scale[i] * f->scale[j]);
    }
    f->floor = 1e-14 * carom_friction_size(f, NULL);
}

/* Dependent contacts share their forces in many ways: the shortest, if it is a solution too. */
static carom_status shorten(const space *s, double *x)
{
    carom_painleve_modes *w = s->w;
    const carom_friction *f = &s->f;
    const int N = f->N;
    double *b = carom_arena_zeros(w->arena, 2 * (size_t)N, sizeof *b), *y = b + N;
    if (!b)
        return carom_error_memory(w->error);
    for (int c = 0; c < f->p; c++)
        if (!(x[f->row[c]] > 0))
            return CAROM_OK;
    carom_dense_gemv(N, N, 1, f->A, N, x, b);
    carom_min_norm info;
    carom_status status = carom_min_norm_solve(N, N, f->A, b, 1e-11, w->arena, y, &info, w->error);
    if (!status && info.rank < N) {
        w->shared = true;
        if (carom_friction_residual(f, y) <= 1e-10)
            memcpy(x, y, sizeof *x * (size_t)N);
    }
    return status;
}

/* Is there a solution with this motion already? */
static bool known(const carom_painleve_modes *w, const carom_painleve_solution *made)
{
    const double size = fmax(carom_painleve_modes_largest(w->n, made->du),
                             carom_painleve_modes_largest(w->n, w->free));
    for (int k = 0; k < w->count; k++)
        if (carom_painleve_modes_same(w->n, w->solutions[k].du, made->du, size))
            return true;
    return false;
}

/* Keep the solution with the scaled forces x, unless its motion is there. */
static carom_status keep(space *s, double *x)
{
    carom_painleve_modes *w = s->w;
    const carom_friction *f = &s->f;
    carom_painleve_solution made;
    carom_mode *mode = carom_arena_array(w->arena, (size_t)f->p, sizeof *mode);
    carom_status status = shorten(s, x);
    if (!status)
        status = carom_painleve_modes_solution(w, &made);
    if (status || !mode)
        return status ? status : carom_error_memory(w->error);
    carom_friction_modes(f, x, mode);
    memcpy(made.du, w->free, sizeof(double) * (size_t)w->n);
    for (int c = 0; c < f->p; c++) {
        const int i = w->part[c], r = f->row[c], first = w->g->slip_start[i];
        made.force[i] = x[r] / f->scale[r];
        made.mode[i] = rests(s, c) ? mode[c] : x[r] > 0 ? w->mode[i] : CAROM_MODE_OPEN;
        for (int l = r; l < f->row[c + 1]; l++)
            carom_dense_axpy(w->n, x[l] / f->scale[l], s->column[l], made.du);
        for (int l = r + 1; l < f->row[c + 1]; l++)
            made.tangential_force[first + l - r - 1] = x[l] / f->scale[l];
        for (int j = first; j < w->g->slip_start[i + 1] && !rests(s, c); j++)
            made.tangential_force[j] =
                -contact(s, c)->friction_dynamic * w->direction[j] * made.force[i];
    }
    carom_painleve_modes_accelerate(w, &made);
    if (!known(w, &made))
        carom_painleve_modes_keep(w, &made);
    return CAROM_OK;
}

/* One contact: open, stick and all directions of slip; a slip with the lower coefficient is no
 * solution where the contact can stick. */
static carom_status solve_single(space *s)
{
    double xs[3 * CAROM_FRICTION_LOCAL];
    s->f.mu_d[0] = s->mu_d[0];
    int count = carom_friction_local(&s->f, 0, s->f.b, s->f.floor, xs);
    bool stick = false;
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && !status; k++) {
        carom_mode mode;
        carom_friction_modes(&s->f, xs + 3 * k, &mode);
        stick = stick || mode == CAROM_MODE_STICK;
        if (mode != CAROM_MODE_SLIP || !stick || !(s->f.mu_d[0] < s->f.mu_s[0]))
            status = keep(s, xs + 3 * k);
    }
    return status;
}

/* From one start: who slips with the static coefficient slips with the dynamic one. */
static carom_status search(space *s, double *x)
{
    carom_painleve_modes *w = s->w;
    carom_friction *f = &s->f;
    carom_mode *mode = carom_arena_array(w->arena, (size_t)f->p, sizeof *mode);
    double *mu = carom_arena_doubles(w->arena, (size_t)f->p);
    if (!mode || !mu)
        return carom_error_memory(w->error);
    memcpy(mu, f->mu_s, sizeof *mu * (size_t)f->p);
    memcpy(f->mu_d, mu, sizeof *mu * (size_t)f->p);
    carom_status status = CAROM_OK;
    bool again = true, found = false;
    for (int round = 0; round < 4 && again && !status; round++) {
        double residual;
        status = carom_friction_sweep(f, w->arena, x, 64, &residual, w->error);
        if (!status && residual > 1e-12)
            status = carom_friction_proximal(f, w->arena, x, &residual, w->error);
        if (!status && residual > 1e-12)
            status = carom_friction_sweep(f, w->arena, x, 1000, &residual, w->error);
        again = false;
        found = !status && residual <= 1e-10;
        if (!found)
            break;
        carom_friction_modes(f, x, mode);
        for (int c = 0; c < f->p; c++)
            if (mode[c] >= CAROM_MODE_SLIP_PLUS && s->mu_d[c] < f->mu_s[c] && rests(s, c)) {
                f->mu_s[c] = f->mu_d[c] = s->mu_d[c];
                again = true;
            }
    }
    memcpy(f->mu_s, mu, sizeof *mu * (size_t)f->p);
    return status || !found || again ? status : keep(s, x);
}

/* Several starts: no forces, large ones, those that hold everything. */
static carom_status solve_several(space *s)
{
    enum { STARTS = 6 };
    carom_painleve_modes *w = s->w;
    const carom_friction *f = &s->f;
    const double size = carom_friction_size(f, NULL);
    double *x = carom_arena_doubles(w->arena, (size_t)f->N);
    if (!x)
        return carom_error_memory(w->error);
    carom_status status = CAROM_OK;
    for (int start = 0; start < STARTS && !status; start++) {
        memset(x, 0, sizeof *x * (size_t)f->N);
        for (int c = 0; c < f->p; c++) { /* alternating loads, and friction to both sides */
            const bool loaded = start == 1 || (start > 1 && (c + start) % 2);
            x[f->row[c]] = loaded ? (start < 4 ? 1 : 100) * size : 0;
            for (int l = f->row[c] + 1; l < f->row[c + 1]; l++)
                x[l] = (l + start) % 2 ? 0.5 * f->mu_s[c] * x[f->row[c]] : 0;
        }
        status = search(s, x);
    }
    return status;
}

/* No forces in the cones with a gap acceleration >= 0 at all contacts? */
static carom_status refute(space *s, bool *infeasible)
{
    carom_painleve_modes *w = s->w;
    const carom_friction *f = &s->f;
    const int k = f->p, columns = f->N + k;
    int *size = carom_arena_array(w->arena, 2 * (size_t)k, sizeof *size);
    double *K = carom_arena_zeros(
        w->arena, (size_t)k * columns + 3 * (size_t)k + 2 * (size_t)columns, sizeof *K);
    if (!size || !K)
        return carom_error_memory(w->error);
    double *b = K + (size_t)k * columns, *mu = b + k, *unit = mu + 2 * k, *x = unit + columns;
    bool found;
    for (int c = 0; c < k; c++) {
        size[c] = f->row[c + 1] - f->row[c];
        size[k + c] = 1;
        mu[c] = fmin(f->mu_s[c], 1e6);
        b[c] = -f->b[f->row[c]];
        for (int j = 0; j < f->N; j++)
            K[c + (size_t)j * k] = f->A[f->row[c] + (size_t)j * f->N];
        K[c + (size_t)(f->N + c) * k] = -1;
    }
    carom_cone_interior cones = {.rows = k,
                                 .columns = columns,
                                 .K = K,
                                 .b = b,
                                 .blocks = 2 * k,
                                 .size = size,
                                 .mu = mu,
                                 .unit = unit,
                                 .tolerance = 1e-9};
    carom_status status = carom_cone_interior_find(&cones, w->arena, x, &found, w->error);
    *infeasible = !status && !found && cones.largest > 0;
    return status;
}

/* Rows of the contacts of one component in their own metric: normals, slips of those at rest,
 * directions of those that slide. */
typedef struct rows {
    int N;
    const double **v, **y; /* vectors, M_c^-1 times them */
    int *normal, *end;     /* by contact: number of its normal, and behind its last row */
    double *turned;        /* n x 2 by contact, direction of slip and M_c^-1 times it */
} rows;

static carom_status gather(const space *s, const int *group, int number, rows *r)
{
    carom_painleve_modes *w = s->w;
    const carom_geometry *g = w->g;
    const int n = w->n, k = s->f.p;
    *r = (rows){0};
    r->v = carom_arena_array(w->arena, 2 * (size_t)(w->p + w->s), sizeof *r->v);
    r->normal = carom_arena_zeros(w->arena, 2 * (size_t)k, sizeof *r->normal);
    r->turned = carom_arena_zeros(w->arena, 2 * (size_t)n * (size_t)k, sizeof *r->turned);
    if (!r->v || !r->normal || !r->turned)
        return carom_error_memory(w->error);
    r->y = r->v + w->p + w->s;
    r->end = r->normal + k;
    for (int c = 0; c < k; c++) {
        const int i = w->part[c], first = s->f.row[c];
        if (group[c] != number)
            continue;
        r->normal[c] = r->N;
        r->v[r->N] = s->row[first];
        r->y[r->N++] = g->Y + (size_t)i * n;
        for (int l = first + 1; l < s->f.row[c + 1]; l++) {
            r->v[r->N] = s->row[l];
            r->y[r->N++] = s->column[l];
        }
        double *h = r->turned + 2 * (size_t)c * n, *z = h + n;
        const bool slides = !rests(s, c) && contact(s, c)->friction_dynamic > 0 &&
                            g->slip_start[i + 1] > g->slip_start[i];
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1] && slides; j++) {
            carom_dense_axpy(n, w->direction[j], g->impact->H + (size_t)j * n, h);
            carom_dense_axpy(n, w->direction[j], g->Z + (size_t)j * n, z);
        }
        if (slides) {
            r->v[r->N] = h;
            r->y[r->N++] = z;
        }
        r->end[c] = r->N;
    }
    return CAROM_OK;
}

/* Do slips and normals of the rows not see each other? Then normal forces do not depend on
 * friction.
 */
static bool decoupled(const space *s, const int *group, int number, const rows *r, const double *A)
{
    for (int c = 0; c < s->f.p; c++)
        for (int l = r->normal[c] + 1; group[c] == number && l < r->end[c]; l++)
            for (int b = 0; b < s->f.p; b++) {
                const int i = r->normal[b];
                if (group[b] == number &&
                    fabs(A[i + (size_t)l * r->N]) >
                        1e-13 * sqrt(A[i + (size_t)i * r->N] * A[l + (size_t)l * r->N]))
                    return false;
            }
    return true;
}

/* At most one solution of a component: for the difference of two,
 *   |du|^2 = dx'A dx <= sum mu |dl_i| |da_T,i|,   |dl_i| <= sqrt((A^-1)_ii) |du|,
 *   |da_T,i| <= |h_i| |du|.
 * One coefficient for contacts at rest: the jump from static to dynamic friction is not monotone.
 */
static carom_status prove_component(const space *s, const int *group, int number, bool *unique)
{
    carom_painleve_modes *w = s->w;
    const int n = w->n, k = s->f.p;
    rows r;
    *unique = false;
    for (int c = 0; c < k; c++)
        if (group[c] == number && rests(s, c) &&
            contact(s, c)->friction_dynamic < contact(s, c)->friction_static)
            return CAROM_OK;
    carom_status status = gather(s, group, number, &r);
    if (status)
        return status;
    const int N = r.N;
    double *A = carom_arena_doubles(w->arena, (size_t)N * N + 2 * (size_t)N + (size_t)k), sum = 0;
    if (!A)
        return carom_error_memory(w->error);
    double *e = A + (size_t)N * N, *square = e + N, *rough = square + N;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            A[i + (size_t)j * N] = carom_dense_dot(n, r.v[i], r.y[j]);
    const bool apart = decoupled(s, group, number, &r, A);
    for (int c = 0; c < k; c++) {
        rough[c] = 0;
        for (int l = r.normal[c] + 1; group[c] == number && l < r.end[c]; l++) {
            rough[c] += A[l + (size_t)l * N]; /* the trace: at least the square of the norm */
            for (int i = 0; i < N && apart; i++)
                A[i + (size_t)l * N] = A[l + (size_t)i * N] = i == l;
        }
        rough[c] = contact(s, c)->friction_static * sqrt(rough[c]);
    }
    for (int j = 0; j < N; j++)
        square[j] = A[j + (size_t)j * N];
    if (carom_cholesky_factor(N, A, N) != 0)
        return CAROM_OK;
    for (int j = 0; j < N; j++) /* independent beyond rounding */
        if (!(A[j + (size_t)j * N] * A[j + (size_t)j * N] > 1e-10 * square[j]))
            return CAROM_OK;
    for (int c = 0; c < k && !apart; c++) {
        if (group[c] != number)
            continue;
        memset(e, 0, sizeof *e * (size_t)N);
        e[r.normal[c]] = 1;
        carom_cholesky_solve(N, A, N, e);
        sum += rough[c] * sqrt(fmax(e[r.normal[c]], 0));
    }
    *unique = sum < 1 - 1e-9;
    return CAROM_OK;
}

/* Contacts that do not see each other are judged apart. */
static carom_status prove_unique(const space *s, bool *unique)
{
    carom_painleve_modes *w = s->w;
    int *group = carom_arena_array(w->arena, (size_t)s->f.p, sizeof *group);
    if (!group)
        return carom_error_memory(w->error);
    const int count = carom_friction_components(&s->f, group);
    carom_status status = CAROM_OK;
    *unique = true;
    for (int number = 0; number < count && *unique && !status; number++)
        status = prove_component(s, group, number, unique);
    return status;
}

carom_status carom_painleve_spatial_solve(carom_painleve_modes *work, const bool *resting,
                                          carom_painleve_spatial *answer)
{
    space s = {.w = work, .resting = resting};
    *answer = (carom_painleve_spatial){0};
    carom_status status = take(&s);
    if (status)
        return status;
    state(&s);
    if (work->k == 1) {
        answer->complete = true;
        return solve_single(&s);
    }
    status = solve_several(&s);
    if (!status && work->count == 0)
        status = refute(&s, &answer->infeasible);
    if (!status)
        status = prove_unique(&s, &answer->unique);
    return status;
}
