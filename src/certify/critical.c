/* Critical friction (docs/theory/painleve.md): D = G - mu N X, N = n'H_T with columns divided by
 * |w_j|, X = diag(xi). A principal minor on S vanishes first at mu = 1/lambda, lambda the largest
 * positive real eigenvalue of G_S^-1 N_S X_S. Minors are affine in each mu_i xi_i, so the corners
 * xi_i = +-1 (spatial: unit vectors) are enough. */
#include "base/arena.h"
#include "certify/normal.h"
#include "linalg/cholesky.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST = CAROM_CRITICAL_LIMIT, DIRECTIONS = 12 };

typedef struct search {
    const carom_geometry *g;
    int p;
    const double *G;
    double *N;         /* p x s, w_i'M^-1 h_j / (|w_i||w_owner(j)|) */
    int count;         /* of the subset */
    int set[MOST + 1]; /* its rows */
    double L[MOST * MOST];
    double X[MOST * 2 * MOST]; /* G_S^-1 N_S, count x (2 columns per contact) */
    double angle[MOST];        /* current directions of the subset */
    double best;               /* largest 1/mu */
    double best_angle[MOST];
    int best_set[MOST], best_count;
    bool spatial;
    bool failed;
} search;

static int slips(const search *s, int i)
{
    return s->g->slip_start[i + 1] - s->g->slip_start[i];
}

/* Largest positive real eigenvalue of the columns of X mixed by the directions. */
static double largest_eigenvalue(search *s)
{
    double A[MOST * MOST], re[MOST], im[MOST], work[16 * MOST];
    int k = s->count;
    for (int j = 0; j < k; j++) {
        double c = cos(s->angle[j]), d = sin(s->angle[j]);
        if (slips(s, s->set[j]) == 1) {
            c = c > 0 ? 1 : -1;
            d = 0;
        }
        for (int i = 0; i < k; i++)
            A[i + j * k] = c * s->X[i + (2 * j) * k] + d * s->X[i + (2 * j + 1) * k];
    }
    if (k == 1)
        return fmax(0, A[0]);
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', k, A, k, re, im, NULL, 1, NULL, 1, work,
                           16 * MOST) != 0) {
        s->failed = true;
        return 0;
    }
    double largest = 0;
    for (int i = 0; i < k; i++)
        if (fabs(im[i]) <= 1e-10 * fabs(re[i]) && re[i] > largest)
            largest = re[i];
    return largest;
}

static void keep(search *s, double value)
{
    if (!(value > s->best * (1 + 1e-13)))
        return;
    s->best = value;
    s->best_count = s->count;
    memcpy(s->best_set, s->set, sizeof s->best_set);
    memcpy(s->best_angle, s->angle, sizeof s->best_angle);
}

/* Pattern search over the angles of spatial contacts, from the best directions found. */
static void refine(search *s)
{
    memcpy(s->angle, s->best_angle, sizeof s->angle);
    for (double step = acos(-1) / DIRECTIONS; step > 1e-11;) {
        bool better = false;
        for (int j = 0; j < s->count; j++)
            for (int side = -1; side <= 1 && slips(s, s->set[j]) == 2; side += 2) {
                double old = s->angle[j], before = s->best;
                s->angle[j] = old + side * step;
                keep(s, largest_eigenvalue(s));
                if (s->best > before)
                    better = true;
                else
                    s->angle[j] = old;
            }
        if (!better)
            step /= 2;
    }
}

static void directions(search *s, int j)
{
    if (j == s->count) {
        keep(s, largest_eigenvalue(s));
        return;
    }
    int choices = slips(s, s->set[j]) == 1 ? 2 : slips(s, s->set[j]) == 2 ? DIRECTIONS : 1;
    for (int c = 0; c < choices; c++) {
        s->angle[j] = choices == 1 ? 0 : 2 * acos(-1) * c / choices;
        directions(s, j + 1);
    }
}

/* One subset: factor G_S, X = G_S^-1 N_S, all directions; also friction at one contact only. */
static void visit(search *s, double *alone)
{
    int k = s->count;
    bool rough = false;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++)
            s->L[i + j * k] = s->G[s->set[i] + (size_t)s->set[j] * s->p];
        rough = rough || slips(s, s->set[j]) > 0;
    }
    if (!rough || carom_cholesky_factor(k, s->L, k) != 0)
        return;
    memset(s->X, 0, sizeof s->X);
    bool spatial = false;
    for (int j = 0; j < k; j++)
        for (int c = 0; c < slips(s, s->set[j]); c++) {
            double *x = s->X + (2 * j + c) * k;
            for (int i = 0; i < k; i++)
                x[i] = s->N[s->set[i] + (size_t)(s->g->slip_start[s->set[j]] + c) * s->p];
            carom_cholesky_solve(k, s->L, k, x);
            spatial = spatial || c == 1;
        }
    for (int j = 0; j < k; j++) {
        double size = hypot(s->X[j + 2 * j * k], s->X[j + (2 * j + 1) * k]);
        if (slips(s, s->set[j]) > 0)
            alone[s->set[j]] = fmax(alone[s->set[j]], size);
        if (k == 1) {
            s->angle[0] = atan2(s->X[1 * k], s->X[0]);
            keep(s, size);
        }
    }
    double before = s->best;
    if (k > 1)
        directions(s, 0);
    if (spatial && k > 1) {
        s->spatial = true;
        if (s->best > before)
            refine(s);
    }
}

static void subsets(search *s, int from, double *alone)
{
    for (int i = from; i < s->p; i++) {
        s->set[s->count++] = i;
        visit(s, alone);
        subsets(s, i + 1, alone);
        s->count--;
    }
}

carom_status carom_critical_friction(const carom_geometry *g, carom_arena *arena,
                                     carom_critical *critical, carom_error *error)
{
    int p = g->impact->p, n = g->impact->n;
    carom_critical made = {.common = NAN, .exact = true};
    carom_normal m;
    carom_status status = carom_normal_make(g, arena, &m, error);
    if (status)
        return status;
    made.per_contact = carom_arena_zeros(arena, p, sizeof(double));
    search s = {.g = g, .p = p, .G = m.G};
    s.N = carom_arena_zeros(arena, (size_t)p * g->s, sizeof(double));
    if (!made.per_contact || !s.N)
        return carom_error_memory(error);
    int rough = 0;
    for (int i = 0; i < p; i++) {
        rough += slips(&s, i) == 2 ? 2 : slips(&s, i);
        for (int owner = 0; owner < p; owner++)
            for (int j = g->slip_start[owner]; j < g->slip_start[owner + 1]; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += g->Y[k + (size_t)i * n] * g->impact->H[k + (size_t)j * n];
                double norms = g->norm[i] * g->norm[owner];
                s.N[i + (size_t)j * p] = norms > 0 ? sum / norms : 0;
            }
    }
    bool small = p <= MOST && rough <= MOST;
    if (small)
        subsets(&s, 0, made.per_contact);
    for (int i = 0; i < p; i++)
        made.per_contact[i] = !small || slips(&s, i) == 0 ? NAN : 1 / made.per_contact[i];
    made.common = !small || s.failed ? NAN : 1 / s.best; /* 1/0: none */
    made.exact = !s.spatial;
    made.minor_count = s.best_count;
    memcpy(made.minor, s.best_set, sizeof made.minor);
    memcpy(made.angle, s.best_angle, sizeof made.angle);
    *critical = made;
    return CAROM_OK;
}
