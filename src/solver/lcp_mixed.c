/* Large dense problems, the common case (docs/theory/lcp-block.md): the set is found by projected
 * over-relaxation and factored in single precision, the answer is refined in double precision.
 *
 * In the scaled variables  w = A y + b, A_ii = 1, max |b_i| = 1,  sweeps find the set F of positive
 * y in about ten passes where A is well conditioned. The float factor of A_FF is then a
 * preconditioner: each refinement with the true residual gains six digits, and an estimate of
 * |A_FF^{-1}| proves that A_FF is regular. Whatever is singular, ill conditioned or not strictly
 * complementary is left to the general way. */
#include "solver/lcp_mixed.h"

#include "base/arena.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_matrix.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

static const float RELAX = 1.3F;    /* of the sweeps */
static const float REGULAR = 1e-3F; /* smallest eigenvalue of A_FF, far above float rounding */

/* After so many sweeps steps must have fallen to this part of the first, or A is not well enough
 * conditioned for this way. Walls of bricks fail the first trial, random singular matrices the
 * last. */
static const struct {
    int pass;
    float most;
} trials[] = {{2, 0.6F}, {3, 0.4F}, {7, 0.04F}};

enum { TRIALS = sizeof trials / sizeof *trials, SWEEPS = 20, EXCHANGES = 4, REFINEMENTS = 8 };

typedef struct work {
    const carom_lcp *lcp;
    int n, k;
    float *A;         /* n x n, scaled; columns are made when they are needed */
    float *L;         /* k x k, factor of A_FF */
    float *y, *v, *x; /* n: scaled z and w of the sweeps; work */
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
    p->A = carom_arena_array(arena, 2 * n * n + 3 * n, sizeof *p->A);
    p->F = carom_arena_array(arena, n, sizeof *p->F);
    p->made = carom_arena_zeros(arena, 2 * n, sizeof *p->made);
    if (!p->D || !p->A || !p->F || !p->made)
        return false;
    p->L = p->A + n * n;
    p->y = p->L + n * n;
    p->v = p->y + n;
    p->x = p->v + n;
    p->in = p->made + n;
    return true;
}

/* d, y = 0, v = b / max |b|. False when a diagonal entry is not positive. */
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
    for (int i = 0; i < p->n; i++) {
        p->v[i] = (float)(p->D[i] * lcp->q[i] / p->top);
        p->y[i] = 0;
    }
    return p->top > 0;
}

WIDE static void convert(int n, const double *restrict M, const double *restrict D, double d,
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
    cblas_saxpy(p->n, y - p->y[j], column(p, j), 1, p->v, 1);
    p->y[j] = y;
}

static void start(work *p, const double *z)
{
    for (int i = 0; z && i < p->n; i++)
        if (z[i] > 0)
            move(p, i, (float)(z[i] / p->D[i] / p->top));
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

/* Sweeps until the set has stayed for two of them. False when they converge slowly: A is not well
 * conditioned. */
static bool find_set(work *p)
{
    float first = 0, largest;
    for (int pass = 0, calm = 0; pass < SWEEPS && calm < 2; pass++) {
        calm = sweep(p, &largest) ? 0 : calm + 1;
        if (pass == 0)
            first = largest;
        for (int k = 0; k < TRIALS; k++)
            if (pass == trials[k].pass && !(largest <= trials[k].most * first))
                return false;
    }
    for (int i = 0; i < p->n; i++)
        p->in[i] = p->y[i] > 0;
    return true;
}

static void collect(work *p)
{
    p->k = 0;
    for (int i = 0; i < p->n; i++)
        if (p->in[i])
            p->F[p->k++] = i;
}

/* x = A_FF^{-1} x by the float factor. */
static void solve_factored(const work *p, float *x)
{
    cblas_strsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, p->k, p->L, p->k, x, 1);
    cblas_strsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, p->k, p->L, p->k, x, 1);
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

/* The float factor of A_FF. False unless it is clearly regular. */
static bool factor(work *p)
{
    int k = p->k;
    for (int c = 0; c < k; c++) {
        const float *Ac = column(p, p->F[c]);
        float *Lc = p->L + (size_t)c * (size_t)k;
        for (int r = c; r < k; r++)
            Lc[r] = Ac[p->F[r]];
    }
    return k == 0 || (LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', k, p->L, k) == 0 && is_regular(p));
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

/* w += M z and s += |M| |z| over four columns: w and s are read and written less often. */
WIDE static void add_four(int n, const double *M, const int *F, const double *z, double *restrict w,
                          double *restrict s)
{
    const double *restrict M0 = M + (size_t)F[0] * (size_t)n;
    const double *restrict M1 = M + (size_t)F[1] * (size_t)n;
    const double *restrict M2 = M + (size_t)F[2] * (size_t)n;
    const double *restrict M3 = M + (size_t)F[3] * (size_t)n;
    double z0 = z[F[0]], z1 = z[F[1]], z2 = z[F[2]], z3 = z[F[3]];
    for (int i = 0; i < n; i++) {
        double t0 = M0[i] * z0, t1 = M1[i] * z1, t2 = M2[i] * z2, t3 = M3[i] * z3;
        w[i] += (t0 + t1) + (t2 + t3);
        s[i] += (fabs(t0) + fabs(t1)) + (fabs(t2) + fabs(t3));
    }
}

/* w = M z + q and s. */
static void evaluate(work *p, const double *z)
{
    int n = p->n, a = 0;
    const carom_lcp *lcp = p->lcp;
    double *restrict w = p->w, *restrict s = p->s;
    for (int i = 0; i < n; i++) {
        w[i] = lcp->q[i];
        s[i] = lcp->q_size ? fmax(fabs(w[i]), lcp->q_size[i]) : fabs(w[i]);
    }
    for (; a + 4 <= p->k; a += 4)
        add_four(n, lcp->M, p->F + a, z, w, s);
    for (; a < p->k; a++) {
        const double *restrict M0 = lcp->M + (size_t)p->F[a] * (size_t)n;
        double z0 = z[p->F[a]];
        for (int i = 0; i < n; i++) {
            w[i] += M0[i] * z0;
            s[i] += fabs(M0[i] * z0);
        }
    }
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

/* Change the sides of wrong signs; how many, or -1 when a sign is in doubt. */
static int exchange(work *p, const double *z, double tolerance)
{
    int wrong = 0, doubt = 0;
    for (int i = 0; i < p->n; i++) {
        bool bad = p->in[i] ? z[i] < 0 : p->w[i] < 0;
        if (!p->in[i])
            doubt += !(fabs(p->w[i]) > tolerance * p->s[i]);
        else if (bad)
            doubt += !(-z[i] > tolerance * p->D[i] * p->D[i] * p->s[i]);
        wrong += bad;
        p->in[i] = p->in[i] != bad;
    }
    return doubt ? -1 : wrong;
}

static bool solve(work *p, const carom_lcp_options *options, double *z, carom_lcp_info *info)
{
    p->w = z + p->n;
    p->s = p->w + p->n;
    if (!scale(p))
        return false;
    start(p, options->start);
    if (!find_set(p))
        return false;
    for (int pass = 1; pass <= EXCHANGES; pass++) {
        collect(p);
        if (!factor(p) || !refine(p, z))
            return false;
        int wrong = exchange(p, z, options->tolerance);
        if (wrong < 0)
            return false;
        if (wrong == 0) {
            info->iterations = pass;
            return true;
        }
    }
    return false;
}

carom_lcp_mixed_result carom_lcp_mixed_solve(const carom_lcp *lcp, const carom_lcp_options *options,
                                             carom_arena *arena, double *z, carom_lcp_info *info)
{
    work p;
    carom_mark mark = carom_arena_mark(arena);
    if (!work_take(&p, lcp, arena))
        return CAROM_LCP_MIXED_MEMORY;
    bool solved = solve(&p, options, z, info);
    carom_arena_rewind(arena, mark);
    if (!solved) {
        for (int i = 0; i < p.n; i++)
            z[i] = (double)p.y[i] * p.top;
        return CAROM_LCP_MIXED_LEFT;
    }
    info->outcome = CAROM_LCP_SOLVED;
    info->unique_w = info->unique_z = true;
    info->residual = CAROM_LCP_EVALUATED;
    return CAROM_LCP_MIXED_SOLVED;
}
