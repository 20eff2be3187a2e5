/* Quasi-velocities: normal and tangential directions orthogonal in the kinetic metric. */
#include "carom/quasi.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "impact/joints.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"
#include "linalg/spectrum.h"

#include <math.h>
#include <string.h>

/* n_i = M_c^-1 w_i/|w_i| with |w_i|^2 = w_i'M_c^-1 w_i has kinetic length 1, and the cosines of the
 * angles between normals are G_ij = n_i'M n_j = D_ij/(|w_i| |w_j|). The source normalises without
 * the joints: `schur`. */
static carom_status make_normals(carom_quasi *q, carom_arena *arena, carom_error *error)
{
    const carom_geometry *g = q->geometry;
    int n = q->n, p = q->p;
    carom_mark mark = carom_arena_mark(arena);
    double *z = carom_arena_doubles(arena, (size_t)n);
    if (!z)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++) {
        const double *w = g->impact->W + (size_t)i * n;
        carom_dense_copy(n, w, z);
        carom_joints_inverse_mass(g, z);
        q->free_norm[i] = sqrt(carom_dense_dot(n, w, z));
        double scale = g->norm[i] > 0 ? 1 / g->norm[i] : 0;
        for (int k = 0; k < n; k++)
            q->n_q[k + (size_t)i * n] = scale * g->Y[k + (size_t)i * n];
    }
    carom_arena_rewind(arena, mark);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double d = g->D[i + (size_t)j * p], norms = g->norm[i] * g->norm[j];
            q->G[i + (size_t)j * p] = norms > 0 ? (i == j ? 1 : d / norms) : 0;
            q->schur[i + (size_t)j * p] = d / (q->free_norm[i] * q->free_norm[j]);
        }
    return CAROM_OK;
}

/* Pseudo-inverse of the symmetric G by its eigenvalues. */
static carom_status invert_dependent(carom_quasi *q, carom_arena *arena, carom_error *error)
{
    int p = q->p;
    carom_mark mark = carom_arena_mark(arena);
    double *Q = carom_arena_doubles(arena, (size_t)p * p), *l = carom_arena_doubles(arena, p);
    if (!Q || !l)
        return carom_error_memory(error);
    carom_dense_copy(p * p, q->G, Q);
    carom_status status = carom_spectrum_symmetric(p, Q, true, arena, l, error);
    if (status != CAROM_OK)
        return status;
    memset(q->D_n, 0, sizeof *q->D_n * (size_t)p * p);
    for (int k = 0; k < p; k++) {
        if (l[k] <= carom_joints_rank_tolerance(p) * l[p - 1])
            continue;
        for (int j = 0; j < p; j++)
            carom_dense_axpy(p, Q[j + (size_t)k * p] / l[k], Q + (size_t)k * p,
                             q->D_n + (size_t)j * p);
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* D_n = G^-1 and the rank of the normals. */
static carom_status invert(carom_quasi *q, carom_arena *arena, carom_error *error)
{
    int p = q->p;
    carom_mark mark = carom_arena_mark(arena);
    double *L = carom_arena_doubles(arena, (size_t)p * p), *work = carom_arena_doubles(arena, p);
    int *pivot = carom_arena_array(arena, (size_t)p, sizeof *pivot);
    if (!L || !work || !pivot)
        return carom_error_memory(error);
    carom_dense_copy(p * p, q->G, L);
    q->rank = carom_pivoted_cholesky_factor(p, L, p, carom_joints_rank_tolerance(p), pivot, work);
    carom_status status = CAROM_OK;
    if (q->rank < p) {
        status = invert_dependent(q, arena, error);
    } else {
        carom_dense_copy(p * p, q->G, L);
        if (carom_cholesky_factor(p, L, p))
            status = invert_dependent(q, arena, error);
        else
            for (int j = 0; j < p; j++) {
                double *column = q->D_n + (size_t)j * p;
                for (int i = 0; i < p; i++)
                    column[i] = i == j;
                carom_cholesky_solve(p, L, p, column);
            }
    }
    if (!status)
        carom_arena_rewind(arena, mark);
    return status;
}

/* x minus its parts along the normals, the joints and the first `done` tangents. The normals N are
 * not orthogonal to each other: what x has along them is N c with N'M (x - N c) = 0, which is
 * G c = N'M x, so c = D_n N'M x. Tangents are, and each is taken off by itself. */
static void orthogonalise(const carom_quasi *q, int done, double *x, double *Mx, double *c)
{
    int n = q->n, p = q->p;
    const carom_geometry *g = q->geometry;
    carom_joints_project(g, NULL, x, Mx);
    carom_geometry_mass(g, x, Mx);
    memset(c, 0, sizeof *c * (size_t)p);
    for (int i = 0; i < p; i++) {
        double along = carom_dense_dot(n, q->n_q + (size_t)i * n, Mx);
        carom_dense_axpy(p, along, q->D_n + (size_t)i * p, c);
    }
    carom_dense_gemv(n, p, -1, q->n_q, n, c, x);
    for (int j = 0; j < done; j++) {
        const double *t = q->t_q + (size_t)j * n;
        carom_dense_axpy(n, -carom_dense_dot(n, t, Mx), t, x);
    }
}

/* Tangents: coordinate directions made orthogonal, the one with the largest remainder first (the
 * earlier coordinate when equal), pointing along its coordinate. */
static carom_status make_tangents(carom_quasi *q, carom_arena *arena, carom_error *error)
{
    int n = q->n, p = q->p;
    const carom_geometry *g = q->geometry;
    if (q->tangents == 0)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    double *X = carom_arena_zeros(arena, (size_t)n * n, sizeof *X);  /* remainders of e_k */
    double *Mx = carom_arena_doubles(arena, 6 * (size_t)(n + g->c)); /* M x, and room for joints */
    double *c = carom_arena_doubles(arena, p);
    bool *used = carom_arena_zeros(arena, (size_t)n, sizeof *used);
    if (!X || !Mx || !c || !used)
        return carom_error_memory(error);
    for (int k = 0; k < n; k++) { /* e_k of unit kinetic length */
        double *x = X + (size_t)k * n;
        x[k] = 1;
        carom_dense_scale(n, 1 / sqrt(carom_geometry_dot(g, x, x)), x);
        for (int pass = 0; pass < 2; pass++)
            orthogonalise(q, 0, x, Mx, c);
    }
    for (int j = 0; j < q->tangents; j++) {
        int best = -1;
        double top = 0;
        for (int k = 0; k < n; k++) {
            double *x = X + (size_t)k * n;
            double left = used[k] ? 0 : sqrt(carom_geometry_dot(g, x, x));
            if (best < 0 ? left > 0 : left > top * (1 + CAROM_TOLERANCE_SAME)) {
                best = k;
                top = left;
            }
        }
        if (best < 0)
            return carom_error_set(error, CAROM_ERROR_NUMERIC,
                                   "no tangent found: the rank of the constraints is unclear");
        double *t = q->t_q + (size_t)j * n;
        carom_dense_copy(n, X + (size_t)best * n, t);
        used[best] = true;
        for (int pass = 0; pass < 2; pass++) {
            carom_dense_scale(n, 1 / sqrt(carom_geometry_dot(g, t, t)), t);
            orthogonalise(q, j, t, Mx, c);
        }
        carom_dense_scale(n, 1 / sqrt(carom_geometry_dot(g, t, t)), t);
        carom_geometry_mass(g, t, Mx);
        for (int k = 0; k < n; k++)
            if (!used[k])
                carom_dense_axpy(n, -carom_dense_dot(n, Mx, X + (size_t)k * n), t,
                                 X + (size_t)k * n);
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Impulses change M u by W L + H T, and so the quasi-velocities Xi M u by Xi W L + Xi H T. With
 * impulses at normals in units of the normals' lengths that is G_bar (L, T): normals see each other
 * through G, tangents do not see them at all. */
static void make_couplings(carom_quasi *q)
{
    int n = q->n, p = q->p, s = q->s, t = q->tangents, k = p + t;
    const double *H = q->geometry->impact->H;
    memset(q->G_bar, 0, sizeof *q->G_bar * (size_t)k * (size_t)(p + s));
    for (int j = 0; j < p; j++)
        carom_dense_copy(p, q->G + (size_t)j * p, q->G_bar + (size_t)j * k);
    for (int j = 0; j < s; j++) {
        double *column = q->G_bar + (size_t)(p + j) * k;
        carom_dense_gemv_t(n, p, 1, q->n_q, n, H + (size_t)j * n, column);
        carom_dense_gemv_t(n, t, 1, q->t_q, n, H + (size_t)j * n, column + p);
        carom_dense_copy(p, column, q->n_H + (size_t)j * p);
        carom_dense_copy(t, column + p, q->t_H + (size_t)j * t);
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < p; i++)
            q->Xi[i + (size_t)j * k] = q->n_q[j + (size_t)i * n];
        for (int i = 0; i < t; i++)
            q->Xi[p + i + (size_t)j * k] = q->t_q[j + (size_t)i * n];
    }
    memset(q->D_t, 0, sizeof *q->D_t * (size_t)t * t);
    for (int i = 0; i < t; i++)
        q->D_t[i + (size_t)i * t] = 1;
}

static carom_status take(carom_quasi *q, carom_arena *arena, carom_error *error)
{
    size_t n = (size_t)q->n, p = (size_t)q->p, s = (size_t)q->s;
    size_t t = (size_t)q->tangents, k = p + t;
    double *memory = carom_arena_doubles(arena, n * t + k * n + k + t * t + t * s + k * (p + s));
    if (!memory)
        return carom_error_memory(error);
    q->t_q = memory;
    q->Xi = q->t_q + n * t;
    q->v = q->Xi + k * n;
    q->D_t = q->v + k;
    q->t_H = q->D_t + t * t;
    q->G_bar = q->t_H + t * s;
    return CAROM_OK;
}

carom_status carom_quasi_make(const carom_geometry *geometry, carom_arena *arena,
                              carom_quasi *quasi, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, quasi);
    carom_quasi q = {
        .geometry = geometry, .n = geometry->impact->n, .p = geometry->impact->p, .s = geometry->s};
    size_t n = (size_t)q.n, p = (size_t)q.p;
    double *memory = carom_arena_doubles(arena, n * p + 3 * p * p + p + p * (size_t)q.s);
    if (!memory)
        return carom_error_memory(error);
    q.n_q = memory;
    q.G = q.n_q + n * p;
    q.D_n = q.G + p * p;
    q.schur = q.D_n + p * p;
    q.free_norm = q.schur + p * p;
    q.n_H = q.free_norm + p;
    carom_status status = make_normals(&q, arena, error);
    if (!status)
        status = invert(&q, arena, error);
    q.tangents = q.n - q.rank - geometry->joint_rank;
    if (q.tangents < 0)
        q.tangents = 0;
    if (!status)
        status = take(&q, arena, error);
    if (!status)
        status = make_tangents(&q, arena, error);
    if (status)
        return status;
    make_couplings(&q);
    carom_quasi_from_velocity(&q, geometry->u, q.v);
    carom_quasi_energy(&q, q.v, &q.energy_normal, &q.energy_tangent);
    *quasi = q;
    return CAROM_OK;
}

void carom_quasi_from_velocity(const carom_quasi *quasi, const double *u, double *v)
{
    CAROM_NEED_OR(, quasi, quasi->geometry, u, v);
    const carom_quasi *q = quasi;
    const carom_geometry *g = q->geometry;
    int n = q->n;
    carom_geometry_normal_velocity(g, u, v);
    for (int i = 0; i < q->p; i++)
        v[i] = g->norm[i] > 0 ? v[i] / g->norm[i] : 0;
    for (int j = 0; j < q->tangents; j++) { /* t_j is orthogonal to b */
        const double *t = q->t_q + (size_t)j * n;
        v[q->p + j] = carom_geometry_dot(g, t, u);
    }
}

void carom_quasi_to_velocity(const carom_quasi *quasi, const double *v, double *u)
{
    CAROM_NEED_OR(, quasi, quasi->geometry, v, u);
    const carom_quasi *q = quasi;
    int n = q->n, p = q->p;
    carom_dense_copy(n, q->geometry->b, u);
    for (int i = 0; i < p; i++) {
        double c = carom_dense_dot(p, q->D_n + (size_t)i * p, v);
        carom_dense_axpy(n, c, q->n_q + (size_t)i * n, u);
    }
    carom_dense_gemv(n, q->tangents, 1, q->t_q, n, v + p, u);
}

void carom_quasi_energy(const carom_quasi *quasi, const double *v, double *normal, double *tangent)
{
    CAROM_NEED_OR(, quasi, quasi->geometry, v, normal, tangent);
    int p = quasi->p;
    *normal = 0;
    for (int i = 0; i < p; i++)
        *normal += 0.5 * v[i] * carom_dense_dot(p, quasi->D_n + (size_t)i * p, v);
    *tangent = 0.5 * carom_dense_dot(quasi->tangents, v + p, v + p);
}

void carom_quasi_power(const carom_quasi *quasi, const double *v, const double *lambda_bar,
                       const double *lambda_T, double power[3])
{
    CAROM_NEED_OR(, quasi, quasi->geometry, v, lambda_bar, lambda_T, power);
    const carom_quasi *q = quasi;
    int p = q->p, t = q->tangents;
    power[0] = power[1] = power[2] = 0;
    for (int i = 0; i < p; i++) {
        double metric = carom_dense_dot(p, q->D_n + (size_t)i * p, v); /* (D_n v_n)_i */
        double normal = carom_dense_dot(p, q->G + (size_t)i * p, lambda_bar), friction = 0;
        for (int j = 0; j < q->s; j++)
            friction += q->n_H[i + (size_t)j * p] * lambda_T[j];
        power[0] += metric * normal;
        power[1] += metric * friction;
    }
    for (int j = 0; j < q->s; j++)
        power[2] += carom_dense_dot(t, q->t_H + (size_t)j * t, v + p) * lambda_T[j];
}
