/* The statement of the frictional impact problem: from an impact, or a part of another one. */
#include "base/larger.h"
#include "law/coulomb.h"
#include "law/coulomb_columns.h"
#include "solver/instant_rows.h"

#include "impact/predicate.h"
#include "linalg/dense.h"
#include "linalg/doubled.h"
#include "linalg/wide.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

static carom_status room_take(int p, int N, carom_arena *arena, carom_coulomb *f,
                              carom_error *error)
{
    size_t ps = (size_t)p, Ns = (size_t)N, numbers = Ns * (Ns + 5) + 3 * ps;
    const double **J = carom_arena_array(arena, 2 * Ns + 1, sizeof *J);
    double *memory = carom_arena_doubles(
        arena, numbers + ((2 * ps + 1) * sizeof(int) + ps * sizeof(bool)) / sizeof(double) + 1);
    if (!memory || !J)
        return carom_error_memory(error);
    f->J = J;
    f->Y = J + Ns;
    f->p = p;
    f->N = N;
    f->A = memory;
    f->b = f->A + Ns * Ns;
    f->scale = f->b + Ns;
    f->size = f->scale + Ns;
    f->dust = f->size + Ns;
    f->rest = f->dust + Ns;
    f->mu_s = f->rest + Ns;
    f->mu_d = f->mu_s + ps;
    f->mu = f->mu_d + ps;
    f->row = (int *)(memory + numbers);
    f->contact = f->row + ps + 1;
    f->equality = (bool *)(f->contact + ps);
    f->row[0] = 0;
    f->sided = false;
    f->low = NULL;
    return CAROM_OK;
}

/* J'Y with what rounding left of Y. */
static void fill_wide(carom_coulomb *f)
{
    struct carom_instant_rows rows;
    carom_coulomb_instant(f, &rows);
    for (int r = 0; r < f->N; r++)
        for (int s = 0; s <= r; s++)
            f->A[r + (size_t)s * f->N] = f->A[s + (size_t)r * f->N] =
                carom_instant_rows_product(&rows, r, s).hi;
}

/* The unscaled matrix J'M_c^-1 J from pointers to its rows and to Y = M_c^-1 J. */
static void fill_matrix(const carom_geometry *geo, carom_coulomb *f)
{
    const carom_impact *im = geo->impact;
    const double **J = f->J, **Y = f->Y;
    int n = f->n = im->n;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        J[r] = im->W + (size_t)i * n;
        Y[r] = geo->Y + (size_t)i * n;
        for (int k = r + 1; k < f->row[i + 1]; k++) {
            size_t column = (size_t)(geo->slip_start[i] + k - r - 1) * n;
            J[k] = im->H + column;
            Y[k] = geo->Z + column;
        }
    }
    for (int i = 0; i < f->p; i++)
        for (int j = 0; j <= i; j++)
            for (int r = f->row[i]; r < f->row[i + 1]; r++)
                for (int s = f->row[j]; s < f->row[j + 1] && s <= r; s++) {
                    bool normals = r == f->row[i] && s == f->row[j];
                    double a =
                        normals ? geo->D[i + (size_t)j * f->p] : carom_dense_dot(n, J[r], Y[s]);
                    f->A[r + (size_t)s * f->N] = f->A[s + (size_t)r * f->N] = a;
                }
}

/* Kinetic units: unit diagonal for normals and for the larger of two slips. With impulses x = S L
 * and velocities xi = S^-1 v the matrix is S^-1 A S^-1; both slips of a contact share a scale, so
 * that its cone stays round, and |L_T| <= mu L_N becomes |x_T| <= mu (s_T/s_N) x_N. */
static void scale_rows(const double *norm, carom_coulomb *f)
{
    int N = f->N;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        double tangent = 0;
        for (int k = r + 1; k < f->row[i + 1]; k++)
            tangent = larger(tangent, f->A[k + (size_t)k * N]);
        f->scale[r] = norm[i] > 0 ? norm[i] : 1;
        if (r + 1 == f->row[i + 1])
            continue;
        double slip = tangent > 0 ? sqrt(tangent) : 1, ratio = slip / f->scale[r];
        for (int k = r + 1; k < f->row[i + 1]; k++)
            f->scale[k] = slip;
        f->mu_s[i] *= ratio;
        f->mu_d[i] *= ratio;
    }
    for (int j = 0; j < N; j++) {
        double *Aj = f->A + (size_t)j * N;
        f->b[j] /= f->scale[j];
        f->size[j] /= f->scale[j];
        f->dust[j] /= f->scale[j];
        for (int i = j; i < N; i++)
            Aj[i] = f->A[j + (size_t)i * N] = Aj[i] / (f->scale[i] * f->scale[j]);
    }
}

/* What b, scaled back, lacks of (1 + epsilon)(J'u- + motion): the sums once more with twice the
 * digits. Nearly dependent rows and light bodies magnify the rounding of b. */
CAROM_FUSED static void find_rest(const carom_geometry *g, const carom_coulomb_data *data,
                                  carom_coulomb *f)
{
    const carom_impact *im = g->impact;
    for (int i = 0; i < f->p; i++)
        for (int k = f->row[i], j = g->slip_start[i] - 1; k < f->row[i + 1]; k++, j++) {
            const bool normal = k == f->row[i];
            const double *motion = normal ? im->w_hat : im->slip_motion;
            const double given = normal ? g->gamma[i] : g->slip[j];
            const double ratio = !normal ? data->e_t[i] : given != 0 ? data->normal[i] / given : 0;
            doubled sum = {motion ? motion[normal ? i : j] : 0, 0};
            for (int c = 0; c < f->n; c++)
                if (f->J[k][c] != 0)
                    sum = doubled_add(sum, doubled_product(f->J[k][c], g->u[c]));
            sum = doubled_add(sum, doubled_scale(sum, ratio));
            f->rest[k] =
                f->b[k] == 0
                    ? 0
                    : doubled_add(sum, doubled_negate(doubled_product(f->b[k], f->scale[k]))).hi;
        }
}

carom_status carom_coulomb_state(const carom_geometry *geometry, const carom_coulomb_data *data,
                                 carom_arena *arena, carom_coulomb *problem, carom_error *error)
{
    int p = geometry->impact->p, N = 0;
    for (int i = 0; i < p; i++)
        N += 1 + (data->mu_s[i] > 0 ? geometry->slip_start[i + 1] - geometry->slip_start[i] : 0);
    carom_coulomb f;
    carom_status status = room_take(p, N, arena, &f, error);
    if (status)
        return status;
    for (int i = 0, r = 0; i < p; i++) {
        int start = geometry->slip_start[i];
        int s = data->mu_s[i] > 0 ? geometry->slip_start[i + 1] - start : 0;
        f.row[i] = r;
        f.contact[i] = i;
        f.mu_s[i] = data->mu_s[i];
        f.mu_d[i] = data->mu_d[i] < data->mu_s[i] ? data->mu_d[i] : data->mu_s[i];
        f.mu[i] = f.mu_d[i];
        f.equality[i] = data->equality;
        f.b[r] = geometry->gamma[i] + data->normal[i];
        f.size[r] = geometry->gamma_size[i] + fabs(data->normal[i]);
        f.dust[r] = carom_predicate_dust(geometry, geometry->last[i] - geometry->first[i]);
        for (int k = 0; k < s; k++) {
            f.b[r + 1 + k] = (1 + data->e_t[i]) * geometry->slip[start + k];
            f.size[r + 1 + k] =
                (1 + data->e_t[i]) * carom_predicate_slip_size(geometry, start + k, geometry->u);
            f.dust[r + 1 + k] = carom_predicate_dust(geometry, geometry->impact->n);
        }
        f.row[i + 1] = r += 1 + s;
    }
    for (int k = 0; k < N; k++) /* no contact is called impossible by rounding */
        if (fabs(f.b[k]) <= carom_predicate_rounding(geometry->impact->n) * f.size[k])
            f.b[k] = 0;
    fill_matrix(geometry, &f);
    if (geometry->joints && N > p && N <= CAROM_COULOMB_SETTLED) {
        status = carom_coulomb_columns(geometry, arena, &f, error);
        if (status)
            return status;
        fill_wide(&f);
    }
    scale_rows(geometry->norm, &f);
    if (N > p && carom_coulomb_settles(&f))
        find_rest(geometry, data, &f);
    else
        memset(f.rest, 0, sizeof *f.rest * (size_t)N);
    f.floor = 1e-14 * geometry->speed;
    *problem = f;
    return CAROM_OK;
}

carom_status carom_coulomb_state_part(const carom_coulomb *problem, int count, const int *which,
                                      carom_arena *arena, carom_coulomb *part, carom_error *error)
{
    int N = 0;
    for (int k = 0; k < count; k++)
        N += problem->row[which[k] + 1] - problem->row[which[k]];
    carom_coulomb f;
    carom_status status = room_take(count, N, arena, &f, error);
    if (status)
        return status;
    for (int k = 0; k < count; k++) {
        int i = which[k], rows = problem->row[i + 1] - problem->row[i];
        f.row[k + 1] = f.row[k] + rows;
        f.contact[k] = problem->contact[i];
        f.mu_s[k] = problem->mu_s[i];
        f.mu_d[k] = problem->mu_d[i];
        f.equality[k] = problem->equality[i];
        if (problem->n)
            f.mu[k] = problem->mu[i];
        memcpy(f.b + f.row[k], problem->b + problem->row[i], sizeof *f.b * (size_t)rows);
        memcpy(f.scale + f.row[k], problem->scale + problem->row[i], sizeof *f.b * (size_t)rows);
        for (int j = 0; j < rows && problem->n; j++) {
            const int to = f.row[k] + j, from = problem->row[i] + j;
            f.J[to] = problem->J[from];
            f.Y[to] = problem->Y[from];
            f.size[to] = problem->size[from];
            f.dust[to] = problem->dust[from];
            f.rest[to] = problem->rest[from];
        }
    }
    f.n = problem->n;
    if (problem->low) {
        f.low = carom_arena_array(arena, (size_t)N, sizeof *f.low);
        if (!f.low)
            return carom_error_memory(error);
        for (int k = 0; k < count; k++)
            for (int j = f.row[k], from = problem->row[which[k]]; j < f.row[k + 1]; j++, from++)
                f.low[j] = problem->low[from];
    }
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            for (int c = 0; c < f.row[l + 1] - f.row[l]; c++) /* rows of k, column c of l */
                memcpy(f.A + f.row[k] + (size_t)(f.row[l] + c) * N,
                       problem->A + problem->row[which[k]] +
                           (size_t)(problem->row[which[l]] + c) * problem->N,
                       sizeof *f.A * (size_t)(f.row[k + 1] - f.row[k]));
    f.floor = problem->floor;
    f.sided = problem->sided;
    *part = f;
    return CAROM_OK;
}
