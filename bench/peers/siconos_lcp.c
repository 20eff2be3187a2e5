/* Siconos numerics: its LCP solvers through its own driver. */
#include "peers.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int id;
    const char *name;
} solvers[] = {
    /* those that are often the fastest first: the others then need not be waited for */
    {SICONOS_LCP_NEWTON_FB_FBLSA, "newton_fb"},
    {SICONOS_LCP_MURTY, "murty"},
    {SICONOS_LCP_LEMKE, "lexicolemke"},
    {SICONOS_LCP_NEWTONMIN, "newton_min"},
    {SICONOS_LCP_NEWTON_MIN_FBLSA, "newton_minfb"},
    {SICONOS_LCP_PIVOT, "pivot"},
    {SICONOS_LCP_PIVOT_LUMOD, "lumod"},
    {SICONOS_LCP_BARD, "bard"},
    {SICONOS_LCP_AVI_CAOFERRIS, "avi_caoferris"},
    {SICONOS_LCP_PGS, "pgs"},
    {SICONOS_LCP_PSOR, "psor"},
    {SICONOS_LCP_RPGS, "rpgs"},
    {SICONOS_LCP_CPG, "cpg"},
    {SICONOS_LCP_LATIN, "latin"},
    {SICONOS_LCP_LATIN_W, "latin_w"},
    {SICONOS_LCP_NSQP, "nsqp"},
    {SICONOS_LCP_CONVEXQP_PG, "convexqp_pg"},
    {SICONOS_LCP_ENUM, "enum"},
};

struct siconos_lcp {
    LinearComplementarityProblem problem;
    SolverOptions *options;
};

int siconos_lcp_solver_count(void)
{
    return (int)(sizeof solvers / sizeof *solvers);
}

const char *siconos_lcp_solver_name(int solver)
{
    return solvers[solver].name;
}

siconos_lcp *siconos_lcp_create(int n, const double *M, const double *q, int solver,
                                double tolerance)
{
    siconos_lcp *lcp = calloc(1, sizeof *lcp);
    if (!lcp)
        abort();
    numerics_set_verbose(0);
    lcp->problem.size = n;
    lcp->problem.M = NM_create(NM_DENSE, n, n);
    memcpy(lcp->problem.M->matrix0, M, (size_t)n * (size_t)n * sizeof *M);
    lcp->problem.q = malloc((size_t)n * sizeof *q);
    memcpy(lcp->problem.q, q, (size_t)n * sizeof *q);
    lcp->options = solver_options_create(solvers[solver].id);
    lcp->options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    lcp->options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
    return lcp;
}

void siconos_lcp_update(siconos_lcp *lcp, const double *M, const double *q)
{
    size_t n = (size_t)lcp->problem.size;
    memcpy(lcp->problem.M->matrix0, M, n * n * sizeof *M);
    memcpy(lcp->problem.q, q, n * sizeof *q);
}

int siconos_lcp_solve(siconos_lcp *lcp, double *z, double *w)
{
    memset(z, 0, (size_t)lcp->problem.size * sizeof *z);
    memset(w, 0, (size_t)lcp->problem.size * sizeof *w);
    return linearComplementarity_driver(&lcp->problem, z, w, lcp->options);
}

void siconos_lcp_destroy(siconos_lcp *lcp)
{
    NM_clear(lcp->problem.M);
    free(lcp->problem.M);
    free(lcp->problem.q);
    solver_options_delete(lcp->options);
    free(lcp);
}

int siconos_lcp_read(const char *path, int *n, double **M, double **q)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 1;
    fclose(file);
    LinearComplementarityProblem *p = newLCP();
    linearComplementarity_newFromFilename(p, path); /* what it returns says nothing */
    if (p->size <= 0 || !p->M || !p->q)
        return 1;
    *n = p->size;
    *M = malloc((size_t)p->size * (size_t)p->size * sizeof **M);
    *q = malloc((size_t)p->size * sizeof **q);
    for (int j = 0; j < p->size; j++)
        for (int i = 0; i < p->size; i++)
            (*M)[i + (size_t)j * (size_t)p->size] = NM_get_value(p->M, i, j);
    memcpy(*q, p->q, (size_t)p->size * sizeof **q);
    freeLinearComplementarityProblem(p);
    return 0;
}
