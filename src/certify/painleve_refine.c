/* The accelerations of a solution, from its forces with twice the digits. */
#include "certify/painleve_refine.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/doubled.h"
#include "linalg/min_norm.h"

/* The equations of the modes: rows whose acceleration is zero, and the columns of the forces that
 * keep them so, both in kinetic units. */
typedef struct equations {
    int count;
    int *row;        /* count, of the problem */
    double *column;  /* n x count */
    doubled *motion; /* n */
    double *memory;  /* K, b, x */
} equations;

static carom_status take(const carom_painleve_state *w, equations *e)
{
    const size_t n = (size_t)w->g->impact->n, N = (size_t)w->problem.N;
    e->row = carom_arena_array(w->arena, N + 1, sizeof *e->row);
    e->column = carom_arena_doubles(w->arena, n * N + 1);
    e->motion = carom_arena_array(w->arena, n + 1, sizeof *e->motion);
    e->memory = carom_arena_doubles(w->arena, N * N + 2 * N + 1);
    return e->row && e->column && e->motion && e->memory ? CAROM_OK : carom_error_memory(w->error);
}

static double *add(const carom_painleve_state *w, equations *e, int k)
{
    const int n = w->g->impact->n;
    double *column = e->column + (size_t)e->count * n;
    e->row[e->count++] = k;
    for (int j = 0; j < n; j++)
        column[j] = w->column[k][j] / w->scale[k];
    return column;
}

/* Of contact c with forces r: its normal, with the friction that goes with it where it slips, or
 * its slips as well where it sticks. */
static void add_contact(const carom_painleve_state *w, equations *e, int c, const double *r,
                        bool sticks)
{
    const int n = w->g->impact->n, k = w->problem.row[c];
    double *column = add(w, e, k);
    for (int l = k + 1; l < w->problem.row[c + 1]; l++)
        if (sticks)
            add(w, e, l);
        else if (r[k] > 0)
            carom_dense_axpy(n, r[l] / (r[k] * w->scale[l]), w->column[l], column);
}

/* motion += columns x */
static void move(const carom_painleve_state *w, const equations *e, const double *x)
{
    const int n = w->g->impact->n;
    for (int a = 0; a < e->count; a++)
        for (int j = 0; j < n; j++)
            e->motion[j] =
                doubled_add(e->motion[j], doubled_product(e->column[j + (size_t)a * n], x[a]));
}

/* What the equations are missed by, in doubled precision, is taken out: K tells forces to the
 * rounding of the ratio of masses, and each step gains the digits that K has. */
static carom_status settle(const carom_painleve_state *w, equations *e)
{
    enum { STEPS = 2 };
    const int n = w->g->impact->n, m = e->count;
    double *K = e->memory, *b = K + (size_t)m * m, *x = b + m;
    for (int a = 0; a < m; a++)
        for (int c = 0; c < m; c++)
            K[a + (size_t)c * m] =
                carom_dense_dot(n, w->row[e->row[a]], e->column + (size_t)c * n) /
                w->scale[e->row[a]];
    for (int step = 0; step < STEPS; step++) {
        carom_min_norm info;
        for (int a = 0; a < m; a++) {
            const int k = e->row[a];
            const doubled bias = {w->row_bias[k], 0};
            b[a] = -doubled_dot(n, w->row[k], e->motion, bias).hi / w->scale[k];
        }
        const carom_status status =
            carom_min_norm_solve(m, m, K, b, CAROM_TOLERANCE_RANK, w->arena, x, &info, w->error);
        if (status)
            return status;
        move(w, e, x);
    }
    return CAROM_OK;
}

carom_status carom_painleve_refine(const carom_painleve_state *w, const double *r,
                                   const unsigned char *mode, double *du)
{
    const int n = w->g->impact->n;
    carom_mark mark = carom_arena_mark(w->arena);
    equations e = {0};
    carom_status status = take(w, &e);
    for (int j = 0; j < n && !status; j++) {
        e.motion[j] = (doubled){w->free[j], 0};
        for (int k = 0; k < w->problem.N; k++)
            e.motion[j] =
                doubled_add(e.motion[j], doubled_product(w->column[k][j], r[k] / w->scale[k]));
    }
    for (int c = 0; c < w->problem.p && !status; c++) {
        const bool rests = w->resting[w->part[c]], held = r[w->problem.row[c]] > 0;
        if (held || (rests && mode[c] == CAROM_MODE_STICK))
            add_contact(w, &e, c, r, rests && mode[c] == CAROM_MODE_STICK);
    }
    if (!status && e.count > 0)
        status = settle(w, &e);
    for (int j = 0; j < n && !status; j++)
        du[j] = e.motion[j].hi;
    carom_arena_rewind(w->arena, mark);
    return status;
}
