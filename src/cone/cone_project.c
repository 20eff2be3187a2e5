/* The projection onto a cone in the kinetic metric: the frame, the solver, the check of its
 * conditions. */
#include <math.h>
#include <string.h>

#include "carom/need.h"
#include "carom/tolerance.h"
#include "cone/cone_frame.h"
#include "cone/cone_multipliers.h"
#include "cone/cone_second_order.h"
#include "cone/nnls.h"
#include "linalg/dense.h"

static carom_status projection_create(int n, int p, int c, int q, int k, carom_arena *arena,
                                      carom_projection *out, carom_error *error)
{
    double *all = carom_arena_zeros(
        arena, 2 * (size_t)n + (size_t)p + (size_t)c + (size_t)q + (size_t)k, sizeof(double));
    if (!all)
        return carom_error_memory(error);
    *out = (carom_projection){.unique = true, .attained = true, .converged = true};
    out->z = all;
    out->z_perp = out->z + n;
    out->lambda = out->z_perp + n;
    out->beta = out->lambda + p;
    out->nu = out->beta + c;
    out->eta = out->nu + q;
    return CAROM_OK;
}

static int spread_count(const carom_cone *cone)
{
    return cone->q > 0 && cone->spread_start ? cone->spread_start[cone->q] : 0;
}

static carom_status check_cone(const carom_cone *cone, const double *x, carom_error *error)
{
    CAROM_NEED_LIST(error, cone->p, cone->W);
    CAROM_NEED_LIST(error, cone->c, cone->C);
    CAROM_NEED_LIST(error, cone->q, cone->axis);
    CAROM_NEED_LIST(error, spread_count(cone), cone->spread);
    size_t n = (size_t)cone->n;
    const struct {
        const char *what;
        size_t count;
        const double *v;
    } lists[] = {
        {"x", n, x},
        {"W", n * (size_t)cone->p, cone->W},
        {"C", n * (size_t)cone->c, cone->C},
        {"axis", n * (size_t)cone->q, cone->axis},
        {"spread", n * (size_t)spread_count(cone), cone->spread},
    };
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count; i++)
            if (!isfinite(lists[l].v[i]))
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "%s: entry %zu is %g, a finite number is needed",
                                       lists[l].what, i + 1, lists[l].v[i]);
    return CAROM_OK;
}

/* The whole problem in the frame. */
typedef struct work {
    carom_cone_frame frame;
    carom_soc *soc;
    int rows;       /* p half-spaces, then those of wedges and half-space cones */
    double *R;      /* n x rows */
    double *lambda; /* rows */
    double *x, *z;  /* n, in the frame, reduced */
    double *f;      /* n */
    double *fit;    /* c + spreads */
    double *E;      /* n x (c + spreads) */
    bool *touching; /* rows */
    bool curved;    /* some cone is proper */
} work;

static carom_status set_up(const carom_cone *cone, const double *x, carom_arena *arena, work *w,
                           carom_error *error)
{
    int n = cone->n;
    size_t ns = (size_t)n, all = (size_t)cone->c + (size_t)spread_count(cone);
    *w = (work){0};
    carom_status status = carom_cone_frame_create(n, &cone->metric, arena, &w->frame, error);
    if (status)
        return status;
    w->rows = cone->p + 2 * cone->q;
    const carom_arena_part parts[] = {
        {&w->R, ns * (size_t)w->rows, sizeof *w->R},
        {&w->lambda, (size_t)w->rows + 3 * ns + all, sizeof *w->lambda},
        {&w->E, ns * all + ns, sizeof *w->E},
        {&w->touching, (size_t)w->rows, sizeof *w->touching},
    };
    status = carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
    if (status)
        return status;
    w->x = w->lambda + w->rows;
    w->z = w->x + n;
    w->f = w->z + n;
    w->fit = w->f + n;
    for (int j = 0; j < cone->c; j++) {
        memcpy(w->E, cone->C + (size_t)j * ns, ns * sizeof(double));
        carom_cone_frame_row(&w->frame, w->E);
        carom_cone_frame_fix(&w->frame, w->E);
    }
    status = carom_cone_second_order_prepare(cone, &w->frame, arena, &w->soc, error);
    if (status)
        return status;
    carom_cone_frame_rows(&w->frame, cone->p, cone->W, w->R);
    for (int k = 0; k < cone->q; k++) {
        carom_soc *s = w->soc + k;
        s->row = cone->p + 2 * k;
        double *row = w->R + (size_t)s->row * ns;
        w->curved |= s->kind == CAROM_SOC_PROPER;
        for (int side = 0; side < (s->kind == CAROM_SOC_WEDGE ? 2 : s->kind == CAROM_SOC_ROW);
             side++, row += n) {
            memcpy(row, s->w, ns * sizeof(double));
            double size = carom_dense_norm(n, row);
            if (s->kind == CAROM_SOC_WEDGE) {
                carom_dense_axpy(n, side ? 1 : -1, s->B, row);
                if (carom_dense_norm(n, row) <= CAROM_TOLERANCE_SIGN * size)
                    memset(row, 0, ns * sizeof(double));
            }
        }
    }
    memcpy(w->x, x, ns * sizeof(double));
    carom_cone_frame_vector(&w->frame, w->x);
    carom_cone_frame_reduce(&w->frame, w->x);
    const size_t point = w->curved ? 0 : carom_nnls_bytes(n, w->rows);
    const size_t fit = w->frame.e ? carom_cone_multipliers_fit_bytes(n, (int)all) : 0;
    return carom_arena_reserve(arena, point > fit ? point : fit, error);
}

/* z and one set of multipliers lambda, nu, eta in the frame. */
static carom_status solve(const carom_cone *cone, work *w, double size, carom_arena *arena,
                          carom_projection *out, carom_error *error)
{
    int n = cone->n;
    if (!(carom_dense_norm(n, w->x) > 0))
        return CAROM_OK;
    if (w->curved)
        return carom_cone_second_order_solve(n, w->x, w->rows, w->R, cone->q, w->soc, arena, w->z,
                                             w->lambda, &out->iterations, error);
    for (int i = 0; i < n; i++)
        w->f[i] = -w->x[i];
    carom_nnls_info info;
    carom_nnls_solve(n, w->rows, w->R, w->f, size, arena, w->lambda, w->z, &info);
    carom_dense_scale(n, -1, w->z);
    out->iterations = info.iterations;
    return CAROM_OK;
}

/* nu_k, eta_k of the statement from those of the frame; flat cones follow in fit_flat. */
static void read_cones(const carom_cone *cone, const work *w, carom_projection *out)
{
    for (int k = 0; k < cone->q; k++) {
        const carom_soc *s = w->soc + k;
        const double *l = w->lambda + s->row;
        double *eta = out->eta + (cone->spread_start ? cone->spread_start[k] : 0);
        if (s->kind == CAROM_SOC_ROW) {
            out->nu[k] = l[0];
        } else if (s->kind == CAROM_SOC_WEDGE) {
            out->nu[k] = l[0] + l[1];
            carom_dense_axpy(s->k, l[1] - l[0], s->V, eta);
        } else if (s->kind == CAROM_SOC_PROPER) {
            out->nu[k] = s->nu;
            for (int j = 0; j < s->r; j++)
                carom_dense_axpy(s->k, s->eta[j], s->V + (size_t)j * s->k, eta);
        }
    }
}

/* f = reaction -z_perp in the frame, minus the parts of half-spaces and cones found so far, with
 * the rows as given (not reduced). */
static void reaction_left(const carom_cone *cone, const work *w, const carom_projection *out,
                          double *row, double *f)
{
    int n = cone->n;
    for (int i = 0; i < n; i++)
        f[i] = -out->z_perp[i];
    carom_cone_frame_vector(&w->frame, f);
    int spreads = spread_count(cone);
    for (int j = 0; j < cone->p + cone->q + spreads; j++) {
        int k = j - cone->p, i = k - cone->q;
        double l = k < 0 ? out->lambda[j] : i < 0 ? out->nu[k] : out->eta[i];
        if (l == 0)
            continue;
        memcpy(row,
               k < 0   ? cone->W + (size_t)j * n
               : i < 0 ? cone->axis + (size_t)k * n
                       : cone->spread + (size_t)i * n,
               (size_t)n * sizeof(double));
        carom_cone_frame_row(&w->frame, row);
        carom_dense_axpy(n, -l, row, f);
    }
}

/* Add the multipliers zeta of the hyperplanes A_k'y = 0 that hid in a flat cone to nu v + A eta:
 * with v = A eta0, (nu + d) v + A (eta + zeta - d eta0) is the same for every d; the least d >= 0
 * that makes |eta + zeta - d eta0| <= nu + d solves a quadratic equation, if there is any. */
static bool flat_multipliers(const carom_soc *s, const double *zeta, double *nu, double *eta)
{
    for (int j = 0; j < s->k; j++)
        eta[j] += zeta[j];
    double c = carom_dense_dot(s->k, eta, eta) - *nu * *nu, d;
    double b = *nu + carom_dense_dot(s->k, eta, s->eta0);
    double slack = 1 - carom_dense_dot(s->k, s->eta0, s->eta0);
    if (c <= 0)
        return true;
    if (slack > CAROM_TOLERANCE_SAME)
        d = (sqrt(b * b + slack * c) - b) / slack * (1 + CAROM_TOLERANCE_CARRIED);
    else if (b > CAROM_TOLERANCE_SAME * sqrt(c))
        d = c / (2 * b) * (1 + CAROM_TOLERANCE_CARRIED);
    else
        return false;
    *nu += d;
    carom_dense_axpy(s->k, -d, s->eta0, eta);
    return true;
}

/* The multipliers of the hyperplanes, those given and those found in flat cones. */
static void fit_hyperplanes(const carom_cone *cone, work *w, double size, carom_arena *arena,
                            carom_projection *out)
{
    int n = cone->n, columns = cone->c;
    if (!w->frame.e)
        return;
    double *row = w->E + (size_t)n * (size_t)(cone->c + spread_count(cone));
    if (cone->c)
        memcpy(w->E, cone->C, (size_t)n * (size_t)cone->c * sizeof(double));
    bool flat = false;
    for (int k = 0; k < cone->q; k++)
        if (w->soc[k].flat) {
            flat = true;
            memcpy(w->E + (size_t)columns * n, cone->spread + (size_t)cone->spread_start[k] * n,
                   (size_t)n * (size_t)w->soc[k].k * sizeof(double));
            columns += w->soc[k].k;
        }
    for (int j = 0; j < columns; j++)
        carom_cone_frame_row(&w->frame, w->E + (size_t)j * n);
    reaction_left(cone, w, out, row, w->f);
    carom_cone_multipliers_fit(n, columns, w->E, w->f, size, arena, w->fit);
    const double *zeta = w->fit + cone->c;
    for (int k = 0; k < cone->q; k++)
        if (w->soc[k].flat) {
            out->attained &=
                flat_multipliers(w->soc + k, zeta, out->nu + k, out->eta + cone->spread_start[k]);
            zeta += w->soc[k].k;
        }
    if (flat) {
        reaction_left(cone, w, out, row, w->f);
        const double rest = carom_cone_multipliers_fit(n, cone->c, w->E, w->f, size, arena, w->fit);
        out->attained &= rest <= CAROM_TOLERANCE_SIGN * size;
    }
    memcpy(out->beta, w->fit, (size_t)cone->c * sizeof(double));
}

/* No reaction at all: x itself is in the cone. */
static bool is_inside(const carom_cone *cone, const work *w)
{
    for (int j = 0; j < w->rows; j++)
        if (w->lambda[j] > 0)
            return false;
    for (int k = 0; k < cone->q; k++)
        if (w->soc[k].nu > 0)
            return false;
    return w->frame.e == 0;
}

static carom_status project(const carom_cone *cone, const double *x, work *w, carom_arena *arena,
                            carom_projection *out, carom_error *error)
{
    int n = cone->n;
    memcpy(w->f, x, (size_t)n * sizeof(double));
    carom_cone_frame_vector(&w->frame, w->f);
    double size = carom_dense_norm(n, w->f);
    carom_status status = solve(cone, w, size, arena, out, error);
    if (status)
        return status;
    carom_cone_multipliers_touching(n, w->rows, w->R, w->z, size, w->touching);
    status = carom_cone_multipliers_least(n, w->rows, w->R, w->touching, arena, w->lambda,
                                          &out->unique, error);
    if (status)
        return status;
    memcpy(out->lambda, w->lambda, (size_t)cone->p * sizeof(double));
    memcpy(out->z, w->z, (size_t)n * sizeof(double));
    carom_cone_frame_vector_back(&w->frame, out->z);
    if (is_inside(cone, w)) /* not even rounding */
        memcpy(out->z, x, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        out->z_perp[i] = x[i] - out->z[i];
    memcpy(w->f, out->z_perp, (size_t)n * sizeof(double));
    carom_cone_frame_vector(&w->frame, w->f);
    out->distance = carom_dense_norm(n, w->f);
    read_cones(cone, w, out);
    fit_hyperplanes(cone, w, size, arena, out);
    return CAROM_OK;
}

carom_status carom_cone_project(const carom_cone *cone, const double *x, carom_arena *arena,
                                carom_projection *projection, carom_error *error)
{
    CAROM_NEED(error, cone, x, arena, projection);
    carom_mark start = carom_arena_mark(arena);
    carom_projection out;
    work w;
    carom_status status = check_cone(cone, x, error);
    if (!status)
        status = projection_create(cone->n, cone->p, cone->c, cone->q, spread_count(cone), arena,
                                   &out, error);
    carom_mark mark = carom_arena_mark(arena);
    if (!status)
        status = set_up(cone, x, arena, &w, error);
    if (!status)
        status = project(cone, x, &w, arena, &out, error);
    carom_cone_residual residual;
    if (!status)
        status = carom_cone_verify(cone, x, &out, arena, &residual, error);
    carom_arena_rewind(arena, status ? start : mark);
    if (status)
        return status;
    out.residual = residual.worst;
    out.converged = (out.attained ? residual.worst : residual.primal) <= CAROM_TOLERANCE_SIGN;
    *projection = out;
    return CAROM_OK;
}

carom_status carom_cone_project_generated(const carom_generated_cone *cone, const double *x,
                                          carom_arena *arena, carom_projection *projection,
                                          carom_error *error)
{
    CAROM_NEED(error, cone, x, arena, projection);
    /* K is the polar of { y : -(M g)'y >= 0, (M e)'y = 0 }: project there and swap the parts. */
    int n = cone->n;
    size_t ns = (size_t)n, size = ns * ((size_t)cone->g + (size_t)cone->e);
    carom_mark start = carom_arena_mark(arena);
    carom_projection out;
    carom_cone_frame frame;
    carom_status status = projection_create(n, cone->g, cone->e, 0, 0, arena, &out, error);
    carom_mark mark = carom_arena_mark(arena);
    if (!status)
        status = carom_cone_frame_create(n, &cone->metric, arena, &frame, error);
    double *rows = status ? NULL : carom_arena_doubles(arena, size + ns);
    if (!status && !rows)
        status = carom_error_memory(error);
    for (int j = 0; j < cone->g + cone->e && !status; j++) {
        double *row = rows + (size_t)j * ns;
        const double *g =
            j < cone->g ? cone->G + (size_t)j * ns : cone->E + (size_t)(j - cone->g) * ns;
        for (int i = 0; i < n; i++)
            row[i] = -g[i];
        carom_cone_frame_vector(&frame, row);
        carom_cone_frame_row_back(&frame, row);
    }
    carom_projection polar = {0};
    carom_cone dual = {.n = n, .metric = cone->metric, .p = cone->g, .c = cone->e};
    if (!status) {
        dual.metric.L = frame.L;
        dual.W = rows;
        dual.C = rows + ns * (size_t)cone->g;
        status = carom_cone_project(&dual, x, arena, &polar, error);
    }
    if (!status) {
        memcpy(out.z, polar.z_perp, ns * sizeof(double));
        memcpy(out.z_perp, polar.z, ns * sizeof(double));
        memcpy(out.lambda, polar.lambda, (size_t)cone->g * sizeof(double));
        memcpy(out.beta, polar.beta, (size_t)cone->e * sizeof(double));
        memcpy(rows, polar.z, ns * sizeof(double));
        carom_cone_frame_vector(&frame, rows);
        out.distance = carom_dense_norm(n, rows);
        out.nu = out.eta = NULL;
        out.unique = polar.unique;
        out.converged = polar.converged;
        out.residual = polar.residual;
        out.iterations = polar.iterations;
        *projection = out;
    }
    carom_arena_rewind(arena, status ? start : mark);
    return status;
}
