/* Siconos numerics: its solvers of planar friction problems through its own driver. */
#include "peers.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int id;
    const char *name;
} solvers[] = {{SICONOS_FRICTION_2D_LEMKE, "fc2d_lemke"},
               {SICONOS_FRICTION_2D_NSGS, "fc2d_nsgs"},
               {SICONOS_FRICTION_2D_CPG, "fc2d_cpg"},
               {SICONOS_FRICTION_2D_ENUM, "fc2d_enum"}};

struct siconos_friction {
    FrictionContactProblem problem;
    SolverOptions *options;
};

int siconos_friction_solver_count(void)
{
    return (int)(sizeof solvers / sizeof *solvers);
}

const char *siconos_friction_solver_name(int solver)
{
    return solvers[solver].name;
}

siconos_friction *siconos_friction_create(int p, const double *mu, int solver, double tolerance)
{
    siconos_friction *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    numerics_set_verbose(0);
    f->problem.dimension = 2;
    f->problem.numberOfContacts = p;
    f->problem.M = NM_create(NM_DENSE, 2 * p, 2 * p);
    f->problem.q = calloc((size_t)(2 * p), sizeof(double));
    f->problem.mu = calloc((size_t)p, sizeof(double));
    memcpy(f->problem.mu, mu, (size_t)p * sizeof *mu);
    f->options = solver_options_create(solvers[solver].id);
    f->options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    f->options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    return f;
}

int siconos_friction_solve(siconos_friction *f, const double *M, const double *q, double *reaction,
                           double *velocity)
{
    size_t r = 2 * (size_t)f->problem.numberOfContacts;
    memcpy(f->problem.M->matrix0, M, r * r * sizeof *M);
    memcpy(f->problem.q, q, r * sizeof *q);
    memset(reaction, 0, r * sizeof *reaction);
    memset(velocity, 0, r * sizeof *velocity);
    return fc2d_driver(&f->problem, reaction, velocity, f->options);
}
