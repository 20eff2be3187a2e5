/* Siconos numerics: its LCP solvers through its own driver. */
#include "peers.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>
#include <stdbool.h>
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
    {SICONOS_LCP_PATHSEARCH, "pathsearch"},
    {SICONOS_LCP_NSGS_SBM, "nsgs_sbm"},
    {SICONOS_LCP_QP, "qp"}, /* aborts where it was built without its quadratic programs */
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

/* A block for each entry of M that is not 0; M NULL: for each entry. */
static SparseBlockStructuredMatrix *blocks(size_t n, const double *M)
{
    SparseBlockStructuredMatrix *B = SBM_new();
    size_t most = n * n, k = 0;
    B->blocknumber0 = B->blocknumber1 = (unsigned)n;
    B->blocksize0 = malloc(n * sizeof *B->blocksize0);
    B->blocksize1 = malloc(n * sizeof *B->blocksize1);
    B->index1_data = calloc(n + 1, sizeof *B->index1_data);
    B->index2_data = calloc(most, sizeof *B->index2_data);
    B->block = calloc(most, sizeof *B->block);
    for (size_t i = 0; i < n; i++) {
        B->blocksize0[i] = B->blocksize1[i] = (unsigned)(i + 1);
        for (size_t j = 0; j < n; j++)
            if (!M || M[i + j * n] != 0) {
                B->index2_data[k] = j;
                B->block[k++] = calloc(1, sizeof(double));
            }
        B->index1_data[i + 1] = k;
    }
    B->nbblocks = (unsigned)k;
    B->filled1 = n + 1;
    B->filled2 = k;
    return B;
}

siconos_lcp *siconos_lcp_create(int n, const double *M, const double *q, int solver,
                                double tolerance)
{
    siconos_lcp *lcp = calloc(1, sizeof *lcp);
    bool sparse = solvers[solver].id == SICONOS_LCP_NSGS_SBM;
    if (!lcp)
        abort();
    numerics_set_verbose(0);
    lcp->problem.size = n;
    lcp->problem.M = NM_create(sparse ? NM_SPARSE_BLOCK : NM_DENSE, n, n);
    if (sparse)
        lcp->problem.M->matrix1 = blocks((size_t)n, M);
    lcp->problem.q = calloc((size_t)n, sizeof *q);
    if (M && q)
        siconos_lcp_update(lcp, M, q);
    lcp->options = solver_options_create(solvers[solver].id);
    lcp->options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    lcp->options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
    return lcp;
}

void siconos_lcp_update(siconos_lcp *lcp, const double *M, const double *q)
{
    size_t n = (size_t)lcp->problem.size;
    const SparseBlockStructuredMatrix *B = lcp->problem.M->matrix1;
    if (B) {
        for (size_t i = 0; i < n; i++)
            for (size_t k = B->index1_data[i]; k < B->index1_data[i + 1]; k++)
                *B->block[k] = M[i + B->index2_data[k] * n];
    } else {
        memcpy(lcp->problem.M->matrix0, M, n * n * sizeof *M);
    }
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
