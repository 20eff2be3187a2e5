/* From a small statement to its answer by way of the tableau (docs/theory/lcp-small.md). */
#include "solver/lcp_cross_solve.h"

#include "carom/tolerance.h"
#include "solver/lcp_cross.h"
#include "solver/lcp_cross_minimum.h"
#include "solver/lcp_measure.h"

enum { N = CAROM_LCP_SMALL };

/* Above this part of its terms, w_i is not zero. */
static const double SLACK = CAROM_TOLERANCE_HALF;
static const double EXACT = 4 * DBL_EPSILON;

typedef struct point {
    _Alignas(64) double z[N], w[N], s[N];
    double residual;
} point;

static void judge(const carom_lcp *lcp, int reach, const carom_lcp_cross *t, point *p)
{
    carom_lcp_cross_evaluate(t, p->z, p->w, p->s);
    p->residual = carom_lcp_measure_residual(lcp, lcp->n, reach, p->z, p->w, p->s);
}

/* One step of refinement with T_FF = M_FF^{-1}, if that makes z better. */
static void refine(const carom_lcp *lcp, int reach, const carom_lcp_cross *t, point *p)
{
    point next;
    double step[N] = {0};
    for (int j = 0; j < t->n; j++) {
        const double *Tj = t->T + j * t->rows;
        for (int i = 0; t->in[j] && i < t->rows; i++)
            step[i] += Tj[i] * p->w[j];
    }
    for (int i = 0; i < t->n; i++) {
        double z = t->in[i] && p->z[i] > 0 ? p->z[i] - step[i] : p->z[i];
        next.z[i] = z > 0 ? z : 0;
    }
    judge(lcp, reach, t, &next);
    if (next.residual < p->residual)
        *p = next;
}

/* Has z run away: is a q_i that called for it, or one of F, lost in the terms of its row? A wrong z
 * could hide there. */
static bool drowned(const carom_lcp *lcp, const carom_lcp_cross *t, const point *p)
{
    bool lost = false;
    for (int i = 0; i < t->n; i++) {
        double q = fabs(lcp->q[i]);
        lost = lost || (t->in[i] && q > 0 && !(p->s[i] <= 1e8 * q)) ||
               (lcp->q[i] < 0 && !(p->s[i] <= 1e10 * q));
    }
    return lost;
}

/* Symmetric M: completes F by the independent ones of the indices with w_i = 0, and lists the
 * dependent ones. Returns their number, or -1 when it cannot be told. */
static int list_dependent(carom_lcp_cross *t, const point *p, double tolerance, int *dependent)
{
    int count = 0;
    for (int i = 0; i < t->n; i++) {
        if (t->in[i] || p->w[i] > SLACK * p->s[i])
            continue;
        carom_lcp_cross_kind kind = carom_lcp_cross_classify(t, i);
        bool tight = p->w[i] <= tolerance * p->s[i];
        if (kind == CAROM_LCP_CROSS_UNCLEAR || (kind == CAROM_LCP_CROSS_DEPENDENT && !tight))
            return -1;
        if (kind == CAROM_LCP_CROSS_DEPENDENT)
            dependent[count++] = i;
        else if (tight)
            carom_lcp_cross_pivot(t, i);
    }
    return count;
}

bool carom_lcp_cross_solve(const carom_lcp *lcp, double tolerance, bool any_solution, double *z,
                           double *w, carom_lcp_info *info)
{
    int n = lcp->n, reach = lcp->bandwidth > 0 ? lcp->bandwidth : n - 1, r = 0, dependent[N];
    carom_lcp_cross t;
    point p;
    carom_lcp_cross_fill(&t, lcp);
    if ((lcp->symmetric && !t.positive) || !carom_lcp_cross_run(&t, lcp->symmetric))
        return false;
    const double *v = t.T + n * t.rows;
    for (int i = 0; i < n; i++)
        p.z[i] = t.in[i] && v[i] > 0 ? v[i] : 0;
    judge(lcp, reach, &t, &p);
    if (p.residual > EXACT)
        refine(lcp, reach, &t, &p);
    if (!(p.residual <= tolerance) || (!lcp->symmetric && drowned(lcp, &t, &p)))
        return false;
    int pivots = t.pivots;
    if (lcp->symmetric && (r = list_dependent(&t, &p, tolerance, dependent)) < 0)
        return false;
    if (r > 0 && !any_solution) {
        if (!carom_lcp_cross_minimum(&t, r, dependent, p.z))
            return false;
        judge(lcp, reach, &t, &p);
        if (p.residual > EXACT)
            refine(lcp, reach, &t, &p);
        if (!(p.residual <= tolerance))
            return false;
    }
    for (int i = 0; i < n; i++)
        z[i] = p.z[i];
    for (int i = 0; w && i < n; i++)
        w[i] = p.z[i] > 0 || p.w[i] < 0 ? 0 : p.w[i];
    if (info)
        *info = (carom_lcp_info){.algorithm = CAROM_LCP_PIVOT,
                                 .iterations = pivots,
                                 .residual = p.residual,
                                 .unique_w = lcp->symmetric,
                                 .unique_z = lcp->symmetric && r == 0};
    return true;
}
