/* Block principal pivoting inside a proximal-point loop, for large symmetric positive semidefinite
 * M, dense or banded (docs/theory/lcp-block.md).
 *
 * In the scaled variables of lcp_matrix.h the inner problem is
 *     v = (A + sigma I) y + b - sigma c,   0 <= y, 0 <= v, y'v = 0,
 * positive definite, with the centre c = the last y. All indices with a wrong sign change sides at
 * once; when that stops helping, projected Newton steps with descent take over, which cannot cycle.
 * The outer loop takes the shift out again: v - w = sigma (y - c) -> 0. */
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "solver/exchange.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SHIFT = 1e-8; /* sigma, against a diagonal of ones */

static const double LARGEST = 0.01, STEP = 0.1; /* shifts, where the small one does not work */

enum {
    CHANCES = 4, /* exchanges that need not lower the number of wrong signs */
    FEW = 4,     /* wrong signs: perhaps a chain that is followed contact by contact */
    MANY = 16,   /* changes of side that sweeps must bring to be taken instead of an exchange */
    OUTER = 200, /* proximal steps; the set stays in most, so they cost O(k^2) */
    LIMIT = 500  /* sets tried */
};

typedef struct work {
    carom_lcp_matrix m;
    double *y, *w, *s, *c, *v, *x; /* n each */
    double *z, *u, *du;            /* n each: P, A P and its change in solve_by_newton */
    int *F, k;                     /* the set, ascending */
    bool *in;                      /* n */
    bool factored;                 /* m.L belongs to F */
    int factorisations, limit;
    double shift; /* sigma at present */
} work;

static carom_status work_take(work *p, const carom_lcp *lcp, carom_arena *arena, carom_error *error)
{
    size_t n = (size_t)lcp->n;
    *p = (work){0};
    double *block = carom_arena_zeros(arena, 9 * n, sizeof *block);
    p->F = carom_arena_array(arena, n, sizeof *p->F);
    p->in = carom_arena_zeros(arena, n, sizeof *p->in);
    if (!block || !p->F || !p->in)
        return carom_error_memory(error);
    double **vectors[] = {&p->y, &p->w, &p->s, &p->c, &p->v, &p->x, &p->z, &p->u, &p->du};
    for (int i = 0; i < 9; i++)
        *vectors[i] = block + (size_t)i * n;
    return carom_lcp_matrix_make(&p->m, lcp, arena, error);
}

/* The set to start from is the support of y; z keeps y. */
static void take_support(work *p)
{
    carom_dense_copy(p->m.n, p->y, p->z);
    for (int i = 0; i < p->m.n; i++)
        p->in[i] = p->y[i] > 0;
}

/* The caller's set, or that of a few Gauss-Seidel sweeps, which carry information along a chain of
 * contacts and cost far less than a factorisation. */
static void guess(work *p, const double *start)
{
    for (int i = 0; start && i < p->m.n; i++)
        p->y[i] = p->m.d[i] > 0 && start[i] > 0;
    for (int sweep = 0; !start && sweep < 4; sweep++)
        carom_lcp_matrix_sweep(&p->m, p->y, sweep % 2 == 0, 1);
    take_support(p);
}

/* v for y. */
static void evaluate(work *p)
{
    carom_lcp_matrix_evaluate(&p->m, p->y, p->v, NULL);
    for (int i = 0; i < p->m.n; i++)
        p->v[i] += p->shift * (p->y[i] - p->c[i]);
}

/* y and v for the factored set. */
static void solve_factored(work *p)
{
    for (int a = 0; a < p->k; a++)
        p->x[a] = p->shift * p->c[p->F[a]] - p->m.b[p->F[a]];
    carom_lcp_matrix_solve(&p->m, p->x);
    memset(p->y, 0, (size_t)p->m.n * sizeof *p->y);
    for (int a = 0; a < p->k; a++)
        p->y[p->F[a]] = p->x[a];
    evaluate(p);
}

/* y and v for the present set. */
static bool solve_set(work *p)
{
    if (!p->factored) {
        p->k = 0;
        for (int i = 0; i < p->m.n; i++)
            if (p->in[i])
                p->F[p->k++] = i;
        p->factorisations++;
        if (!carom_lcp_matrix_factor(&p->m, p->F, p->k, p->shift))
            return false;
        p->factored = true;
    }
    solve_factored(p);
    return true;
}

static bool wrong(const work *p, int i, const double *noise)
{
    if (p->m.d[i] == 0)
        return false;
    if (p->in[i])
        return noise ? p->y[i] < 0 && -p->y[i] > noise[i] : p->y[i] < 0;
    return p->v[i] < (noise ? -noise[i] : 0);
}

/* How many signs are wrong. When the worst is tiny, rounding is not counted. */
static int count_wrong(work *p, const double **noise)
{
    int n = p->m.n, count = 0;
    double worst = 0, top = carom_dense_max(n, p->m.b);
    *noise = NULL;
    for (int i = 0; i < n; i++)
        if (wrong(p, i, NULL)) {
            worst = fmax(worst, p->in[i] ? -p->y[i] : -p->v[i]);
            count++;
        }
    if (count == 0 || worst > CAROM_TOLERANCE_HALF * top)
        return count;
    carom_lcp_matrix_evaluate(&p->m, p->y, p->w, p->s);
    for (int i = 0; i < n; i++)
        p->s[i] *= 16 * DBL_EPSILON;
    *noise = p->s;
    count = 0;
    for (int i = 0; i < n; i++)
        count += wrong(p, i, *noise);
    return count;
}

static void flip(work *p, const double *noise)
{
    for (int i = 0; i < p->m.n; i++)
        if (wrong(p, i, noise))
            p->in[i] = !p->in[i];
    p->factored = false;
}

/* Slope of phi at P + t (y - P), where du = A (y - P). */
static double slope(const work *p, double t)
{
    double sum = 0;
    for (int i = 0; i < p->m.n; i++) {
        double P = p->z[i] + t * (p->y[i] - p->z[i]);
        double r = p->shift * p->c[i] - p->m.b[i] - p->u[i] - t * p->du[i];
        sum += p->du[i] * (r > 0 && p->m.d[i] > 0 ? P - r / p->shift : P);
    }
    return sum;
}

/* The minimum of phi for 0 <= t <= 1: its slope is piecewise linear and grows. */
static double search(const work *p)
{
    double low = 0, high = 1, at_low = slope(p, 0), at_high = slope(p, 1);
    if (!(at_high > 0))
        return 1;
    if (!(at_low < 0))
        return 0;
    for (int k = 0; k < 60 && high - low > 0.001 * high; k++) {
        double t =
            k % 3 == 2 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
        double now = slope(p, t);
        if (now < 0) {
            low = t;
            at_low = now;
        } else {
            high = t;
            at_high = now;
        }
    }
    return high;
}

/* Newton's method on phi from P = z, u = A P, with the exact minimum along every step: no set comes
 * twice. */
static bool solve_by_newton(work *p)
{
    int n = p->m.n;
    while (p->factorisations < p->limit) {
        for (int i = 0; i < n; i++)
            p->in[i] = p->m.d[i] > 0 && p->shift * p->c[i] - p->m.b[i] - p->u[i] > 0;
        p->factored = false;
        const double *noise;
        if (!solve_set(p))
            return false;
        if (count_wrong(p, &noise) == 0)
            return true;
        for (int i = 0; i < n; i++)
            p->du[i] = p->v[i] - p->m.b[i] - p->shift * (p->y[i] - p->c[i]) - p->u[i];
        double t = search(p);
        if (!(t > 0))
            return false;
        for (int i = 0; i < n; i++) {
            p->z[i] += t * (p->y[i] - p->z[i]);
            p->u[i] += t * p->du[i];
        }
    }
    return false;
}

/* A chain may be so long that the first sweeps underflowed on the way (half is lost at every
 * contact); exchanges would then go on by one contact each. Take the support after two more sweeps
 * from the present point, if many indices change sides. */
static bool sweep_on(work *p)
{
    int n = p->m.n, changed = 0;
    for (int i = 0; i < n; i++)
        p->x[i] = fmax(0, p->y[i]);
    for (int sweep = 0; sweep < 2; sweep++)
        carom_lcp_matrix_sweep(&p->m, p->x, sweep == 0, 1);
    for (int i = 0; i < n; i++)
        changed += p->in[i] != (p->x[i] > 0);
    if (changed <= MANY)
        return false;
    for (int i = 0; i < n; i++)
        p->in[i] = p->x[i] > 0;
    p->factored = false;
    return true;
}

/* Exchanges of all wrong signs, as long as that helps. */
static bool solve_by_exchange(work *p)
{
    carom_exchange exchange = carom_exchange_begin(CHANCES);
    while (p->factorisations < p->limit) {
        const double *noise;
        if (!solve_set(p))
            return false;
        int count = count_wrong(p, &noise);
        if (count == 0)
            return true;
        if (!carom_exchange_gains(&exchange, count) && count <= FEW && sweep_on(p))
            continue;
        if (!carom_exchange_all(&exchange, count))
            return false;
        flip(p, noise);
    }
    return false;
}

/* The path of solutions for ever smaller shifts, from the point z. */
static bool follow_path(work *p, double shift)
{
    carom_lcp_matrix_apply(&p->m, p->z, p->u, NULL);
    for (;;) {
        int before = p->factorisations;
        p->shift = shift;
        if (!solve_by_newton(p))
            return false;
        if (shift <= SHIFT)
            return true;
        /* the set has stayed: it is probably the last */
        shift = p->factorisations == before + 1 ? SHIFT : fmax(SHIFT, shift * STEP);
    }
}

/* The inner problem: exchanges, and where they go round in a circle the path. False when the limit
 * is reached or A is not semidefinite. */
static bool solve_shifted(work *p, int outer)
{
    if (solve_by_exchange(p))
        return true;
    bool done = follow_path(p, outer == 0 ? LARGEST : SHIFT);
    p->shift = SHIFT;
    return done;
}

/* Does the drift g = y - c prove that there is no solution? */
static bool drifts(work *p)
{
    for (int i = 0; i < p->m.n; i++)
        p->x[i] = p->y[i] - p->c[i];
    return carom_lcp_matrix_proves_infeasible(&p->m, p->x, p->v, p->s);
}

/* Back to the last solution, with its set and factor. */
static void take_centre(work *p)
{
    for (int i = 0; i < p->m.n; i++)
        p->in[i] = p->c[i] > 0;
    p->factored = false;
    solve_set(p);
    carom_dense_copy(p->m.n, p->c, p->y);
    carom_lcp_matrix_violation(&p->m, p->y, p->w, p->s);
}

static carom_lcp_outcome iterate(work *p, double tolerance)
{
    int n = p->m.n, stalls = 0;
    double last = HUGE_VAL;
    for (int i = 0; i < n; i++)
        if (p->m.d[i] == 0 && p->m.b[i] < -tolerance * p->m.e[i])
            return CAROM_LCP_INFEASIBLE;
    for (int outer = 0; outer < OUTER; outer++) {
        if (last <= tolerance && !solve_by_exchange(p)) { /* rounding decides signs: good enough */
            take_centre(p);
            return CAROM_LCP_SOLVED;
        }
        if (last > tolerance && !solve_shifted(p, outer))
            break;
        for (int i = 0; i < n; i++)
            p->y[i] = fmax(0, p->y[i]);
        double now = carom_lcp_matrix_violation(&p->m, p->y, p->w, p->s);
        if (now > tolerance && outer > 0 && drifts(p))
            return CAROM_LCP_INFEASIBLE;
        stalls = now > 0.95 * last ? stalls + 1 : 0;
        if (now <= 8 * DBL_EPSILON || (now <= tolerance && now > 0.9 * last) || stalls > 4)
            return now <= tolerance ? CAROM_LCP_SOLVED : CAROM_LCP_LIMIT;
        last = now;
        carom_dense_copy(n, p->y, p->c);
        carom_dense_copy(n, p->y, p->z);
    }
    return CAROM_LCP_LIMIT;
}

/* A_FF is regular and no w outside F vanishes: this z is the only one. w and s are those of y. */
static bool is_unique(work *p, double tolerance)
{
    int n = p->m.n, k = p->k;
    for (int i = 0; i < n; i++)
        if (p->m.d[i] == 0 ? p->m.b[i] <= tolerance * p->m.e[i]
                           : !p->in[i] && p->w[i] <= tolerance * p->s[i])
            return false;
    if (p->m.band >= 0) {
        p->factored = false;
        return carom_lcp_matrix_factor(&p->m, p->F, k, -SHIFT);
    }
    carom_lcp_matrix_probe(k, p->x);
    for (int pass = 0; pass < 2; pass++)
        carom_lcp_matrix_solve(&p->m, p->x);
    return 100 * SHIFT * sqrt(carom_dense_norm(k, p->x)) < 1;
}

/* The loop from a prepared set and centre. */
static void finish(work *p, const carom_lcp_options *options, double *z, carom_lcp_info *info)
{
    p->limit = options->max_iterations > 0 ? options->max_iterations : LIMIT;
    p->shift = SHIFT;
    info->outcome = iterate(p, options->tolerance);
    info->iterations = p->factorisations;
    info->unique_w = info->outcome == CAROM_LCP_SOLVED;
    info->unique_z = info->unique_w && is_unique(p, options->tolerance);
    for (int i = 0; i < p->m.n; i++)
        z[i] = p->m.d[i] * fmax(0, p->y[i]);
}

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    work p;
    carom_status status = work_take(&p, lcp, arena, error);
    if (status != CAROM_OK)
        return status;
    guess(&p, options->start);
    finish(&p, options, z, info);
    return CAROM_OK;
}

carom_status carom_lcp_block_polish(const carom_lcp *lcp, const carom_lcp_options *options,
                                    carom_arena *arena, double *z, carom_lcp_info *info,
                                    carom_error *error)
{
    work p;
    carom_status status = work_take(&p, lcp, arena, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < lcp->n; i++) {
        p.c[i] = p.m.d[i] > 0 ? z[i] / p.m.d[i] : 0;
        p.in[i] = p.c[i] > 0;
    }
    finish(&p, options, z, info);
    return CAROM_OK;
}

const carom_lcp_solver carom_lcp_block_table = {
    {CAROM_LCP_BLOCK, "block",
     "block principal pivoting in a proximal-point loop; large symmetric semidefinite M, banded or "
     "dense",
     "Kostreva, Block pivot methods for solving the complementarity problem, 1978; Judice, Pires, "
     "A block principal pivoting algorithm for large-scale strictly monotone LCPs, 1994"},
    solve,
    true,
    0};
