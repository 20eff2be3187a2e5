/* Siconos numerics: all its solvers of frictional contact, local (W, q) and global (M, H, f, w),
 * through its own drivers, with its own default settings but for tolerance and iterations. */
#include "peers.h"

#include "carom/friction.h"

#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

/* Those that are often the fastest first: the others then need not be waited for. */
static const struct {
    int id, inner; /* inner: solver of one contact, 0: the default */
    const char *name;
} solvers[] = {
    {SICONOS_FRICTION_2D_NSGS, 0, "fc2d_nsgs"},
    {SICONOS_FRICTION_2D_LEMKE, 0, "fc2d_lemke"},
    {SICONOS_FRICTION_2D_CPG, 0, "fc2d_cpg"},
    {SICONOS_FRICTION_2D_ENUM, 0, "fc2d_enum"},
    {SICONOS_FRICTION_3D_NSGS, 0, "nsgs"},
    {SICONOS_FRICTION_3D_NSN_AC, 0, "nsn_ac"},
    {SICONOS_FRICTION_3D_NSN_FB, 0, "nsn_fb"},
    {SICONOS_FRICTION_3D_NSN_NM, 0, "nsn_nm"},
    {SICONOS_FRICTION_3D_NSN_AC_TEST, 0, "nsn_ac_test"},
    {SICONOS_FRICTION_3D_PROX, 0, "prox"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, "nsgs_nsn"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
     "nsgs_projection"},
    {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, "nsgs_quartic"},
    {SICONOS_FRICTION_3D_ADMM, 0, "admm"},
    {SICONOS_FRICTION_3D_NSGSV, 0, "nsgsv"},
    {SICONOS_FRICTION_3D_TFP, 0, "tfp"},
    {SICONOS_FRICTION_3D_PFP, 0, "pfp"},
    {SICONOS_FRICTION_3D_ACLMFP, 0, "aclmfp"},
    {SICONOS_FRICTION_3D_SOCLCP, 0, "soclcp"},
    {SICONOS_FRICTION_3D_DSFP, 0, "dsfp"},
    {SICONOS_FRICTION_3D_FPP, 0, "fpp"},
    {SICONOS_FRICTION_3D_EG, 0, "eg"},
    {SICONOS_FRICTION_3D_VI_FPP, 0, "vi_fpp"},
    {SICONOS_FRICTION_3D_VI_EG, 0, "vi_eg"},
    {SICONOS_FRICTION_3D_HP, 0, "hp"},
    {SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, 0, "global_nsgs_wr"},
    {SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, 0, "global_nsn_ac_wr"},
    {SICONOS_GLOBAL_FRICTION_3D_NSN_AC, 0, "global_nsn_ac"},
    {SICONOS_GLOBAL_FRICTION_3D_ADMM, 0, "global_admm"},
    {SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, 0, "global_admm_wr"},
    {SICONOS_GLOBAL_FRICTION_3D_IPM, 0, "global_ipm"},
    {SICONOS_GLOBAL_FRICTION_3D_NSGS, 0, "global_nsgs"},
    {SICONOS_GLOBAL_FRICTION_3D_PROX_WR, 0, "global_prox_wr"},
    {SICONOS_GLOBAL_FRICTION_3D_TFP_WR, 0, "global_tfp_wr"},
    {SICONOS_GLOBAL_FRICTION_3D_ACLMFP, 0, "global_aclmfp"},
    {SICONOS_GLOBAL_FRICTION_3D_VI_FPP, 0, "global_vi_fpp"},
    {SICONOS_GLOBAL_FRICTION_3D_VI_EG, 0, "global_vi_eg"},
};

struct siconos_contact {
    FrictionContactProblem local;
    GlobalFrictionContactProblem global;
    SolverOptions *options;
    int solver, dof, rows;
    double *u, *v;
};

int siconos_contact_solver_count(void)
{
    return (int)(sizeof solvers / sizeof *solvers);
}

const char *siconos_contact_solver_name(int solver)
{
    return solvers[solver].name;
}

static int is_planar(int solver)
{
    return solvers[solver].id < SICONOS_FRICTION_3D_NSGS;
}

static int is_global(int solver)
{
    return solvers[solver].id >= SICONOS_GLOBAL_FRICTION_3D_NSGS_WR;
}

/* Those that take no blocks. */
static int wants_dense(int solver)
{
    int id = solvers[solver].id;
    return is_planar(solver) && id != SICONOS_FRICTION_2D_NSGS;
}

/* The largest dense matrix that is worth waiting for, and the most contacts whose modes can be
 * tried one by one. */
enum { MOST_DENSE = 2000, MOST_ENUMERATED = 6 };

int siconos_contact_can(int solver, const carom_friction_problem *p)
{
    int n = carom_friction_problem_rows(p);
    return is_planar(solver) == (p->dimension == 2) &&
           is_global(solver) == (p->form == CAROM_FRICTION_BODIES) &&
           (!wants_dense(solver) || n <= MOST_DENSE) &&
           (solvers[solver].id != SICONOS_FRICTION_2D_ENUM || p->contacts <= MOST_ENUMERATED);
}

static double *copy(const double *from, int count)
{
    double *to = calloc((size_t)count + 1, sizeof *to);
    if (!to)
        abort();
    if (from)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static NumericsMatrix *dense(const carom_friction_problem *p)
{
    size_t d = (size_t)p->dimension, n = d * (size_t)p->contacts;
    NumericsMatrix *W = NM_create(NM_DENSE, (int)n, (int)n);
    if (p->form == CAROM_FRICTION_DENSE) {
        memcpy(W->matrix0, p->W, n * n * sizeof(double));
        return W;
    }
    memset(W->matrix0, 0, n * n * sizeof(double));
    for (size_t i = 0; i < (size_t)p->contacts; i++)
        for (int k = p->blocks.start[i]; k < p->blocks.start[i + 1]; k++)
            for (size_t c = 0; c < d; c++)
                memcpy(W->matrix0 + d * i + (d * (size_t)p->blocks.column[k] + c) * n,
                       p->blocks.value + ((size_t)k * d + c) * d, d * sizeof(double));
    return W;
}

static NumericsMatrix *blocks(const carom_friction_problem *p)
{
    size_t d = (size_t)p->dimension, nc = (size_t)p->contacts;
    size_t count = (size_t)p->blocks.start[nc];
    NumericsMatrix *W = NM_create(NM_SPARSE_BLOCK, (int)(d * nc), (int)(d * nc));
    SparseBlockStructuredMatrix *B = W->matrix1 = SBM_new();
    B->blocknumber0 = B->blocknumber1 = (unsigned)nc;
    B->blocksize0 = malloc(nc * sizeof *B->blocksize0);
    B->blocksize1 = malloc(nc * sizeof *B->blocksize1);
    B->index1_data = calloc(nc + 1, sizeof *B->index1_data);
    B->index2_data = calloc(count, sizeof *B->index2_data);
    B->block = calloc(count, sizeof *B->block);
    for (size_t i = 0; i < nc; i++) {
        B->blocksize0[i] = B->blocksize1[i] = (unsigned)(d * (i + 1));
        B->index1_data[i + 1] = (size_t)p->blocks.start[i + 1];
    }
    for (size_t k = 0; k < count; k++) {
        B->index2_data[k] = (size_t)p->blocks.column[k];
        B->block[k] = copy(p->blocks.value + k * d * d, (int)(d * d));
    }
    B->nbblocks = (unsigned)count;
    B->filled1 = nc + 1;
    B->filled2 = count;
    return W;
}

static NumericsMatrix *triplets(int rows, int columns)
{
    NumericsMatrix *A = NM_create(NM_SPARSE, rows, columns);
    NM_triplet_alloc(A, 0);
    A->matrix2->origin = NSM_TRIPLET;
    return A;
}

static void put(NumericsMatrix *A, int i, int j, double value)
{
    if (value != 0)
        NM_entry(A, i, j, value);
}

/* M block diagonal and H, by entries. */
static void make_global(siconos_contact *s, const carom_friction_problem *p)
{
    const carom_friction_bodies *b = &p->bodies;
    int d = p->dimension, n = d * p->contacts, dof = 0;
    int *first = calloc((size_t)b->count + 1, sizeof *first);
    for (int k = 0; k < b->count; k++)
        first[k + 1] = dof += b->dof ? b->dof[k] : 6;
    NumericsMatrix *M = triplets(dof, dof), *H = triplets(dof, n);
    const double *from = b->M;
    for (int k = 0; k < b->count; k++)
        for (int j = first[k]; j < first[k + 1]; j++)
            for (int i = first[k]; i < first[k + 1]; i++)
                put(M, i, j, *from++);
    from = b->H;
    for (int c = 0; c < p->contacts; c++)
        for (int k = b->start[c]; k < b->start[c + 1]; k++)
            for (int j = d * c; j < d * (c + 1); j++)
                for (int i = first[b->body[k]]; i < first[b->body[k] + 1]; i++)
                    put(H, i, j, *from++);
    free(first);
    s->dof = dof;
    s->global = (GlobalFrictionContactProblem){.dimension = d,
                                               .numberOfContacts = p->contacts,
                                               .M = M,
                                               .H = H,
                                               .q = copy(b->f, dof),
                                               .b = copy(p->q, n),
                                               .mu = copy(p->mu, p->contacts)};
    s->v = copy(NULL, dof);
}

siconos_contact *siconos_contact_create(const carom_friction_problem *p, int solver,
                                        double tolerance)
{
    siconos_contact *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    numerics_set_verbose(0);
    s->solver = solver;
    s->rows = p->dimension * p->contacts;
    s->u = copy(NULL, s->rows);
    if (is_global(solver))
        make_global(s, p);
    else
        s->local = (FrictionContactProblem){
            .dimension = p->dimension,
            .numberOfContacts = p->contacts,
            .M = p->form == CAROM_FRICTION_DENSE || wants_dense(solver) ? dense(p) : blocks(p),
            .q = copy(p->q, s->rows),
            .mu = copy(p->mu, p->contacts)};
    s->options = solver_options_create(solvers[solver].id);
    s->options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
    if (solvers[solver].inner)
        solver_options_update_internal(s->options, 0, solvers[solver].inner);
    return s;
}

int siconos_contact_solve(siconos_contact *s, double *r)
{
    memset(r, 0, (size_t)s->rows * sizeof *r);
    memset(s->u, 0, (size_t)s->rows * sizeof *r);
    if (is_planar(s->solver))
        return fc2d_driver(&s->local, r, s->u, s->options);
    if (!is_global(s->solver))
        return fc3d_driver(&s->local, r, s->u, s->options);
    memset(s->v, 0, (size_t)s->dof * sizeof *s->v);
    return gfc3d_driver(&s->global, r, s->u, s->v, s->options);
}

void siconos_contact_destroy(siconos_contact *s)
{
    NumericsMatrix *matrices[] = {s->local.M, s->global.M, s->global.H};
    double *arrays[] = {s->local.q,   s->local.mu, s->global.q, s->global.b,
                        s->global.mu, s->u,        s->v};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        if (matrices[k]) {
            NM_clear(matrices[k]);
            free(matrices[k]);
        }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    solver_options_delete(s->options);
    free(s);
}
