/* Projects onto second-order cones together with half-spaces: Newton's method on the conditions,
 * and cuts. */
#include "cone/cone_second_order.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

/* ---- What kind of cone ---------------------------------------------------------------------- */

/* One-sided Jacobi: B (n x k, starts as A) gets orthogonal columns, B = A V with V orthogonal. */
static void jacobi(int n, int k, double *B, double *V)
{
    for (int i = 0; i < k * k; i++)
        V[i] = i % (k + 1) == 0;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 60; sweep++) {
        rotated = false;
        for (int i = 0; i < k; i++)
            for (int j = i + 1; j < k; j++) {
                double *a = B + (size_t)i * n, *b = B + (size_t)j * n;
                double aa = carom_dense_dot(n, a, a), bb = carom_dense_dot(n, b, b);
                double ab = carom_dense_dot(n, a, b);
                if (fabs(ab) <= 0.5 * DBL_EPSILON * sqrt(aa * bb))
                    continue;
                rotated = true;
                double tau = (bb - aa) / (2 * ab);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + hypot(1, tau));
                double co = 1 / hypot(1, t), si = t * co;
                for (int m = 0; m < n + k; m++) {
                    double *x = m < n ? a + m : V + (size_t)i * k + (m - n);
                    double *y = m < n ? b + m : V + (size_t)j * k + (m - n);
                    double x0 = *x, y0 = *y;
                    *x = co * x0 - si * y0;
                    *y = si * x0 + co * y0;
                }
            }
    }
}

/* Columns of B that are not rounding come first, their number is the rank. */
static int compress(int n, int k, double *B, double *V, double size)
{
    int r = 0;
    for (int j = 0; j < k; j++)
        if (carom_dense_norm(n, B + (size_t)j * n) > CAROM_TOLERANCE_CARRIED * size) {
            if (j > r) {
                memcpy(B + (size_t)r * n, B + (size_t)j * n, (size_t)n * sizeof(double));
                memcpy(V + (size_t)r * k, V + (size_t)j * k, (size_t)k * sizeof(double));
            }
            r++;
        }
    return r;
}

/* Is w = A eta0 with |eta0| <= 1? Then the cone has no interior. Returns |eta0|, or infinity. */
static double find_eta0(int n, carom_soc *s, double *rest)
{
    memcpy(rest, s->w, (size_t)n * sizeof(double));
    memset(s->eta0, 0, (size_t)s->k * sizeof(double));
    double norm2 = 0;
    for (int j = 0; j < s->r; j++) {
        const double *b = s->B + (size_t)j * n;
        double c = carom_dense_dot(n, b, rest) / carom_dense_dot(n, b, b);
        carom_dense_axpy(n, -c, b, rest);
        carom_dense_axpy(s->k, c, s->V + (size_t)j * s->k, s->eta0);
        norm2 += c * c;
    }
    double size = carom_dense_norm(n, s->w);
    return carom_dense_norm(n, rest) > CAROM_TOLERANCE_SOLVED * size ? INFINITY : sqrt(norm2);
}

/* Classify one cone in the frame as it is now. Returns true if it added hyperplanes. */
static bool classify(const carom_cone *cone, int k, carom_cone_frame *frame, carom_soc *s,
                     double *work)
{
    int n = frame->n, first = cone->spread_start ? cone->spread_start[k] : 0;
    carom_cone_frame_rows(frame, 1, cone->axis + (size_t)k * n, s->w);
    if (s->k)
        carom_cone_frame_rows(frame, s->k, cone->spread + (size_t)first * n, s->A);
    memcpy(s->B, s->A, (size_t)n * (size_t)s->k * sizeof(double));
    jacobi(n, s->k, s->B, s->V);
    double size = carom_dense_norm(n, s->w);
    for (int j = 0; j < s->k; j++)
        size = fmax(size, carom_dense_norm(n, s->A + (size_t)j * n));
    s->r = compress(n, s->k, s->B, s->V, size);
    bool w_is_zero = !(carom_dense_norm(n, s->w) > CAROM_TOLERANCE_CARRIED * size);
    if (s->r == 0) {
        s->kind = w_is_zero ? CAROM_SOC_FREE : CAROM_SOC_ROW;
        return false;
    }
    double length = find_eta0(n, s, work);
    s->kind = s->r == 1 ? CAROM_SOC_WEDGE : CAROM_SOC_PROPER;
    if (length > 1 + CAROM_TOLERANCE_SIGN || (s->r == 1 && length >= 1 - CAROM_TOLERANCE_SIGN))
        return false;
    /* |eta0| < 1: all of A'y = 0. |eta0| = 1: A'y is a multiple of eta0, the rest is a wedge. */
    s->flat = true;
    bool ray = length >= 1 - CAROM_TOLERANCE_SIGN, fixed = false;
    for (int j = 0; j < s->k; j++) {
        memcpy(work, s->A + (size_t)j * n, (size_t)n * sizeof(double));
        if (ray) /* column j of A (1 - eta0 eta0') */
            carom_dense_axpy(n, -s->eta0[j] / (length * length), s->w, work);
        if (carom_dense_norm(n, work) > CAROM_TOLERANCE_SOLVED * size)
            fixed |= carom_cone_frame_fix(frame, work);
    }
    return fixed;
}

/* How many columns A of the condition w'y >= |A'y| of cone i has. */
static int spread_count(const carom_cone *cone, int i)
{
    return cone->spread_start ? cone->spread_start[i + 1] - cone->spread_start[i] : 0;
}

carom_status carom_cone_second_order_prepare(const carom_cone *cone, carom_cone_frame *frame,
                                             carom_arena *arena, carom_soc **soc,
                                             carom_error *error)
{
    int n = cone->n;
    size_t all = (size_t)n;
    for (int i = 0; i < cone->q; i++) {
        const size_t k = (size_t)spread_count(cone, i);
        all += (size_t)n + 2 * (size_t)n * k + k * k + 2 * k;
    }
    carom_soc *made = carom_arena_zeros(arena, (size_t)cone->q, sizeof *made);
    double *work = carom_arena_doubles(arena, all), *next = work + n;
    if (!made || !work)
        return carom_error_memory(error);
    for (int i = 0; i < cone->q; i++) {
        carom_soc *s = made + i;
        s->k = spread_count(cone, i);
        size_t k = (size_t)s->k, size = (size_t)n * k;
        s->w = next;
        s->A = s->w + n;
        s->B = s->A + size;
        s->V = s->B + size;
        s->eta0 = s->V + k * k;
        s->eta = s->eta0 + k;
        next = s->eta + k;
        memset(s->eta0, 0, 2 * k * sizeof(double));
    }
    for (bool again = true; again;) { /* at most n rounds: each fixes a new direction */
        again = false;
        for (int i = 0; i < cone->q; i++)
            again |= classify(cone, i, frame, made + i, work);
    }
    *soc = made;
    return CAROM_OK;
}

/* ---- Projection: cutting planes for safety, Newton steps for accuracy ------------------------ */

enum { CUT_LIMIT = 400, NEWTON_LIMIT = 25 };

typedef struct problem {
    int n, rows, q;
    const double *x, *R;
    carom_soc *soc;
    double size;    /* |x| */
    double *z;      /* current point */
    double *cone_z; /* n x q, direction work: B'z per cone, at most n */
    double *E;      /* n x capacity, columns of the polyhedral problem */
    int *owner;     /* capacity: cone of a cut */
    double *toward; /* n x capacity: t/|t| of a cut w - B t/|t| */
    int cuts;
    double *s, *minus_x, *r; /* capacity; n; n */
    double *K, *F, *f;       /* Newton: n x n, n x columns, n */
    double *best_z, *best_lambda, *best_nu, *best_eta;
    double best; /* residual of the best point so far */
} problem;

/* t = B'y; returns its norm. */
static double spread_at(int n, const carom_soc *s, const double *y, double *t)
{
    for (int j = 0; j < s->r; j++)
        t[j] = carom_dense_dot(n, s->B + (size_t)j * n, y);
    return carom_dense_norm(s->r, t);
}

static double soc_size(int n, const carom_soc *s)
{
    double size = carom_dense_norm(n, s->w);
    for (int j = 0; j < s->r; j++)
        size = fmax(size, carom_dense_norm(n, s->B + (size_t)j * n));
    return size;
}

/* Gradient of w'y - |B'y|: the cut c = w - B t/|t| with t = B'y. */
static void cut_at(int n, const carom_soc *s, const double *t, double norm, double *c)
{
    memcpy(c, s->w, (size_t)n * sizeof(double));
    for (int j = 0; j < s->r && norm > 0; j++)
        carom_dense_axpy(n, -t[j] / norm, s->B + (size_t)j * n, c);
}

/* Largest violation of all conditions at z with these multipliers, relative to |x|. */
static double residual(const problem *P, const double *z, const double *lambda, const double *nu,
                       const double *eta)
{
    int n = P->n;
    double worst = 0, *f = P->f, *t = P->cone_z;
    for (int i = 0; i < n; i++)
        f[i] = z[i] - P->x[i];
    for (int j = 0; j < P->rows; j++) {
        const double *a = P->R + (size_t)j * n;
        double norm = carom_dense_norm(n, a), slack = carom_dense_dot(n, a, z);
        worst = fmax(worst, fmax(-slack / (norm > 0 ? norm : 1), -lambda[j] * norm));
        worst = fmax(worst, lambda[j] * fabs(slack) / P->size);
        carom_dense_axpy(n, -lambda[j], a, f);
    }
    for (int k = 0, at = 0; k < P->q; k++) {
        const carom_soc *s = P->soc + k;
        if (s->kind != CAROM_SOC_PROPER)
            continue;
        double size = soc_size(n, s), norm = spread_at(n, s, z, t);
        double slack = carom_dense_dot(n, s->w, z) - norm, e = carom_dense_norm(s->r, eta + at);
        worst = fmax(worst, fmax(-slack / size, (e - nu[k]) * size));
        double work = nu[k] * carom_dense_dot(n, s->w, z) + carom_dense_dot(s->r, eta + at, t);
        worst = fmax(worst, fabs(work) / P->size);
        carom_dense_axpy(n, -nu[k], s->w, f);
        for (int j = 0; j < s->r; j++)
            carom_dense_axpy(n, -eta[at + j], s->B + (size_t)j * n, f);
        at += s->r;
    }
    return fmax(worst, carom_dense_norm(n, f)) / P->size;
}

/* Keep the point if it is the best so far. */
static void keep(problem *P, const double *z, const double *lambda, const double *nu,
                 const double *eta, int etas)
{
    double e = residual(P, z, lambda, nu, eta);
    if (!(e < P->best))
        return;
    P->best = e;
    memcpy(P->best_z, z, (size_t)P->n * sizeof(double));
    memcpy(P->best_lambda, lambda, (size_t)P->rows * sizeof(double));
    memcpy(P->best_nu, nu, (size_t)P->q * sizeof(double));
    memcpy(P->best_eta, eta, (size_t)etas * sizeof(double));
}

/* Columns of one Newton step at z with multipliers nu: half-spaces, one cut per curved cone, and
 * for cones whose apex z is near, the hyperplanes B'y = 0 as opposite pairs. K = 1 + sum nu H. */
static int newton_columns(problem *P, const double *z, const double *nu, double near)
{
    int n = P->n, columns = P->rows;
    double *K = P->K, *t = P->cone_z;
    memcpy(P->F, P->R, (size_t)n * (size_t)P->rows * sizeof(double));
    for (int i = 0; i < n * n; i++)
        K[i] = i % (n + 1) == 0;
    for (int k = 0; k < P->q; k++) {
        const carom_soc *s = P->soc + k;
        if (s->kind != CAROM_SOC_PROPER)
            continue;
        double norm = spread_at(n, s, z, t);
        bool apex = norm <= near * P->size * soc_size(n, s);
        cut_at(n, s, t, apex ? 0 : norm, P->F + (size_t)columns++ * n);
        for (int j = 0; j < s->r && apex; j++)
            for (int sign = 1; sign >= -1; sign -= 2) {
                double *c = P->F + (size_t)columns++ * n;
                memcpy(c, s->B + (size_t)j * n, (size_t)n * sizeof(double));
                carom_dense_scale(n, sign, c);
            }
        if (apex || nu[k] == 0)
            continue;
        /* H = (B B' - h h') / |t|, h = B t / |t| */
        double *h = P->f;
        memset(h, 0, (size_t)n * sizeof(double));
        for (int j = 0; j < s->r; j++)
            carom_dense_axpy(n, t[j] / norm, s->B + (size_t)j * n, h);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < s->r; j++)
                carom_dense_axpy(n, nu[k] / norm * s->B[i + (size_t)j * n], s->B + (size_t)j * n,
                                 K + (size_t)i * n);
            carom_dense_axpy(n, -nu[k] / norm * h[i], h, K + (size_t)i * n);
        }
    }
    return columns;
}

/* The multipliers of a Newton step from z to `next`, read from the coefficients of its columns; the
 * directions of eta are those at `next`, where the residual is judged. */
static void newton_read(const problem *P, const double *z, const double *next, double near,
                        double *nu, double *eta)
{
    int n = P->n, at = 0;
    const double *s = P->s + P->rows;
    for (int k = 0; k < P->q; k++) {
        const carom_soc *c = P->soc + k;
        nu[k] = 0;
        if (c->kind != CAROM_SOC_PROPER)
            continue;
        double *t = P->cone_z, norm = spread_at(n, c, z, t);
        bool apex = norm <= near * P->size * soc_size(n, c);
        norm = spread_at(n, c, next, t);
        nu[k] = *s++;
        for (int j = 0; j < c->r; j++) {
            eta[at + j] = apex ? s[0] - s[1] : norm > 0 ? -nu[k] * t[j] / norm : 0;
            s += apex ? 2 : 0;
        }
        at += c->r;
    }
}

/* Sequential quadratic programming from z: each step is a projection in the metric K onto the
 * cone linearised at z (docs/theory/cones.md). */
static void newton(problem *P, double near, double *z, double *nu, double *eta, int etas,
                   carom_arena *arena)
{
    int n = P->n;
    for (int step = 0; step < NEWTON_LIMIT && P->best > 4 * DBL_EPSILON; step++) {
        int columns = newton_columns(P, z, nu, near);
        if (carom_cholesky_factor(n, P->K, n))
            return;
        for (int j = 0; j < columns; j++)
            carom_cholesky_forward(n, P->K, n, P->F + (size_t)j * n);
        for (int i = 0; i < n; i++)
            P->f[i] = -P->x[i];
        carom_cholesky_forward(n, P->K, n, P->f);
        carom_nnls_info info;
        carom_nnls_solve(n, columns, P->F, P->f, P->size, arena, P->s, P->r, &info);
        carom_cholesky_backward(n, P->K, n, P->r);
        double moved = 0, *next = P->r;
        carom_dense_scale(n, -1, next);
        newton_read(P, z, next, near, nu, eta);
        for (int i = 0; i < n; i++)
            moved = fmax(moved, fabs(next[i] - z[i]));
        memcpy(z, next, (size_t)n * sizeof(double));
        keep(P, z, P->s, nu, eta, etas);
        if (!(moved > 0.5 * DBL_EPSILON * P->size))
            break;
    }
}

/* Solve the polyhedral outer approximation; its multipliers in the form of the cones. */
static void outer(problem *P, double *nu, double *eta, int etas, carom_arena *arena)
{
    int n = P->n, columns = P->rows + P->cuts;
    carom_nnls_info info;
    carom_nnls_solve(n, columns, P->E, P->minus_x, P->size, arena, P->s, P->r, &info);
    for (int i = 0; i < n; i++)
        P->z[i] = -P->r[i];
    memset(nu, 0, (size_t)P->q * sizeof(double));
    memset(eta, 0, (size_t)etas * sizeof(double));
    /* a cut is w - B d: its coefficient l adds to nu, and -l d to eta */
    for (int j = 0; j < P->cuts; j++) {
        int k = P->owner[j], at = 0;
        double l = P->s[P->rows + j];
        for (int i = 0; i < k; i++)
            at += P->soc[i].kind == CAROM_SOC_PROPER ? P->soc[i].r : 0;
        const carom_soc *s = P->soc + k;
        nu[k] += l;
        for (int i = 0; i < s->r; i++)
            eta[at + i] -= l * P->toward[i + (size_t)j * n];
    }
    keep(P, P->z, P->s, nu, eta, etas);
}

/* Add a cut for every cone that z violates. False: nothing new to add. */
static bool add_cuts(problem *P)
{
    int n = P->n, before = P->cuts;
    for (int k = 0; k < P->q; k++) {
        const carom_soc *s = P->soc + k;
        if (s->kind != CAROM_SOC_PROPER || P->cuts >= CUT_LIMIT)
            continue;
        double *t = P->cone_z, norm = spread_at(n, s, P->z, t);
        if (carom_dense_dot(n, s->w, P->z) - norm >= -0.5 * DBL_EPSILON * P->size * soc_size(n, s))
            continue;
        cut_at(n, s, t, norm, P->E + (size_t)(P->rows + P->cuts) * n);
        for (int j = 0; j < s->r; j++) /* the rank r is at most n */
            P->toward[j + (size_t)P->cuts * n] = norm > 0 ? t[j] / norm : 0;
        P->owner[P->cuts++] = k;
    }
    return P->cuts > before;
}

/* All arrays of the problem, nu, eta and a starting point, and room for its least squares. */
static carom_status problem_create(problem *P, int etas, carom_arena *arena, double **nu,
                                   carom_error *error)
{
    size_t n = (size_t)P->n, rows = (size_t)P->rows, q = (size_t)P->q;
    size_t capacity = rows + CUT_LIMIT, columns = rows + q + 2 * (size_t)etas;
    size_t most = capacity > columns ? capacity : columns;
    const carom_arena_part parts[] = {
        {&P->E, n * (capacity + CUT_LIMIT), sizeof *P->E},
        {&P->F, n * columns + n * n, sizeof *P->F},
        {&P->z, 6 * n + (size_t)etas + most, sizeof *P->z},
        {&P->best_lambda, rows + 2 * q + (size_t)etas + n, sizeof *P->best_lambda},
        {&P->owner, CUT_LIMIT, sizeof *P->owner},
        {nu, q + (size_t)etas + n, sizeof **nu},
    };
    carom_status status = carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
    if (!status)
        status = carom_arena_reserve(arena, carom_nnls_bytes(P->n, (int)most), error);
    if (status)
        return status;
    P->toward = P->E + n * capacity;
    P->K = P->F + n * columns;
    P->minus_x = P->z + n;
    P->r = P->minus_x + n;
    P->f = P->r + n;
    P->best_z = P->f + n;
    P->cone_z = P->best_z + n;
    P->s = P->cone_z + n + etas;
    P->best_nu = P->best_lambda + rows;
    P->best_eta = P->best_nu + q;
    return CAROM_OK;
}

carom_status carom_cone_second_order_solve(int n, const double *x, int rows, const double *R, int q,
                                           carom_soc *soc, carom_arena *arena, double *z,
                                           double *lambda, int *iterations, carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    problem P = {.n = n, .rows = rows, .q = q, .x = x, .R = R, .soc = soc, .best = INFINITY};
    int etas = 0;
    for (int k = 0; k < q; k++)
        etas += soc[k].kind == CAROM_SOC_PROPER ? soc[k].r : 0;
    P.size = carom_dense_norm(n, x);
    double *nu;
    carom_status status = problem_create(&P, etas, arena, &nu, error);
    if (status) {
        carom_arena_rewind(arena, mark);
        return status;
    }
    double *eta = nu + q, *start = eta + etas;
    memcpy(P.E, R, (size_t)n * (size_t)rows * sizeof(double));
    for (int i = 0; i < n; i++)
        P.minus_x[i] = -x[i];
    int round = 0;
    for (;; round++) {
        outer(&P, nu, eta, etas, arena);
        if (P.best <= CAROM_TOLERANCE_SUM || !add_cuts(&P))
            break;
        static const double NEAR[] = {CAROM_TOLERANCE_REFINED, 0.0001};
        for (int i = 0; i < 2 && P.best > CAROM_TOLERANCE_SUM; i++) {
            memcpy(start, P.z, (size_t)n * sizeof(double));
            double *nu_start = P.best_eta + etas; /* spare room */
            memcpy(nu_start, nu, (size_t)q * sizeof(double));
            newton(&P, NEAR[i], start, nu_start, eta, etas, arena);
        }
    }
    memcpy(z, P.best_z, (size_t)n * sizeof(double));
    memcpy(lambda, P.best_lambda, (size_t)rows * sizeof(double));
    for (int k = 0, at = 0; k < q; k++)
        if (soc[k].kind == CAROM_SOC_PROPER) {
            soc[k].nu = P.best_nu[k];
            memcpy(soc[k].eta, P.best_eta + at, (size_t)soc[k].r * sizeof(double));
            at += soc[k].r;
        }
    *iterations = round + 1;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
