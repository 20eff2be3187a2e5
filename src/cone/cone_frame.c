/* Carries a cone problem into the Euclidean picture and its answer back. */
#include "cone/cone_frame.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/metric.h"

static carom_status factor(int n, const carom_metric *metric, carom_arena *arena,
                           const double **out, carom_error *error)
{
    size_t size = metric->diagonal ? (size_t)n : (size_t)n * (size_t)n;
    double *L = carom_arena_doubles(arena, size);
    if (!L)
        return carom_error_memory(error);
    memcpy(L, metric->M, size * sizeof(double));
    int pivot = 0;
    if (metric->diagonal) {
        for (int i = 0; i < n && !pivot; i++) {
            if (!(L[i] > 0))
                pivot = i + 1;
            L[i] = sqrt(L[i]);
        }
    } else {
        pivot = carom_cholesky_factor(n, L, n);
    }
    if (pivot)
        return carom_error_set(
            error, CAROM_ERROR_ARGUMENT,
            "the metric is not positive definite: pivot %d of %d is not positive", pivot, n);
    *out = L;
    return CAROM_OK;
}

carom_status carom_cone_frame_create(int n, const carom_metric *metric, carom_arena *arena,
                                     carom_cone_frame *frame, carom_error *error)
{
    if (n < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the dimension of the cone is %d, at least 1 is needed", n);
    carom_cone_frame made = {.n = n, .diagonal = metric->diagonal, .L = metric->L};
    if (!made.L && metric->M) {
        carom_status status = factor(n, metric, arena, &made.L, error);
        if (status)
            return status;
    }
    made.Q = carom_arena_doubles(arena, (size_t)n * (size_t)n);
    if (!made.Q)
        return carom_error_memory(error);
    *frame = made;
    return CAROM_OK;
}

void carom_cone_frame_row(const carom_cone_frame *frame, double *w)
{
    if (frame->L)
        carom_metric_row(frame->n, frame->diagonal, frame->L, w);
}

void carom_cone_frame_vector_back(const carom_cone_frame *frame, double *y)
{
    if (frame->L)
        carom_metric_vector_back(frame->n, frame->diagonal, frame->L, y);
}

void carom_cone_frame_vector(const carom_cone_frame *frame, double *y)
{
    int n = frame->n;
    if (!frame->L)
        return;
    for (int i = 0; i < n; i++) /* entry i of L'y needs entries i ... n-1 only */
        y[i] = frame->diagonal ? frame->L[i] * y[i]
                               : carom_dense_dot(n - i, frame->L + i + (size_t)i * n, y + i);
}

void carom_cone_frame_row_back(const carom_cone_frame *frame, double *w)
{
    int n = frame->n;
    if (!frame->L)
        return;
    for (int i = n - 1; i >= 0; i--) { /* entry i of L w needs entries 0 ... i only */
        double sum = frame->diagonal ? frame->L[i] * w[i] : 0;
        for (int j = 0; j <= i && !frame->diagonal; j++)
            sum += frame->L[i + (size_t)j * n] * w[j];
        w[i] = sum;
    }
}

void carom_cone_frame_reduce(const carom_cone_frame *frame, double *y)
{
    int n = frame->n;
    if (!frame->e)
        return;
    double before = carom_dense_norm(n, y);
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < frame->e; l++) {
            const double *q = frame->Q + (size_t)l * n;
            carom_dense_axpy(n, -carom_dense_dot(n, q, y), q, y);
        }
    if (carom_dense_norm(n, y) <= CAROM_TOLERANCE_RANK * before)
        memset(y, 0, (size_t)n * sizeof(double));
}

bool carom_cone_frame_fix(carom_cone_frame *frame, const double *row)
{
    int n = frame->n;
    if (frame->e == n)
        return false;
    double *q = frame->Q + (size_t)frame->e * n;
    memcpy(q, row, (size_t)n * sizeof(double));
    carom_cone_frame_reduce(frame, q);
    double norm = carom_dense_norm(n, q);
    if (!(norm > 0))
        return false;
    carom_dense_scale(n, 1 / norm, q);
    frame->e++;
    return true;
}

void carom_cone_frame_rows(const carom_cone_frame *frame, int p, const double *W, double *out)
{
    for (int j = 0; j < p; j++) {
        double *row = out + (size_t)j * frame->n;
        memcpy(row, W + (size_t)j * frame->n, (size_t)frame->n * sizeof(double));
        carom_cone_frame_row(frame, row);
        carom_cone_frame_reduce(frame, row);
    }
}
