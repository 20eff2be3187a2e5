/* The existence condition of the implicit law, P = P' > 0 with P G_bar = Gamma', and its energy
 * bound. P exists iff S = Gamma G_bar is symmetric, positive semidefinite, and has the rank of both
 * factors; then P = Gamma'S^+ Gamma + K K', K an orthonormal basis of ker G_bar'. */
#include "carom/tolerance.h"
#include "law/implicit.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"
#include "linalg/spectrum.h"

#include <math.h>
#include <string.h>

/* C (m x n) = A (m x k) B (k x n) */
static void multiply(int m, int k, int n, const double *A, const double *B, double *C)
{
    memset(C, 0, sizeof *C * (size_t)m * n);
    for (int j = 0; j < n; j++)
        carom_dense_gemv(m, k, 1, A, m, B + (size_t)j * k, C + (size_t)j * m);
}

/* Rank of A (m x n), its largest singular value, and a basis of its kernel. */
static carom_status analyse(int m, int n, const double *A, carom_arena *arena, carom_min_norm *info,
                            carom_error *error)
{
    double *zero = carom_arena_zeros(arena, (size_t)m + (size_t)n, sizeof *zero);
    if (!zero)
        return carom_error_memory(error);
    return carom_min_norm_solve(m, n, A, zero, CAROM_TOLERANCE_SOLVED, arena, zero + m, info,
                                error);
}

/* S symmetric? and its size */
static bool is_symmetric(int n, const double *S)
{
    double size = carom_dense_max(n * n, S);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (fabs(S[i + (size_t)j * n] - S[j + (size_t)i * n]) > CAROM_TOLERANCE_SIGN * size)
                return false;
    return true;
}

/* P += Gamma' Q_j Q_j' Gamma / l_j over the positive eigenvalues of S. */
static void add_range(const carom_implicit *f, const double *Q, const double *l, double *z,
                      double *P)
{
    int k = f->k, w = f->w;
    for (int j = 0; j < w; j++) {
        if (l[j] <= CAROM_TOLERANCE_SOLVED * l[w - 1])
            continue;
        memset(z, 0, sizeof *z * (size_t)k);
        carom_dense_gemv_t(w, k, 1, f->Gamma, w, Q + (size_t)j * w, z);
        for (int c = 0; c < k; c++)
            carom_dense_axpy(k, z[c] / l[j], z, P + (size_t)c * k);
    }
}

carom_status carom_implicit_metric(carom_implicit *f, carom_arena *arena, carom_error *error)
{
    int k = f->k, w = f->w;
    f->S = carom_arena_doubles(arena, (size_t)w * w);
    f->P = carom_arena_zeros(arena, (size_t)k * k, sizeof *f->P);
    double *Q = carom_arena_doubles(arena, (size_t)w * w), *l = carom_arena_doubles(arena, w + k);
    double *T = carom_arena_doubles(arena, (size_t)k * w);
    if (!f->S || !f->P || !Q || !l || !T)
        return carom_error_memory(error);
    multiply(w, k, w, f->Gamma, f->G_bar, f->S);
    f->symmetric = is_symmetric(w, f->S);
    f->missing = "Gamma G_bar is not symmetric";
    if (!f->symmetric)
        return CAROM_OK;
    carom_dense_copy(w * w, f->S, Q);
    carom_status status = carom_spectrum_symmetric(w, Q, true, arena, l, error);
    if (status)
        return status;
    int rank = 0;
    for (int j = 0; j < w; j++)
        rank += l[j] > CAROM_TOLERANCE_SOLVED * l[w - 1];
    f->symmetric = w == 0 || l[0] >= -CAROM_TOLERANCE_SIGN * fabs(l[w - 1]);
    f->missing = "Gamma G_bar is not positive semidefinite";
    if (!f->symmetric)
        return CAROM_OK;
    carom_min_norm of_gamma, of_g;
    carom_dense_transpose(k, w, f->G_bar, T);
    status = analyse(w, k, f->Gamma, arena, &of_gamma, error);
    if (!status)
        status = analyse(w, k, T, arena, &of_g, error);
    if (status)
        return status;
    f->missing = "Gamma, G_bar and Gamma G_bar differ in rank (dependent contacts?)";
    if (of_gamma.rank != rank || of_g.rank != rank)
        return CAROM_OK;
    f->exists = true;
    f->missing = NULL;
    if (!f->own_gamma) { /* the metric of the energy itself does it */
        carom_dense_copy(k * k, f->D, f->P);
        return CAROM_OK;
    }
    add_range(f, Q, l, l + w, f->P);
    for (int j = 0; j < k - rank; j++) {
        const double *K = of_g.kernel + (size_t)j * k;
        for (int c = 0; c < k; c++)
            carom_dense_axpy(k, K[c], K, f->P + (size_t)c * k);
    }
    return CAROM_OK;
}

/* B = Q diag(f(l)) Q', f = power of the eigenvalue */
static void spectral(int n, const double *Q, const double *l, double power, double *B)
{
    memset(B, 0, sizeof *B * (size_t)n * n);
    for (int j = 0; j < n; j++)
        for (int c = 0; c < n; c++)
            carom_dense_axpy(n, pow(l[j], power) * Q[c + (size_t)j * n], Q + (size_t)j * n,
                             B + (size_t)c * n);
}

static bool applies(const carom_implicit *f)
{
    for (int j = 0; j < f->k; j++)
        for (int i = 0; i < j; i++)
            if (fabs(f->Lambda[i + (size_t)j * f->k] - f->Lambda[j + (size_t)i * f->k]) >
                CAROM_TOLERANCE_CARRIED)
                return false;
    for (int i = 0; i < f->r; i++)
        if (f->c[i] < 0)
            return false;
    return f->exists;
}

/* T+ - T- <= [-1/2 lmin(D - L D L) + 1/2 lmax(R^-1 D R^-1) |R(L+I)|^2 + |R^-1 D L| |R(L+I)|] |v|^2,
 * R = P^1/2, norms spectral. */
carom_status carom_implicit_metric_bound(const carom_implicit *f, carom_arena *arena, double *bound,
                                         carom_error *error)
{
    int k = f->k;
    size_t size = (size_t)k * k;
    *bound = NAN;
    if (!applies(f) || k == 0)
        return CAROM_OK;
    double *m = carom_arena_doubles(arena, 7 * size + (size_t)k);
    if (!m)
        return carom_error_memory(error);
    double *Q = m, *R = Q + size, *Ri = R + size, *DL = Ri + size, *X = DL + size, *Y = X + size;
    double *Z = Y + size, *l = Z + size;
    carom_dense_copy(k * k, f->P, Q);
    carom_status status = carom_spectrum_symmetric(k, Q, true, arena, l, error);
    if (status || !(l[0] > 0))
        return status;
    spectral(k, Q, l, 0.5, R);
    spectral(k, Q, l, -0.5, Ri);
    multiply(k, k, k, f->D, f->Lambda, DL);
    multiply(k, k, k, f->Lambda, DL, X);
    for (size_t i = 0; i < size; i++)
        X[i] = f->D[i] - X[i];
    status = carom_spectrum_symmetric(k, X, true, arena, l, error);
    double least = l[0];
    multiply(k, k, k, f->D, Ri, X);
    multiply(k, k, k, Ri, X, Y);
    if (!status)
        status = carom_spectrum_symmetric(k, Y, true, arena, l, error);
    double most = l[k - 1];
    multiply(k, k, k, Ri, DL, X);
    for (size_t i = 0; i < size; i++)
        Z[i] = f->Lambda[i] + (i % (size_t)(k + 1) == 0);
    multiply(k, k, k, R, Z, Y);
    carom_min_norm of_x, of_y;
    if (!status)
        status = analyse(k, k, X, arena, &of_x, error);
    if (!status)
        status = analyse(k, k, Y, arena, &of_y, error);
    if (status)
        return status;
    *bound =
        (-0.5 * least + 0.5 * most * of_y.largest * of_y.largest + of_x.largest * of_y.largest) *
        carom_dense_dot(k, f->v, f->v);
    return CAROM_OK;
}
