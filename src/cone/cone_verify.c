/* Checks a projection from its conditions alone: sign, side, complementarity, stationarity. */
#include "carom/need.h"
#include <math.h>
#include <string.h>

#include "cone/cone_frame.h"
#include "linalg/dense.h"

/* Sum of l_j * row_j in the frame, taking the worst violation of sign and side on the way. */
typedef struct tally {
    const carom_cone_frame *frame;
    const double *z;   /* in the frame */
    double *f;         /* reaction not yet explained, in the frame */
    double *row, size; /* work; |x| */
    double largest;    /* term of the combination: what rounding of it is measured by */
    carom_cone_residual *out;
} tally;

/* row_j in the frame; subtract l times it from f. Returns its norm, its product with z in *at. */
static double take(tally *t, const double *rows, int j, double l, double *at)
{
    int n = t->frame->n;
    memcpy(t->row, rows + (size_t)j * n, (size_t)n * sizeof(double));
    carom_cone_frame_row(t->frame, t->row);
    carom_dense_axpy(n, -l, t->row, t->f);
    *at = carom_dense_dot(n, t->row, t->z);
    double norm = carom_dense_norm(n, t->row);
    t->largest = fmax(t->largest, fabs(l) * norm);
    return norm;
}

static void worse(double *worst, double value, double scale)
{
    double relative = scale > 0 ? value / scale : value;
    if (!(relative <= *worst)) /* NaN counts */
        *worst = relative;
}

static void verify_second_order(tally *t, const carom_cone *cone, const carom_projection *p)
{
    for (int k = 0; k < cone->q; k++) {
        double side, at, spread2 = 0, eta2 = 0;
        double size = take(t, cone->axis, k, p->nu[k], &side);
        int first = cone->spread_start ? cone->spread_start[k] : 0;
        int last = cone->spread_start ? cone->spread_start[k + 1] : 0;
        for (int j = first; j < last; j++) {
            size = fmax(size, take(t, cone->spread, j, p->eta[j], &at));
            spread2 += at * at;
            eta2 += p->eta[j] * p->eta[j];
        }
        if (!(size > 0))
            continue;
        worse(&t->out->primal, (sqrt(spread2) - side) / size, t->size);
        worse(&t->out->dual, (sqrt(eta2) - p->nu[k]) * size, fmax(t->size, p->nu[k] * size));
    }
}

carom_status carom_cone_verify(const carom_cone *cone, const double *x,
                               const carom_projection *projection, carom_arena *arena,
                               carom_cone_residual *residual, carom_error *error)
{
    CAROM_NEED(error, cone, x, projection, arena, residual);
    int n = cone->n;
    size_t ns = (size_t)n;
    carom_mark mark = carom_arena_mark(arena);
    carom_cone_frame frame;
    carom_status status = carom_cone_frame_create(n, &cone->metric, arena, &frame, error);
    double *all = status ? NULL : carom_arena_doubles(arena, 4 * ns);
    if (!status && !all)
        status = carom_error_memory(error);
    if (status) {
        carom_arena_rewind(arena, mark);
        return status;
    }
    double *z = all, *f = z + n, *row = f + n, *v = row + n, at;
    carom_cone_residual out = {0};
    memcpy(v, x, ns * sizeof(double));
    carom_cone_frame_vector(&frame, v);
    double size = carom_dense_norm(n, v);
    tally t = {&frame, z, f, row, size, size, &out};
    for (int i = 0; i < n; i++) {
        z[i] = projection->z[i];
        f[i] = -projection->z_perp[i];
        v[i] = x[i] - projection->z[i] - projection->z_perp[i];
    }
    carom_cone_frame_vector(&frame, z);
    carom_cone_frame_vector(&frame, f);
    carom_cone_frame_vector(&frame, v);
    worse(&out.sum, carom_dense_norm(n, v), size);
    worse(&out.orthogonal, fabs(carom_dense_dot(n, z, f)), size * size);
    for (int j = 0; j < cone->p; j++) {
        double norm = take(&t, cone->W, j, projection->lambda[j], &at);
        worse(&out.primal, norm > 0 ? -at / norm : 0, size);
        worse(&out.dual, -projection->lambda[j] * norm, size);
    }
    for (int j = 0; j < cone->c; j++) {
        double norm = take(&t, cone->C, j, projection->beta[j], &at);
        worse(&out.primal, norm > 0 ? fabs(at) / norm : 0, size);
    }
    verify_second_order(&t, cone, projection);
    worse(&out.dual, carom_dense_norm(n, f), t.largest);
    out.worst = fmax(fmax(out.sum, out.primal), fmax(out.dual, out.orthogonal));
    *residual = out;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
