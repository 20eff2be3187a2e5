/* Large dense problems, the common case (docs/theory/lcp-block.md): the set is found by projected
 * over-relaxation and factored in single precision, the answer is refined in double precision.
 *
 * In the scaled variables  w = A y + b, A_ii = 1, max |b_i| = 1,  sweeps find the set F of positive
 * y in about ten passes where A is well conditioned. The float factor of A_FF is then a
 * preconditioner: each refinement with the true residual gains six digits, and an estimate of
 * |A_FF^{-1}| proves that A_FF is regular. Whatever is singular, ill conditioned or not strictly
 * complementary is left to the general way. */
#include "solver/lcp_mixed.h"

#include "linalg/wide.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_matrix.h"
#include "solver/lcp_product.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const float RELAX = 1.3F;    /* of the sweeps */
static const float REGULAR = 2e-4F; /* smallest eigenvalue of A_FF, far above float rounding */

static const float SHIFT = FLT_EPSILON;           /* of the factor */
static const double LARGEST = 1e15;               /* scaled z that can be started from */
static const float slow[] = {0.9F, 0.63F, 0.38F}; /* steps of the next sweeps against the first */

enum { TRIALS = 3, SWEEPS = 12, STEPS = 20, CHANCES = 3, REFINEMENTS = 10, SMALL = 64 };

typedef struct work {
    const carom_lcp *lcp;
    int n, k;
    float *A;         /* n x n, scaled; columns are made when they are needed */
    float *L;         /* k x k, factor of A_FF */
    float *b;         /* n, scaled q */
    float *y, *v;     /* n: scaled z and w of the sweeps */
    float *x, *t, *r; /* k: target of a Newton step, trial point, work */
    double *w, *s;    /* n: M z + q and the magnitude of its terms, the caller's */
    double *D;        /* n: 1 / sqrt(M_ii) */
    double top;       /* max |D q| */
    int *F;
    bool *made, *in;
} work;

static bool work_take(work *p, const carom_lcp *lcp, carom_arena *arena)
{
    size_t n = (size_t)lcp->n;
    *p = (work){.lcp = lcp, .n = lcp->n};
    p->D = carom_arena_doubles(arena, n);
    p->A = carom_arena_array(arena, 2 * n * n + 6 * n, sizeof *p->A);
    p->F = carom_arena_array(arena, n, sizeof *p->F);
    p->made = carom_arena_zeros(arena, 2 * n, sizeof *p->made);
    if (!p->D || !p->A || !p->F || !p->made)
        return false;
    p->L = p->A + n * n;
    p->y = p->L + n * n;
    p->v = p->y + n;
    p->x = p->v + n;
    p->t = p->x + n;
    p->r = p->t + n;
    p->b = p->r + n;
    p->in = p->made + n;
    memset(p->y, 0, n * sizeof *p->y);
    return true;
}

/* D, top and v = b. False when a diagonal entry is not positive, or q is zero. */
static bool scale(work *p)
{
    const carom_lcp *lcp = p->lcp;
    for (int i = 0; i < p->n; i++) {
        double m = lcp->M[i + (size_t)i * (size_t)p->n];
        if (!(m > 0))
            return false;
        p->D[i] = 1 / sqrt(m);
        p->top = fmax(p->top, fabs(p->D[i] * lcp->q[i]));
    }
    for (int i = 0; i < p->n; i++)
        p->b[i] = p->v[i] = (float)(p->D[i] * lcp->q[i] / p->top);
    return p->top > 0;
}

CAROM_WIDE static void convert(int n, const double *restrict M, const double *restrict D, double d,
                               float *restrict A)
{
    for (int i = 0; i < n; i++)
        A[i] = (float)(M[i] * d * D[i]);
}

/* Column j of A in floats. */
static const float *column(work *p, int j)
{
    float *Aj = p->A + (size_t)j * (size_t)p->n;
    if (!p->made[j]) {
        convert(p->n, p->lcp->M + (size_t)j * (size_t)p->n, p->D, p->D[j], Aj);
        Aj[j] = 1;
        p->made[j] = true;
    }
    return Aj;
}

static void move(work *p, int j, float y)
{
    float step = y - p->y[j], *restrict v = p->v;
    const float *restrict Aj = column(p, j);
    p->y[j] = y;
    if (p->n > SMALL)
        cblas_saxpy(p->n, step, Aj, 1, v, 1);
    else
        for (int i = 0; i < p->n; i++)
            v[i] += step * Aj[i];
}

static void start(work *p, const double *z)
{
    for (int i = 0; z && i < p->n; i++)
        if (z[i] > 0) {
            double y = z[i] / p->D[i] / p->top;
            move(p, i, y < LARGEST ? (float)y : 1); /* nonsense names the set at least */
        }
}

/* One sweep; how many indices have changed sides, and the largest step. */
static int sweep(work *p, float *largest)
{
    int changes = 0;
    *largest = 0;
    for (int i = 0; i < p->n; i++) {
        float old = p->y[i], next = old - RELAX * p->v[i];
        next = next > 0 ? next : 0;
        if (next == old)
            continue;
        float step = fabsf(next - old);
        *largest = step > *largest ? step : *largest;
        changes += (next > 0) != (old > 0);
        move(p, i, next);
    }
    return changes;
}

/* Sweeps until the set has stayed for two of them, SWEEPS at most. */
static void smooth(work *p)
{
    float largest;
    for (int pass = 0, calm = 0; pass < SWEEPS && calm < 2; pass++)
        calm = sweep(p, &largest) ? 0 : calm + 1;
}

/* The first sweeps. False when they converge slowly from the beginning: exchanges are better. */
static bool find_set(work *p)
{
    float first, largest;
    sweep(p, &first);
    for (int k = 0; k < TRIALS; k++) {
        sweep(p, &largest);
        if (!(largest <= slow[k] * first))
            return false;
    }
    smooth(p);
    return true;
}

static void collect(work *p)
{
    p->k = 0;
    for (int i = 0; i < p->n; i++) {
        p->in[i] = p->y[i] > 0;
        if (p->in[i])
            p->F[p->k++] = i;
    }
}

/* x = A_FF^{-1} x for small k: calls of the library, one for each column, cost more than the sums.
 */
static void solve_small(int k, const float *restrict L, float *restrict x)
{
    for (int j = 0; j < k; j++) {
        const float *Lj = L + j * k;
        float xj = x[j] /= Lj[j];
        for (int i = j + 1; i < k; i++)
            x[i] -= Lj[i] * xj;
    }
    for (int j = k - 1; j >= 0; j--) {
        const float *Lj = L + j * k;
        float part[8] = {0};
        int i = j + 1;
        for (; i + 8 <= k; i += 8)
            for (int c = 0; c < 8; c++)
                part[c] += Lj[i + c] * x[i + c];
        for (; i < k; i++)
            part[0] += Lj[i] * x[i];
        for (int c = 0; c < 8; c++)
            x[j] -= part[c];
        x[j] /= Lj[j];
    }
}

/* x = A_FF^{-1} x by the float factor. */
static void solve_factored(const work *p, float *x)
{
    int k = p->k;
    if (k <= SMALL) {
        solve_small(k, p->L, x);
        return;
    }
    cblas_strsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, k, p->L, k, x, 1);
    cblas_strsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, k, p->L, k, x, 1);
}

/* Is the smallest eigenvalue of A_FF well above rounding? Two inverse iterations from a
 * pseudo-random vector. */
static bool is_regular(work *p)
{
    carom_lcp_matrix_probe(p->k, p->s);
    for (int a = 0; a < p->k; a++)
        p->x[a] = (float)p->s[a];
    for (int pass = 0; pass < 2; pass++)
        solve_factored(p, p->x);
    return REGULAR * REGULAR * cblas_snrm2(p->k, p->x, 1) < 1;
}

/* The float factor of A_FF + shift I, in the lower triangle. False when A_FF is clearly singular.
 */
static bool factor(work *p)
{
    int k = p->k;
    for (int c = 0; c < k; c++) {
        const float *Ac = column(p, p->F[c]);
        float *Lc = p->L + (size_t)c * (size_t)k;
        for (int r = c; r < k; r++)
            Lc[r] = Ac[p->F[r]];
        Lc[c] += SHIFT;
    }
    return k == 0 || LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', k, p->L, k) == 0;
}

/* x = the minimum of the face; how many of its entries are not positive. */
static int aim(work *p)
{
    int wrong = 0;
    for (int a = 0; a < p->k; a++)
        p->x[a] = -p->b[p->F[a]];
    solve_factored(p, p->x);
    for (int a = 0; a < p->k; a++)
        wrong += !(p->x[a] > 0);
    return wrong;
}

/* A_FF above the diagonal, beside the factor. */
static void fill_upper(work *p)
{
    for (int c = 0; c < p->k; c++) {
        const float *Ac = column(p, p->F[c]);
        float *Lc = p->L + (size_t)c * (size_t)p->k;
        for (int r = 0; r < c; r++)
            Lc[r] = Ac[p->F[r]];
    }
}

/* The objective t'At/2 + b't at the trial point t = (y + part (x - y))_+ of the face. */
static double objective(work *p, float part)
{
    int k = p->k;
    double sum = 0;
    for (int a = 0; a < k; a++) {
        float y = p->y[p->F[a]], t = y + part * (p->x[a] - y);
        p->t[a] = t > 0 ? t : 0;
        p->r[a] = (1 - p->L[a + (size_t)a * (size_t)k]) * p->t[a]; /* A_aa = 1, not L_aa */
    }
    cblas_ssymv(CblasColMajor, CblasUpper, k, 1, p->L, k, p->t, 1, 1, p->r, 1);
    for (int a = 0; a < k; a++)
        sum += (double)p->t[a] * (0.5 * (double)p->r[a] + (double)p->b[p->F[a]]);
    return sum;
}

/* From y towards x, projected, as far as the objective falls. */
static void descend(work *p)
{
    static const float parts[] = {1, 0.6F, 0.36F, 0.22F, 0.13F, 0.08F, 0.05F, 0.03F, 0.01F, 1e-3F};
    fill_upper(p);
    double least = objective(p, 0);
    float best = 0;
    for (int i = 0; i < 10; i++) {
        double now = objective(p, parts[i]);
        if (now < least) {
            least = now;
            best = parts[i];
        } else if (best > 0) {
            break;
        }
    }
    for (int a = 0; a < p->k; a++) {
        int j = p->F[a];
        float y = p->y[j] + best * (p->x[a] - p->y[j]);
        if (best > 0)
            move(p, j, y > 0 ? y : 0);
    }
}

/* z_F += correction for the residual -w_F. */
static void correct(work *p, double *z)
{
    int k = p->k;
    double size = 0;
    for (int a = 0; a < k; a++)
        size = fmax(size, fabs(p->w[p->F[a]] * p->D[p->F[a]]));
    if (!(size > 0))
        return;
    for (int a = 0; a < k; a++)
        p->x[a] = (float)(-p->w[p->F[a]] * p->D[p->F[a]] / size);
    solve_factored(p, p->x);
    for (int a = 0; a < k; a++)
        z[p->F[a]] += (double)p->x[a] * size * p->D[p->F[a]];
}

/* w = M z + q and s. */
static void evaluate(work *p, const double *z)
{
    const carom_lcp *lcp = p->lcp;
    for (int i = 0; i < p->n; i++) {
        p->w[i] = lcp->q[i];
        p->s[i] = fabs(lcp->q[i]);
    }
    for (int i = 0; lcp->q_size && i < p->n; i++)
        p->s[i] = fmax(p->s[i], lcp->q_size[i]);
    carom_lcp_product_add(p->n, lcp->M, z, p->w, p->s);
}

/* z of the set F, to rounding. False when refinement stalls before. */
static bool refine(work *p, double *z)
{
    double last = HUGE_VAL;
    memset(z, 0, (size_t)p->n * sizeof *z);
    for (int i = 0; i < p->n; i++)
        p->w[i] = p->lcp->q[i];
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        correct(p, z);
        evaluate(p, z);
        double now = 0;
        for (int a = 0; a < p->k; a++) {
            double part = fabs(p->w[p->F[a]]) / p->s[p->F[a]];
            now = part <= now ? now : part; /* NaN stays */
        }
        if (now <= 4 * DBL_EPSILON || !(now < 0.25 * last))
            return now <= 64 * DBL_EPSILON;
        last = now;
    }
    return false;
}

/* How many signs are wrong, or -1 when one is in doubt. */
static int count_wrong(const work *p, const double *z, double tolerance)
{
    int wrong = 0;
    for (int i = 0; i < p->n; i++) {
        double size = p->in[i] ? -z[i] / (p->D[i] * p->D[i]) : fabs(p->w[i]);
        if (p->in[i] && z[i] >= 0)
            continue;
        if (!(size > tolerance * p->s[i]))
            return -1;
        wrong += p->in[i] || p->w[i] < 0;
    }
    return wrong;
}

/* The sweeps go on from z. */
static void restart(work *p, const double *z)
{
    for (int a = 0; a < p->k; a++) {
        int j = p->F[a];
        move(p, j, z[j] > 0 ? (float)(z[j] / p->D[j] / p->top) : 0);
    }
}

static carom_lcp_mixed_result solve(work *p, const carom_lcp_options *options, double *z,
                                    carom_lcp_info *info)
{
    p->w = z + p->n;
    p->s = p->w + p->n;
    if (!scale(p))
        return CAROM_LCP_MIXED_LEFT;
    start(p, options->start);
    if (!find_set(p))
        return CAROM_LCP_MIXED_LEFT;
    for (int pass = 1, best = p->n + 1, chances = CHANCES; pass <= STEPS; pass++, smooth(p)) {
        collect(p);
        info->iterations = pass;
        if (!factor(p))
            return CAROM_LCP_MIXED_HARD;
        int wrong = aim(p);
        if (wrong < best)
            chances = CHANCES;
        else if (chances-- == 0)
            break;
        best = wrong < best ? wrong : best;
        if (wrong > 0) {
            descend(p);
            continue;
        }
        if (!is_regular(p) || !refine(p, z))
            return CAROM_LCP_MIXED_LEFT;
        wrong = count_wrong(p, z, options->tolerance);
        if (wrong <= 0)
            return wrong == 0 ? CAROM_LCP_MIXED_SOLVED : CAROM_LCP_MIXED_LEFT;
        restart(p, z);
    }
    return CAROM_LCP_MIXED_HARD;
}

carom_lcp_mixed_result carom_lcp_mixed_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                                             carom_arena *arena, double *z, carom_lcp_info *info)
{
    work p;
    carom_mark mark = carom_arena_mark(arena);
    if (!work_take(&p, lcp, arena))
        return CAROM_LCP_MIXED_MEMORY;
    carom_lcp_mixed_result result = solve(&p, options, z, info);
    if (result == CAROM_LCP_MIXED_SOLVED) {
        info->outcome = CAROM_LCP_SOLVED;
        info->unique_w = info->unique_z = true;
        info->residual = CAROM_LCP_EVALUATED;
    } else {
        for (int i = 0; i < p.n; i++)
            z[i] = (double)p.y[i] * p.top;
    }
    carom_arena_rewind(arena, mark);
    return result;
}
